package jsbridge

import "github.com/pagewarden/pagewarden/capability"

// tape is where the values of one JSON text lie, in the order of the text: each value is followed by those
// inside it. A definition is read through it once, level by level; looking for each level's members in the
// text anew would read the innermost ones as often as they are deep.
type tape struct {
	text  string
	nodes []node
}

// node is one value. Offsets are into the text.
type node struct {
	nameStart, nameEnd int32 // the member's name as a literal, both 0 for what is no member
	start, end         int32
	next               int32 // the node after everything inside this one
	used               bool  // somebody has read the member
}

// makeTape reads a text that capability.ValueLimits.Check has accepted.
func makeTape(text string) *tape {
	t := &tape{text: text, nodes: make([]node, 0, 8+len(text)/16)}
	t.value(t.skip(0), 0, 0)
	return t
}

// value records the value that starts at at and gives the offset behind it.
func (t *tape) value(at, nameStart, nameEnd int) int {
	self := len(t.nodes)
	t.nodes = append(t.nodes, node{nameStart: int32(nameStart), nameEnd: int32(nameEnd), start: int32(at)})
	switch t.text[at] {
	case '{':
		at = t.object(at + 1)
	case '[':
		at = t.array(at + 1)
	case '"':
		at = t.literal(at)
	default:
		for at < len(t.text) && !ends(t.text[at]) {
			at++
		}
	}
	t.nodes[self].end = int32(at)
	t.nodes[self].next = int32(len(t.nodes))
	return at
}

func (t *tape) object(at int) int {
	for at = t.skip(at); t.text[at] != '}'; at = t.skip(at) {
		nameStart := at
		nameEnd := t.literal(at)
		at = t.value(t.skip(nameEnd), nameStart, nameEnd)
	}
	return at + 1
}

func (t *tape) array(at int) int {
	for at = t.skip(at); t.text[at] != ']'; at = t.skip(at) {
		at = t.value(at, 0, 0)
	}
	return at + 1
}

// literal gives the offset behind the string that starts at at.
func (t *tape) literal(at int) int {
	for at++; t.text[at] != '"'; at++ {
		if t.text[at] == '\\' {
			at++
		}
	}
	return at + 1
}

// skip passes white space and separators, which are where they belong.
func (t *tape) skip(at int) int {
	for at < len(t.text) {
		switch t.text[at] {
		case ' ', '\t', '\n', '\r', ',', ':':
			at++
		default:
			return at
		}
	}
	return at
}

// ends reports whether a number or a word ends before c.
func ends(c byte) bool {
	switch c {
	case ' ', '\t', '\n', '\r', ',', ']', '}':
		return true
	}
	return false
}

// raw is the text of a node.
func (t *tape) raw(i int32) capability.JSON {
	return capability.JSON(t.text[t.nodes[i].start:t.nodes[i].end])
}

// name is a member's name.
func (t *tape) name(i int32) string {
	n := &t.nodes[i]
	name, _ := capability.JSON(t.text[n.nameStart:n.nameEnd]).Text()
	return name
}

// named reports whether a member has this name, which needs no escape.
func (t *tape) named(i int32, name string) bool {
	n := &t.nodes[i]
	return int(n.nameEnd-n.nameStart) == len(name)+2 && t.text[n.nameStart+1:n.nameEnd-1] == name
}
