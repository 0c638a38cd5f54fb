package registry

import (
	"cmp"
	"slices"
	"strings"
)

// order is the live registrations as readers see them: priority high first, then type, then instance, in byte
// order. It is brought up to date when somebody reads, from what it was: after a small change that takes no sort.
type order struct {
	sorted []*registration // never changed once made, since readers hold it
	added  []*registration
	stale  bool
}

func (o *order) add(reg *registration) {
	o.added = append(o.added, reg)
	o.stale = true
}

func (o *order) remove() { o.stale = true }

// list is the registrations that are active.
func (o *order) list() []*registration {
	if !o.stale {
		return o.sorted
	}
	list := make([]*registration, 0, len(o.sorted)+len(o.added))
	for _, source := range [][]*registration{o.sorted, o.added} {
		for _, reg := range source {
			if reg.active {
				list = append(list, reg)
			}
		}
	}
	slices.SortFunc(list, compareForReaders)
	*o = order{sorted: list}
	return list
}

func compareForReaders(a, b *registration) int {
	return cmp.Or(
		cmp.Compare(b.priority, a.priority),
		strings.Compare(a.key.componentType, b.key.componentType),
		strings.Compare(a.key.instanceID, b.key.instanceID),
	)
}

// liveSorted are the live registrations in order, which the caller only reads, and the version.
func (r *Registry) liveSorted() ([]*registration, string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.disposed {
		return nil, "", ErrDisposed
	}
	return r.state.order.list(), r.state.versionText(), nil
}
