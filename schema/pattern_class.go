package schema

import (
	"fmt"
	"strings"
)

// classItem is one member of a class: the character low, or, when set is not empty, the RE2 text that stands
// for several characters inside brackets.
type classItem struct {
	low rune
	set string
}

// alone is the item outside a class.
func (i classItem) alone() string {
	if i.set != "" {
		return "[" + i.set + "]"
	}
	return runeText(i.low)
}

// inside is the item inside a class.
func (i classItem) inside() string {
	if i.set != "" {
		return i.set
	}
	return runeText(i.low)
}

func runeText(r rune) string {
	if r < 0x80 && isAlphanumeric(byte(r)) {
		return string(r)
	}
	return fmt.Sprintf(`\x{%X}`, r)
}

// class reads [...].
func (p *patternParser) class() (*expr, error) {
	p.at++
	negated := p.skip("^")
	var items strings.Builder
	for !p.skip("]") {
		if p.ended() {
			return nil, p.syntaxError(`an unclosed "["`)
		}
		if p.lenient && isPOSIXClass(p.text[p.at:]) {
			return nil, unsupported("[[:name:]] is not ECMA-262; write the characters, as in [A-Za-z]")
		}
		item, err := p.classRange()
		if err != nil {
			return nil, err
		}
		items.WriteString(item)
	}
	switch {
	case items.Len() > 0 && negated:
		return charOf("[^" + items.String() + "]"), nil
	case items.Len() > 0:
		return charOf("[" + items.String() + "]"), nil
	case negated:
		return charOf(`[\x{0}-\x{10FFFF}]`), nil
	}
	return &expr{op: matchNever}, nil
}

// classRange reads one item, or two with a hyphen between.
func (p *patternParser) classRange() (string, error) {
	from, err := p.classAtom()
	if err != nil {
		return "", err
	}
	rest := p.text[p.at:]
	if !strings.HasPrefix(rest, "-") || strings.HasPrefix(rest, "-]") || rest == "-" {
		return from.inside(), nil
	}
	p.at++
	to, err := p.classAtom()
	if err != nil {
		return "", err
	}
	if from.set != "" || to.set != "" {
		if !p.lenient {
			return "", p.syntaxError(`a range with a class at one end; write \- for the hyphen`)
		}
		return from.inside() + runeText('-') + to.inside(), nil
	}
	if from.low > to.low {
		return "", p.syntaxError("a range whose ends are out of order")
	}
	return from.inside() + "-" + to.inside(), nil
}

func (p *patternParser) classAtom() (classItem, error) {
	if p.peek() == '\\' {
		return p.escape(true)
	}
	return p.literal()
}

// isPOSIXClass reports whether s begins with [:name:] and the ] of the class around it.
func isPOSIXClass(s string) bool {
	s, opened := strings.CutPrefix(s, "[:")
	rest := strings.TrimLeft(strings.TrimPrefix(s, "^"), "abcdefghijklmnopqrstuvwxyz")
	return opened && strings.HasPrefix(rest, ":]")
}
