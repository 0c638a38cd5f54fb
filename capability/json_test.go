package capability_test

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

// wide is what natural values never exceed.
var wide = capability.ValueLimits{MaxBytes: 16 << 20, MaxDepth: capability.DepthCeiling}

// inPage is wide, in a JavaScript host.
var inPage = capability.ValueLimits{MaxBytes: 16 << 20, MaxDepth: capability.DepthCeiling, Float64Integers: true}

func TestDecode(t *testing.T) {
	n := func(s string) json.Number { return json.Number(s) }
	tests := []struct {
		text string
		want any
	}{
		{"null", nil}, {" true\n", true}, {"\tfalse\r", false}, {`""`, ""}, {"0", n("0")}, {"-0", n("-0")},
		{"-12.50e+3", n("-12.50e+3")}, {"9007199254740993", n("9007199254740993")}, {"1e400", nil},
		{"[]", []any{}}, {"{}", map[string]any{}}, {"[ ]", []any{}}, {"{ }", map[string]any{}},
		{`[1,"a",[null],{}]`, []any{n("1"), "a", []any{nil}, map[string]any{}}},
		{`{"a":{"b":[1 , 2]},"":true}`, map[string]any{"a": map[string]any{"b": []any{n("1"), n("2")}}, "": true}},
		{`{"__proto__":1,"constructor":2,"toString":3}`, map[string]any{"__proto__": n("1"), "constructor": n("2"), "toString": n("3")}},
		{`{"Amount":1,"amount":2}`, map[string]any{"Amount": n("1"), "amount": n("2")}},
		{`"\"\\\/\b\f\n\r\t\u0041\u00e9\ud83d\ude00\u0000"`, "\"\\/\b\f\n\r\tAé\U0001f600\x00"},
		{`"é` + "\U0001f600\u2028\ufeff\x7f" + `"`, "é\U0001f600\u2028\ufeff\x7f"},
		{`{"\u0061\"":"x"}`, map[string]any{`a"`: "x"}},
	}
	for _, tt := range tests {
		got, issue := wide.Decode(capability.JSON(tt.text))
		if tt.text == "1e400" {
			if issue == nil {
				t.Error("1e400 is taken")
			}
			continue
		}
		if issue != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("Decode(%s) = %#v, %v; want %#v", tt.text, got, issue, tt.want)
		}
	}
}

func TestSyntaxIsRefused(t *testing.T) {
	for _, text := range []string{
		"", " ", "nul", "nulll", "True", "undefined", "NaN", "Infinity", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x1", "1 2", "1,",
		"[", "]", "[1", "[1,", "[1,]", "[,]", "[1 2]", "{", "}", "{a:1}", "{'a':1}", `{"a"}`, `{"a":}`, `{"a":1,}`, `{"a":1`, `{"a" 1}`,
		`{1:2}`, `{,}`, `[}`, `{]`, `{"a":1]`, `[1}`, `"`, `"a`, `"\`, `"\"`, `"\x"`, `"\u"`, `"\u12"`, `"\u12g4"`, "\"\n\"", "\"\x00\"", "\"\x1f\"",
		"\ufeff1", "1\x00", "/**/1", "1//", "\v1", "\u00a01", "[1]]", "{}{}", `"a""b"`, "tru\x00",
	} {
		if _, issue := wide.Decode(capability.JSON(text)); issue == nil || !strings.Contains(issue.Message, "valid JSON") {
			t.Errorf("Decode(%q): %v, want an issue about valid JSON", text, issue)
		}
	}
}

