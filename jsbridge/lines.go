package jsbridge

import (
	"strings"

	"github.com/pagewarden/pagewarden/capability"
)

// lines reads a text of the script that has a JSON value, or nothing, on each line. The script writes JSON without
// line feeds. What is wrong stays in err; reading goes on with nothing.
type lines struct {
	where, rest string
	err         error
}

// oneLine is a JSON value without line feeds, which are nothing but space in it: a model that writes its input as a
// string may well lay it out.
func oneLine(value capability.JSON) string { return strings.ReplaceAll(string(value), "\n", " ") }

// next is the next line, of which another must follow.
func (l *lines) next() capability.JSON {
	line, rest, found := strings.Cut(l.rest, "\n")
	if !found && l.err == nil {
		l.err = typeError(l.where + " has too few lines")
	}
	l.rest = rest
	return capability.JSON(line)
}

// text is the next line as a string.
func (l *lines) text(name string) string {
	line := l.next()
	if line.Absent() {
		return ""
	}
	if plainLiteral(string(line)) {
		return string(line[1 : len(line)-1])
	}
	if issue := messageLimits().Check(line); issue != nil {
		l.fail(name, issue.Error())
		return ""
	}
	text, ok := line.Text()
	if !ok {
		l.fail(name, "must be a string")
	}
	return text
}

func (l *lines) fail(name, reason string) {
	if l.err == nil {
		l.err = typeError(l.where + "." + name + " " + reason)
	}
}

// value is the next line, or the issue of a value that is no JSON, which name names in errors.
func (l *lines) value(name string) (value capability.JSON, issue capability.Issue) {
	line := l.next()
	if line.Kind() != '!' {
		return line, issue
	}
	f, err := decodeObject(l.where+"."+name, string(line[1:]))
	if err == nil {
		issue = capability.Issue{Path: f.text("path"), Message: f.text("message")}
		err = f.err
	}
	if l.err == nil {
		l.err = err
	}
	return "", issue
}

// plainLiteral reports whether a text is a string literal of ASCII without escapes, as most are.
func plainLiteral(text string) bool {
	last := len(text) - 1
	if last < 1 || text[0] != '"' || text[last] != '"' {
		return false
	}
	for i := 1; i < last; i++ {
		if c := text[i]; c < ' ' || c > '~' || c == '"' || c == '\\' {
			return false
		}
	}
	return true
}
