package layout

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/tools/internal/golist"
)

// Checker applies a table of floors to the packages of a module.
type Checker struct {
	Module string // the module's path
	Rows   []Row
}

// Imports checks each of the module's packages against the table: its place, what it imports, and that nothing
// agent-facing depends on the developers' view. Packages of other modules are looked at only as imports.
func (c Checker) Imports(packages []golist.Package) []Problem {
	var problems []Problem
	for _, p := range packages {
		path, own := c.inside(p.ImportPath)
		if !own {
			continue
		}
		row, ok := c.row(path)
		if !ok {
			problems = append(problems, unknown(p.ImportPath, path))
			continue
		}
		problems = append(problems, c.importsOf(p, path, row)...)
		problems = append(problems, c.developerView(p, row)...)
	}
	return sorted(problems)
}

// importsOf checks one package's own imports.
func (c Checker) importsOf(p golist.Package, path string, row Row) []Problem {
	var problems []Problem
	for _, imported := range p.Imports {
		what, fix := "", ""
		if target, own := c.inside(imported); own {
			what, fix = c.ownImport(path, row, target)
		} else if !standard(imported) && !row.mayUse(imported) {
			what = "imports another module's " + imported
			fix = fmt.Sprintf("use the standard library, or add the module to the row %q in tools/layout/floors.go", row.Path)
		}
		if what != "" {
			problems = append(problems, Problem{p.ImportPath, what, fix})
		}
	}
	return problems
}

// ownImport checks an import within the module. An import of nothing that the table knows is reported where that
// package itself is looked at.
func (c Checker) ownImport(path string, from Row, target string) (what, fix string) {
	to, ok := c.row(target)
	if !ok || to.Path == from.Path {
		return "", ""
	}
	switch {
	case to.ImportedBy != nil && !slices.Contains(to.ImportedBy, from.Path):
		return "imports " + target, fmt.Sprintf("only %s may; take what you need from there", strings.Join(to.ImportedBy, " and "))
	case from.Floor == Free, to.ImportedBy != nil:
		return "", ""
	case to.Floor == Free:
		return fmt.Sprintf("(floor %d) imports %s, which is outside the floors", from.Floor, target),
			fmt.Sprintf("move what both need into a package below floor %d", from.Floor)
	case to.Floor >= from.Floor:
		return fmt.Sprintf("(floor %d) imports %s (floor %d)", from.Floor, target, to.Floor),
			fmt.Sprintf("let %s declare a small interface that its caller fills, or move what both need below floor %d", path, from.Floor)
	}
	return "", ""
}

// developerView looks at everything that an agent-facing package depends on, not only at what it imports itself.
func (c Checker) developerView(p golist.Package, row Row) []Problem {
	if !row.AgentFacing || !slices.Contains(p.Deps, c.Module+"/"+DeveloperView) {
		return nil
	}
	return []Problem{{
		p.ImportPath,
		"is agent-facing and depends on " + DeveloperView,
		"what developers see must not reach agents; cut the import that leads there",
	}}
}

// row finds the line of the table that holds for a folder.
func (c Checker) row(path string) (Row, bool) {
	for _, row := range c.Rows {
		if row.holdsFor(path) {
			return row, true
		}
	}
	return Row{}, false
}

func (r Row) holdsFor(path string) bool {
	rest, below := strings.CutPrefix(path, r.Path+"/")
	return path == r.Path || below && (r.Floor == Free || rest == "internal" || strings.HasPrefix(rest, "internal/"))
}

// mayUse reports whether the row lists the module that the import is part of.
func (r Row) mayUse(imported string) bool {
	return r.AnyModule || slices.ContainsFunc(r.Modules, func(module string) bool { return under(imported, module) })
}

// inside returns a package's folder relative to the module, if it is part of it.
func (c Checker) inside(importPath string) (path string, ok bool) {
	if importPath == c.Module {
		return ".", true
	}
	return strings.CutPrefix(importPath, c.Module+"/")
}

func unknown(importPath, path string) Problem {
	return Problem{
		importPath,
		fmt.Sprintf("the folder %s is not in the table of floors", path),
		"move the package into one that is, or give it a row in tools/layout/floors.go with one line that says what it owns",
	}
}

// Contents checks that none of the packages, a program's dependencies, is or is part of one of those barred.
func Contents(program string, packages []golist.Package, barred []string) []Problem {
	var problems []Problem
	for _, p := range packages {
		for _, path := range barred {
			if under(p.ImportPath, path) {
				problems = append(problems, Problem{
					program,
					"contains " + p.ImportPath,
					"keep it out of a page: move its user into a file that is built natively only, or to another package",
				})
			}
		}
	}
	return sorted(problems)
}

// under reports whether path is parent or below it.
func under(path, parent string) bool {
	return path == parent || strings.HasPrefix(path, parent+"/")
}

// standard reports whether an import is of the standard library, by Go's rule for module paths.
func standard(importPath string) bool {
	first, _, _ := strings.Cut(importPath, "/")
	return !strings.Contains(first, ".")
}
