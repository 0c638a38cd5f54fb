package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/conformance/rulebook"
)

// TestCasesNameTestsThatExist looks for each test that docs/cases.md names: PACKAGE.TEST, or FILE: TITLE for one in
// JavaScript, whose title is as its source has it.
func TestCasesNameTestsThatExist(t *testing.T) {
	root := checkout(t)
	content, err := os.ReadFile(filepath.Join(root, "docs", "cases.md"))
	if err != nil {
		t.Fatal(err)
	}
	folders := map[string]*testFiles{}
	cases := 0
	for _, line := range strings.Split(string(content), "\n") {
		cells := strings.Split(strings.Trim(line, "|"), " | ")
		if !strings.HasPrefix(line, "| **") || len(cells) != 3 {
			continue
		}
		cases++
		names := regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(cells[2], -1)
		if len(names) == 0 {
			t.Errorf("no test holds %s", cells[0])
		}
		for _, name := range names {
			if err := findCase(root, folders, name[1]); err != nil {
				t.Errorf("%s: %v", cells[0], err)
			}
		}
	}
	if cases != 15 {
		t.Errorf("the page has %d cases", cases)
	}
}

func findCase(root string, folders map[string]*testFiles, name string) error {
	file, title, script := strings.Cut(name, ": ")
	if !script {
		test, err := rulebook.ParseTest(name)
		if err != nil {
			return err
		}
		return checkTest(root, folders, test)
	}
	source, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return err
	}
	if !strings.Contains(string(source), "test(`"+title+"`") && !strings.Contains(string(source), `test("`+title+`"`) {
		return fmt.Errorf("there is no test %q in %s", title, file)
	}
	return nil
}
