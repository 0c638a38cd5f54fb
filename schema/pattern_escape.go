package schema

import (
	"strconv"
	"strings"
)

const (
	// spaceSet is \s of ECMA-262: WhiteSpace and LineTerminator. RE2's own is five ASCII characters.
	spaceSet = `\x{9}-\x{D}\x{20}\x{A0}\x{1680}\x{2000}-\x{200A}\x{2028}\x{2029}\x{202F}\x{205F}\x{3000}\x{FEFF}`
	// notSpaceSet is every other character.
	notSpaceSet = `\x{0}-\x{8}\x{E}-\x{1F}\x{21}-\x{9F}\x{A1}-\x{167F}\x{1681}-\x{1FFF}\x{200B}-\x{2027}` +
		`\x{202A}-\x{202E}\x{2030}-\x{205E}\x{2060}-\x{2FFF}\x{3001}-\x{FEFE}\x{FF00}-\x{10FFFF}`
	// syntaxCharacters are what the u flag allows to escape as itself, / included.
	syntaxCharacters = `^$\.*+?()[]{}|/`
	// otherPunctuation is the rest of ASCII punctuation.
	otherPunctuation = "!\"#%&',-:;<=>@_`~"
)

// escape reads \ and what follows it, anywhere but for \b and \B outside a class.
func (p *patternParser) escape(inClass bool) (classItem, error) {
	p.at++
	if p.ended() {
		return classItem{}, p.syntaxError(`a \ at its end`)
	}
	letter := p.next()
	if set, found := classEscape(letter); found {
		return classItem{set: set}, nil
	}
	if r, found := controlEscape(letter); found {
		return classItem{low: r}, nil
	}
	switch letter {
	case 'b':
		return classItem{low: '\b'}, nil // \b outside a class is an assertion, and has been read
	case 'c':
		return p.controlLetter()
	case 'x':
		return p.hexEscape()
	case 'u':
		p.at--
		return p.codePointEscape()
	case 'p', 'P':
		return p.propertyEscape(letter == 'P')
	case 'k':
		return classItem{}, unsupported(`\k<name> is a back-reference, which is not supported; write the text of the group again`)
	}
	if '0' <= letter && letter <= '9' {
		return p.digitEscape(letter)
	}
	return p.identityEscape(letter, inClass)
}

