package compiler

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/grafana/sobek/ast"
)

// findCandidates finds the modules that can have something of the package: those that import it or name its global, and
// then those that import a module which hands it on, until there are no more.
func (c *compilation) findCandidates() error {
	importers := c.graph.reversed()
	fresh, err := c.mentioning()
	if err != nil {
		return err
	}
	fresh = append(fresh, importers[packagePath]...)
	handedOn := map[string]bool{}
	for len(fresh) > 0 {
		for _, path := range fresh {
			c.candidates[path] = true
		}
		fresh = nil
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

// mentioning finds the modules that name the global of the classic script, and remembers those that name a declaration
// function.
func (c *compilation) mentioning() ([]string, error) {
	var found []string
	for _, path := range c.graph.paths() {
		if !c.isReadable(path) {
			continue
		}
		source, err := os.ReadFile(filepath.Join(c.Dir, filepath.FromSlash(path)))
		if err != nil {
			return nil, fmt.Errorf("reading a module: %w", err)
		}
		if bytes.Contains(source, []byte("PageWarden")) {
			found = append(found, path)
		}
		if name := declarationNamed(source); name != "" {
			c.naming[path] = name
		}
	}
	return found, nil
}

// declarationNamed is the first declaration function that a source names, in whatever way; "" for none.
func declarationNamed(source []byte) string {
	for _, name := range []string{componentContract, procedureContract, externalContract} {
		if bytes.Contains(source, []byte(name)) {
			return name
		}
	}
	return ""
}

// strangers notes modules of the project that name a declaration function and cannot have it from the package, as far as
// anybody can see: a runtime that is an argument, for example.
func (c *compilation) strangers() {
	for path, name := range c.naming {
		if dependency, _ := packageOf(path); dependency == "" && !c.candidates[path] {
			c.notes = append(c.notes, Problem{File: path, Message: stranger(name), Fix: importIt(name)})
		}
	}
}

func stranger(name string) string {
	return "this names " + name + ", which cannot be followed to the package: what it declares is not in the contract"
}

func importIt(name string) string {
	return "if it is the package's, import it: import { " + name + " } from \"pagewarden\""
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
		} else if name != "" && m.dependency == "" {
			e.notes = append(e.notes, m.placeOf(call.Callee.Idx0(), call.Callee.Idx1()).defect(importIt(name), "%s", stranger(name)).problem())
		}
	}
	return found
}

// declares reports which declaration function x is, if any. Without ok, name is what it is called if that is the name of
// one, and nobody can say whose it is.
func (e *evaluator) declares(x ast.Expression, s *scope) (name string, ok bool) {
	if _, isImport := x.(*ast.DynamicImportExpression); isImport {
		return "", false
	}
	v, wrong := e.eval(x, s)
	if wrong == nil && v.kind == kindKnown && declares(v.text) {
		return v.text, true
	}
	if wrong == nil {
		return "", false
	}
	if dot, isMember := x.(*ast.DotExpression); isMember && declares(dot.Identifier.Name.String()) {
		return dot.Identifier.Name.String(), false
	}
	return "", false
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
