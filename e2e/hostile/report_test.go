package hostile

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// memory reports that a finding is the module's memory, or what leads to it.
func memory(found string) bool {
	return slices.ContainsFunc([]string{"view of the memory", "buffer of the memory", "WebAssembly memory", "WebAssembly instance"},
		func(text string) bool { return strings.HasSuffix(found, text) })
}

// leaksMemory reports that the attacker got at the module's memory.
func (r row) leaksMemory() bool { return slices.ContainsFunc(r.found, memory) }

// cell is what a table says of cases: ok, or the worst that was found.
func cell(rows []row) string {
	text := "ok"
	for _, r := range rows {
		for _, found := range r.found {
			what, _, _ := strings.Cut(found, ":")
			if memory(found) {
				what = "leaks memory"
			}
			if severity(what) > severity(text) {
				text = what
			}
		}
	}
	if len(rows) == 0 {
		return "-"
	}
	return text
}

func severity(text string) int {
	return slices.Index([]string{"ok", "uses", "differs", "leaks", "leaks memory"}, text)
}

// table adds a table to the report that is printed at the end: a line a target, a column an attacker. Without -v the
// targets at which nothing was found share one line.
func table(title string, rows []row) {
	fmt.Fprintf(&report, "\n%s\n%-70s %-13s %-13s %s\n", title, "", "recorder", "thrower", "liar")
	quiet := 0
	for _, name := range namesOf(rows) {
		var cells []any
		for _, attacker := range []string{"recorder", "thrower", "liar"} {
			cells = append(cells, cell(slices.Collect(func(yield func(row) bool) {
				for _, r := range rows {
					if r.Target == name && r.Attacker == attacker && !yield(r) {
						return
					}
				}
			})))
		}
		if !testing.Verbose() && !slices.ContainsFunc(cells, func(c any) bool { return c != "ok" && c != "-" }) {
			quiet++
			continue
		}
		fmt.Fprintf(&report, "%-70s %-13s %-13s %s\n", append([]any{name}, cells...)...)
	}
	if quiet > 0 {
		fmt.Fprintf(&report, "%-70s %-13s %-13s %s\n", fmt.Sprintf("%d targets", quiet), "ok", "ok", "ok")
	}
}

// report is what TestMain prints at the end.
var report strings.Builder

func printReport() error {
	_, err := fmt.Fprint(os.Stderr, report.String())
	return err
}

// namesOf lists the targets of rows, each once.
func namesOf(rows []row) []string {
	var names []string
	for _, r := range rows {
		if len(names) == 0 || names[len(names)-1] != r.Target {
			names = append(names, r.Target)
		}
	}
	return names
}
