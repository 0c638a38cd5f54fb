package mcpserver

import (
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
)

// wrapper is the member that holds the input of a tool that does not take an object.
const wrapper = "input"

// What is told of a schema that had to be simplified.
const (
	noteWrapped    = `what it takes is not always an object, so it goes into the member "input"`
	noteAny        = "it takes any value, and over MCP any object"
	noteRoot       = "the input schema does not say at its root: "
	noteOutputRoot = "the output schema does not say at its root: "
	noteNoOutput   = "the output schema is not told, since an output need not be an object"
)

// strictInput is an input schema as strict clients take it: an object at the root, which says so, without a choice there.
// wrapped says that the input became a member of the arguments. notes say what the schema leaves out.
func strictInput(document capability.JSON) (schema capability.JSON, wrapped bool, notes []string) {
	if document.Absent() {
		document = capability.EmptyObject
	}
	s := simplifier{root: document, nullToo: true, choices: true}
	switch s.kind(document, maxRefs) {
	case objects:
	case anything:
		notes = append(notes, noteAny)
	default:
		return wrap(document), true, []string{noteWrapped}
	}
	schema, left := s.flat()
	if len(left) > 0 {
		notes = append(notes, noteRoot+strings.Join(left, ", "))
	}
	return schema, false, notes
}

// strictOutput is an output schema that admits whatever document admits, as strict clients take it; "" when outputs need
// not be objects.
func strictOutput(document capability.JSON) (schema capability.JSON, notes []string) {
	s := simplifier{root: document}
	if s.kind(document, maxRefs) != objects {
		return "", []string{noteNoOutput}
	}
	schema, left := s.flat()
	if len(left) > 0 {
		notes = []string{noteOutputRoot + strings.Join(left, ", ")}
	}
	return schema, notes
}

// wrap makes the schema of an object whose one member is what document describes.
func wrap(document capability.JSON) capability.JSON {
	var inner, properties, out capability.ObjectWriter
	var definitions capability.JSON
	for _, member := range document.Members() {
		switch member.Name {
		case "$defs":
			definitions = member.Value
		case "$schema", "$id":
		default:
			inner.Raw(member.Name, member.Value)
		}
	}
	properties.Raw(wrapper, inner.JSON())
	out.Text("type", "object")
	out.Raw("properties", properties.JSON())
	out.Raw("required", `["`+wrapper+`"]`)
	out.Bool("additionalProperties", false)
	out.Raw("$defs", definitions)
	return out.JSON()
}

// kind is which values a schema admits, as far as that matters.
type kind int

const (
	anything kind = iota
	objects       // nothing but objects
	others        // no objects
	mixed
)

// simplifier reads one schema document of the subset.
type simplifier struct {
	root    capability.JSON
	nullToo bool // null counts as an object
	choices bool // what the branches of a choice say is worth telling, though not all of it holds
}

// maxRefs bounds how deep references are followed; documents of the subset end long before.
const maxRefs = 32

func (s *simplifier) kind(schema capability.JSON, depth int) kind {
	if depth == 0 {
		return mixed
	}
	if types := typesOf(member(schema, "type")); types != nil {
		return s.kindOf(types)
	}
	if choice := member(schema, "anyOf"); !choice.Absent() {
		return s.kindOfAll(choice.Elements(), depth)
	}
	switch ref := member(schema, "$ref"); {
	case !ref.Absent():
		return s.kind(s.resolve(ref), depth-1)
	case !member(schema, "enum").Absent() || !member(schema, "const").Absent():
		return mixed
	}
	return anything
}

func (s *simplifier) kindOf(types []string) kind {
	if s.nullToo && len(types) > 1 {
		types = slices.DeleteFunc(types, func(t string) bool { return t == "null" })
	}
	switch {
	case !slices.Contains(types, "object"):
		return others
	case len(types) == 1:
		return objects
	}
	return mixed
}

func (s *simplifier) kindOfAll(branches []capability.JSON, depth int) kind {
	all := s.kind(branches[0], depth-1)
	for _, branch := range branches[1:] {
		if s.kind(branch, depth-1) != all {
			return mixed
		}
	}
	return all
}

