package browser

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"
)

// maxInputDepth is how many levels an input may be nested. Chromium answers a
// DevTools message of 300 and more with an error that names no message, so a
// call with such an input would wait until its deadline.
const maxInputDepth = 256

// CheckInput returns the input of a call in the form that browsers take: a JSON
// object. No input and null mean {}. Everything else is an *InputError.
func CheckInput(input []byte) (json.RawMessage, error) {
	trimmed := bytes.TrimSpace(input)
	if len(trimmed) == 0 || string(trimmed) == "null" {
		return json.RawMessage("{}"), nil
	}
	start := int64(bytes.Index(input, trimmed))
	if err := syntaxFault(trimmed); err != nil {
		err.Offset += start
		return nil, err
	}
	if trimmed[0] != '{' {
		return nil, &InputError{Offset: start, Reason: kindOf(trimmed[0]) + " instead of an object"}
	}
	if at := tooDeep(trimmed); at >= 0 {
		return nil, &InputError{Offset: start + int64(at), Reason: fmt.Sprintf("nested more than %d levels deep", maxInputDepth)}
	}
	return json.RawMessage(trimmed), nil
}

// syntaxFault finds the first place where text is not one JSON value.
func syntaxFault(text []byte) *InputError {
	var value json.RawMessage
	err := json.Unmarshal(text, &value)
	if err == nil {
		return nil
	}
	fault := &InputError{Offset: int64(len(text)), Reason: "the JSON ends too early"}
	var syntax *json.SyntaxError
	if errors.As(err, &syntax) && !endsEarly(text) {
		// encoding/json counts the offending byte too.
		fault.Offset = max(0, syntax.Offset-1)
		fault.Reason = syntax.Error()
	}
	return fault
}

// tooDeep is where valid JSON opens one level too many, or -1.
func tooDeep(text []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxInputDepth {
				return i
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

func endsEarly(text []byte) bool {
	var value json.RawMessage
	err := json.NewDecoder(bytes.NewReader(text)).Decode(&value)
	return errors.Is(err, io.ErrUnexpectedEOF)
}

// kindOf names the JSON type that starts with b.
func kindOf(b byte) string {
	switch b {
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	default:
		return "a number"
	}
}

// asciiNames reports that no object in the JSON has a member whose name goes
// beyond ASCII.
func asciiNames(input json.RawMessage) bool {
	var value any
	if json.Unmarshal(input, &value) != nil {
		return true
	}
	return asciiNamesIn(value)
}

func asciiNamesIn(value any) bool {
	switch value := value.(type) {
	case []any:
		return !slices.ContainsFunc(value, func(one any) bool { return !asciiNamesIn(one) })
	case map[string]any:
		for name, member := range value {
			beyond := strings.ContainsFunc(name, func(r rune) bool { return r > unicode.MaxASCII })
			if beyond || !asciiNamesIn(member) {
				return false
			}
		}
	}
	return true
}
