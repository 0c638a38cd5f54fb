package registry

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/schema"
)

// definer turns a definition into a registration, or finds its first structural defect.
type definer struct {
	registry *Registry
	limits   capability.Limits
	source   *Component
	plan     *Blueprint
	err      *DefinitionError
}

// define copies c.
func (r *Registry) define(c *Component) (*Blueprint, error) {
	d := &definer{registry: r, limits: r.limits, source: c}
	d.component()
	for i := range c.Observations {
		d.observation(&c.Observations[i])
	}
	for i := range c.Actions {
		d.action(&c.Actions[i])
	}
	for i := range c.Procedures {
		d.procedure(&c.Procedures[i], fmt.Sprintf("procedures[%d]", i))
	}
	if d.err == nil && len(d.plan.descriptors) == 0 {
		d.fail(InvalidDefinition, "", "a component needs at least one observation, action or procedure")
	}
	if d.err == nil {
		d.admit()
	}
	if d.err != nil {
		return nil, d.err
	}
	return d.plan, nil
}

// Validate reports the first structural defect of c as Register would, and registers nothing.
func (r *Registry) Validate(c *Component) error {
	_, err := r.define(c)
	return err
}

func (d *definer) fail(code DefinitionCode, where, format string, args ...any) {
	d.failWith(defect(code, where, format, args...))
}

func (d *definer) failWith(defect *DefinitionError) {
	if d.err == nil {
		d.err = defect
	}
}

func (d *definer) component() {
	c := d.source
	instance := c.InstanceID
	if instance == "" {
		instance = capability.DefaultInstanceID
	}
	d.plan = &Blueprint{design: &design{
		registry: d.registry, componentType: c.Type, instanceID: instance, description: c.Description, meta: c.Meta,
		origin: cmp.Or(c.Origin, "first-party"), priority: c.Priority, disabled: c.Disabled,
		ownPolicies: len(c.Policies), steady: true,
	}}
	if !capability.IsComponentType(c.Type) {
		d.fail(InvalidID, "type", "want lower-case segments [a-z][a-z0-9-]* joined by dots, at most %d characters", capability.MaxIDLength)
	}
	if !capability.IsInstanceID(instance) {
		d.failWith(instanceDefect())
	}
	d.text("description", c.Description, d.limits.MaxComponentDescription)
	d.meta("meta", c.Meta)
	d.policies("policies", c.Policies)
	d.plan.parent = d.reference("parent", c.Parent)
}

func (d *definer) reference(where string, ref *ComponentRef) *ComponentRef {
	if ref == nil {
		return nil
	}
	out := *ref
	if out.InstanceID == "" {
		out.InstanceID = capability.DefaultInstanceID
	}
	if !capability.IsComponentType(out.Type) || !capability.IsInstanceID(out.InstanceID) {
		d.fail(InvalidID, where, "want the type and instanceId of a component")
	}
	return &out
}

func (d *definer) text(where, text string, most int) {
	if strings.TrimSpace(text) == "" {
		d.fail(InvalidDefinition, where, "a text of 1 to %d characters is required", most)
		return
	}
	d.optionalText(where, text, most)
}

func (d *definer) optionalText(where, text string, most int) {
	if capability.Length(text) > most {
		d.fail(LimitExceeded, where, "at most %d characters", most)
	}
}

func (d *definer) meta(where string, meta capability.JSON) {
	if meta.Absent() {
		return
	}
	if len(meta) > d.limits.MaxMetaBytes {
		d.fail(LimitExceeded, where, "at most %d bytes of JSON", d.limits.MaxMetaBytes)
		return
	}
	limits := capability.ValueLimits{MaxBytes: d.limits.MaxMetaBytes, MaxDepth: d.limits.MaxInputDepth}
	if _, issue := limits.Decode(meta); issue != nil {
		d.fail(InvalidDefinition, where, "must be JSON: %v", issue)
	} else if meta.Kind() != '{' {
		d.fail(InvalidDefinition, where, "must be a JSON object")
	}
}

func (d *definer) policies(where string, policies []policy.Policy) {
	for i := range policies {
		if policies[i].Name == "" {
			d.fail(InvalidDefinition, fmt.Sprintf("%s[%d]", where, i), "a policy needs a name")
		}
	}
}

