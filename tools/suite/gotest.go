package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
)

// event is one line of `go test -json`; see `go doc test2json`.
type event struct {
	Action     string
	Package    string
	ImportPath string // of build events
	Test       string
	Output     string
}

// reader turns the events of `go test -json` into what a person wants to see: a line a package, and the output of
// tests that failed or were skipped.
type reader struct {
	out    io.Writer
	tally  tally
	output map[string][]string // lines of tests that are still running
	failed map[string]bool     // packages with a failed test
}

func newReader(out io.Writer) *reader {
	return &reader{out: out, output: map[string][]string{}, failed: map[string]bool{}}
}

// read takes events until the end. A line that is no event is passed on: the go command prints some.
func (r *reader) read(events io.Reader) error {
	lines := bufio.NewReader(events)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			r.line(line)
		}
		if err == io.EOF {
			r.unfinished()
			return nil
		}
		if err != nil {
			return fmt.Errorf("reading the events of go test: %w", err)
		}
	}
}

func (r *reader) line(line []byte) {
	var e event
	if json.Unmarshal(line, &e) != nil {
		r.print(string(line))
		return
	}
	switch {
	case e.Action == "build-output":
		r.print(e.Output)
	case e.Test == "":
		r.packageEvent(e)
	default:
		r.testEvent(e)
	}
}

// packageEvent shows what belongs to a package as a whole: its verdict, and what it printed outside tests.
func (r *reader) packageEvent(e event) {
	switch e.Action {
	case "output":
		if e.Output != "PASS\n" && e.Output != "FAIL\n" && !noise(e.Output) {
			r.print(e.Output)
		}
	case "fail":
		// A package can fail with no failed test: it does not compile, or it exits by itself.
		if !r.failed[e.Package] {
			r.tally.failed++
		}
	}
}

// noise is a line that the in-browser runner's older protocol description provokes from newer browsers.
func noise(line string) bool {
	return strings.Contains(line, "could not unmarshal event: unknown IPAddressSpace value")
}

func (r *reader) testEvent(e event) {
	key := e.Package + " " + e.Test
	switch e.Action {
	case "output":
		if !noise(e.Output) {
			r.output[key] = append(r.output[key], e.Output)
		}
		return
	case "pass":
		r.tally.passed++
	case "fail":
		r.tally.failed++
		r.failed[e.Package] = true
		r.print(strings.Join(r.output[key], ""))
	case "skip":
		r.tally.skipped++
		r.print(strings.Join(r.output[key], ""))
	default:
		return
	}
	delete(r.output, key)
}

// unfinished shows what tests printed that never ended, as when a package crashes or runs out of time.
func (r *reader) unfinished() {
	for _, key := range slices.Sorted(maps.Keys(r.output)) {
		r.print(strings.Join(r.output[key], ""))
	}
}

func (r *reader) print(text string) {
	fmt.Fprint(r.out, text)
}
