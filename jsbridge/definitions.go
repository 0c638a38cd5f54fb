package jsbridge

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/schema"
)

// definition decodes what the script wrote of a component: the names of registry.md, functions as true,
// schemas as { document, parse? } with the script's number for a parse of the page's own, policies as
// policies.go says. Capabilities are numbered observations first, then actions, then procedures.
type definition struct {
	surface *surface
	number  int32
	asks    []asks // by capability
	// captures says that the script keeps something of this one definition: a policy's hooks, a parse.
	captures bool
	err      error
}

func (s *surface) component(number int32, text string) (*registry.Component, *definition, error) {
	f, err := decodeObject("definition", text)
	if err != nil {
		return nil, nil, &registry.DefinitionError{Code: registry.InvalidDefinition, Reason: err.Error()}
	}
	f.where = ""
	d := &definition{surface: s, number: number}
	c := d.component(f)
	d.check(f, "")
	return c, d, d.err
}

func (d *definition) fail(where, format string, args ...any) {
	if d.err == nil {
		d.err = &registry.DefinitionError{Code: registry.InvalidDefinition, Where: where, Reason: fmt.Sprintf(format, args...)}
	}
}

// check reports what is wrong with the members of f, an unknown one included.
func (d *definition) check(f *fields, where string) {
	if f == nil {
		return
	}
	if f.err != nil {
		d.fail("", "%s", f.err)
	}
	switch name := f.unknown(); {
	case name == "":
	case name == "bind" && where == "": // a declaration in place of what its bind makes
		d.fail(where, "unknown field %q; register what bind({ … }) of the declaration gives", name)
	default:
		d.fail(where, "unknown field %q", name)
	}
}

func (d *definition) component(f *fields) *registry.Component {
	c := &registry.Component{
		Type: f.text("type"), InstanceID: f.text("instanceId"), Description: f.text("description"),
		Meta: f.raw("meta"), Policies: d.policies(f),
		Origin: f.text("origin"), Priority: f.integer("priority", 0), Disabled: !f.boolean("enabled", true),
		Parent: d.reference(f, "parent"),
	}
	if f.has("instanceId") && c.InstanceID == "" {
		d.fail("instanceId", "must not be empty")
	}
	if c.Origin != "" && c.Origin != "first-party" {
		d.fail("origin", "must be first-party")
	}
	d.each(f, "observations", func(name string, o *fields) { c.Observations = append(c.Observations, d.observation(name, o)) })
	d.each(f, "actions", func(name string, a *fields) { c.Actions = append(c.Actions, d.action(name, a)) })
	procedures := f.raw("procedures")
	if !procedures.Absent() && procedures.Kind() != '[' {
		d.fail("procedures", "must be an array")
		return c
	}
	for i, element := range procedures.Elements() {
		where := fmt.Sprintf("procedures[%d]", i)
		p, err := objectOf(where, element)
		if err != nil {
			d.fail(where, "must be a procedure binding")
			continue
		}
		c.Procedures = append(c.Procedures, d.procedure(where, p))
		d.check(p, where)
	}
	return c
}

// each visits the members of an object of objects.
func (d *definition) each(f *fields, name string, visit func(string, *fields)) {
	group := f.object(name)
	if group == nil {
		return
	}
	group.objects(func(member string, inner *fields) {
		visit(member, inner)
		d.check(inner, name+"."+member)
	})
	d.check(group, name)
}

func (d *definition) reference(f *fields, name string) *registry.ComponentRef {
	inner := f.object(name)
	if inner == nil {
		return nil
	}
	ref := &registry.ComponentRef{Type: inner.text("type"), InstanceID: inner.text("instanceId")}
	d.check(inner, name)
	return ref
}

func (d *definition) policies(f *fields) []policy.Policy {
	list := d.surface.policies(f, "policies")
	d.captures = d.captures || len(list) > 0
	return list
}

// ask notes which functions the next capability has; f is where they are declared.
func (d *definition) ask(f *fields, a asks) registry.Functions {
	a.when = f.boolean("when", false)
	switch reason := f.raw("unavailableReason"); {
	case reason.Absent():
	case reason == "true":
		a.reason = true
	default:
		a.reasonText = f.text("unavailableReason")
	}
	d.asks = append(d.asks, a)
	return a.functions(hook{&component{d.surface, d.number, true}, int32(len(d.asks) - 1)})
}

func (d *definition) common(f *fields, has registry.Functions) registry.Common {
	return registry.Common{
		Policies: d.policies(f), Meta: f.raw("meta"), Timeout: f.milliseconds("timeoutMs", 0),
		When: has.When, UnavailableReason: has.UnavailableReason,
	}
}

func (d *definition) schema(f *fields, name string) registry.Schema {
	inner := f.object(name)
	if inner == nil {
		return registry.Schema{}
	}
	s := registry.Schema{Document: inner.raw("document")}
	if inner.has("parse") {
		d.captures = true
		s.Parse = d.surface.parse(int32(inner.integer("parse", 0)))
	}
	d.check(inner, name)
	return s
}

func (d *definition) observation(name string, f *fields) registry.Observation {
	has := d.ask(f, asks{read: f.boolean("read", false)})
	o := registry.Observation{
		Name: name, Title: f.text("title"), Description: f.text("description"),
		UntrustedContent: f.boolean("untrustedContent", false), Output: d.schema(f, "output"), Common: d.common(f, has),
	}
	if run := has.Run; run != nil {
		o.Read = func(ctx context.Context, call *registry.Call) (capability.JSON, error) { return run(ctx, "", call) }
	}
	return o
}

