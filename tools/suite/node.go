package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// nodeTests runs the tests of web/test in Node's own test runner, which a person reads on the terminal and this
// program from a file.
func nodeTests(ctx context.Context, s *suite) (tally, error) {
	files, err := nodeFiles(s.root)
	if err != nil {
		return tally{}, err
	}
	report := filepath.Join(s.root, repo.CacheDir, "node.tap")
	if _, err := repo.Write(report, nil); err != nil {
		return tally{}, err
	}
	args := []string{
		"--test", "--expose-gc",
		"--test-reporter=spec", "--test-reporter-destination=stdout",
		"--test-reporter=tap", "--test-reporter-destination=" + report,
	}
	runErr := s.command(ctx, nil, "node", append(args, files...)...)
	content, err := os.ReadFile(report)
	if err != nil {
		return tally{}, errors.Join(runErr, fmt.Errorf("reading what Node reported: %w", err))
	}
	counts := nodeTally(string(content))
	if runErr == nil && counts.passed == 0 {
		runErr = errors.New("not a single test passed or failed")
	}
	return counts, runErr
}

// nodeFiles lists the tests by name, since versions of Node differ in what they take a folder for.
func nodeFiles(root string) ([]string, error) {
	var files []string
	for _, pattern := range []string{"*.test.js", "*.test.mjs"} {
		found, err := filepath.Glob(filepath.Join(root, "web", "test", pattern))
		if err != nil {
			return nil, fmt.Errorf("listing the tests of the page script: %w", err)
		}
		files = append(files, found...)
	}
	if len(files) == 0 {
		return nil, errors.New("web/test holds no file named *.test.js or *.test.mjs")
	}
	return files, nil
}

// nodeTally reads the totals at the end of a TAP report. A test that is cancelled did not pass.
func nodeTally(report string) tally {
	totals := map[string]int{}
	for line := range strings.Lines(report) {
		if fields := strings.Fields(line); len(fields) == 3 && fields[0] == "#" {
			if n, err := strconv.Atoi(fields[2]); err == nil {
				totals[fields[1]] = n
			}
		}
	}
	return tally{
		passed:  totals["pass"],
		failed:  totals["fail"] + totals["cancelled"],
		skipped: totals["skipped"] + totals["todo"],
	}
}
