package schema

import (
	"encoding/json"
	"strconv"
	"testing"
)

// generator makes documents of the subset and values that aim at them, from choices that rapid or a seeded
// source makes. Numbers are integers within ±2^53, halves, and powers of two, which a float64 holds exactly.
type generator struct {
	// pick returns a number from 0 to n-1.
	pick func(n int) int
	// wild adds pattern, format and numbers that no float64 holds.
	wild bool

	defs map[string]any
	refs []string
	used map[string]bool
}

func newGenerator(pick func(n int) int) *generator {
	return &generator{pick: pick, defs: map[string]any{}, used: map[string]bool{}}
}

func (g *generator) chance(percent int) bool { return g.pick(100) < percent }

func oneOf[T any](g *generator, from ...T) T { return from[g.pick(len(from))] }

// document is a whole document, with the keywords that it has in g.used.
func (g *generator) document() map[string]any {
	for _, name := range []string{"d0", "d/1"}[:g.pick(3)] {
		definition := g.schema(1)
		g.defs[name] = definition
		g.refs = append(g.refs, "#/$defs/"+escapePointer(name))
	}
	root := g.schema(3)
	if len(g.defs) > 0 {
		g.set(root, "$defs", g.defs)
	}
	return root
}

func (g *generator) set(s map[string]any, keyword string, value any) {
	s[keyword] = value
	g.used[keyword] = true
}

// maybe sets a keyword in some of the schemas.
func (g *generator) maybe(percent int, s map[string]any, keyword string, value func() any) {
	if g.chance(percent) {
		g.set(s, keyword, value())
	}
}

func (g *generator) schema(depth int) map[string]any {
	s := map[string]any{}
	g.annotate(s)
	if len(g.refs) > 0 && g.chance(25) {
		g.set(s, "$ref", oneOf(g, g.refs...))
		if g.chance(60) {
			return s
		}
	}
	if depth > 0 && g.chance(15) {
		g.set(s, "anyOf", g.branches(depth-1))
		if g.chance(50) {
			return s
		}
	}
	kind := g.kind(depth)
	g.maybe(85, s, "type", func() any { return g.types(kind) })
	if g.chance(8) {
		g.maybe(50, s, "const", func() any { return g.any(1) })
		g.maybe(80, s, "enum", func() any { return []any{g.any(1), g.any(1), g.ofKind(kind, 1)} })
		return s
	}
	g.keywords(s, kind, depth)
	return s
}

func (g *generator) annotate(s map[string]any) {
	g.maybe(4, s, "title", func() any { return "t" })
	g.maybe(4, s, "description", func() any { return "d" })
	g.maybe(4, s, "default", func() any { return g.any(1) })
	g.maybe(4, s, "examples", func() any { return []any{g.any(0)} })
	g.maybe(4, s, "deprecated", func() any { return true })
}

func (g *generator) kind(depth int) string {
	if depth > 0 && g.chance(70) {
		return oneOf(g, "object", "object", "array")
	}
	return oneOf(g, "string", "number", "integer", "number", "integer", "boolean", "null")
}

func (g *generator) types(kind string) any {
	if g.chance(80) {
		return kind
	}
	if other := oneOf(g, "null", "string", "object"); other != kind {
		return []any{kind, other}
	}
	return []any{kind}
}

func (g *generator) branches(depth int) []any {
	branches := []any{g.schema(depth)}
	for g.chance(60) && len(branches) < 4 {
		branches = append(branches, g.schema(depth))
	}
	return branches
}

func (g *generator) keywords(s map[string]any, kind string, depth int) {
	switch kind {
	case "object":
		g.objectKeywords(s, depth)
	case "array":
		g.maybe(80, s, "items", func() any { return g.schema(max(depth-1, 0)) })
		g.maybe(30, s, "minItems", func() any { return g.pick(3) })
		g.maybe(30, s, "maxItems", func() any { return 2 + g.pick(3) })
		g.maybe(30, s, "uniqueItems", func() any { return g.chance(80) })
	case "string":
		g.maybe(45, s, "minLength", func() any { return g.pick(3) })
		g.maybe(45, s, "maxLength", func() any { return 1 + g.pick(4) })
		if g.wild {
			g.maybe(30, s, "pattern", func() any { return oneOf(g, `^a`, `\s`, `^\p{L}+$`, `^.{0,1001}$`, `[\w-.]`, `[]`) })
			g.maybe(30, s, "format", func() any { return oneOf(g, Formats()...) })
		}
	case "number", "integer":
		g.maybe(35, s, "minimum", func() any { return g.limit(-3) })
		g.maybe(35, s, "maximum", func() any { return g.limit(4) })
		g.maybe(20, s, "exclusiveMinimum", func() any { return g.limit(-4) })
		g.maybe(20, s, "exclusiveMaximum", func() any { return g.limit(5) })
		g.maybe(25, s, "multipleOf", func() any { return oneOf(g, json.Number("0.5"), "1", "1", "2", "4") })
	}
}

