package mcpbridge

import (
	"encoding/json"
	"strings"
	"testing"
	"time"
)

func TestInputSchema(t *testing.T) {
	const anything = `{"type":"object"}`
	tests := []struct{ name, declared, want string }{
		{"none", ``, anything},
		{"an object in its order", `{"type": "object", "properties": {"z": {"type":"string"}, "a": {}}, "required": ["z"]}`, ""},
		{"a union below the root", `{"type":"object","properties":{"a":{"anyOf":[{"type":"null"},true]}}}`, ""},
		{"no type", `{"properties":{"z":true,"a":true},"required":["a"]}`, `{"type":"object","properties":{"z":{},"a":{}},"required":["a"]}`},
		{"a mistyped type", `{"type":"objekt","title":"T"}`, `{"type":"object","title":"T"}`},
		{"several types", `{"type":["object","null"],"additionalProperties":false}`, `{"type":"object","additionalProperties":false}`},
		{"true", `true`, anything},
		{"no JSON", `{"type":`, anything},
		{"no object", `[1]`, anything},
		{"too deep", strings.Repeat(`{"not":`, 200) + `true` + strings.Repeat(`}`, 200), anything},
		{"a union", `{"oneOf":[{"properties":{"a":{"type":"string"},"b":true},"required":["a","b"]},{"properties":{"a":false,"c":true},"required":["a"]}]}`,
			`{"type":"object","properties":{"a":{"type":"string"},"b":{},"c":{}},"required":["a"]}`},
		{"all of", `{"type":"object","allOf":[{"required":["a"]},{"properties":{"b":true},"required":["b"]}],"properties":{"a":true}}`,
			`{"type":"object","properties":{"a":{},"b":{}},"required":["a","b"]}`},
		{"a reference", `{"$ref":"#/$defs/a~1b","$defs":{"a/b":{"type":"object","properties":{"x":true}}}}`,
			`{"type":"object","$defs":{"a/b":{"type":"object","properties":{"x":true}}},"properties":{"x":{}}}`},
		{"a reference to nothing", `{"$ref":"#/$defs/x"}`, anything},
		{"a reference elsewhere", `{"$ref":"https://example.com/schema"}`, anything},
		{"properties that are no objects", `{"type":"object","properties":{"a":true,"b":false,"c":7,"d":{"not":true}}}`,
			`{"type":"object","properties":{"a":{},"b":{"not":{}},"c":{},"d":{"not":true}}}`},
		{"properties that are none", `{"type":"object","properties":["a"]}`, anything},
		{"required that is no list", `{"type":"object","required":"a"}`, anything},
		{"required that is no list of texts", `{"type":"object","required":["a",1,null]}`, `{"type":"object","required":["a"]}`},
		{"a rule of values", `{"type":"object","enum":[{"a":1}],"not":{"required":["a"]}}`, anything},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, rewritten := inputSchema(json.RawMessage(test.declared))
			if test.want == "" {
				if string(got) != test.declared || rewritten {
					t.Errorf("it becomes %s", got)
				}
				return
			}
			if string(got) != test.want || rewritten != (test.declared != "") {
				t.Errorf("it becomes %s, rewritten %v; want %s", got, rewritten, test.want)
			}
		})
	}
}

// A small schema can mean a large one.
func TestInputSchemaThatExplodes(t *testing.T) {
	branches := strings.Repeat(`{"$ref":"#"},`, 1000) + `{"$ref":"#"}`
	began := time.Now()
	for _, declared := range []string{
		`{"anyOf":[` + branches + `],"allOf":[` + branches + `]}`,
		`{"type":"string","description":"` + strings.Repeat("x", 2<<20) + `"}`,
		`{"title":"` + strings.Repeat("x", maxRewritten) + `"}`,
	} {
		if got, _ := inputSchema(json.RawMessage(declared)); string(got) != `{"type":"object"}` {
			t.Errorf("it becomes %.100s", got)
		}
	}
	if took := time.Since(began); took > 10*time.Second {
		t.Errorf("it took %s", took)
	}
}

func FuzzInputSchema(f *testing.F) {
	f.Add(`{"anyOf":[{"$ref":"#"},{"properties":{"a":true}}]}`)
	f.Add(`{"type":"object","properties":{"a":{"x-mcp-header":1}}}`)
	f.Add(`{"$ref":"#/allOf/0","allOf":[1,[],"x"]}`)
	f.Fuzz(func(t *testing.T, declared string) {
		got, rewritten := inputSchema(json.RawMessage(declared))
		var root map[string]any
		if err := json.Unmarshal(got, &root); err != nil || root["type"] != "object" {
			t.Fatalf("%q becomes %s", declared, got)
		}
		if _, again := inputSchema(got); rewritten && again {
			t.Fatalf("%q becomes %s, which is rewritten again", declared, got)
		}
	})
}
