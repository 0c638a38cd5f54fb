package compiler

import (
	"github.com/grafana/sobek/ast"
)

// export is what a module hands out under one name: one of its own names, an expression, or what another module has.
type export struct {
	local     string // in the module's top scope
	value     *site  // export default EXPRESSION
	specifier string // export … from
	member    string // "*" for export * as NAME
}

// imports declares the names that an import statement brings.
func (m *module) bindImports(d *ast.ImportDeclaration) {
	if d.ImportClause == nil || d.FromClause == nil {
		return
	}
	specifier := d.FromClause.ModuleSpecifier.String()
	declare := func(name, member string) {
		m.top.declare(&binding{kind: imported, name: name, at: m.placeOf(d.Idx, d.Idx1()), specifier: specifier, member: member, exact: true})
	}
	clause := d.ImportClause
	if clause.ImportedDefaultBinding != nil {
		declare(clause.ImportedDefaultBinding.Name.String(), "default")
	}
	if clause.NameSpaceImport != nil {
		declare(clause.NameSpaceImport.ImportedBinding.String(), "*")
	}
	if clause.NamedImports != nil {
		for _, i := range clause.NamedImports.ImportsList {
			declare(aliased(i.IdentifierName.String(), i.Alias.String()), i.IdentifierName.String())
		}
	}
}

func aliased(name, alias string) string {
	if alias != "" {
		return alias
	}
	return name
}

// exported notes what an export statement hands out; the names that it declares are in the top scope already.
func (m *module) exported(d *ast.ExportDeclaration) {
	from := ""
	if d.FromClause != nil {
		from = d.FromClause.ModuleSpecifier.String()
	}
	switch {
	case d.ExportFromClause != nil && d.ExportFromClause.Alias != "":
		m.exports[d.ExportFromClause.Alias.String()] = export{specifier: from, member: "*"}
	case d.ExportFromClause != nil && d.ExportFromClause.IsWildcard:
		m.stars = append(m.stars, from)
	case d.NamedExports != nil:
		m.exportedNames(d.NamedExports, from)
	case d.AssignExpression != nil:
		m.exports["default"] = export{value: &site{d.AssignExpression, m.top, "default"}}
	case d.Variable != nil:
		m.exportedBindings(d.Variable.List)
	case d.LexicalDeclaration != nil:
		m.exportedBindings(d.LexicalDeclaration.List)
	case d.HoistableDeclaration != nil && d.HoistableDeclaration.FunctionDeclaration != nil:
		m.exportedDeclaration(d.HoistableDeclaration.FunctionDeclaration.Function.Name, d.IsDefault)
	case d.ClassDeclaration != nil:
		m.exportedDeclaration(d.ClassDeclaration.Class.Name, d.IsDefault)
	}
}

func (m *module) exportedNames(names *ast.NamedExports, from string) {
	for _, e := range names.ExportsList {
		name, outside := e.IdentifierName.String(), aliased(e.IdentifierName.String(), e.Alias.String())
		if from == "" {
			m.exports[outside] = export{local: name}
		} else {
			m.exports[outside] = export{specifier: from, member: name}
		}
	}
}

func (m *module) exportedBindings(list []*ast.Binding) {
	for _, b := range list {
		m.top.eachName(b.Target, nil, true, func(id *ast.Identifier, _ []string, _ bool) {
			m.exports[id.Name.String()] = export{local: id.Name.String()}
		})
	}
}

func (m *module) exportedDeclaration(name *ast.Identifier, isDefault bool) {
	switch {
	case isDefault && name == nil:
		m.exports["default"] = export{local: ""}
	case isDefault:
		m.exports["default"] = export{local: name.Name.String()}
	case name != nil:
		m.exports[name.Name.String()] = export{local: name.Name.String()}
	}
}
