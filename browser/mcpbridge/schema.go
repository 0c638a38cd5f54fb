package mcpbridge

import (
	"encoding/json"
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
)

// inputSchema is the schema that a client gets for what a page declares. Strict
// clients refuse a whole session for one schema that is no object, or that has a
// union at its root, or whose properties are not all objects, so it is always
// {"type":"object", …} without that: members of a union are declared together,
// and required where every branch requires them. The page still checks its own
// rule. rewritten reports that the schema is
// not what the page declares.
func inputSchema(declared json.RawMessage) (schema json.RawMessage, rewritten bool) {
	const anyObject = `{"type":"object"}`
	root := capability.JSON(declared)
	if root.Absent() {
		return json.RawMessage(anyObject), false
	}
	limits := capability.ValueLimits{MaxBytes: maxSchema, MaxDepth: maxSchemaDepth}
	if limits.Check(root) != nil || root.Kind() != '{' {
		return json.RawMessage(anyObject), true
	}
	if kind, _ := memberOf(root, "type").Text(); kind == "object" && !slices.ContainsFunc(root.Members(), refused) {
		return declared, false
	}
	if len(root) > maxRewritten {
		return json.RawMessage(anyObject), true
	}
	return json.RawMessage(asObject(root)), true
}

// The limits of a schema that a client gets; one that is beyond them becomes
// {"type":"object"}.
const (
	maxSchema      = 1 << 20
	maxSchemaDepth = 100
	// maxRewritten bounds the work for a schema that has to be rewritten, in
	// bytes, and maxParts in the parts that are looked at: references make many
	// of few.
	maxRewritten = 64 << 10
	maxParts     = 200
)

// isUnion reports a keyword that a root may not have.
func isUnion(m capability.Member) bool {
	return slices.Contains([]string{"anyOf", "oneOf", "allOf", "not", "enum", "const", "if", "then", "else", "$ref"}, m.Name)
}

// refused reports a member that a root may not have, or not like that.
func refused(m capability.Member) bool {
	switch m.Name {
	case "properties":
		return m.Value.Kind() != '{' || slices.ContainsFunc(m.Value.Members(), func(p capability.Member) bool { return p.Value.Kind() != '{' })
	case "required":
		return m.Value.Kind() != '[' || slices.ContainsFunc(m.Value.Elements(), func(e capability.JSON) bool { return e.Kind() != '"' })
	}
	return isUnion(m)
}

// plain is a property's schema as an object: true and false can be said so too,
// and what is no schema says nothing.
func plain(property capability.JSON) capability.JSON {
	switch {
	case property.Kind() == '{':
		return property
	case property == "false":
		return `{"not":{}}`
	}
	return capability.EmptyObject
}

// asObject writes a root anew, the unions' properties among its own.
func asObject(root capability.JSON) capability.JSON {
	left := maxParts
	parts := branches{root: root, left: &left}
	parts.add(root)
	var object capability.ObjectWriter
	object.Text("type", "object")
	for _, m := range root.Members() {
		if m.Name != "type" && m.Name != "properties" && m.Name != "required" && !isUnion(m) {
			object.Raw(m.Name, m.Value)
		}
	}
	if len(parts.properties) > 0 {
		var properties capability.ObjectWriter
		for _, p := range parts.properties {
			properties.Raw(p.Name, p.Value)
		}
		object.Raw("properties", properties.JSON())
	}
	if len(parts.required) > 0 {
		object.Raw("required", capability.ArrayOf(parts.required, capability.Quote))
	}
	return object.JSON()
}

// branches gathers what the branches of a schema say of an object's members.
type branches struct {
	// root resolves references.
	root capability.JSON
	// left is how many parts may still be looked at: a reference can lead to
	// itself.
	left       *int
	properties []capability.Member
	required   []string
}

// add gathers from a schema and what it is joined of.
func (b *branches) add(schema capability.JSON) {
	if *b.left--; *b.left < 0 {
		return
	}
	for _, p := range memberOf(schema, "properties").Members() {
		if !slices.ContainsFunc(b.properties, func(known capability.Member) bool { return known.Name == p.Name }) {
			b.properties = append(b.properties, capability.Member{Name: p.Name, Value: plain(p.Value)})
		}
	}
	b.require(textsOf(memberOf(schema, "required")))
	for _, part := range memberOf(schema, "allOf").Elements() {
		b.add(part)
	}
	if ref, ok := memberOf(schema, "$ref").Text(); ok {
		b.add(resolve(b.root, ref))
	}
	for _, union := range []string{"anyOf", "oneOf"} {
		b.addOneOf(memberOf(schema, union).Elements())
	}
}

// addOneOf gathers from branches of which one holds.
func (b *branches) addOneOf(parts []capability.JSON) {
	var common []string
	for i, part := range parts {
		own := branches{root: b.root, left: b.left, properties: b.properties}
		own.add(part)
		b.properties = own.properties
		if i == 0 {
			common = own.required
		}
		common = slices.DeleteFunc(slices.Clone(common), func(name string) bool { return !slices.Contains(own.required, name) })
	}
	b.require(common)
}

func (b *branches) require(names []string) {
	for _, name := range names {
		if !slices.Contains(b.required, name) {
			b.required = append(b.required, name)
		}
	}
}

// resolve finds what a reference inside the schema means, absent if nothing.
func resolve(root capability.JSON, ref string) capability.JSON {
	path, ok := strings.CutPrefix(ref, "#/")
	if !ok {
		return ""
	}
	at := root
	for _, step := range strings.Split(path, "/") {
		at = memberOf(at, strings.NewReplacer("~1", "/", "~0", "~").Replace(step))
	}
	return at
}

func memberOf(object capability.JSON, name string) capability.JSON {
	for _, m := range object.Members() {
		if m.Name == name {
			return m.Value
		}
	}
	return ""
}

func textsOf(array capability.JSON) []string {
	texts := []string{}
	for _, item := range array.Elements() {
		if text, ok := item.Text(); ok {
			texts = append(texts, text)
		}
	}
	return texts
}
