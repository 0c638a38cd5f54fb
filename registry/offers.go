package registry

import "iter"

// offers are the live entries of one capability id, in order of registration. A list of thousands of instances must
// not be moved for each that goes, so an entry leaves a gap, and the gaps are closed when they are the most of it.
type offers struct {
	list []*entry // nil for a gap
	live int
}

func (o *offers) add(e *entry) {
	e.offered = len(o.list)
	o.list = append(o.list, e)
	o.live++
}

func (o *offers) remove(e *entry) {
	o.list[e.offered] = nil
	if o.live--; len(o.list) > 2*o.live+8 {
		o.close()
	}
}

func (o *offers) close() {
	kept := o.list[:0]
	for _, e := range o.list {
		if e != nil {
			e.offered = len(kept)
			kept = append(kept, e)
		}
	}
	clear(o.list[len(kept):])
	o.list = kept
}

// all are the entries; none for a nil list.
func (o *offers) all() iter.Seq[*entry] {
	return func(yield func(*entry) bool) {
		if o == nil {
			return
		}
		for _, e := range o.list {
			if e != nil && !yield(e) {
				return
			}
		}
	}
}

// first is the oldest entry, nil when there is none.
func (o *offers) first() *entry {
	for e := range o.all() {
		return e
	}
	return nil
}
