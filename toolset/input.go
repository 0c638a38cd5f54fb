package toolset

import (
	"strings"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// orEmpty is the arguments of a tool: null, which some providers send for none, is {}.
func orEmpty(arguments capability.JSON) capability.JSON {
	if arguments.Absent() || isNull(arguments) {
		return capability.EmptyObject
	}
	return arguments
}

func isNull(value capability.JSON) bool { return strings.Trim(string(value), " \t\r\n") == "null" }

// fit is the input of surface_act as the target takes it. ok is false when it is not an object though it should be,
// which only a target whose own schema takes something else excuses. Some models write the object as a string: where
// the target takes an object, and the string holds one, that is what they meant.
func fit(input capability.JSON, targets []registry.Target, limits capability.Limits) (fitting capability.JSON, repaired, ok bool) {
	switch {
	case input.Kind() == '{':
		return input, false, true
	case len(targets) != 1, targets[0].Input.Absent(): // without a schema nothing else is taken
		return "", false, false
	case !takesObject(targets[0].Input):
		return input, false, true
	}
	text, isText := input.Text()
	inner := capability.JSON(text)
	room := capability.ValueLimits{MaxBytes: limits.MaxInputBytes, MaxDepth: limits.MaxInputDepth}
	if !isText || inner.Kind() != '{' || room.Check(inner) != nil {
		return "", false, false
	}
	return inner, true, true
}

// takesObject reports whether a schema says that a value is an object.
func takesObject(schema capability.JSON) bool {
	for _, member := range schema.Members() {
		if member.Name == "type" {
			name, one := member.Value.Text()
			types := member.Value.Elements()
			if !one && len(types) == 1 {
				name, _ = types[0].Text()
			}
			return name == "object"
		}
	}
	return false
}
