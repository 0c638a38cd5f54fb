package schema

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// patternCase is one case of testdata/patterns.json, which the browser suite reads too.
type patternCase struct {
	Pattern  string   `json:"pattern"`
	Accepted bool     `json:"accepted"`
	ECMA     string   `json:"ecma"`
	Refusal  string   `json:"refusal"`
	Matches  []string `json:"matches"`
	Misses   []string `json:"misses"`
}

func patternCases(t testing.TB) []patternCase {
	t.Helper()
	raw, err := os.ReadFile("testdata/patterns.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Cases []patternCase }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Cases) < 150 {
		t.Fatalf("%d cases, want all of them", len(file.Cases))
	}
	return file.Cases
}

func TestPatternCases(t *testing.T) {
	for _, c := range patternCases(t) {
		p, err := translatePattern(c.Pattern)
		if !c.Accepted {
			if err == nil || !strings.Contains(err.Error(), c.Refusal) {
				t.Errorf("%q: %v, want a refusal with %q", shorten(c.Pattern), err, c.Refusal)
			}
			continue
		}
		if err != nil {
			t.Errorf("%q: %v", shorten(c.Pattern), err)
			continue
		}
		if err := p.compile(); err != nil {
			t.Errorf("%q: %v", shorten(c.Pattern), err)
			continue
		}
		for _, s := range c.Matches {
			if !p.MatchString(s) {
				t.Errorf("%q does not match %q; written as %s", shorten(c.Pattern), shorten(s), shorten(p.translated))
			}
		}
		for _, s := range c.Misses {
			if p.MatchString(s) {
				t.Errorf("%q matches %q; written as %s", shorten(c.Pattern), shorten(s), shorten(p.translated))
			}
		}
	}
}

// TestPatternsReachTheSchema: a refusal names the place, a match is found through Validate.
func TestPatternsReachTheSchema(t *testing.T) {
	err := refusal(t, `{"properties":{"name":{"pattern":"(?!a)b"}}}`)
	if err.Path != "properties.name.pattern" || !strings.HasPrefix(err.Message, "pattern cannot be used: look-around") {
		t.Errorf("{%q %q}", err.Path, err.Message)
	}
	s := accept(t, `{"pattern":"^\\s$"}`)
	if issues := s.Validate("\u00a0"); issues != nil {
		t.Errorf("NBSP: %v", issues)
	}
}

// TestGroupNamesOfAlternatives is newer than some engines that run the cases.
func TestGroupNamesOfAlternatives(t *testing.T) {
	p, err := translatePattern(`^(?:(?<n>a)|(?<n>b))$`)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.compile(); err != nil || !p.MatchString("b") || p.MatchString("c") {
		t.Errorf("%v", err)
	}
	if _, err := translatePattern(`(?:(?<n>a)|(?<n>b))(?<n>c)`); err == nil {
		t.Error("a name that two groups of one match can have was accepted")
	}
}

// TestErrorsCountCharacters: the place of a syntax error is in characters, not bytes.
func TestErrorsCountCharacters(t *testing.T) {
	_, err := translatePattern("éé(")
	if err == nil || !strings.Contains(err.Error(), "at character 3 it has an unclosed") {
		t.Errorf("%v", err)
	}
}

func TestRepeatsAreSplit(t *testing.T) {
	for _, test := range []struct{ source, written string }{
		{"a*", "(?:(?:a){0,})"},
		{"a{3}", "(?:(?:a){3,3})"},
		{"a{2500}", "(?:(?:a){1000}(?:a){1000}(?:a){500})"},
		{"a{0,1001}", "(?:(?:a){0,1000}(?:a){0,1})"},
		{"a{1001,}", "(?:(?:a){1}(?:a){1000,})"},
		{"(?:a{600}){3}", "(?:(?:(?:(?:a){600,600})){1}(?:(?:(?:a){600,600})){1}(?:(?:(?:a){600,600})){1})"},
		{"a{0}", "(?:)"},
		{"(?:^)?b", `(?:\A)?b`},
		{"(?:^){7}b", `(?:\A)b`},
	} {
		p, err := translatePattern(test.source)
		if err != nil {
			t.Errorf("%s: %v", test.source, err)
			continue
		}
		if p.translated != test.written {
			t.Errorf("%s is written %s, want %s", test.source, p.translated, test.written)
		}
	}
}

// TestNestedRepeatsStaySmall: what is inside repeats is written once, however deep.
func TestNestedRepeatsStaySmall(t *testing.T) {
	for _, repeat := range []string{"*", "+", "?", "{1,}", "{0,1}", "{1}"} {
		source := strings.Repeat("(?:", 100) + "a" + strings.Repeat(")"+repeat, 100)
		p, err := translatePattern(source)
		if err != nil {
			t.Errorf("%s: %v", repeat, err)
			continue
		}
		if len(p.translated) > 20*len(source) {
			t.Errorf("%s: %d bytes become %d", repeat, len(source), len(p.translated))
		}
	}
}

// TestLargePatternsAreRefused: the refusal comes before anything large is built.
func TestLargePatternsAreRefused(t *testing.T) {
	for _, source := range []string{
		`^(?:.|b)*a.{5000}$`,
		`(?:a{1000}){1000}`,
		`(?:(?:(?:a{99}){99}){99}){99}`,
		`a{1073741824}`,
		`(?:a?){0,5001}`,
		`(?:` + strings.TrimSuffix(strings.Repeat("ab|cd|", 1000), "|") + `){60}`,
		strings.Repeat(`\p{Alphabetic}`, 1000),
		strings.Repeat("a", 5001),
	} {
		if p, err := translatePattern(source); err == nil {
			t.Errorf("%s: accepted with %d instructions", shorten(source), p.size)
		}
	}
	for _, source := range []string{`^(?:.|b)*a.{990}$`, `^[\s\S]{0,2000}$`, strings.Repeat("a", 4000)} {
		p, err := translatePattern(source)
		if err != nil {
			t.Errorf("%s: %v", shorten(source), err)
		} else if p.size > maxProgram {
			t.Errorf("%s: %d instructions", shorten(source), p.size)
		}
	}
}

func TestPropertySets(t *testing.T) {
	ranges := merged([]runeRange{{5, 9}, {1, 2}, {3, 3}, {8, 20}})
	if len(ranges) != 2 || ranges[0] != (runeRange{1, 3}) || ranges[1] != (runeRange{5, 20}) {
		t.Errorf("merged: %v", ranges)
	}
	outside := complementIf(ranges, true)
	if len(outside) != 3 || outside[1] != (runeRange{4, 4}) {
		t.Errorf("complement: %v", outside)
	}
	for _, name := range strings.Fields(`Any ASCII Assigned Alphabetic Alpha Lowercase Lower Uppercase Upper White_Space space
		ASCII_Hex_Digit AHex Hex_Digit Hex Dash Ideographic Ideo Unified_Ideograph UIdeo Quotation_Mark QMark
		Noncharacter_Code_Point NChar Letter Cn LC punct Script=Han sc=Latin gc=Lu General_Category=Punctuation`) {
		positive, err := translatePattern(`^\p{` + name + `}$`)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		negative, err := translatePattern(`^[\P{` + name + `}]$`)
		if err != nil {
			t.Errorf("not %s: %v", name, err)
			continue
		}
		if positive.compile() != nil || negative.compile() != nil {
			t.Fatalf("%s does not compile", name)
		}
		for r := rune(0); r < 0x3000; r += 7 {
			if positive.MatchString(string(r)) == negative.MatchString(string(r)) {
				t.Errorf("%s and its opposite agree about %U", name, r)
				break
			}
		}
	}
}
