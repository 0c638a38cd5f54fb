package schema

import (
	"fmt"
	"strings"
	"testing"
)

func TestReferencesRefused(t *testing.T) {
	for _, test := range []struct{ name, doc, path, message string }{
		{"to the root", `{"items":{"$ref":"#"}}`, "items.$ref", "must be #/$defs/"},
		{"to a property", `{"properties":{"a":{},"b":{"$ref":"#/properties/a"}}}`, "properties.b.$ref", "must be #/$defs/"},
		{"to another document", `{"$ref":"https://example.com/a.json"}`, "$ref", "must be #/$defs/"},
		{"to a file", `{"$ref":"file:///etc/passwd"}`, "$ref", "must be #/$defs/"},
		{"to a relative document", `{"$ref":"a.json#/$defs/a","$defs":{"a":{}}}`, "$ref", "must be #/$defs/"},
		{"through the id", `{"$id":"https://example.com/a","$ref":"https://example.com/a#/$defs/a","$defs":{"a":{}}}`, "$ref", "must be #/$defs/"},
		{"to an anchor", `{"$ref":"#a","$defs":{"a":{}}}`, "$ref", "must be #/$defs/"},
		{"to nothing", `{"$ref":"#/$defs/b","$defs":{"a":{}}}`, "$ref", "$defs does not have"},
		{"without $defs", `{"$ref":"#/$defs/b"}`, "$ref", "$defs does not have"},
		{"to what is no schema", `{"$ref":"#/$defs/a/properties","$defs":{"a":{"properties":{}}}}`, "$ref", "$defs does not have"},
		{"to an inherited name", `{"$ref":"#/$defs/toString","$defs":{}}`, "$ref", "$defs does not have"},
		{"to inner $defs", `{"items":{"$defs":{"a":{}},"$ref":"#/$defs/a"}}`, "items.$ref", "$defs does not have"},
		{"bad escape", `{"$ref":"#/$defs/%zz","$defs":{}}`, "$ref", "must be #/$defs/"},
		{"not a string", `{"$ref":1}`, "$ref", "must be a string"},
		{"to itself", `{"$defs":{"a":{"$ref":"#/$defs/a"}},"$ref":"#/$defs/a"}`, "$defs.a.$ref", "leads back"},
		{"to what contains it", `{"$defs":{"a":{"properties":{"next":{"$ref":"#/$defs/a"}}}},"$ref":"#/$defs/a"}`, "$defs.a.properties.next.$ref", "recursive"},
		{"to each other", `{"$defs":{"a":{"items":{"$ref":"#/$defs/b"}},"b":{"items":{"$ref":"#/$defs/a"}}}}`, "$defs.b.items.$ref", "leads back"},
		{"recursive anyOf", `{"$defs":{"a":{"anyOf":[{"items":{"$ref":"#/$defs/a"}},{"items":{"$ref":"#/$defs/a"}}]}},"$ref":"#/$defs/a"}`, "$defs.a.anyOf[0].items.$ref", "leads back"},
		{"into the middle of a cycle", `{"$ref":"#/$defs/a/items","$defs":{"a":{"items":{"properties":{"x":{"$ref":"#/$defs/a"}}}}}}`, "$defs.a.items.properties.x.$ref", "leads back"},
	} {
		err := refusal(t, test.doc)
		if err.Path != test.path || !strings.Contains(err.Message, test.message) {
			t.Errorf("%s: {%q %q}, want path %q and a message with %q", test.name, err.Path, err.Message, test.path, test.message)
		}
	}
}

// doubling is a chain of definitions each of which refers twice to the next: 2^links when written out.
func doubling(links int) string {
	var defs strings.Builder
	for i := range links {
		fmt.Fprintf(&defs, `"d%d":{"anyOf":[{"$ref":"#/$defs/d%d"},{"$ref":"#/$defs/d%d"}]},`, i, i+1, i+1)
	}
	return fmt.Sprintf(`{"$ref":"#/$defs/d0","$defs":{%s"d%d":{"type":"string"}}}`, &defs, links)
}

func TestWrittenOut(t *testing.T) {
	if err := refusal(t, doubling(16)); !strings.Contains(err.Message, "at most 2000 subschemas") {
		t.Errorf("16 doublings: %v", err)
	}
	if err := refusal(t, doubling(100)); !strings.Contains(err.Message, "at most 2000 subschemas") {
		t.Errorf("100 doublings: %v", err)
	}
	if s := accept(t, doubling(8)); s.root.size > MaxSubschemas || s.root.size < 1<<9 {
		t.Errorf("8 doublings: written out %d subschemas", s.root.size)
	}
	var chain strings.Builder
	for i := range 300 {
		fmt.Fprintf(&chain, `"%d":{"items":{"$ref":"#/$defs/%d"}},`, i, i+1)
	}
	doc := fmt.Sprintf(`{"$ref":"#/$defs/0","$defs":{%s"300":{}}}`, &chain)
	if err := refusal(t, doc); !strings.Contains(err.Message, "nested at most 256 levels") {
		t.Errorf("a chain of 300: %v", err)
	}
}

// TestWrittenOutLimit pins the limit itself: definitions of 200 subschemas, referred to once and again.
func TestWrittenOutLimit(t *testing.T) {
	doc := func(references, extra int) string {
		return fmt.Sprintf(`{"anyOf":[%s,%s],"$defs":{"a":{"anyOf":[%s]}}}`,
			list(`{"$ref":"#/$defs/a"}`, references), list(`{}`, extra), list(`{}`, 197))
	}
	// 1 root, 10 times (1 reference, 1 definition, 197 branches), the extra ones.
	if s := accept(t, doc(10, 9)); s.root.size != MaxSubschemas {
		t.Errorf("size %d, want exactly %d", s.root.size, MaxSubschemas)
	}
	refusal(t, doc(10, 10))
}

func TestUnusedDefinitionsAreChecked(t *testing.T) {
	if err := refusal(t, `{"$defs":{"unused":{"oneOf":[]}}}`); err.Path != "$defs.unused.oneOf" {
		t.Errorf("path %q", err.Path)
	}
}
