package mcpserver

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/schema"
)

func TestStrictInput(t *testing.T) {
	const empty = `{"type":"object","properties":{}}`
	for _, tt := range []struct {
		name, document, want string
		wrapped              bool
		notes                []string
	}{
		{"as it should be", `{"type":"object","properties":{"b":{"type":"string"},"a":{}},"required":["b"],"additionalProperties":false,"title":"T"}`,
			`{"type":"object","title":"T","properties":{"b":{"type":"string"},"a":{}},"required":["b"],"additionalProperties":false}`, false, nil},
		{"an empty object", `{"type":"object"}`, empty, false, nil},
		{"nothing", ``, empty, false, []string{noteAny}},
		{"anything", `{}`, empty, false, []string{noteAny}},
		{"object or null", `{"type":["null","object"]}`, empty, false, nil},
		{"one type in a list", `{"type":["object"]}`, empty, false, nil},
		{"a text", `{"type":"string","maxLength":3,"$id":"x"}`,
			`{"type":"object","properties":{"input":{"type":"string","maxLength":3}},"required":["input"],"additionalProperties":false}`, true, []string{noteWrapped}},
		{"a list or nothing", `{"type":["null","array"]}`,
			`{"type":"object","properties":{"input":{"type":["null","array"]}},"required":["input"],"additionalProperties":false}`, true, []string{noteWrapped}},
		{"definitions stay at the root", `{"anyOf":[{"$ref":"#/$defs/a"},{"type":"object"}],"$defs":{"a":{"type":"string"}}}`,
			`{"type":"object","properties":{"input":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"object"}]}},"required":["input"],"additionalProperties":false,"$defs":{"a":{"type":"string"}}}`, true, []string{noteWrapped}},
		{"a choice of objects",
			`{"anyOf":[{"type":"object","properties":{"k":{"const":"a"},"x":{"type":"string"}},"required":["k","x"],"additionalProperties":false},
				{"type":"object","properties":{"k":{"const":"b"}},"required":["k"],"additionalProperties":false}]}`,
			`{"type":"object","properties":{"k":{"anyOf":[{"const":"a"},{"const":"b"}]},"x":{"type":"string"}},"required":["k"],"additionalProperties":false}`,
			false, []string{noteRoot + "anyOf"}},
		{"a choice beside members", `{"type":"object","properties":{"a":{}},"anyOf":[{"required":["a"]},{"required":["b"],"properties":{"b":{}}}]}`,
			`{"type":"object","properties":{"a":{},"b":{}}}`, false, []string{noteRoot + "anyOf"}},
		{"a reference", `{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"object","properties":{"x":{}},"required":["x"],"additionalProperties":false}}}`,
			`{"type":"object","$defs":{"a/b":{"type":"object","properties":{"x":{}},"required":["x"],"additionalProperties":false}},"properties":{"x":{}},"required":["x"],"additionalProperties":false}`,
			false, []string{noteRoot + "$ref"}},
		{"a list of values", `{"type":"object","enum":[{"a":1}],"const":{"a":1}}`, empty, false, []string{noteRoot + "enum, const"}},
		{"values only", `{"enum":[{"a":1}]}`, `{"type":"object","properties":{"input":{"enum":[{"a":1}]}},"required":["input"],"additionalProperties":false}`, true, []string{noteWrapped}},
	} {
		got, wrapped, notes := strictInput(capability.JSON(tt.document))
		if string(got) != strings.Join(strings.Fields(tt.want), "") || wrapped != tt.wrapped || !slices.Equal(notes, tt.notes) {
			t.Errorf("%s: got %s, %v, %q", tt.name, got, wrapped, notes)
		}
	}
}

func TestStrictOutput(t *testing.T) {
	for _, tt := range []struct{ name, document, want, note string }{
		{"as it should be", `{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["a"]}`,
			`{"type":"object","properties":{"a":{"anyOf":[{"type":"string"},{"type":"null"}]}},"required":["a"]}`, ""},
		{"a list", `{"type":"array"}`, "", noteNoOutput},
		{"anything", `{}`, "", noteNoOutput},
		{"object or null", `{"type":["object","null"]}`, "", noteNoOutput},
		{"a choice", `{"anyOf":[{"type":"object","required":["a"]},{"type":"object","properties":{"a":{"type":"string"}}}]}`,
			`{"type":"object","properties":{}}`, noteOutputRoot + "anyOf"},
	} {
		got, notes := strictOutput(capability.JSON(tt.document))
		if string(got) != tt.want || strings.Join(notes, "") != tt.note {
			t.Errorf("%s: got %s, %q", tt.name, got, notes)
		}
	}
}

