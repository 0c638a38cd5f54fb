package review

import (
	"fmt"
	"io"
	"strings"

	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/contract/compiler"
)

// Format is a way of writing a report.
type Format string

// The formats: for a terminal, for programs, for a comment in a review, for the log of a workflow.
const (
	Human    Format = "human"
	JSON     Format = "json"
	Markdown Format = "md"
	GitHub   Format = "github"
)

// Formats are all formats.
func Formats() []Format { return []Format{Human, JSON, Markdown, GitHub} }

// Verbosity says how much of a report is written. JSON has everything always.
type Verbosity string

// The verbosities: verdicts and numbers; a line a change; all that is known of each.
const (
	Min    Verbosity = "min"
	Normal Verbosity = "normal"
	Detail Verbosity = "detail"
)

// Verbosities are all verbosities.
func Verbosities() []Verbosity { return []Verbosity{Min, Normal, Detail} }

// Write writes the report. The same report gives the same bytes: no colours, no times, nothing of the terminal.
func (r *Report) Write(w io.Writer, format Format, verbosity Verbosity) error {
	var text string
	switch format {
	case JSON:
		return r.writeJSON(w)
	case Markdown:
		text = r.markdown(verbosity)
	case GitHub:
		text = r.github(verbosity)
	default:
		text = r.human(verbosity)
	}
	if _, err := io.WriteString(w, text); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

// verdict says in a sentence what the command found or did.
func (r *Report) verdict() string {
	switch r.State {
	case Current:
		return "The contract says what the sources say."
	case Stale:
		if r.Reason != "" {
			return "The contract " + r.Reason + "; run: " + contract.SnapshotCommand
		}
		return "The sources differ from the contract; review the changes and run: " + contract.SnapshotCommand
	case Missing:
		return "There is no contract; run: " + contract.SnapshotCommand
	case Damaged:
		return "The contract was changed by hand or is not whole (" + r.Reason + "); run: " + contract.SnapshotCommand
	case Unread:
		return "The sources have " + counted(len(r.Problems), "problem", "problems") + ", so they have no contract."
	case Created:
		return "The contract is written: review it and commit it."
	case Updated:
		return "The contract is written anew: review the changes and commit it."
	case Unchanged:
		return "The contract is up to date."
	case Proposed:
		return "This is what a snapshot would write; nothing was written."
	}
	return ""
}

// count says how many findings there are, "" for none.
func (r *Report) count() string {
	n := r.Findings()
	if n == 0 {
		return ""
	}
	text := counted(n, "finding", "findings")
	if r.Base != nil {
		text += " with --policy " + string(r.Policy)
	}
	return text
}

// totals is "2 widening, 1 neutral", or "no change".
func totals(changes []Change) string {
	var parts []string
	for _, class := range Classes() {
		if n := Count(changes, class); n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, class))
		}
	}
	if len(parts) == 0 {
		return "no change"
	}
	return strings.Join(parts, ", ")
}

// text is what changed, in one line: "confirmation: required → never (it runs without asking a person)".
func (c Change) text() string {
	switch {
	case c.Field == "" || c.Field == "policies" && c.Before == "":
		return c.prefix() + c.Meaning
	case strings.HasSuffix(c.Field, "Schema"):
		return c.Field + ": " + c.Meaning
	}
	text := fmt.Sprintf("%s: %s → %s", c.Field, brief(c.Before), brief(c.After))
	if c.Meaning != "" {
		text += " (" + c.Meaning + ")"
	}
	return text
}

func (c Change) prefix() string {
	if c.Field == "" {
		return ""
	}
	return c.Field + ": " + brief(c.After) + ": "
}

// brief is a value that fits into a line.
func brief(text string) string {
	const most = 60
	if text == "" {
		return "none"
	}
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > most {
		return string(runes[:most-1]) + "…"
	}
	return string(runes)
}

// located is a problem with its file as seen from where the command runs.
func (r *Report) located(p compiler.Problem) compiler.Problem {
	if p.File != "" {
		p.File = r.Folder + p.File
	}
	return p
}

// sections are the lists of changes with their titles.
func (r *Report) sections() []section {
	var list []section
	if len(r.Changes) > 0 {
		title := "from the contract to the sources"
		switch {
		case r.Command == "snapshot" && r.State == Created:
			title = "in this contract, the first one"
		case r.Command == "snapshot":
			title = "from the contract before to this one"
		}
		list = append(list, section{title, r.Changes, true})
	}
	if r.Base != nil {
		list = append(list, section{"since " + r.Base.Ref, r.Base.Changes, false})
	}
	return list
}

type section struct {
	title   string
	changes []Change
	// all means that every change is a finding, whatever the policy.
	all bool
}
