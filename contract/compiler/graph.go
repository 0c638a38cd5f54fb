package compiler

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/evanw/esbuild/pkg/api"
)

// graph is what a production build of the entries consists of.
type graph struct {
	// modules by path, relative to the project with slashes; a path outside the project starts with "../".
	modules map[string]*node
}

// node is one module of a graph.
type node struct {
	path string
	// imports lead from a specifier, as it is written, to the path of a module; to packagePath for the package itself. What
	// the graph does not contain is absent.
	imports map[string]string
}

// packagePath stands for pagewarden's own script in a graph: nobody looks into it.
const packagePath = "pagewarden:"

// readGraph asks esbuild for the module graph.
func readGraph(ctx context.Context, p Project) (*graph, error) {
	options, err := p.buildOptions()
	if err != nil {
		return nil, err
	}
	building, failed := api.Context(options)
	if failed != nil {
		return nil, buildError(failed.Errors)
	}
	defer building.Dispose()
	stop := context.AfterFunc(ctx, building.Cancel)
	defer stop()
	result := building.Rebuild()
	if err := ctx.Err(); err != nil {
		return nil, fmt.Errorf("reading the modules: %w", err)
	}
	return graphOf(result)
}

// graphOf reads what esbuild says of a build.
func graphOf(result api.BuildResult) (*graph, error) {
	if len(result.Errors) > 0 {
		return nil, buildError(result.Errors)
	}
	var meta struct {
		Inputs map[string]struct {
			Imports []struct {
				Path     string
				Original string
				External bool
			}
		}
	}
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		return nil, fmt.Errorf("reading the module graph: %w", err)
	}
	g := &graph{modules: map[string]*node{}}
	for name, input := range meta.Inputs {
		if isPackage(name) {
			continue
		}
		n := &node{path: name, imports: map[string]string{}}
		for _, i := range input.Imports {
			switch {
			case i.External && isPackage(i.Path):
				n.imports[i.Path] = packagePath
			case i.External:
			case isPackage(i.Path):
				n.imports[i.Original] = packagePath
			default:
				n.imports[i.Original] = i.Path
			}
		}
		g.modules[name] = n
	}
	return g, nil
}

// BuildError says that esbuild could not read the project: a module that is not there, or that is not valid.
type BuildError struct {
	Problems []Problem
}

// Error has a line for each problem.
func (e *BuildError) Error() string {
	lines := make([]string, len(e.Problems))
	for i, p := range e.Problems {
		lines[i] = p.String()
	}
	return "reading the modules: " + strings.Join(lines, "\n")
}

// buildError is what esbuild complains of, in a fixed order.
func buildError(messages []api.Message) error {
	var problems []Problem
	for _, m := range messages {
		p := Problem{Message: m.Text}
		if m.Location != nil {
			before := m.Location.LineText[:min(m.Location.Column, len(m.Location.LineText))] // the column is in bytes
			p.File, p.Line, p.Column = m.Location.File, m.Location.Line, len(utf16.Encode([]rune(before)))+1
			p.Expression = shown(m.Location.LineText)
		}
		if strings.HasPrefix(m.Text, "Could not resolve") {
			p.Fix = `install it, or list it under "external" in pagewarden.json if the page gets it from elsewhere`
		}
		problems = append(problems, p)
	}
	if len(problems) == 0 {
		return errors.New("reading the modules: esbuild failed and does not say why")
	}
	return &BuildError{sortProblems(problems)}
}

// reversed are the importers of each module, sorted.
func (g *graph) reversed() map[string][]string {
	importers := map[string][]string{}
	for _, name := range g.paths() {
		for _, to := range g.modules[name].imports {
			importers[to] = append(importers[to], name)
		}
	}
	return importers
}

// paths are the modules' paths, sorted.
func (g *graph) paths() []string { return slices.Sorted(maps.Keys(g.modules)) }

// isPackage reports whether a specifier or a path is that of pagewarden's own script: its name in the package manager,
// or its file, from wherever it is served.
func isPackage(specifier string) bool {
	if at := strings.IndexAny(specifier, "?#"); at >= 0 {
		specifier = specifier[:at]
	}
	return specifier == "pagewarden" || path.Base(specifier) == "pagewarden.mjs"
}

// packageOf is the name of the dependency that the module at path is of, and its path within it; "" for a module of the
// project. The last node_modules counts, which is right for every layout of package managers.
func packageOf(modulePath string) (name, inside string) {
	const folder = "node_modules/"
	at := strings.LastIndex("/"+modulePath, "/"+folder)
	if at < 0 {
		return "", ""
	}
	rest := modulePath[at+len(folder):]
	parts := strings.SplitN(rest, "/", 3)
	n := 1
	if strings.HasPrefix(rest, "@") {
		n = 2
	}
	if len(parts) < n {
		return rest, ""
	}
	name = strings.Join(parts[:n], "/")
	return name, strings.TrimPrefix(rest[len(name):], "/")
}