// schema compiles what s declares; nil when it declares nothing.
func (d *definer) schema(where string, s Schema) *valueSchema {
	if s.Document.Absent() {
		if s.Parse != nil {
			d.fail(InvalidDefinition, where, "a schema with a parse of its own needs its JSON Schema too")
		}
		return nil
	}
	document, err := d.registry.schemas.Get(s.Document, schema.Limits{MaxBytes: d.limits.MaxSchemaBytes, MaxDepth: d.limits.MaxSchemaDepth})
	if err != nil {
		var subset *schema.SubsetError
		if errors.As(err, &subset) && subset.Path != "" {
			where += " at " + subset.Path
		}
		d.fail(UnsupportedSchema, where, "%s", schemaReason(err))
		return nil
	}
	return &valueSchema{document: document, parse: s.Parse}
}

func schemaReason(err error) string {
	var subset *schema.SubsetError
	if errors.As(err, &subset) {
		return subset.Message
	}
	return err.Error()
}

// draft is a capability that is being checked.
type draft struct {
	*descriptor
	Functions
}

// newDraft checks what all kinds have in common.
func (d *definer) newDraft(where string, kind capability.Kind, effect capability.Effect, c *Common) draft {
	traits := effect.Defaults()
	e := draft{
		&descriptor{
			kind: kind, effect: effect, idempotent: traits.Idempotent, reversible: traits.Reversible,
			confirmation: traits.Confirmation, audit: traits.Audit, meta: c.Meta, timeout: c.Timeout,
		},
		Functions{When: c.When, UnavailableReason: c.UnavailableReason},
	}
	d.meta(where+".meta", c.Meta)
	d.policies(where+".policies", c.Policies)
	if c.Timeout < 0 {
		d.fail(InvalidDefinition, where+".timeoutMs", "must not be negative")
	}
	e.policies = slices.Concat(d.registry.options.Policies, d.source.Policies, c.Policies)
	return e
}

// finish settles what the level and the policies come to and adds the capability.
func (d *definer) finish(where string, e draft, id capability.ID, err error) {
	if err != nil {
		d.fail(InvalidID, where, "%v", err)
	}
	e.id, e.idText, e.twin = id, id.String(), twinOf(id, e.kind)
	e.shown = e.confirmation
	if e.kind != capability.Observation {
		for i := range e.policies {
			e.shown = e.shown.Stronger(raises(&e.policies[i]))
		}
	}
	if d.plan.has(e.idText) {
		d.fail(DuplicateCapability, where, "%s is declared twice in this component", e.idText)
	}
	if e.timeout == 0 && !e.local {
		e.timeout = d.kindTimeout(e.kind)
	}
	d.plan.descriptors = append(d.plan.descriptors, e.descriptor)
	d.plan.functions = append(d.plan.functions, e.Functions)
	if e.kind == capability.Procedure {
		d.plan.procedures++
	}
	if e.When != nil || e.Describe != nil || e.hasDiscovery() {
		d.plan.steady = false
	}
}

// raises is the level that a policy asks for as far as it is known without a call.
func raises(p *policy.Policy) capability.Confirmation {
	switch {
	case p.Raise == nil:
		return capability.Never
	case p.Raise.If != nil:
		return capability.Optional
	}
	return capability.Required
}

func (d *definer) kindTimeout(kind capability.Kind) time.Duration {
	switch kind {
	case capability.Observation:
		return d.limits.ObservationTimeout
	case capability.Action:
		return d.limits.ActionTimeout
	}
	return d.limits.ProcedureTimeout
}

func (d *definer) confirmationLevel(where string, level capability.Confirmation) capability.Confirmation {
	if level.Rank() < 0 {
		d.fail(InvalidDefinition, where, "want never, optional or required")
		return capability.Required
	}
	return level
}

func (d *definer) auditLevel(where string, level, fallback capability.AuditLevel) capability.AuditLevel {
	if level == "" {
		return fallback
	}
	if !level.Valid() {
		d.fail(InvalidDefinition, where, "want none, metadata or full")
	}
	return level
}

const maxTitle = 100

func (d *definer) observation(o *Observation) {
	where := "observations." + o.Name
	e := d.newDraft(where, capability.Observation, capability.Read, &o.Common)
	e.name, e.title, e.description, e.untrusted = o.Name, o.Title, o.Description, o.UntrustedContent
	d.text(where+".description", o.Description, d.limits.MaxCapabilityDescription)
	d.optionalText(where+".title", o.Title, maxTitle)
	if e.output = d.schema(where+".output", o.Output); e.output == nil {
		d.fail(InvalidDefinition, where+".output", "an observation needs an output schema")
	}
	if o.Read == nil {
		d.fail(InvalidDefinition, where+".read", "an observation needs a read function")
	}
	read := o.Read
	e.Run = func(ctx context.Context, _ capability.JSON, call *Call) (capability.JSON, error) {
		return read(ctx, call)
	}
	id, err := capability.ViewID(d.source.Type, o.Name)
	d.finish(where, e, id, err)
}

