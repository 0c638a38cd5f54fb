package compiler

import (
	"github.com/grafana/sobek/ast"
)

const writeOut = "write the value out, or name a const that is a literal"

// dynamic says of an expression that it is not known before the page runs, and what to write instead.
func dynamic(x ast.Expression, at place) *defect {
	what, fix := "this expression", writeOut
	switch x := x.(type) {
	case *ast.FunctionLiteral, *ast.ArrowFunctionLiteral, *ast.ClassLiteral:
		return at.defect(handlersGoToBind, "a function is code, and a declaration is data")
	case *ast.ConditionalExpression:
		what, fix = "a condition", "declare both, and let bind({ … }) decide with when which one is offered"
	case *ast.BinaryExpression:
		what, fix = "an operation", "write the result out; a long text may be a template without holes over several lines"
	case *ast.UnaryExpression:
		what = "an operation"
	case *ast.NewExpression:
		what = "a new object"
	case *ast.ThisExpression, *ast.SuperExpression:
		what = "this"
	case *ast.MetaProperty:
		what = "a property of the environment"
	case *ast.AssignExpression:
		what, fix = "an assignment", "declare a const before, and name it here"
	case *ast.YieldExpression:
		what = "a yielded value"
	case *ast.RegExpLiteral:
		what, fix = "a regular expression", `write its source as a text: pattern: "…"`
	case *ast.SpreadElement:
		return dynamic(x.Expression, at)
	}
	return at.defect(fix, "%s is not known before the page runs", what)
}
