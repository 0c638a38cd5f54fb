package compiler

import (
	"slices"

	"github.com/grafana/sobek/ast"
	"github.com/grafana/sobek/token"
)

// use says where an expression stands.
type use struct {
	// name is what the value is bound to, "" for nothing.
	name string
	// bound means that the compiler can follow the value from here: it is called, or bound to a name that stays.
	bound bool
}

// in is the use of a member of an object or array that is used in this way.
func (u use) in(member string) use {
	if u.name != "" {
		u.name += "." + member
	}
	return u
}

// optional walks an expression that may be absent.
func (a *analysis) optional(e ast.Expression) {
	if e != nil {
		a.expression(e, use{})
	}
}

func (a *analysis) list(list []ast.Expression) {
	for _, e := range list {
		a.optional(e)
	}
}

// expression walks e, and notes calls and loose names.
func (a *analysis) expression(e ast.Expression, u use) {
	switch e := e.(type) {
	case *ast.Identifier:
		a.reference(e, u)
	case *ast.DotExpression:
		a.reference(e, u)
		a.expression(e.Left, use{name: u.name, bound: true})
	case *ast.BracketExpression:
		a.reference(e, u)
		a.expression(e.Left, use{name: u.name, bound: true})
		a.expression(e.Member, use{})
	case *ast.CallExpression:
		a.call(e, u)
	case *ast.AwaitExpression:
		a.expression(e.Argument, u)
	case *ast.Optional:
		a.expression(e.Expression, u)
	case *ast.OptionalChain:
		a.expression(e.Expression, u)
	case *ast.SequenceExpression:
		last := len(e.Sequence) - 1
		a.list(e.Sequence[:last])
		a.expression(e.Sequence[last], u)
	case *ast.ObjectLiteral:
		for _, p := range e.Value {
			a.property(p, u)
		}
	case *ast.ArrayLiteral:
		for i, element := range e.Value {
			if element != nil {
				a.expression(element, u.in(itoa(i)))
			}
		}
	case *ast.AssignExpression:
		a.assignment(e)
	case *ast.UnaryExpression:
		a.unary(e)
	default:
		a.others(e)
	}
}

// others walks what has no names of interest of its own.
func (a *analysis) others(e ast.Expression) {
	switch e := e.(type) {
	case *ast.FunctionLiteral:
		a.function(e)
	case *ast.ArrowFunctionLiteral:
		a.arrow(e)
	case *ast.ClassLiteral:
		a.class(e)
	case *ast.BinaryExpression:
		a.list([]ast.Expression{e.Left, e.Right})
	case *ast.ConditionalExpression:
		a.list([]ast.Expression{e.Test, e.Consequent, e.Alternate})
	case *ast.NewExpression:
		a.expression(e.Callee, use{bound: true})
		a.list(e.ArgumentList)
	case *ast.PrivateDotExpression:
		a.expression(e.Left, use{bound: true})
	case *ast.SpreadElement:
		a.expression(e.Expression, use{})
	case *ast.TemplateLiteral:
		a.optional(e.Tag)
		a.list(e.Expressions)
	case *ast.YieldExpression:
		a.optional(e.Argument)
	case *ast.ObjectPattern, *ast.ArrayPattern, *ast.Binding:
		a.patternDefaults(e)
	}
}

// reference notes a name, or a member of something, that is used where nobody can follow it.
func (a *analysis) reference(e ast.Expression, u use) {
	if !u.bound {
		a.m.loose = append(a.m.loose, site{e, a.scope, u.name})
	}
}

func (a *analysis) call(e *ast.CallExpression, u use) {
	a.m.calls = append(a.m.calls, site{e, a.scope, u.name})
	a.expression(e.Callee, use{name: u.name, bound: true})
	a.list(e.ArgumentList)
	a.changing(e)
}

func (a *analysis) property(property ast.Property, u use) {
	switch p := property.(type) {
	case *ast.PropertyShort:
		a.expression(&p.Name, u.in(p.Name.Name.String()))
	case *ast.PropertyKeyed:
		key, _ := plainKey(p)
		if p.Computed {
			a.optional(p.Key)
		}
		a.expression(p.Value, u.in(key))
	case *ast.SpreadElement:
		a.expression(p.Expression, u)
	}
}

func (a *analysis) assignment(e *ast.AssignExpression) {
	a.assigned(e.Left)
	name := ""
	switch left := e.Left.(type) {
	case *ast.Identifier:
		name = left.Name.String()
	case *ast.DotExpression:
		name = left.Identifier.Name.String()
		a.expression(left.Left, use{bound: true})
	case *ast.BracketExpression:
		a.expression(left.Left, use{bound: true})
		a.expression(left.Member, use{})
	default:
		a.others(e.Left)
	}
	a.expression(e.Right, use{name: name})
}

func (a *analysis) unary(e *ast.UnaryExpression) {
	switch e.Operator {
	case token.INCREMENT, token.DECREMENT, token.DELETE:
		a.assigned(e.Operand)
	}
	a.expression(e.Operand, use{bound: e.Operator == token.TYPEOF})
}

// assigned notes that what target stands for gets another value, or that something within it does.
func (a *analysis) assigned(target ast.Expression) {
	switch t := target.(type) {
	case *ast.Identifier:
		if b := a.lookup(t.Name.String()); b != nil {
			b.assigned = true
		}
	case *ast.DotExpression, *ast.BracketExpression:
		a.changed(target)
	case *ast.ObjectPattern:
		for _, property := range t.Properties {
			switch p := property.(type) {
			case *ast.PropertyShort:
				a.assigned(&p.Name)
			case *ast.PropertyKeyed:
				a.assigned(p.Value)
			}
		}
		a.assigned(t.Rest)
	case *ast.ArrayPattern:
		for _, element := range t.Elements {
			a.assigned(element)
		}
		a.assigned(t.Rest)
	case *ast.AssignExpression:
		a.assigned(t.Left)
	}
}

// changed notes that a member of what e begins with gets another value.
func (a *analysis) changed(e ast.Expression) {
	at := a.m.placeOf(e.Idx0(), e.Idx1())
	for {
		switch x := e.(type) {
		case *ast.DotExpression:
			e = x.Left
		case *ast.BracketExpression:
			e = x.Left
		case *ast.Identifier:
			if b := a.lookup(x.Name.String()); b != nil && b.changed == nil {
				b.changed = &at
			}
			return
		default:
			return
		}
	}
}

// changing looks for calls that change what they are given: list.push(…), Object.assign(target, …).
func (a *analysis) changing(e *ast.CallExpression) {
	callee, ok := e.Callee.(*ast.DotExpression)
	if !ok {
		return
	}
	method := callee.Identifier.Name.String()
	if object, ok := callee.Left.(*ast.Identifier); ok && object.Name == "Object" {
		if slices.Contains(changesFirst(), method) && len(e.ArgumentList) > 0 {
			a.changed(e.ArgumentList[0])
		}
		return
	}
	if slices.Contains(changesItself(), method) {
		a.changed(callee.Left)
	}
}

// changesFirst are the functions of Object that change their first argument.
func changesFirst() []string {
	return []string{"assign", "defineProperty", "defineProperties", "setPrototypeOf"}
}

// changesItself are the methods of arrays that change them.
func changesItself() []string {
	return []string{"push", "pop", "shift", "unshift", "splice", "sort", "reverse", "fill", "copyWithin"}
}
