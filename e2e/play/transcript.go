package main

import (
	"fmt"
	"io"
	"strings"
	"time"
	"unicode/utf8"
)

// maxShown is how many characters of a result a line shows.
const maxShown = 240

// transcript prints a run for a reader. Errors of the writer are not reported: there is nobody left to read them.
type transcript struct {
	w     io.Writer
	steps int
}

func (t *transcript) step(name string) {
	t.steps++
	fmt.Fprintf(t.w, "\n%2d  %s\n", t.steps, name)
}

func (t *transcript) call(tool, input string) {
	fmt.Fprintf(t.w, "    call  %s %s\n", tool, input)
}

func (t *transcript) gave(result string, took time.Duration) {
	fmt.Fprintf(t.w, "    gave  %s  (%s)\n", shortened(result), rounded(took))
}

// say prints something that was seen or done besides calls.
func (t *transcript) say(verb, format string, args ...any) {
	fmt.Fprintf(t.w, "    %-4s  %s\n", verb, fmt.Sprintf(format, args...))
}

func (t *transcript) done(took time.Duration) { fmt.Fprintf(t.w, "    ok    %s\n", rounded(took)) }

func (t *transcript) failed(err error) { fmt.Fprintf(t.w, "    FAIL  %v\n", err) }

func (t *transcript) end(took time.Duration) {
	fmt.Fprintf(t.w, "\nAll %d steps are as they should be, in %s.\n", t.steps, rounded(took))
}

// shortened cuts a long result in the middle of nothing: whole characters, with its length.
func shortened(text string) string {
	text = strings.ReplaceAll(text, "\n", " ")
	if utf8.RuneCountInString(text) <= maxShown {
		return text
	}
	return fmt.Sprintf("%s… %d bytes", string([]rune(text)[:maxShown]), len(text))
}

func rounded(d time.Duration) time.Duration {
	if d < time.Second {
		return d.Round(time.Millisecond)
	}
	return d.Round(10 * time.Millisecond)
}