func TestIssues(t *testing.T) {
	tests := []struct{ name, text, path, message string }{
		{"twice", `{"a":1,"a":2}`, "a", "must not be given twice in one object"},
		{"twice deep", `[{"b":{"x y":1,"\u0078 y":2}}]`, `[0].b["x y"]`, "must not be given twice in one object"},
		{"__proto__ twice", `{"__proto__":1,"__proto__":2}`, "__proto__", "must not be given twice in one object"},
		{"lone high surrogate", `["\ud800"]`, "[0]", "must not contain a lone surrogate"},
		{"lone low surrogate", `{"a":"\udc00"}`, "a", "must not contain a lone surrogate"},
		{"two high surrogates", `"\ud800\ud800"`, "", "must not contain a lone surrogate"},
		{"high surrogate, then a letter", `"\ud800\u0041"`, "", "must not contain a lone surrogate"},
		{"high surrogate, then plain text", `"\ud800x"`, "", "must not contain a lone surrogate"},
		{"invalid UTF-8", "{\"a\":[1,\"\xff\"]}", "a[1]", "must be valid UTF-8"},
		{"overlong NUL", "\"\xc0\x80\"", "", "must be valid UTF-8"},
		{"surrogate in UTF-8", "\"\xed\xa0\x80\"", "", "must be valid UTF-8"},
		{"invalid UTF-8 in a name", "{\"\xff\":1}", "", "must be valid UTF-8"},
		{"1e999", `{"a":1e999}`, "a", "must be a number with an exponent within ±400"},
		{"1e-401", "1e-401", "", "must be a number with an exponent within ±400"},
		{"endless exponent", "1e" + strings.Repeat("9", 100_000), "", "must be a number with an exponent within ±400"},
		{"1e400", "1e400", "", "must be a number that a 64-bit float can hold"},
		{"-1e309", "-1e309", "", "must be a number that a 64-bit float can hold"},
		{"400 digits", strings.Repeat("9", 400), "", "must be a number that a 64-bit float can hold"},
		{"309 digits and a fraction", strings.Repeat("9", 309) + ".5", "", "must be a number that a 64-bit float can hold"},
		{"1001 characters", "0." + strings.Repeat("1", 999), "", "must be a number of at most 1000 characters"},
		{"syntax at a place", `{"a":[1,x]}`, "a[1]", "must be valid JSON, and is not at byte 8"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			value, issue := wide.Decode(capability.JSON(tt.text))
			if issue == nil {
				t.Fatalf("Decode(%.100q) = %v", tt.text, value)
			}
			if issue.Path != tt.path || issue.Message != tt.message {
				t.Errorf("Decode(%.100q): %q at %q, want %q at %q", tt.text, issue.Message, issue.Path, tt.message, tt.path)
			}
		})
	}
}

func TestNumbersThatAreTaken(t *testing.T) {
	for _, text := range []string{
		"1.7976931348623157e308", "-1.7976931348623157e308", "5e-324", "1e-400", "0e400", "0.0000001e-400",
		strings.Repeat("9", 308), "0." + strings.Repeat("1", 998), "1e-0000400", "123456789012345678901234567890",
	} {
		value, issue := wide.Decode(capability.JSON(text))
		if issue != nil || value != json.Number(text) {
			t.Errorf("Decode(%.40s) = %v, %v", text, value, issue)
		}
	}
}

func TestIntegersOfAPage(t *testing.T) {
	tests := []struct {
		text string
		ok   bool
	}{
		{"9007199254740992", true}, {"-9007199254740992", true}, {"999999999999999", true},
		{"9007199254740993", false}, {"-9007199254740993", false}, {"9223372036854775808", false},
		{"100000000000000000000", false}, {"1e300", true}, {"1e21", true}, {"-1.5e300", true},
		{"9007199254740993.0", false}, {"-9007199254740993.00", false}, {"90071992547409930e-1", false}, {"1e16", false},
		{"9007199254740991.0", true}, {"9e15", true}, {"1234567890123456.5", true}, {"1e-7", true}, {"1.5", true}, {"0.1234567890123456789", true},
	}
	for _, tt := range tests {
		if issue := inPage.Check(capability.JSON(tt.text)); (issue == nil) != tt.ok {
			t.Errorf("Check(%s) = %v", tt.text, issue)
		}
		if issue := wide.Check(capability.JSON(tt.text)); issue != nil {
			t.Errorf("natively, Check(%s) = %v", tt.text, issue)
		}
	}
}

func nested(depth int) capability.JSON {
	return capability.JSON(strings.Repeat("[", depth) + strings.Repeat("]", depth))
}

func TestDepth(t *testing.T) {
	tests := []struct {
		text  capability.JSON
		limit int
		ok    bool
	}{
		{"1", 0, true}, {"[]", 0, false}, {"{}", 0, false}, {"[]", 1, true}, {"[[]]", 1, false}, {"[[],[]]", 2, true},
		{`{"a":{"b":[]}}`, 3, true}, {`{"a":{"b":[]}}`, 2, false},
		{nested(64), 64, true}, {nested(65), 64, false}, {nested(256), 256, true},
		{nested(257), math.MaxInt, false}, {nested(100_000), 64, false}, {nested(100_000), math.MaxInt, false},
		{capability.JSON(strings.Repeat("[", 100_000)), 64, false},
		{capability.JSON(strings.Repeat(`{"a":`, 100_000)), math.MaxInt, false},
		{capability.JSON("[" + strings.Repeat("[],", 100_000) + "[]]"), 2, true},
	}
	for _, tt := range tests {
		limits := capability.ValueLimits{MaxBytes: 1 << 20, MaxDepth: tt.limit}
		if _, issue := limits.Decode(tt.text); (issue == nil) != tt.ok {
			t.Errorf("Decode(%.30q…) at depth %d: %v", tt.text, tt.limit, issue)
		} else if issue != nil && !strings.Contains(issue.Message, fmt.Sprintf("at most %d levels", min(tt.limit, 256))) {
			t.Errorf("Decode(%.30q…) at depth %d: %v does not name the limit", tt.text, tt.limit, issue)
		}
	}
}

