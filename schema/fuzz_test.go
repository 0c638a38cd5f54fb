package schema

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/pagewarden/pagewarden/capability"
)

// FuzzParse: any text is refused with a *SubsetError or compiles.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"type":"object","properties":{"a":{"$ref":"#/$defs/n"}},"required":["a"],"$defs":{"n":{"minimum":1e3,"multipleOf":0.1}}}`,
		`{"anyOf":[{"pattern":"^\\s{1,1001}$"},{"format":"uri"},{"items":{"enum":[1,"a",null]},"uniqueItems":true}]}`,
		`{"minItems":1e400}`, `{"$id":"x","$schema":"y","$ref":"#"}`, doubling(4), `{"items":[{}]}`, `[`, `{"a":1,"a":2}`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, doc string) {
		s, err := Parse(capability.JSON(doc), Limits{})
		var subset *SubsetError
		if err != nil {
			if !errors.As(err, &subset) || subset.Message == "" || !utf8.ValidString(subset.Path) {
				t.Fatalf("%q: %v", doc, err)
			}
			return
		}
		if err := s.compile(); err != nil {
			t.Fatalf("%q: %v", doc, err)
		}
		if s.root.size > MaxSubschemas {
			t.Fatalf("%q: %d subschemas", doc, s.root.size)
		}
		checkIssues(t.Fatalf, s.Validate(nil))
	})
}

// FuzzPattern: any pattern is refused or gives a program within its bounds that runs.
func FuzzPattern(f *testing.F) {
	for _, c := range patternCases(f) {
		subject := ""
		if len(c.Matches) > 0 {
			subject = c.Matches[0]
		}
		f.Add(c.Pattern, subject)
	}
	f.Fuzz(func(t *testing.T, source, subject string) {
		if !utf8.ValidString(source) || len(source) > 16384 {
			return
		}
		p, err := translatePattern(source)
		if err != nil {
			if err.Error() == "" {
				t.Fatalf("%q is refused without a reason", source)
			}
			return
		}
		if p.size > maxProgram {
			t.Fatalf("%q: %d instructions", source, p.size)
		}
		if err := p.compile(); err != nil {
			t.Fatalf("%q, written %q: %v", source, p.translated, err)
		}
		if len(subject) <= 1000 {
			p.MatchString(subject)
		}
		checkLiteral(t, p, source)
	})
}

// checkLiteral: a pattern without any syntax matches exactly the texts that contain it.
func checkLiteral(t *testing.T, p *pattern, source string) {
	t.Helper()
	if strings.ContainsAny(source, `^$\.*+?()[]{}|`) {
		return
	}
	if !p.MatchString("x" + source + "x") {
		t.Fatalf("%q, written %q, does not match itself", source, p.translated)
	}
}

// FuzzValidate: a document and a value, both any text, give issues in order, the same each time, within the bound.
func FuzzValidate(f *testing.F) {
	for _, seed := range [][2]string{
		{`{"type":"object","properties":{"a":{"type":"integer","minimum":3}},"required":["b"],"additionalProperties":false}`, `{"a":1.5,"c":[]}`},
		{`{"items":{"anyOf":[{"type":"string","pattern":"^a"},{"enum":[1,{"x":[null]}]}]},"uniqueItems":true,"minItems":2}`, `["a",1,{"x":[null]},"b"]`},
		{`{"multipleOf":0.01,"maximum":1e300}`, `-1.7e-308`}, {`{"format":"date-time"}`, `"2026-01-31T12:00:00Z"`},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"const":{"__proto__":1}}}}`, `{"__proto__":1.0}`},
	} {
		f.Add(seed[0], seed[1])
	}
	f.Fuzz(func(t *testing.T, doc, text string) {
		s, err := Parse(capability.JSON(doc), Limits{})
		if err != nil {
			return
		}
		value, issue := capability.ValueLimits{MaxBytes: 1 << 14, MaxDepth: 64}.Decode(capability.JSON(text))
		if issue != nil {
			return
		}
		steps, issues := measureWalk(t, s, value, maxSteps/20)
		checkIssues(t.Fatalf, issues)
		if steps > maxSteps/10 {
			t.Fatalf("%d steps", steps)
		}
		if again, second := measureWalk(t, s, value, maxSteps/20); again != steps || issueLines(second) != issueLines(issues) {
			t.Fatalf("%v, then %v", issues, second)
		}
	})
}
