package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"
	"unicode/utf8"
)

// maxShown is how many characters of a result a line shows.
const maxShown = 240

// transcript prints a run for a reader and keeps it for the journal. Errors of the writer are not reported: there is
// nobody left to read them.
type transcript struct {
	w       io.Writer
	journal journal
}

func (t *transcript) step(name string) {
	t.journal.step(name)
	fmt.Fprintf(t.w, "\n%2d  %s\n", len(t.journal.Steps), name)
}

func (t *transcript) call(tool, input string) { t.say("call", "%s %s", tool, input) }

func (t *transcript) gave(result string, took time.Duration) {
	t.say("gave", "%s  (%s)", shortened(result), rounded(took))
}

// say prints something that was seen or done.
func (t *transcript) say(verb, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	t.journal.say(verb, text)
	t.print(verb, text)
}

func (t *transcript) print(verb, text string) { fmt.Fprintf(t.w, "    %-4s  %s\n", verb, text) }

// saved prints where a picture is. The journal lies beside its pictures.
func (t *transcript) saved(path string) {
	t.journal.say(pictureVerb, filepath.Base(path))
	t.print(pictureVerb, path)
}

func (t *transcript) done(took time.Duration) {
	t.journal.last().Took = rounded(took)
	t.print("ok", rounded(took).String())
}

func (t *transcript) failed(err error) {
	t.journal.last().Failed = err.Error()
	t.journal.End = fmt.Sprintf("Step %d is not as it should be.", len(t.journal.Steps))
	t.print("FAIL", err.Error())
}

func (t *transcript) end(took time.Duration) {
	t.journal.End = fmt.Sprintf("All %d steps are as they should be, in %s.", len(t.journal.Steps), rounded(took))
	fmt.Fprintf(t.w, "\n%s\n", t.journal.End)
}

// keep writes the journal beside its pictures in dir.
func (t *transcript) keep(dir string) error {
	path, err := t.journal.write(dir)
	if err == nil {
		fmt.Fprintf(t.w, "With its pictures: %s\n", path)
	}
	return err
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
