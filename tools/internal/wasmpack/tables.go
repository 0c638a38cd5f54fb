package wasmpack

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// The layout that is read here is that of runtime/symtab.go (pcHeader, moduledata), runtime/runtime2.go (_func),
// runtime/symtabinl.go (inlinedCall) and internal/abi/symtab.go in Go 1.26.

// tableMagic, then two zeros, the size of an instruction and that of a pointer start the header of the tables.
const tableMagic = "\xf1\xff\xff\xff\x00\x00\x01\x08"

// Places in a module's description (moduledata), in words of 8 bytes. A slice takes three: address, length, capacity.
const (
	wordHeader    = 0
	wordNames     = 1
	wordUnits     = 4
	wordFiles     = 7
	wordPCs       = 10
	wordFuncs     = 13
	wordIndex     = 16
	wordFindFunc  = 19
	wordFuncData  = 40
	wordEnd       = 41
	wordsToRead   = 42
	indexEntry    = 8 // a function's first PC and where its record is, 4 bytes each
	unitEntry     = 4
	headerEntries = 8 // where in the header its number of functions is
)

// span is a part of the memory.
type span struct{ start, end int }

// tables are the linker's tables about functions, by what they hold.
type tables struct {
	image    *image
	names    span // names of functions
	units    span // for each compilation unit, its files
	files    span // names of files
	pcs      span // tables from a PC to a number, packed
	funcs    span // the index, then a record for each function
	index    span // at the start of funcs
	funcData span // what belongs to one function, such as the tree of what was inlined into it
	buckets  span // the index from addresses to functions
	pools    pools
}

// pools are what strip lays out anew.
type pools struct{ names, pcs, data *pool }

func (p pools) all() []*pool { return []*pool{p.names, p.pcs, p.data} }

func findTables(m *image) (*tables, error) {
	for at := 0; at+len(tableMagic) <= len(m.bytes); at += 8 {
		if string(m.bytes[at:at+len(tableMagic)]) != tableMagic {
			continue
		}
		if description, found := m.descriptionOf(at); found {
			return m.readDescription(description)
		}
	}
	return nil, errors.New("it has no tables of functions as Go 1.26 lays them out")
}

// descriptionOf finds the description of the module whose header is at the address: it starts with that address, and
// its first table comes right after the header.
func (m *image) descriptionOf(header int) (at int, found bool) {
	for at := 0; at+8*wordsToRead <= len(m.bytes); at += 8 {
		if m.word(at, wordHeader) == uint64(header) {
			if names := m.word(at, wordNames); names > uint64(header) && names < uint64(header)+256 {
				return at, true
			}
		}
	}
	return 0, false
}

// word reads a word of a structure at an address that is known to be within the image.
func (m *image) word(at, index int) uint64 {
	return binary.LittleEndian.Uint64(m.bytes[at+8*index:])
}

func (m *image) readDescription(at int) (*tables, error) {
	slice := func(word, size int) span {
		start := int(m.word(at, word))
		return span{start, start + size*int(m.word(at, word+1))}
	}
	t := &tables{
		image: m,
		names: slice(wordNames, 1), units: slice(wordUnits, unitEntry), files: slice(wordFiles, 1),
		pcs: slice(wordPCs, 1), funcs: slice(wordFuncs, 1), index: slice(wordIndex, indexEntry),
		funcData: span{int(m.word(at, wordFuncData)), int(m.word(at, wordFindFunc))},
		buckets:  span{int(m.word(at, wordFindFunc)), int(m.word(at, wordEnd))},
	}
	return t, t.check(int(m.word(at, wordHeader)), int(m.word(at, wordEnd)))
}

// check holds the tables to the order that they are in, so that a description of another shape is not taken for one.
func (t *tables) check(header, end int) error {
	edges := []int{
		header, t.names.start, t.names.end, t.units.start, t.units.end, t.files.start, t.files.end, t.pcs.start, t.pcs.end,
		t.funcs.start, t.index.end, t.funcData.start, t.funcData.end, end, len(t.image.bytes),
	}
	for i, edge := range edges[1:] {
		if edge < edges[i] {
			return fmt.Errorf("edge %d of its tables of functions is at %d, before the previous one at %d", i+1, edge, edges[i])
		}
	}
	if t.index.start != t.funcs.start {
		return fmt.Errorf("its index of functions is at %d; expected it at %d", t.index.start, t.funcs.start)
	}
	// The index ends with an entry for the end of the last function.
	if counted, listed := t.image.word(header+headerEntries, 0), t.count(); int(counted) != listed {
		return fmt.Errorf("it counts %d functions and lists %d", counted, listed)
	}
	return nil
}

// count is the number of functions.
func (t *tables) count() int { return (t.index.end-t.index.start)/indexEntry - 1 }

// entry is one entry of the index.
func (t *tables) entry(i int) indexed { return indexed(t.bytes(t.index)[indexEntry*i:][:indexEntry]) }

type indexed []byte

func (e indexed) pc() uint32     { return field(e[:4]).get() }
func (e indexed) record() uint32 { return field(e[4:]).get() }

// bytes is what the memory holds there.
func (t *tables) bytes(s span) []byte { return t.image.bytes[s.start:s.end] }
