package capability

import (
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"
)

// JSON is the text of one JSON value. The zero JSON is absence, JavaScript's undefined. A string cannot
// change, so a JSON that was validated is the one that is shown and the one that a handler gets.
type JSON string

// EmptyObject is the JSON of an object without members.
const EmptyObject JSON = "{}"

// Absent reports whether there is no value at all.
func (j JSON) Absent() bool { return j == "" }

// Kind is the first byte of the value, which tells its kind: '{', '[', '"', 't', 'f', 'n', a digit or '-';
// 0 for absence.
func (j JSON) Kind() byte {
	for i := 0; i < len(j); i++ {
		if !isSpace(j[i]) {
			return j[i]
		}
	}
	return 0
}

// MarshalJSON gives the text itself, null for absence.
func (j JSON) MarshalJSON() ([]byte, error) {
	if j.Absent() {
		return []byte("null"), nil
	}
	return []byte(j), nil
}

// UnmarshalJSON keeps a copy of the text.
func (j *JSON) UnmarshalJSON(text []byte) error {
	*j = JSON(text)
	return nil
}

// Issue is one thing that is wrong with a value. Path is as schema.md writes it (rows[2].name, "" for the
// root); Message names the rule and the limit, never the value.
type Issue struct {
	Path    string
	Message string
}

// Error makes an Issue usable where a Go error is wanted.
func (i *Issue) Error() string {
	if i.Path == "" {
		return i.Message
	}
	return i.Path + ": " + i.Message
}

// ValueLimits bound a JSON text before anything is built from it.
type ValueLimits struct {
	MaxBytes int
	// MaxDepth counts open arrays and objects; beyond DepthCeiling it counts as DepthCeiling.
	MaxDepth int
	// Float64Integers refuses integers beyond ±2^53, which a JavaScript host would round.
	Float64Integers bool
}

// DepthCeiling is the deepest nesting that any limit may allow: the decoder recurses once a level, and in
// a page a few thousand levels overflow the JavaScript stack.
const DepthCeiling = 256

const (
	maxNumberLength = 1000
	maxExponent     = 400
	maxSafeInteger  = 1 << 53
)

// Check reads text once, without recursion and without building anything, and returns what is wrong with
// it: the syntax, a limit of l, a number that float64 cannot hold, text that is not well-formed Unicode.
// Duplicate keys are left to Decode.
func (l ValueLimits) Check(text JSON) *Issue {
	if len(text) > l.MaxBytes {
		return &Issue{Message: fmt.Sprintf("must be at most %d bytes of JSON", l.MaxBytes)}
	}
	s := scanner{text: string(text), limits: l}
	return s.run()
}

// Decode checks text and builds the value: nil, bool, string, json.Number, []any or map[string]any.
// An object that has a key twice is an issue.
func (l ValueLimits) Decode(text JSON) (any, *Issue) {
	if issue := l.Check(text); issue != nil {
		return nil, issue
	}
	b := builder{text: string(text)}
	value := b.value("")
	return value, b.issue
}

// scanner walks a JSON text with an explicit stack.
type scanner struct {
	text   string
	at     int
	limits ValueLimits
	frames []frame
}

// frame is one open array or object; where says which element is being read, for the path of an issue.
type frame struct {
	object   bool
	index    int
	keyStart int
	keyEnd   int
}

func (s *scanner) run() *Issue {
	s.space()
	for {
		opened, issue := s.scalarOrOpen()
		if issue != nil {
			return issue
		}
		if opened {
			continue
		}
		finished, issue := s.afterValue()
		if issue != nil || finished {
			return issue
		}
	}
}

// scalarOrOpen reads one scalar, or opens an array or object and stops before its first value. An empty
// array or object counts as a scalar.
func (s *scanner) scalarOrOpen() (opened bool, issue *Issue) {
	switch c := s.peek(); {
	case c == '{' || c == '[':
		return s.open(c == '{')
	case c == '"':
		return false, s.str()
	case c == '-' || isDigit(c):
		return false, s.number()
	}
	for _, word := range [...]string{"true", "false", "null"} {
		if strings.HasPrefix(s.text[s.at:], word) {
			s.at += len(word)
			return false, nil
		}
	}
	return false, s.syntax()
}

func (s *scanner) open(object bool) (opened bool, issue *Issue) {
	if deepest := min(s.limits.MaxDepth, DepthCeiling); len(s.frames) >= deepest {
		return false, s.fail("must be nested at most %d levels deep", deepest)
	}
	s.at++
	s.space()
	if object && s.peek() == '}' || !object && s.peek() == ']' {
		s.at++
		return false, nil
	}
	s.frames = append(s.frames, frame{object: object})
	if object {
		return true, s.key()
	}
	return true, nil
}

