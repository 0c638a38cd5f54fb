package schema

import (
	"fmt"
	"slices"
	"strings"
	"unicode"
)

// propertyEscape reads \p{…} or \P{…} after its letter: a general category, a script, or a binary property
// for which Go has a table.
func (p *patternParser) propertyEscape(negated bool) (classItem, error) {
	if p.lenient {
		return classItem{}, p.needsUnicode(`\p{…}`)
	}
	inner, _, closed := strings.Cut(p.text[p.at:], "}")
	name, braced := strings.CutPrefix(inner, "{")
	if !closed || !braced {
		return classItem{}, p.syntaxError(`\p without a property in braces after it`)
	}
	p.at += len(inner) + 1
	set, err := propertySet(name, negated)
	return classItem{set: set}, err
}

// propertySet is the RE2 text, for use inside brackets, of a property by its ECMA-262 name.
func propertySet(name string, negated bool) (string, error) {
	property, value, valued := strings.Cut(name, "=")
	if !valued {
		if category, found := generalCategory(name); found {
			return namedSet(category, negated), nil
		}
		return binaryProperty(name, negated)
	}
	switch property {
	case "General_Category", "gc":
		if category, found := generalCategory(value); found {
			return namedSet(category, negated), nil
		}
	case "Script", "sc":
		if unicode.Scripts[value] != nil {
			return namedSet(value, negated), nil
		}
	case "Script_Extensions", "scx":
		return "", unsupported(`\p{%s} is not supported; write Script=%s`, name, value)
	}
	return "", unsupported(`\p{%s} is not known; write a general category such as \p{L}, or Script= and the long name of a script`, name)
}

// generalCategory is the short name of a category.
func generalCategory(name string) (string, bool) {
	if long, found := unicode.CategoryAliases[name]; found {
		name = long
	}
	return name, unicode.Categories[name] != nil
}

func namedSet(name string, negated bool) string {
	if negated {
		return `\P{` + name + `}`
	}
	return `\p{` + name + `}`
}

// binaryProperty is for the properties of ECMA-262 that the unicode package has, or that consist of what it
// has.
func binaryProperty(name string, negated bool) (string, error) {
	var tables []*unicode.RangeTable
	switch name {
	case "Any":
		return rangesText(complementIf([]runeRange{{0, unicode.MaxRune}}, negated)), nil
	case "ASCII":
		return rangesText(complementIf([]runeRange{{0, 0x7F}}, negated)), nil
	case "Assigned":
		return namedSet("Cn", !negated), nil
	case "Alphabetic", "Alpha":
		tables = []*unicode.RangeTable{unicode.L, unicode.Nl, unicode.Other_Alphabetic}
	case "Lowercase", "Lower":
		tables = []*unicode.RangeTable{unicode.Ll, unicode.Other_Lowercase}
	case "Uppercase", "Upper":
		tables = []*unicode.RangeTable{unicode.Lu, unicode.Other_Uppercase}
	case "White_Space", "space":
		tables = []*unicode.RangeTable{unicode.White_Space}
	case "ASCII_Hex_Digit", "AHex":
		tables = []*unicode.RangeTable{unicode.ASCII_Hex_Digit}
	case "Hex_Digit", "Hex":
		tables = []*unicode.RangeTable{unicode.Hex_Digit}
	case "Dash":
		tables = []*unicode.RangeTable{unicode.Dash}
	case "Ideographic", "Ideo":
		tables = []*unicode.RangeTable{unicode.Ideographic}
	case "Unified_Ideograph", "UIdeo":
		tables = []*unicode.RangeTable{unicode.Unified_Ideograph}
	case "Quotation_Mark", "QMark":
		tables = []*unicode.RangeTable{unicode.Quotation_Mark}
	case "Noncharacter_Code_Point", "NChar":
		tables = []*unicode.RangeTable{unicode.Noncharacter_Code_Point}
	default:
		return "", unsupported(`\p{%s} is not known; write a general category such as \p{L}, or the characters`, name)
	}
	return rangesText(complementIf(rangesOf(tables), negated)), nil
}

// runeRange is the characters from low to high.
type runeRange struct{ low, high rune }

// rangesOf is the union of the tables, sorted, without overlap.
func rangesOf(tables []*unicode.RangeTable) []runeRange {
	var ranges []runeRange
	add := func(low, high, stride rune) {
		if stride == 1 {
			ranges = append(ranges, runeRange{low, high})
			return
		}
		for r := low; r <= high; r += stride {
			ranges = append(ranges, runeRange{r, r})
		}
	}
	for _, table := range tables {
		for _, r := range table.R16 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
		for _, r := range table.R32 {
			add(rune(r.Lo), rune(r.Hi), rune(r.Stride))
		}
	}
	return merged(ranges)
}

func merged(ranges []runeRange) []runeRange {
	slices.SortFunc(ranges, func(a, b runeRange) int { return int(a.low - b.low) })
	var out []runeRange
	for _, r := range ranges {
		if last := len(out) - 1; last >= 0 && r.low <= out[last].high+1 {
			out[last].high = max(out[last].high, r.high)
			continue
		}
		out = append(out, r)
	}
	return out
}

func complementIf(ranges []runeRange, negated bool) []runeRange {
	if !negated {
		return ranges
	}
	var out []runeRange
	next := rune(0)
	for _, r := range ranges {
		if r.low > next {
			out = append(out, runeRange{next, r.low - 1})
		}
		next = r.high + 1
	}
	if next <= unicode.MaxRune {
		out = append(out, runeRange{next, unicode.MaxRune})
	}
	return out
}

// rangesText is the ranges inside brackets. No range at all is written as a set that RE2 finds empty.
func rangesText(ranges []runeRange) string {
	if len(ranges) == 0 {
		return `\P{Any}`
	}
	var text strings.Builder
	for _, r := range ranges {
		fmt.Fprintf(&text, `\x{%X}-\x{%X}`, r.low, r.high)
	}
	return text.String()
}
