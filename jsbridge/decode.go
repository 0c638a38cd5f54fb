package jsbridge

import (
	"fmt"
	"strconv"
	"time"

	"github.com/pagewarden/pagewarden/capability"
)

// fields reads the members of an object that the script wrote. The first thing that is wrong stays in err;
// reading goes on with zero values. The zero fields are those of an empty object.
type fields struct {
	where string
	tape  *tape
	self  int32 // the object's node
	err   error
}

// messageLimits bound a message of the script. Definitions and requests have tighter limits of their own
// inside.
func messageLimits() capability.ValueLimits {
	return capability.ValueLimits{MaxBytes: 16 << 20, MaxDepth: capability.DepthCeiling}
}

// decodeObject reads text as an object; where names it in errors.
func decodeObject(where, text string) (*fields, error) {
	if issue := messageLimits().Check(capability.JSON(text)); issue != nil {
		return nil, typeError(fmt.Sprintf("%s: %v", where, issue))
	}
	return fieldsOf(where, makeTape(text), 0)
}

// objectOf reads a value that has been checked.
func objectOf(where string, value capability.JSON) (*fields, error) {
	if value.Kind() != '{' {
		return nil, typeError(where + " must be an object")
	}
	return fieldsOf(where, makeTape(string(value)), 0)
}

func fieldsOf(where string, t *tape, self int32) (*fields, error) {
	if t.text[t.nodes[self].start] != '{' {
		return nil, typeError(where + " must be an object")
	}
	return &fields{where: where, tape: t, self: self}, nil
}

// each visits the nodes of the members, in their order, until visit says false.
func (f *fields) each(visit func(member int32) bool) {
	if f.tape == nil {
		return
	}
	for i := f.self + 1; i < f.tape.nodes[f.self].next; i = f.tape.nodes[i].next {
		if !visit(i) {
			return
		}
	}
}

// find is the node of the member name, which counts as read from now on.
func (f *fields) find(name string) (member int32, ok bool) {
	f.each(func(i int32) bool {
		if ok = f.tape.named(i, name); ok {
			member = i
			f.tape.nodes[i].used = true
		}
		return !ok
	})
	return member, ok
}

// names are the names of the members.
func (f *fields) names() []string {
	var names []string
	f.each(func(i int32) bool {
		names = append(names, f.tape.name(i))
		return true
	})
	return names
}

// raw is the member name, absent when there is none.
func (f *fields) raw(name string) capability.JSON {
	member, ok := f.find(name)
	if !ok {
		return ""
	}
	return f.tape.raw(member)
}

func (f *fields) has(name string) bool { return !f.raw(name).Absent() }

func (f *fields) fail(name, want string) {
	if f.err == nil {
		f.err = typeError(fmt.Sprintf("%s must be %s", f.place(name), want))
	}
}

func (f *fields) place(name string) string {
	if f.where == "" {
		return name
	}
	return f.where + "." + name
}

func (f *fields) text(name string) string {
	value := f.raw(name)
	if value.Absent() {
		return ""
	}
	text, ok := value.Text()
	if !ok {
		f.fail(name, "a string")
	}
	return text
}

func (f *fields) boolean(name string, fallback bool) bool {
	switch f.raw(name) {
	case "":
	case "true":
		return true
	case "false":
		return false
	default:
		f.fail(name, "true or false")
	}
	return fallback
}

func (f *fields) number(name string, fallback float64) float64 {
	value := f.raw(name)
	if value.Absent() {
		return fallback
	}
	number, err := strconv.ParseFloat(string(value), 64)
	if err != nil {
		f.fail(name, "a number")
		return fallback
	}
	return number
}

func (f *fields) integer(name string, fallback int) int {
	number := f.number(name, float64(fallback))
	if number != float64(int32(number)) {
		f.fail(name, "a whole number")
		return fallback
	}
	return int(number)
}

// milliseconds is a duration; it must not be negative.
func (f *fields) milliseconds(name string, fallback time.Duration) time.Duration {
	number := f.number(name, float64(fallback.Milliseconds()))
	if !(number >= 0 && number <= 1<<40) {
		f.fail(name, "a number of milliseconds that is not negative")
		return fallback
	}
	return time.Duration(number * float64(time.Millisecond))
}

func (f *fields) texts(name string) []string {
	value := f.raw(name)
	if value.Absent() {
		return nil
	}
	if value.Kind() != '[' {
		f.fail(name, "an array of strings")
		return nil
	}
	list := []string{}
	for _, element := range value.Elements() {
		text, ok := element.Text()
		if !ok {
			f.fail(name, "an array of strings")
			return nil
		}
		list = append(list, text)
	}
	return list
}

// object is the member name as an object, nil when there is none.
func (f *fields) object(name string) *fields {
	member, ok := f.find(name)
	if !ok {
		return nil
	}
	inner, err := fieldsOf(f.place(name), f.tape, member)
	if err != nil {
		f.fail(name, "an object")
		return nil
	}
	return inner
}

// objects visits the members, each of which must be an object.
func (f *fields) objects(visit func(name string, inner *fields)) {
	f.each(func(i int32) bool {
		f.tape.nodes[i].used = true
		name := f.tape.name(i)
		inner, err := fieldsOf(f.place(name), f.tape, i)
		if err != nil {
			f.fail(name, "an object")
			return false
		}
		visit(name, inner)
		return true
	})
}

// unknown is the first member that nobody has read, "" when there is none.
func (f *fields) unknown() string {
	unknown := ""
	f.each(func(i int32) bool {
		if !f.tape.nodes[i].used {
			unknown = f.tape.name(i)
		}
		return f.tape.nodes[i].used
	})
	return unknown
}

// refuseOthers makes a member that nobody has read an error: most likely it is misspelt.
func (f *fields) refuseOthers() {
	if name := f.unknown(); f.err == nil && name != "" {
		f.err = typeError(f.place(name) + " is not an option")
	}
}

// absorb takes over the error of inner fields.
func (f *fields) absorb(inner *fields) {
	if f.err == nil && inner != nil {
		f.err = inner.err
	}
}
