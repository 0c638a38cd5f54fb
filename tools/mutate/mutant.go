package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/pagewarden/pagewarden/tools/conformance/rulebook"
)

// mutant is one seeded fault.
type mutant struct {
	where              string // file and line of its description
	name, rule         string
	file               string // relative to the root, with slashes
	before, after      string
	under              string // a line above the replaced one, "" when that one is unique
	test               rulebook.Test
	content, displaced string // the file with the fault, and the line that it replaced
}

// load reads the mutants whose name or rule holds only.
func load(root, only string) ([]*mutant, error) {
	paths, err := filepath.Glob(filepath.Join(root, "testdata", "mutants", "*.txt"))
	if err != nil {
		return nil, fmt.Errorf("listing the mutants: %w", err)
	}
	var wanted []*mutant
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return nil, fmt.Errorf("reading the mutants: %w", err)
		}
		list, err := parse(filepath.Base(path), string(text))
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			if strings.Contains(m.name, only) || strings.Contains(m.rule, only) {
				wanted = append(wanted, m)
			}
		}
	}
	if len(wanted) == 0 {
		return nil, fmt.Errorf("no mutant has %q in its name or rule", only)
	}
	return wanted, nil
}

// parse reads blocks of "key: value" lines that blank lines part; a line that starts with ; is a remark.
func parse(name, text string) ([]*mutant, error) {
	var list []*mutant
	var current *mutant
	for i, line := range strings.Split(text, "\n") {
		where := fmt.Sprintf("%s:%d", name, i+1)
		switch {
		case strings.HasPrefix(line, ";"):
		case strings.TrimSpace(line) == "":
			current = nil
		default:
			if current == nil {
				current = &mutant{where: where}
				list = append(list, current)
			}
			if err := current.set(line); err != nil {
				return nil, fmt.Errorf("reading %s: %w", where, err)
			}
		}
	}
	return list, nil
}

func (m *mutant) set(line string) (err error) {
	key, value, _ := strings.Cut(line, ":")
	value = strings.TrimSpace(value)
	switch key {
	case "name":
		m.name = value
	case "rule":
		m.rule = value
	case "file":
		m.file = value
	case "before":
		m.before = value
	case "after":
		m.after = value
	case "under":
		m.under = value
	case "test":
		m.test, err = rulebook.ParseTest(value)
	default:
		err = fmt.Errorf("%q is not a key of a mutant", key)
	}
	return err
}

// checkAll prepares every mutant: it must fit its file, and its test must hold its rule.
func checkAll(root string, mutants []*mutant, pages []rulebook.Page) error {
	holds := map[string]bool{}
	for _, p := range pages {
		for _, r := range p.Rules {
			for _, test := range r.Tests {
				holds[r.ID+" "+test.Folder+"."+test.Function] = true
			}
		}
	}
	var problems []error
	for _, m := range mutants {
		err := m.apply(root)
		if err == nil && !holds[m.rule+" "+m.test.Folder+"."+m.test.Function] {
			err = fmt.Errorf("%s is not in the row of %s", m.test, m.rule)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("%s (%s): %w", m.where, m.name, err))
		}
	}
	return errors.Join(problems...)
}

// apply makes the file's content with the fault.
func (m *mutant) apply(root string) error {
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(m.file)))
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	at, err := m.find(lines)
	if err != nil {
		return err
	}
	m.displaced = lines[at]
	indent := lines[at][:len(lines[at])-len(strings.TrimLeft(lines[at], "\t "))]
	lines[at] = indent + m.after
	m.content = strings.Join(lines, "\n")
	return nil
}

// find is the line that the fault replaces: the only one that reads so, or the first one below "under".
func (m *mutant) find(lines []string) (int, error) {
	found, reached := -1, m.under == ""
	for i, line := range lines {
		switch line = strings.TrimSpace(line); {
		case !reached:
			reached = line == m.under
		case line == m.before && found < 0:
			found = i
			if m.under != "" {
				return i, nil
			}
		case line == m.before:
			return 0, fmt.Errorf("%s has the line more than once; say which with under", m.file)
		}
	}
	if found < 0 {
		return 0, fmt.Errorf("%s has no such line: %s", m.file, m.before)
	}
	return found, nil
}
