package schema

import (
	"encoding/json"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/capability"
)

// rapidPick makes the choices of a generator with rapid, so that it can shrink them.
func rapidPick(t *rapid.T) func(int) int {
	return func(n int) int { return rapid.IntRange(0, n-1).Draw(t, "pick") }
}

// TestAcceptedSchemasCompile: what Parse accepts, the library compiles, and validating does not panic.
func TestAcceptedSchemasCompile(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := newGenerator(rapidPick(rt))
		g.wild = true
		doc := g.document()
		s := accept(t, encode(t, doc))
		if err := s.compile(); err != nil {
			rt.Fatalf("%s: %v", s.JSON(), err)
		}
		checkIssues(rt.Fatalf, s.Validate(decode(t, encode(t, g.value(doc)))))
	})
}

// checkIssues fails unless the issues are as schema.md says: few, sorted, each once.
func checkIssues(fail func(string, ...any), issues []capability.Issue) {
	if len(issues) > MaxIssues {
		fail("%d issues", len(issues))
	}
	for i := 1; i < len(issues); i++ {
		a, b := issues[i-1], issues[i]
		if a.Path > b.Path || a.Path == b.Path && a.Message >= b.Message {
			fail("%v before %v", a, b)
		}
	}
}

// secondOpinion is the verdict of another implementation, which decodes numbers to float64.
func secondOpinion(t testing.TB, doc, value string) bool {
	t.Helper()
	var other jsonschema.Schema
	if err := json.Unmarshal([]byte(doc), &other); err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	resolved, err := other.Resolve(nil)
	if err != nil {
		t.Fatalf("%s: %v", doc, err)
	}
	var decoded any
	if err := json.Unmarshal([]byte(value), &decoded); err != nil {
		t.Fatalf("%s: %v", value, err)
	}
	return resolved.Validate(decoded) == nil
}

// TestVerdictsAgree shrinks a disagreement; TestGeneratorCovers looks at many more.
func TestVerdictsAgree(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := newGenerator(rapidPick(rt))
		document := g.document()
		doc, value := encode(t, document), encode(t, g.value(document))
		issues := accept(t, doc).Validate(decode(t, value))
		if want := secondOpinion(t, doc, value); want != (issues == nil) {
			rt.Fatalf("%s on %s: other says valid = %v, ours says %v", doc, value, want, issues)
		}
	})
}

// TestGeneratorCovers proves the generator's worth: it uses every keyword, and its values are neither mostly
// valid nor mostly invalid. Every verdict is compared too.
func TestGeneratorCovers(t *testing.T) {
	const runs = 10_000
	random := rand.New(rand.NewPCG(1, 2))
	used, valid := map[string]int{}, 0
	for range runs {
		g := newGenerator(random.IntN)
		document := g.document()
		doc, value := encode(t, document), encode(t, g.value(document))
		issues := accept(t, doc).Validate(decode(t, value))
		checkIssues(t.Fatalf, issues)
		if want := secondOpinion(t, doc, value); want != (issues == nil) {
			t.Fatalf("%s on %s: other says valid = %v, ours says %v", doc, value, want, issues)
		}
		if issues == nil {
			valid++
		}
		for keyword := range g.used {
			used[keyword]++
		}
	}
	if valid < runs*30/100 || valid > runs*70/100 {
		t.Errorf("%d of %d verdicts are valid, want 30 to 70 %%", valid, runs)
	}
	for _, keyword := range []string{"type", "enum", "const", "properties", "required", "additionalProperties", "items", "minItems",
		"maxItems", "uniqueItems", "minLength", "maxLength", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum",
		"multipleOf", "anyOf", "$defs", "$ref", "title", "description", "default", "examples", "deprecated"} {
		if used[keyword] < runs*5/100 {
			t.Errorf("%s is in %d of %d schemas, want at least 5 %%", keyword, used[keyword], runs)
		}
	}
	t.Logf("%d of %d valid; keywords %v", valid, runs, used)
}

// TestReduceProperty: a reduced document is accepted, and lacks exactly the names that were taken out.
func TestReduceProperty(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		g := newGenerator(rapidPick(rt))
		s := accept(t, encode(t, g.document()))
		removed := rapid.SliceOfDistinct(rapid.SampledFrom(names()), rapid.ID).Draw(rt, "removed")
		reduced := accept(t, string(Reduce(s, removed)))
		var want []string
		for _, name := range s.root.names {
			if !slices.Contains(removed, name) {
				want = append(want, name)
			}
		}
		if !slices.Equal(reduced.root.names, want) {
			rt.Fatalf("%s without %v is %s", s.JSON(), removed, reduced.JSON())
		}
	})
}
