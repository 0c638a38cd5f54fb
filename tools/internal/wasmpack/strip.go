package wasmpack

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
)

// Places in an entry of the tree of what was inlined (inlinedCall), in bytes.
const (
	atInlinedName = 4
	atInlinedLine = 12
	inlinedSize   = 16
)

// kindTables is the kind of the first tables by PC in their pool; before it is that of the tables of frames.
const kindTables = 1

// strip takes out what only stack traces need, and lays out anew what is left of the names, the tables by PC and the
// data of functions.
func (t *tables) strip() error {
	s := newStripper(t)
	if err := t.each(s.measure); err != nil {
		return err
	}
	slices.Sort(s.starts)
	if err := t.each(s.function); err != nil {
		return err
	}
	if err := s.nameInlined(); err != nil {
		return err
	}
	clear(t.bytes(t.units))
	clear(t.bytes(t.files))
	for _, p := range t.pools.all() {
		if err := p.place(); err != nil {
			return err
		}
	}
	for _, r := range s.references {
		r.field.set(r.pool.to(r.field.get()))
	}
	for _, p := range t.pools.all() {
		p.finish()
	}
	return t.shorten()
}

// each visits the record of every function once.
func (t *tables) each(visit func(function) error) error {
	seen := map[uint32]bool{}
	for i := range t.count() {
		offset, f, err := t.functionAt(i)
		if err != nil {
			return err
		}
		if seen[offset] {
			continue
		}
		seen[offset] = true
		if err := visit(f); err != nil {
			return fmt.Errorf("stripping function %d: %w", i, err)
		}
	}
	return nil
}

// stripper goes through the functions and remembers what they use.
type stripper struct {
	*tables
	references   []reference
	starts       []uint32        // where in the function data something starts, and its end
	trees        map[uint32]bool // the trees of what was inlined that are kept
	inlinedNames []field         // in those trees
}

// reference is a number of a record that says where in a table something is.
type reference struct {
	field field
	pool  *pool
}

func newStripper(t *tables) *stripper {
	t.pools = pools{
		names: newPool(t.bytes(t.names), bytes.IndexByte(t.bytes(t.names), 0)+1),
		pcs:   newPool(t.bytes(t.pcs), 1),
		data:  newPool(t.bytes(t.funcData), 0),
	}
	return &stripper{
		tables: t,
		starts: []uint32{uint32(t.funcData.end - t.funcData.start)},
		trees:  map[uint32]bool{},
	}
}

// measure notes where the data of a function starts: what starts there ends before the next.
func (s *stripper) measure(f function) error {
	for number := range f.data() {
		at := f.dataAt(number).get()
		if at == noData {
			continue
		}
		if at >= s.starts[0] {
			return fmt.Errorf("its data %d is at %d, outside of its table", number, at)
		}
		s.starts = append(s.starts, at)
	}
	return nil
}

func (s *stripper) function(f function) error {
	for _, at := range []int{atFile, atLine, atUnit, atStartLine} {
		f.field(at).set(0)
	}
	f.table(tableUnsafePoints).set(0)
	f.table(tableLiveArgs).set(0)
	f.dataAt(dataArgs).set(noData)
	f.dataAt(dataLiveArgs).set(noData)
	if err := s.inlined(f); err != nil {
		return err
	}
	length, err := s.nameLength(f.field(atName))
	if err != nil {
		return err
	}
	s.use(s.pools.names, f.field(atName), use{length: length, align: 1})
	return s.useTables(f)
}

// useTables keeps the tables by PC and the data that a function still has, each kind by itself, since those are alike.
func (s *stripper) useTables(f function) error {
	if err := s.usePCs(f.field(atFrames), 0); err != nil {
		return err
	}
	for number := range f.tables() {
		if err := s.usePCs(f.table(number), kindTables+number); err != nil {
			return err
		}
	}
	for number := range f.data() {
		at := f.dataAt(number)
		if at.get() == noData {
			continue
		}
		next, _ := slices.BinarySearch(s.starts, at.get()+1)
		s.use(s.pools.data, at, use{kind: number, length: int(s.starts[next] - at.get()), align: dataAlign(number), shared: true})
	}
	return nil
}

// inlined drops the tree of what was inlined into a function. A wrapper keeps it, since recover asks whether the call
// came through a wrapper and nothing else.
func (s *stripper) inlined(f function) error {
	table, data := f.table(tableInlined), f.dataAt(dataInlined)
	if table == nil || data == nil || table.get() == 0 || data.get() == noData {
		return nil
	}
	if f.wrapper() {
		_, last, err := s.readPCs(table.get())
		if err != nil {
			return err
		}
		return s.keepTree(data.get(), int(last)+1)
	}
	table.set(0)
	data.set(noData)
	return nil
}

func (s *stripper) keepTree(tree uint32, entries int) error {
	if s.trees[tree] {
		return nil
	}
	s.trees[tree] = true
	all := s.bytes(s.funcData)
	end := uint64(tree) + uint64(inlinedSize*entries)
	if end > uint64(len(all)) {
		return errors.New("the tree of what was inlined ends outside of the function data")
	}
	for content := all[tree:end]; len(content) > 0; content = content[inlinedSize:] {
		field(content[atInlinedLine:inlinedSize]).set(0)
		s.inlinedNames = append(s.inlinedNames, field(content[atInlinedName:atInlinedName+4]))
	}
	return nil
}

// nameInlined keeps the names in the trees, after those of functions: these are then in the order of their functions.
func (s *stripper) nameInlined() error {
	for _, f := range s.inlinedNames {
		length, err := s.nameLength(f)
		if err != nil {
			return err
		}
		s.use(s.pools.names, f, use{kind: 1, length: length, align: 1})
	}
	return nil
}

func (s *stripper) readPCs(at uint32) (length int, largest int64, err error) {
	table := s.bytes(s.pcs)
	if uint64(at) >= uint64(len(table)) {
		return 0, 0, errTable
	}
	return readTable(table[at:])
}

// usePCs keeps the table by PC that the field tells of; 0 stands for none.
func (s *stripper) usePCs(f field, kind int) error {
	if f.get() == 0 {
		return nil
	}
	length, _, err := s.readPCs(f.get())
	if err != nil {
		return err
	}
	s.use(s.pools.pcs, f, use{kind: kind, length: length, align: 1, shared: true})
	return nil
}

func (s *stripper) nameLength(f field) (int, error) {
	table, at := s.bytes(s.names), f.get()
	if uint64(at) >= uint64(len(table)) {
		return 0, errors.New("its name is outside of the table of names")
	}
	length := bytes.IndexByte(table[at:], 0)
	if length < 0 {
		return 0, errors.New("its name has no end")
	}
	return length + 1, nil
}

func (s *stripper) use(p *pool, f field, u use) {
	p.use(f.get(), u)
	s.references = append(s.references, reference{f, p})
}
