package compiler

import (
	"github.com/grafana/sobek/ast"
)

// statement walks one statement; what it declares is declared already.
func (a *analysis) statement(s ast.Statement) {
	switch s := s.(type) {
	case *ast.ExpressionStatement:
		a.expression(s.Expression, use{})
	case *ast.VariableStatement:
		a.bindings(s.List)
	case *ast.LexicalDeclaration:
		a.bindings(s.List)
	case *ast.FunctionDeclaration:
		a.function(s.Function)
	case *ast.ClassDeclaration:
		a.class(s.Class)
	case *ast.ExportDeclaration:
		a.export(s)
	case *ast.BlockStatement:
		a.block(s)
	case *ast.IfStatement:
		a.expression(s.Test, use{})
		a.single(s.Consequent)
		a.single(s.Alternate)
	case *ast.ReturnStatement:
		a.optional(s.Argument)
	case *ast.ThrowStatement:
		a.optional(s.Argument)
	case *ast.LabelledStatement:
		a.statement(s.Statement)
	case *ast.SwitchStatement:
		a.switchOver(s)
	case *ast.TryStatement:
		a.try(s)
	default:
		a.loop(s)
	}
}

// single walks a statement that is no list: a function declared there is known there only.
func (a *analysis) single(s ast.Statement) {
	if s == nil {
		return
	}
	a.within(a.inner(), func() {
		a.hoist(s)
		a.statement(s)
	})
}

func (a *analysis) block(b *ast.BlockStatement) {
	if b != nil {
		a.within(a.inner(), func() { a.statements(b.List) })
	}
}

func (a *analysis) export(d *ast.ExportDeclaration) {
	switch {
	case d.AssignExpression != nil:
		a.expression(d.AssignExpression, use{name: "default", bound: true})
	case d.Variable != nil:
		a.bindings(d.Variable.List)
	case d.LexicalDeclaration != nil:
		a.bindings(d.LexicalDeclaration.List)
	case d.HoistableDeclaration != nil && d.HoistableDeclaration.FunctionDeclaration != nil:
		a.function(d.HoistableDeclaration.FunctionDeclaration.Function)
	case d.ClassDeclaration != nil:
		a.class(d.ClassDeclaration.Class)
	}
}

func (a *analysis) switchOver(s *ast.SwitchStatement) {
	a.expression(s.Discriminant, use{})
	a.within(a.inner(), func() {
		for _, c := range s.Body {
			for _, statement := range c.Consequent {
				a.hoist(statement)
			}
		}
		for _, c := range s.Body {
			a.optional(c.Test)
			for _, statement := range c.Consequent {
				a.statement(statement)
			}
		}
	})
}

func (a *analysis) try(s *ast.TryStatement) {
	a.block(s.Body)
	if s.Catch != nil {
		a.within(a.inner(), func() {
			a.pattern(s.Catch.Parameter, caught, nil)
			a.patternDefaults(s.Catch.Parameter)
			a.block(s.Catch.Body)
		})
	}
	a.block(s.Finally)
}

func (a *analysis) loop(s ast.Statement) {
	switch s := s.(type) {
	case *ast.WhileStatement:
		a.expression(s.Test, use{})
		a.single(s.Body)
	case *ast.DoWhileStatement:
		a.single(s.Body)
		a.expression(s.Test, use{})
	case *ast.WithStatement: // not in a module; walked all the same
		a.expression(s.Object, use{})
		a.single(s.Body)
	case *ast.ForStatement:
		a.within(a.inner(), func() { a.forLoop(s) })
	case *ast.ForInStatement:
		a.within(a.inner(), func() { a.forEach(s.Into, s.Source, s.Body) })
	case *ast.ForOfStatement:
		a.within(a.inner(), func() { a.forEach(s.Into, s.Source, s.Body) })
	}
}

func (a *analysis) forLoop(s *ast.ForStatement) {
	switch i := s.Initializer.(type) {
	case *ast.ForLoopInitializerExpression:
		a.expression(i.Expression, use{})
	case *ast.ForLoopInitializerVarDeclList:
		a.bindings(i.List)
	case *ast.ForLoopInitializerLexicalDecl:
		a.lexical(&i.LexicalDeclaration)
		a.bindings(i.LexicalDeclaration.List)
	}
	a.optional(s.Test)
	a.optional(s.Update)
	a.single(s.Body)
}

func (a *analysis) forEach(into ast.ForInto, source ast.Expression, body ast.Statement) {
	a.expression(source, use{})
	switch i := into.(type) {
	case *ast.ForDeclaration:
		a.pattern(i.Target, caught, nil)
		a.patternDefaults(i.Target)
	case *ast.ForIntoVar:
		a.assigned(i.Binding.Target)
		a.patternDefaults(i.Binding.Target)
	case *ast.ForIntoExpression:
		a.assigned(i.Expression)
	}
	a.single(body)
}
