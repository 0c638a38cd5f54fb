package compiler

import (
	"strconv"

	"github.com/grafana/sobek/ast"
)

// identifier is the value of a name.
func (e *evaluator) identifier(name string, s *scope, at place) (value, *defect) {
	b := s.lookup(name)
	if b == nil {
		if v, ok := ofGlobal(name, at); ok {
			return v, nil
		}
		return value{}, undeclared(name, at)
	}
	if e.active[b] {
		return value{}, at.defect(writeOut, "%s is defined by itself", name)
	}
	if known, ok := e.known[b]; ok {
		return known.value, known.wrong
	}
	e.active[b] = true
	v, wrong := e.bound(b, s, at)
	delete(e.active, b)
	if wrong == nil || !e.data { // otherwise each use is reported where it is
		e.known[b] = outcome{v, wrong}
	}
	return v, wrong
}

func undeclared(name string, at place) *defect {
	return at.defect(writeOut, "nothing in the project declares %s", name)
}

// bound is the value that a binding has for as long as the page runs.
func (e *evaluator) bound(b *binding, s *scope, at place) (value, *defect) {
	switch b.kind {
	case imported:
		return e.imported(b.at.m, b.specifier, b.member, at)
	case constant, variable:
		return e.declared(b, at)
	}
	return value{}, at.defect(notConstant(b), "%s is %s, not a constant", b.name, kindName(b.kind))
}

func kindName(kind bindingKind) string {
	switch kind {
	case parameter:
		return "a parameter"
	case function:
		return "a function"
	case class:
		return "a class"
	case variable:
		return "a variable"
	}
	return "set by a loop or catch"
}

func notConstant(b *binding) string {
	if b.kind == function || b.kind == class {
		return handlersGoToBind
	}
	return writeOut
}

// declared is the value of a const, or of a variable that only names something of the package.
func (e *evaluator) declared(b *binding, at place) (value, *defect) {
	switch {
	case b.init == nil:
		return value{}, at.defect(writeOut, "%s has no value where it is declared", b.name)
	case !b.exact:
		return value{}, at.defect("take the member without a default", "%s may have a default, or is the rest of a pattern", b.name)
	case b.assigned:
		return value{}, at.defect("give it one value, with const", "%s gets more than one value", b.name)
	}
	v, wrong := e.eval(b.init.expression, b.init.scope)
	for _, step := range b.path {
		if wrong != nil {
			break
		}
		v, wrong = e.member(v, step, b.at)
	}
	switch {
	case wrong != nil:
		return value{}, wrong
	case b.kind == variable && (v.isData() || v.kind == kindSchema):
		return value{}, at.defect("declare it with const", "%s is a variable, not a constant", b.name)
	case b.changed != nil && v.isData():
		return value{}, b.changed.defect("write the constant as it is in the end", "%s is changed here", b.name)
	}
	return v, nil
}

// imported is what a module gets from a specifier.
func (e *evaluator) imported(m *module, specifier, name string, at place) (value, *defect) {
	target, ok := m.imports[specifier]
	switch {
	case !ok:
		return value{}, at.defect(writeOut, "the build does not contain %q", specifier)
	case target == packagePath && name == "*":
		return value{kind: kindPackage, at: at, size: 1}, nil
	case target == packagePath:
		return e.member(value{kind: kindPackage}, name, at)
	case name == "*":
		return value{kind: kindModule, text: target, at: at, size: 1}, nil
	}
	return e.exported(target, name, at)
}

// exported is what the module at path hands out under a name.
func (e *evaluator) exported(path, name string, at place) (value, *defect) {
	if e.depth >= maxDepth {
		return value{}, at.defect(writeOut, "%s is handed on too often", name)
	}
	e.depth++
	defer func() { e.depth-- }()
	m, wrong := e.look(path, at)
	if wrong != nil {
		return value{}, wrong
	}
	v, wrong := e.exportOf(m, name, at)
	if wrong == nil && e.data && (v.isData() || v.kind == kindSchema) {
		e.consulted(m)
	}
	return v, wrong
}

// look opens a module, if it is one that matters.
func (e *evaluator) look(path string, at place) (*module, *defect) {
	if !e.data && !e.candidates[path] {
		return nil, at.defect("", "%s has nothing of the package", path)
	}
	m, err := e.module(path)
	if err != nil {
		e.fail(err)
		return nil, at.defect("", "%s cannot be read", path)
	}
	return m, nil
}

