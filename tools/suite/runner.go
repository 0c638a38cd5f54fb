package main

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"
)

// shared lets the programs of a step and the step itself print to one place.
type shared struct {
	mu sync.Mutex
	to io.Writer
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.to.Write(p)
}

// outcome is how a step ended.
type outcome struct {
	step  step
	tally tally
	err   error
	took  time.Duration
}

// runSteps runs each step, prints a summary and reports whether all passed. An interrupt ends it at once; what was not
// run then counts as failed.
func runSteps(ctx context.Context, s *suite, steps []step) bool {
	var outcomes []outcome
	for _, st := range steps {
		fmt.Fprintf(s.out, "\n=== %s: %s\n", st.name, st.what)
		o := runStep(ctx, s, st)
		outcomes = append(outcomes, o)
		fmt.Fprintf(s.out, "--- %s %s, %s\n", st.name, o.verdict(), seconds(o.took))
	}
	return summary(s, outcomes)
}

func runStep(ctx context.Context, s *suite, st step) outcome {
	start := time.Now()
	o := outcome{step: st}
	if o.err = context.Cause(ctx); o.err == nil {
		o.tally, o.err = st.run(ctx, s)
	}
	if o.err != nil {
		fmt.Fprintln(s.out, o.err)
		o.tally.failed = max(o.tally.failed, 1) // a step that failed before its first test is a failure too
	}
	o.took = time.Since(start)
	return o
}

func (o outcome) failed() bool { return o.err != nil || o.tally.failed > 0 }

func (o outcome) verdict() string {
	if o.failed() {
		return "FAILED"
	}
	return "passed"
}

// summary prints a line a step, and the total alone on the last line, where programs look for it.
func summary(s *suite, outcomes []outcome) bool {
	var total tally
	ok := true
	fmt.Fprintln(s.out, "\n=== summary")
	for _, o := range outcomes {
		total.add(o.tally)
		ok = ok && !o.failed()
		fmt.Fprintf(s.out, "%-14s %s %9s  %s\n", o.step.name, o.verdict(), seconds(o.took), o.tally)
	}
	fmt.Fprintln(s.out)
	fmt.Fprintln(s.out, total)
	return ok
}

func (t tally) String() string {
	text := fmt.Sprintf("%d passed, %d failed", t.passed, t.failed)
	if t.skipped > 0 {
		text += fmt.Sprintf(", %d skipped", t.skipped)
	}
	return text
}

func seconds(d time.Duration) string {
	return fmt.Sprintf("%.1f s", d.Seconds())
}
