package capability

import "strings"

// Member is one member of an object, in the order of its text.
type Member struct {
	Name  string
	Value JSON
}

// Members are the members of an object whose text has been checked; nil when it is not an object.
func (j JSON) Members() []Member {
	if j.Kind() != '{' {
		return nil
	}
	var members []Member
	b := builder{text: string(j)}
	b.skip()
	for b.at++; b.more('}'); {
		name := b.str()
		b.skip()
		start := b.at
		b.pass()
		members = append(members, Member{name, j[start:b.at]})
	}
	return members
}

// Elements are the elements of an array whose text has been checked; nil when it is not an array.
func (j JSON) Elements() []JSON {
	if j.Kind() != '[' {
		return nil
	}
	var elements []JSON
	b := builder{text: string(j)}
	b.skip()
	for b.at++; b.more(']'); {
		start := b.at
		b.pass()
		elements = append(elements, j[start:b.at])
	}
	return elements
}

// pass moves over one value without building it.
func (b *builder) pass() {
	depth := 0
	for {
		switch c := b.text[b.at]; {
		case c == '"':
			b.str()
		case c == '{' || c == '[':
			depth++
			b.at++
		case c == '}' || c == ']':
			depth--
			b.at++
		case isSpace(c) || c == ',' || c == ':':
			b.at++
			continue
		default:
			for b.at < len(b.text) && !strings.ContainsRune(",]} \t\r\n", rune(b.text[b.at])) {
				b.at++
			}
		}
		if depth == 0 {
			return
		}
	}
}

// Text is the value of a JSON string, "" and false for anything else.
func (j JSON) Text() (string, bool) {
	if j.Kind() != '"' {
		return "", false
	}
	return unquote(strings.Trim(string(j), " \t\r\n")), true
}
