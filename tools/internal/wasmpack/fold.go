package wasmpack

import (
	"bytes"
	_ "embed" // for unfold.wat
	"encoding/binary"
	"errors"
	"fmt"
)

// The index of functions, their records and the index from addresses make up two thirds of the module's data, and
// follow a few rules. fold takes them out of the image and leaves numbers that compress to a quarter, in the place of
// the index from addresses; a function that runs when the module is instantiated fills everything in again.
//
// What is packed is, for every function, how many tables it has, in a byte, and the word of its record at atKind; then
// columns, each a number of every record that has it, as unsigned LEB128 after a head of 7 bytes:
//
//	mode  where a record says how many it has  its place in the record, in words  the expected number, 4 bytes
//
// and at last a byte 255. What a number of a column means is written at the modes.

//go:embed unfold.wat
var unfoldText string

// The modes of columns. In all of them 0 stands for none, noData or, where it says so, 0.
const (
	// modeDifference: one more than the difference to the last number that was there, its sign in the lowest bit.
	modeDifference = 0
	// The others are places: 1 for the expected one, which follows the last that was expected, and otherwise two more
	// than the place.
	modeTable = 1 // of a table by PC; 0 is none
	modeMap   = 2 // of a stack map
	modeName  = 3 // 0 is none
	modePlain = 5 // of nothing: a number of which none is expected; 0 is 0
)

const (
	firstTable   = recordSize / 4 // the word of a record where its tables start
	bucketSize   = 20
	buckets      = 16 // of a function
	mapHead      = 8  // a stack map starts with how many bitmaps it has, and how many bits each of them has
	afterColumns = 255
)

type column struct {
	mode byte
	data bool
	word int
}

// columns are what changes from record to record and does not follow from anything else.
func columns() []column {
	list := []column{
		{modeName, false, atName / 4}, {modePlain, false, atArgs / 4}, {modePlain, false, atDefer / 4},
		{modeTable, false, atFrames / 4},
	}
	for number := range knownTables {
		list = append(list, column{modeTable, false, firstTable + number})
	}
	for number := range knownData {
		mode := byte(modeDifference)
		if number == dataArgMaps || number == dataLocalMaps {
			mode = modeMap
		}
		list = append(list, column{mode, true, firstTable + number})
	}
	return list
}

// fold takes the tables out of the image, and returns the function that brings them back, as an entry of the code
// section.
func (t *tables) fold() (function []byte, err error) {
	records, err := t.records()
	if err != nil {
		return nil, err
	}
	if err := t.checkBuckets(); err != nil {
		return nil, err
	}
	packed := packKinds(records)
	for _, c := range columns() {
		if packed, err = t.packColumn(packed, records, c); err != nil {
			return nil, err
		}
	}
	packed = append(packed, afterColumns)
	region := t.bytes(t.fullBuckets())
	if len(packed) > len(region) {
		return nil, errors.New("its folded tables do not fit where they are unfolded")
	}
	first := t.entry(0)
	function, err = assemble(unfoldText, map[string]int{
		"BUCKETS": t.buckets.start, "INDEXED": len(region) / (buckets * bucketSize),
		"INDEX": t.index.start, "RECORDS": t.funcs.start + int(first.record()),
		"FUNCTIONS": t.count(), "LAST": int(first.pc()) + t.count(),
		"TABLES": t.pcs.start, "NAMES": t.names.start, "MAPS": t.funcData.start, "BITS": t.funcData.start + 4,
	})
	if err != nil {
		return nil, err
	}
	clear(t.bytes(span{t.index.start, t.index.end - indexEntry})) // the last entry has no record, and stays
	clear(t.bytes(span{t.index.end, t.funcs.end}))
	clear(region[copy(region, packed):])
	return function, nil
}

// fullBuckets is the index from addresses without the part that a short last function may have.
func (t *tables) fullBuckets() span {
	const ofFunction = buckets * bucketSize
	length := t.buckets.end - t.buckets.start
	return span{t.buckets.start, t.buckets.start + length/ofFunction*ofFunction}
}

// records are those of all functions. It is an error if they do not follow the rules by which unfolding places them.
func (t *tables) records() ([]function, error) {
	first := t.entry(0)
	at, end := first.record(), uint32(0)
	var list []function
	for i := range t.count() {
		offset, f, err := t.functionAt(i)
		if err != nil {
			return nil, err
		}
		pc := first.pc() + uint32(i)
		if t.entry(i).pc() != pc || f.field(0).get() != pc || offset != at {
			return nil, fmt.Errorf("function %d is not where it is expected in the index", i)
		}
		if err := f.checkFolding(); err != nil {
			return nil, fmt.Errorf("folding function %d: %w", i, err)
		}
		end = at + uint32(f.size())
		at = (end + 7) &^ 7
		list = append(list, f)
	}
	if rest := t.bytes(t.funcs)[end:]; len(bytes.Trim(rest, "\x00")) > 0 {
		return nil, errors.New("something follows the records of functions")
	}
	return list, nil
}

