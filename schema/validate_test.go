package schema

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

func TestValidate(t *testing.T) {
	for _, test := range []struct{ doc, value, want string }{
		// type
		{`{}`, `{"a":[1,null]}`, ""},
		{`{"type":"string"}`, `"a"`, ""},
		{`{"type":"string"}`, `1`, ": must be a string"},
		{`{"type":["string","null"]}`, `1`, ": must be a string or null"},
		{`{"type":["null","array","object"]}`, `1`, ": must be an object, an array or null"},
		{`{"type":"integer"}`, `1.0`, ""},
		{`{"type":"integer"}`, `1e2`, ""},
		{`{"type":"integer"}`, `12.5e1`, ""},
		{`{"type":"integer"}`, `1.25e1`, ": must be an integer"},
		{`{"type":"integer"}`, `9007199254740993`, ""},
		{`{"type":"integer"}`, `1e-400`, ": must be an integer"},
		{`{"type":"number"}`, `1`, ""},
		{`{"type":"number"}`, `"1"`, ": must be a number"},
		{`{"type":"boolean"}`, `0`, ": must be a boolean"},
		{`{"type":"null"}`, `{}`, ": must be null"},
		{`{"type":"object"}`, `[]`, ": must be an object"},
		{`{"type":"string","minLength":3,"enum":["abc"]}`, `1`, ": must be a string"},
		// enum, const
		{`{"enum":["a","b"]}`, `"b"`, ""},
		{`{"enum":["a","b"]}`, `"c"`, `: must be one of "a", "b"`},
		{`{"enum":[1,null,true]}`, `1.0`, ""},
		{`{"enum":[1,null,true]}`, `"1"`, ": must be one of 1, null, true"},
		{`{"enum":[100]}`, `1e2`, ""},
		{`{"enum":[0]}`, `-0.0`, ""},
		{`{"enum":[9007199254740992]}`, `9007199254740993`, ": must be 9007199254740992"},
		{`{"enum":[{"a":1,"b":[2]}]}`, `{"b":[2.0],"a":1}`, ""},
		{`{"enum":[{"a":1},[2]]}`, `[1]`, ": must be one of the 2 values that the schema lists"},
		{`{"const":{"a":1}}`, `{"a":1,"b":2}`, ": must be the value that the schema gives"},
		{`{"const":"x"}`, `"y"`, `: must be "x"`},
		{`{"const":null}`, `null`, ""},
		{`{"const":false}`, `0`, ": must be false"},
		// objects
		{`{"required":["b","a"]}`, `{}`, "a: is required\nb: is required"},
		{`{"required":["a"]}`, `[]`, ""},
		{`{"properties":{"a":{"type":"string"}}}`, `{"a":1,"b":2}`, "a: must be a string"},
		{`{"properties":{"a":{}},"additionalProperties":false}`, `{"a":1,"c":2,"b-1":3}`, "[\"b-1\"]: is not a property that the schema allows\nc: is not a property that the schema allows"},
		{`{"additionalProperties":false}`, `{"a":1}`, "a: is not a property that the schema allows"},
		{`{"additionalProperties":false}`, `{}`, ""},
		{`{"properties":{"a":{"properties":{"b c":{"required":["d"]}}}}}`, `{"a":{"b c":{}}}`, `a["b c"].d: is required`},
		{`{"properties":{"Amount":{"type":"number"}},"required":["amount"]}`, `{"Amount":1}`, "amount: is required"},
		// arrays
		{`{"items":{"type":"string"}}`, `["a",1,"b",null]`, "[1]: must be a string\n[3]: must be a string"},
		{`{"minItems":1,"maxItems":2}`, `[]`, ": must have at least 1 element"},
		{`{"minItems":1,"maxItems":2}`, `[1,2,3]`, ": must have at most 2 elements"},
		{`{"uniqueItems":true}`, `[1,"1",[1],{"a":1},{"a":"1"}]`, ""},
		{`{"uniqueItems":true}`, `[1,2,1.0]`, ": must have elements that all differ; [0] and [2] are equal"},
		{`{"uniqueItems":true}`, `[{"a":1,"b":2},{"b":2,"a":1}]`, ": must have elements that all differ; [0] and [1] are equal"},
		{`{"uniqueItems":false}`, `[1,1]`, ""},
		// strings
		{`{"minLength":2}`, `"é"`, ": must have at least 2 characters"},
		{`{"maxLength":1}`, `"😀"`, ""},
		{`{"maxLength":1}`, `"ab"`, ": must have at most 1 character"},
		{`{"pattern":"^a+$"}`, `"aab"`, ": must match the pattern ^a+$"},
		{`{"pattern":"^a+$"}`, `12`, ""},
		{`{"format":"date"}`, `"2026-02-30"`, ": must be a date, such as 2026-01-31"},
		{`{"format":"email"}`, `"junk"`, ": must be an e-mail address, such as name@example.com"},
		// numbers, exactly
		{`{"minimum":1.5}`, `1.4999999999999999999999`, ": must be at least 1.5"},
		{`{"maximum":9007199254740992}`, `9007199254740993`, ": must be at most 9007199254740992"},
		{`{"exclusiveMinimum":0}`, `0`, ": must be greater than 0"},
		{`{"exclusiveMaximum":1e300}`, `1e300`, ": must be less than 1e+300"},
		{`{"multipleOf":0.1}`, `0.3`, ""},
		{`{"multipleOf":0.1}`, `0.35`, ": must be a multiple of 0.1"},
		{`{"multipleOf":1e-400}`, `3`, ""},
		{`{"multipleOf":0.01}`, `19.99`, ""},
		{`{"minimum":5,"multipleOf":2}`, `3`, ": must be a multiple of 2\n: must be at least 5"},
		// anyOf, $ref
		{`{"anyOf":[{"type":"string"},{"minimum":3}]}`, `4`, ""},
		{`{"anyOf":[{"type":"string"},{"minimum":3}]}`, `2`, ": must match at least one of the schemas of anyOf"},
		{`{"properties":{"a":{"anyOf":[{"required":["x"]},{"type":"null"}]}}}`, `{"a":{"y":1}}`, "a: must match at least one of the schemas of anyOf"},
		{`{"type":"object","anyOf":[{"required":["a"]},{"required":["b"]}],"required":["c"]}`, `{"b":1}`, "c: is required"},
		{`{"$ref":"#/$defs/n","maximum":5,"$defs":{"n":{"minimum":3}}}`, `6`, ": must be at most 5"},
		{`{"$ref":"#/$defs/n","maximum":5,"$defs":{"n":{"minimum":3}}}`, `2`, ": must be at least 3"},
		{`{"items":{"$ref":"#/$defs/n"},"$defs":{"n":{"type":"integer"}}}`, `[1,"a"]`, "[1]: must be an integer"},
		{`{"$ref":"#/$defs/n","minimum":3,"$defs":{"n":{"minimum":3}}}`, `2`, ": must be at least 3"},
		// annotations change nothing
		{`{"$id":"https://example.com/a","items":{"$id":"b","$ref":"#/$defs/n"},"$defs":{"n":{"type":"string"}}}`, `[1]`, "[0]: must be a string"},
		{`{"properties":{"a":{"default":1}},"required":["a"]}`, `{}`, "a: is required"},
		{`{"default":1,"examples":["x"],"deprecated":true}`, `null`, ""},
	} {
		s := accept(t, test.doc)
		got := issueLines(s.Validate(decode(t, test.value)))
		if got != strings.TrimPrefix(strings.ReplaceAll(test.want, "\n: ", "\n"), ": ") {
			t.Errorf("%s on %s:\n%s\nwant:\n%s", test.doc, test.value, got, test.want)
		}
	}
}

