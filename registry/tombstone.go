package registry

import (
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// tombstone remembers a registration that is gone: its ids, when it went, and the discovery hooks that decide who
// may be told of it. Nothing else of it can run.
type tombstone struct {
	registration // without entries
	at           time.Time
}

func newTombstone(reg *registration, at time.Time) *tombstone {
	return &tombstone{
		registration{design: reg.remains(), id: reg.id, key: reg.key, internal: reg.internal, owner: reg.owner}, at,
	}
}

// remains is what tombstones may keep of a design, made once for all instances. The registry's lock is held.
func (b *design) remains() *design {
	if b.remnant != nil {
		return b.remnant
	}
	b.remnant = &design{componentType: b.componentType, meta: b.meta}
	for _, d := range b.descriptors {
		b.remnant.descriptors = append(b.remnant.descriptors, &descriptor{
			id: d.id, idText: d.idText, kind: d.kind, effect: d.effect, meta: d.meta, policies: discoveryOnly(d.policies),
		})
	}
	return b.remnant
}

func discoveryOnly(policies []policy.Policy) []policy.Policy {
	var out []policy.Policy
	for _, p := range policies {
		if p.OnDiscovery != nil {
			out = append(out, policy.Policy{Name: p.Name, OnDiscovery: p.OnDiscovery})
		}
	}
	return out
}

// entry is the remains of a capability, nil when the registration did not have it.
func (t *tombstone) entry(capabilityID string) *entry {
	for _, d := range t.descriptors {
		if d.idText == capabilityID {
			return &entry{descriptor: d, reg: &t.registration}
		}
	}
	return nil
}

// tombstones are the newest ones, oldest first.
type tombstones struct {
	list      []*tombstone
	forgotten []Owner // of dropped ones, to be called once no lock is held
}

func (t *tombstones) add(stone *tombstone, limits capability.Limits) {
	t.list = append(t.list, stone)
	t.trim(stone.at, limits)
}

// trim drops what is too old or too many.
func (t *tombstones) trim(now time.Time, limits capability.Limits) {
	drop := max(0, len(t.list)-limits.TombstoneSize)
	for drop < len(t.list) && now.Sub(t.list[drop].at) >= limits.TombstoneTTL {
		drop++
	}
	for _, stone := range t.list[:drop] {
		t.forgotten = append(t.forgotten, stone.owner)
	}
	clear(t.list[:drop])
	t.list = t.list[drop:]
}
