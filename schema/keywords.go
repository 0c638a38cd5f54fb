package schema

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
)

// keywordReader reads one keyword of one subschema into its node.
type keywordReader struct {
	*parser
	node *node
	at   place
	name string
	path string
}

// read is the subset: a keyword that it does not list is refused.
func (k keywordReader) read(value any) *SubsetError {
	switch k.name {
	case "type":
		return k.types(value)
	case "enum", "const":
		return k.values(value)
	case "properties", "$defs":
		return k.named(value)
	case "required":
		return k.required(value)
	case "additionalProperties":
		return k.additionalProperties(value)
	case "items":
		return k.items(value)
	case "anyOf":
		return k.anyOf(value)
	case "uniqueItems":
		return k.boolean(value, &k.node.unique)
	case "minItems", "maxItems":
		return k.count(value, kindArray)
	case "minLength", "maxLength":
		return k.count(value, kindString)
	case "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf":
		return k.number(value)
	case "pattern":
		return k.pattern(value)
	case "format":
		return k.format(value)
	case "$ref":
		return k.reference(value)
	}
	return k.annotation(value)
}

// annotation reads what is carried to agents and means nothing for a value.
func (k keywordReader) annotation(value any) *SubsetError {
	switch k.name {
	case "title", "description", "$id":
		_, err := k.text(value)
		return err
	case "$schema":
		return k.dialect(value)
	case "deprecated":
		return k.boolean(value, new(bool))
	case "examples":
		_, err := k.list(value)
		return err
	case "default":
		return nil
	}
	return k.refuse("%s is not supported%s", k.name, instead(k.name))
}

func (k keywordReader) refuse(format string, args ...any) *SubsetError {
	return refuse(k.path, format, args...)
}

func (k keywordReader) wrongKind(want string, value any) *SubsetError {
	return k.refuse("%s must be %s, not %s", k.name, want, kindOf(value).phrase())
}

func (k keywordReader) text(value any) (string, *SubsetError) {
	s, ok := value.(string)
	if !ok {
		return "", k.wrongKind("a string", value)
	}
	return s, nil
}

func (k keywordReader) list(value any) ([]any, *SubsetError) {
	list, ok := value.([]any)
	if !ok {
		return nil, k.wrongKind("an array", value)
	}
	return list, nil
}

func (k keywordReader) boolean(value any, into *bool) *SubsetError {
	b, ok := value.(bool)
	if !ok {
		return k.wrongKind("true or false", value)
	}
	*into = b
	return nil
}

// names reads an array of strings that differ.
func (k keywordReader) names(value any) ([]string, *SubsetError) {
	list, err := k.list(value)
	if err != nil {
		return nil, err
	}
	names := make([]string, 0, len(list))
	seen := make(map[string]bool, len(list))
	for i, item := range list {
		name, ok := item.(string)
		if !ok {
			return nil, refuse(capability.PathIndex(k.path, i), "%s must list strings, not %s", k.name, kindOf(item).phrase())
		}
		if seen[name] {
			return nil, refuse(capability.PathIndex(k.path, i), "%s must not list a name twice", k.name)
		}
		seen[name] = true
		names = append(names, name)
	}
	return names, nil
}

func (k keywordReader) types(value any) *SubsetError {
	if single, ok := value.(string); ok {
		value = []any{single}
	}
	names, err := k.names(value)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		return k.refuse("type must name at least one type")
	}
	for _, name := range names {
		kind := kindNamed(name)
		if kind == 0 {
			all := kindNames()
			return k.refuse("type must be one of %s", strings.Join(all[:], ", "))
		}
		k.node.types |= kind
	}
	k.node.typeMessage = "must be " + k.node.types.phrase()
	return nil
}

func (k keywordReader) values(value any) *SubsetError {
	if k.name == "const" {
		k.node.fixed = newValueSet([]any{value})
		return nil
	}
	list, err := k.list(value)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return k.refuse("enum must list at least one value")
	}
	k.node.enum = newValueSet(list)
	return nil
}

