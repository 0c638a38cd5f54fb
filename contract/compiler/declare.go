package compiler

import (
	"cmp"
	"errors"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
)

// drafts turns evaluated declarations into those of package contract, and remembers where each part is written.
type drafts struct {
	*compilation
	list []contract.Declaration
	// written are the objects behind each declaration and capability, by declaration and capability id.
	written  map[[2]string]value
	problems []Problem
}

func (c *compilation) drafts() *drafts {
	return &drafts{compilation: c, written: map[[2]string]value{}}
}

func (d *drafts) report(wrong *defect) { d.problems = append(d.problems, wrong.problem()) }

// add evaluates the argument of a declaration function, and reports whether that gave a declaration. What is wrong
// becomes a problem.
func (d *drafts) add(f declared) bool {
	before := len(d.problems)
	declaration := d.read(f)
	if declaration == nil || len(d.problems) > before {
		return false
	}
	d.list = append(d.list, declaration)
	return true
}

func (d *drafts) read(f declared) contract.Declaration {
	if len(f.call.ArgumentList) != 1 {
		d.report(f.at.defect("pass one object", "%s takes exactly one argument", f.function))
		return nil
	}
	v := d.evaluator(true).part(f.call.ArgumentList[0], f.scope)
	before := len(d.problems)
	v.each(func(v value) {
		if v.kind == kindOpaque {
			d.report(v.wrong)
		}
	})
	if len(d.problems) > before {
		return nil
	}
	if v.kind != kindObject {
		d.report(v.at.defect("write an object", "%s takes an object, not %s", f.function, v.typeName()))
		return nil
	}
	r := &record{d, f, v}
	switch f.function {
	case componentContract:
		return r.component()
	case procedureContract:
		return r.procedure()
	}
	return r.external()
}

// record reads the members of one object of a declaration.
type record struct {
	*drafts
	declared
	of value
}

// only reports members that the object must not have.
func (r *record) only(what string, names ...string) {
	for _, m := range r.of.members {
		if !slices.Contains(names, m.name) && m.kind != kindAbsent {
			r.report(m.at.defect("leave it out; "+what+" has "+strings.Join(names, ", "), "%s has no field %s", what, m.name))
		}
	}
}

// take finds a member that is of the kind, if it is there; anything else is a wrong.
func (r *record) take(name string, kind valueKind) (value, bool) {
	v, ok := r.of.member(name)
	if !ok || v.kind == kindAbsent {
		return value{}, false
	}
	if v.kind != kind {
		want := value{kind: kind}
		r.report(v.at.defect("write "+want.typeName(), "%s must be %s, not %s", name, want.typeName(), v.typeName()))
		return value{}, false
	}
	return v, true
}

func (r *record) text(name string) string {
	v, _ := r.take(name, kindText)
	return v.text
}

func (r *record) flag(name string) bool {
	v, _ := r.take(name, kindBool)
	return v.text == "true"
}

func (r *record) optionalFlag(name string) *bool {
	v, ok := r.take(name, kindBool)
	if !ok {
		return nil
	}
	flag := v.text == "true"
	return &flag
}

func (r *record) integer(name string) int {
	v, ok := r.take(name, kindNumber)
	if !ok {
		return 0
	}
	n, err := strconv.Atoi(v.text)
	if err != nil {
		r.report(v.at.defect("write a whole number", "%s must be a whole number", name))
	}
	return n
}

func (r *record) raw(name string) capability.JSON {
	v, ok := r.take(name, kindObject)
	if !ok {
		return ""
	}
	return v.json()
}

// schema is the document of a schema object: of a helper's, or of a plain { jsonSchema }.
func (r *record) schema(name string) capability.JSON {
	v, ok := r.of.member(name)
	if !ok || v.kind == kindAbsent {
		return ""
	}
	if v.kind == kindSchema {
		return v.items[0].json()
	}
	document, ok := v.member("jsonSchema")
	if !ok || len(v.members) > 1 || document.kind != kindObject {
		r.report(v.at.defect("write "+fromJSONSchema+"({ … })", "%s must be a schema, not %s", name, v.typeName()))
		return ""
	}
	return document.json()
}

