package schema

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

func TestParseAccepts(t *testing.T) {
	for _, doc := range []string{
		`{}`,
		` {"type":"object"} `,
		`{"type":["object","array","string","number","integer","boolean","null"]}`,
		`{"enum":[1,"a",null,true,[1],{"a":1}]}`,
		`{"const":null}`,
		`{"properties":{},"required":[],"additionalProperties":true}`,
		`{"properties":{"a":{}},"required":["a","undeclared"],"additionalProperties":false}`,
		`{"properties":{"__proto__":{"type":"string"},"constructor":{},"toString":{},"hasOwnProperty":{}}}`,
		`{"items":{"type":"string"},"minItems":0,"maxItems":9007199254740992,"uniqueItems":false}`,
		`{"minLength":1e2,"maxLength":2.0,"pattern":"^a","format":"date"}`,
		`{"minimum":-1e308,"maximum":1.5e-300}`,
		`{"exclusiveMinimum":0,"exclusiveMaximum":1e308,"multipleOf":1e-400}`,
		`{"anyOf":[{"type":"string"},{}]}`,
		`{"$defs":{"a":{"type":"string"}},"$ref":"#/$defs/a"}`,
		`{"$defs":{"a/b~c d":{}},"items":{"$ref":"#/$defs/a~1b~0c%20d"}}`,
		`{"$defs":{"a":{"properties":{"x":{}}}},"items":{"$ref":"#/$defs/a/properties/x"}}`,
		`{"$defs":{"b":{"$ref":"#/$defs/a"},"a":{}},"$ref":"#/$defs/b"}`,
		`{"title":"t","description":"d","default":{"a":[1]},"examples":[1],"deprecated":true,"$id":"https://example.com/x"}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema"}`,
		`{"$schema":"https://json-schema.org/draft/2020-12/schema#"}`,
		`{"properties":{"oneOf":{"type":"string"},"$ref":{"type":"string"}}}`,
		`{"default":{"oneOf":[1],"$ref":"x"},"enum":[{"not":1}],"examples":[{"$ref":"#"}]}`,
	} {
		s := accept(t, doc)
		if s.JSON() != capability.JSON(doc) {
			t.Errorf("JSON() = %s, want the author's text %s", s.JSON(), doc)
		}
		if err := s.compile(); err != nil {
			t.Errorf("%s: %v", doc, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, test := range []struct{ doc, path, message string }{
		{``, "", "the schema must be valid JSON"},
		{`{"type":`, "type", "must be valid JSON"},
		{`{"a":{},"a":{}}`, "a", "twice"},
		{`true`, "", "a schema must be an object, not a boolean: write {}"},
		{`[]`, "", "not an array"},
		{`null`, "", "not null"},
		{`{"properties":{"a":true}}`, "properties.a", "write {}"},
		{`{"properties":{"a":false}}`, "properties.a", "leave the property out"},
		{`{"items":true}`, "items", "write {}"},
		{`{"items":[{}]}`, "items", "one schema for all elements"},
		{`{"anyOf":[false]}`, "anyOf[0]", "not a boolean"},
		{`{"type":"objekt"}`, "type", "one of object, array"},
		{`{"type":"any"}`, "type", "one of object"},
		{`{"type":[]}`, "type", "at least one"},
		{`{"type":["string","string"]}`, "type[1]", "twice"},
		{`{"type":["string",1]}`, "type[1]", "strings, not a number"},
		{`{"type":1}`, "type", "must be an array, not a number"},
		{`{"enum":[]}`, "enum", "at least one"},
		{`{"enum":"a"}`, "enum", "must be an array"},
		{`{"properties":[]}`, "properties", "must be an object"},
		{`{"properties":{"a-b":{"type":1}}}`, `properties["a-b"].type`, "array"},
		{`{"properties":{"__proto__":1}}`, "properties.__proto__", "must be an object"},
		{`{"required":"a"}`, "required", "must be an array"},
		{`{"required":["a","a"]}`, "required[1]", "twice"},
		{`{"required":[1]}`, "required[0]", "strings"},
		{`{"additionalProperties":{}}`, "additionalProperties", "true or false"},
		{`{"minItems":-1}`, "minItems", "whole number from 0"},
		{`{"minItems":1.5}`, "minItems", "whole number"},
		{`{"minItems":1e30}`, "minItems", "to 2^53"},
		{`{"maxItems":9007199254740993}`, "maxItems", "to 2^53"},
		{`{"maxLength":"3"}`, "maxLength", "must be a whole number, not a string"},
		{`{"uniqueItems":1}`, "uniqueItems", "true or false"},
		{`{"pattern":1}`, "pattern", "must be a string"},
		{`{"pattern":"(?=a)"}`, "pattern", "look-around"},
		{`{"format":"hostname"}`, "format", "date-time, date, uuid, email, uri; describe any other with pattern"},
		{`{"format":1}`, "format", "must be a string"},
		{`{"minimum":"1"}`, "minimum", "must be a number"},
		{`{"minimum":1,"exclusiveMinimum":true}`, "exclusiveMinimum", "must be a number, not a boolean"},
		{`{"multipleOf":0}`, "multipleOf", "greater than 0"},
		{`{"multipleOf":-0.5}`, "multipleOf", "greater than 0"},
		{`{"minimum":1e3000000}`, "minimum", "exponent within ±400"},
		{`{"multipleOf":1e309}`, "multipleOf", "64-bit float"},
		{`{"enum":[1e999]}`, "enum[0]", "exponent within"},
		{`{"minimum":` + strings.Repeat("1", 1001) + `}`, "minimum", "at most 1000 characters"},
		{`{"anyOf":[]}`, "anyOf", "at least one"},
		{`{"anyOf":{}}`, "anyOf", "must be an array"},
		{`{"title":1}`, "title", "must be a string"},
		{`{"description":{}}`, "description", "must be a string"},
		{`{"deprecated":"yes"}`, "deprecated", "true or false"},
		{`{"examples":{}}`, "examples", "must be an array"},
		{`{"$id":1}`, "$id", "must be a string"},
		{`{"$schema":"http://json-schema.org/draft-07/schema#"}`, "$schema", "draft/2020-12/schema, or left out"},
		{`{"$schema":1}`, "$schema", "must be a string"},
		{`{"title":"\ud800"}`, "title", "lone surrogate"},
	} {
		err := refusal(t, test.doc)
		if err.Path != test.path || !strings.Contains(err.Message, test.message) {
			t.Errorf("Parse(%s) = {%q %q}, want path %q and a message with %q", test.doc, err.Path, err.Message, test.path, test.message)
		}
	}
}

// TestParseRefusesByName goes through every keyword of draft 2020-12, and common ones of others, that the subset
// leaves out.
func TestParseRefusesByName(t *testing.T) {
	for _, keyword := range strings.Fields(`oneOf allOf not if then else patternProperties propertyNames
		prefixItems additionalItems contains minContains maxContains dependentRequired dependentSchemas
		dependencies unevaluatedItems unevaluatedProperties minProperties maxProperties definitions nullable
		$anchor $dynamicAnchor $dynamicRef $recursiveRef $recursiveAnchor $vocabulary $comment readOnly writeOnly
		contentEncoding contentMediaType contentSchema discriminator id x-order`) {
		doc := fmt.Sprintf(`{"properties":{"a":{%q:{}}}}`, keyword)
		err := refusal(t, doc)
		if want := capability.PathName("properties.a", keyword); err.Path != want {
			t.Errorf("%s: path %q, want %q", keyword, err.Path, want)
		}
		if !strings.HasPrefix(err.Message, keyword+" is not supported; ") {
			t.Errorf("%s: message %q does not name it and say what to write", keyword, err.Message)
		}
		if !strings.HasPrefix(err.Error(), err.Path+": ") {
			t.Errorf("%s: Error() = %q", keyword, err)
		}
	}
}

func TestParseIsTheSameEachTime(t *testing.T) {
	const doc = `{"zeta":1,"alpha":1,"properties":{"b":{"oneOf":[]},"a":{"allOf":[]}}}`
	first := refusal(t, doc).Error()
	for range 50 {
		if again := refusal(t, doc).Error(); again != first {
			t.Fatalf("refused as %q, then as %q", first, again)
		}
	}
}

func TestLimits(t *testing.T) {
	nested := func(levels int) string {
		return strings.Repeat(`{"items":`, levels) + `{}` + strings.Repeat(`}`, levels)
	}
	padded := func(size int) string {
		return `{"title":"` + strings.Repeat("x", size-len(`{"title":""}`)) + `"}`
	}
	for _, test := range []struct {
		name   string
		doc    string
		limits Limits
		want   string
	}{
		{"8 levels", nested(8), Limits{}, ""},
		{"9 levels", nested(9), Limits{}, "at most 8 levels"},
		{"9 levels, 10 allowed", nested(9), Limits{MaxDepth: 10}, ""},
		{"2 levels, 1 allowed", nested(2), Limits{MaxDepth: 1}, "at most 1 levels"},
		{"levels of properties and anyOf", `{"properties":{"a":{"anyOf":[` + nested(7) + `]}}}`, Limits{}, "at most 8 levels"},
		{"deep brackets", strings.Repeat("[", 7000), Limits{}, "nested"},
		{"16384 bytes", padded(16384), Limits{}, ""},
		{"16385 bytes", padded(16385), Limits{}, "at most 16384 bytes"},
		{"100 bytes allowed", padded(101), Limits{MaxBytes: 100}, "at most 100 bytes"},
	} {
		_, err := Parse(capability.JSON(test.doc), test.limits)
		if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

func TestKinds(t *testing.T) {
	for _, test := range []struct {
		doc               string
		accepts, requires bool
	}{
		{`{}`, true, false},
		{`{"type":"object"}`, true, true},
		{`{"type":["object","null"]}`, true, false},
		{`{"type":"array"}`, false, false},
		{`{"anyOf":[{"type":"object"},{"type":"object","properties":{}}]}`, true, true},
		{`{"anyOf":[{"type":"object"},{"type":"string"}]}`, true, false},
		{`{"anyOf":[{"type":"string"}]}`, false, false},
		{`{"type":["object","string"],"anyOf":[{"type":"object"},{"type":"number"}]}`, true, true},
		{`{"$ref":"#/$defs/a","$defs":{"a":{"type":"object"}}}`, true, true},
		{`{"enum":[{},{"a":1}]}`, true, true},
		{`{"const":1}`, false, false},
	} {
		s := accept(t, test.doc)
		if s.AcceptsObject() != test.accepts || s.RequiresObject() != test.requires {
			t.Errorf("%s: accepts %v, requires %v; want %v, %v", test.doc, s.AcceptsObject(), s.RequiresObject(), test.accepts, test.requires)
		}
	}
}
