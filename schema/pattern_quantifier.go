package schema

import (
	"strconv"
	"strings"
)

// quantifier reads * + ? {n} {n,} {n,m}. A ? after it, for the shortest match first, does not change whether
// there is a match.
func (p *patternParser) quantifier() (least, most int, found bool, err error) {
	switch {
	case p.skip("*"):
		least, most = 0, unbounded
	case p.skip("+"):
		least, most = 1, unbounded
	case p.skip("?"):
		least, most = 0, 1
	default:
		if least, most, found, err = p.counted(); !found || err != nil {
			return 0, 0, false, err
		}
	}
	p.skip("?")
	return least, most, true, nil
}

func (p *patternParser) counted() (least, most int, found bool, err error) {
	rest := p.text[p.at:]
	if !isQuantifier(rest) {
		return 0, 0, false, nil
	}
	inner, _, _ := strings.Cut(rest[1:], "}")
	p.at += len(inner) + 2
	low, high, ranged := strings.Cut(inner, ",")
	least = repeatCount(low)
	switch {
	case !ranged:
		most = least
	case high == "":
		most = unbounded
	default:
		most = repeatCount(high)
		if most < least {
			return 0, 0, false, p.syntaxError("a repeat whose numbers are out of order")
		}
	}
	return least, most, true, nil
}

// repeatCount reads digits; what is too large for any limit stays too large.
func repeatCount(digits string) int {
	n, err := strconv.Atoi(digits)
	if err != nil || n > beyondLimits {
		return beyondLimits
	}
	return n
}

// isQuantifier reports whether s begins with {n}, {n,} or {n,m}.
func isQuantifier(s string) bool {
	s, braced := strings.CutPrefix(s, "{")
	if !braced {
		return false
	}
	s, some := cutDigits(s)
	if !some {
		return false
	}
	if rest, comma := strings.CutPrefix(s, ","); comma {
		s, _ = cutDigits(rest)
	}
	return strings.HasPrefix(s, "}")
}

func cutDigits(s string) (rest string, some bool) {
	rest = strings.TrimLeft(s, "0123456789")
	return rest, len(rest) < len(s)
}