func TestBytes(t *testing.T) {
	ten := capability.JSON(`"` + strings.Repeat("x", 10<<20) + `"`)
	limits := capability.ValueLimits{MaxBytes: 262144, MaxDepth: 64}
	if issue := limits.Check(ten); issue == nil || issue.Message != "must be at most 262144 bytes of JSON" {
		t.Errorf("10 MB: %v", issue)
	}
	for name, text := range map[string]capability.JSON{
		"one string":     ten,
		"many escapes":   capability.JSON(`"` + strings.Repeat(`\ud83d\ude00`, 800_000) + `"`),
		"many numbers":   capability.JSON("[" + strings.Repeat("1e-300,", 1_400_000) + "0]"),
		"only spaces":    capability.JSON(strings.Repeat(" ", 10<<20)),
		"one long digit": capability.JSON(strings.Repeat("1", 10<<20)),
		"unclosed":       capability.JSON("[" + strings.Repeat(`"a",`, 2_500_000)),
	} {
		issue := wide.Check(text)
		if refused := name == "only spaces" || name == "one long digit" || name == "unclosed"; (issue != nil) != refused {
			t.Errorf("%s: %v", name, issue)
		}
	}
}

func TestIssueNeverHoldsTheValue(t *testing.T) {
	const secret = "hunter2"
	for _, text := range []string{
		`["` + secret + `\ud800"]`, `[` + secret + `]`, "[\"" + secret + "\xff\"]", `{"a":"` + secret + `","a":1}`, `"` + secret,
	} {
		_, issue := wide.Decode(capability.JSON(text))
		if issue == nil || strings.Contains(issue.Error(), secret) {
			t.Errorf("Decode(%q): %v", text, issue)
		}
	}
}

func TestIssueError(t *testing.T) {
	if got := (&capability.Issue{Path: "a[0]", Message: "must be set"}).Error(); got != "a[0]: must be set" {
		t.Error(got)
	}
	if got := (&capability.Issue{Message: "must be set"}).Error(); got != "must be set" {
		t.Error(got)
	}
}

func TestJSONInsideEncodingJSON(t *testing.T) {
	type envelope struct {
		Value capability.JSON `json:"value"`
		Other capability.JSON `json:"other"`
	}
	text, err := json.Marshal(envelope{Value: `{"a":1e2}`})
	if err != nil || string(text) != `{"value":{"a":1e2},"other":null}` {
		t.Errorf("Marshal = %s, %v", text, err)
	}
	var back envelope
	if err := json.Unmarshal([]byte(`{"value":[1.0, 2]}`), &back); err != nil || back.Value != "[1.0, 2]" || !back.Other.Absent() {
		t.Errorf("Unmarshal = %+v, %v", back, err)
	}
}

// FuzzDecode compares with encoding/json: what Decode takes, encoding/json takes and reads as the same value;
// what it refuses is no JSON, or breaks one of the rules that encoding/json does not have.
func FuzzDecode(f *testing.F) {
	for _, text := range []string{
		`{"a":[1,-0.5e3,true,null,"\u00e9\ud83d\ude00"]}`, `{"a":1,"a":2}`, `"\ud800"`, "\"\xff\"", "1e999", "[[[]]]", "9007199254740993",
		strings.Repeat("9", 400), `{"__proto__":{}}`, "nul", `"\`, "1.", "[1,]", " 1 ",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		value, issue := wide.Decode(capability.JSON(text))
		if issue != nil && issue.Message == "" {
			t.Fatalf("Decode(%q): an issue without a message", text)
		}
		syntax := issue != nil && strings.Contains(issue.Message, "valid JSON")
		if valid := json.Valid([]byte(text)); valid && syntax || !valid && issue == nil {
			t.Fatalf("Decode(%q): %v, but for encoding/json it is valid: %v", text, issue, valid)
		}
		if issue != nil {
			return
		}
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		var want any
		if err := decoder.Decode(&want); err != nil || !reflect.DeepEqual(value, want) {
			t.Fatalf("Decode(%q) = %#v, encoding/json has %#v, %v", text, value, want, err)
		}
		checkNumbers(t, value)
		checkParts(t, capability.JSON(text), value)
	})
}

func checkNumbers(t *testing.T, value any) {
	t.Helper()
	switch value := value.(type) {
	case json.Number:
		if float, _ := value.Float64(); math.IsInf(float, 0) {
			t.Fatalf("%s is taken, and is infinite", value)
		}
	case []any:
		for _, item := range value {
			checkNumbers(t, item)
		}
	case map[string]any:
		for _, item := range value {
			checkNumbers(t, item)
		}
	}
}
