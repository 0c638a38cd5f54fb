package infer

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"reflect"
	"strings"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pagewarden/pagewarden/capability"
)

// schemas are the schemas of types that are not looked into.
type schemas map[reflect.Type]*jsonschema.Schema

// knownTypes are the types of the standard library whose JSON their Go type does not tell, and the caller's.
func knownTypes(options *Options) (schemas, error) {
	known := schemas{
		reflect.TypeFor[time.Time]():       {Type: "string", Format: "date-time"},
		reflect.TypeFor[big.Int]():         {Type: "integer"},
		reflect.TypeFor[json.Number]():     {Type: "number"},
		reflect.TypeFor[json.RawMessage](): {},
		reflect.TypeFor[capability.JSON](): {},
	}
	if options == nil {
		return known, nil
	}
	for t, text := range options.Types {
		s := &jsonschema.Schema{}
		if err := json.Unmarshal([]byte(text), s); err != nil {
			return nil, fmt.Errorf("reading the schema that is given for %s: %w", t, err)
		}
		known[t] = s
	}
	return known, nil
}

// inspector finds in a type what would get a wrong schema or none, with its place, and adds to known the
// types that are written as text.
type inspector struct {
	known schemas
	above []reflect.Type // the structs that lead to where it is
}

func (i *inspector) inspect(t reflect.Type, path string) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	p := reflect.PointerTo(t)
	switch {
	case i.known[t] != nil:
		return nil
	case t.Kind() == reflect.Interface:
		return nil
	case p.Implements(reflect.TypeFor[encoding.TextMarshaler]()) && !p.Implements(reflect.TypeFor[json.Marshaler]()):
		i.known[t] = &jsonschema.Schema{Type: "string"}
		return nil
	case p.Implements(reflect.TypeFor[json.Marshaler]()), p.Implements(reflect.TypeFor[json.Unmarshaler]()):
		return at(path, fmt.Errorf("%s reads or writes its JSON by a method of its own: give its schema in Options.Types", t))
	case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
		i.known[t] = &jsonschema.Schema{Type: "string"} // base64
		return nil
	}
	return i.composite(t, path)
}

func (i *inspector) composite(t reflect.Type, path string) error {
	switch t.Kind() {
	case reflect.Slice, reflect.Array:
		return i.inspect(t.Elem(), path+"[]")
	case reflect.Map:
		if e := t.Elem(); e.Kind() != reflect.Interface || i.known[e] != nil {
			return at(path, fmt.Errorf("a %s has no schema within the subset, which cannot describe the values of a map: use a list of structs, or a map of any", t))
		}
	case reflect.Struct:
		return i.structure(t, path)
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return at(path, fmt.Errorf("a %s cannot be JSON", t.Kind()))
	}
	return nil
}

func (i *inspector) structure(t reflect.Type, path string) error {
	for _, outer := range i.above {
		if outer == t {
			return at(path, fmt.Errorf("%s holds itself, and a schema has an end: write it by hand", t))
		}
	}
	i.above = append(i.above, t)
	defer func() { i.above = i.above[:len(i.above)-1] }()
	for _, f := range members(t) {
		inner := path
		if !f.embedded {
			inner = capability.PathName(path, f.name)
		}
		if err := f.check(); err != nil {
			return at(inner, err)
		}
		if err := i.inspect(f.kind, inner); err != nil {
			return err
		}
	}
	return i.twice(t, path)
}

// twice finds names that two fields share, where encoding/json and the schema could disagree about which
// one counts.
func (i *inspector) twice(t reflect.Type, path string) error {
	seen := map[string]bool{}
	for _, f := range promoted(t) {
		if seen[f.name] {
			return at(capability.PathName(path, f.name), errors.New("two fields have this name"))
		}
		seen[f.name] = true
	}
	return nil
}

// field is a field of a struct that JSON may show.
type field struct {
	name     string
	embedded bool
	kind     reflect.Type
	tag      string
}

// members are the direct fields of t, embedded structs among them.
func members(t reflect.Type) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		tag := f.Tag.Get("json")
		if tag == "-" || !f.IsExported() && !f.Anonymous {
			continue
		}
		name, _, _ := strings.Cut(tag, ",")
		if name == "" {
			name = f.Name
		}
		out = append(out, field{name, f.Anonymous, f.Type, tag})
	}
	return out
}

// promoted are the members of t, those of embedded structs in their place.
func promoted(t reflect.Type) []field {
	var out []field
	for _, f := range members(t) {
		if f.embedded {
			out = append(out, promoted(f.kind)...)
		} else {
			out = append(out, f)
		}
	}
	return out
}

// check finds what encoding/json does otherwise than the schema would say.
func (f field) check() error {
	name, options, _ := strings.Cut(f.tag, ",")
	switch {
	case f.embedded && (name != "" || f.kind.Kind() != reflect.Struct):
		return fmt.Errorf("embedded %s: give the field a name", f.kind)
	case strings.ContainsAny(name, "\"'`\\"):
		return fmt.Errorf("the name %q in its json tag is not one that encoding/json takes", name)
	}
	for option := range strings.SplitSeq(options, ",") {
		if option == "string" {
			return errors.New(`the option "string" of its json tag has no schema: use a text`)
		}
	}
	return nil
}

func at(path string, err error) error {
	if path == "" {
		return err
	}
	return fmt.Errorf("at %s: %w", path, err)
}
