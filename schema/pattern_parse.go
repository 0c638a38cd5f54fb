package schema

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// maxGroups is how deep groups may be nested, since the parser recurses.
const maxGroups = 200

// unsupportedError is for what ECMA-262 allows and RE2 cannot express.
type unsupportedError struct{ message string }

func (e *unsupportedError) Error() string { return e.message }

func unsupported(format string, args ...any) error {
	return &unsupportedError{fmt.Sprintf(format, args...)}
}

// patternParser reads the grammar of ECMA-262, section Patterns, with the u flag.
type patternParser struct {
	text string
	at   int
	// lenient allows what many shipped patterns have and only the u flag forbids: an identity escape of any
	// ASCII punctuation, and a literal - ] { }.
	lenient bool
	groups  int
}

func parsePattern(source string, lenient bool) (*expr, error) {
	p := &patternParser{text: source, lenient: lenient}
	e, _, err := p.disjunction()
	if err != nil {
		return nil, err
	}
	if !p.ended() {
		return nil, p.syntaxError(`an unmatched ")"; write \)`)
	}
	return e, nil
}

func (p *patternParser) ended() bool { return p.at >= len(p.text) }

// peek is the next character, 0 at the end. A NUL in the pattern is told apart by ended.
func (p *patternParser) peek() rune {
	if p.ended() {
		return 0
	}
	r, _ := utf8.DecodeRuneInString(p.text[p.at:])
	return r
}

func (p *patternParser) next() rune {
	r, size := utf8.DecodeRuneInString(p.text[p.at:])
	p.at += size
	return r
}

// skip passes prefix if it comes next.
func (p *patternParser) skip(prefix string) bool {
	if !strings.HasPrefix(p.text[p.at:], prefix) {
		return false
	}
	p.at += len(prefix)
	return true
}

func (p *patternParser) syntaxError(format string, args ...any) error {
	return fmt.Errorf("at character %d it has %s", utf8.RuneCountInString(p.text[:min(p.at, len(p.text))]), fmt.Sprintf(format, args...))
}

// groupNames are the names of the groups in a part of a pattern. ECMA-262 allows a name twice only in
// different alternatives.
type groupNames map[string]bool

func (p *patternParser) disjunction() (*expr, groupNames, error) {
	var alternatives []*expr
	var all groupNames
	for {
		e, names, err := p.alternative()
		if err != nil {
			return nil, nil, err
		}
		alternatives = append(alternatives, e)
		all = all.with(names)
		if !p.skip("|") {
			return alternationOf(alternatives), all, nil
		}
	}
}

func (g groupNames) with(names groupNames) groupNames {
	if g == nil {
		return names
	}
	for name := range names {
		g[name] = true
	}
	return g
}

func (p *patternParser) alternative() (*expr, groupNames, error) {
	var terms []*expr
	var all groupNames
	for !p.ended() && p.peek() != '|' && p.peek() != ')' {
		term, names, err := p.term()
		if err != nil {
			return nil, nil, err
		}
		for name := range names {
			if all[name] {
				return nil, nil, p.syntaxError("a second group named %q", name)
			}
		}
		all = all.with(names)
		terms = append(terms, term)
	}
	return sequenceOf(terms), all, nil
}

// term reads an assertion, or an atom and its quantifier.
func (p *patternParser) term() (*expr, groupNames, error) {
	if text, found := p.assertion(); found {
		return assertionOf(text), nil, nil
	}
	atom, names, err := p.atom()
	if err != nil {
		return nil, nil, err
	}
	least, most, found, err := p.quantifier()
	if err != nil || !found {
		return atom, names, err
	}
	return repetitionOf(atom, least, most), names, nil
}

// assertion reads ^ $ \b \B. Without the m flag ^ and $ are the ends of the text, which RE2 calls \A and \z.
func (p *patternParser) assertion() (text string, found bool) {
	switch {
	case p.skip("^"):
		return `\A`, true
	case p.skip("$"):
		return `\z`, true
	case p.skip(`\b`):
		return `\b`, true
	case p.skip(`\B`):
		return `\B`, true
	}
	return "", false
}

func (p *patternParser) atom() (*expr, groupNames, error) {
	switch r := p.peek(); r {
	case '(':
		return p.group()
	case '[':
		e, err := p.class()
		return e, nil, err
	case '\\':
		item, err := p.escape(false)
		return charOf(item.alone()), nil, err
	case '.':
		p.at++
		return charOf(`[^\n\r\x{2028}\x{2029}]`), nil, nil
	case '*', '+', '?':
		return nil, nil, p.syntaxError(`"%c" with nothing before it to repeat; write \%c`, r, r)
	case '{', '}', ']':
		if err := p.literalBrace(r); err != nil {
			return nil, nil, err
		}
	}
	item, err := p.literal()
	return charOf(item.alone()), nil, err
}

// literal reads a character that stands for itself.
func (p *patternParser) literal() (classItem, error) {
	r := p.next()
	if p.lenient && r > 0xFFFF {
		return classItem{}, p.needsUnicode("a character beyond U+FFFF")
	}
	return classItem{low: r}, nil
}

// literalBrace allows { } ] as themselves only in lenient mode, and a { only where no quantifier is meant.
func (p *patternParser) literalBrace(r rune) error {
	if !p.lenient {
		return p.syntaxError(`a lone "%c"; write \%c`, r, r)
	}
	if r == '{' && isQuantifier(p.text[p.at:]) {
		return p.syntaxError("a repeat with nothing before it")
	}
	return nil
}

func (p *patternParser) group() (*expr, groupNames, error) {
	p.at++
	name, err := p.groupKind()
	if err != nil {
		return nil, nil, err
	}
	if p.groups++; p.groups > maxGroups {
		return nil, nil, unsupported("its groups are nested more than %d deep", maxGroups)
	}
	e, names, err := p.disjunction()
	if err != nil {
		return nil, nil, err
	}
	p.groups--
	if !p.skip(")") {
		return nil, nil, p.syntaxError(`an unclosed "("`)
	}
	if name == "" {
		return e, names, nil
	}
	if names[name] {
		return nil, nil, p.syntaxError("a second group named %q", name)
	}
	return e, names.with(groupNames{name: true}), nil
}

// groupKind reads what follows "(": nothing, ?: or ?<name>.
func (p *patternParser) groupKind() (name string, err error) {
	switch {
	case !strings.HasPrefix(p.text[p.at:], "?"), p.skip("?:"):
		return "", nil
	case p.skip("?="), p.skip("?!"), p.skip("?<="), p.skip("?<!"):
		return "", unsupported("look-around such as (?=…) or (?!…) is not supported; say what is allowed with " +
			"alternatives, or split the rule over pattern, minLength, maxLength and enum")
	case p.skip("?<"):
		return p.groupName()
	case p.skip("?P<"):
		return "", unsupported("(?P<name>…) is not ECMA-262; write (?<name>…) or (…)")
	}
	return "", unsupported("flags in a group, such as (?i), are not supported; write both cases, as in [Aa]")
}
