package wasmpack

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// Places in the record of a function (_func), in bytes.
const (
	atName      = 4
	atArgs      = 8  // the size of its arguments
	atDefer     = 12 // deferreturn: where deferred calls are made
	atFrames    = 16 // pcsp: the size of the frame at each PC
	atFile      = 20
	atLine      = 24
	atTables    = 28 // how many tables by PC follow
	atUnit      = 32
	atStartLine = 36
	atKind      = 40
	atData      = 43 // how many references to function data follow the tables
	recordSize  = 44
)

// The tables by PC (PCDATA) and the function data (FUNCDATA) that this package knows, by their place.
const (
	tableUnsafePoints = 0 // where a goroutine must not be preempted from outside: nothing does that in wasm
	tableInlined      = 2
	tableLiveArgs     = 3

	dataArgMaps   = 0
	dataLocalMaps = 1
	dataObjects   = 2 // of the stack; the rest of the data is in units of 4 bytes, or single bytes
	dataInlined   = 3
	dataDefers    = 4
	dataArgs      = 5
	dataLiveArgs  = 6

	knownTables = 5
	knownData   = 8
)

// dataAlign is what the place of a function's data is a multiple of.
func dataAlign(number int) int {
	switch number {
	case dataObjects:
		return 8
	case dataDefers:
		return 1
	}
	return 4
}

// kindWrapper is the kind (funcID) of functions that the compiler made, such as method wrappers; recover does not count
// them, so what was inlined into them matters.
const kindWrapper = 23

// noData is what stands for function data that a function does not have. A table that it does not have is 0.
const noData = 0xffffffff

// function is the record of one function.
type function struct {
	record []byte // with what follows it
}

// functionAt reads the record that entry i of the index leads to.
func (t *tables) functionAt(i int) (offset uint32, f function, err error) {
	all := t.bytes(t.funcs)
	offset = t.entry(i).record()
	if uint64(offset)+recordSize > uint64(len(all)) {
		return 0, f, fmt.Errorf("the record of function %d is at %d, outside of its table", i, offset)
	}
	f = function{all[offset:]}
	if f.tables() > knownTables || f.data() > knownData {
		return 0, f, fmt.Errorf("function %d has %d tables and %d data, more than are known", i, f.tables(), f.data())
	}
	if f.size() > len(f.record) {
		return 0, f, fmt.Errorf("the record of function %d ends outside of its table", i)
	}
	return offset, f, nil
}

func (f function) tables() int { return int(binary.LittleEndian.Uint32(f.record[atTables:])) }

func (f function) data() int { return int(f.record[atData]) }

func (f function) size() int { return recordSize + 4*(f.tables()+f.data()) }

func (f function) wrapper() bool { return f.record[atKind] == kindWrapper }

// field is a number of the record, to read and to change.
func (f function) field(at int) field { return field(f.record[at : at+4]) }

// table is where in the tables by PC the numbered one starts; nil if the record has no such place.
func (f function) table(number int) field {
	if number >= f.tables() {
		return nil
	}
	return f.field(recordSize + 4*number)
}

// dataAt is where the numbered function data is; nil if the record has no such place.
func (f function) dataAt(number int) field {
	if number >= f.data() {
		return nil
	}
	return f.field(recordSize + 4*(f.tables()+number))
}

// field is a number of four bytes in the image; nil stands for one that is not there, and ignores what it is set to.
type field []byte

func (f field) get() uint32 { return binary.LittleEndian.Uint32(f) }

func (f field) set(value uint32) {
	if f != nil {
		binary.LittleEndian.PutUint32(f, value)
	}
}

var errTable = errors.New("a table by PC has no end")

// readTable returns how long the table at the start of packed is, and the largest number in it. A table is a list of
// pairs, the change of the number and that of the PC, and ends with a change of nothing that is not its first.
func readTable(packed []byte) (length int, largest int64, err error) {
	number := int64(-1)
	largest = number
	for {
		change, n := binary.Varint(packed[length:])
		if n <= 0 {
			return 0, 0, errTable
		}
		if change == 0 && length > 0 {
			return length + n, largest, nil
		}
		_, m := binary.Uvarint(packed[length+n:])
		if m <= 0 {
			return 0, 0, errTable
		}
		length += n + m
		number += change
		largest = max(largest, number)
	}
}
