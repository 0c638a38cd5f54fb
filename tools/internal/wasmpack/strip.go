package wasmpack

import (
	"bytes"
	"errors"
	"fmt"
)

// Places in an entry of the tree of what was inlined (inlinedCall), in bytes.
const (
	atInlinedName = 4
	atInlinedLine = 12
	inlinedSize   = 16
)

// strip takes out what only stack traces need, and moves the rest of two tables together.
func (t *tables) strip() error {
	names, pcs := t.bytes(t.names), t.bytes(t.pcs)
	s := stripper{
		tables: t, names: newMover(names, bytes.IndexByte(names, 0)+1), pcs: newMover(pcs, min(1, len(pcs))),
		keptTrees: map[uint32]bool{}, droppedTrees: map[uint32]int{},
	}
	seen := map[uint32]bool{}
	for i := range (t.index.end-t.index.start)/indexEntry - 1 {
		offset, f, err := t.functionAt(i)
		if err != nil {
			return err
		}
		if seen[offset] {
			continue
		}
		seen[offset] = true
		if err := s.function(f); err != nil {
			return fmt.Errorf("stripping function %d: %w", i, err)
		}
	}
	if err := s.clearTrees(); err != nil {
		return err
	}
	clear(t.bytes(t.units))
	clear(t.bytes(t.files))
	s.names.finish()
	s.pcs.finish()
	return nil
}

// stripper goes through the functions and remembers what they share.
type stripper struct {
	*tables
	names, pcs *mover
	// Trees of what was inlined, by their place in the function data: which a function keeps, and how many entries
	// those have that no function keeps.
	keptTrees    map[uint32]bool
	droppedTrees map[uint32]int
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
	if err := s.moveName(f.field(atName)); err != nil {
		return err
	}
	if err := s.movePCs(f.field(atFrames)); err != nil {
		return err
	}
	for number := range f.tables() {
		if err := s.movePCs(f.table(number)); err != nil {
			return err
		}
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
	_, last, err := s.readPCs(table.get())
	if err != nil {
		return err
	}
	tree, entries := data.get(), int(last)+1
	if f.wrapper() {
		return s.keepTree(tree, entries)
	}
	s.droppedTrees[tree] = max(s.droppedTrees[tree], entries)
	table.set(0)
	data.set(noData)
	return nil
}

func (s *stripper) keepTree(tree uint32, entries int) error {
	if s.keptTrees[tree] {
		return nil
	}
	s.keptTrees[tree] = true
	content, err := s.tree(tree, entries)
	if err != nil {
		return err
	}
	for ; len(content) > 0; content = content[inlinedSize:] {
		field(content[atInlinedLine:inlinedSize]).set(0)
		if err := s.moveName(field(content[atInlinedName : atInlinedName+4])); err != nil {
			return err
		}
	}
	return nil
}

func (s *stripper) tree(tree uint32, entries int) ([]byte, error) {
	all := s.bytes(s.funcData)
	end := uint64(tree) + uint64(inlinedSize*entries)
	if end > uint64(len(all)) {
		return nil, errors.New("the tree of what was inlined ends outside of the function data")
	}
	return all[tree:end], nil
}

// clearTrees clears the trees that no function has any more.
func (s *stripper) clearTrees() error {
	for tree, entries := range s.droppedTrees {
		if s.keptTrees[tree] {
			continue
		}
		content, err := s.tree(tree, entries)
		if err != nil {
			return err
		}
		clear(content)
	}
	return nil
}

func (s *stripper) readPCs(at uint32) (length int, largest int64, err error) {
	if uint64(at) >= uint64(len(s.pcs.old)) {
		return 0, 0, errTable
	}
	return readTable(s.pcs.old[at:])
}

// movePCs moves the table by PC that the field tells of; 0 stands for none.
func (s *stripper) movePCs(f field) error {
	if f.get() == 0 {
		return nil
	}
	length, _, err := s.readPCs(f.get())
	if err != nil {
		return err
	}
	f.set(s.pcs.move(f.get(), length))
	return nil
}

func (s *stripper) moveName(f field) error {
	at := f.get()
	if uint64(at) >= uint64(len(s.names.old)) {
		return errors.New("its name is outside of the table of names")
	}
	length := bytes.IndexByte(s.names.old[at:], 0)
	if length < 0 {
		return errors.New("its name has no end")
	}
	f.set(s.names.move(at, length+1))
	return nil
}

// mover moves the entries of a table together, in the order in which they are asked for.
type mover struct {
	table, old, packed []byte
	moved              map[uint32]uint32
}

// newMover leaves the first entry where it is, since the runtime takes 0 for no name and no table.
func newMover(table []byte, first int) *mover {
	old := bytes.Clone(table)
	return &mover{table: table, old: old, packed: bytes.Clone(old[:first]), moved: map[uint32]uint32{0: 0}}
}

func (m *mover) move(at uint32, length int) uint32 {
	if to, done := m.moved[at]; done {
		return to
	}
	to := uint32(len(m.packed))
	m.packed = append(m.packed, m.old[at:int(at)+length]...)
	m.moved[at] = to
	return to
}

// finish puts what was moved in the table's place, and zeros after it.
func (m *mover) finish() {
	clear(m.table[copy(m.table, m.packed):])
}
