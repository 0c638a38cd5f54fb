package rulebook

import (
	"strings"
	"testing"
)

func TestParseRefuses(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"a rule without a page": {"MOD-1 | x | a.TestB", "line 1: a rule before the first page"},
		"no tests":              {"# MOD x\nMOD-1 | x", "line 2: want id | rule | tests"},
		"an empty test":         {"# MOD x\nMOD-1 | x | ", "line 2"},
		"no package":            {"# MOD x\nMOD-1 | x | TestB", `"TestB" is not PACKAGE.TEST`},
		"a gap":                 {"# MOD x\nMOD-2 | x | a.TestB", "the id is MOD-2, want MOD-1"},
		"another page's id":     {"# MOD x\nREG-1 | x | a.TestB", "the id is REG-1, want MOD-1"},
	} {
		if _, err := Parse(test.text); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestParseTellsTestsApart(t *testing.T) {
	pages, err := Parse("; a remark\n# MOD model\nMOD-1 | a, b | a.TestB/c, d, e2/f.FuzzG, h.ExampleI\n")
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, test := range pages[0].Rules[0].Tests {
		names = append(names, test.String())
	}
	if got := strings.Join(names, ";"); got != "a.TestB/c, d;e2/f.FuzzG;h.ExampleI" {
		t.Errorf("the tests are %s", got)
	}
}

func TestRulebookCanBeRead(t *testing.T) {
	pages, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	if len(pages) < 12 { // so many there were
		t.Errorf("there are %d pages", len(pages))
	}
}
