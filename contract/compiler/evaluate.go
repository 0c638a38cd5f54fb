package compiler

import (
	"github.com/grafana/sobek/ast"
	"github.com/grafana/sobek/token"
)

// The most that one constant may hold, so that a few lines of spreads that double each other do not fill the memory.
const maxSize = 50_000

// maxDepth is how deep expressions and the constants behind them may be nested.
const maxDepth = 300

// evaluator finds the values of expressions without running them.
type evaluator struct {
	*compilation
	// data is set while a declaration is read: everything must be a constant, and modules are parsed for it. Otherwise
	// only things of the package matter, and only modules that can have any of them are looked at.
	data   bool
	depth  int
	active map[*binding]bool
	known  map[*binding]outcome
}

// outcome is what a name's evaluation came to.
type outcome struct {
	value value
	wrong *defect
}

func (c *compilation) evaluator(data bool) *evaluator {
	return &evaluator{compilation: c, data: data, active: map[*binding]bool{}, known: map[*binding]outcome{}}
}

// eval is the value of x in s.
func (e *evaluator) eval(x ast.Expression, s *scope) (value, *defect) {
	at := s.m.placeOf(x.Idx0(), x.Idx1())
	if e.depth >= maxDepth {
		return value{}, at.defect("write it flatter", "this is nested too deep")
	}
	e.depth++
	v, wrong := e.evalAt(x, s, at)
	e.depth--
	if wrong == nil && v.size > maxSize {
		return value{}, at.defect("declare less at once", "this has more than %d values within", maxSize)
	}
	return v, wrong
}

func (e *evaluator) evalAt(x ast.Expression, s *scope, at place) (value, *defect) {
	switch x := x.(type) {
	case *ast.NullLiteral:
		return value{kind: kindNull, at: at, size: 1}, nil
	case *ast.BooleanLiteral:
		return value{kind: kindBool, text: x.Literal, at: at, size: 1}, nil
	case *ast.NumberLiteral:
		return numberValue(x.Value, at)
	case *ast.StringLiteral:
		t, ok := textOf(x.Value)
		return textValue(t, ok, at)
	case *ast.TemplateLiteral:
		return template(x, at)
	case *ast.ArrayLiteral:
		return e.array(x, s, at)
	case *ast.ObjectLiteral:
		return e.object(x, s, at)
	case *ast.Identifier:
		return e.identifier(x.Name.String(), s, at)
	case *ast.UnaryExpression:
		return e.unary(x, s, at)
	case *ast.SequenceExpression:
		return e.sequence(x, s)
	case *ast.CallExpression:
		return e.call(x, s, at)
	case *ast.DotExpression:
		return e.dot(x.Left, x.Identifier.Name.String(), s, at)
	case *ast.BracketExpression:
		return e.bracket(x, s, at)
	case *ast.AwaitExpression:
		return e.await(x, s)
	case *ast.Optional:
		return e.eval(x.Expression, s)
	case *ast.OptionalChain:
		return e.eval(x.Expression, s)
	}
	return value{}, dynamic(x, at)
}

func numberValue(v any, at place) (value, *defect) {
	t, ok := numberText(v)
	if !ok {
		return value{}, at.defect("write a number that JSON can carry", "JSON has no such number")
	}
	return value{kind: kindNumber, text: t, at: at, size: 1}, nil
}

func textValue(t string, ok bool, at place) (value, *defect) {
	if !ok {
		return value{}, at.defect("write whole characters", "this text has half of a surrogate pair")
	}
	return value{kind: kindText, text: t, at: at, size: 1}, nil
}

func template(x *ast.TemplateLiteral, at place) (value, *defect) {
	if x.Tag != nil {
		at.start = at.m.placeOf(x.Tag.Idx0(), x.Tag.Idx0()).start
		return value{}, at.defect("write a plain text", "a tagged template is a call, which is not known before the page runs")
	}
	if len(x.Expressions) > 0 || len(x.Elements) != 1 {
		return value{}, at.defect("write the text out, without ${…}", "a template with holes is not known before the page runs")
	}
	t, ok := textOf(x.Elements[0].Parsed)
	return textValue(t, ok, at)
}

func (e *evaluator) unary(x *ast.UnaryExpression, s *scope, at place) (value, *defect) {
	if x.Operator == token.VOID {
		if _, literal := x.Operand.(*ast.NumberLiteral); literal { // void 0, as esbuild writes undefined
			return value{kind: kindAbsent, at: at, size: 1}, nil
		}
	}
	n, literal := x.Operand.(*ast.NumberLiteral)
	if x.Operator != token.MINUS || !literal {
		return value{}, dynamic(x, at)
	}
	v, wrong := numberValue(n.Value, at)
	if wrong == nil && v.text != "0" {
		v.text = "-" + v.text
	}
	return v, wrong
}

func (e *evaluator) sequence(x *ast.SequenceExpression, s *scope) (v value, wrong *defect) {
	for _, one := range x.Sequence {
		if v, wrong = e.eval(one, s); wrong != nil {
			return value{}, wrong
		}
	}
	return v, nil
}

func (e *evaluator) await(x *ast.AwaitExpression, s *scope) (value, *defect) {
	v, wrong := e.eval(x.Argument, s)
	if wrong == nil && v.kind == kindPromise {
		return v.items[0], nil
	}
	return v, wrong
}