// objects are the elements of a list of objects, each as a record with only these members.
func (r *record) objects(name string, fields ...string) []*record {
	list, _ := r.take(name, kindArray)
	var records []*record
	for _, item := range list.items {
		if item.kind != kindObject {
			r.report(item.at.defect("write { "+strings.Join(fields, ", ")+" }", "%s must hold objects, not %s", name, item.typeName()))
			continue
		}
		one := &record{r.drafts, r.declared, item}
		one.only("an element of "+name, fields...)
		records = append(records, one)
	}
	return records
}

func (r *record) policies() []contract.PolicyRef {
	var list []contract.PolicyRef
	for _, p := range r.objects("policies", "name", "phase") {
		list = append(list, contract.PolicyRef{Name: p.text("name"), Phase: p.text("phase")})
	}
	return list
}

func (r *record) tags() []string {
	list, _ := r.take("tags", kindArray)
	var tags []string
	for _, item := range list.items {
		if item.kind != kindText {
			r.report(item.at.defect("write a string", "tags must hold strings, not %s", item.typeName()))
		}
		tags = append(tags, item.text)
	}
	return tags
}

// declaration is PATH#NAME: the name that the contract is bound to, or else what it declares.
func (r *record) declaration(id string) string {
	path := r.m.path
	if r.m.dependency != "" {
		path = r.m.dependency + "/" + r.m.inside
	}
	return path + "#" + cmp.Or(r.name, id, "unnamed")
}

// remember notes where a declaration or capability is written.
func (r *record) remember(declaration, id string) {
	r.written[[2]string{declaration, id}] = r.of
}

func (r *record) origin() string {
	if r.m.dependency != "" {
		return contract.PackageOrigin + r.m.dependency
	}
	return r.text("origin")
}

func (r *record) component() contract.Declaration {
	r.only("a component contract", "type", "description", "meta", "origin", "priority", "policies", "tags", "observations", "actions")
	c := contract.Component{
		Type: r.text("type"), Description: r.text("description"), Meta: r.raw("meta"), Origin: r.origin(), Priority: r.integer("priority"),
		Policies: r.policies(), Tags: r.tags(),
	}
	c.Declaration = r.declaration(c.Type)
	r.remember(c.Declaration, "")
	for name, o := range r.capabilities("observations", c) {
		c.Observations = append(c.Observations, o.observation(name))
	}
	for name, a := range r.capabilities("actions", c) {
		c.Actions = append(c.Actions, a.action(name))
	}
	return c
}

// capabilities are the members of observations or actions.
func (r *record) capabilities(group string, c contract.Component) func(func(string, *record) bool) {
	return func(yield func(string, *record) bool) {
		list, _ := r.take(group, kindObject)
		for _, m := range list.members {
			if m.kind != kindObject {
				r.report(m.at.defect("write an object", "%s.%s must be an object, not %s", group, m.name, m.typeName()))
				continue
			}
			one := &record{r.drafts, r.declared, m.value}
			one.remember(c.Declaration, "view:"+c.Type+"."+m.name)
			if !yield(m.name, one) {
				return
			}
		}
	}
}

// common are the fields of observations and actions alike.
func (r *record) common() contract.Common {
	return contract.Common{
		Title: r.text("title"), Description: r.text("description"), UntrustedContent: r.flag("untrustedContent"),
		Policies: r.policies(), Tags: r.tags(), Meta: r.raw("meta"), Timeout: time.Duration(r.integer("timeoutMs")) * time.Millisecond,
	}
}

func (r *record) observation(name string) contract.Observation {
	r.only("an observation", "title", "description", "output", "untrustedContent", "policies", "tags", "meta", "timeoutMs")
	return contract.Observation{Name: name, Output: r.schema("output"), Common: r.common()}
}

