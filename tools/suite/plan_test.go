package main

import (
	"bytes"
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
)

func namesOf(steps []step) []string {
	var names []string
	for _, s := range steps {
		names = append(names, s.name)
	}
	return names
}

func TestPick(t *testing.T) {
	tests := []struct {
		args []string
		want []string
	}{
		{[]string{"lint"}, []string{"format", "vet", "staticcheck", "types", "layout", "contract"}},
		{[]string{"check"}, []string{"format", "vet", "layout", "contract", "native-short"}},
		{[]string{"node", "vet", "node"}, []string{"vet", "node"}},
		{[]string{"lint", "vet", "e2e"}, []string{"format", "vet", "staticcheck", "types", "layout", "contract", "e2e"}},
	}
	for _, test := range tests {
		got, err := pick(test.args)
		if err != nil || !slices.Equal(namesOf(got), test.want) {
			t.Errorf("pick(%q) = %q, %v; want %q", test.args, namesOf(got), err, test.want)
		}
	}
	for _, args := range [][]string{nil, {"nonsense"}, {"vet", "nonsense"}} {
		if got, err := pick(args); err == nil {
			t.Errorf("pick(%q) = %q; want an error", args, namesOf(got))
		}
	}
}

func TestModesNameKnownSteps(t *testing.T) {
	for _, m := range modes() {
		for _, name := range m.steps {
			if stepNamed(name).run == nil {
				t.Errorf("the mode %s has the step %s, which there is not", m.name, name)
			}
		}
	}
}

func TestEverythingRunsInCI(t *testing.T) {
	got, err := pick([]string{"test"})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range steps() {
		if s.name != "native-short" && !slices.Contains(namesOf(got), s.name) {
			t.Errorf("the mode test leaves out %s", s.name)
		}
	}
}

func TestListShowsModesAndSteps(t *testing.T) {
	var out bytes.Buffer
	if code := run(t.Context(), []string{"-list"}, &out, &out); code != 0 || !strings.Contains(out.String(), "  e2e            end-to-end") {
		t.Errorf("exit %d:\n%s", code, &out)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{{"-nonsense"}, {"nonsense"}, {}} {
		var out bytes.Buffer
		if code := run(t.Context(), args, &out, &out); code != 2 || out.Len() == 0 {
			t.Errorf("%q: exit %d, says %q; want 2 and why", args, code, &out)
		}
	}
}

// made is a step that ends in a given way.
func made(name string, counts tally, err error) step {
	return step{name, "is made up", func(context.Context, *suite) (tally, error) { return counts, err }}
}

// play runs steps and returns whether they passed and the lines of what was printed.
func play(ctx context.Context, steps ...step) (bool, []string) {
	var out bytes.Buffer
	ok := runSteps(ctx, &suite{out: &out}, steps)
	return ok, strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
}

func TestRunClosesWithTheTotal(t *testing.T) {
	boom := errors.New("boom")
	tests := []struct {
		name  string
		steps []step
		ok    bool
		last  string
	}{
		{"all pass", []step{made("a", tally{passed: 3}, nil), made("b", tally{passed: 1, skipped: 2}, nil)}, true, "4 passed, 0 failed, 2 skipped"},
		{"a test fails", []step{made("a", tally{passed: 3, failed: 2}, boom), made("b", tally{passed: 1}, nil)}, false, "4 passed, 2 failed"},
		{"a step fails without a test", []step{made("a", tally{}, boom)}, false, "0 passed, 1 failed"},
		{"a failed test without an error", []step{made("a", tally{failed: 1}, nil)}, false, "0 passed, 1 failed"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			ok, lines := play(t.Context(), test.steps...)
			if last := lines[len(lines)-1]; ok != test.ok || last != test.last {
				t.Errorf("passed: %v, last line %q; want %v, %q", ok, last, test.ok, test.last)
			}
		})
	}
}

func TestStepsGoOnAfterAFailureButNotAfterAnInterrupt(t *testing.T) {
	boom := errors.New("boom")
	_, lines := play(t.Context(), made("a", tally{}, boom), made("b", tally{passed: 1}, nil))
	if text := strings.Join(lines, "\n"); !strings.Contains(text, "boom\n--- a FAILED") || !strings.Contains(text, "--- b passed") {
		t.Errorf("the second step did not run, or the reason is lost:\n%s", text)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(errors.New("interrupted"))
	ok, lines := play(ctx, made("a", tally{passed: 1}, nil))
	if last := lines[len(lines)-1]; ok || last != "0 passed, 1 failed" {
		t.Errorf("after an interrupt: passed %v, %q", ok, last)
	}
}