// objectSchema draws a schema of objects, with choices and references.
func objectSchema(t *rapid.T, depth int) map[string]any {
	s := map[string]any{}
	if depth == 3 || rapid.Bool().Draw(t, "typed") {
		s["type"] = "object"
	}
	properties := map[string]any{}
	for _, name := range rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b", "c"}), rapid.ID[string]).Draw(t, "names") {
		properties[name] = map[string]any{"type": rapid.SampledFrom([]string{"string", "integer", "object"}).Draw(t, "type")}
	}
	if rapid.Bool().Draw(t, "has properties") {
		s["properties"] = properties
	}
	if rapid.Bool().Draw(t, "requires") {
		s["required"] = rapid.SliceOfDistinct(rapid.SampledFrom([]string{"a", "b"}), rapid.ID[string]).Draw(t, "required")
	}
	if rapid.Bool().Draw(t, "closed") {
		s["additionalProperties"] = false
	}
	if depth > 1 && rapid.Bool().Draw(t, "choice") {
		s["anyOf"] = []any{objectSchema(t, depth-1), objectSchema(t, depth-1)}
	}
	if depth > 1 && rapid.IntRange(0, 3).Draw(t, "reference") == 0 {
		s["$ref"] = "#/$defs/d"
	}
	return s
}

// TestStrictSchemasAdmitWhatTheFullOnesDo: of an output always, since clients check it; of an input as far as members go
// that every branch of a choice declares.
func TestStrictSchemasAdmitWhatTheFullOnesDo(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		root := objectSchema(t, 3)
		root["$defs"] = map[string]any{"d": objectSchema(t, 1)}
		text, err := json.Marshal(root)
		if err != nil {
			t.Fatal(err)
		}
		full, err := schema.Parse(capability.JSON(text), schema.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		document, _ := strictOutput(capability.JSON(text))
		strict, err := schema.Parse(document, schema.Limits{})
		if err != nil {
			t.Fatalf("%s became %s: %v", text, document, err)
		}
		value := map[string]any{}
		for _, name := range []string{"a", "b", "c", "z"} {
			if some := rapid.SampledFrom([]any{nil, "x", 1, map[string]any{}}).Draw(t, name); some != nil {
				value[name] = some
			}
		}
		if sample := admitted(t, full, value); sample != "" && admitted(t, strict, value) == "" {
			t.Errorf("%s admits %s, and %s does not", text, sample, document)
		}
		rootSaysNoChoice(t, document)
		input, _, _ := strictInput(capability.JSON(text))
		if _, err := schema.Parse(input, schema.Limits{}); err != nil {
			t.Errorf("%s became %s: %v", text, input, err)
		}
		rootSaysNoChoice(t, input)
	})
}

// admitted is the value's text if the schema admits it.
func admitted(t *rapid.T, s *schema.Schema, value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	decoded, issue := capability.ValueLimits{MaxBytes: 1 << 16, MaxDepth: 10}.Decode(capability.JSON(text))
	if issue != nil {
		t.Fatal(issue)
	}
	if len(s.Validate(decoded)) > 0 {
		return ""
	}
	return string(text)
}

// rootSaysNoChoice is what strict clients insist on.
func rootSaysNoChoice(t *rapid.T, document capability.JSON) {
	var root map[string]any
	if err := json.Unmarshal([]byte(document), &root); err != nil {
		t.Fatal(err)
	}
	for _, keyword := range []string{"anyOf", "oneOf", "allOf", "enum", "const", "$ref", "not"} {
		if root[keyword] != nil {
			t.Errorf("%s has %s", document, keyword)
		}
	}
	if root["type"] != "object" || fmt.Sprintf("%T", root["properties"]) != "map[string]interface {}" {
		t.Errorf("%s is no object with properties", document)
	}
}