func (g *generator) limit(around int) any {
	if g.wild && g.chance(30) {
		return oneOf(g, json.Number("1e-400"), "-1.7e308", "0.1", "1e300", "12345678901234567890.123456789")
	}
	return around + g.pick(3)
}

func names() []string { return []string{"a", "b", "__proto__", "x y", "constructor"} }

func (g *generator) objectKeywords(s map[string]any, depth int) {
	properties := map[string]any{}
	var required []any
	for _, name := range names() {
		if g.chance(40) {
			properties[name] = g.schema(max(depth-1, 0))
		}
		if g.chance(20) {
			required = append(required, name)
		}
	}
	if len(properties) > 0 {
		g.set(s, "properties", properties)
	}
	if len(required) > 0 {
		g.set(s, "required", required)
	}
	g.maybe(35, s, "additionalProperties", func() any { return g.chance(40) })
}

// any is a value of no particular kind.
func (g *generator) any(depth int) any { return g.ofKind(g.kind(depth), depth) }

func (g *generator) ofKind(kind string, depth int) any {
	switch kind {
	case "object":
		members := map[string]any{}
		for _, name := range names() {
			if g.chance(30) {
				members[name] = g.any(depth - 1)
			}
		}
		return members
	case "array":
		items := []any{}
		for range g.pick(4) {
			items = append(items, g.any(depth-1))
		}
		return items
	case "string":
		return oneOf(g, "", "a", "ab", "é😀", "abcd", "a\u00a0")
	case "integer":
		return json.Number(oneOf(g, "0", "1", "2", "3", "-1", "4", "4.0", "9007199254740992", "-9007199254740991"))
	case "number":
		return json.Number(oneOf(g, "0", "1", "2", "2.5", "-0.5", "3e0", "1.50", "-2"))
	case "boolean":
		return g.chance(50)
	}
	return nil
}

// value aims at s, and misses now and then.
func (g *generator) value(s map[string]any) any {
	if g.chance(4) {
		return g.any(1)
	}
	if ref, ok := s["$ref"].(string); ok && g.chance(80) {
		for name, definition := range g.defs {
			if ref == "#/$defs/"+escapePointer(name) {
				return g.value(definition.(map[string]any))
			}
		}
	}
	if branches, ok := s["anyOf"].([]any); ok && g.chance(80) {
		return g.value(oneOf(g, branches...).(map[string]any))
	}
	if fixed, ok := s["const"]; ok {
		return fixed
	}
	if enum, ok := s["enum"].([]any); ok {
		return oneOf(g, enum...)
	}
	switch kind := g.kindFor(s); kind {
	case "object":
		return g.objectFor(s)
	case "array":
		return g.arrayFor(s)
	case "number", "integer":
		return g.numberFor(s)
	default:
		return g.ofKind(kind, 0)
	}
}

func (g *generator) kindFor(s map[string]any) string {
	switch kind := s["type"].(type) {
	case string:
		return kind
	case []any:
		return oneOf(g, kind...).(string)
	}
	for keyword, kind := range map[string]string{"properties": "object", "required": "object", "items": "array",
		"minItems": "array", "minLength": "string", "minimum": "number", "maximum": "number"} {
		if s[keyword] != nil {
			return kind
		}
	}
	return g.kind(0)
}

func (g *generator) objectFor(s map[string]any) any {
	properties, _ := s["properties"].(map[string]any)
	required, _ := s["required"].([]any)
	members := map[string]any{}
	for _, name := range names() {
		if definition, ok := properties[name]; ok && g.chance(60) {
			members[name] = g.value(definition.(map[string]any))
		}
	}
	for _, name := range required {
		if _, present := members[name.(string)]; present || g.chance(3) {
			continue
		}
		if definition, ok := properties[name.(string)]; ok {
			members[name.(string)] = g.value(definition.(map[string]any))
		} else {
			members[name.(string)] = g.any(0)
		}
	}
	if s["additionalProperties"] != false && g.chance(20) {
		members["other"] = g.any(0)
	}
	return members
}

func (g *generator) arrayFor(s map[string]any) any {
	least, _ := s["minItems"].(int)
	items := []any{}
	for range least + g.pick(3) {
		if element, ok := s["items"].(map[string]any); ok {
			items = append(items, g.value(element))
		} else {
			items = append(items, g.any(1))
		}
	}
	return items
}

func (g *generator) numberFor(s map[string]any) any {
	if least, ok := s["minimum"].(int); ok {
		return json.Number(strconv.Itoa(least + g.pick(3)))
	}
	if most, ok := s["maximum"].(int); ok {
		return json.Number(strconv.Itoa(most - g.pick(3)))
	}
	return json.Number(oneOf(g, "0", "0", "1", "2", "2", "4", "0.5"))
}

// encode is v as JSON text.
func encode(t testing.TB, v any) string {
	t.Helper()
	text, err := json.Marshal(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