func (e *evaluator) exportOf(m *module, name string, at place) (value, *defect) {
	if m.json != nil {
		if name == "default" {
			return *m.json, nil
		}
		return e.member(*m.json, name, at)
	}
	if x, ok := m.exports[name]; ok {
		return e.export(m, x, at)
	}
	if name != "default" {
		if v, ok := e.starred(m, name, at); ok {
			return v, nil
		}
	}
	return value{}, at.defect(writeOut, "%s has no readable export %s", m.path, name)
}

// starred looks for a name in all that m hands on with export * from, each module once.
func (e *evaluator) starred(m *module, name string, at place) (value, bool) {
	seen := map[string]bool{m.path: true}
	for queue := []*module{m}; len(queue) > 0; queue = queue[1:] {
		for _, specifier := range queue[0].stars {
			target := queue[0].imports[specifier]
			if target == packagePath {
				if v, ok := ofPackage(name, at, false); ok {
					return v, true
				}
			}
			next := e.unseen(target, seen, at)
			if next == nil {
				continue
			}
			if x, ok := next.exports[name]; ok {
				v, wrong := e.export(next, x, at)
				return v, wrong == nil
			}
			queue = append(queue, next)
		}
	}
	return value{}, false
}

// unseen opens a module of the graph that is not in seen, and adds it.
func (e *evaluator) unseen(path string, seen map[string]bool, at place) *module {
	if e.graph.modules[path] == nil || seen[path] {
		return nil
	}
	seen[path] = true
	m, wrong := e.look(path, at)
	if wrong != nil {
		return nil
	}
	return m
}

func (e *evaluator) export(m *module, x export, at place) (value, *defect) {
	switch {
	case x.value != nil:
		return e.eval(x.value.expression, x.value.scope)
	case x.specifier != "":
		return e.imported(m, x.specifier, x.member, at)
	}
	return e.identifier(x.local, m.top, at)
}

// dot is LEFT.NAME.
func (e *evaluator) dot(left ast.Expression, name string, s *scope, at place) (value, *defect) {
	v, wrong := e.eval(left, s)
	if wrong != nil {
		return value{}, within(wrong, at)
	}
	return e.member(v, name, at)
}

// within makes a defect of the beginning of an expression one of the whole of it.
func within(wrong *defect, at place) *defect {
	if wrong.at.m != at.m || wrong.at.start != at.start {
		return wrong
	}
	whole := *wrong
	whole.at.end = at.end
	return &whole
}

func (e *evaluator) bracket(x *ast.BracketExpression, s *scope, at place) (value, *defect) {
	v, wrong := e.eval(x.Left, s)
	if wrong != nil {
		return value{}, within(wrong, at)
	}
	key, wrong := e.eval(x.Member, s)
	if wrong != nil {
		return value{}, wrong
	}
	if key.kind != kindText && key.kind != kindNumber {
		return value{}, at.defect(writeOut, "a name must be a text, not %s", key.typeName())
	}
	return e.member(v, key.text, at)
}

// member is what v has under a name.
func (e *evaluator) member(v value, name string, at place) (value, *defect) {
	switch v.kind {
	case kindObject:
		if found, ok := v.member(name); ok {
			return found, found.wrong
		}
	case kindArray:
		if i, err := strconv.Atoi(name); err == nil && i >= 0 && i < len(v.items) && itoa(i) == name {
			return v.items[i], v.items[i].wrong
		}
	case kindSchema:
		if name == "jsonSchema" {
			return v.items[0], nil
		}
	case kindModule:
		return e.exported(v.text, name, at)
	case kindPackage, kindRuntime:
		if found, ok := ofPackage(name, at, v.kind == kindRuntime); ok {
			return found, nil
		}
	case kindGlobal:
		if found, ok := ofGlobal(name, at); ok {
			return found, nil
		}
		return value{}, undeclared(name, at)
	case kindObjects:
		if name == "freeze" {
			return value{kind: kindKnown, text: freezeFunction, at: at, size: 1}, nil
		}
	}
	return value{}, at.defect(writeOut, "%s is not a member that can be read before the page runs", name)
}
