package registry

import (
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// PolicyScope is the layer that a policy belongs to.
type PolicyScope string

// The layers, outermost first.
const (
	RegistryScope   PolicyScope = "registry"
	ComponentScope  PolicyScope = "component"
	CapabilityScope PolicyScope = "capability"
)

// Inspection is one live capability, hidden or not, and all that decides how it looks to one consumer. It
// is plain data.
type Inspection struct {
	CapabilityID   string
	RegistrationID string
	Component      ComponentRef
	Kind           capability.Kind
	Effect         capability.Effect
	Confirmation   capability.Confirmation
	// Availability is the component's own, apart from policies.
	Availability State
	// Policies are in the order in which they are asked, outermost first.
	Policies []InspectedPolicy
	// Vote is what the discovery votes come to, with the reason that the agent is told.
	Vote policy.Vote
}

// InspectedPolicy is one policy of a capability and what it did.
type InspectedPolicy struct {
	Name   string
	Scope  PolicyScope
	Phases []string
	// Raises is set when the policy raises confirmation, for all calls or for some.
	Raises bool
	// Ballot is its own vote, nil when it has no discovery hook.
	Ballot *policy.Ballot
}

// Inspect shows every live capability as consumer would find it, those included that it would not find, in
// the order of a snapshot. It asks the policies and the availability as a snapshot does and changes nothing.
// The error is ErrDisposed.
//
// It is for package explain, which is for people, tests and the command line. It is a function, and not a
// method of Registry, so that whoever is handed a registry through an interface cannot reach it: nothing
// that an agent, a prompt or an adapter sees may come from here.
func Inspect(r *Registry, consumer capability.Consumer) ([]Inspection, error) {
	consumer = consumer.OrAnonymous()
	registrations, _, err := r.liveSorted()
	if err != nil {
		return nil, err
	}
	hostContext := r.hostContext()
	inspections := []Inspection{}
	for _, reg := range registrations {
		for _, e := range reg.entries {
			inspections = append(inspections, r.inspect(e, consumer, hostContext))
		}
	}
	return inspections, nil
}

func (r *Registry) inspect(e *entry, consumer capability.Consumer, hostContext policy.Host) Inspection {
	ballots := policy.Ballots(e.policies, e.policyContext(r, consumer, hostContext))
	in := Inspection{
		CapabilityID: e.idText, RegistrationID: e.reg.id,
		Component: ComponentRef{e.reg.key.componentType, e.reg.key.instanceID},
		Kind:      e.kind, Effect: e.effect, Confirmation: e.shown,
		Policies: e.inspectPolicies(len(r.options.Policies), ballots), Vote: policy.Tally(ballots),
	}
	if in.Vote.Decision == policy.Disable {
		in.Vote.Reason = r.disabledReason(in.Vote)
	}
	in.Availability.Available, in.Availability.UnavailableReason = r.available(e)
	return in
}

// inspectPolicies joins the policies, of which the first outer ones are the registry's, with their ballots.
func (e *entry) inspectPolicies(outer int, ballots []policy.Ballot) []InspectedPolicy {
	list := make([]InspectedPolicy, len(e.policies))
	for i := range e.policies {
		p := &e.policies[i]
		list[i] = InspectedPolicy{
			Name: p.Name, Scope: CapabilityScope, Phases: p.Phases(),
			Raises: p.Raise != nil && e.kind != capability.Observation,
		}
		switch {
		case i < outer:
			list[i].Scope = RegistryScope
		case i < outer+e.reg.ownPolicies:
			list[i].Scope = ComponentScope
		}
		if p.OnDiscovery != nil {
			list[i].Ballot = &ballots[0]
			ballots = ballots[1:]
		}
	}
	return list
}
