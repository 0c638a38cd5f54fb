package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// timeLimit ends a test that a fault has made hang; that counts as noticed.
const timeLimit = "120s"

// tryAll makes sure that the tests pass without a fault, and that each fails with its own.
func tryAll(ctx context.Context, root string, mutants []*mutant, jobs int, stdout io.Writer) error {
	if err := passWithout(ctx, root, mutants); err != nil {
		return err
	}
	results := make([]error, len(mutants))
	slots := make(chan struct{}, max(1, jobs))
	var running sync.WaitGroup
	for i, m := range mutants {
		slots <- struct{}{}
		running.Go(func() {
			defer func() { <-slots }()
			results[i] = try(ctx, root, m)
		})
	}
	running.Wait()
	for i, m := range mutants {
		if results[i] != nil {
			results[i] = fmt.Errorf("%s %s (%s): %w", m.rule, m.name, m.where, results[i])
		}
	}
	if err := errors.Join(results...); err != nil {
		return err
	}
	fmt.Fprintf(stdout, "all %d faults were noticed\n", len(mutants))
	return nil
}

// passWithout runs every named test on the code as it is.
func passWithout(ctx context.Context, root string, mutants []*mutant) error {
	tests := map[string][]string{}
	for _, m := range mutants {
		if !slices.Contains(tests[m.test.Folder], m.test.Function) {
			tests[m.test.Folder] = append(tests[m.test.Folder], m.test.Function)
		}
	}
	for folder, names := range tests {
		output, err := goTest(ctx, root, folder, "^("+strings.Join(names, "|")+")$", "")
		if err != nil {
			return fmt.Errorf("testing %s without a fault: %w\n%s", folder, err, output)
		}
	}
	return ctx.Err()
}

// try gives an error unless the test fails on the fault.
func try(ctx context.Context, root string, m *mutant) error {
	folder, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	overlay, err := m.overlay(root, folder)
	if err != nil {
		return err
	}
	output, err := goTest(ctx, root, m.test.Folder, m.pattern(), overlay)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case bytes.Contains(output, []byte("[build failed]")) || bytes.Contains(output, []byte("[setup failed]")):
		return fmt.Errorf("it does not compile:\n%s", output)
	case err == nil:
		return fmt.Errorf("it SURVIVED %s", m.test)
	}
	return nil
}

// overlay writes the file with the fault and the list that puts it in the place of the real one.
func (m *mutant) overlay(root, folder string) (string, error) {
	faulty := filepath.Join(folder, filepath.Base(m.file))
	if err := os.WriteFile(faulty, []byte(m.content), 0o644); err != nil {
		return "", err
	}
	real, err := filepath.Abs(filepath.Join(root, filepath.FromSlash(m.file)))
	if err != nil {
		return "", err
	}
	list, err := json.Marshal(map[string]map[string]string{"Replace": {real: faulty}})
	if err != nil {
		return "", err
	}
	path := filepath.Join(folder, "overlay.json")
	return path, os.WriteFile(path, list, 0o644)
}

// pattern is the -run of the test.
func (m *mutant) pattern() string {
	pattern := "^" + m.test.Function + "$"
	if m.test.Subtest != "" {
		pattern += "/^" + regexp.QuoteMeta(strings.ReplaceAll(m.test.Subtest, " ", "_")) + "$"
	}
	return pattern
}

func goTest(ctx context.Context, root, folder, pattern, overlay string) ([]byte, error) {
	args := []string{"test", "-count=1", "-vet=off", "-timeout=" + timeLimit, "-run=" + pattern}
	if overlay != "" {
		args = append(args, "-overlay="+overlay)
	}
	command := exec.CommandContext(ctx, "go", append(args, "./"+folder)...)
	command.Dir = root
	command.Env = append(os.Environ(), "RAPID_NOFAILFILE=true") // or a property test keeps what failed beside its source
	return command.CombinedOutput()
}