// checkFolding reports what would not come back.
func (f function) checkFolding() error {
	for _, at := range []int{atFile, atLine, atUnit, atStartLine} {
		if value := f.field(at).get(); value != 0 {
			return fmt.Errorf("its record has %d at %d; expected nothing", value, at)
		}
	}
	return nil
}

// checkBuckets holds the index from addresses to what it is for functions of 65,536 addresses each: bucket after
// bucket, the number of the function and 16 zeros.
func (t *tables) checkBuckets() error {
	want := make([]byte, bucketSize)
	for i, rest := 0, t.bytes(t.fullBuckets()); len(rest) > 0; i, rest = i+1, rest[bucketSize:] {
		field(want).set(uint32(i / buckets))
		if !bytes.Equal(rest[:bucketSize], want) {
			return fmt.Errorf("bucket %d of its index from addresses is %x; expected %x", i, rest[:bucketSize], want)
		}
	}
	return nil
}

// packKinds starts what is packed with the numbers from which the length of each record follows.
func packKinds(records []function) []byte {
	var packed []byte
	for _, f := range records {
		packed = append(packed, byte(f.tables()))
		packed = append(packed, f.record[atKind:recordSize]...)
	}
	return packed
}

// packColumn appends a column.
func (t *tables) packColumn(packed []byte, records []function, c column) ([]byte, error) {
	p := packer{column: c, pool: t.poolOf(c.mode), next: noData}
	switch {
	case p.pool != nil:
		p.next = p.pool.begin(c.kind())
	case c.mode == modeDifference:
		p.next = 0
	}
	count := byte(atTables)
	if c.data {
		count = atData
	}
	head := len(packed)
	packed = append(packed, c.mode, count, byte(c.word))
	packed = binary.LittleEndian.AppendUint32(packed, p.next)
	something := false
	for i, f := range records {
		cell := c.cell(f)
		if cell == nil {
			continue
		}
		value, err := p.number(cell.get())
		if err != nil {
			return nil, fmt.Errorf("folding number %d of function %d: %w", c.word, i, err)
		}
		something = something || cell.get() != 0
		packed = binary.AppendUvarint(packed, uint64(value))
	}
	if !something {
		return packed[:head], nil
	}
	return packed, nil
}

// cell is the number of a record that belongs to the column; nil if the record has none.
func (c column) cell(f function) field {
	switch {
	case c.data:
		return f.dataAt(c.word - firstTable)
	case c.word >= firstTable:
		return f.table(c.word - firstTable)
	}
	return f.field(4 * c.word)
}

// kind is that of the column's entries in their pool.
func (c column) kind() int {
	switch {
	case c.data:
		return c.word - firstTable
	case c.word >= firstTable:
		return kindTables + c.word - firstTable
	}
	return 0
}

// poolOf is the table in which the places of a mode are.
func (t *tables) poolOf(mode byte) *pool {
	switch mode {
	case modeTable:
		return t.pools.pcs
	case modeMap:
		return t.pools.data
	case modeName:
		return t.pools.names
	}
	return nil
}

// packer packs the numbers of one column, and expects what unfolding will expect.
type packer struct {
	column
	pool *pool
	next uint32
}

var errNumber = errors.New("its number cannot be folded")

func (p *packer) number(value uint32) (uint32, error) {
	none := uint32(noData)
	if p.mode%2 == 1 {
		none = 0
	}
	switch {
	case value == none:
		return 0, nil
	case p.mode == modeDifference:
		return p.difference(value)
	case value == p.next && p.pool != nil:
		return 1, p.advance()
	case value >= noData-1:
		return 0, errNumber
	}
	return value + 2, nil
}

// difference is one more than the difference to the last number, with its sign in the lowest bit.
func (p *packer) difference(value uint32) (uint32, error) {
	change := int32(value - p.next)
	p.next = value
	packed := uint32(change<<1) ^ uint32(change>>31)
	if packed == noData {
		return 0, errNumber
	}
	return packed + 1, nil
}

// advance expects what follows the entry that was expected.
func (p *packer) advance() error {
	rest := p.pool.table[min(int(p.next), len(p.pool.table)):]
	switch p.mode {
	case modeTable:
		length, _, err := readTable(rest)
		p.next += uint32(length)
		return err
	case modeName:
		length := bytes.IndexByte(rest, 0) + 1
		p.next += uint32(length)
		return nil
	}
	if len(rest) < mapHead {
		return errNumber
	}
	maps, bits := field(rest[:4]).get(), field(rest[4:]).get()
	p.next += (mapHead + maps*((bits+7)/8) + 3) &^ 3
	return nil
}
