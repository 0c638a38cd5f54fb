package compiler

import (
	"github.com/grafana/sobek/ast"
)

// part is a value within an object or array. One that is not known is opaque, and matters only where it is used.
func (e *evaluator) part(x ast.Expression, s *scope) value {
	v, wrong := e.eval(x, s)
	if wrong != nil {
		return value{kind: kindOpaque, at: wrong.at, wrong: wrong, size: 1}
	}
	return v
}

func (e *evaluator) array(x *ast.ArrayLiteral, s *scope, at place) (value, *defect) {
	v := value{kind: kindArray, at: at, size: 1}
	for _, element := range x.Value {
		if element == nil {
			return value{}, at.defect("write every element", "an array with holes is no JSON")
		}
		items, wrong := e.elements(element, s)
		if wrong != nil {
			return value{}, wrong
		}
		for _, item := range items {
			v.items, v.size = append(v.items, item), v.size+item.size
		}
		if v.size > maxSize {
			break
		}
	}
	return v, nil
}

// elements are what one expression adds to an array: several for a spread.
func (e *evaluator) elements(x ast.Expression, s *scope) ([]value, *defect) {
	spread, ok := x.(*ast.SpreadElement)
	if !ok {
		return []value{e.part(x, s)}, nil
	}
	v, wrong := e.eval(spread.Expression, s)
	if wrong == nil && v.kind != kindArray {
		wrong = s.m.placeOf(x.Idx0(), x.Idx1()).defect("spread an array that is a constant", "%s cannot be spread into an array", v.typeName())
	}
	return v.items, wrong
}

func (e *evaluator) object(x *ast.ObjectLiteral, s *scope, at place) (value, *defect) {
	v := value{kind: kindObject, at: at, size: 1}
	for _, property := range x.Value {
		var wrong *defect
		switch p := property.(type) {
		case *ast.PropertyShort:
			v.set(p.Name.Name.String(), e.part(&p.Name, s))
		case *ast.PropertyKeyed:
			wrong = e.keyed(&v, p, s)
		case *ast.SpreadElement:
			wrong = e.spread(&v, p.Expression, s)
		}
		if wrong != nil {
			return value{}, wrong
		}
		if v.size > maxSize {
			break
		}
	}
	return v, nil
}

// set gives a member a value; the last one counts, in the place of the first.
func (v *value) set(name string, item value) {
	v.size += item.size
	for i := range v.members {
		if v.members[i].name == name {
			v.members[i].value = item
			return
		}
	}
	v.members = append(v.members, member{name, item})
}

const handlersGoToBind = "declare what it is here, and give the code to bind({ … })"

func (e *evaluator) keyed(v *value, p *ast.PropertyKeyed, s *scope) *defect {
	at := s.m.placeOf(p.Idx0(), p.Idx1())
	name, wrong := e.key(p, s)
	switch {
	case wrong != nil:
		return wrong
	case p.Kind != ast.PropertyKindValue:
		v.set(name, value{kind: kindOpaque, at: at, wrong: at.defect(handlersGoToBind, "a method is code, and a declaration is data"), size: 1})
	case name == "__proto__" && !p.Computed:
		return at.defect("leave it out, or write the key in brackets if it is a name", "__proto__ here is no member: it sets the prototype")
	default:
		v.set(name, e.part(p.Value, s))
	}
	return nil
}

// key is the name of a property, which may be computed from a constant.
func (e *evaluator) key(p *ast.PropertyKeyed, s *scope) (string, *defect) {
	if name, ok := plainKey(p); ok {
		return name, nil
	}
	key, wrong := e.eval(p.Key, s)
	if wrong == nil && key.kind != kindText && key.kind != kindNumber {
		wrong = s.m.placeOf(p.Key.Idx0(), p.Key.Idx1()).defect("write the name out", "a name must be a text, not %s", key.typeName())
	}
	return key.text, wrong
}

func (e *evaluator) spread(v *value, x ast.Expression, s *scope) *defect {
	item, wrong := e.eval(x, s)
	if wrong != nil {
		return wrong
	}
	switch item.kind {
	case kindObject:
		for _, m := range item.members {
			v.set(m.name, m.value)
		}
	case kindAbsent, kindNull: // adds nothing
	default:
		return s.m.placeOf(x.Idx0(), x.Idx1()).defect("spread an object that is a constant", "%s cannot be spread into an object", item.typeName())
	}
	return nil
}
