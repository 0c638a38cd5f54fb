package compiler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/pagewarden/pagewarden/contract"
)

// compilation is what the steps of one Compile share.
type compilation struct {
	Options
	graph *graph
	// candidates are the modules that can have something of the package: they import it, or a module that hands it on.
	candidates map[string]bool
	modules    map[string]*module
	// naming are the modules whose text has the name of a declaration function.
	naming   map[string]string
	problems []Problem
	notes    []Problem
	// quiet finds the package's functions in the candidates; it is made anew when there are more of them.
	quiet *evaluator
	// contributed are the modules of dependencies that declarations rest on, by package.
	contributed map[string]map[string]bool
}

// Compile finds the declarations of a project and makes their manifest. What an author has to change is in the result's
// Problems; an error says that it could not be tried: an entry that is not there, a module that is not valid
// (*BuildError), an interrupted ctx.
func Compile(ctx context.Context, options Options) (*Result, error) {
	g, err := readGraph(ctx, options.Project)
	if err != nil {
		return nil, err
	}
	return compile(ctx, options, g)
}

func compile(ctx context.Context, options Options, g *graph) (*Result, error) {
	c := newCompilation(options, g)
	if err := c.findCandidates(); err != nil {
		return nil, err
	}
	c.strangers()
	return c.result(ctx)
}

func newCompilation(options Options, g *graph) *compilation {
	return &compilation{
		Options: options, graph: g, candidates: map[string]bool{}, modules: map[string]*module{},
		naming: map[string]string{}, contributed: map[string]map[string]bool{},
	}
}

// result is what the candidates declare.
func (c *compilation) result(ctx context.Context) (*Result, error) {
	found, err := c.findDeclarations(ctx)
	if err != nil {
		return nil, err
	}
	manifest, err := c.manifest(found)
	if err != nil {
		return nil, err
	}
	result := &Result{Problems: sortProblems(c.problems), Notes: sortProblems(c.notes), Modules: len(c.graph.modules), Parsed: len(c.modules)}
	if len(result.Problems) == 0 {
		result.Manifest = manifest
	}
	return result, nil
}

// module is the module at path, read and parsed once.
func (c *compilation) module(path string) (*module, error) {
	if m := c.modules[path]; m != nil {
		return m, nil
	}
	n := c.graph.modules[path]
	if n == nil {
		return nil, fmt.Errorf("the build does not contain %s", path)
	}
	m, err := c.readModule(n)
	if err != nil {
		return nil, err
	}
	c.modules[path] = m
	return m, nil
}

// fail adds a problem for a module that a constant is in and that cannot be read.
func (c *compilation) fail(err error) {
	if failed, ok := errors.AsType[*BuildError](err); ok {
		c.problems = append(c.problems, failed.Problems...)
		return
	}
	c.problems = append(c.problems, Problem{Message: err.Error()})
}

// consulted notes that a declaration rests on a module.
func (c *compilation) consulted(m *module) {
	if m.dependency == "" {
		return
	}
	if c.contributed[m.dependency] == nil {
		c.contributed[m.dependency] = map[string]bool{}
	}
	c.contributed[m.dependency][m.path] = true
}

// manifest is what package contract makes of the declarations of the project and its approved dependencies.
func (c *compilation) manifest(found []declared) (*contract.Manifest, error) {
	d := c.drafts()
	for _, f := range found {
		if f.m.dependency == "" {
			d.add(f)
		}
	}
	dependencies, err := c.dependencies(found)
	if err != nil {
		return nil, err
	}
	dependencies = slices.DeleteFunc(dependencies, func(d *dependency) bool { return !c.approved(d) })
	for _, dependency := range dependencies {
		d.list = append(d.list, dependency.declares.list...)
		maps.Copy(d.written, dependency.declares.written)
	}
	m, err := contract.Compile(d.list...)
	if err != nil {
		d.refused(err)
	} else if err := merge(m, dependencies); err != nil {
		d.problems = append(d.problems, Problem{Message: err.Error()})
	}
	c.problems = append(c.problems, d.problems...)
	return m, nil
}
