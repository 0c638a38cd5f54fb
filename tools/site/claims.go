package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/tools/layout"
)

// claim says which test runs how many of a text's snippets in one language.
type claim struct {
	file     string
	language string
	count    int
	// test is the file of the test, and name what of it: the name of a Go test, or of one in JavaScript.
	test, name string
}

// claims are all snippets in languages that can be run. A new snippet needs a test that runs it, and its row here.
func claims() []claim {
	const inNode = "web/test/docs.test.mjs"
	const inInspector = "web/test/inspector.test.mjs"
	const inOrder = "the snippets run in order and give what they say"
	return []claim{
		{"README.md", "html", 1, "e2e/pages_test.go", "TestPageOfTheReadme"},
		{"README.md", "sh", 1, "tools/site/check_test.go", "TestCommandsOfTheTextsExist"},
		{"README.md", "sh", 1, "e2e/pages_test.go", "TestCommandsOfTheReadme"},
		{"docs/adapters.md", "go", 1, "tools/site/go_test.go", "TestGoGuidesShowWhatRuns"},
		{"docs/confirmation.md", "html", 1, "e2e/dialog/docs_test.go", "TestPageOfTheGuide"},
		{"docs/confirmation.md", "js", 1, "e2e/dialog/docs_test.go", "TestPageOfTheGuide"},
		{"docs/confirmation.md", "js", 1, "e2e/dialog/docs_test.go", "TestWordsOfTheGuide"},
		{"docs/contract.md", "js", 4, inNode, "contract.md: the snippets run on a page that has what they mention"},
		{"docs/contract.md", "javascript", 1, "e2e/contract_guide_test.go", "TestContractGuide"},
		{"docs/contract.md", "html", 1, "e2e/package_test.go", "TestPinOfTheGuide"},
		{"docs/contract.md", "go", 2, "tools/site/go_test.go", "TestGoGuidesShowWhatRuns"},
		{"docs/go.md", "go", 1, "tools/site/go_test.go", "TestProgramOfTheGoGuide"},
		{"docs/go.md", "go", 5, "tools/site/go_test.go", "TestGoGuidesShowWhatRuns"},
		{"docs/go.md", "sh", 1, "tools/site/go_test.go", "TestProgramOfTheGoGuide"},
		{"docs/go.md", "sh", 1, "e2e/matrix/gopage_test.go", "commandsOfTheGoGuide"},
		{"docs/inspector.md", "html", 1, "e2e/inspector/docs_test.go", "TestPageOfTheGuide"},
		{"docs/inspector.md", "js", 1, "e2e/inspector/docs_test.go", "TestPageOfTheGuide"},
		{"docs/inspector.md", "js", 1, inInspector, "the recording and the test of docs/inspector.md"},
		{"docs/javascript.md", "html", 1, "e2e/package_test.go", "TestPageOfTheGuide"},
		{"docs/javascript.md", "javascript", 1, "e2e/package_test.go", "TestPageOfTheGuide"},
		{"docs/javascript.md", "js", 20, inNode, inOrder},
		{"docs/mcp.md", "go", 2, "tools/site/go_test.go", "TestGoGuidesShowWhatRuns"},
		{"docs/mcp.md", "sh", 1, "cmd/pagewarden/serve_mcp_test.go", "TestCommandsOfTheGuide"},
		{"docs/mcp-page.md", "sh", 2, "e2e/mcppage/docs_test.go", "TestCommandsOfTheGuide"},
		{"docs/prediction.md", "go", 3, "predict/docs_test.go", "TestGuideShowsWhatRuns"},
		{"docs/prediction.md", "js", 6, inNode, inOrder},
		{"docs/providers.md", "js", 6, inNode, inOrder},
		{"docs/toolset.md", "js", 8, inNode, inOrder},
		{"docs/toolset.md", "go", 1, "toolset/docs_test.go", "TestGuideShowsTheExample"},
		{"docs/webtools.md", "html", 1, "e2e/webtools/docs_test.go", "TestPageOfTheGuide"},
		{"docs/webtools.md", "js", 2, "e2e/webtools/docs_test.go", "TestSnippetsOfTheGuide"},
		{"skills/pagewarden/SKILL.md", "js", 3, inNode, inOrder},
	}
}

// runnable are the languages of snippets that must be run.
func runnable() []string {
	return []string{"js", "javascript", "mjs", "jsx", "ts", "typescript", "tsx", "html", "vue", "go", "sh", "bash", "shell", "console", "sql", "python"}
}

// unclaimed compares the snippets of the texts with the claims.
func unclaimed(root string, documents []document, claims []claim) []layout.Problem {
	type kind struct{ file, language string }
	found, claimed := map[kind]int{}, map[kind]int{}
	lines := map[kind][]string{}
	for _, d := range documents {
		for _, s := range d.snippets() {
			if slices.Contains(runnable(), s.language) {
				k := kind{d.path, s.language}
				found[k]++
				lines[k] = append(lines[k], fmt.Sprint(s.line))
			}
		}
	}
	var problems []layout.Problem
	for _, c := range claims {
		claimed[kind{c.file, c.language}] += c.count
		if what := c.missing(root); what != "" {
			problems = append(problems, layout.Problem{Where: c.file, What: what, Fix: "correct the row in tools/site/claims.go"})
		}
	}
	for k := range claimed {
		found[k] += 0
	}
	for k, n := range found {
		if n != claimed[k] {
			problems = append(problems, layout.Problem{
				Where: k.file, What: fmt.Sprintf("has %d snippets in %s (at lines %s), and tests claim to run %d", n, k.language, strings.Join(lines[k], ", "), claimed[k]),
				Fix: "have a test run each, and say which in tools/site/claims.go",
			})
		}
	}
	return problems
}

// missing says what is wrong with the test that a claim names; "" if it is there.
func (c claim) missing(root string) string {
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(c.test)))
	if err != nil {
		return fmt.Sprintf("its snippets in %s are claimed by %s, which is not there", c.language, c.test)
	}
	if !strings.Contains(string(content), c.name) {
		return fmt.Sprintf("its snippets in %s are claimed by %q of %s, which has no such test", c.language, c.name, c.test)
	}
	return ""
}

// notInNav finds texts of docs/ that the navigation lacks, and pages of it without their text.
func notInNav(root string, documents []document) []layout.Problem {
	var problems []layout.Problem
	pages := outputs()
	for _, d := range documents {
		if _, ok := pages[d.path]; !ok && strings.HasPrefix(d.path, "docs/") {
			problems = append(problems, layout.Problem{Where: d.path, What: "is not in the navigation of the site", Fix: "give it a line in tools/site/nav.go"})
		}
	}
	seen := map[string]bool{}
	for _, e := range entries() {
		if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(e.source))); err != nil {
			problems = append(problems, layout.Problem{Where: "tools/site/nav.go", What: "names " + e.source + ", which is not there", Fix: "take the line out"})
		}
		if seen[e.output] {
			problems = append(problems, layout.Problem{Where: "tools/site/nav.go", What: "has two pages " + e.output, Fix: "give one another name"})
		}
		seen[e.output] = true
	}
	return problems
}
