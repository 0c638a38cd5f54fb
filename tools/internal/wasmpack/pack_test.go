package wasmpack

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/wasmfile"
)

// header starts a module.
const header = "\x00asm\x01\x00\x00\x00"

// segment is one entry of a data section, as a test writes it.
type segment struct {
	address int32
	text    string
}

func dataOf(segments ...segment) []byte {
	out := binary.AppendUvarint(nil, uint64(len(segments)))
	for _, s := range segments {
		out = wasmfile.AppendSigned(append(out, 0, opConst), s.address)
		out = wasmfile.AppendVector(append(out, opEnd), []byte(s.text))
	}
	return out
}

func moduleOf(sections ...wasmfile.Section) []byte { return wasmfile.Write(sections) }

func TestSegmentsAreMerged(t *testing.T) {
	zeros := func(n int) string { return strings.Repeat("\x00", n) }
	tests := []struct {
		name      string
		have, get []segment
	}{
		{"none", nil, nil},
		{"one", []segment{{8, "a"}}, []segment{{8, "a"}}},
		{"a short way apart", []segment{{8, "a"}, {12, "b"}}, []segment{{8, "a\x00\x00\x00b"}}},
		{"a gap apart", []segment{{8, "a"}, {9 + gap, "b"}}, []segment{{8, "a"}, {9 + gap, "b"}}},
		{"nearly a gap apart", []segment{{8, "a"}, {8 + gap, "b"}}, []segment{{8, "a" + zeros(gap-1) + "b"}}},
		{"zeros around", []segment{{8, zeros(3) + "a" + zeros(3)}}, []segment{{11, "a"}}},
		{"nothing but zeros", []segment{{8, zeros(30)}}, nil},
		{"out of order", []segment{{12, "b"}, {8, "a"}}, []segment{{8, "a\x00\x00\x00b"}}},
		{"over each other", []segment{{8, "abc"}, {9, "x"}}, []segment{{8, "axc"}}},
		{"far away", []segment{{1 << 24, "a"}}, []segment{{1 << 24, "a"}}},
	}
	types, names := wasmfile.Section{ID: 1, Content: []byte("types")}, wasmfile.Section{Content: []byte("\x04name")}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			module := moduleOf(types, wasmfile.Section{ID: wasmfile.Data, Content: dataOf(test.have...)}, names)
			want := moduleOf(types, wasmfile.Section{ID: wasmfile.Data, Content: dataOf(test.get...)}, names)
			got, err := Pack(module, Options{Lines: true})
			if err != nil || !bytes.Equal(got, want) {
				t.Errorf("Pack = %q, %v; want %q", got, err, want)
			}
		})
	}
}

func TestForeignModulesAreRefused(t *testing.T) {
	tests := []struct {
		name, module, says string
	}{
		{"no module", "PK\x03\x04.......", "not a WebAssembly module"},
		{"a passive segment", header + "\x0b\x04\x01\x01\x01a", "constant address"},
		{"another address", header + "\x0b\x07\x01\x00\x23\x00\x0b\x01a", "constant address"},
		{"a negative address", header + "\x0b\x07\x01\x00\x41\x7f\x0b\x01a", "constant address"},
		{"too far away", string(moduleOf(wasmfile.Section{ID: wasmfile.Data, Content: dataOf(segment{maxImage, "a"})})), "at most"},
		{"segments missing", header + "\x0b\x01\x02", "reading its data"},
		{"an endless number", header + "\x0b\x08\x01\x00\x41\xff\xff\xff\xff\xff", "reading its data"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if _, err := Pack([]byte(test.module), Options{Lines: true}); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("Pack = %v; want an error with %q", err, test.says)
			}
		})
	}
	module := moduleOf(wasmfile.Section{ID: wasmfile.Data, Content: dataOf(segment{8, strings.Repeat("data of another compiler", 50)})})
	if _, err := Pack(module, Options{}); err == nil || !strings.Contains(err.Error(), "no tables of functions") {
		t.Errorf("stripping a module without Go's tables: %v", err)
	}
}

func TestReadTable(t *testing.T) {
	// varint 2 is a change of 1, 1 one of -1; the first number is -1 before its change.
	tests := []struct {
		name    string
		packed  string
		length  int
		largest int64
		broken  bool
	}{
		{name: "two numbers", packed: "\x02\x05\x08\x03\x00rest", length: 5, largest: 4},
		{name: "first number unchanged", packed: "\x00\x05\x02\x03\x00", length: 5, largest: 0},
		{name: "going down", packed: "\x08\x01\x01\x01\x00", length: 5, largest: 3},
		{name: "long steps", packed: "\x80\x01\xff\x01\x00", length: 5, largest: 63},
		{name: "no end", packed: "\x02\x05", broken: true},
		{name: "half a pair", packed: "\x02", broken: true},
		{name: "nothing", packed: "", broken: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			length, largest, err := readTable([]byte(test.packed))
			if (err != nil) != test.broken || !test.broken && (length != test.length || largest != test.largest) {
				t.Errorf("readTable = %d, %d, %v; want %d, %d, broken %v", length, largest, err, test.length, test.largest, test.broken)
			}
		})
	}
}
