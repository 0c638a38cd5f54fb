package main

import (
	_ "embed" // for journal.html
	"fmt"
	"html/template"
	"os"
	"path/filepath"
	"time"
)

//go:embed journal.html
var journalText string

// journal is a run for a reader with a browser: each step with its calls, and the pictures where they were taken.
type journal struct {
	Start time.Time
	Steps []chapter
	End   string // how the run ended
}

// chapter is one step.
type chapter struct {
	Name   string
	Lines  []line
	Took   time.Duration
	Failed string // why; empty if it is as it should be
}

// line is something that was done or seen. Of a picture, Text is the name of its file.
type line struct {
	Verb, Text string
}

// pictureVerb is the verb of a picture.
const pictureVerb = "save"

// Picture tells whether the line is a picture.
func (l line) Picture() bool { return l.Verb == pictureVerb }

// Number is how a reader counts the step at i.
func (j *journal) Number(i int) int { return i + 1 }

func (j *journal) step(name string) { j.Steps = append(j.Steps, chapter{Name: name}) }

// last is the step that is being played. What is said before the first one belongs to none and is left out.
func (j *journal) last() *chapter {
	if len(j.Steps) == 0 {
		return &chapter{}
	}
	return &j.Steps[len(j.Steps)-1]
}

func (j *journal) say(verb, text string) {
	c := j.last()
	c.Lines = append(c.Lines, line{verb, text})
}

// write saves the journal beside its pictures and returns its path.
func (j *journal) write(dir string) (string, error) {
	page, err := template.New("journal").Parse(journalText)
	if err != nil {
		return "", fmt.Errorf("reading the form of the journal: %w", err)
	}
	path := filepath.Join(dir, "index.html")
	file, err := os.Create(path)
	if err != nil {
		return "", fmt.Errorf("writing the journal: %w", err)
	}
	defer file.Close()
	if err := page.Execute(file, j); err != nil {
		return "", fmt.Errorf("writing the journal: %w", err)
	}
	return path, file.Close()
}
