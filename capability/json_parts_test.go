package capability_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"pgregory.net/rapid"
)

func TestMembers(t *testing.T) {
	type members = []capability.Member
	tests := []struct {
		text string
		want members
	}{
		{"", nil}, {"1", nil}, {`"{"`, nil}, {"[{}]", nil}, {"{}", nil}, {" { } ", nil},
		{`{"a":1}`, members{{"a", "1"}}},
		{` { "b" : -1.5e3 , "a" : "x" } `, members{{"b", "-1.5e3"}, {"a", `"x"`}}},
		{`{"a":{"b":[1,{"c":"}"}]},"d":[]}`, members{{"a", `{"b":[1,{"c":"}"}]}`}, {"d", "[]"}}},
		{`{"a":"\"},\\","\u0062":null,"c":true}`, members{{"a", `"\"},\\"`}, {"b", "null"}, {"c", "true"}}},
		{`{"":"","__proto__":false}`, members{{"", `""`}, {"__proto__", "false"}}},
	}
	for _, tt := range tests {
		if got := capability.JSON(tt.text).Members(); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("Members(%s) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestElements(t *testing.T) {
	type elements = []capability.JSON
	tests := []struct {
		text string
		want elements
	}{
		{"", nil}, {"1", nil}, {"{}", nil}, {"[]", nil}, {" [ ] ", nil},
		{"[1]", elements{"1"}},
		{" [ 1 , [ 2 , 3 ] , { \"a\" : [ ] } , \"],\" ,null] ", elements{"1", "[ 2 , 3 ]", `{ "a" : [ ] }`, `"],"`, "null"}},
	}
	for _, tt := range tests {
		if got := capability.JSON(tt.text).Elements(); !reflect.DeepEqual(got, tt.want) {
			t.Errorf("Elements(%s) = %q, want %q", tt.text, got, tt.want)
		}
	}
}

func TestText(t *testing.T) {
	tests := []struct {
		text, want string
		ok         bool
	}{
		{"", "", false}, {"1", "", false}, {"null", "", false}, {`["a"]`, "", false},
		{`""`, "", true}, {` "a" `, "a", true}, {`"\u0000\ud83d\ude00\/"`, "\x00\U0001f600/", true},
	}
	for _, tt := range tests {
		if got, ok := capability.JSON(tt.text).Text(); got != tt.want || ok != tt.ok {
			t.Errorf("Text(%s) = %q, %v", tt.text, got, ok)
		}
	}
}

func TestKind(t *testing.T) {
	for text, want := range map[capability.JSON]byte{"": 0, " \t\r\n": 0, " {}": '{', "[": '[', "\n\"a\"": '"', "true": 't', "false": 'f', "null": 'n', "-1": '-', " 7": '7'} {
		if got := text.Kind(); got != want {
			t.Errorf("Kind(%q) = %q, want %q", text, got, want)
		}
	}
	if !capability.JSON("").Absent() || capability.JSON("null").Absent() {
		t.Error("absence is the empty text and nothing else")
	}
}

// checkParts holds that the members and elements of a text decode to those of its value.
func checkParts(t interface{ Fatalf(string, ...any) }, text capability.JSON, value any) {
	decode := func(part capability.JSON) any {
		decoded, issue := wide.Decode(part)
		if issue != nil || strings.TrimSpace(string(part)) != string(part) {
			t.Fatalf("part %q of %q: %v", part, text, issue)
		}
		return decoded
	}
	switch value := value.(type) {
	case map[string]any:
		again := map[string]any{}
		for _, member := range text.Members() {
			again[member.Name] = decode(member.Value)
			checkParts(t, member.Value, again[member.Name])
		}
		if !reflect.DeepEqual(again, value) {
			t.Fatalf("the members of %q are %v", text, again)
		}
	case []any:
		again := []any{}
		for _, element := range text.Elements() {
			again = append(again, decode(element))
			checkParts(t, element, again[len(again)-1])
		}
		if !reflect.DeepEqual(again, value) {
			t.Fatalf("the elements of %q are %v", text, again)
		}
	case string:
		if got, ok := text.Text(); !ok || got != value {
			t.Fatalf("the text of %q is %q", text, got)
		}
	}
}

func TestPartsMakeUpTheWhole(t *testing.T) {
	space := rapid.SampledFrom([]string{"", "", " ", "\n", "\t\r "})
	scalar := rapid.OneOf(
		rapid.SampledFrom([]string{"null", "true", "false", "0", "-1.5e-3", `"]"`, `"}\""`, `"\\"`, `","`}),
		rapid.Map(rapid.String(), func(s string) string { return string(capability.Quote(s)) }),
	)
	var value func(depth int) *rapid.Generator[string]
	value = func(depth int) *rapid.Generator[string] {
		if depth == 0 {
			return scalar
		}
		return rapid.Custom(func(t *rapid.T) string {
			items := rapid.SliceOfN(value(depth-1), 0, 4).Draw(t, "items")
			gap := space.Draw(t, "gap")
			if rapid.Bool().Draw(t, "array") {
				return gap + "[" + gap + strings.Join(items, gap+","+gap) + gap + "]" + gap
			}
			for i := range items {
				items[i] = string(capability.Quote(string(rune('a'+i)))) + gap + ":" + gap + items[i]
			}
			return gap + "{" + gap + strings.Join(items, gap+","+gap) + gap + "}" + gap
		})
	}
	rapid.Check(t, func(t *rapid.T) {
		text := capability.JSON(value(rapid.IntRange(0, 3).Draw(t, "depth")).Draw(t, "text"))
		decoded, issue := wide.Decode(text)
		if issue != nil {
			t.Fatalf("Decode(%q): %v", text, issue)
		}
		checkParts(t, text, decoded)
	})
}