func (s *simplifier) resolve(ref capability.JSON) capability.JSON {
	text, _ := ref.Text()
	name := strings.NewReplacer("~1", "/", "~0", "~").Replace(strings.TrimPrefix(text, "#/$defs/"))
	return member(member(s.root, "$defs"), name)
}

// flat is the root without what strict clients refuse there, and what that is.
func (s *simplifier) flat() (schema capability.JSON, left []string) {
	shape := s.shape(s.root, maxRefs)
	var out capability.ObjectWriter
	out.Text("type", "object")
	for _, m := range s.root.Members() {
		switch m.Name {
		case "type", "properties", "required", "additionalProperties", "$id":
		case "anyOf", "enum", "const", "$ref":
			left = append(left, m.Name)
		default:
			out.Raw(m.Name, m.Value)
		}
	}
	var properties capability.ObjectWriter
	for _, p := range shape.properties {
		properties.Raw(p.Name, p.Value)
	}
	out.Raw("properties", properties.JSON())
	if len(shape.required) > 0 {
		out.Raw("required", capability.ArrayOf(shape.required, capability.Quote))
	}
	if !shape.additional.Absent() {
		out.Raw("additionalProperties", shape.additional)
	}
	return out.JSON(), left
}

// shape is what a schema says of an object's members.
type shape struct {
	properties []capability.Member
	required   []string
	additional capability.JSON // of additionalProperties, "" for nothing
}

func (s *simplifier) shape(schema capability.JSON, depth int) shape {
	own := shape{properties: member(schema, "properties").Members(), additional: member(schema, "additionalProperties")}
	for _, name := range member(schema, "required").Elements() {
		text, _ := name.Text()
		own.required = append(own.required, text)
	}
	if depth == 0 {
		return own
	}
	if ref := member(schema, "$ref"); !ref.Absent() {
		own = both(own, s.shape(s.resolve(ref), depth-1))
	}
	if branches := member(schema, "anyOf").Elements(); s.choices && len(branches) > 0 {
		either := s.shape(branches[0], depth-1)
		for _, branch := range branches[1:] {
			either = or(either, s.shape(branch, depth-1))
		}
		own = both(own, either)
	}
	return own
}

// both is what holds where a and b do.
func both(a, b shape) shape {
	for _, p := range b.properties {
		if indexOf(a.properties, p.Name) < 0 {
			a.properties = append(slices.Clip(a.properties), p)
		}
	}
	for _, name := range b.required {
		if !slices.Contains(a.required, name) {
			a.required = append(slices.Clip(a.required), name)
		}
	}
	if a.additional != "false" && b.additional == "false" || a.additional.Absent() {
		a.additional = b.additional
	}
	return a
}

// or is what holds where a or b does, and whatever either says of a member.
func or(a, b shape) shape {
	merged := shape{properties: slices.Clone(a.properties)}
	for _, p := range b.properties {
		switch at := indexOf(merged.properties, p.Name); {
		case at < 0:
			merged.properties = append(merged.properties, p)
		case merged.properties[at].Value != p.Value:
			var choice capability.ObjectWriter
			choice.Raw("anyOf", capability.ArrayJSON([]capability.JSON{merged.properties[at].Value, p.Value}))
			merged.properties[at].Value = choice.JSON()
		}
	}
	for _, name := range a.required {
		if slices.Contains(b.required, name) {
			merged.required = append(merged.required, name)
		}
	}
	if a.additional == "false" && b.additional == "false" {
		merged.additional = "false"
	}
	return merged
}

func indexOf(properties []capability.Member, name string) int {
	return slices.IndexFunc(properties, func(p capability.Member) bool { return p.Name == name })
}

// member is the value of an object's member, absent when there is none.
func member(object capability.JSON, name string) capability.JSON {
	for _, m := range object.Members() {
		if m.Name == name {
			return m.Value
		}
	}
	return ""
}

// typesOf reads the keyword type, nil when it is absent.
func typesOf(value capability.JSON) []string {
	if name, one := value.Text(); one {
		return []string{name}
	}
	var names []string
	for _, element := range value.Elements() {
		name, _ := element.Text()
		names = append(names, name)
	}
	return names
}