// afterValue closes what ends here and moves to the next value; finished means the text is complete.
func (s *scanner) afterValue() (finished bool, issue *Issue) {
	for {
		s.space()
		if len(s.frames) == 0 {
			if s.at < len(s.text) {
				return false, s.syntax()
			}
			return true, nil
		}
		top := &s.frames[len(s.frames)-1]
		switch c := s.peek(); {
		case c == ',':
			s.at++
			s.space()
			top.index++
			if top.object {
				return false, s.key()
			}
			return false, nil
		case c == '}' && top.object, c == ']' && !top.object:
			s.at++
			s.frames = s.frames[:len(s.frames)-1]
		default:
			return false, s.syntax()
		}
	}
}

// key reads a member's name and its colon.
func (s *scanner) key() *Issue {
	start := s.at
	if s.peek() != '"' {
		return s.syntax()
	}
	if issue := s.str(); issue != nil {
		return issue
	}
	top := &s.frames[len(s.frames)-1]
	top.keyStart, top.keyEnd = start, s.at
	s.space()
	if s.peek() != ':' {
		return s.syntax()
	}
	s.at++
	s.space()
	return nil
}

func (s *scanner) str() *Issue {
	s.at++
	for s.at < len(s.text) {
		switch c := s.text[s.at]; {
		case c == '"':
			s.at++
			return nil
		case c == '\\':
			if issue := s.escape(); issue != nil {
				return issue
			}
		case c < 0x20:
			return s.syntax()
		case c < utf8.RuneSelf:
			s.at++
		default:
			r, size := utf8.DecodeRuneInString(s.text[s.at:])
			if r == utf8.RuneError && size == 1 {
				return s.fail("must be valid UTF-8")
			}
			s.at += size
		}
	}
	return s.syntax()
}

func (s *scanner) escape() *Issue {
	if s.at+1 >= len(s.text) {
		return s.syntax()
	}
	if strings.IndexByte(`"\/bfnrt`, s.text[s.at+1]) >= 0 {
		s.at += 2
		return nil
	}
	unit, ok := hexEscape(s.text[s.at:])
	if !ok {
		return s.syntax()
	}
	s.at += 6
	if !isSurrogate(unit) {
		return nil
	}
	low, ok := hexEscape(s.text[s.at:])
	if unit >= 0xDC00 || !ok || low < 0xDC00 || low > 0xDFFF {
		return s.fail("must not contain a lone surrogate")
	}
	s.at += 6
	return nil
}

// hexEscape reads the code unit of a \uXXXX at the start of text.
func hexEscape(text string) (uint16, bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	var unit uint16
	for i := 2; i < 6; i++ {
		digit := hexDigit(text[i])
		if digit < 0 {
			return 0, false
		}
		unit = unit<<4 | uint16(digit)
	}
	return unit, true
}

func hexDigit(c byte) int {
	switch {
	case isDigit(c):
		return int(c - '0')
	case 'a' <= c && c <= 'f':
		return int(c-'a') + 10
	case 'A' <= c && c <= 'F':
		return int(c-'A') + 10
	}
	return -1
}

func isSurrogate(unit uint16) bool { return 0xD800 <= unit && unit <= 0xDFFF }

func (s *scanner) number() *Issue {
	start := s.at
	if s.peek() == '-' {
		s.at++
	}
	if s.peek() == '0' {
		s.at++
	} else if s.digits() == 0 {
		return s.syntax()
	}
	integerEnd := s.at
	if s.peek() == '.' {
		s.at++
		if s.digits() == 0 {
			return s.syntax()
		}
	}
	if c := s.peek(); c == 'e' || c == 'E' {
		if issue := s.exponent(); issue != nil {
			return issue
		}
	}
	return s.magnitude(s.text[start:s.at], integerEnd == s.at)
}

func (s *scanner) exponent() *Issue {
	s.at++
	if c := s.peek(); c == '+' || c == '-' {
		s.at++
	}
	start := s.at
	if s.digits() == 0 {
		return s.syntax()
	}
	digits := strings.TrimLeft(s.text[start:s.at], "0")
	if size, err := strconv.Atoi(digits); digits != "" && (err != nil || size > maxExponent) {
		return s.fail("must be a number with an exponent within ±%d", maxExponent)
	}
	return nil
}

// magnitude checks that a number of sound syntax is one that the host can hold.
func (s *scanner) magnitude(number string, integer bool) *Issue {
	if len(number) <= 15 && integer {
		return nil
	}
	if len(number) > maxNumberLength {
		return s.fail("must be a number of at most %d characters", maxNumberLength)
	}
	if !surelyFinite(number) {
		if float, err := strconv.ParseFloat(number, 64); err != nil || math.IsInf(float, 0) {
			return s.fail("must be a number that a 64-bit float can hold")
		}
	}
	if s.limits.Float64Integers && !heldByFloat64(number, integer) {
		return s.fail("must be an integer within ±2^53, which is what JavaScript holds exactly")
	}
	return nil
}

