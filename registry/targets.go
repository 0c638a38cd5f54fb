package registry

import (
	"slices"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
)

// Target is a live capability that a request could mean, as the consumer sees it.
type Target struct {
	RegistrationID string
	Kind           capability.Kind
	// Input is the schema of what the agent passes; absent for an observation.
	Input capability.JSON
}

// Targets are what a consumer could mean by a capability, and an instance unless that is "", in order of registration:
// the candidates of resolution. A procedure's instance is the one that registers it or the one that it is shown with.
// What the consumer may not see is not there. The cost does not depend on the other capabilities of the surface.
func (r *Registry) Targets(consumer capability.Consumer, capabilityID, instanceID string) []Target {
	found := r.meant(Request{CapabilityID: capabilityID, InstanceID: instanceID})
	if len(found) == 0 {
		return nil
	}
	found = r.visible(found, consumer.OrAnonymous(), r.hostContext())
	targets := make([]Target, len(found))
	for i, e := range found {
		targets[i] = Target{RegistrationID: e.reg.id, Kind: e.kind}
		switch {
		case e.binding != nil:
			targets[i].Input = e.binding.reduced.text()
		case e.input != nil:
			targets[i].Input = e.input.text()
		}
	}
	return targets
}

// meant are the candidates of a request without a registration, in order of registration, those included that a
// procedure's context makes ones.
func (r *Registry) meant(q Request) []*entry {
	if reg := r.registrationOf(q); reg != nil {
		if e := reg.entry(q.CapabilityID); e != nil {
			return []*entry{e}
		}
	}
	found := r.candidates(Request{CapabilityID: q.CapabilityID}, nil)
	if q.InstanceID == "" {
		return found
	}
	return slices.DeleteFunc(found, func(e *entry) bool {
		return e.reg.key.instanceID != q.InstanceID && e.context().InstanceID != q.InstanceID
	})
}

// NewInvocationID is an identity for a call that an adapter answers by itself.
func (r *Registry) NewInvocationID() string { return NewInvocationID(r.host) }

// NewInvocationID is Registry.NewInvocationID for an adapter that has outlived its registry.
func NewInvocationID(h host.Host) string { return randomID(h, "inv_") }
