package schema

import (
	"fmt"
	"strings"
)

const (
	// maxRepeat is RE2's limit for a counted repeat, and for the product of those inside each other.
	maxRepeat = 1000
	// maxWritten bounds the RE2 text, in bytes.
	maxWritten = 1 << 17
	// maxUnmerged bounds the program before RE2 merges alternatives, which is what compiling takes in memory.
	maxUnmerged = 10 * maxProgram
)

// writePattern writes e as RE2. The result needs no flags.
func writePattern(e *expr) (string, error) {
	if e.size.least > maxProgram || e.size.most > maxUnmerged {
		return "", tooLarge()
	}
	text, _ := e.write()
	if len(text) > maxWritten {
		return "", unsupported("it is too long once its classes are written out; use fewer \\p{…}")
	}
	return text, nil
}

// write returns the RE2 text and the largest product of counted repeats inside each other.
func (e *expr) write() (text string, nested int) {
	switch e.op {
	case matchNever:
		return `[^\x{0}-\x{10FFFF}]`, 1
	case sequence:
		return e.join("")
	case alternation:
		text, nested = e.join("|")
		return "(?:" + text + ")", nested
	case repetition:
		return e.writeRepeat()
	}
	return e.text, 1
}

func (e *expr) join(separator string) (text string, nested int) {
	var joined strings.Builder
	nested = 1
	for i, sub := range e.subs {
		if i > 0 {
			joined.WriteString(separator)
		}
		if joined.Len() > maxWritten {
			break // it will be refused
		}
		text, inner := sub.write()
		joined.WriteString(text)
		nested = max(nested, inner)
	}
	return joined.String(), nested
}

// writeRepeat splits what RE2 does not count that far: x{2500} is x{1000}x{1000}x{500}, and x{0,2500} is
// x{0,1000}x{0,1000}x{0,500}.
func (e *expr) writeRepeat() (text string, nested int) {
	if e.max == 0 {
		return "(?:)", 1
	}
	sub := e.subs[0]
	unit, nested := sub.write()
	unit = "(?:" + unit + ")"
	switch {
	case !sub.consumes && e.min > 0:
		return unit, nested
	case !sub.consumes:
		return unit + "?", nested
	}
	w := repeatWriter{unit: unit, chunk: maxRepeat / nested, largest: 1}
	w.repeat(e.min, e.max)
	return "(?:" + w.text.String() + ")", nested * w.largest
}

// repeatWriter writes unit with counts none of which is above chunk.
type repeatWriter struct {
	unit    string
	chunk   int
	text    strings.Builder
	largest int // count so far
}

func (w *repeatWriter) repeat(least, most int) {
	switch {
	case most == unbounded:
		last := min(least, w.chunk)
		w.chunks("{%d}", least-last)
		w.count("{%d,}", last)
	case most <= w.chunk:
		fmt.Fprintf(&w.text, "%s{%d,%d}", w.unit, least, most)
		w.largest = most
	default:
		w.chunks("{%d}", least)
		w.chunks("{0,%d}", most-least)
	}
}

func (w *repeatWriter) chunks(format string, total int) {
	for total > 0 {
		count := min(total, w.chunk)
		w.count(format, count)
		total -= count
	}
}

func (w *repeatWriter) count(format string, count int) {
	w.text.WriteString(w.unit)
	fmt.Fprintf(&w.text, format, count)
	w.largest = max(w.largest, count)
}
