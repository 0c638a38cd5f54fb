package registry

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/schema"
)

// bindingOf checks the bound keys of a procedure and computes the input schema that the agent sees.
func (d *definer) bindingOf(p *ProcedureBinding, input *valueSchema, where string) *binding {
	b := &binding{
		bound: slices.Clone(p.BoundKeys), locked: map[string]bool{}, exact: p.Exact, context: d.reference(where+".contextLink", p.Context),
	}
	if len(b.bound) > 0 && p.Bind == nil {
		d.fail(InvalidDefinition, where+".config.bind", "bound keys need a bind function")
	}
	var locked []string
	for _, key := range b.bound {
		if b.locked[key] || slices.Contains(locked, key) {
			d.fail(InvalidDefinition, where+".boundKeys", "%q is given twice", key)
		}
		if !slices.Contains(p.OverridableKeys, key) {
			locked = append(locked, key)
			b.locked[key] = true
		}
	}
	for _, key := range p.OverridableKeys {
		if !slices.Contains(b.bound, key) {
			d.fail(InvalidDefinition, where+".config.overridableFields", "%q is not a bound key", key)
		}
	}
	b.reduced = input
	if input != nil && len(b.bound) > 0 {
		b.reduced = d.reduce(where, input, b.bound, locked)
	}
	if !p.ReducedInput.Absent() && b.reduced != nil && !canonical.Equal(p.ReducedInput, b.reduced.text()) {
		d.fail(InvalidDefinition, where+".reducedInputSchema", "differs from the input schema without its bound fields")
	}
	return b
}

// reduce is the schema of the agent's part: locked members are gone, overridable ones optional.
func (d *definer) reduce(where string, full *valueSchema, bound, locked []string) *valueSchema {
	return d.schema(where+".reducedInputSchema", Schema{Document: schema.Reduce(full.document, locked, bound...)})
}

// effectiveInput is phase 5 for a procedure: what the agent may supply, joined with what the page binds.
func (e *entry) effectiveInput(agent capability.JSON, limits capability.ValueLimits) (capability.JSON, *capability.Error) {
	b := e.binding
	if agent.Kind() != '{' {
		return "", capability.InvalidInput([]capability.Issue{{Message: "must be an object"}})
	}
	if issue := limits.Check(agent); issue != nil {
		return "", capability.InvalidInput([]capability.Issue{*issue})
	}
	if locked, issues := b.suppliedLocked(agent); len(locked) > 0 {
		return "", capability.InvalidInput(issues, locked...)
	}
	agent, issues := b.reduced.check(agent, limits)
	if len(issues) > 0 {
		return "", capability.InvalidInput(issues)
	}
	if e.Bind == nil {
		return agent, nil
	}
	bound, err := guardJSON(e.Bind)
	if err != nil || limits.Check(bound) != nil || bound.Kind() != '{' {
		return "", capability.BindingFailed()
	}
	if wrong := b.suppliesExactly(bound); b.exact && wrong != "" {
		e.reg.registry.options.Log(fmt.Sprintf("bind of %s: %s", e.idText, wrong))
		return "", capability.BindingFailed()
	}
	whole, issues := e.input.check(b.merge(agent, bound), limits)
	if len(issues) > 0 {
		return "", capability.BindingFailed()
	}
	return whole, nil
}

func (b *binding) suppliedLocked(agent capability.JSON) (locked []string, issues []capability.Issue) {
	for _, member := range agent.Members() {
		if b.locked[member.Name] && !slices.Contains(locked, member.Name) {
			locked = append(locked, member.Name)
			issues = append(issues, capability.Issue{
				Path: capability.PathName("", member.Name), Message: "is supplied by the page and must be left out",
			})
		}
	}
	return locked, issues
}

// merge is the agent's members, then the bound members that the agent did not supply.
func (b *binding) merge(agent, bound capability.JSON) capability.JSON {
	var out capability.ObjectWriter
	supplied := map[string]bool{}
	for _, member := range agent.Members() {
		supplied[member.Name] = true
		out.Raw(member.Name, member.Value)
	}
	for _, member := range bound.Members() {
		if slices.Contains(b.bound, member.Name) && !supplied[member.Name] {
			out.Raw(member.Name, member.Value)
		}
	}
	return out.JSON()
}

func guardJSON(f func() (capability.JSON, error)) (value capability.JSON, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panicked: %v", cause)
		}
	}()
	return f()
}

// procedureRunner hands a procedure to whatever executor the registry has when it runs.
func (r *Registry) procedureRunner(path string) func(context.Context, capability.JSON, *Call) (capability.JSON, error) {
	return func(ctx context.Context, input capability.JSON, call *Call) (capability.JSON, error) {
		r.mu.Lock()
		executor := r.state.executor
		r.mu.Unlock()
		if executor == nil {
			r.options.Log(fmt.Sprintf("no executor is set, so %s cannot run: call SetExecutor (setProcedureExecutor)", call.CapabilityID))
			return "", errNoExecutor
		}
		return executor.Execute(ctx, path, input, call)
	}
}

var errNoExecutor = errors.New("registry: no procedure executor")

// TransientError is an error of an executor that may pass: the call may be tried again after a while.
type TransientError interface {
	error
	// Transient reports whether it may pass, and after how long.
	Transient() (retryAfter time.Duration, ok bool)
}
