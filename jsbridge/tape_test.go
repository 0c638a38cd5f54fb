package jsbridge

import (
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

// read gives the members of an object as the tape has them, those of inner objects too.
func (t *tape) read(self int32) []capability.Member {
	var members []capability.Member
	f, err := fieldsOf("", t, self)
	if err != nil {
		return nil
	}
	f.each(func(i int32) bool {
		members = append(members, capability.Member{Name: t.name(i), Value: t.raw(i)})
		members = append(members, t.read(i)...)
		return true
	})
	return members
}

// membersOf gives the same by reading each level's text anew.
func membersOf(value capability.JSON) []capability.Member {
	var members []capability.Member
	for _, member := range value.Members() {
		members = append(append(members, member), membersOf(member.Value)...)
	}
	return members
}

func TestTapeReadsWhatMembersReads(t *testing.T) {
	for _, text := range []string{
		`{}`, ` { } `, `{"a":1}`, `{"a":{"b":{"c":[1,{"d":2},[]]}},"e":-1.5e+3,"f":null}`,
		"{ \"a\" :\t[ 1 , 2 ] ,\n\"b\" : { \"c\" : true } }",
		`{"\u0061":"\"}]{[,:","":"","__proto__":{"constructor":false}}`,
		`{"q":"\\","r":{"s":"\\\""},"t":"é\ud83d\ude00"}`,
	} {
		if issue := messageLimits().Check(capability.JSON(text)); issue != nil {
			t.Fatalf("%s: %v", text, issue)
		}
		got, want := makeTape(text).read(0), membersOf(capability.JSON(text))
		if len(got) != len(want) {
			t.Errorf("%s: %d members, want %d", text, len(got), len(want))
			continue
		}
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: member %d is %v, want %v", text, i, got[i], want[i])
			}
		}
	}
}

func TestTapeRemembersWhatWasRead(t *testing.T) {
	f, err := decodeObject("x", `{"a":1,"b":{"c":2},"d":3}`)
	if err != nil {
		t.Fatal(err)
	}
	if f.text("d"); f.unknown() != "a" {
		t.Errorf("the first unread member is %q, want a", f.unknown())
	}
	f.raw("a")
	inner := f.object("b")
	if f.unknown() != "" || inner.unknown() != "c" {
		t.Errorf("unread: %q outside, %q inside, want none and c", f.unknown(), inner.unknown())
	}
}
