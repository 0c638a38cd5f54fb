package main

import (
	"fmt"
	"strings"

	"github.com/pagewarden/pagewarden/tools/conformance/rulebook"
)

// render is the document.
func render(pages []rulebook.Page) string {
	var out strings.Builder
	out.WriteString("# Conformance\n\nEvery normative rule of the core, and the tests that hold it. Made by `go run ./tools/conformance` from\n" +
		"`tools/conformance/rulebook/rules.txt`; do not edit. `go run ./tools/mutate` shows that the tests notice when a rule is broken.\n")
	for _, p := range pages {
		fmt.Fprintf(&out, "\n## %s: %s\n\n| id | rule | held by |\n|---|---|---|\n", p.Prefix, p.Title)
		for _, r := range p.Rules {
			names := make([]string, len(r.Tests))
			for i, test := range r.Tests {
				names[i] = "`" + test.String() + "`"
			}
			fmt.Fprintf(&out, "| %s | %s | %s |\n", r.ID, r.Text, strings.Join(names, ", "))
		}
	}
	return out.String()
}
