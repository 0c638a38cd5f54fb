package registry

import (
	"context"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// Blueprint is a component's definition that has been checked and copied. What it holds never changes, so a page
// that shows a thousand rows checks the definition of one and mounts it a thousand times.
type Blueprint struct {
	*design
	functions []Functions // the definition's, by capability
}

// design is what all instances of a blueprint share.
type design struct {
	registry      *Registry
	componentType string
	instanceID    string
	description   string
	parent        *ComponentRef
	meta          capability.JSON
	origin        string
	priority      int
	disabled      bool
	ownPolicies   int           // of the component itself, between the registry's and the capability's
	descriptors   []*descriptor // observations, actions, procedures, in order of declaration
	procedures    int           // among the descriptors
	remnant       *design       // of tombstones; under the registry's lock
	// steady says that a reader sees the same of every instance until somebody changes it: nothing has to be asked.
	steady bool
}

// descriptor is what all instances of one capability share.
type descriptor struct {
	id          capability.ID
	idText      string
	twin        string // the id of the other plane that an agent could take for this one
	kind        capability.Kind
	name        string
	title       string
	description string
	untrusted   bool
	input       *valueSchema // never nil for actions and procedures
	output      *valueSchema // nil when nothing is declared
	effect      capability.Effect
	idempotent  bool
	reversible  bool
	// confirmation is the effective level without policies, shown the level that snapshots show.
	confirmation, shown capability.Confirmation
	audit               capability.AuditLevel
	meta                capability.JSON
	timeout             time.Duration
	policies            []policy.Policy // outermost first
	queue               queueRule
	binding             *binding // procedures only
	local               bool     // a procedure with a Local
}

// binding is what a procedure adds to a descriptor.
type binding struct {
	bound   []string
	locked  map[string]bool
	exact   bool          // what is bound must be supplied, and nothing else
	reduced *valueSchema  // the input schema without the locked members
	context *ComponentRef // nil means the component that registers it
}

// Functions are what one capability calls of its author's. Those that a definition does not have are nil.
type Functions struct {
	When              func() (bool, error)
	UnavailableReason func() string
	Precondition      func(capability.JSON, *Call) error
	// Run reads or executes. For a procedure it is that of its Local, nil without one: then the registry's own.
	Run handler
	// Bind and Describe are a procedure's.
	Bind     func() (capability.JSON, error)
	Describe func() (string, error)
	// Prepare and Ask are those of a procedure's Local.
	Prepare handler
	Ask     func(Question) (stop func())
}

// handler is what an author has written to do the work. Its context is cancelled when the result is no longer wanted.
type handler = func(ctx context.Context, input capability.JSON, call *Call) (capability.JSON, error)

// Instance is what one mounted instance of a blueprint has of its own.
type Instance struct {
	// ID is its instance id, "" for the one that the definition gives.
	ID string
	// Internal is for policies and sinks only.
	Internal any
	// Functions gives those of capability i, counted as declared: observations first, then actions, then procedures.
	// Nil means those of the definition.
	Functions func(i int) Functions
	// Owner is told of the end; nil when nobody is.
	Owner Owner
}

// Owner is the side of the application that an instance stands for. Removed and Forgotten are what OnRemoved and
// OnForgotten are in Component, and must not wait.
type Owner interface {
	Removed()
	Forgotten()
}

// definitionOwner is the owner of a component that is registered by its definition.
type definitionOwner struct{ removed, forgotten func() }

func (o *definitionOwner) Removed() {
	if o.removed != nil {
		o.removed()
	}
}

func (o *definitionOwner) Forgotten() {
	if o.forgotten != nil {
		o.forgotten()
	}
}

// Prepare checks and copies a definition without registering it. The error is a *DefinitionError.
func (r *Registry) Prepare(c *Component) (*Blueprint, error) { return r.define(c) }

// mount is a registration of b that is not live yet.
func (b *Blueprint) mount(as Instance) (*registration, error) {
	instance := as.ID
	if instance == "" {
		instance = b.instanceID
	} else if !capability.IsInstanceID(instance) {
		return nil, instanceDefect()
	}
	reg := &registration{
		design: b.design, id: b.registry.randomID("reg_"), key: instanceKey{b.componentType, instance}, internal: as.Internal,
		enabled: !b.disabled, owner: as.Owner,
	}
	if reg.owner == nil {
		reg.owner = &definitionOwner{}
	}
	entries := make([]entry, len(b.descriptors))
	reg.entries = make([]*entry, len(entries))
	for i, d := range b.descriptors {
		e := &entries[i]
		e.descriptor, e.reg, e.Functions = d, reg, b.functions[i]
		if as.Functions != nil {
			e.Functions = as.Functions(i)
		}
		if e.Run == nil {
			e.Run = b.functions[i].Run // the registry's
		}
		reg.entries[i] = e
	}
	return reg, nil
}

func instanceDefect() *DefinitionError {
	return defect(InvalidID, "instanceId", "want 1 to %d of A-Z a-z 0-9 - _", capability.MaxIDLength)
}

// twinOf is the id that an agent could take for id: the same name on the other plane.
func twinOf(id capability.ID, kind capability.Kind) string {
	if kind == capability.Procedure {
		return "view:" + id.Name
	}
	return "domain:" + id.ComponentType + "." + id.Name
}

// has reports whether one of the capabilities has that id.
func (b *design) has(id string) bool {
	for _, d := range b.descriptors {
		if d.idText == id {
			return true
		}
	}
	return false
}
