package canonical

import (
	"slices"
	"unicode/utf8"

	"github.com/pagewarden/pagewarden/capability"
)

// encoder checks a text and gives its canonical form in one pass, with a stack of its own so that depth
// costs no call frames. What is canonical already is not copied until something before or after it is not,
// so the form of a canonical text is that text. An object whose names turn out not to be in order is
// rearranged when it closes, by moving the spans of its members.
//
// Methods that return ok give false where the text is refused. They set issue when only this package
// refuses it; otherwise capability's check has the words.
type encoder struct {
	text   string
	at     int
	limits capability.ValueLimits

	from int    // text[from:at] is canonical and not in out yet
	out  []byte // the form up to there

	frames  []frame
	members []member // of all open objects, the innermost last
	scratch []byte   // an object before it is rearranged, or the digits of a number
	decimal []byte
	escaped bool // an escape has been read since this was last cleared
	issue   *capability.Issue
}

// frame is one open array or object.
type frame struct {
	object   bool
	unsorted bool // a name came before a smaller one
	start    int  // position of the opening byte in the form
	index    int  // of the element being read, in an array
	first    int  // index in members of an object's first
}

// member is one member's span in the form, without the comma before it.
type member struct {
	name       string
	start, end int
}

func (e *encoder) run() (ok bool) {
	if len(e.text) > e.limits.MaxBytes {
		return false
	}
	for {
		next := e.value()
		if next == scalar {
			next = e.afterValue()
		}
		if next != nextValue {
			return next == complete
		}
	}
}

// step is what run has come to.
type step int

const (
	refused   step = iota
	scalar         // a value has been read
	nextValue      // a value is to be read
	complete       // the text has ended where it should
)

func stepIf(ok bool, to step) step {
	if ok {
		return to
	}
	return refused
}

// form is the canonical form after run.
func (e *encoder) form() capability.JSON {
	if len(e.out) == 0 {
		return capability.JSON(e.text[e.from:e.at])
	}
	e.flush(e.at)
	return capability.JSON(e.out)
}

// value reads a scalar, or opens an array or object and stops before its first value. An empty array or
// object counts as a scalar.
func (e *encoder) value() step {
	c := e.peek()
	if c <= ' ' {
		c = e.passSpace()
	}
	switch c {
	case '"':
		return stepIf(e.str(), scalar)
	case '{', '[':
		return e.open(c == '{')
	case 't':
		return stepIf(e.word("true"), scalar)
	case 'f':
		return stepIf(e.word("false"), scalar)
	case 'n':
		return stepIf(e.word("null"), scalar)
	}
	return stepIf(e.number(), scalar)
}

func (e *encoder) word(word string) (ok bool) {
	end := e.at + len(word)
	if end > len(e.text) || e.text[e.at:end] != word {
		return false
	}
	e.at = end
	return true
}

func (e *encoder) open(object bool) step {
	if len(e.frames) >= min(e.limits.MaxDepth, capability.DepthCeiling) {
		return refused
	}
	start := e.position()
	e.at++
	if c := e.passSpace(); object && c == '}' || !object && c == ']' {
		e.at++
		return scalar
	}
	e.frames = append(e.frames, frame{object: object, start: start, first: len(e.members)})
	return stepIf(!object || e.name(), nextValue)
}

// afterValue closes what ends here and moves to the next value.
func (e *encoder) afterValue() step {
	for {
		end := e.position()
		c := e.peek()
		if c <= ' ' {
			c = e.passSpace()
		}
		if len(e.frames) == 0 {
			return stepIf(e.at == len(e.text), complete)
		}
		top := &e.frames[len(e.frames)-1]
		if top.object {
			e.members[len(e.members)-1].end = end
		}
		switch {
		case c == ',':
			e.at++
			top.index++
			return stepIf(!top.object || e.name(), nextValue)
		case c == '}' && top.object:
			if !e.closeObject(top) {
				return refused
			}
		case c != ']' || top.object:
			return refused
		}
		e.at++
		e.frames = e.frames[:len(e.frames)-1]
	}
}

// closeObject puts the members of the innermost object, which ends here, in order.
func (e *encoder) closeObject(top *frame) (ok bool) {
	members := e.members[top.first:]
	if top.unsorted {
		slices.SortFunc(members, func(a, b member) int { return compareNames(a.name, b.name) })
		if e.issue = e.twice(members); e.issue != nil {
			return false
		}
		e.rearrange(top.start, members)
	}
	e.members = e.members[:top.first]
	return true
}

