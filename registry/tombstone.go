package registry

import (
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// tombstone remembers a registration that is gone: its ids, when it went, and the discovery hooks that
// decide who may be told of it. Nothing else of it can run.
type tombstone struct {
	registrationID string
	instanceID     string
	at             time.Time
	entries        []*entry // stripped of everything but ids, descriptors and discovery hooks
	onForgotten    func()
}

func newTombstone(reg *registration, at time.Time) *tombstone {
	remains := &registration{id: reg.id, key: reg.key, meta: reg.meta, internal: reg.internal}
	t := &tombstone{registrationID: reg.id, instanceID: reg.key.instanceID, at: at, onForgotten: reg.onForgotten}
	for _, e := range reg.entries {
		t.entries = append(t.entries, &entry{
			reg: remains, id: e.id, idText: e.idText, kind: e.kind, effect: e.effect, meta: e.meta,
			policies: discoveryOnly(e.policies),
		})
	}
	return t
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
	for _, e := range t.entries {
		if e.idText == capabilityID {
			return e
		}
	}
	return nil
}

// tombstones are the newest ones, oldest first.
type tombstones struct {
	list      []*tombstone
	forgotten []func() // of dropped ones, to be called once no lock is held
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
		if stone.onForgotten != nil {
			t.forgotten = append(t.forgotten, stone.onForgotten)
		}
	}
	clear(t.list[:drop])
	t.list = t.list[drop:]
}
