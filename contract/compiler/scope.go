package compiler

import (
	"github.com/grafana/sobek/ast"
)

// scope is what names mean within a stretch of a module.
type scope struct {
	m      *module
	parent *scope
	names  map[string]*binding
}

// bindingKind is what made a name.
type bindingKind int

const (
	imported  bindingKind = iota
	constant              // const
	variable              // let and var
	parameter             // of a function
	function
	class
	caught // by catch, or taken from a loop
)

// binding is what a name stands for.
type binding struct {
	kind bindingKind
	name string
	at   place
	// init is the initializer of a constant or variable, in the scope that it stands in; nil when there is none that
	// counts. path leads from its value to the name's, in a destructuring declaration.
	init  *site
	path  []string
	exact bool // false when the value depends on more than init and path: a default, the rest of a pattern
	// specifier and member are what is imported: member "*" is the whole namespace.
	specifier, member string
	// assigned is set when the name gets another value later, changed where a member of its value does.
	assigned bool
	changed  *place
}

// lookup finds what name means here, nil when it is a global.
func (s *scope) lookup(name string) *binding {
	for ; s != nil; s = s.parent {
		if b := s.names[name]; b != nil {
			return b
		}
	}
	return nil
}

func (s *scope) inner() *scope { return &scope{m: s.m, parent: s, names: map[string]*binding{}} }

// declare adds a name. A function or var that is there already stays what it is, with more than one value.
func (s *scope) declare(b *binding) {
	if first := s.names[b.name]; first != nil {
		first.assigned = true
		return
	}
	s.names[b.name] = b
}

// pattern declares every name of a binding target; init is nil when its value is not known.
func (s *scope) pattern(target ast.Expression, kind bindingKind, init *site) {
	s.eachName(target, nil, true, func(id *ast.Identifier, path []string, exact bool) {
		s.declare(&binding{
			kind: kind, name: id.Name.String(), at: s.m.placeOf(id.Idx0(), id.Idx1()), init: init, path: path, exact: exact,
		})
	})
}

// eachName visits the names of a pattern with the way from the whole value to each.
func (s *scope) eachName(target ast.Expression, path []string, exact bool, visit func(*ast.Identifier, []string, bool)) {
	switch t := target.(type) {
	case *ast.Identifier:
		visit(t, path, exact)
	case *ast.Binding:
		s.eachName(t.Target, path, exact && t.Initializer == nil, visit)
	case *ast.AssignExpression: // a default
		s.eachName(t.Left, path, false, visit)
	case *ast.ObjectPattern:
		for _, property := range t.Properties {
			s.eachNameOf(property, path, exact, visit)
		}
		s.eachName(t.Rest, path, false, visit)
	case *ast.ArrayPattern:
		for i, element := range t.Elements {
			s.eachName(element, append(path[:len(path):len(path)], itoa(i)), exact, visit)
		}
		s.eachName(t.Rest, path, false, visit)
	}
}

func (s *scope) eachNameOf(property ast.Property, path []string, exact bool, visit func(*ast.Identifier, []string, bool)) {
	path = path[:len(path):len(path)]
	switch p := property.(type) {
	case *ast.PropertyShort:
		visit(&p.Name, append(path, p.Name.Name.String()), exact && p.Initializer == nil)
	case *ast.PropertyKeyed:
		key, ok := plainKey(p)
		s.eachName(p.Value, append(path, key), exact && ok, visit)
	}
}

// plainKey is the name of a property that is written out.
func plainKey(p *ast.PropertyKeyed) (string, bool) {
	switch key := p.Key.(type) {
	case *ast.Identifier:
		return key.Name.String(), !p.Computed
	case *ast.StringLiteral:
		return key.Value.String(), true
	case *ast.NumberLiteral:
		text, ok := numberText(key.Value)
		return text, ok
	}
	return "", false
}
