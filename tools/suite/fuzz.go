package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/tools/internal/golist"
)

// fuzzTime is how long each target runs.
const fuzzTime = "30s"

// fuzzTarget is one fuzz function.
type fuzzTarget struct{ path, name string }

// fuzz runs every fuzz target of the module for half a minute, one after the other: each uses all cores.
func fuzz(ctx context.Context, s *suite) (tally, error) {
	targets, err := fuzzTargets(ctx, s.root)
	if err != nil {
		return tally{}, err
	}
	if len(targets) == 0 {
		return tally{}, errors.New("the module has no fuzz targets, and it had some")
	}
	var total tally
	var failures []error
	for _, target := range targets {
		fmt.Fprintf(s.out, "%s %s for %s\n", target.path, target.name, fuzzTime)
		if err := s.fuzzOne(ctx, target); err != nil {
			failures = append(failures, err)
			total.failed++
			continue
		}
		total.passed++
	}
	return total, errors.Join(failures...)
}

// fuzzOne runs one target. The go command now and then reports its own deadline at the end of a run as a failure,
// without an input that failed; such a run is made once more.
func (s *suite) fuzzOne(ctx context.Context, target fuzzTarget) error {
	for last := false; ; last = true {
		var output bytes.Buffer
		err := s.commandTo(ctx, io.MultiWriter(s.out, &output), nil, "go", "test", "-run=^$", "-fuzz=^"+target.name+"$", "-fuzztime="+fuzzTime, "-fuzzminimizetime=1x", target.path)
		switch {
		case err == nil:
			return nil
		case bytes.Contains(output.Bytes(), []byte("Failing input written")):
			return fmt.Errorf("%s: %w: the input is in testdata/fuzz beside the test; commit it with the fix", target.name, err)
		case last || ctx.Err() != nil || !bytes.Contains(output.Bytes(), []byte("context deadline exceeded")):
			return fmt.Errorf("%s: %w", target.name, err)
		}
	}
}

func fuzzTargets(ctx context.Context, root string) ([]fuzzTarget, error) {
	packages, err := golist.List(ctx, golist.Query{Dir: root, Patterns: []string{"./..."}})
	if err != nil {
		return nil, err
	}
	var targets []fuzzTarget
	for _, p := range packages {
		files, err := filepath.Glob(filepath.Join(p.Dir, "*_test.go"))
		if err != nil {
			return nil, fmt.Errorf("listing the tests of %s: %w", p.ImportPath, err)
		}
		for _, file := range files {
			names, err := fuzzFunctions(file)
			if err != nil {
				return nil, err
			}
			for _, name := range names {
				targets = append(targets, fuzzTarget{p.ImportPath, name})
			}
		}
	}
	return targets, nil
}

func fuzzFunctions(file string) ([]string, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		return nil, fmt.Errorf("reading tests: %w", err)
	}
	var names []string
	for _, declaration := range parsed.Decls {
		if f, ok := declaration.(*ast.FuncDecl); ok && f.Recv == nil && strings.HasPrefix(f.Name.Name, "Fuzz") {
			names = append(names, f.Name.Name)
		}
	}
	slices.Sort(names)
	return names, nil
}
