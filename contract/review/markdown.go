package review

import (
	"fmt"
	"strings"
)

// markdown is the report for a comment in a review.
func (r *Report) markdown(verbosity Verbosity) string {
	var out strings.Builder
	fmt.Fprintf(&out, "### Contract: %s\n", r.headline())
	if verdict := r.verdict(); verdict != "" {
		fmt.Fprintf(&out, "\n%s: %s\n", code(r.contractFile()), inline(verdict))
	}
	for i, p := range r.Problems {
		if i == 0 {
			out.WriteString("\n")
		}
		p = r.located(p)
		out.WriteString("- ")
		if place := p.Place(); place != "" {
			out.WriteString(code(place) + " ")
		}
		out.WriteString(inline(sentence(p.Message, p.Fix)) + "\n")
		if p.Expression != "" && verbosity != Min {
			fmt.Fprintf(&out, "  %s\n", code(p.Expression))
		}
	}
	for _, s := range r.sections() {
		fmt.Fprintf(&out, "\n**%s: %s**\n", inline(capitalized(s.title)), totals(s.changes))
		if verbosity != Min && len(s.changes) > 0 {
			out.WriteString("\n| | what | change |\n|---|---|---|\n")
			for _, c := range s.changes {
				fmt.Fprintf(&out, "| %s | %s | %s |\n", c.Class, code(c.Subject), cell(c, verbosity))
			}
		}
	}
	if r.hasInventory() {
		out.WriteString(r.markdownInventory(verbosity))
	}
	if count := r.count(); count != "" {
		fmt.Fprintf(&out, "\n%s\n", count)
	}
	return out.String()
}

// headline is what matters most, for the title.
func (r *Report) headline() string {
	switch {
	case len(r.Problems) > 0:
		return counted(len(r.Problems), "problem", "problems")
	case r.Base != nil:
		return totals(r.Base.Changes)
	case r.Command == "inspect":
		return r.counts()
	}
	return totals(r.Changes)
}

func sentence(message, fix string) string {
	if fix == "" {
		return message
	}
	return message + "; " + fix
}

func cell(c Change, verbosity Verbosity) string {
	text := inline(c.text())
	if verbosity == Detail {
		for _, line := range c.values() {
			text += "<br>" + code(line)
		}
	}
	return text
}

func (r *Report) markdownInventory(verbosity Verbosity) string {
	if verbosity == Min {
		return ""
	}
	var out strings.Builder
	out.WriteString("\n| capability | kind | effect | reach | confirm | policies |\n|---|---|---|---|---|---|\n")
	for _, c := range r.Capabilities {
		name := code(c.Capability)
		if verbosity == Detail {
			name += "<br>" + inline(c.Description) + "<br>" + code(c.Declaration)
		}
		fmt.Fprintf(&out, "| %s | %s | %s | %s | %s | %s |\n", name, c.Kind, c.Effect, c.Reach, dash(c.Confirm), inline(dash(strings.Join(c.Policies, ", "))))
	}
	return out.String()
}

// inline is text that Markdown shows as it is, in a cell of a table too.
func inline(text string) string {
	var out strings.Builder
	for _, r := range plain(text) {
		if strings.ContainsRune("\\`*_[]<>|#&!~@", r) {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
	return out.String()
}

// code is text in a code span that works in a cell of a table too.
func code(text string) string {
	text = strings.ReplaceAll(plain(text), "|", "\\|")
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		text = " " + text + " "
	}
	return fence + text + fence
}
