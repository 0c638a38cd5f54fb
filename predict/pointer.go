package predict

import (
	"strconv"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
)

// MaxPointer is the most characters of a JSON Pointer, in UTF-16 code units.
const MaxPointer = 256

// parsePointer gives the reference tokens of a JSON Pointer (RFC 6901), none for the root. Names through which a
// JavaScript object reaches its prototype are refused.
func parsePointer(where, text string) ([]string, *ArgumentError) {
	switch {
	case text == "":
		return nil, nil
	case capability.Length(text) > MaxPointer:
		return nil, wrong(where, "has more than %d characters", MaxPointer)
	case text[0] != '/':
		return nil, wrong(where, "a JSON Pointer is empty or begins with /")
	}
	tokens := strings.Split(text[1:], "/")
	for i, token := range tokens {
		name, ok := unescape(token)
		if !ok {
			return nil, wrong(where, "~ must be followed by 0 or 1")
		}
		switch name {
		case "__proto__", "constructor", "prototype":
			return nil, wrong(where, "must not go through %s", name)
		}
		tokens[i] = name
	}
	return tokens, nil
}

// unescape is ~1 for / and ~0 for ~. ok is false for any other ~.
func unescape(token string) (name string, ok bool) {
	if !strings.Contains(token, "~") {
		return token, true
	}
	var b strings.Builder
	for i := 0; i < len(token); i++ {
		if token[i] != '~' {
			b.WriteByte(token[i])
			continue
		}
		i++
		switch {
		case i < len(token) && token[i] == '0':
			b.WriteByte('~')
		case i < len(token) && token[i] == '1':
			b.WriteByte('/')
		default:
			return "", false
		}
	}
	return b.String(), true
}

// arrayIndex reads a token as an index: decimal digits without a leading zero.
func arrayIndex(token string) (index int, ok bool) {
	if token == "" || len(token) > 9 || token[0] == '0' && len(token) > 1 {
		return 0, false
	}
	for _, c := range []byte(token) {
		if c < '0' || c > '9' {
			return 0, false
		}
	}
	index, err := strconv.Atoi(token)
	return index, err == nil
}
