package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"

	"github.com/pagewarden/pagewarden/capability"
)

// valueSet is the values of an enum or a const, compared as JSON Schema compares: 1 equals 1.0, objects
// without regard to the order of their members.
type valueSet struct {
	keys  map[string]struct{}
	kinds kinds
	// message is the issue of a value that is not in the set.
	message string
}

func newValueSet(values []any) *valueSet {
	set := &valueSet{keys: make(map[string]struct{}, len(values)), message: "must be " + phraseOf(values)}
	for _, value := range values {
		set.keys[string(appendKey(nil, value))] = struct{}{}
		set.kinds |= kindOf(value)
	}
	return set
}

// has reports whether value is in the set, and the key that it took to find out, built in buffer.
func (s *valueSet) has(value any, buffer []byte) (found bool, key []byte) {
	key = buffer[:0]
	if kindOf(value)&s.kinds == 0 {
		return false, key
	}
	key = appendKey(key, value)
	_, found = s.keys[string(key)]
	return found, key
}

// appendKey appends a text that two values share exactly when they are equal. Strings carry their length, so
// that no content can be taken for structure.
func appendKey(key []byte, value any) []byte {
	switch v := value.(type) {
	case map[string]any:
		key = append(key, '{')
		for _, name := range slices.Sorted(maps.Keys(v)) {
			key = appendKey(appendTextKey(key, name), v[name])
		}
		return append(key, '}')
	case []any:
		key = append(key, '[')
		for _, item := range v {
			key = appendKey(key, item)
		}
		return append(key, ']')
	case string:
		return appendTextKey(key, v)
	case json.Number:
		return append(decimalOf(v).appendKey(append(key, '#')), ';')
	case bool:
		return strconv.AppendBool(key, v)
	}
	return append(key, "null"...)
}

func appendTextKey(key []byte, s string) []byte {
	key = strconv.AppendInt(append(key, '"'), int64(len(s)), 10)
	return append(append(key, ':'), s...)
}

// duplicate finds the first element that equals an earlier one, -1 when all differ. cost is the bytes of key
// that it took to find out.
func duplicate(items []any) (first, second, cost int) {
	seen := make(map[string]int, len(items))
	var key []byte
	for i, item := range items {
		key = appendKey(key[:0], item)
		cost += len(key)
		if earlier, twice := seen[string(key)]; twice {
			return earlier, i, cost
		}
		seen[string(key)] = i
	}
	return -1, -1, cost
}

const maxPhrase = 200

// phraseOf ends the sentence "must be …". It lists the values when they are short and have no structure, and
// counts them otherwise.
func phraseOf(values []any) string {
	phrase := ""
	for i, value := range values {
		literal, short := literalOf(value)
		if !short || len(phrase)+len(literal) > maxPhrase {
			return longPhrase(len(values))
		}
		if i > 0 {
			phrase += ", "
		}
		phrase += literal
	}
	if len(values) == 1 {
		return phrase
	}
	return "one of " + phrase
}

func longPhrase(count int) string {
	if count == 1 {
		return "the value that the schema gives"
	}
	return "one of the " + strconv.Itoa(count) + " values that the schema lists"
}

func literalOf(value any) (literal string, short bool) {
	switch v := value.(type) {
	case string:
		return string(capability.Quote(v)), true
	case json.Number:
		return string(v), true
	case bool:
		return strconv.FormatBool(v), true
	case nil:
		return "null", true
	}
	return "", false
}
