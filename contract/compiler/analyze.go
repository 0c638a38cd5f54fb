package compiler

import (
	"strconv"

	"github.com/grafana/sobek/ast"
)

// analysis walks a module once and notes what its names stand for, which calls there are, and which names are used
// otherwise. Nothing is decided here.
type analysis struct {
	m *module
	*scope
}

// analyze fills in the module's scopes, exports, calls and loose names.
func (m *module) analyze(program *ast.Program) {
	m.top = &scope{m: m, names: map[string]*binding{}}
	a := &analysis{m, m.top}
	for _, statement := range program.Body {
		switch d := statement.(type) {
		case *ast.ImportDeclaration:
			m.bindImports(d)
		case *ast.ExportDeclaration:
			m.exported(d)
		}
	}
	a.variables(program.DeclarationList)
	a.statements(program.Body)
}

// within walks with another scope.
func (a *analysis) within(s *scope, walk func()) {
	outer := a.scope
	a.scope = s
	walk()
	a.scope = outer
}

// variables declares what is declared with var anywhere in a function.
func (a *analysis) variables(list []*ast.VariableDeclaration) {
	for _, d := range list {
		for _, b := range d.List {
			a.pattern(b.Target, variable, nil)
		}
	}
}

// statements declares what a block declares, so that it is known before its line, and walks the block.
func (a *analysis) statements(list []ast.Statement) {
	for _, s := range list {
		a.hoist(s)
	}
	for _, s := range list {
		a.statement(s)
	}
}

func (a *analysis) hoist(s ast.Statement) {
	switch s := s.(type) {
	case *ast.LexicalDeclaration:
		a.lexical(s)
	case *ast.FunctionDeclaration:
		a.named(s.Function.Name, function)
	case *ast.ClassDeclaration:
		a.named(s.Class.Name, class)
	case *ast.LabelledStatement:
		a.hoist(s.Statement)
	case *ast.ExportDeclaration:
		switch {
		case s.LexicalDeclaration != nil:
			a.lexical(s.LexicalDeclaration)
		case s.HoistableDeclaration != nil && s.HoistableDeclaration.FunctionDeclaration != nil:
			a.hoist(s.HoistableDeclaration.FunctionDeclaration)
		case s.ClassDeclaration != nil:
			a.hoist(s.ClassDeclaration)
		}
	}
}

func (a *analysis) lexical(d *ast.LexicalDeclaration) {
	kind := variable
	if d.Token.String() == "const" {
		kind = constant
	}
	for _, b := range d.List {
		a.pattern(b.Target, kind, nil)
	}
}

// named declares a function or class under its name, if it has one.
func (a *analysis) named(id *ast.Identifier, kind bindingKind) {
	if id != nil {
		a.pattern(id, kind, nil)
	}
}

// bindings walks declarators and tells their names what they begin as.
func (a *analysis) bindings(list []*ast.Binding) {
	for _, b := range list {
		a.patternDefaults(b.Target)
		if b.Initializer == nil {
			continue
		}
		name := ""
		if id, ok := b.Target.(*ast.Identifier); ok {
			name = id.Name.String()
		}
		init := &site{b.Initializer, a.scope, name}
		a.eachName(b.Target, nil, true, func(id *ast.Identifier, path []string, exact bool) {
			if known := a.lookup(id.Name.String()); known != nil && known.init == nil {
				known.init, known.path, known.exact = init, path, exact
			} else if known != nil {
				known.assigned = true
			}
		})
		a.expression(b.Initializer, use{name: name, bound: true})
	}
}

// patternDefaults walks what a pattern computes.
func (a *analysis) patternDefaults(target ast.Expression) {
	switch t := target.(type) {
	case *ast.Binding:
		a.patternDefaults(t.Target)
		a.optional(t.Initializer)
	case *ast.AssignExpression:
		a.patternDefaults(t.Left)
		a.optional(t.Right)
	case *ast.ObjectPattern:
		for _, property := range t.Properties {
			switch p := property.(type) {
			case *ast.PropertyShort:
				a.optional(p.Initializer)
			case *ast.PropertyKeyed:
				if p.Computed {
					a.optional(p.Key)
				}
				a.patternDefaults(p.Value)
			}
		}
		a.patternDefaults(t.Rest)
	case *ast.ArrayPattern:
		for _, element := range t.Elements {
			a.patternDefaults(element)
		}
		a.patternDefaults(t.Rest)
	}
}

// functionBody walks a function in a scope of its own.
func (a *analysis) functionBody(name *ast.Identifier, parameters *ast.ParameterList, vars []*ast.VariableDeclaration, body func()) {
	a.within(a.inner(), func() {
		a.named(name, function)
		a.within(a.inner(), func() {
			a.pattern(&ast.Identifier{Name: "arguments"}, parameter, nil)
			for _, p := range parameters.List {
				a.pattern(p.Target, parameter, nil)
				a.patternDefaults(p)
			}
			a.pattern(parameters.Rest, parameter, nil)
			a.patternDefaults(parameters.Rest)
			a.variables(vars)
			body()
		})
	})
}

func (a *analysis) function(f *ast.FunctionLiteral) {
	a.functionBody(f.Name, f.ParameterList, f.DeclarationList, func() { a.statements(f.Body.List) })
}

func (a *analysis) arrow(f *ast.ArrowFunctionLiteral) {
	a.functionBody(nil, f.ParameterList, f.DeclarationList, func() {
		switch body := f.Body.(type) {
		case *ast.BlockStatement:
			a.statements(body.List)
		case *ast.ExpressionBody:
			a.expression(body.Expression, use{})
		}
	})
}

func (a *analysis) class(c *ast.ClassLiteral) {
	a.within(a.inner(), func() {
		a.named(c.Name, class)
		a.optional(c.SuperClass)
		for _, element := range c.Body {
			a.element(element)
		}
	})
}

func (a *analysis) element(element ast.ClassElement) {
	switch e := element.(type) {
	case *ast.FieldDefinition:
		if e.Computed {
			a.optional(e.Key)
		}
		a.optional(e.Initializer)
	case *ast.MethodDefinition:
		if e.Computed {
			a.optional(e.Key)
		}
		a.function(e.Body)
	case *ast.ClassStaticBlock:
		a.within(a.inner(), func() {
			a.variables(e.DeclarationList)
			a.statements(e.Block.List)
		})
	}
}

func itoa(n int) string { return strconv.Itoa(n) }
