package capability

import "unicode/utf8"

// isWellFormed reports whether s is valid UTF-8 without control characters.
func isWellFormed(s string) bool {
	for _, r := range s {
		if r < 0x20 || r == 0x7F {
			return false
		}
	}
	return utf8.ValidString(s)
}

// Length is how many characters JavaScript counts in s: UTF-16 code units.
func Length(s string) int {
	length := 0
	for _, r := range s {
		length++
		if r > 0xFFFF {
			length++
		}
	}
	return length
}

// Cut is s, cut so that it has at most most UTF-16 code units.
func Cut(s string, most int) string {
	length := 0
	for i, r := range s {
		length++
		if r > 0xFFFF {
			length++
		}
		if length > most {
			return s[:i]
		}
	}
	return s
}
