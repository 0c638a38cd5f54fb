package canonical_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
)

var wide = capability.ValueLimits{MaxBytes: 1 << 24, MaxDepth: capability.DepthCeiling}

func mustEncode(t testing.TB, text string) string {
	t.Helper()
	form, issue := canonical.Encode(capability.JSON(text), wide)
	if issue != nil {
		t.Fatalf("Encode(%.200q): %v", text, issue)
	}
	return string(form)
}

func TestEncode(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"scalars", " true ", "true"},
		{"false", "false", "false"},
		{"null", "\tnull\r\n", "null"},
		{"string", ` "a" `, `"a"`},
		{"empty string", `""`, `""`},
		{"empty object", " { } ", "{}"},
		{"empty array", " [ ] ", "[]"},
		{"nested empties", `[ { } , [ ] , [ [ ] ] ]`, `[{},[],[[]]]`},
		{"space everywhere", "\n{ \"a\" :\t[ 1 , 2 ] , \"b\" : { } }\r", `{"a":[1,2],"b":{}}`},
		{"sorted stays", `{"a":1,"b":2,"c":3}`, `{"a":1,"b":2,"c":3}`},
		{"reversed", `{"c":3,"b":2,"a":1}`, `{"a":1,"b":2,"c":3}`},
		{"last one early", `{"b":1,"c":2,"a":3}`, `{"a":3,"b":1,"c":2}`},
		{"prefix first", `{"ab":1,"a":2,"":3}`, `{"":3,"a":2,"ab":1}`},
		{"inner and outer", `{"z":{"y":[{"b":1,"a":2}],"x":0},"a":{}}`, `{"a":{},"z":{"x":0,"y":[{"a":2,"b":1}]}}`},
		{"inner sorted, outer not", `{"b":{"a":1,"b":2},"a":{"c":3}}`, `{"a":{"c":3},"b":{"a":1,"b":2}}`},
		{"array order kept", `[3,1,2]`, `[3,1,2]`},
		{"case matters", `{"a":1,"B":2}`, `{"B":2,"a":1}`},
		{"digits by code unit", `{"10":1,"9":2}`, `{"10":1,"9":2}`},
		{"names are data", `{"toString":1,"__proto__":{"b":1,"a":2}}`, `{"__proto__":{"a":2,"b":1},"toString":1}`},
		{"sorted by the decoded name", `{"\u0062":1,"a":2}`, `{"a":2,"b":1}`},
		{"escaped name equals none", `{"\u0061b":1,"a":2}`, `{"a":2,"ab":1}`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := mustEncode(t, tt.text); got != tt.want {
				t.Errorf("Encode(%q) = %s, want %s", tt.text, got, tt.want)
			}
		})
	}
}