func (r *record) action(name string) contract.Action {
	r.only("an action", "title", "description", "input", "output", "effect", "idempotent", "reversible", "confirmation", "audit",
		"untrustedContent", "policies", "tags", "meta", "timeoutMs")
	return contract.Action{
		Name: name, Input: r.schema("input"), Output: r.schema("output"), Effect: capability.Effect(r.text("effect")),
		Idempotent: r.optionalFlag("idempotent"), Reversible: r.optionalFlag("reversible"),
		Confirmation: capability.Confirmation(r.text("confirmation")), Audit: capability.AuditLevel(r.text("audit")), Common: r.common(),
	}
}

func (r *record) procedure() contract.Declaration {
	r.only("a procedure contract", "id", "title", "description", "input", "output", "effect", "confirmation", "audit",
		"untrustedContent", "boundFields", "origin", "policies", "tags")
	p := contract.Procedure{
		ID: r.text("id"), Title: r.text("title"), Description: r.text("description"), Input: r.schema("input"), Output: r.schema("output"),
		Effect: capability.Effect(r.text("effect")), Confirmation: capability.Confirmation(r.text("confirmation")),
		Audit: capability.AuditLevel(r.text("audit")), UntrustedContent: r.flag("untrustedContent"), Origin: r.origin(),
		Policies: r.policies(), Tags: r.tags(),
	}
	for _, b := range r.objects("boundFields", "path", "locked") {
		if _, given := b.of.member("locked"); !given {
			r.report(b.of.at.defect("write locked: true, or locked: false if the agent may supply it", "a bound field needs locked"))
		}
		p.BoundFields = append(p.BoundFields, contract.BoundField{Path: b.text("path"), Locked: b.flag("locked")})
	}
	p.Declaration = r.declaration(p.ID)
	r.remember(p.Declaration, p.ID)
	return p
}

func (r *record) external() contract.Declaration {
	r.only("an external tool contract", "id", "title", "description", "input", "output", "effect", "confirmation", "untrustedContent",
		"origin", "tags")
	t := contract.ExternalTool{
		ID: r.text("id"), Title: r.text("title"), Description: r.text("description"), Input: r.schema("input"), Output: r.schema("output"),
		Effect: capability.Effect(r.text("effect")), Confirmation: capability.Confirmation(r.text("confirmation")),
		UntrustedContent: r.flag("untrustedContent"), Origin: r.origin(), Tags: r.tags(),
	}
	t.Declaration = r.declaration(t.ID)
	r.remember(t.Declaration, t.ID)
	return t
}

// refused turns what package contract says of declarations into problems where they are written.
func (d *drafts) refused(err error) {
	var all interface{ Unwrap() []error }
	if errors.As(err, &all) {
		for _, one := range all.Unwrap() {
			d.refused(one)
		}
		return
	}
	failed, ok := errors.AsType[*contract.DeclarationError](err)
	if !ok {
		d.problems = append(d.problems, Problem{Message: err.Error()})
		return
	}
	at, field := d.placeOf(failed)
	message := failed.Reason
	if field != "" {
		message = field + ": " + message
	}
	if failed.CapabilityID != "" {
		message = failed.CapabilityID + ": " + message
	}
	wrong := at.defect("", "%s", message)
	wrong.plain = true
	d.report(wrong)
}

// placeOf is where the field that is wrong is written, and what the author calls it.
func (d *drafts) placeOf(failed *contract.DeclarationError) (place, string) {
	v, ok := d.written[[2]string{failed.Declaration, failed.CapabilityID}]
	component := d.written[[2]string{failed.Declaration, ""}]
	if !ok {
		v = component
	}
	field := failed.Field
	name, _, _ := strings.Cut(strings.TrimSuffix(field, "Schema"), "[")
	switch field {
	case "inputSchema", "outputSchema":
		field = name
	case "componentDescription":
		v, field, name = component, "description of the component", "description"
	case "capabilityId", "declaration":
		field, name = "", "id"
	}
	if found, ok := v.member(name); ok && found.at.m != nil {
		return found.at, field
	}
	return v.at, field
}
