package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/tools/internal/golist"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// inBrowser lists the packages whose unit tests also run inside a browser: the core that a page's runtime consists of, and
// what a page in Go has of the browser.
func inBrowser() []string {
	return []string{"capability", "canonical", "schema", "host", "wirename", "registry", "webmcp"}
}

// layout runs uncached, since the go command cannot see that its tests read the whole repository.
func layout(ctx context.Context, s *suite) (tally, error) {
	return s.goTest(ctx, nil, "-count=1", "./tools/layout")
}

// demoContract checks the demo as any project is checked, with the command that its authors would run.
func demoContract(ctx context.Context, s *suite) error {
	return s.command(ctx, nil, "go", "-C", "web/demo", "run", "../../cmd/pagewarden", "contract", "check")
}

func native(ctx context.Context, s *suite) (tally, error) {
	return s.nativeTests(ctx, "-race", "-timeout=20m")
}

func nativeShort(ctx context.Context, s *suite) (tally, error) {
	return s.nativeTests(ctx, "-short", "-timeout=5m")
}

// nativeTests runs every package's tests but those that other steps run.
func (s *suite) nativeTests(ctx context.Context, flags ...string) (tally, error) {
	packages, err := golist.List(ctx, golist.Query{Dir: s.root, Patterns: []string{"./..."}})
	if err != nil {
		return tally{}, err
	}
	return s.goTest(ctx, nil, append(flags, nativePaths(packages)...)...)
}

func nativePaths(packages []golist.Package) []string {
	var paths []string
	for _, p := range packages {
		rel := strings.TrimPrefix(p.ImportPath, repo.Module+"/")
		if p.HasTests() && rel != "e2e" && !strings.HasPrefix(rel, "e2e/") && rel != "tools/layout" {
			paths = append(paths, p.ImportPath)
		}
	}
	return paths
}

// matrixPackage is a step of its own, since it needs builds that the other end-to-end tests do without.
const matrixPackage = "./e2e/matrix"

// endToEnd runs one package at a time, each with a browser of its own, so that they do not slow each other down.
func endToEnd(ctx context.Context, s *suite) (tally, error) {
	packages, err := golist.List(ctx, golist.Query{Dir: s.root, Patterns: []string{"./e2e/..."}})
	if err != nil {
		return tally{}, err
	}
	packages = slices.DeleteFunc(packages, func(p golist.Package) bool {
		return strings.HasSuffix(p.ImportPath, strings.TrimPrefix(matrixPackage, "."))
	})
	return s.goTest(ctx, nil, append([]string{"-count=1", "-p=1", "-timeout=30m"}, ownPaths(packages)...)...)
}

// matrix starts a browser after the other; the test prints its table.
func matrix(ctx context.Context, s *suite) (tally, error) {
	return s.goTest(ctx, nil, "-count=1", "-timeout=20m", matrixPackage)
}

// browserUnit runs unit tests inside a browser with the runner that tools/wasmbrowser pins, on the trimmed modules that
// the wasm is built with. The short way, since a property that holds natively for thousands of values needs only a few
// more there.
func browserUnit(ctx context.Context, s *suite) (tally, error) {
	runner, err := s.tool(ctx, "wasmbrowser", "github.com/agnivade/wasmbrowsertest")
	if err != nil {
		return tally{}, err
	}
	packages, err := golist.List(ctx, golist.Query{Dir: s.root, WASM: true, Flags: []string{"-e"}, Patterns: dotted(inBrowser())})
	if err != nil {
		return tally{}, err
	}
	packages = slices.DeleteFunc(packages, func(p golist.Package) bool { return !p.HasTests() })
	if len(packages) == 0 {
		return tally{}, fmt.Errorf("none of %s has tests", strings.Join(inBrowser(), ", "))
	}
	modFile := "-modfile=" + repo.TrimmedModFile
	if _, err := os.Stat(filepath.Join(s.root, filepath.FromSlash(repo.TrimmedModFile))); err != nil {
		return tally{}, fmt.Errorf("finding the modules that the wasm is built with (run `go run ./tools/build -quick` first): %w", err)
	}
	// One package at a time: each starts a browser.
	args := append([]string{modFile, "-count=1", "-short", "-p=1", "-timeout=10m", "-exec=" + runner}, ownPaths(packages)...)
	return s.goTest(ctx, golist.Env(true), args...)
}

func dotted(paths []string) []string {
	var patterns []string
	for _, path := range paths {
		patterns = append(patterns, "./"+path)
	}
	return patterns
}

// goTest runs `go test` and counts its tests. A run without a single test is a failure: it would hide a suite that
// went missing.
func (s *suite) goTest(ctx context.Context, env []string, args ...string) (tally, error) {
	r := newReader(s.out)
	events, writer := io.Pipe()
	done := make(chan error, 1)
	go func() { done <- r.read(events) }()
	err := s.commandTo(ctx, writer, env, "go", append([]string{"test", "-json"}, args...)...)
	writer.Close() // never fails
	if readErr := <-done; readErr != nil {
		return r.tally, errors.Join(err, readErr)
	}
	if err == nil && r.tally.passed == 0 {
		err = errors.New("not a single test passed or failed")
	}
	return r.tally, err
}
