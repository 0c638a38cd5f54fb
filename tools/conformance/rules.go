package main

import (
	_ "embed"
	"fmt"
	"regexp"
	"strings"
)

//go:embed rules.txt
var rules string

// page is one page of the specification and its rules, in order.
type page struct {
	prefix, title string
	rules         []rule
}

// rule is one normative rule.
type rule struct {
	id, text string
	tests    []testName
}

// testName is a test function of a package, with a subtest or without.
type testName struct {
	folder, function, subtest string
}

// String is the name as rules.txt writes it.
func (n testName) String() string {
	text := n.folder + "." + n.function
	if n.subtest != "" {
		text += "/" + n.subtest
	}
	return text
}

// nextTest is where the next test of a list begins: subtests may hold commas themselves.
var nextTest = regexp.MustCompile(`, ([a-z/]+\.(Test|Fuzz|Example))`)

// parse reads the rules. The error names the line.
func parse(text string) ([]page, error) {
	var pages []page
	for i, line := range strings.Split(text, "\n") {
		line = strings.TrimSpace(line)
		switch {
		case line == "" || strings.HasPrefix(line, ";"):
		case strings.HasPrefix(line, "# "):
			prefix, title, _ := strings.Cut(line[2:], " ")
			pages = append(pages, page{prefix: prefix, title: title})
		case len(pages) == 0:
			return nil, fmt.Errorf("reading rules.txt, line %d: a rule before the first page", i+1)
		default:
			r, err := parseRule(line)
			if err != nil {
				return nil, fmt.Errorf("reading rules.txt, line %d: %w", i+1, err)
			}
			last := &pages[len(pages)-1]
			if expected := fmt.Sprintf("%s-%d", last.prefix, len(last.rules)+1); r.id != expected {
				return nil, fmt.Errorf("reading rules.txt, line %d: the id is %s, want %s", i+1, r.id, expected)
			}
			last.rules = append(last.rules, r)
		}
	}
	return pages, nil
}

func parseRule(line string) (rule, error) {
	parts := strings.Split(line, " | ")
	if len(parts) != 3 {
		return rule{}, fmt.Errorf("want id | rule | tests")
	}
	r := rule{id: strings.TrimSpace(parts[0]), text: strings.TrimSpace(parts[1])}
	for _, name := range strings.Split(nextTest.ReplaceAllString(parts[2], "\n$1"), "\n") {
		test, err := parseTest(strings.TrimSpace(name))
		if err != nil {
			return rule{}, fmt.Errorf("%s: %w", r.id, err)
		}
		r.tests = append(r.tests, test)
	}
	return r, nil
}

func parseTest(text string) (testName, error) {
	folder, rest, found := strings.Cut(text, ".")
	function, subtest, _ := strings.Cut(rest, "/")
	if !found || folder == "" || function == "" {
		return testName{}, fmt.Errorf("%q is not PACKAGE.TEST", text)
	}
	return testName{folder, function, subtest}, nil
}

// render is the document.
func render(pages []page) string {
	var out strings.Builder
	out.WriteString("# Conformance\n\nEvery normative rule of the core, and the tests that hold it. Made by `go run ./tools/conformance` from\n" +
		"`tools/conformance/rules.txt`; do not edit. `go run ./tools/mutate` shows that the tests notice when a rule is broken.\n")
	for _, p := range pages {
		fmt.Fprintf(&out, "\n## %s: %s\n\n| id | rule | held by |\n|---|---|---|\n", p.prefix, p.title)
		for _, r := range p.rules {
			names := make([]string, len(r.tests))
			for i, test := range r.tests {
				names[i] = "`" + test.String() + "`"
			}
			fmt.Fprintf(&out, "| %s | %s | %s |\n", r.id, r.text, strings.Join(names, ", "))
		}
	}
	return out.String()
}
