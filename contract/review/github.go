package review

import (
	"fmt"
	"strings"
)

// github is the report as workflow commands, which show problems beside the lines that they are about.
func (r *Report) github(verbosity Verbosity) string {
	var out strings.Builder
	for _, p := range r.Problems {
		p = r.located(p)
		text := sentence(p.Message, p.Fix)
		if p.Expression != "" {
			text = p.Expression + ": " + text
		}
		out.WriteString(command("error", p.File, p.Line, p.Column, "contract", text))
	}
	switch r.State {
	case Stale, Missing, Damaged:
		out.WriteString(command("error", r.contractFile(), 0, 0, "contract", r.verdict()))
	}
	for _, s := range r.sections() {
		if verbosity != Min {
			for _, c := range s.changes {
				out.WriteString(command(r.level(c, s), r.contractFile(), 0, 0, string(c.Class)+": "+c.Subject, r.change(c, verbosity)))
			}
		}
		fmt.Fprintf(&out, "%s: %s\n", capitalized(s.title), totals(s.changes))
	}
	if r.hasInventory() {
		fmt.Fprintf(&out, "::group::%s\n%s::endgroup::\n", r.counts(), r.inventory(verbosity))
	} else if verdict := r.verdict(); verdict != "" {
		fmt.Fprintf(&out, "%s: %s\n", r.contractFile(), plain(verdict))
	}
	return out.String()
}

// level is how loudly a change is told.
func (r *Report) level(c Change, s section) string {
	switch {
	case s.all && r.Command == "check", !s.all && r.Policy.counts(c.Class):
		return "error"
	case c.Class == Widening:
		return "warning"
	}
	return "notice"
}

func (r *Report) change(c Change, verbosity Verbosity) string {
	text := c.text()
	if verbosity == Detail {
		text = strings.Join(append([]string{text}, c.values()...), "\n")
	}
	return text
}

// command is one workflow command. What would end it, or a property of it, is escaped.
func command(level, file string, line, column int, title, message string) string {
	properties := []string{}
	if file != "" {
		properties = append(properties, "file="+property(file))
	}
	if line > 0 {
		properties = append(properties, fmt.Sprintf("line=%d,col=%d", line, column))
	}
	properties = append(properties, "title="+property(title))
	lines := strings.Split(message, "\n")
	for i := range lines {
		lines[i] = strings.ReplaceAll(plain(lines[i]), "%", "%25")
	}
	return "::" + level + " " + strings.Join(properties, ",") + "::" + strings.Join(lines, "%0A") + "\n"
}

func property(text string) string {
	return strings.NewReplacer("%", "%25", ":", "%3A", ",", "%2C").Replace(plain(text))
}