func (d *definer) action(a *Action) {
	where := "actions." + a.Name
	if a.Effect.Kind() == capability.Procedure {
		d.fail(PlaneViolation, where+".effect", "a view action cannot have the effect %s: offer the server operation as a procedure", a.Effect)
	} else if a.Effect.Kind() != capability.Action {
		d.fail(InvalidDefinition, where+".effect", "want local-state or navigation")
	}
	e := d.newDraft(where, capability.Action, a.Effect, &a.Common)
	e.name, e.title, e.description, e.untrusted = a.Name, a.Title, a.Description, a.UntrustedContent
	d.text(where+".description", a.Description, d.limits.MaxCapabilityDescription)
	d.optionalText(where+".title", a.Title, maxTitle)
	if e.input = d.schema(where+".input", a.Input); e.input == nil {
		d.fail(InvalidDefinition, where+".input", "an action needs an input schema; for no input use one of an empty object")
	}
	e.output = d.schema(where+".output", a.Output)
	if a.Idempotent != nil {
		e.idempotent = *a.Idempotent
	}
	if a.Reversible != nil {
		e.reversible = *a.Reversible
	}
	e.confirmation = e.confirmation.Stronger(d.confirmationLevel(where+".confirmation", a.Confirmation))
	e.audit = d.auditLevel(where+".audit", a.Audit, e.audit)
	e.queue = d.queueRule(where+".concurrency", a.Concurrency, PerInstance)
	if a.Execute == nil {
		d.fail(InvalidDefinition, where+".execute", "an action needs an execute function")
	}
	e.Precondition, e.Run = a.Precondition, a.Execute
	id, err := capability.ViewID(d.source.Type, a.Name)
	d.finish(where, e, id, err)
}

func (d *definer) procedure(p *ProcedureBinding, where string) {
	ref := &p.Ref
	if ref.Effect.Kind() != capability.Procedure {
		d.fail(PlaneViolation, where+".ref.effect", "a procedure's effect is server-query, server-mutation, external-side-effect or destructive")
	}
	e := d.newDraft(where, capability.Procedure, ref.Effect, &p.Common)
	e.name, e.title, e.description, e.untrusted = ref.Path, ref.Title, ref.Description, ref.UntrustedContent
	d.text(where+".ref.description", ref.Description, d.limits.MaxCapabilityDescription)
	d.optionalText(where+".ref.title", ref.Title, maxTitle)
	if e.input = d.schema(where+".ref.inputSchema", ref.Input); e.input == nil {
		d.fail(InvalidDefinition, where+".ref.inputSchema", "a procedure needs an input schema")
	}
	e.output = d.schema(where+".ref.outputSchema", ref.Output)
	e.Run = d.registry.procedureRunner(ref.Path)
	if p.Local != nil {
		d.local(where, &e, p.Local)
	}
	e.confirmation = e.confirmation.Stronger(d.confirmationLevel(where+".config.confirmation", p.Confirmation))
	if ref.RequiresApproval {
		e.confirmation = capability.Required
	}
	e.audit = d.auditLevel(where+".ref.audit", ref.Audit, e.audit)
	e.queue = d.queueRule(where+".config.concurrency", p.Concurrency, PerCapability)
	e.binding = d.bindingOf(p, e.input, where)
	e.Bind, e.Describe = p.Bind, p.Describe
	id, err := capability.DomainID(ref.Path)
	d.finish(where, e, id, err)
}

func (d *definer) queueRule(where string, c Concurrency, fallback ConcurrencyMode) queueRule {
	rule := queueRule{mode: c.Mode, key: c.Key, max: 1, depth: d.limits.ActionQueueDepth}
	if c.QueueDepth != nil {
		rule.depth = *c.QueueDepth
	}
	switch c.Mode {
	case "":
		rule.mode = fallback
	case PerInstance, PerCapability:
	case PerKey:
		if c.Key == "" {
			d.fail(InvalidDefinition, where+".key", "mode key needs a key")
		}
	case Parallel:
		rule.max = c.Max
		if c.Max < 1 {
			d.fail(InvalidDefinition, where+".max", "mode parallel needs a max of at least 1")
		}
	default:
		d.fail(InvalidDefinition, where+".mode", "want instance, capability, key or parallel")
	}
	if rule.depth < 0 {
		d.fail(InvalidDefinition, where+".queueDepth", "must not be negative")
	}
	return rule
}
