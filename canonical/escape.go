package canonical

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escape reads the escape at i and replaces it unless it is canonical. The size is how many bytes it has in
// the text, a surrogate pair counting as one escape; 0 where it is none.
func (e *encoder) escape(i int) (size int) {
	if i+1 >= len(e.text) {
		return 0
	}
	e.escaped = true
	switch c := e.text[i+1]; c {
	case '"', '\\', 'b', 'f', 'n', 'r', 't':
		return 2
	case '/':
		e.replace(i, 2, []byte{'/'})
		return 2
	case 'u':
		r, size := codePoint(e.text[i:])
		if size > 0 {
			var buffer [6]byte
			e.replace(i, size, appendEscaped(buffer[:0], r))
		}
		return size
	}
	return 0
}

// codePoint decodes \uXXXX, or two of them that are a surrogate pair; the size is 0 for anything else.
func codePoint(text string) (r rune, size int) {
	unit, ok := codeUnit(text)
	if !ok || !utf16.IsSurrogate(unit) {
		return unit, sizeIf(ok, 6)
	}
	low, ok := codeUnit(text[6:])
	r = utf16.DecodeRune(unit, low)
	return r, sizeIf(ok && r != utf8.RuneError, 12)
}

func sizeIf(ok bool, size int) int {
	if ok {
		return size
	}
	return 0
}

func codeUnit(text string) (unit rune, ok bool) {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return 0, false
	}
	for _, digit := range []byte(text[2:6]) {
		at := strings.IndexByte("0123456789abcdef", digit)
		if at < 0 {
			at = strings.IndexByte("0123456789ABCDEF", digit)
		}
		if at < 0 {
			return 0, false
		}
		unit = unit<<4 | rune(at)
	}
	return unit, true
}

// appendEscaped writes r as it stands in a canonical string literal.
func appendEscaped(out []byte, r rune) []byte {
	switch {
	case r == '"' || r == '\\':
		return append(out, '\\', byte(r))
	case r >= ' ':
		return utf8.AppendRune(out, r)
	}
	if i := strings.IndexByte("\b\t\n\f\r", byte(r)); i >= 0 {
		return append(out, '\\', "btnfr"[i])
	}
	const hex = "0123456789abcdef"
	return append(out, '\\', 'u', '0', '0', hex[r>>4], hex[r&15])
}
