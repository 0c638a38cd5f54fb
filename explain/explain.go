// Package explain shows why each capability of a surface looks as it does to a consumer: those that policies
// hide included. It is for people, tests and the command line. What it says must never reach an agent, so no
// package that agents see may import it.
package explain

import (
	"errors"
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
)

// Report is a surface as it is for one consumer, and why.
type Report struct {
	SurfaceID      string
	SurfaceVersion string
	AuthorityMode  contract.Mode
	Environment    capability.Environment
	Consumer       capability.Consumer
	// Capabilities are all that are registered, in the order of a snapshot.
	Capabilities []Entry
}

// Entry is one capability.
type Entry struct {
	CapabilityID   string
	RegistrationID string
	Component      registry.ComponentRef
	Kind           capability.Kind
	Effect         capability.Effect
	Confirmation   capability.Confirmation
	// Outcome is what the policies come to: a snapshot has the capability unless it is Hide, and shows it
	// as unavailable when it is Disable.
	Outcome policy.Decision
	// Reason is why it is not exposed: the words of the first policy that decided so, or what it did when
	// it gave none.
	Reason string
	// Availability is apart from policy. A capability is usable when it is available and exposed.
	Availability registry.State
	// Policies are in the order in which they are asked, outermost first.
	Policies []Policy
}

// Policy is one policy of a capability and what it did.
type Policy struct {
	Name  string
	Scope registry.PolicyScope
	// Phases are those in which it takes part: discovery, authorize, invoke.
	Phases []string
	// Vote is its own vote, "" when it has none; Reason the words that came with it.
	Vote   policy.Decision
	Reason string
	// Threw is set when its vote failed, which hides.
	Threw bool
	// RaisesConfirmation is set when it asks for a person's decision on all calls or on some.
	RaisesConfirmation bool
}

// Explain reports on every capability of r as consumer finds it; the zero Consumer is the anonymous embedded
// one. The outcome of each is what Snapshot does for the same consumer and host context. A registry that is
// nil or disposed is an error, the latter registry.ErrDisposed.
func Explain(r *registry.Registry, consumer capability.Consumer) (*Report, error) {
	if r == nil {
		return nil, errors.New("explaining a surface: there is no registry")
	}
	consumer = consumer.OrAnonymous()
	version := r.Version()
	inspections, err := registry.Inspect(r, consumer)
	if err != nil {
		return nil, fmt.Errorf("explaining a surface: %w", err)
	}
	report := &Report{
		SurfaceID: r.SurfaceID(), SurfaceVersion: version, AuthorityMode: r.AuthorityMode(),
		Environment: r.Environment(), Consumer: consumer, Capabilities: make([]Entry, len(inspections)),
	}
	for i, inspection := range inspections {
		report.Capabilities[i] = entryOf(inspection)
	}
	return report, nil
}

func entryOf(in registry.Inspection) Entry {
	e := Entry{
		CapabilityID: in.CapabilityID, RegistrationID: in.RegistrationID, Component: in.Component,
		Kind: in.Kind, Effect: in.Effect, Confirmation: in.Confirmation,
		Outcome: in.Vote.Decision, Reason: in.Vote.Reason, Availability: in.Availability,
		Policies: make([]Policy, len(in.Policies)),
	}
	for i, p := range in.Policies {
		e.Policies[i] = Policy{Name: p.Name, Scope: p.Scope, Phases: p.Phases, RaisesConfirmation: p.Raises}
		if p.Ballot != nil {
			e.Policies[i].Vote, e.Policies[i].Reason, e.Policies[i].Threw = p.Ballot.Vote.Decision, p.Ballot.Vote.Reason, p.Ballot.Threw
		}
	}
	if e.Outcome == policy.Hide {
		e.Reason = firstToHide(e.Policies)
	}
	return e
}

// firstToHide is why the capability is hidden. The registry keeps it to itself, since no agent may know.
func firstToHide(policies []Policy) string {
	for _, p := range policies {
		switch {
		case p.Vote != policy.Hide:
		case p.Threw:
			return p.Name + " failed"
		case p.Reason != "":
			return p.Reason
		default:
			return p.Name + " hides it"
		}
	}
	return ""
}
