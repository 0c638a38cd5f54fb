package main

import (
	"context"
	"errors"
	"fmt"
	"io"
)

// suite is what a step works with.
type suite struct {
	root string
	out  io.Writer
}

// tally counts what a step looked at: its tests, or itself if it is one check.
type tally struct {
	passed, failed, skipped int
}

func (t *tally) add(other tally) {
	t.passed += other.passed
	t.failed += other.failed
	t.skipped += other.skipped
}

// step is one group of checks. Its function prints what a reader needs; an error means that it failed.
type step struct {
	name string
	what string
	run  func(context.Context, *suite) (tally, error)
}

// steps lists every step, in the order that a mode runs them: quick answers first.
func steps() []step {
	return []step{
		{"format", "every Go file is as gofmt leaves it", check(checkFormat)},
		{"vet", "go vet, for this machine and for a page", check(vet)},
		{"staticcheck", "staticcheck, for this machine and for a page", check(staticcheck)},
		{"types", "TypeScript checks the page script and a program that uses the declared API", check(checkTypes)},
		{"layout", "who imports whom, lengths, package comments, what the wasm contains", layout},
		{"contract", "the demo's contract says what its sources say", check(demoContract)},
		{"native-short", "Go tests on this machine, the short way", nativeShort},
		{"native", "Go tests on this machine, with the race detector", native},
		{"browser-unit", "Go unit tests inside Chromium", browserUnit},
		{"node", "the page script against the real wasm, in Node", nodeTests},
		{"e2e", "end-to-end tests in Chromium", endToEnd},
		{"matrix", "one suite in every revision of WebMCP that there is", matrix},
		{"fuzz", "every fuzz target for half a minute", fuzz},
	}
}

// mode is a selection of steps by one name.
type mode struct {
	name  string
	what  string
	steps []string
}

func modes() []mode {
	return []mode{
		{"test", "everything that CI runs", []string{
			"format", "vet", "staticcheck", "types", "layout", "contract", "native", "browser-unit", "node", "e2e", "matrix", "fuzz",
		}},
		{"check", "what is quick", []string{"format", "vet", "layout", "contract", "native-short"}},
		{"lint", "what needs no running", []string{"format", "vet", "staticcheck", "types", "layout", "contract"}},
	}
}

// pick turns names of modes and steps into the steps to run, each once.
func pick(names []string) ([]step, error) {
	wanted := map[string]bool{}
	for _, name := range names {
		found := stepNamed(name).run != nil
		wanted[name] = found
		for _, m := range modes() {
			if m.name != name {
				continue
			}
			found = true
			for _, s := range m.steps {
				wanted[s] = true
			}
		}
		if !found {
			return nil, fmt.Errorf("no mode or step is called %q; see -list", name)
		}
	}
	var picked []step
	for _, s := range steps() {
		if wanted[s.name] {
			picked = append(picked, s)
		}
	}
	if len(picked) == 0 {
		return nil, errors.New("name a mode or a step; see -list")
	}
	return picked, nil
}

// stepNamed returns the zero step if there is none of that name.
func stepNamed(name string) step {
	for _, s := range steps() {
		if s.name == name {
			return s
		}
	}
	return step{}
}

// check makes a step's function of one check that passes or fails as a whole.
func check(run func(context.Context, *suite) error) func(context.Context, *suite) (tally, error) {
	return func(ctx context.Context, s *suite) (tally, error) {
		if err := run(ctx, s); err != nil {
			return tally{failed: 1}, err
		}
		return tally{passed: 1}, nil
	}
}
