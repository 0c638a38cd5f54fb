package wasmpack

import "fmt"

// shorten takes the tables and data that a function does not have off the end of its record: the runtime asks how many
// there are. The records move together.
func (t *tables) shorten() error {
	all := t.bytes(t.funcs)
	moved := map[uint32]uint32{}
	end := t.entry(0).record()
	for i := range t.count() {
		offset, f, err := t.functionAt(i)
		if err != nil {
			return err
		}
		to, done := moved[offset]
		if !done {
			if to = end; to > offset {
				return fmt.Errorf("the record of function %d is at %d, among those before it", i, offset)
			}
			moved[offset] = to
			short := f.short()
			end = to + uint32(copy(all[to:], short)+7)&^7
			clear(all[to+uint32(len(short)) : end])
		}
		field(t.entry(i)[4:]).set(to)
	}
	clear(all[end:])
	return nil
}

// short is the record without the tables and data that are not there at its end.
func (f function) short() []byte {
	tables, data := f.tables(), f.data()
	for tables > 0 && f.table(tables-1).get() == 0 {
		tables--
	}
	for data > 0 && f.dataAt(data-1).get() == noData {
		data--
	}
	short := append([]byte{}, f.record[:recordSize+4*tables]...)
	at := recordSize + 4*f.tables()
	short = append(short, f.record[at:at+4*data]...)
	field(short[atTables : atTables+4]).set(uint32(tables))
	short[atData] = byte(data)
	return short
}
