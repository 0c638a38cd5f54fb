package schema

import (
	"encoding/json"
	"strings"
)

// kinds is a set of the types that JSON Schema names.
type kinds uint8

const (
	kindObject kinds = 1 << iota
	kindArray
	kindString
	kindNumber
	kindInteger
	kindBoolean
	kindNull

	anyKind = kindObject | kindArray | kindString | kindNumber | kindInteger | kindBoolean | kindNull
)

// kindNames are in the order of the bits.
func kindNames() [7]string {
	return [...]string{"object", "array", "string", "number", "integer", "boolean", "null"}
}

// kindNamed is the kind with that name, 0 when there is none.
func kindNamed(name string) kinds {
	for i, known := range kindNames() {
		if known == name {
			return 1 << i
		}
	}
	return 0
}

// kindOf is the kind of a value as capability.ValueLimits.Decode builds it, 0 for anything else. Whether a
// number is an integer is left to has.
func kindOf(value any) kinds {
	switch value.(type) {
	case map[string]any:
		return kindObject
	case []any:
		return kindArray
	case string:
		return kindString
	case json.Number:
		return kindNumber
	case bool:
		return kindBoolean
	case nil:
		return kindNull
	}
	return 0
}

// has reports whether value is of one of the kinds. 1.0 and 1e2 are integers.
func (k kinds) has(value any) bool {
	kind := kindOf(value)
	if k&kind != 0 {
		return true
	}
	return kind == kindNumber && k&kindInteger != 0 && isInteger(value.(json.Number))
}

// phrase is "a string", or "an object, an array or null".
func (k kinds) phrase() string {
	var phrases []string
	for i, name := range kindNames() {
		if k&(1<<i) == 0 {
			continue
		}
		switch name {
		case "object", "array", "integer":
			name = "an " + name
		case "string", "number", "boolean":
			name = "a " + name
		}
		phrases = append(phrases, name)
	}
	last := len(phrases) - 1
	if last == 0 {
		return phrases[0]
	}
	return strings.Join(phrases[:last], ", ") + " or " + phrases[last]
}
