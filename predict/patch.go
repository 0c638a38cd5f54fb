package predict

import (
	"fmt"
	"slices"

	"github.com/pagewarden/pagewarden/capability"
)

// The bounds of a patch and of the state that it changes.
const (
	// MaxOperations is the most operations of one patch.
	MaxOperations = 256
	// MaxValueBytes is the most bytes of JSON that the value of one operation may have.
	MaxValueBytes = 64 << 10
	// MaxStateBytes is the most bytes of JSON that a state may have, with its predictions or without.
	MaxStateBytes = 4 << 20
)

// maxPatchBytes admits every patch within the bounds: each operation has a value and a pointer, both perhaps escaped.
const maxPatchBytes = MaxOperations * (MaxValueBytes + 8*MaxPointer)

// verb is what an operation does.
type verb string

const (
	add     verb = "add"
	replace verb = "replace"
	remove  verb = "remove"
)

// operation is one operation of a patch.
type operation struct {
	verb   verb
	tokens []string
	value  capability.JSON // absent for remove
}

// Patch is a list of the operations add, replace and remove of RFC 6902, parsed and within the bounds. The zero Patch
// changes nothing. It does not change.
type Patch struct {
	text       capability.JSON
	operations []operation
}

// ParsePatch reads an array of operations { op, path, value? }. Other members are ignored, as RFC 6902 wants it. The
// error is an *ArgumentError.
func ParsePatch(text capability.JSON) (Patch, error) {
	limits := capability.ValueLimits{MaxBytes: maxPatchBytes, MaxDepth: capability.DepthCeiling}
	if issue := limits.Check(text); issue != nil {
		return Patch{}, wrong("patch", "%v", issue)
	}
	if text.Kind() != '[' {
		return Patch{}, wrong("patch", "must be an array of operations")
	}
	elements := text.Elements()
	if len(elements) > MaxOperations {
		return Patch{}, wrong("patch", "has %d operations; the most is %d", len(elements), MaxOperations)
	}
	p := Patch{text: text, operations: make([]operation, len(elements))}
	for i, element := range elements {
		o, err := parseOperation(fmt.Sprintf("patch[%d]", i), element)
		if err != nil {
			return Patch{}, err
		}
		p.operations[i] = o
	}
	return p, nil
}

func parseOperation(where string, text capability.JSON) (operation, *ArgumentError) {
	if text.Kind() != '{' {
		return operation{}, wrong(where, "must be an object { op, path, value }")
	}
	var o operation
	var path capability.JSON
	given := map[string]bool{}
	for _, member := range text.Members() {
		if given[member.Name] {
			return operation{}, wrong(where+"."+member.Name, "is given twice")
		}
		given[member.Name] = true
		switch member.Name {
		case "op":
			name, _ := member.Value.Text()
			o.verb = verb(name)
		case "path":
			path = member.Value
		case "value":
			o.value = member.Value
		}
	}
	pointer, ok := path.Text()
	if !ok {
		return operation{}, wrong(where+".path", "must be a JSON Pointer")
	}
	var err *ArgumentError
	if o.tokens, err = parsePointer(where+".path", pointer); err != nil {
		return operation{}, err
	}
	return o, o.check(where)
}

// check judges the verb with what it needs.
func (o *operation) check(where string) *ArgumentError {
	switch o.verb {
	case add, replace:
	case remove:
		o.value = ""
		if len(o.tokens) == 0 {
			return wrong(where+".path", "the root cannot be removed")
		}
		return nil
	default:
		return wrong(where+".op", "want add, replace or remove")
	}
	if o.value.Absent() {
		return wrong(where+".value", "%s needs a value", o.verb)
	}
	if len(o.value) > MaxValueBytes {
		return tooLarge(where+".value", "has %d bytes of JSON; the most is %d", len(o.value), MaxValueBytes)
	}
	if _, issue := stateLimits().Decode(o.value); issue != nil {
		return wrong(where+".value", "%v", issue)
	}
	return nil
}

// stateLimits bound a state and what is put into it.
func stateLimits() capability.ValueLimits {
	return capability.ValueLimits{MaxBytes: MaxStateBytes, MaxDepth: capability.DepthCeiling}
}

// JSON is the patch as it was given.
func (p Patch) JSON() capability.JSON {
	if p.text.Absent() {
		return "[]"
	}
	return p.text
}

// Apply is state with all operations carried out in order; ok is false when one of them does not apply, or when the
// result is beyond the bounds of a state. state must be JSON that has been checked.
func (p Patch) Apply(state capability.JSON) (changed capability.JSON, ok bool) {
	for i := range p.operations {
		o := &p.operations[i]
		if state, ok = o.apply(state, o.tokens); !ok || len(state) > MaxStateBytes {
			return "", false
		}
	}
	return state, len(p.operations) == 0 || stateLimits().Check(state) == nil
}

// apply carries the operation out at tokens below value.
func (o *operation) apply(value capability.JSON, tokens []string) (capability.JSON, bool) {
	if len(tokens) == 0 {
		return o.value, true
	}
	switch value.Kind() {
	case '{':
		return o.inObject(value.Members(), tokens)
	case '[':
		return o.inArray(value.Elements(), tokens)
	}
	return "", false
}

// inObject leaves the order of the members as it is; a new one comes last.
func (o *operation) inObject(members []capability.Member, tokens []string) (capability.JSON, bool) {
	at := slices.IndexFunc(members, func(m capability.Member) bool { return m.Name == tokens[0] })
	last := len(tokens) == 1
	switch {
	case at < 0 && last && o.verb == add:
		members = append(slices.Clip(members), capability.Member{Name: tokens[0], Value: o.value})
	case at < 0:
		return "", false
	case last && o.verb == remove:
		members = slices.Delete(members, at, at+1)
	default:
		changed, ok := o.apply(members[at].Value, tokens[1:])
		if !ok {
			return "", false
		}
		members[at].Value = changed
	}
	var w capability.ObjectWriter
	for _, member := range members {
		w.Raw(member.Name, member.Value)
	}
	return w.JSON(), true
}

func (o *operation) inArray(elements []capability.JSON, tokens []string) (capability.JSON, bool) {
	last := len(tokens) == 1
	index, ok := arrayIndex(tokens[0])
	if tokens[0] == "-" {
		index, ok = len(elements), true
	}
	switch {
	case !ok || index > len(elements):
		return "", false
	case last && o.verb == add:
		elements = slices.Insert(elements, index, o.value)
	case index == len(elements):
		return "", false
	case last && o.verb == remove:
		elements = slices.Delete(elements, index, index+1)
	default:
		changed, ok := o.apply(elements[index], tokens[1:])
		if !ok {
			return "", false
		}
		elements[index] = changed
	}
	return capability.ArrayJSON(elements), true
}
