package wasmpack

import (
	"bytes"
	"cmp"
	"errors"
	"slices"
)

// pool is a table whose entries are laid out anew: only those that are used, and in an order that lets the places be
// told in few bytes. What many functions share comes first, the most shared at the front, so that small numbers lead to
// it; then come the others, each kind by itself and in the order of the functions, so that each follows the last.
type pool struct {
	table   []byte
	first   int // this many bytes stay where they are: the runtime takes 0 for no name and no table
	entries map[uint32]*entry
	order   []*entry // of first use
}

// use is what somebody needs of a pool.
type use struct {
	kind   int
	length int
	align  int  // the place is a multiple of it
	shared bool // others may use the same: move it to the front if they do
}

type entry struct {
	use
	from, to uint32
	users    int
}

func newPool(table []byte, first int) *pool {
	return &pool{table: table, first: min(first, len(table)), entries: map[uint32]*entry{}}
}

// use keeps the entry at a place. The first user says what kind it is.
func (p *pool) use(at uint32, u use) {
	e, known := p.entries[at]
	if !known {
		e = &entry{use: u, from: at}
		p.entries[at] = e
		p.order = append(p.order, e)
	}
	e.users++
	e.align = max(e.align, u.align)
}

// place decides where the entries go.
func (p *pool) place() error {
	slices.SortStableFunc(p.order, func(a, b *entry) int {
		if a.often() || b.often() {
			return cmp.Compare(b.rank(), a.rank())
		}
		return cmp.Compare(a.kind, b.kind)
	})
	end := p.first
	for _, e := range p.order {
		end = (end + e.align - 1) / e.align * e.align
		e.to = uint32(end)
		end += e.length
	}
	if end > len(p.table) {
		return errors.New("what is kept of a table takes more than the whole")
	}
	return nil
}

// often says that an entry belongs to the front, and rank how far.
func (e *entry) often() bool { return e.shared && e.users > 1 }

func (e *entry) rank() int {
	if e.often() {
		return e.users
	}
	return 0
}

// begin is where the entries of a kind begin that are not at the front.
func (p *pool) begin(kind int) uint32 {
	for _, e := range p.order {
		if e.kind == kind && !e.often() {
			return e.to
		}
	}
	return 0
}

// to is the new place of the entry that was at a place.
func (p *pool) to(at uint32) uint32 {
	if e := p.entries[at]; e != nil {
		return e.to
	}
	return at
}

// finish moves the entries, and leaves zeros after them.
func (p *pool) finish() {
	old := bytes.Clone(p.table)
	clear(p.table[p.first:])
	for _, e := range p.order {
		copy(p.table[e.to:], old[e.from:int(e.from)+e.length])
	}
}
