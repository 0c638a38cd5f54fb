package main

import (
	"encoding/binary"
	"slices"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/wasmfile"
)

// vectors joins texts, each after its length, behind their number.
func vectors(texts ...string) []byte {
	out := binary.AppendUvarint(nil, uint64(len(texts)))
	for _, text := range texts {
		out = wasmfile.AppendVector(out, []byte(text))
	}
	return out
}

// namesOf is a name section that counts up from first.
func namesOf(first uint64, texts ...string) []byte {
	list := binary.AppendUvarint(nil, uint64(len(texts)))
	for i, text := range texts {
		list = wasmfile.AppendVector(binary.AppendUvarint(list, first+uint64(i)), []byte(text))
	}
	out := wasmfile.AppendVector(nil, []byte("name"))
	out = wasmfile.AppendVector(append(out, 0), []byte("the module's own name"))
	return wasmfile.AppendVector(append(out, 1), list)
}

func TestWeigh(t *testing.T) {
	one := wasmfile.AppendVector(wasmfile.AppendVector(nil, []byte("gojs")), []byte("now"))
	module := wasmfile.Write([]wasmfile.Section{
		{ID: wasmfile.Import, Content: append(append([]byte{1}, one...), 0, 0)},
		{ID: wasmfile.Code, Content: vectors("12345", "123", "1234567", "1")},
		{ID: wasmfile.Custom, Content: wasmfile.AppendVector(nil, []byte("producers"))},
		{ID: wasmfile.Custom, Content: namesOf(1, "fmt.Sprint", "fmt.__pp_.free", "github.com_a_b_c.__T_.m", "slices.sort_go.shape.int")},
	})
	got, err := weigh(module)
	want := []weight{{"fmt", 2, 8}, {"github.com_a_b_c", 1, 7}, {"slices", 1, 1}}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("weigh = %v, %v; want %v", got, err, want)
	}
}

func TestWeighRefusesWhatItCannotRead(t *testing.T) {
	memory := wasmfile.AppendVector(wasmfile.AppendVector([]byte{1}, []byte("js")), []byte("mem"))
	for name, sections := range map[string][]wasmfile.Section{
		"no names":           {{ID: wasmfile.Code, Content: vectors("1")}},
		"an imported memory": {{ID: wasmfile.Import, Content: append(memory, 2, 0, 1)}},
		"code cut short":     {{ID: wasmfile.Code, Content: []byte{2, 1, 0}}},
		"names cut short":    {{ID: wasmfile.Custom, Content: namesOf(0, "a")[:30]}},
	} {
		if got, err := weigh(wasmfile.Write(sections)); err == nil {
			t.Errorf("%s: weigh = %v", name, got)
		}
	}
	if _, err := weigh([]byte("no wasm")); err == nil {
		t.Error("another file was weighed")
	}
}
