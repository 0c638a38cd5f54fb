package compiler

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/grafana/sobek/ast"
)

// findCandidates finds the modules that can have something of the package: those that import it or name its global, and
// then those that import a module which hands it on, until there are no more.
func (c *compilation) findCandidates() error {
	importers := c.graph.reversed()
	fresh := slices.Clone(importers[packagePath])
	for _, path := range c.graph.paths() {
		mentions, err := c.mentionsGlobal(path)
		if err != nil {
			return err
		}
		if mentions {
			fresh = append(fresh, path)
		}
	}
	handedOn := map[string]bool{}
	for len(fresh) > 0 {
		for _, path := range fresh {
			c.candidates[path] = true
		}
		fresh = fresh[:0]
		carriers, err := c.carriers(handedOn)
		if err != nil {
			return err
		}
		for _, path := range carriers {
			handedOn[path] = true
			for _, importer := range importers[path] {
				if !c.candidates[importer] {
					fresh = append(fresh, importer)
				}
			}
		}
	}
	return nil
}

// mentionsGlobal reports whether a module names the global of the classic script.
func (c *compilation) mentionsGlobal(path string) (bool, error) {
	if _, ok := loaderOf(path); !ok {
		return false, nil
	}
	source, err := os.ReadFile(filepath.Join(c.Dir, filepath.FromSlash(path)))
	if err != nil {
		return false, fmt.Errorf("reading a module: %w", err)
	}
	return mentionsGlobal(string(source)), nil
}

// carriers are the candidates, but for those known, that hand on something of the package.
func (c *compilation) carriers(known map[string]bool) ([]string, error) {
	c.quiet = c.evaluator(false)
	var found []string
	for _, path := range c.graph.paths() {
		if !c.candidates[path] || known[path] {
			continue
		}
		m, err := c.module(path)
		if err != nil {
			return nil, err
		}
		if c.quiet.carries(m) {
			found = append(found, path)
		}
	}
	return found, nil
}

// carries reports whether m exports something of the package.
func (e *evaluator) carries(m *module) bool {
	for _, x := range m.exports {
		if v, wrong := e.export(m, x, place{m: m}); wrong == nil && e.leads(v) {
			return true
		}
	}
	for _, specifier := range m.stars {
		if target := m.imports[specifier]; target == packagePath || e.candidates[target] {
			return true
		}
	}
	return false
}

// leads reports whether something of the package can be reached through v.
func (e *evaluator) leads(v value) bool {
	switch v.kind {
	case kindKnown:
		return v.text != freezeFunction
	case kindPackage, kindRuntime, kindGlobal:
		return true
	case kindModule:
		return e.candidates[v.text]
	}
	for _, item := range v.items {
		if e.leads(item) {
			return true
		}
	}
	for _, m := range v.members {
		if e.leads(m.value) {
			return true
		}
	}
	return false
}

// declared is one call of a declaration function.
type declared struct {
	site
	function string
	call     *ast.CallExpression
	at       place
	m        *module
}

// findDeclarations finds the calls of declaration functions in all candidates, in the order of their paths and lines.
func (c *compilation) findDeclarations(ctx context.Context) ([]declared, error) {
	c.quiet = c.evaluator(false)
	var found []declared
	for _, path := range c.graph.paths() {
		if !c.candidates[path] {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("looking for declarations: %w", err)
		}
		m, err := c.module(path)
		if err != nil {
			return nil, err
		}
		found = append(found, c.quiet.declarations(m)...)
		c.looseFunctions(m)
	}
	return found, nil
}

func (e *evaluator) declarations(m *module) []declared {
	var found []declared
	for _, s := range m.calls {
		call := s.expression.(*ast.CallExpression)
		if name, ok := e.declares(call.Callee, s.scope); ok {
			found = append(found, declared{s, name, call, m.placeOf(call.Idx0(), call.Idx1()), m})
		}
	}
	return found
}

// declares reports which declaration function x is, if any.
func (e *evaluator) declares(x ast.Expression, s *scope) (string, bool) {
	if _, isImport := x.(*ast.DynamicImportExpression); isImport {
		return "", false
	}
	v, wrong := e.eval(x, s)
	return v.text, wrong == nil && v.kind == kindKnown && declares(v.text)
}

// looseFunctions reports declaration functions that are handed around: nobody could say what is declared with them.
func (c *compilation) looseFunctions(m *module) {
	for _, s := range m.loose {
		if name, ok := c.quiet.declares(s.expression, s.scope); ok {
			at := m.placeOf(s.expression.Idx0(), s.expression.Idx1())
			problem := at.defect("call it where it is imported, with the declaration written out", "%s is handed on as a value", name).problem()
			if m.dependency == "" {
				c.problems = append(c.problems, problem)
			} else {
				c.notes = append(c.notes, problem)
			}
		}
	}
}
