package wasmpack

import (
	"bytes"
	"encoding/binary"
	"errors"
	"slices"

	"github.com/pagewarden/pagewarden/tools/internal/wasmfile"
)

// plainType is the type of a function without parameters and results, as the type section has it.
const plainType = "\x60\x00\x00"

var errStart = errors.New("there is no place for a function that runs at its start")

// withStart adds a function, an entry of the code section, that runs when the module is instantiated, after its data
// were laid out. It comes after all others, so that these keep their numbers.
func withStart(sections []wasmfile.Section, function []byte) ([]wasmfile.Section, error) {
	kind, err := plainTypeIn(find(sections, wasmfile.Type))
	if err != nil {
		return nil, err
	}
	functions, code := find(sections, wasmfile.Function), find(sections, wasmfile.Code)
	element := slices.IndexFunc(sections, func(s wasmfile.Section) bool { return s.ID == wasmfile.Element })
	if functions == nil || code == nil || element < 0 || find(sections, wasmfile.Start) != nil {
		return nil, errStart
	}
	imported := uint64(0)
	if s := find(sections, wasmfile.Import); s != nil {
		in := &wasmfile.Input{Rest: s.Content}
		imported = in.Unsigned() // all are functions: the linker imports nothing else
	}
	count, err := appendEntry(functions, binary.AppendUvarint(nil, kind))
	if err != nil {
		return nil, err
	}
	if _, err := appendEntry(code, wasmfile.AppendVector(nil, function)); err != nil {
		return nil, err
	}
	start := wasmfile.Section{ID: wasmfile.Start, Content: binary.AppendUvarint(nil, imported+count)}
	return slices.Insert(sections, element, start), nil
}

func find(sections []wasmfile.Section, id byte) *wasmfile.Section {
	for i := range sections {
		if sections[i].ID == id {
			return &sections[i]
		}
	}
	return nil
}

// plainTypeIn is the number of plainType among the types of functions.
func plainTypeIn(s *wasmfile.Section) (uint64, error) {
	if s == nil {
		return 0, errStart
	}
	in := &wasmfile.Input{Rest: s.Content}
	for i := range in.Unsigned() {
		if bytes.HasPrefix(in.Rest, []byte(plainType)) {
			return i, nil
		}
		in.Byte()
		in.Vector()
		in.Vector()
	}
	return 0, errStart
}

// appendEntry adds an entry to a section that starts with their number, and returns how many there were before.
func appendEntry(s *wasmfile.Section, entry []byte) (before uint64, err error) {
	in := &wasmfile.Input{Rest: s.Content}
	before = in.Unsigned()
	if in.Err != nil {
		return 0, in.Err
	}
	s.Content = slices.Concat(binary.AppendUvarint(nil, before+1), in.Rest, entry)
	return before, nil
}