// twice finds a name that sorted members share.
func (e *encoder) twice(members []member) *capability.Issue {
	for i := 1; i < len(members); i++ {
		if name := members[i].name; name == members[i-1].name {
			path := capability.PathName(e.path(len(e.frames)-1), name)
			return &capability.Issue{Path: path, Message: "must not be given twice in one object"}
		}
	}
	return nil
}

// rearrange writes the object that starts at start anew, in the order of members.
func (e *encoder) rearrange(start int, members []member) {
	e.flush(e.at)
	e.scratch = append(e.scratch[:0], e.out[start:]...)
	e.out = e.out[:start+1]
	for i, m := range members {
		if i > 0 {
			e.out = append(e.out, ',')
		}
		e.out = append(e.out, e.scratch[m.start-start:m.end-start]...)
	}
}

// name reads a member's name and colon.
func (e *encoder) name() (ok bool) {
	if e.peek() != '"' && e.passSpace() != '"' {
		return false
	}
	start, position := e.at, e.position()
	e.escaped = false
	if !e.str() {
		return false
	}
	name := e.text[start+1 : e.at-1]
	if e.escaped {
		name, _ = capability.JSON(e.text[start:e.at]).Text()
	}
	top := &e.frames[len(e.frames)-1]
	if last := len(e.members) - 1; last >= top.first && compareNames(e.members[last].name, name) >= 0 {
		top.unsorted = true
	}
	e.members = append(e.members, member{name: name, start: position})
	if e.peek() != ':' && e.passSpace() != ':' {
		return false
	}
	e.at++
	return true
}

// path is where the value of frame depth stands, as capability writes paths.
func (e *encoder) path(depth int) string {
	path := ""
	for i, f := range e.frames[:depth] {
		last := len(e.members) - 1
		if i+1 < len(e.frames) {
			last = e.frames[i+1].first - 1
		}
		if f.object {
			path = capability.PathName(path, e.members[last].name)
		} else {
			path = capability.PathIndex(path, f.index)
		}
	}
	return path
}

// position is where in the form the byte at e.at goes.
func (e *encoder) position() int { return len(e.out) + e.at - e.from }

// flush copies the canonical text before end, which the caller then passes by setting from.
func (e *encoder) flush(end int) {
	if e.out == nil && end > e.from {
		e.out = make([]byte, 0, len(e.text))
	}
	e.out = append(e.out, e.text[e.from:end]...)
	e.from = end
}

// replace puts form in the place of the next size bytes from start on.
func (e *encoder) replace(start, size int, form []byte) {
	e.flush(start)
	e.out = append(e.out, form...)
	e.from = start + size
}

func (e *encoder) peek() byte {
	if e.at < len(e.text) {
		return e.text[e.at]
	}
	return 0
}

// passSpace passes white space and gives the byte behind it, 0 at the end. Most texts have none, so callers look
// at the next byte first.
func (e *encoder) passSpace() byte {
	if e.at < len(e.text) && isSpace(e.text[e.at]) {
		e.flush(e.at)
		for e.at < len(e.text) && isSpace(e.text[e.at]) {
			e.at++
		}
		e.from = e.at
	}
	return e.peek()
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

// str reads a string literal.
func (e *encoder) str() (ok bool) {
	rest := e.text[e.at+1:]
	var seen byte
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case c > '\\': // most letters, and all that is not ASCII
			seen |= c
		case c > '"' && c < '\\':
		case c == '"':
			e.at += i + 2
			return seen < utf8.RuneSelf || utf8.ValidString(rest[:i])
		case c == '\\':
			size := e.escape(e.at + 1 + i)
			if size == 0 {
				return false
			}
			i += size - 1
		case c < ' ':
			return false
		}
	}
	return false
}

// compareNames orders names by their UTF-16 code units. That is the order of their UTF-8 bytes, except that
// the characters from U+E000 to U+FFFF come after those beyond, which UTF-16 writes with surrogates.
func compareNames(a, b string) int {
	shorter := min(len(a), len(b))
	for i := 0; i < shorter; i++ {
		if a[i] != b[i] {
			return int(leadRank(a[i])) - int(leadRank(b[i]))
		}
	}
	return len(a) - len(b)
}

// leadRank lifts the lead bytes of U+E000 to U+FFFF above all others.
func leadRank(c byte) byte {
	if c == 0xEE || c == 0xEF {
		return c | 0x10
	}
	return c
}
