package infer

import (
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pagewarden/pagewarden/capability"
)

// adapt makes the schema of t say what typed handlers read and write: lists are never null. It is called
// for types that inspector has passed.
func adapt(s *jsonschema.Schema, t reflect.Type, known schemas) error {
	mayBeNull := false
	for t.Kind() == reflect.Pointer {
		mayBeNull = true
		t = t.Elem()
	}
	if given := known[t]; given != nil {
		if mayBeNull {
			return orNull(s, given, t)
		}
		return nil
	}
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		if !mayBeNull {
			s.Type, s.Types = "array", nil
		}
		return adapt(s.Items, t.Elem(), known)
	case reflect.Struct:
		for _, f := range promoted(t) {
			if err := adapt(s.Properties[f.name], f.kind, known); err != nil {
				return at(f.name, err)
			}
		}
	}
	return nil
}

// orNull completes what the inference did to let a schema that was given be null.
func orNull(s, given *jsonschema.Schema, t reflect.Type) error {
	switch {
	case given.Type != "" || given.Types != nil:
		if given.Enum != nil {
			s.Enum = append(append([]any(nil), given.Enum...), nil)
		}
		if given.Const == nil && given.AnyOf == nil && given.Ref == "" {
			return nil
		}
	case reflect.DeepEqual(given, &jsonschema.Schema{}):
		s.Types = nil
		return nil
	}
	return fmt.Errorf("the schema that is given for %s cannot be made to allow null for a pointer: write it with types and enum only", t)
}

// plain writes schemas that admit everything as {}, since the subset has no boolean schemas.
func plain(document capability.JSON) capability.JSON {
	if document == "true" {
		return capability.EmptyObject
	}
	if document.Kind() != '{' {
		return document
	}
	var out capability.ObjectWriter
	for _, member := range document.Members() {
		switch member.Name {
		case "items":
			member.Value = plain(member.Value)
		case "properties":
			var properties capability.ObjectWriter
			for _, property := range member.Value.Members() {
				properties.Raw(property.Name, plain(property.Value))
			}
			member.Value = properties.JSON()
		}
		out.Raw(member.Name, member.Value)
	}
	return out.JSON()
}
