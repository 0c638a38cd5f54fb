package jsbridge

import (
	"fmt"
	"strconv"
	"time"

	"github.com/pagewarden/pagewarden/capability"
)

// fields reads the members of an object that the script wrote. The first thing that is wrong stays in err;
// reading goes on with zero values.
type fields struct {
	where   string
	members []capability.Member
	used    []bool
	err     error
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
	return objectOf(where, capability.JSON(text))
}

// objectOf reads a value that has been checked.
func objectOf(where string, value capability.JSON) (*fields, error) {
	if value.Kind() != '{' {
		return nil, typeError(where + " must be an object")
	}
	members := value.Members()
	return &fields{where: where, members: members, used: make([]bool, len(members))}, nil
}

// raw is the member name, absent when there is none.
func (f *fields) raw(name string) capability.JSON {
	for i := range f.members {
		if f.members[i].Name == name {
			f.used[i] = true
			return f.members[i].Value
		}
	}
	return ""
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
	value := f.raw(name)
	if value.Absent() {
		return nil
	}
	inner, err := objectOf(f.place(name), value)
	if err != nil {
		f.fail(name, "an object")
		return nil
	}
	return inner
}

// unknown is the first member that nobody has read, "" when there is none.
func (f *fields) unknown() string {
	for i := range f.members {
		if !f.used[i] {
			return f.members[i].Name
		}
	}
	return ""
}

// absorb takes over the error of inner fields.
func (f *fields) absorb(inner *fields) {
	if f.err == nil && inner != nil {
		f.err = inner.err
	}
}