func (d *definition) action(name string, f *fields) registry.Action {
	has := d.ask(f, asks{execute: f.boolean("execute", false), precondition: f.boolean("precondition", false)})
	return registry.Action{
		Name: name, Title: f.text("title"), Description: f.text("description"),
		UntrustedContent: f.boolean("untrustedContent", false), Input: d.schema(f, "input"), Output: d.schema(f, "output"),
		Effect: capability.Effect(f.text("effect")), Idempotent: optionalBoolean(f, "idempotent"),
		Reversible: optionalBoolean(f, "reversible"), Confirmation: capability.Confirmation(f.text("confirmation")),
		Audit: capability.AuditLevel(f.text("audit")), Concurrency: d.concurrency(f), Common: d.common(f, has),
		Precondition: has.Precondition, Execute: has.Run,
	}
}

func optionalBoolean(f *fields, name string) *bool {
	if !f.has(name) {
		return nil
	}
	value := f.boolean(name, false)
	return &value
}

func (d *definition) concurrency(f *fields) registry.Concurrency {
	inner := f.object("concurrency")
	if inner == nil {
		return registry.Concurrency{}
	}
	c := registry.Concurrency{Mode: registry.ConcurrencyMode(inner.text("mode")), Key: inner.text("key"), Max: inner.integer("max", 0)}
	if inner.has("queueDepth") {
		depth := inner.integer("queueDepth", 0)
		c.QueueDepth = &depth
	}
	d.check(inner, inner.where)
	return c
}

func (d *definition) procedure(where string, f *fields) registry.ProcedureBinding {
	if f.text("kind") != "procedure-binding" {
		d.fail(where+".kind", "must be procedure-binding; give what bind of the declared procedure gives")
	}
	p := registry.ProcedureBinding{
		BoundKeys: f.texts("boundKeys"), ReducedInput: f.raw("reducedInputSchema"), Context: d.reference(f, "contextLink"),
	}
	locked := f.texts("lockedKeys")
	if ref := f.object("ref"); ref != nil {
		p.Ref = d.procedureRef(where, ref)
		d.check(ref, where+".ref")
	} else {
		d.fail(where+".ref", "is required")
	}
	config := f.object("config")
	if config == nil {
		config = &fields{}
	}
	d.procedureConfig(&p, config)
	d.check(config, where+".config")
	if f.has("boundFields") {
		d.declared(&p, where, f)
		return p
	}
	for _, key := range p.BoundKeys {
		if slices.Contains(p.OverridableKeys, key) == slices.Contains(locked, key) {
			d.fail(where+".lockedKeys", "must be the bound keys that are not overridable; %q is not so", key)
		}
	}
	return p
}

// declared takes the bound fields that a contract declares, in place of keys. Its bind must supply just those.
func (d *definition) declared(p *registry.ProcedureBinding, where string, f *fields) {
	p.Exact = true
	if f.has("boundKeys") || f.has("lockedKeys") || p.OverridableKeys != nil {
		d.fail(where+".boundFields", "takes the place of boundKeys, lockedKeys and overridableFields")
	}
	value := f.raw("boundFields")
	if value.Kind() != '[' {
		d.fail(where+".boundFields", "must be an array")
	}
	for i, element := range value.Elements() {
		at := fmt.Sprintf("%s.boundFields[%d]", where, i)
		one, err := objectOf(at, element)
		if err != nil {
			d.fail(at, "must be { path, locked }")
			continue
		}
		path := one.text("path")
		p.BoundKeys = append(p.BoundKeys, path)
		if !one.boolean("locked", true) {
			p.OverridableKeys = append(p.OverridableKeys, path)
		}
		d.check(one, at)
	}
	if len(p.BoundKeys) == 0 && p.Bind != nil {
		d.fail(where+".config.bind", "is for the declared bound fields, of which there are none")
	}
}

func (d *definition) procedureRef(where string, f *fields) registry.ProcedureRef {
	ref := registry.ProcedureRef{
		Path: f.text("path"), Title: f.text("title"), Description: f.text("description"),
		Input: registry.Schema{Document: f.raw("inputSchema")}, Output: registry.Schema{Document: f.raw("outputSchema")},
		Effect: capability.Effect(f.text("effect")), RequiresApproval: f.boolean("requiresApproval", false),
		UntrustedContent: f.boolean("untrustedContent", false), Audit: capability.AuditLevel(f.text("audit")),
	}
	id := f.text("id")
	if !f.has("path") {
		ref.Path = strings.TrimPrefix(id, "domain:")
	}
	if id != "domain:"+ref.Path {
		d.fail(where+".ref.id", "must be domain: and the path")
	}
	return ref
}

func (d *definition) procedureConfig(p *registry.ProcedureBinding, f *fields) {
	local := f.boolean("execute", false)
	has := d.ask(f, asks{
		bind: f.boolean("bind", false), describe: f.boolean("describe", false),
		local: local, prepare: local && f.boolean("prepare", false), ask: local && f.boolean("ask", false),
	})
	if local {
		p.Local = &registry.Local{Execute: has.Run, Prepare: has.Prepare, Ask: has.Ask}
		if input := d.schema(f, "input"); !input.Document.Absent() {
			p.Ref.Input = input
		}
	}
	p.Common = d.common(f, has)
	p.OverridableKeys = f.texts("overridableFields")
	p.Confirmation = capability.Confirmation(f.text("confirmation"))
	p.Concurrency = d.concurrency(f)
	p.Bind, p.Describe = has.Bind, has.Describe
}

// checkSchema reports why a document is not in the subset.
func checkSchema(text string) error {
	if _, err := schema.Parse(capability.JSON(text), schema.Limits{}); err != nil {
		return &registry.DefinitionError{Code: registry.UnsupportedSchema, Reason: err.Error()}
	}
	return nil
}