func TestMembersSortByUTF16CodeUnits(t *testing.T) {
	// U+1F600 is D83D DE00 in UTF-16, so it comes before U+E000 and U+FB33, which have fewer bytes in UTF-8.
	names := []string{"\u007f", "\u00e9", "\u20ac", "\ud7ff", "\U00010000", "\U0001f600", "\U0010ffff", "\ue000", "\ufb33", "\uffff"}
	var text, want strings.Builder
	for i := range names {
		text.WriteString(string(capability.Quote(names[len(names)-1-i])) + ":0,")
		want.WriteString(string(capability.Quote(names[i])) + ":0,")
	}
	got := mustEncode(t, "{"+strings.TrimSuffix(text.String(), ",")+"}")
	if want := "{" + strings.TrimSuffix(want.String(), ",") + "}"; got != want {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}

func TestStrings(t *testing.T) {
	tests := []struct{ name, text, want string }{
		{"short escapes stay", `"\b\t\n\f\r\"\\"`, `"\b\t\n\f\r\"\\"`},
		{"short escapes are found", `"\u0008\u0009\u000a\u000C\u000D\u0022\u005c"`, `"\b\t\n\f\r\"\\"`},
		{"other controls lower case", `"\u001F\u000B\u0000"`, `"\u001f\u000b\u0000"`},
		{"solidus is plain", `"\/a\/\u002f"`, `"/a//"`},
		{"letters are plain", `"\u0041\u00e9\u20AC"`, `"Aé€"`},
		{"pair", `"\ud83d\uDE00 \uD834\udd1e"`, "\"\U0001f600 \U0001d11e\""},
		{"DEL and C1 are plain", `"\u007f\u0085"`, "\"\u007f\u0085\""},
		{"line separators are plain", `"\u2028\u2029"`, "\"\u2028\u2029\""},
		{"HTML is plain", `"<\u003e&"`, `"<>&"`},
		{"BOM survives", `"\ufeffa"`, "\"\ufeffa\""},
		{"no normalisation", "\"e\u0301\u00e9\"", "\"e\u0301\u00e9\""},
		{"escaped backslash before the quote", `["\\","b"]`, `["\\","b"]`},
		{"escaped quote", `["a\"b"]`, `["a\"b"]`},
		{"text around escapes", `"one\u0020two\u0020three"`, `"one two three"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			if got := mustEncode(t, tt.text); got != tt.want {
				t.Errorf("Encode(%s) = %s, want %s", tt.text, got, tt.want)
			}
		})
	}
}

func TestNumbers(t *testing.T) {
	tests := []struct{ text, want string }{
		{"0", "0"}, {"-0", "0"}, {"0.0", "0"}, {"-0e5", "0"}, {"0e400", "0"}, {"0.000e-400", "0"},
		{"1", "1"}, {"1.0", "1"}, {"1e0", "1"}, {"1E+0", "1"}, {"10e-1", "1"}, {"0.1e1", "1"}, {"-1.00", "-1"},
		{"100", "100"}, {"1e2", "100"}, {"1.5e1", "15"}, {"0.5", "0.5"}, {"5e-1", "0.5"}, {"0.50", "0.5"},
		{"12.345e1", "123.45"}, {"12.345e3", "12345"}, {"12.345e4", "123450"}, {"12345e-2", "123.45"},
		{"1e20", "100000000000000000000"}, {"1e21", "1e+21"}, {"123e19", "1.23e+21"},
		{"999999999999999999999", "999999999999999999999"}, {"-999999999999999999999", "-999999999999999999999"},
		{"1000000000000000000000", "1e+21"}, {"1234567890123456789012", "1.234567890123456789012e+21"},
		{"0.000001", "0.000001"}, {"1e-6", "0.000001"}, {"1e-7", "1e-7"}, {"0.0000001", "1e-7"},
		{"0.00000123", "0.00000123"}, {"0.000000123", "1.23e-7"}, {"-12e-9", "-1.2e-8"},
		{"9007199254740993", "9007199254740993"}, {"9007199254740993.0", "9007199254740993"},
		{"0.1000000000000000055511151231257827", "0.1000000000000000055511151231257827"},
		{"5e-324", "5e-324"}, {"1.7976931348623157e308", "1.7976931348623157e+308"}, {"1e-0000000000000000000400", "1e-400"},
	}
	for _, tt := range tests {
		if got := mustEncode(t, tt.text); got != tt.want {
			t.Errorf("Encode(%s) = %s, want %s", tt.text, got, tt.want)
		}
		if got := mustEncode(t, `{"b":[`+tt.text+`],"a":`+tt.text+` }`); got != `{"a":`+tt.want+`,"b":[`+tt.want+`]}` {
			t.Errorf("Encode(%s) in an object = %s", tt.text, got)
		}
	}
}

// Floats on both sides of every change of layout, and at the ends of the range.
func TestNumbersOfJavaScript(t *testing.T) {
	for _, bits := range []uint64{
		0x0000000000000001, 0x8000000000000001, 0x7fefffffffffffff, 0xffefffffffffffff, 0x4340000000000000,
		0xc340000000000000, 0x4430000000000000, 0x44b52d02c7e14af5, 0x44b52d02c7e14af6, 0x44b52d02c7e14af7,
		0x44b52d02c7e14af8, 0x444b1ae4d6e2ef4e, 0x444b1ae4d6e2ef4f, 0x444b1ae4d6e2ef50, 0x3eb0c6f7a0b5ed8c,
		0x3eb0c6f7a0b5ed8d, 0x41b3de4355555553, 0x41b3de4355555557, 0xbecbf647612f3696, 0x43143ff3c1cb0959,
	} {
		want, err := json.Marshal(math.Float64frombits(bits)) // encoding/json lays floats out as JavaScript does
		if err != nil {
			t.Fatal(err)
		}
		if got := mustEncode(t, string(want)); got != string(want) {
			t.Errorf("%x: Encode(%s) = %s", bits, want, got)
		}
	}
}

func TestRefused(t *testing.T) {
	tests := []struct{ name, text, path, message string }{
		{"absent", "", "", "valid JSON"},
		{"trailing", "1 2", "", "valid JSON"},
		{"twice", `{"a":1,"b":2,"a":3}`, "a", "twice"},
		{"twice, next to each other", `{"a":1,"a":1}`, "a", "twice"},
		{"twice, spelled differently", `{"a":1,"\u0061":1}`, "a", "twice"},
		{"twice, with the escape first", `{"\u0061":1,"a":1}`, "a", "twice"},
		{"twice, deep", `{"x":[0,{"z":1,"y":{"q w":1,"a":2,"q w":2}}]}`, `x[1].y["q w"]`, "twice"},
		{"__proto__ twice", `{"__proto__":1,"__proto__":1}`, "__proto__", "twice"},
		{"lone high surrogate", `["\ud800"]`, "[0]", "lone surrogate"},
		{"lone low surrogate in a name", `{"\udc00":1}`, "", "lone surrogate"},
		{"invalid UTF-8", "\"\xff\"", "", "UTF-8"},
		{"infinite", `{"a":1e309}`, "a", "64-bit float"},
		{"vast exponent", "1e401", "", "exponent"},
		{"vast canonical exponent", `{"b":0,"a":[1,0.` + strings.Repeat("0", 100) + `1e-400]}`, "a[1]", "exponent"},
		{"vast canonical exponent in an object", `[{"b":0,"a":0.01e-400}]`, "[0].a", "exponent"},
		{"vast canonical exponent at the root", `0.01e-400`, "", "exponent"},
		{"canonical form too long", "1." + strings.Repeat("1", 995) + "e-5", "", "1000 characters"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			form, issue := canonical.Encode(capability.JSON(tt.text), wide)
			if issue == nil {
				t.Fatalf("Encode(%.100q) = %.100s, want an issue", tt.text, form)
			}
			if issue.Path != tt.path || !strings.Contains(issue.Message, tt.message) || form != "" {
				t.Errorf("Encode(%.100q) = %q, %v; want an issue at %q about %q", tt.text, form, issue, tt.path, tt.message)
			}
			if digest, issue := canonical.Digest(capability.JSON(tt.text), wide); issue == nil || digest != "" {
				t.Errorf("Digest(%.100q) = %q, %v; want the issue", tt.text, digest, issue)
			}
		})
	}
}

func TestLimitsAreKept(t *testing.T) {
	tests := []struct {
		text   string
		limits capability.ValueLimits
		want   string
	}{
		{`[1,2]`, capability.ValueLimits{MaxBytes: 4, MaxDepth: 5}, "4 bytes"},
		{`[[1]]`, capability.ValueLimits{MaxBytes: 9, MaxDepth: 1}, "1 levels"},
		{`9007199254740993`, capability.ValueLimits{MaxBytes: 99, Float64Integers: true}, "2^53"},
	}
	for _, tt := range tests {
		if _, issue := canonical.Encode(capability.JSON(tt.text), tt.limits); issue == nil || !strings.Contains(issue.Message, tt.want) {
			t.Errorf("Encode(%s) = %v, want an issue about %q", tt.text, issue, tt.want)
		}
	}
}

func TestDigest(t *testing.T) {
	sum := sha256.Sum256([]byte(`{"a":1,"b":[true,null]}`))
	want := hex.EncodeToString(sum[:])
	for _, text := range []string{`{"a":1,"b":[true,null]}`, ` { "b" : [ true , null ] , "\u0061" : 10e-1 } `} {
		got, issue := canonical.Digest(capability.JSON(text), wide)
		if issue != nil || got != want {
			t.Errorf("Digest(%s) = %s, %v; want %s", text, got, issue, want)
		}
	}
	if other, _ := canonical.Digest(`{"a":2,"b":[true,null]}`, wide); other == want {
		t.Error("different values have one digest")
	}
}

func TestEqual(t *testing.T) {
	tests := []struct {
		a, b string
		want bool
	}{
		{"", "", true}, {"", "null", false}, {"null", "null", true}, {"1", "1.0", true}, {"-0", "0", true},
		{"9007199254740993", "9007199254740992", false}, {"1e2", "100", true}, {"0.1", "0.10000000000000001", false},
		{`"1"`, "1", false}, {"true", "false", false}, {"[]", "{}", false}, {"[1,2]", "[2,1]", false},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, true}, {`{"a":1}`, `{"a":1,"b":null}`, false},
		{`{"a":1}`, `{"A":1}`, false}, {`"\u0061"`, `"a"`, true}, {"\"e\u0301\"", "\"\u00e9\"", false},
		{`{"a":1,"a":1}`, `{"a":1}`, false}, {`{"a":1,"a":1}`, `{"a":1,"a":1}`, true}, {"[", "[", true}, {"[", "[ ", false},
		{" 1", "1 ", true},
	}
	for _, tt := range tests {
		if got := canonical.Equal(capability.JSON(tt.a), capability.JSON(tt.b)); got != tt.want {
			t.Errorf("Equal(%s, %s) = %v", tt.a, tt.b, got)
		}
		if got := canonical.Equal(capability.JSON(tt.b), capability.JSON(tt.a)); got != tt.want {
			t.Errorf("Equal(%s, %s) = %v", tt.b, tt.a, got)
		}
	}
}

func TestDepth(t *testing.T) {
	nested := func(depth int) capability.JSON {
		return capability.JSON(strings.Repeat(`[`, depth) + strings.Repeat(`]`, depth))
	}
	unbounded := capability.ValueLimits{MaxBytes: math.MaxInt, MaxDepth: math.MaxInt}
	if !canonical.Equal(nested(capability.DepthCeiling), " "+nested(capability.DepthCeiling)) {
		t.Error("a value at the ceiling does not equal itself")
	}
	for _, depth := range []int{capability.DepthCeiling + 1, 1_000_000} {
		if _, issue := canonical.Encode(nested(depth), unbounded); issue == nil || !strings.Contains(issue.Message, "256 levels") {
			t.Errorf("depth %d: %v, want an issue about 256 levels", depth, issue)
		}
		if canonical.Equal(nested(depth), " "+nested(depth)) || !canonical.Equal(nested(depth), nested(depth)) {
			t.Errorf("depth %d: want a text that is equal to itself only", depth)
		}
	}
}

// An object out of order at every level is moved once a level: the ceiling on depth bounds the work.
func TestUnsortedAtEveryLevel(t *testing.T) {
	const levels = 200
	text := strings.Repeat(`{"b":`, levels) + "0" + strings.Repeat(`,"a":1}`, levels)
	want := strings.Repeat(`{"a":1,"b":`, levels) + "0" + strings.Repeat("}", levels)
	if got := mustEncode(t, text); got != want {
		t.Errorf("got %.100s…", got)
	}
}

func TestManyMembers(t *testing.T) {
	const count = 20_000
	var members []string
	for i := range count {
		members = append(members, `"`+hex.EncodeToString([]byte{byte(i >> 8), byte(i)})+`":1`)
	}
	want := "{" + strings.Join(members, ",") + "}"
	slices.Reverse(members)
	if got := mustEncode(t, "{"+strings.Join(members, " , ")+"}"); got != want {
		t.Error("the members are not in order")
	}
}