// named reads properties or $defs.
func (k keywordReader) named(value any) *SubsetError {
	members, ok := value.(map[string]any)
	if !ok {
		return k.wrongKind("an object", value)
	}
	read := make(map[string]*node, len(members))
	names := slices.Sorted(maps.Keys(members))
	for _, name := range names {
		n, err := k.schema(members[name], k.at.below(capability.PathName(k.path, name), k.name, name))
		if err != nil {
			return err
		}
		read[name] = n
		if k.name == "$defs" {
			k.node.defs = append(k.node.defs, n)
		}
	}
	if k.name == "properties" {
		k.node.properties, k.node.names = read, names
		k.node.counts += len(names)
	}
	return nil
}

func (k keywordReader) required(value any) *SubsetError {
	names, err := k.names(value)
	if err != nil {
		return err
	}
	k.node.required = names
	k.node.counts += len(names)
	return nil
}

func (k keywordReader) additionalProperties(value any) *SubsetError {
	open, ok := value.(bool)
	if !ok {
		return k.wrongKind("true or false (declare the properties by name)", value)
	}
	k.node.closed = !open
	return nil
}

func (k keywordReader) items(value any) (err *SubsetError) {
	if _, tuple := value.([]any); tuple {
		return k.refuse("items must be one schema for all elements, not an array of schemas")
	}
	k.node.items, err = k.schema(value, k.at.below(k.path, k.name))
	return err
}

func (k keywordReader) anyOf(value any) *SubsetError {
	list, err := k.list(value)
	if err != nil {
		return err
	}
	if len(list) == 0 {
		return k.refuse("anyOf must list at least one schema")
	}
	for i, item := range list {
		branch, err := k.schema(item, k.at.below(capability.PathIndex(k.path, i), k.name, strconv.Itoa(i)))
		if err != nil {
			return err
		}
		k.node.anyOf = append(k.node.anyOf, branch)
	}
	return nil
}

// count reads a number of elements or characters. It is passed on in plain digits: the library reads 1e30 as
// an integer that wraps.
func (k keywordReader) count(value any, judged kinds) *SubsetError {
	n, ok := value.(json.Number)
	if !ok {
		return k.wrongKind("a whole number", value)
	}
	whole, ok := wholeNumber(n)
	if !ok {
		return k.refuse("%s must be a whole number from 0 to 2^53", k.name)
	}
	k.node.rule(k.name, json.Number(strconv.FormatInt(whole, 10)), judged)
	return nil
}

func wholeNumber(n json.Number) (int64, bool) {
	d := decimalOf(n)
	if d.negative || d.exponent < 0 || len(d.digits)+d.exponent > 16 {
		return 0, false
	}
	if d.digits == "" {
		return 0, true
	}
	whole, err := strconv.ParseInt(d.digits+strings.Repeat("0", d.exponent), 10, 64)
	return whole, err == nil && whole <= maxCount
}

func (k keywordReader) number(value any) *SubsetError {
	n, ok := value.(json.Number)
	if !ok {
		return k.wrongKind("a number", value)
	}
	if d := decimalOf(n); k.name == "multipleOf" && (d.negative || d.digits == "") {
		return k.refuse("multipleOf must be greater than 0")
	}
	k.node.rule(k.name, n, kindNumber)
	return nil
}

func (k keywordReader) pattern(value any) *SubsetError {
	source, err := k.text(value)
	if err != nil {
		return err
	}
	translated, known := k.patterns[source]
	if !known {
		var problem error
		if translated, problem = translatePattern(source); problem != nil {
			return k.refuse("pattern cannot be used: %v", problem)
		}
		k.patterns[source] = translated
	}
	k.node.pattern = translated
	k.node.rule(k.name, source, kindString)
	return nil
}

func (k keywordReader) format(value any) *SubsetError {
	name, err := k.text(value)
	if err != nil {
		return err
	}
	if formatNamed(name) == nil {
		return k.refuse("format must be one of %s; describe any other with pattern", strings.Join(Formats(), ", "))
	}
	k.node.rule(k.name, name, kindString)
	return nil
}

func (k keywordReader) reference(value any) *SubsetError {
	reference, err := k.text(value)
	k.node.reference, k.node.refPath = reference, k.path
	return err
}

// Dialect is the only value that $schema may have.
const Dialect = "https://json-schema.org/draft/2020-12/schema"

func (k keywordReader) dialect(value any) *SubsetError {
	dialect, err := k.text(value)
	if err != nil {
		return err
	}
	if strings.TrimSuffix(dialect, "#") != Dialect {
		return k.refuse("$schema must be %s, or left out", Dialect)
	}
	return nil
}
