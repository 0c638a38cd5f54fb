package review

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// human is the report for a terminal.
func (r *Report) human(verbosity Verbosity) string {
	var out strings.Builder
	for _, p := range r.Problems {
		fmt.Fprintf(&out, "PROBLEM %s\n", plain(r.located(p).String()))
	}
	if verdict := r.verdict(); verdict != "" {
		fmt.Fprintf(&out, "%s: %s\n", r.contractFile(), plain(verdict))
	}
	for _, s := range r.sections() {
		fmt.Fprintf(&out, "\n%s: %s\n", capitalized(s.title), totals(s.changes))
		if verbosity != Min {
			out.WriteString(changeTable(s.changes, verbosity))
		}
	}
	if r.hasInventory() {
		out.WriteString(r.inventory(verbosity))
	}
	if count := r.count(); count != "" {
		fmt.Fprintf(&out, "\n%s\n", count)
	}
	if r.Command == "snapshot" && r.Hash != "" {
		fmt.Fprintf(&out, "\nPin it on the page: data-contract=\"sha256-%s\"\n", r.Hash)
	}
	return out.String()
}

func capitalized(text string) string { return strings.ToUpper(text[:1]) + text[1:] }

// changeTable is a line for each change, and with Detail the values below.
func changeTable(changes []Change, verbosity Verbosity) string {
	return table(func(row func(cells ...string)) {
		for _, c := range changes {
			row("  "+strings.ToUpper(string(c.Class)), c.Subject, c.text())
			if verbosity == Detail {
				for _, line := range c.values() {
					row("", "", "  "+line)
				}
			}
		}
	})
}

// values are what the field was and is, in full.
func (c Change) values() []string {
	var lines []string
	if c.Before != "" {
		lines = append(lines, "- "+c.Before)
	}
	if c.After != "" {
		lines = append(lines, "+ "+c.After)
	}
	return lines
}

// hasInventory reports whether inspect has something to show. Sources with problems have no contract, which is not an
// empty one.
func (r *Report) hasInventory() bool { return r.Command == "inspect" && r.State != Unread }

// inventory is the table of inspect.
func (r *Report) inventory(verbosity Verbosity) string {
	if verbosity == Min {
		return r.counts() + "\n"
	}
	text := table(func(row func(cells ...string)) {
		row("CAPABILITY", "KIND", "EFFECT", "REACH", "CONFIRM", "POLICIES")
		for _, c := range r.Capabilities {
			row(c.Capability, c.Kind, c.Effect, string(c.Reach), dash(c.Confirm), dash(strings.Join(c.Policies, ", ")))
		}
	})
	if verbosity == Detail {
		for _, c := range r.Capabilities {
			text += fmt.Sprintf("\n%s\n  %s\n  %s, %s\n", plain(c.Capability), plain(c.Description), plain(c.Declaration), plain(c.Origin))
		}
	}
	return text + "\n" + r.counts() + "\n"
}

// counts is the inventory in a line.
func (r *Report) counts() string {
	reach := map[Reach]int{}
	for _, c := range r.Capabilities {
		reach[c.Reach]++
	}
	return fmt.Sprintf("%s: %d of high reach, %d medium, %d low", counted(len(r.Capabilities), "capability", "capabilities"), reach[High], reach[Medium], reach[Low])
}

func dash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// table lays rows out in columns, without spaces at the end of a line.
func table(fill func(row func(cells ...string))) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	fill(func(cells ...string) {
		for i, cell := range cells {
			cells[i] = plain(cell)
		}
		fmt.Fprintln(w, strings.Join(cells, "\t"))
	})
	w.Flush() // to a Builder, which takes everything
	lines := strings.Split(out.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight(line, " ")
	}
	return strings.Join(lines, "\n")
}
