package capability

import "strconv"

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
