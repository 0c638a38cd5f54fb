// Package rulebook is the list of normative rules and of the tests that hold them, for the tools that check it.
package rulebook

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed rules.txt
var text string

// Page is one page of the specification and its rules, in order.
type Page struct {
	Prefix, Title string
	Rules         []Rule
}

// Rule is one normative rule.
type Rule struct {
	ID, Text string
	Tests    []Test
}

// Test is a test function of a package, with a subtest or without.
type Test struct {
	// Folder is the package's, Subtest "" for the whole function.
	Folder, Function, Subtest string
}

// String is the name as rules.txt writes it.
func (n Test) String() string {
	text := n.Folder + "." + n.Function
	if n.Subtest != "" {
		text += "/" + n.Subtest
	}
	return text
}

// nextTest is where the next test of a list begins: subtests may hold commas themselves.
var nextTest = regexp.MustCompile(`, ([a-z0-9/]+\.(Test|Fuzz|Example))`)

// Load is the rulebook, page by page.
func Load() ([]Page, error) { return Parse(text) }

// Parse reads rules as rules.txt writes them. The error names the line.
func Parse(text string) ([]Page, error) {
	var pages []Page
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, ";"):
		case strings.HasPrefix(line, "# "):
			prefix, title, _ := strings.Cut(line[2:], " ")
			pages = append(pages, Page{Prefix: prefix, Title: title})
		case len(pages) == 0:
			return nil, fmt.Errorf("reading rules.txt, line %d: a rule before the first page", i+1)
		default:
			r, err := parseRule(line)
			if err != nil {
				return nil, fmt.Errorf("reading rules.txt, line %d: %w", i+1, err)
			}
			last := &pages[len(pages)-1]
			if expected := fmt.Sprintf("%s-%d", last.Prefix, len(last.Rules)+1); r.ID != expected {
				return nil, fmt.Errorf("reading rules.txt, line %d: the id is %s, want %s", i+1, r.ID, expected)
			}
			last.Rules = append(last.Rules, r)
		}
	}
	return pages, nil
}

func parseRule(line string) (Rule, error) {
	parts := strings.Split(line, " | ")
	if len(parts) != 3 {
		return Rule{}, fmt.Errorf("want id | rule | tests")
	}
	r := Rule{ID: strings.TrimSpace(parts[0]), Text: strings.TrimSpace(parts[1])}
	for _, name := range strings.Split(nextTest.ReplaceAllString(parts[2], "\n$1"), "\n") {
		test, err := ParseTest(strings.TrimSpace(name))
		if err != nil {
			return Rule{}, fmt.Errorf("%s: %w", r.ID, err)
		}
		r.Tests = append(r.Tests, test)
	}
	return r, nil
}

// ParseTest reads PACKAGE.NAME or PACKAGE.NAME/SUBTEST.
func ParseTest(text string) (Test, error) {
	folder, rest, found := strings.Cut(text, ".")
	function, subtest, _ := strings.Cut(rest, "/")
	if !found || folder == "" || function == "" {
		return Test{}, fmt.Errorf("%q is not PACKAGE.TEST", text)
	}
	return Test{folder, function, subtest}, nil
}
