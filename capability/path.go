package capability

import (
	"strconv"
	"unicode/utf8"
)

const maxPathName = 64

// PathName is the path of the member name of the value at path: rows → rows.name. A name that is not a
// JavaScript identifier is written ["…"], JSON-quoted and cut at 64 characters.
func PathName(path, name string) string {
	if !isIdentifier(name) {
		return path + "[" + string(Quote(cutRunes(name, maxPathName))) + "]"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}

// PathIndex is the path of element i of the value at path: rows → rows[2].
func PathIndex(path string, i int) string { return path + "[" + strconv.Itoa(i) + "]" }

func isIdentifier(name string) bool {
	if name == "" || len(name) > maxPathName || isDigit(name[0]) {
		return false
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; !isAlphanumeric(c) && c != '_' && c != '$' {
			return false
		}
	}
	return true
}

func cutRunes(s string, most int) string {
	count := 0
	for i := range s {
		if count == most {
			return s[:i]
		}
		count++
	}
	return s
}

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
