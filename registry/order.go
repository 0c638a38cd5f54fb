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
	gone   int // of both lists
}

func (o *order) add(reg *registration) {
	o.added = append(o.added, reg)
	o.stale = true
}

// remove takes note that one has become inactive. Where nobody reads for long, what is gone must not be kept.
func (o *order) remove() {
	o.stale = true
	if o.gone++; o.gone > 64 && 2*o.gone > len(o.sorted)+len(o.added) {
		o.sorted = active(nil, o.sorted)
		o.added = slices.DeleteFunc(o.added, func(reg *registration) bool { return !reg.active })
		o.gone = 0
	}
}

// active adds to list those that are.
func active(list, from []*registration) []*registration {
	for _, reg := range from {
		if reg.active {
			list = append(list, reg)
		}
	}
	return list
}

// list is the registrations that are active.
func (o *order) list() []*registration {
	if !o.stale {
		return o.sorted
	}
	list := make([]*registration, 0, len(o.sorted)+len(o.added)-o.gone)
	list = active(active(list, o.sorted), o.added)
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