// TestNamesAreData: names that JavaScript objects inherit are like any other.
func TestNamesAreData(t *testing.T) {
	for _, name := range []string{"__proto__", "constructor", "toString", "hasOwnProperty", "valueOf"} {
		s := accept(t, fmt.Sprintf(`{"properties":{%q:{"type":"string"}},"required":[%q],"additionalProperties":false}`, name, name))
		for _, test := range []struct{ value, want string }{
			{`{}`, name + ": is required"},
			{fmt.Sprintf(`{%q:1}`, name), name + ": must be a string"},
			{fmt.Sprintf(`{%q:"x"}`, name), ""},
			{fmt.Sprintf(`{%q:"x","b":1}`, name), "b: is not a property that the schema allows"},
		} {
			if got := issueLines(s.Validate(decode(t, test.value))); got != test.want {
				t.Errorf("%s: %q, want %q", test.value, got, test.want)
			}
		}
		closed := accept(t, `{"additionalProperties":false}`)
		if got := issueLines(closed.Validate(decode(t, fmt.Sprintf(`{%q:1}`, name)))); !strings.HasPrefix(got, name+": is not a property") {
			t.Errorf("closed object: %q", got)
		}
	}
}

// TestIssuesNeverHoldTheValue puts a secret wherever a value can be wrong.
func TestIssuesNeverHoldTheValue(t *testing.T) {
	const secret = "hunter2"
	for _, doc := range []string{
		`{"type":"number"}`, `{"enum":["a"]}`, `{"const":1}`, `{"minLength":20}`, `{"maxLength":1}`, `{"pattern":"^x"}`,
		`{"format":"uuid"}`, `{"format":"uri"}`, `{"format":"email"}`, `{"format":"date"}`, `{"format":"date-time"}`,
		`{"anyOf":[{"type":"null"}]}`,
	} {
		issues := accept(t, doc).Validate(secret)
		if len(issues) != 1 || strings.Contains(issueLines(issues), secret) {
			t.Errorf("%s: %v", doc, issues)
		}
	}
}

