package registry

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"reflect"
	"unicode/utf8"

	"github.com/pagewarden/pagewarden/capability"
)

// encode is the JSON of v, absent for nil. v is settable, and changed on the way.
func encode(v reflect.Value) (text capability.JSON, err error) {
	defer func() {
		if cause := recover(); cause != nil { // of a MarshalJSON of the application's
			err = fmt.Errorf("panicked: %v", cause)
		}
	}()
	if isNothing(v) {
		return "", nil
	}
	t := tidier{above: map[address]bool{}, known: map[reflect.Type]methods{}}
	if err := t.tidy(v); err != nil {
		return "", err
	}
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(v.Addr().Interface()); err != nil {
		return "", err
	}
	return capability.JSON(bytes.TrimSuffix(out.Bytes(), []byte{'\n'})), nil
}

// isNothing reports whether v is a nil pointer or interface, or leads to one.
func isNothing(v reflect.Value) bool {
	for range maxOutputNesting {
		if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface {
			return false
		}
		if v.IsNil() {
			return true
		}
		v = v.Elem()
	}
	return false
}

const (
	maxOutputNesting = 1000    // of Go values; the registry's limit on JSON is lower
	maxOutputValues  = 1 << 18 // more than an output of half a megabyte can have
)

// tidier replaces what encoding/json would write as null although it is an empty list or object, and finds
// what JSON cannot carry, with its place. Whatever hangs on a pointer is copied before it is changed: it
// belongs to the application.
type tidier struct {
	above   map[address]bool // the pointers that lead to where it is
	steps   []step           // from the output to where it is
	nesting int
	values  int
	known   map[reflect.Type]methods
}

// methods is what the methods of a type mean.
type methods struct{ encodes, failed bool }

func (t *tidier) methods(v reflect.Value) methods {
	found, known := t.known[v.Type()]
	if !known {
		found = methods{
			encodes: encodesItself(v.Type()),
			failed:  v.Kind() != reflect.Interface && v.Type().Implements(reflect.TypeFor[error]()),
		}
		t.known[v.Type()] = found
	}
	return found
}

// step is an element, or the member with a name when the index is negative.
type step struct {
	name  string
	index int
}

func member(name string) step { return step{name, -1} }

// address tells one pointer, slice or map from another.
type address struct {
	pointer uintptr
	length  int
	kind    reflect.Type
}

var (
	errNesting = errors.New("is nested too deep")
	errCycle   = errors.New("holds itself")
	errSize    = errors.New("holds too many values")
)

