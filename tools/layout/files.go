package layout

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// The sizes that the house keeps, in lines.
const (
	MaxFile     = 600
	MaxFunction = 80
	// maxCase is the longest case of a switch that still counts as a row of a table.
	maxCase = 8
)

// File is one file of the repository.
type File struct {
	Path    string // relative to the root, slash-separated
	Content []byte
}

// ReadFiles reads the files with one of the extensions (with their dot); all files if none is given.
func ReadFiles(root string, paths []string, extensions ...string) ([]File, error) {
	var files []File
	for _, name := range paths {
		if len(extensions) > 0 && !slices.Contains(extensions, path.Ext(name)) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("reading the repository: %w", err)
		}
		files = append(files, File{name, content})
	}
	return files, nil
}

// FileLengths finds files that are longer than MaxFile.
func FileLengths(files []File) []Problem {
	var problems []Problem
	for _, f := range files {
		if n := strings.Count(string(f.Content), "\n"); n > MaxFile {
			problems = append(problems, Problem{
				f.Path,
				fmt.Sprintf("has %d lines, more than %d", n, MaxFile),
				"split it by what it holds, and name each part for that",
			})
		}
	}
	return sorted(problems)
}

// FunctionLengths finds functions, outside tests, that are longer than MaxFunction. The lines of a function's largest
// flat table do not count.
func FunctionLengths(files []File) ([]Problem, error) {
	var problems []Problem
	err := eachGo(files, func(f File, fset *token.FileSet, tree *ast.File) {
		if strings.HasSuffix(f.Path, "_test.go") {
			return
		}
		for _, decl := range tree.Decls {
			fn, ok := decl.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			if n := lines(fset, fn) - largestTable(fset, fn.Body); n > MaxFunction {
				problems = append(problems, Problem{
					place(f, fset, fn.Pos()),
					fmt.Sprintf("%s has %d lines, more than %d", fn.Name.Name, n, MaxFunction),
					"split it into steps that can be named; only one flat table or switch is not counted",
				})
			}
		}
	})
	return sorted(problems), err
}

// largestTable is the length of the longest composite literal without code in it, or switch of short cases.
func largestTable(fset *token.FileSet, body *ast.BlockStmt) int {
	longest := 0
	ast.Inspect(body, func(node ast.Node) bool {
		if flat(fset, node) {
			longest = max(longest, lines(fset, node))
		}
		return true
	})
	return longest
}

func flat(fset *token.FileSet, node ast.Node) bool {
	switch node := node.(type) {
	case *ast.CompositeLit:
		return !hasCode(node)
	case *ast.SwitchStmt:
		return shortCases(fset, node.Body)
	case *ast.TypeSwitchStmt:
		return shortCases(fset, node.Body)
	}
	return false
}

func hasCode(node ast.Node) bool {
	found := false
	ast.Inspect(node, func(node ast.Node) bool {
		_, code := node.(*ast.FuncLit)
		found = found || code
		return !found
	})
	return found
}

func shortCases(fset *token.FileSet, body *ast.BlockStmt) bool {
	for _, clause := range body.List {
		if lines(fset, clause) > maxCase {
			return false
		}
	}
	return true
}

// lines is how many lines a node spans.
func lines(fset *token.FileSet, node ast.Node) int {
	return fset.Position(node.End()).Line - fset.Position(node.Pos()).Line + 1
}

// JavaScriptImports finds Go files that import syscall/js though they are not of the bridge.
func JavaScriptImports(files []File) ([]Problem, error) {
	var problems []Problem
	err := eachGo(files, func(f File, fset *token.FileSet, tree *ast.File) {
		for _, spec := range tree.Imports {
			if name, err := strconv.Unquote(spec.Path.Value); err != nil || name != "syscall/js" || forJavaScript(f.Path) {
				continue
			}
			problems = append(problems, Problem{
				place(f, fset, spec.Pos()),
				"imports syscall/js",
				"only jsbridge/, wasm/ and files named *_js.go may; move the code there",
			})
		}
	})
	return sorted(problems), err
}

func forJavaScript(name string) bool {
	return under(name, "jsbridge") || under(name, WASM) ||
		strings.HasSuffix(name, "_js.go") || strings.HasSuffix(name, "_js_test.go")
}

// eachGo parses the Go files among files and hands each to visit.
func eachGo(files []File, visit func(File, *token.FileSet, *ast.File)) error {
	for _, f := range files {
		if path.Ext(f.Path) != ".go" || inTestdata(f.Path) {
			continue
		}
		fset := token.NewFileSet()
		tree, err := parser.ParseFile(fset, f.Path, f.Content, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parsing: %w", err)
		}
		visit(f, fset, tree)
	}
	return nil
}

func place(f File, fset *token.FileSet, pos token.Pos) string {
	return fmt.Sprintf("%s:%d", f.Path, fset.Position(pos).Line)
}

// inTestdata reports whether the go command ignores the file: it need not even parse.
func inTestdata(name string) bool {
	return slices.Contains(strings.Split(path.Dir(name), "/"), "testdata")
}