func TestIssuesAreBoundedAndSorted(t *testing.T) {
	s := accept(t, `{"properties":{"a":{"items":{"type":"string"}}},"required":["z","m"],"additionalProperties":false}`)
	value := decode(t, `{"a":[`+list("1", 100)+`],"c":1,"b":2}`)
	first := issueLines(s.Validate(value))
	lines := strings.Split(first, "\n")
	if len(lines) != MaxIssues {
		t.Errorf("%d issues, want %d", len(lines), MaxIssues)
	}
	if lines[0] != "a[0]: must be a string" || lines[len(lines)-1] != "z: is required" {
		t.Errorf("from %q to %q", lines[0], lines[len(lines)-1])
	}
	for range 50 {
		if again := issueLines(s.Validate(value)); again != first {
			t.Fatalf("issues differ from run to run:\n%s\n\n%s", first, again)
		}
	}
}

func TestUnexpectedNamesAreBounded(t *testing.T) {
	var members strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&members, `,"n%03d":1`, 999-i)
	}
	s := accept(t, `{"additionalProperties":false}`)
	issues := s.Validate(decode(t, `{`+members.String()[1:]+`}`))
	if len(issues) != MaxIssues || issues[0].Path != "n000" || issues[19].Path != "n019" {
		t.Errorf("%d issues: %v", len(issues), issues)
	}
}

func TestLongNamesAreCut(t *testing.T) {
	s := accept(t, `{"additionalProperties":false}`)
	issues := s.Validate(map[string]any{strings.Repeat("x", 100): nil})
	if want := `["` + strings.Repeat("x", 64) + `"]`; len(issues) != 1 || issues[0].Path != want {
		t.Errorf("%v, want path %s", issues, want)
	}
}

func TestValidateAt(t *testing.T) {
	s := accept(t, `{"type":"object","required":["a"],"properties":{"l":{"items":{"type":"null"}}}}`)
	got := issueLines(s.ValidateAt("input", decode(t, `{"l":[1]}`)))
	if want := "input.a: is required\ninput.l[0]: must be null"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := issueLines(s.ValidateAt("input", nil)); got != "input: must be an object" {
		t.Errorf("%q", got)
	}
}

// TestValuesOfOtherTypes: what Decode never builds is an issue, not a panic.
func TestValuesOfOtherTypes(t *testing.T) {
	for _, value := range []any{1, 1.5, make(chan int), struct{}{}, map[any]any{}, []string{"a"}} {
		if issues := accept(t, `{"type":"string"}`).Validate(value); len(issues) != 1 {
			t.Errorf("%T: %v", value, issues)
		}
		if issues := accept(t, `{"minLength":1,"enum":["a"]}`).Validate(value); len(issues) != 1 {
			t.Errorf("%T against enum: %v", value, issues)
		}
	}
}

func TestLongStringsFailPatterns(t *testing.T) {
	s := accept(t, `{"pattern":"^a*$"}`)
	if issues := s.Validate(strings.Repeat("a", maxMatched)); issues != nil {
		t.Errorf("%d bytes: %v", maxMatched, issues)
	}
	got := issueLines(s.Validate(strings.Repeat("a", maxMatched+1)))
	if want := "must be at most 65536 bytes, the most that a pattern is matched against"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestConcurrentValidate is for the race detector: the first calls compile.
func TestConcurrentValidate(t *testing.T) {
	s := accept(t, `{"items":{"pattern":"^\\d+$","format":"date","minLength":3}}`)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			if issues := s.Validate([]any{"x"}); len(issues) == 0 {
				t.Error("valid")
			}
		})
	}
	group.Wait()
}

func TestLoaderRefuses(t *testing.T) {
	s := accept(t, `{}`)
	for _, url := range []string{"file:///etc/passwd", "https://example.com/schema.json", "mem:other"} {
		if _, err := s.newCompiler().Compile(url); err == nil || !strings.Contains(err.Error(), "never loaded") {
			t.Errorf("%s: %v", url, err)
		}
	}
	if _, err := s.patternNamed("(?=a)"); err == nil {
		t.Error("a pattern that Parse has not translated was compiled")
	}
}

// TestFailsClosed: a schema that does not compile, which Parse rules out, makes every value invalid.
func TestFailsClosed(t *testing.T) {
	s := accept(t, `{"pattern":"a"}`)
	clear(s.patterns)
	if issues := s.Validate("a"); len(issues) != 1 || !strings.Contains(issues[0].Message, "does not compile") {
		t.Errorf("%v", issues)
	}
}

func TestIssueIsUsable(t *testing.T) {
	var issues []capability.Issue = accept(t, `{"type":"null"}`).Validate("x")
	if len(issues) != 1 || issues[0].Path != "" || issues[0].Message == "" {
		t.Errorf("%v", issues)
	}
}
