package capability

import (
	"strconv"
	"unicode/utf8"
)

// AppendQuoted appends s as a JSON string literal. Text that is not valid UTF-8 is written with U+FFFD in
// place of each bad byte; values that come from outside are checked before they get here.
func AppendQuoted(dst []byte, s string) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		c := s[i]
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(s[i:])
			if r == utf8.RuneError && size == 1 {
				dst = append(append(dst, s[start:i]...), "\ufffd"...)
				start = i + 1
			}
			i += size
			continue
		}
		i++
		if c >= 0x20 && c != '"' && c != '\\' {
			continue
		}
		dst = append(dst, s[start:i-1]...)
		start = i
		switch c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(dst, s[start:]...), '"')
}

// Quote is s as a JSON string.
func Quote(s string) JSON { return JSON(AppendQuoted(make([]byte, 0, len(s)+2), s)) }

// ObjectWriter builds the text of one object, member by member, in the order of the calls. The zero
// ObjectWriter is an empty object.
type ObjectWriter struct{ text []byte }

// Raw adds a member whose value is already JSON; an absent value adds nothing.
func (w *ObjectWriter) Raw(name string, value JSON) {
	if value.Absent() {
		return
	}
	w.name(name)
	w.text = append(w.text, value...)
}

// Text adds a string member.
func (w *ObjectWriter) Text(name, value string) {
	w.name(name)
	w.text = AppendQuoted(w.text, value)
}

// OptionalText adds a string member unless it is empty.
func (w *ObjectWriter) OptionalText(name, value string) {
	if value != "" {
		w.Text(name, value)
	}
}

// Int adds an integer member.
func (w *ObjectWriter) Int(name string, value int64) {
	w.name(name)
	w.text = strconv.AppendInt(w.text, value, 10)
}

// Bool adds a boolean member.
func (w *ObjectWriter) Bool(name string, value bool) {
	w.name(name)
	w.text = strconv.AppendBool(w.text, value)
}

func (w *ObjectWriter) name(name string) {
	if len(w.text) == 0 {
		w.text = append(w.text, '{')
	} else {
		w.text = append(w.text, ',')
	}
	w.text = append(AppendQuoted(w.text, name), ':')
}

// JSON is the object so far.
func (w *ObjectWriter) JSON() JSON {
	if len(w.text) == 0 {
		return EmptyObject
	}
	return JSON(w.text) + "}"
}

// ArrayOf is the array of what write makes of each item.
func ArrayOf[T any](items []T, write func(T) JSON) JSON {
	list := make([]JSON, len(items))
	for i, item := range items {
		list[i] = write(item)
	}
	return ArrayJSON(list)
}

// ArrayJSON is the array of the given values.
func ArrayJSON(values []JSON) JSON {
	text := []byte{'['}
	for i, value := range values {
		if i > 0 {
			text = append(text, ',')
		}
		text = append(text, value...)
	}
	return JSON(append(text, ']'))
}
