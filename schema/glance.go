package schema

import (
	"unicode/utf8"

	"github.com/pagewarden/pagewarden/capability"
)

// Accepts reports whether a text is, at a glance, JSON within limits that Validate accepts. It builds nothing and
// takes a tenth of the time of Decode and Validate. False says nothing at all: the value has something that the
// glance does not judge (white space, escapes, an enum, a member that the schema does not name), or is invalid.
func (s *Schema) Accepts(text capability.JSON, limits capability.ValueLimits) bool {
	if len(text) > limits.MaxBytes {
		return false
	}
	g := glance{text: string(text), depth: min(limits.MaxDepth, capability.DepthCeiling)}
	return g.value(s.root) && g.at == len(g.text)
}

// glance reads a text without white space once. Its methods report whether what they read is surely accepted.
type glance struct {
	text  string
	at    int
	depth int // how many more levels may be opened
}

func (g *glance) peek() byte {
	if g.at < len(g.text) {
		return g.text[g.at]
	}
	return 0
}

// value reads a value for n; a nil n accepts everything.
func (g *glance) value(n *node) bool {
	if n != nil && (n.target != nil || n.anyOf != nil || n.enum != nil || n.fixed != nil) {
		return false
	}
	switch c := g.peek(); c {
	case '"':
		return n.admits(kindString) && g.str()
	case '{':
		return n.admits(kindObject) && g.object(n)
	case '[':
		return n.admits(kindArray) && g.array(n)
	case 't':
		return n.admits(kindBoolean) && g.word("true")
	case 'f':
		return n.admits(kindBoolean) && g.word("false")
	case 'n':
		return n.admits(kindNull) && g.word("null")
	}
	return g.number(n)
}

// admits reports whether n lets every value of a kind pass, as far as the value itself goes.
func (n *node) admits(kind kinds) bool {
	return n == nil || (n.types == 0 || n.types&kind != 0) && n.judged&kind == 0
}

func (g *glance) word(word string) bool {
	end := g.at + len(word)
	if end > len(g.text) || g.text[g.at:end] != word {
		return false
	}
	g.at = end
	return true
}

// str reads a string without escapes.
func (g *glance) str() bool {
	start := g.at + 1
	var seen byte
	for i := start; i < len(g.text); i++ {
		c := g.text[i]
		if c == '"' {
			g.at = i + 1
			return seen < utf8.RuneSelf || utf8.ValidString(g.text[start:i])
		}
		if c == '\\' || c < ' ' {
			return false
		}
		seen |= c
	}
	return false
}

// plainDigits is how many digits an integer may have so that every host holds it.
const plainDigits = 15

// number reads an integer that is not large, which is a number too.
func (g *glance) number(n *node) bool {
	if !n.admits(kindNumber) && !(n.admits(kindInteger) && n.judged&kindNumber == 0) {
		return false
	}
	if g.peek() == '-' {
		g.at++
	}
	start := g.at
	for g.at < len(g.text) && g.text[g.at]-'0' <= 9 {
		g.at++
	}
	switch digits := g.at - start; {
	case digits == 0, digits > plainDigits, digits > 1 && g.text[start] == '0':
		return false
	}
	switch g.peek() {
	case '.', 'e', 'E':
		return false
	}
	return true
}

func (g *glance) array(n *node) bool {
	if g.depth == 0 || n != nil && n.unique {
		return false
	}
	var items *node
	if n != nil {
		items = n.items
	}
	g.depth--
	g.at++
	for first := true; g.peek() != ']'; first = false {
		if !first && !g.word(",") || !g.value(items) {
			return false
		}
	}
	g.depth++
	g.at++
	return true
}

// object reads an object whose members are all declared: those that are not could be the same one twice.
func (g *glance) object(n *node) bool {
	if g.depth == 0 || n == nil || len(n.names) > maxGlanced {
		return false
	}
	g.depth--
	g.at++
	var seen uint64
	for first := true; g.peek() != '}'; first = false {
		if !first && !g.word(",") {
			return false
		}
		i := g.name(n.names)
		if i < 0 || seen>>i&1 == 1 || !g.value(n.properties[n.names[i]]) {
			return false
		}
		seen |= 1 << i
	}
	g.depth++
	g.at++
	return n.hasRequired(seen)
}

// maxGlanced is how many properties a glance can tell apart.
const maxGlanced = 64

// name reads the name of a member and its colon, and gives its index in names, -1 when it is none of them.
func (g *glance) name(names []string) int {
	start := g.at + 1
	if g.peek() != '"' || !g.str() || !g.word(":") {
		return -1
	}
	name := g.text[start : g.at-2]
	for i := range names {
		if names[i] == name {
			return i
		}
	}
	return -1
}

// hasRequired reports whether the required names are among those seen, by their index in names.
func (n *node) hasRequired(seen uint64) bool {
	found := 0
	for i := range n.names {
		if seen>>i&1 == 0 {
			continue
		}
		for _, name := range n.required {
			if name == n.names[i] {
				found++
			}
		}
	}
	return found == len(n.required)
}
