package compiler

import (
	"github.com/grafana/sobek/ast"
)

// call is the value of a call: only those of the package's own helpers, and of import(), have one.
func (e *evaluator) call(x *ast.CallExpression, s *scope, at place) (value, *defect) {
	if specifier, ok := importedBy(x, s); ok {
		v, wrong := e.imported(s.m, specifier, "*", at)
		if _, isImport := x.Callee.(*ast.DynamicImportExpression); isImport && wrong == nil {
			v = promiseOf(v)
		}
		return v, wrong
	}
	callee, wrong := e.quiet.eval(x.Callee, s)
	if wrong != nil || callee.kind != kindKnown {
		return value{}, at.defect("write the value out; of calls only "+fromJSONSchema+", "+fromStandard+", "+observationHelper+", "+actionHelper+
			" and Object.freeze are read", "what a call gives is not known before the page runs")
	}
	switch {
	case declares(callee.text):
		return value{kind: kindContract, at: at, size: 1}, nil
	case callee.text == loadFunction:
		return promiseOf(value{kind: kindRuntime, at: at, size: 1}), nil
	case !e.data && callee.text != freezeFunction:
		return value{kind: kindOpaque, at: at, size: 1}, nil
	}
	return e.helper(callee.text, x, s, at)
}

// importedBy is the specifier of import("…") or require("…").
func importedBy(x *ast.CallExpression, s *scope) (string, bool) {
	switch callee := x.Callee.(type) {
	case *ast.DynamicImportExpression:
	case *ast.Identifier:
		if callee.Name != "require" || s.lookup("require") != nil {
			return "", false
		}
	default:
		return "", false
	}
	if len(x.ArgumentList) == 0 {
		return "", false
	}
	switch argument := x.ArgumentList[0].(type) {
	case *ast.StringLiteral:
		return argument.Value.String(), true
	case *ast.TemplateLiteral:
		if len(argument.Elements) == 1 && argument.Tag == nil {
			return argument.Elements[0].Parsed.String(), true
		}
	}
	return "", false
}

// helper is what one of the package's helpers makes of constants.
func (e *evaluator) helper(name string, x *ast.CallExpression, s *scope, at place) (value, *defect) {
	n := 0
	if name == fromStandard {
		n = 1
	}
	if len(x.ArgumentList) <= n {
		return value{}, at.defect("give it all that it needs", "%s needs %d argument(s)", name, n+1)
	}
	argument := x.ArgumentList[n]
	if spread, ok := argument.(*ast.SpreadElement); ok {
		return value{}, dynamic(spread, at)
	}
	v, wrong := e.eval(argument, s)
	if wrong != nil {
		return value{}, wrong
	}
	if name == freezeFunction {
		return v, nil
	}
	if name == fromStandard {
		var ok bool
		if v, ok = v.member("jsonSchema"); !ok {
			return value{}, at.defect("pass { jsonSchema: … } as the second argument", "%s needs a jsonSchema, which agents read", name)
		}
	}
	if v.kind == kindOpaque {
		return value{}, v.wrong
	}
	if v.kind != kindObject {
		return value{}, at.defect("write an object", "%s takes an object, not %s", name, v.typeName())
	}
	if name == fromJSONSchema || name == fromStandard {
		return schemaOf(v, at), nil
	}
	return v, nil
}
