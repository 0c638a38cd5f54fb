package review

import (
	"strings"
	"unicode"
)

// plain makes a text of the sources fit for one line of a terminal, a log or a table: what can move a cursor, hide text
// or turn it around is written out, so that nobody reads something else than what is there.
func plain(text string) string {
	var out strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || r == '\t' || r == '\r':
			out.WriteByte(' ')
		case unicode.In(r, unicode.C, unicode.Zl, unicode.Zp):
			out.WriteString(strings.ToUpper(escaped(r)))
		default:
			out.WriteRune(r)
		}
	}
	return out.String()
}

// escaped is U+ and the hexadecimal number.
func escaped(r rune) string {
	const digits = "0123456789abcdef"
	text := ""
	for ; r > 0 || len(text) < 4; r >>= 4 {
		text = string(digits[r&15]) + text
	}
	return "<u+" + text + ">"
}
