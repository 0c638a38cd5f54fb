package layout

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"path/filepath"

	"github.com/pagewarden/pagewarden/tools/internal/golist"
)

// waits maps the full names of functions that wait or yield to what they are called in a finding. An export that
// reaches one would let Go's scheduler resume another export inside it.
func waits() map[string]string {
	return map[string]string{
		"runtime.Gosched":        "yields",
		"time.Sleep":             "sleeps",
		"time.After":             "makes a channel to wait on",
		"time.Tick":              "makes a channel to wait on",
		"(*sync.WaitGroup).Wait": "waits for goroutines",
		"(*sync.Cond).Wait":      "waits for a condition",
	}
}

// waitFix is the way out of every finding of this file.
const waitFix = "wait through host, whose page side suspends a coroutine instead; a channel may be used in a select with a default"

// Waits finds waiting in the package at pattern, as built for a page: calls of the functions above, and channel
// operations that can block. A select with a default never does.
func Waits(ctx context.Context, root, pattern string) ([]Problem, error) {
	packages, err := golist.List(ctx, golist.Query{
		Dir: root, WASM: true, Flags: []string{"-deps", "-export"}, Patterns: []string{pattern},
	})
	if err != nil {
		return nil, err
	}
	if len(packages) == 0 {
		return nil, fmt.Errorf("looking for waits: no package at %s", pattern)
	}
	linter := waitLinter{root: root, fset: token.NewFileSet(), info: &types.Info{
		Types: map[ast.Expr]types.TypeAndValue{},
		Uses:  map[*ast.Ident]types.Object{},
	}}
	// Dependencies are listed first, so the last package is the one asked for.
	if err := linter.check(packages[len(packages)-1], packages); err != nil {
		return nil, err
	}
	return sorted(linter.problems), nil
}

// waitLinter looks through one type-checked package.
type waitLinter struct {
	root     string
	fset     *token.FileSet
	info     *types.Info
	allowed  map[ast.Node]bool // channel operations of a select that has a default
	problems []Problem
}

func (l *waitLinter) check(p golist.Package, packages []golist.Package) error {
	var trees []*ast.File
	for _, name := range p.GoFiles {
		tree, err := parser.ParseFile(l.fset, filepath.Join(p.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return fmt.Errorf("parsing: %w", err)
		}
		trees = append(trees, tree)
	}
	config := types.Config{Importer: importer.ForCompiler(l.fset, "gc", exports(packages)), Sizes: types.SizesFor("gc", "wasm")}
	if _, err := config.Check(p.ImportPath, l.fset, trees, l.info); err != nil {
		return fmt.Errorf("type-checking %s: %w", p.ImportPath, err)
	}
	l.allowed = map[ast.Node]bool{}
	for _, tree := range trees {
		ast.Inspect(tree, l.inspect)
	}
	return nil
}

// exports opens what the compiler wrote about a dependency.
func exports(packages []golist.Package) importer.Lookup {
	files := map[string]string{}
	for _, p := range packages {
		files[p.ImportPath] = p.Export
	}
	return func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, errors.New("no export data for " + path)
		}
		return os.Open(files[path])
	}
}

// inspect is called for a node before its children, so a select can speak for the operations in it.
func (l *waitLinter) inspect(node ast.Node) bool {
	switch node := node.(type) {
	case *ast.SelectStmt:
		l.selects(node)
	case *ast.SendStmt:
		l.operation(node, "sends on a channel")
	case *ast.UnaryExpr:
		if node.Op == token.ARROW {
			l.operation(node, "receives from a channel")
		}
	case *ast.RangeStmt:
		if _, channel := types.Unalias(l.info.TypeOf(node.X)).Underlying().(*types.Chan); channel {
			l.report(node, "ranges over a channel")
		}
	case *ast.Ident:
		l.use(node)
	}
	return true
}

// selects allows the operations of a select with a default, and reports any other select once, as a whole.
func (l *waitLinter) selects(node *ast.SelectStmt) {
	ready := false
	for _, clause := range node.Body.List {
		comm := clause.(*ast.CommClause).Comm
		ready = ready || comm == nil
		if comm != nil {
			l.allowed[operationOf(comm)] = true
		}
	}
	if !ready {
		l.report(node, "selects without a default")
	}
}

// operationOf returns the send or receive that a clause of a select consists of.
func operationOf(comm ast.Stmt) ast.Node {
	switch comm := comm.(type) {
	case *ast.ExprStmt:
		return ast.Unparen(comm.X)
	case *ast.AssignStmt:
		return ast.Unparen(comm.Rhs[0])
	}
	return comm
}

func (l *waitLinter) operation(node ast.Node, what string) {
	if !l.allowed[node] {
		l.report(node, what)
	}
}

// use reports any mention of a waiting function: called, deferred or passed on.
func (l *waitLinter) use(name *ast.Ident) {
	if fn, ok := l.info.Uses[name].(*types.Func); ok {
		if what := waits()[fn.FullName()]; what != "" {
			l.report(name, fn.FullName()+" "+what)
		}
	}
}

func (l *waitLinter) report(node ast.Node, what string) {
	at := l.fset.Position(node.Pos())
	if rel, err := filepath.Rel(l.root, at.Filename); err == nil {
		at.Filename = filepath.ToSlash(rel)
	}
	l.problems = append(l.problems, Problem{fmt.Sprintf("%s:%d", at.Filename, at.Line), what, waitFix})
}
