package compiler

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Problem is something in a source that an author must change, and what to write instead.
type Problem struct {
	// File is relative to the project, with slashes; Line and Column count from 1, columns in UTF-16 units as editors
	// do. A problem of a whole file has line 0, one of the project no file.
	File         string
	Line, Column int
	// Expression is the source's own text, shortened; "" when it is about no expression.
	Expression string
	// Message says what is wrong, Fix what to write instead.
	Message, Fix string
}

// String is "FILE:LINE:COLUMN: message: `expression`; fix".
func (p Problem) String() string {
	var text strings.Builder
	text.WriteString(p.Place())
	if text.Len() > 0 {
		text.WriteString(": ")
	}
	text.WriteString(p.Message)
	if p.Expression != "" {
		text.WriteString(": `" + p.Expression + "`")
	}
	if p.Fix != "" {
		text.WriteString("; " + p.Fix)
	}
	return text.String()
}

// Place is FILE:LINE:COLUMN, as much of it as there is.
func (p Problem) Place() string {
	if p.Line == 0 {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column)
}

// defect is a Problem whose place has not been looked up yet: most are never shown.
type defect struct {
	at           place
	message, fix string
	// plain leaves the expression out.
	plain bool
}

// defect is one about what stands at p.
func (p place) defect(fix, format string, args ...any) *defect {
	return &defect{at: p, message: fmt.Sprintf(format, args...), fix: fix}
}

// problem is the defect as an author sees it.
func (d *defect) problem() Problem {
	p := Problem{Message: d.message, Fix: d.fix}
	if !d.plain {
		p.Expression = d.at.text()
	}
	if d.at.m != nil {
		p.File = d.at.m.path
		p.Line, p.Column = d.at.at()
	}
	return p
}

// sortProblems puts problems into the order of their places and leaves out what is said twice.
func sortProblems(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(problems)
}

// shown is a piece of source as one short line.
func shown(source string) string {
	const most = 80
	text := []rune(strings.Join(strings.Fields(source), " "))
	if len(text) > most {
		text = append(text[:most-1], '…')
	}
	return string(text)
}
