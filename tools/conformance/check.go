package main

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/pagewarden/pagewarden/tools/conformance/rulebook"
)

// check reports every test that a rule names and that does not exist.
func check(root string, pages []rulebook.Page) error {
	folders := map[string]*testFiles{}
	var problems []error
	for _, p := range pages {
		for _, r := range p.Rules {
			for _, test := range r.Tests {
				if err := checkTest(root, folders, test); err != nil {
					problems = append(problems, fmt.Errorf("%s: %w", r.ID, err))
				}
			}
		}
	}
	return errors.Join(problems...)
}

func checkTest(root string, folders map[string]*testFiles, test rulebook.Test) error {
	files, known := folders[test.Folder]
	if !known {
		read, err := readTests(filepath.Join(root, test.Folder))
		if err != nil {
			return err
		}
		files, folders[test.Folder] = read, read
	}
	switch {
	case !files.functions[test.Function]:
		return fmt.Errorf("there is no %s in %s", test.Function, test.Folder)
	case test.Subtest != "" && !files.texts[test.Subtest]:
		return fmt.Errorf("there is no subtest %q in %s", test.Subtest, test.Folder)
	}
	return nil
}

// testFiles is what the test files of a folder hold.
type testFiles struct {
	functions map[string]bool
	// texts are the string literals: a subtest's name is among them.
	texts map[string]bool
}

func readTests(folder string) (*testFiles, error) {
	paths, err := filepath.Glob(filepath.Join(folder, "*_test.go"))
	if err != nil {
		return nil, fmt.Errorf("listing the tests of %s: %w", folder, err)
	}
	found := &testFiles{functions: map[string]bool{}, texts: map[string]bool{}}
	for _, path := range paths {
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, fmt.Errorf("reading the tests of %s: %w", folder, err)
		}
		found.add(file)
	}
	return found, nil
}

func (f *testFiles) add(file *ast.File) {
	ast.Inspect(file, func(node ast.Node) bool {
		switch node := node.(type) {
		case *ast.FuncDecl:
			if node.Recv == nil && isTestName(node.Name.Name) {
				f.functions[node.Name.Name] = true
			}
		case *ast.BasicLit:
			if node.Kind == token.STRING {
				if text, err := strconv.Unquote(node.Value); err == nil {
					f.texts[text] = true
				}
			}
		}
		return true
	})
}

func isTestName(name string) bool {
	for _, prefix := range []string{"Test", "Fuzz", "Example"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}
