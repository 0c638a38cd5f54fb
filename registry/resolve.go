package registry

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// candidates adds to found the live capabilities that a request could mean, in order of registration.
func (r *Registry) candidates(q Request, found []*entry) []*entry {
	r.mu.Lock()
	defer r.mu.Unlock()
	for e := range r.state.offers[q.CapabilityID].all() {
		if q.InstanceID == "" || e.reg.key.instanceID == q.InstanceID {
			found = append(found, e)
		}
	}
	return found
}

// stones are the tombstones that are still remembered, newest first.
func (r *Registry) stones() []*tombstone {
	now := r.options.Now()
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state.tombs.trim(now, r.limits)
	stones := slices.Clone(r.state.tombs.list)
	slices.Reverse(stones)
	return stones
}

// named is the live capability of the very registration or instance that a request names, nil when there is none or
// when it is not to be seen: then all of them have to be looked at.
func (r *Registry) named(q Request, consumer capability.Consumer, hostContext policy.Host) *entry {
	reg := r.registrationOf(q)
	if reg == nil || q.InstanceID != "" && q.InstanceID != reg.key.instanceID {
		return nil
	}
	e := reg.entry(q.CapabilityID)
	if e == nil || r.vote(e, consumer, hostContext).Decision == policy.Hide {
		return nil
	}
	return e
}

// registrationOf is the live registration that a request names, nil when it names none.
func (r *Registry) registrationOf(q Request) *registration {
	if q.RegistrationID == "" && q.InstanceID == "" {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if q.RegistrationID != "" {
		return r.state.byID[q.RegistrationID]
	}
	if id, err := capability.ParseID(q.CapabilityID); err == nil && id.Plane == capability.View {
		return r.state.live[instanceKey{id.ComponentType, q.InstanceID}]
	}
	return nil
}

// entry is the capability of that id, nil when the registration does not have it.
func (reg *registration) entry(capabilityID string) *entry {
	for _, e := range reg.entries {
		if e.idText == capabilityID {
			return e
		}
	}
	return nil
}

// visible drops what the consumer's discovery hides: no later step may speak for it.
func (r *Registry) visible(entries []*entry, consumer capability.Consumer, hostContext policy.Host) []*entry {
	return slices.DeleteFunc(entries, func(e *entry) bool {
		return r.vote(e, consumer, hostContext).Decision == policy.Hide
	})
}

// pick applies the table of invocation.md, phase 2.
func (c *call) pick(found []*entry, hostContext policy.Host) (*entry, *capability.Error) {
	if id := c.request.RegistrationID; id != "" {
		return c.pickNamed(id, found, hostContext)
	}
	switch len(found) {
	case 0:
		for _, stone := range c.registry.stones() {
			if c.request.InstanceID == "" || stone.key.instanceID == c.request.InstanceID {
				if c.disclosed(stone, hostContext) {
					return nil, capability.Unmounted("resolve", "")
				}
			}
		}
		return nil, capability.NotFound()
	case 1:
		return found[0], nil
	}
	return nil, capability.AmbiguousInstance(instances(found))
}

func (c *call) pickNamed(id string, found []*entry, hostContext policy.Host) (*entry, *capability.Error) {
	for _, e := range found {
		if e.reg.id == id {
			return e, nil
		}
	}
	var named *tombstone
	for _, stone := range c.registry.stones() {
		if stone.id == id && c.disclosed(stone, hostContext) {
			named = stone
		}
	}
	if len(found) == 0 {
		if named != nil {
			return nil, capability.Unmounted("resolve", "")
		}
		return nil, capability.NotFound()
	}
	live := ""
	if len(found) == 1 {
		live = found[0].reg.id
	}
	if named != nil {
		return nil, capability.Stale("registration-replaced", live)
	}
	return nil, capability.Stale("surface-reloaded", live)
}

// disclosed reports whether the tombstone held the capability and may be spoken of to this consumer.
func (c *call) disclosed(stone *tombstone, hostContext policy.Host) bool {
	e := stone.entry(c.request.CapabilityID)
	return e != nil && c.registry.vote(e, c.consumer, hostContext).Decision != policy.Hide
}

func instances(found []*entry) []capability.Instance {
	list := make([]capability.Instance, len(found))
	for i, e := range found {
		list[i] = capability.Instance{InstanceID: e.reg.key.instanceID, RegistrationID: e.reg.id, Description: e.reg.description}
		if e.binding != nil {
			list[i].Description = e.context().Type + " " + e.context().InstanceID
		}
	}
	slices.SortFunc(list, func(a, b capability.Instance) int {
		return cmp.Or(strings.Compare(a.InstanceID, b.InstanceID), strings.Compare(a.RegistrationID, b.RegistrationID))
	})
	return list
}