// heldByFloat64 reports that a finite number is no integer beyond ±2^53, also in the notation of a fraction: 2^53 + 1 with
// ".0" is that integer too. From 10^21 on an exponent is how JavaScript writes its own numbers, and these come back as
// they went.
func heldByFloat64(number string, integer bool) bool {
	if integer {
		whole, err := strconv.ParseInt(number, 10, 64)
		return err == nil && whole <= maxSafeInteger && whole >= -maxSafeInteger
	}
	if len(number) <= 15 && surelyFinite(number) {
		return true
	}
	float, err := strconv.ParseFloat(number, 64)
	size := math.Abs(float)
	return err == nil && (size < 1<<53 || size >= 1e21)
}

// surelyFinite spares most numbers the cost of ParseFloat: the largest float64 has 309 digits.
func surelyFinite(number string) bool {
	return len(number) < 300 && !strings.ContainsAny(number, "eE")
}

func (s *scanner) digits() int {
	start := s.at
	for s.at < len(s.text) && isDigit(s.text[s.at]) {
		s.at++
	}
	return s.at - start
}

func (s *scanner) space() {
	for s.at < len(s.text) && isSpace(s.text[s.at]) {
		s.at++
	}
}

func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\n' || c == '\r' }

func (s *scanner) peek() byte {
	if s.at < len(s.text) {
		return s.text[s.at]
	}
	return 0
}

func (s *scanner) syntax() *Issue {
	return s.fail("must be valid JSON, and is not at byte %d", s.at)
}

func (s *scanner) fail(format string, args ...any) *Issue {
	return &Issue{Path: s.path(), Message: fmt.Sprintf(format, args...)}
}

func (s *scanner) path() string {
	path := ""
	for _, f := range s.frames {
		switch {
		case !f.object:
			path = PathIndex(path, f.index)
		case f.keyEnd > 0:
			path = PathName(path, unquote(s.text[f.keyStart:f.keyEnd]))
		}
	}
	return path
}

// builder makes Go values from a text that scanner has accepted, so it recurses at most MaxDepth levels
// and meets no syntax error.
type builder struct {
	text  string
	at    int
	issue *Issue
}

func (b *builder) value(path string) any {
	b.skip()
	switch c := b.text[b.at]; c {
	case '{':
		return b.object(path)
	case '[':
		return b.array(path)
	case '"':
		return b.str()
	case 't':
		b.at += 4
		return true
	case 'f':
		b.at += 5
		return false
	case 'n':
		b.at += 4
		return nil
	}
	start := b.at
	for b.at < len(b.text) && isNumberByte(b.text[b.at]) {
		b.at++
	}
	return json.Number(b.text[start:b.at])
}

func isNumberByte(c byte) bool {
	return isDigit(c) || c == '-' || c == '+' || c == '.' || c == 'e' || c == 'E'
}

func (b *builder) object(path string) any {
	members := map[string]any{}
	for b.at++; b.more('}'); {
		name := b.str()
		b.skip() // the colon
		if _, twice := members[name]; twice && b.issue == nil {
			b.issue = &Issue{Path: PathName(path, name), Message: "must not be given twice in one object"}
		}
		members[name] = b.value(PathName(path, name))
	}
	return members
}

func (b *builder) array(path string) any {
	items := []any{}
	for b.at++; b.more(']'); {
		items = append(items, b.value(PathIndex(path, len(items))))
	}
	return items
}

// more moves to the next element, or past the closing byte.
func (b *builder) more(closing byte) bool {
	b.skip()
	if b.text[b.at] == closing {
		b.at++
		return false
	}
	return true
}

// skip passes white space and the separators, which scanner has found to be where they belong.
func (b *builder) skip() {
	for b.at < len(b.text) {
		if c := b.text[b.at]; !isSpace(c) && c != ',' && c != ':' {
			return
		}
		b.at++
	}
}

func (b *builder) str() string {
	end := b.at + 1
	for b.text[end] != '"' {
		if b.text[end] == '\\' {
			end++
		}
		end++
	}
	quoted := b.text[b.at : end+1]
	b.at = end + 1
	return unquote(quoted)
}

// unquote decodes a JSON string literal of sound syntax.
func unquote(quoted string) string {
	inner := quoted[1 : len(quoted)-1]
	if strings.IndexByte(inner, '\\') < 0 {
		return inner
	}
	out := make([]byte, 0, len(inner))
	for i := 0; i < len(inner); {
		if inner[i] != '\\' {
			out = append(out, inner[i])
			i++
			continue
		}
		if at := strings.IndexByte("bfnrt", inner[i+1]); at >= 0 {
			out = append(out, "\b\f\n\r\t"[at])
			i += 2
			continue
		}
		if inner[i+1] != 'u' {
			out = append(out, inner[i+1])
			i += 2
			continue
		}
		unit, _ := hexEscape(inner[i:])
		i += 6
		r := rune(unit)
		if low, ok := hexEscape(inner[i:]); ok && isSurrogate(unit) {
			r = (r-0xD800)<<10 | (rune(low) - 0xDC00) + 0x10000
			i += 6
		}
		out = utf8.AppendRune(out, r)
	}
	return string(out)
}
