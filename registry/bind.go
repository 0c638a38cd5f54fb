package registry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/policy"
)

// Binding is what the declaration of a component leaves to the program: the handlers, and what belongs to one
// instance.
type Binding struct {
	// InstanceID, Parent, Internal, Disabled, OnRemoved and OnForgotten are those of Component.
	InstanceID             string
	Parent                 *ComponentRef
	Internal               any
	Disabled               bool
	OnRemoved, OnForgotten func()
	// Policies apply to every capability of the component. What the declaration names must be among them, the
	// capability's own or the registry's.
	Policies []policy.Policy
	// Observations and Actions are by name: one for each that is declared.
	Observations map[string]Reading
	Actions      map[string]Acting
	// Procedures come from BindProcedure.
	Procedures []ProcedureBinding
}

// Reading is the handler of a declared observation, with the fields of Observation and Common.
type Reading struct {
	Read              func(ctx context.Context, call *Call) (capability.JSON, error)
	When              func() (bool, error)
	UnavailableReason func() string
	Policies          []policy.Policy
}

// Acting is the handler of a declared action, with the fields of Action and Common. TypedProcedure makes an Execute of a
// function in Go types, as TypedRead makes a Read.
type Acting struct {
	Execute           ProcedureFunc
	Precondition      func(input capability.JSON, call *Call) error
	When              func() (bool, error)
	UnavailableReason func() string
	Policies          []policy.Policy
	Concurrency       Concurrency
	// Confirmation may raise what is declared.
	Confirmation capability.Confirmation
}

// Bind joins a declaration with its handlers, for Register. TypedRead and TypedProcedure make handlers of functions
// in Go types. The error joins a *DefinitionError for each declared capability without a handler and each handler of
// nothing declared, in the order of their names; the rest is checked by Register.
func Bind(c contract.Component, b Binding) (*Component, error) {
	if err := bindsAll(c, b); err != nil {
		return nil, err
	}
	out := &Component{
		Type: c.Type, Description: c.Description, Meta: c.Meta, Origin: c.Origin, Priority: c.Priority,
		InstanceID: b.InstanceID, Parent: b.Parent, Internal: b.Internal, Disabled: b.Disabled, Policies: b.Policies,
		Procedures: b.Procedures, OnRemoved: b.OnRemoved, OnForgotten: b.OnForgotten,
	}
	for _, o := range c.Observations {
		out.Observations = append(out.Observations, b.Observations[o.Name].of(o))
	}
	for _, a := range c.Actions {
		out.Actions = append(out.Actions, b.Actions[a.Name].of(a))
	}
	return out, nil
}

// bindsAll compares the names, and tells everything that is wrong with them.
func bindsAll(c contract.Component, b Binding) error {
	var observations, actions []string
	for _, o := range c.Observations {
		observations = append(observations, o.Name)
	}
	for _, a := range c.Actions {
		actions = append(actions, a.Name)
	}
	return errors.Join(append(unbound("actions", actions, b.Actions), unbound("observations", observations, b.Observations)...)...)
}

// unbound is a defect for each name that is only declared or only bound, in their order.
func unbound[Handler any](kind string, declared []string, bound map[string]Handler) []error {
	var defects []error
	names := slices.AppendSeq(slices.Clone(declared), maps.Keys(bound))
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if _, ok := bound[name]; !ok {
			defects = append(defects, defect(InvalidDefinition, kind+"."+name, "is declared and has no handler"))
		} else if !slices.Contains(declared, name) {
			defects = append(defects, defect(InvalidDefinition, kind+"."+name, "is not declared"))
		}
	}
	return defects
}

func (r Reading) of(o contract.Observation) Observation {
	return Observation{
		Name: o.Name, Title: o.Title, Description: o.Description, UntrustedContent: o.UntrustedContent,
		Output: Schema{Document: o.Output}, Read: r.Read, Common: commonOf(o.Common, r.When, r.UnavailableReason, r.Policies),
	}
}

func (b Acting) of(a contract.Action) Action {
	return Action{
		Name: a.Name, Title: a.Title, Description: a.Description, UntrustedContent: a.UntrustedContent,
		Input: Schema{Document: a.Input}, Output: Schema{Document: a.Output}, Effect: a.Effect,
		Idempotent: a.Idempotent, Reversible: a.Reversible, Confirmation: a.Confirmation.Stronger(b.Confirmation), Audit: a.Audit,
		Precondition: b.Precondition, Execute: b.Execute, Concurrency: b.Concurrency,
		Common: commonOf(a.Common, b.When, b.UnavailableReason, b.Policies),
	}
}

func commonOf(declared contract.Common, when func() (bool, error), reason func() string, policies []policy.Policy) Common {
	return Common{When: when, UnavailableReason: reason, Policies: policies, Meta: declared.Meta, Timeout: declared.Timeout}
}

// ProcedureConfig is what the declaration of a procedure leaves to the program, with the fields of ProcedureBinding.
type ProcedureConfig struct {
	// Bind must supply exactly the declared bound fields; required if there are any, and only then.
	Bind         func() (capability.JSON, error)
	Describe     func() (string, error)
	Confirmation capability.Confirmation // may raise what is declared
	Context      *ComponentRef
	Concurrency  Concurrency
	Common
}

// BindProcedure joins the declaration of a procedure with its binding, for Component.Procedures. The error is a
// *DefinitionError.
func BindProcedure(p contract.Procedure, config ProcedureConfig) (ProcedureBinding, error) {
	path, ok := strings.CutPrefix(p.ID, "domain:")
	if !ok {
		return ProcedureBinding{}, defect(InvalidID, "", "%s: the id of a procedure starts with domain:", p.ID)
	}
	if (config.Bind == nil) != (len(p.BoundFields) == 0) {
		return ProcedureBinding{}, defect(InvalidDefinition, "config.bind", "%s: a bind function is for the declared bound fields, of which there are %d", p.ID, len(p.BoundFields))
	}
	out := ProcedureBinding{
		Ref: ProcedureRef{
			Path: path, Title: p.Title, Description: p.Description, Input: Schema{Document: p.Input}, Output: Schema{Document: p.Output},
			Effect: p.Effect, UntrustedContent: p.UntrustedContent, Audit: p.Audit,
		},
		Bind: config.Bind, Describe: config.Describe, Confirmation: p.Confirmation.Stronger(config.Confirmation),
		Context: config.Context, Concurrency: config.Concurrency, Common: config.Common, Exact: true,
	}
	for _, bound := range p.BoundFields {
		out.BoundKeys = append(out.BoundKeys, bound.Path)
		if !bound.Locked {
			out.OverridableKeys = append(out.OverridableKeys, bound.Path)
		}
	}
	return out, nil
}

// suppliesExactly reports what a bind function supplied too much or too little, "" for nothing.
func (b *binding) suppliesExactly(bound capability.JSON) string {
	missing := slices.Clone(b.bound)
	for _, member := range bound.Members() {
		at := slices.Index(missing, member.Name)
		if at < 0 {
			return fmt.Sprintf("%q is not a declared bound field", member.Name)
		}
		missing = slices.Delete(missing, at, at+1)
	}
	if len(missing) > 0 {
		return fmt.Sprintf("%q is declared as bound, and missing", missing[0])
	}
	return ""
}
