package registry

import (
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
)

// decode fills into, a pointer, from a sound text. The issue says where the text does not fit the type; it
// holds nothing of the value.
func (n *fieldNames) decode(text capability.JSON, into any) *capability.Issue {
	everything := capability.ValueLimits{MaxBytes: math.MaxInt, MaxDepth: math.MaxInt}
	text, issue := canonical.Encode(text, everything) // writes 1.0 as 1
	if issue != nil {
		return issue
	}
	text, issue = n.exact(reflect.TypeOf(into).Elem(), text, "")
	if issue != nil {
		return issue
	}
	decoder := json.NewDecoder(strings.NewReader(string(text)))
	decoder.UseNumber()
	return decodeIssue(decoder.Decode(into))
}

// decodeIssue says what err means without the value, which its text would hold.
func decodeIssue(err error) *capability.Issue {
	var mistyped *json.UnmarshalTypeError
	switch {
	case err == nil:
		return nil
	case !errors.As(err, &mistyped):
		return &capability.Issue{Message: "holds a text that does not have the form that the page expects"}
	}
	kind, _, _ := strings.Cut(mistyped.Value, " ") // a number's digits follow
	return &capability.Issue{Path: mistyped.Field, Message: "must be of another type than " + kind}
}

// exact is text without the members for which t has no field of exactly that name: encoding/json would let
// Amount fill amount. An array of Go must be filled exactly.
func (n *fieldNames) exact(t reflect.Type, text capability.JSON, path string) (capability.JSON, *capability.Issue) {
	for t.Kind() == reflect.Pointer && !decodesItself(t) {
		t = t.Elem()
	}
	if decodesItself(t) {
		return text, nil
	}
	switch kind := text.Kind(); {
	case kind == '{' && t.Kind() == reflect.Struct:
		return n.exactMembers(text, path, n.of(t))
	case kind == '{' && t.Kind() == reflect.Map:
		return n.exactMembers(text, path, everyName{t.Elem()})
	case kind == '[' && (t.Kind() == reflect.Slice || t.Kind() == reflect.Array):
		return n.exactElements(t, text, path)
	case kind == '-' || '0' <= kind && kind <= '9':
		if !fits(t, string(text)) {
			return "", &capability.Issue{Path: path, Message: "must be a number that fits " + t.String()}
		}
	}
	return text, nil
}

// fits reports whether a value of t can be the number, when t is a type of numbers. A float may round it.
func fits(t reflect.Type, number string) bool {
	var err error
	switch t.Kind() {
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		_, err = strconv.ParseInt(number, 10, t.Bits())
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		_, err = strconv.ParseUint(number, 10, t.Bits())
	case reflect.Float32, reflect.Float64:
		_, err = strconv.ParseFloat(number, t.Bits())
	}
	return err == nil
}

// typeOf tells the type of the value that belongs under a name.
type typeOf interface {
	named(name string) (t reflect.Type, known bool)
}

// everyName is the names of a map: all of them.
type everyName struct{ value reflect.Type }

func (e everyName) named(string) (reflect.Type, bool) { return e.value, true }

func (n *fieldNames) exactMembers(text capability.JSON, path string, types typeOf) (capability.JSON, *capability.Issue) {
	var out capability.ObjectWriter
	for _, member := range text.Members() {
		t, known := types.named(member.Name)
		if !known {
			continue
		}
		value, issue := n.exact(t, member.Value, capability.PathName(path, member.Name))
		if issue != nil {
			return "", issue
		}
		out.Raw(member.Name, value)
	}
	return out.JSON(), nil
}

func (n *fieldNames) exactElements(t reflect.Type, text capability.JSON, path string) (capability.JSON, *capability.Issue) {
	elements := text.Elements()
	if t.Kind() == reflect.Array && len(elements) != t.Len() {
		return "", &capability.Issue{Path: path, Message: fmt.Sprintf("must have exactly %d elements", t.Len())}
	}
	for i := range elements {
		element, issue := n.exact(t.Elem(), elements[i], capability.PathIndex(path, i))
		if issue != nil {
			return "", issue
		}
		elements[i] = element
	}
	return capability.ArrayJSON(elements), nil
}

// decodesItself reports whether values of t read JSON by a method of their own.
func decodesItself(t reflect.Type) bool {
	p := reflect.PointerTo(t)
	return p.Implements(reflect.TypeFor[json.Unmarshaler]()) || p.Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
}
