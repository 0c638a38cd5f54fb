package main

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// written plays nothing, and gives what the transcript printed and the page that it wrote.
func written(t *testing.T, say func(*transcript)) (printed, page string) {
	t.Helper()
	var out bytes.Buffer
	script := &transcript{w: &out}
	say(script)
	dir := t.TempDir()
	if err := script.keep(dir); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(dir, "index.html"))
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), string(content)
}

func TestJournalHasEachStepWithItsPictures(t *testing.T) {
	printed, page := written(t, func(script *transcript) {
		script.journal.Start = time.Date(2026, 11, 30, 9, 5, 0, 0, time.UTC)
		script.step("ask for the rows")
		script.call("readRows", `{"a":"<b>"}`)
		script.gave("rows", 12*time.Millisecond)
		script.saved(filepath.Join("somewhere", "01-rows.png"))
		script.done(1500 * time.Millisecond)
		script.step("go on")
		script.end(3 * time.Second)
	})
	at := 0
	for _, want := range []string{
		"2026-11-30 09:05. All 2 steps are as they should be, in 3s.",
		">1</span><span>ask for the rows</span><span class=\"took\">1.5s</span>",
		`<dt>call</dt><dd class="call">readRows {&#34;a&#34;:&#34;&lt;b&gt;&#34;}</dd>`,
		`<dd class="gave">rows  (12ms)</dd>`,
		`<img src="01-rows.png" alt="ask for the rows"`,
		">2</span><span>go on</span></h2>",
	} {
		next := strings.Index(page[at:], want)
		if next < 0 {
			t.Fatalf("after byte %d the page lacks %q:\n%s", at, want, page)
		}
		at += next
	}
	for _, want := range []string{"save  " + filepath.Join("somewhere", "01-rows.png"), "With its pictures: "} {
		if !strings.Contains(printed, want) {
			t.Errorf("the transcript lacks %q:\n%s", want, printed)
		}
	}
}

func TestJournalSaysWhatWentWrong(t *testing.T) {
	_, page := written(t, func(script *transcript) {
		script.say("see", "nothing yet, and no step either")
		script.step("ask")
		script.failed(errors.New("no <answer>"))
	})
	for _, want := range []string{"Step 1 is not as it should be.", "Not as it should be: no &lt;answer&gt;"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
}

func TestJournalThatCannotBeWrittenIsAnError(t *testing.T) {
	script := &transcript{w: &bytes.Buffer{}}
	if err := script.keep(filepath.Join(t.TempDir(), "nothing")); err == nil || !strings.Contains(err.Error(), "writing the journal") {
		t.Errorf("keep = %v; want an error that says what it was doing", err)
	}
}
