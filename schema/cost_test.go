package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

// measureWalk validates with that many steps to spend, and returns how many it took.
func measureWalk(t *testing.T, s *Schema, value any, limit int) (steps int, issues []capability.Issue) {
	t.Helper()
	if s.compiling.Do(func() { s.compileErr = s.compile() }); s.compileErr != nil {
		t.Fatal(s.compileErr)
	}
	w := walk{limit: limit}
	w.visit(s.root, value)
	return w.steps, w.result()
}

// countNodes is how many values there are in value, itself included.
func countNodes(value any) int {
	count := 1
	switch v := value.(type) {
	case []any:
		for _, item := range v {
			count += countNodes(item)
		}
	case map[string]any:
		for _, member := range v {
			count += countNodes(member)
		}
	}
	return count
}

// TestStepsPerNode: with every branch tried on every node, a node costs at most MaxSubschemas steps.
func TestStepsPerNode(t *testing.T) {
	branches := list(`{"type":"null"}`, 990)
	for _, test := range []struct{ name, doc, value string }{
		{"many branches, all fail", `{"items":{"anyOf":[` + branches + `]}}`, `[1,2,3]`},
		{"many branches, the last holds", `{"items":{"anyOf":[` + branches + `,{}]}}`, `[` + list("1", 500) + `]`},
		{"the same through $ref", `{"items":{"anyOf":[` + list(`{"$ref":"#/$defs/a"}`, 18) + `,{}]},"$defs":{"a":{"anyOf":[` + list(`{"type":"null"}`, 100) + `]}}}`, `[` + list("1", 500) + `]`},
		{"doubling", doubling(8), `1`},
		{"nested anyOf of arrays", `{"anyOf":[{"items":{"anyOf":[{"items":{"anyOf":[{"type":"null"},{"type":"string"}]}},{"type":"string"}]}},{"type":"array"}]}`,
			`[[` + list("[1]", 50) + `]]`},
	} {
		s, value := accept(t, test.doc), decode(t, test.value)
		steps, _ := measureWalk(t, s, value, maxSteps)
		if most := MaxSubschemas * countNodes(value); steps > most {
			t.Errorf("%s: %d steps, want at most %d", test.name, steps, most)
		}
		if steps == 0 {
			t.Errorf("%s: no steps", test.name)
		}
	}
}

// TestHostileValuesAreBounded: a document and a value within their limits that together would take hours, or all
// memory, end at the same place each time. The steps to spend are fewer than in earnest, to keep the test short.
func TestHostileValuesAreBounded(t *testing.T) {
	const limit = maxSteps / 10
	numbers := `[` + list("1", 130000) + `]`
	spent := fmt.Sprintf("takes more than %d steps to check against its schema; send a smaller value", limit)
	for _, test := range []struct{ name, doc, value, want string }{
		{"1000 branches, the last holds", `{"items":{"anyOf":[` + list(`{"type":"null"}`, 900) + `,{}]}}`, numbers, spent},
		{"bounds that the library compares", `{"items":{"anyOf":[` + list(`{"minimum":2}`, 900) + `,{}]}}`, numbers, spent},
		{"long required lists", `{"items":{"anyOf":[` + list(`{"$ref":"#/$defs/a"}`, 200) + `,{}]},"$defs":{"a":{"required":["` + numbered(900) + `"]}}}`, `[` + list("{}", 80000) + `]`, spent},
		{"long strings", `{"items":{"anyOf":[` + list(`{"minLength":999999}`, 600) + `,{}]}}`, `["` + strings.Repeat(`x`, 200000) + `"]`, ""},
		{"numbers of many digits", `{"items":{"anyOf":[` + list(`{"multipleOf":7e-300}`, 600) + `,{}]}}`, `[` + list("1."+strings.Repeat("3", 990), 250) + `]`, spent},
		{"a pattern again and again", `{"items":{"anyOf":[` + list(`{"pattern":"^(?:.|b)*a.{990}$"}`, 400) + `,{}]}}`, `["` + strings.Repeat("a", 60000) + `\n"]`, spent},
		{"keys of large objects", `{"anyOf":[` + list(`{"enum":[[1]]}`, 900) + `,{}]}`, numbers, spent},
	} {
		s, value := accept(t, test.doc), decode(t, test.value)
		steps, issues := measureWalk(t, s, value, limit)
		if got := issueLines(issues); got != test.want {
			t.Errorf("%s: %q, want %q", test.name, got, test.want)
		}
		if most := limit + maxSteps/20; steps > most {
			t.Errorf("%s: %d steps, want at most %d", test.name, steps, most)
		}
	}
}

// numbered is count names, with "," between, for inside one pair of quotes.
func numbered(count int) string {
	names := make([]string, count)
	for i := range names {
		names[i] = fmt.Sprint("n", i)
	}
	return strings.Join(names, `","`)
}

// TestManyMistakesAreBounded: the walk stops at the last issue that it may keep.
func TestManyMistakesAreBounded(t *testing.T) {
	s := accept(t, `{"items":{"type":"string","anyOf":[{"minLength":1}]}}`)
	steps, issues := measureWalk(t, s, decode(t, `[`+list("1", 130000)+`]`), maxSteps)
	if len(issues) != MaxIssues || steps > 10*MaxIssues {
		t.Errorf("%d issues after %d steps", len(issues), steps)
	}
}

// TestLargestHonestValues: what people send stays far from the bound.
func TestLargestHonestValues(t *testing.T) {
	row := `{"id":"device_1","name":"Device 1","status":"online","tags":["a","b","c"],"since":"2026-01-31T12:00:00Z","load":0.25}`
	s := accept(t, `{"type":"object","properties":{"rows":{"type":"array","maxItems":5000,"items":{"type":"object","properties":{
		"id":{"type":"string","pattern":"^[a-z]+_\\d+$"},"name":{"type":"string","minLength":1,"maxLength":100},
		"status":{"enum":["online","offline"]},"tags":{"type":"array","items":{"type":"string"},"uniqueItems":true},
		"since":{"type":"string","format":"date-time"},"load":{"type":"number","minimum":0,"maximum":1}},
		"required":["id","name"],"additionalProperties":false}}},"required":["rows"]}`)
	steps, issues := measureWalk(t, s, decode(t, `{"rows":[`+list(row, 2000)+`]}`), maxSteps)
	if issues != nil {
		t.Errorf("%v", issues)
	}
	if steps > maxSteps/20 {
		t.Errorf("%d steps of %d", steps, maxSteps)
	}
}