func classEscape(letter rune) (set string, found bool) {
	switch letter {
	case 'd', 'D', 'w', 'W':
		return `\` + string(letter), true // RE2 means the same ASCII characters
	case 's':
		return spaceSet, true
	case 'S':
		return notSpaceSet, true
	}
	return "", false
}

func controlEscape(letter rune) (r rune, found bool) {
	switch letter {
	case 'f':
		return '\f', true
	case 'n':
		return '\n', true
	case 'r':
		return '\r', true
	case 't':
		return '\t', true
	case 'v':
		return '\v', true
	}
	return 0, false
}

func (p *patternParser) controlLetter() (classItem, error) {
	letter := p.peek() &^ ('a' - 'A')
	if letter < 'A' || letter > 'Z' {
		return classItem{}, p.syntaxError(`\c without a letter after it`)
	}
	p.at++
	return classItem{low: letter % 32}, nil
}

func (p *patternParser) hexEscape() (classItem, error) {
	r, found := p.hexDigits(2)
	if !found {
		return classItem{}, p.syntaxError(`\x without two hexadecimal digits after it`)
	}
	return classItem{low: r}, nil
}

// hexDigits reads exactly count digits.
func (p *patternParser) hexDigits(count int) (rune, bool) {
	rest := p.text[p.at:]
	if len(rest) < count || strings.IndexFunc(rest[:count], notHex) >= 0 {
		return 0, false
	}
	value, err := strconv.ParseUint(rest[:count], 16, 32)
	p.at += count
	return rune(value), err == nil
}

func notHex(r rune) bool { return r > 0x7F || !isHex(byte(r)) }

// digitEscape reads \0; any other number would be a back-reference.
func (p *patternParser) digitEscape(digit rune) (classItem, error) {
	if digit != '0' {
		return classItem{}, unsupported(`\%c is a back-reference, which is not supported; write the text of the group again`, digit)
	}
	if next := p.peek(); '0' <= next && next <= '9' {
		return classItem{}, p.syntaxError(`\0 with a digit after it; write \x00`)
	}
	return classItem{low: 0}, nil
}

func (p *patternParser) codePointEscape() (classItem, error) {
	if p.lenient && strings.HasPrefix(p.text[p.at:], "u{") {
		return classItem{}, p.needsUnicode(`\u{…}`)
	}
	r, ok, err := p.unicodeEscape()
	if err != nil {
		return classItem{}, err
	}
	if !ok {
		return classItem{}, p.syntaxError(`\u without four hexadecimal digits, or a code point in braces, after it`)
	}
	if p.lenient && r > 0xFFFF {
		return classItem{}, p.needsUnicode("a surrogate pair")
	}
	return classItem{low: r}, nil
}

// needsUnicode refuses what means something else without the u flag, in a pattern that is not valid with it.
func (p *patternParser) needsUnicode(construct string) error {
	_, strict := parsePattern(p.text, false)
	return unsupported("%s has its meaning only with the u flag, and with that flag the pattern is not valid: %v", construct, strict)
}

// unicodeEscape reads uXXXX, a surrogate pair uXXXX\uXXXX, or u{X…}. A lone surrogate is an error: no valid
// text has one.
func (p *patternParser) unicodeEscape() (r rune, ok bool, err error) {
	switch {
	case p.skip("u{"):
		r, ok = p.bracedCodePoint()
	case p.skip("u"):
		r, ok = p.hexDigits(4)
		if ok && 0xD800 <= r && r <= 0xDBFF {
			r = p.lowSurrogate(r)
		}
	}
	if ok && 0xD800 <= r && r <= 0xDFFF {
		return 0, false, unsupported(`\u%X is a lone surrogate, which no text has; write the whole character, as in \u{1F600}`, r)
	}
	return r, ok, nil
}

func (p *patternParser) bracedCodePoint() (rune, bool) {
	digits, _, closed := strings.Cut(p.text[p.at:], "}")
	if !closed || digits == "" || strings.IndexFunc(digits, notHex) >= 0 {
		return 0, false
	}
	value, err := strconv.ParseUint(digits, 16, 64)
	if err != nil && strings.TrimLeft(digits, "0") != "" || value > 0x10FFFF {
		return 0, false
	}
	p.at += len(digits) + 1
	return rune(value), true
}

// lowSurrogate completes a pair, or returns high as it is when no low surrogate follows.
func (p *patternParser) lowSurrogate(high rune) rune {
	start := p.at
	if p.skip(`\u`) {
		if low, ok := p.hexDigits(4); ok && 0xDC00 <= low && low <= 0xDFFF {
			return (high-0xD800)<<10 | (low - 0xDC00) + 0x10000
		}
	}
	p.at = start
	return high
}

func (p *patternParser) identityEscape(r rune, inClass bool) (classItem, error) {
	switch {
	case strings.ContainsRune(syntaxCharacters, r), inClass && r == '-':
		return classItem{low: r}, nil
	case p.lenient && strings.ContainsRune(otherPunctuation, r):
		return classItem{low: r}, nil
	}
	return classItem{}, p.syntaxError(`\%c, which is no escape of ECMA-262%s`, r, goEscapeHint(r))
}

// goEscapeHint helps those who know the escape from another language.
func goEscapeHint(r rune) string {
	switch r {
	case 'A':
		return "; write ^"
	case 'z', 'Z':
		return "; write $"
	case 'Q', 'E':
		return "; escape each character"
	case 'h':
		return `; write [\t ]`
	}
	return ""
}
