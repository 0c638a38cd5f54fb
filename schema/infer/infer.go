// Package infer makes the schemas of typed handlers from their Go types, so that type and schema cannot
// drift apart. It uses github.com/google/jsonschema-go and is for native programs: the page's runtime does
// not contain it.
//
// The schemas are within the subset that package schema accepts, and say what package registry's typed
// handlers read and write: a slice is an array and never null, a byte slice is base64 text, a pointer may
// be null, a field without omitempty or omitzero is required, and no other member is allowed. A jsonschema
// tag on a field is its description:
//
//	type Filter struct {
//		Online bool `json:"online,omitempty" jsonschema:"only devices that are connected"`
//	}
package infer

import (
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/schema"
)

// Options refine an inference. A nil *Options is the zero Options.
type Options struct {
	// Types are the JSON Schemas of types that write their JSON by a method of their own, or of which more
	// is to be said than their Go type says (a format, an enum).
	Types map[reflect.Type]capability.JSON
}

// Schema is the schema of the Go type T. The error names the place in T that has no schema within the
// subset, and what to do about it.
func Schema[T any](options *Options) (registry.Schema, error) {
	document, err := document(reflect.TypeFor[T](), options)
	if err != nil {
		return registry.Schema{}, fmt.Errorf("inferring a schema of %s: %w", reflect.TypeFor[T](), err)
	}
	return registry.Schema{Document: document}, nil
}

// MustSchema is Schema for types that are known to have one: it panics when T has none, which the first
// test that registers the component finds.
func MustSchema[T any]() registry.Schema {
	s, err := Schema[T](nil)
	if err != nil {
		panic(err)
	}
	return s
}

func document(t reflect.Type, options *Options) (capability.JSON, error) {
	known, err := knownTypes(options)
	if err != nil {
		return "", err
	}
	if err := (&inspector{known: known}).inspect(t, ""); err != nil {
		return "", err
	}
	inferred, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		return "", err
	}
	if err := adapt(inferred, t, known); err != nil {
		return "", err
	}
	return check(inferred)
}

// check writes the schema out and lets package schema have the last word.
func check(inferred *jsonschema.Schema) (capability.JSON, error) {
	text, err := json.Marshal(inferred)
	if err != nil {
		return "", fmt.Errorf("writing it: %w", err)
	}
	document := plain(capability.JSON(text))
	if _, err := schema.Parse(document, schema.Limits{}); err != nil {
		return "", err
	}
	return document, nil
}