// at is a fault with its place.
func (t *tidier) at(err error) error {
	path := ""
	for _, s := range t.steps {
		if s.index < 0 {
			path = capability.PathName(path, s.name)
		} else {
			path = capability.PathIndex(path, s.index)
		}
	}
	if path == "" {
		return err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// inside is tidy for the value that is one step further in.
func (t *tidier) inside(s step, v reflect.Value) error {
	t.steps = append(t.steps, s)
	err := t.tidy(v)
	t.steps = t.steps[:len(t.steps)-1]
	return err
}

// tidy works on v in place.
func (t *tidier) tidy(v reflect.Value) error {
	t.nesting++
	defer func() { t.nesting-- }()
	t.values++
	switch known := t.methods(v); {
	case t.nesting > maxOutputNesting:
		return t.at(errNesting)
	case t.values > maxOutputValues:
		return t.at(errSize)
	case known.encodes:
		return nil
	case known.failed:
		return t.at(errors.New("is a Go error: return it as the handler's error"))
	}
	switch v.Kind() {
	case reflect.Float32, reflect.Float64:
		if math.IsNaN(v.Float()) || math.IsInf(v.Float(), 0) {
			return t.at(errors.New("is not a finite number"))
		}
	case reflect.String:
		if !utf8.ValidString(v.String()) {
			return t.at(errors.New("is not valid UTF-8"))
		}
	case reflect.Chan, reflect.Func, reflect.Complex64, reflect.Complex128, reflect.UnsafePointer:
		return t.at(fmt.Errorf("is a %s, which JSON cannot carry", v.Kind()))
	default:
		return t.composite(v)
	}
	return nil
}

func (t *tidier) composite(v reflect.Value) error {
	switch v.Kind() {
	case reflect.Interface, reflect.Pointer:
		return t.pointee(v)
	case reflect.Slice:
		return t.slice(v)
	case reflect.Array:
		return t.elements(v)
	case reflect.Map:
		return t.mapping(v)
	case reflect.Struct:
		if showsNothing(v.Type()) {
			return t.at(fmt.Errorf("is a %s, of which JSON shows nothing", v.Type()))
		}
		return t.fields(v)
	}
	return nil
}

// showsNothing reports whether t, a struct, has fields and JSON leaves all of them out.
func showsNothing(t reflect.Type) bool {
	for i := range t.NumField() {
		f := t.Field(i)
		if _, ignored := jsonName(f); !ignored && (f.IsExported() || f.Anonymous) {
			return false
		}
	}
	return t.NumField() > 0
}

// within runs f for what lies behind v, unless v leads back to itself.
func (t *tidier) within(v reflect.Value, f func() error) error {
	where := address{kind: v.Type()}
	switch v.Kind() {
	case reflect.Slice:
		where.pointer, where.length = v.Pointer(), v.Len()
	case reflect.Pointer, reflect.Map:
		where.pointer = v.Pointer()
	default:
		return f()
	}
	if t.above[where] {
		return t.at(errCycle)
	}
	t.above[where] = true
	defer delete(t.above, where)
	return f()
}

func (t *tidier) pointee(v reflect.Value) error {
	if v.IsNil() {
		return nil
	}
	return t.within(v, func() error {
		copied := reflect.New(v.Elem().Type())
		copied.Elem().Set(v.Elem())
		if err := t.tidy(copied.Elem()); err != nil {
			return err
		}
		switch {
		case v.Kind() == reflect.Pointer:
			v.Set(copied.Convert(v.Type()))
		case pointerEncodesIt(v.Elem().Type()):
			v.Set(copied)
		default:
			v.Set(copied.Elem())
		}
		return nil
	})
}

func (t *tidier) slice(v reflect.Value) error {
	copied := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
	reflect.Copy(copied, v)
	if v.Type().Elem().Kind() != reflect.Uint8 { // bytes are written as text
		err := t.within(v, func() error { return t.elements(copied) })
		if err != nil {
			return err
		}
	}
	v.Set(copied)
	return nil
}

func (t *tidier) elements(v reflect.Value) error {
	for i := range v.Len() {
		if err := t.inside(step{index: i}, v.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func (t *tidier) mapping(v reflect.Value) error {
	if pointerEncodesIt(v.Type().Elem()) {
		return t.at(fmt.Errorf("is a map of %s, whose MarshalJSON needs a pointer: make it a map of *%[1]s", v.Type().Elem()))
	}
	copied := reflect.MakeMapWithSize(v.Type(), v.Len())
	err := t.within(v, func() error {
		for entries := v.MapRange(); entries.Next(); {
			name := fmt.Sprint(entries.Key())
			if !utf8.ValidString(name) {
				return t.at(errors.New("has a key that is not valid UTF-8"))
			}
			value := reflect.New(v.Type().Elem()).Elem()
			value.Set(entries.Value())
			if err := t.inside(member(name), value); err != nil {
				return err
			}
			copied.SetMapIndex(entries.Key(), value)
		}
		return nil
	})
	if err != nil {
		return err
	}
	v.Set(copied)
	return nil
}

func (t *tidier) fields(v reflect.Value) error {
	for i := range v.NumField() {
		f, value := v.Type().Field(i), v.Field(i)
		name, ignored := jsonName(f)
		switch {
		case ignored, jsonOption(f, "omitzero") && value.IsZero():
			continue
		case f.Anonymous && name == "" && value.Kind() == reflect.Struct && !encodesItself(f.Type):
			if err := t.fields(value); err != nil {
				return err
			}
			continue
		case !value.CanSet():
			continue
		}
		if name == "" {
			name = f.Name
		}
		if err := t.inside(member(name), value); err != nil {
			return err
		}
	}
	return nil
}

// encodesItself reports whether values of t write their JSON by a method of their own or of their pointer.
func encodesItself(t reflect.Type) bool {
	return writesJSON(t) || t.Kind() != reflect.Interface && pointerEncodesIt(t)
}

// pointerEncodesIt reports whether only pointers to t have such a method.
func pointerEncodesIt(t reflect.Type) bool { return !writesJSON(t) && writesJSON(reflect.PointerTo(t)) }

func writesJSON(t reflect.Type) bool {
	return t.Implements(reflect.TypeFor[json.Marshaler]()) || t.Implements(reflect.TypeFor[encoding.TextMarshaler]())
}
