package wasmpack

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/wasmfile"
)

// tablesOf reads the tables of a module.
func tablesOf(t *testing.T, module []byte) *tables {
	t.Helper()
	sections, err := wasmfile.Read(module)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sections {
		if s.ID != wasmfile.Data {
			continue
		}
		m, err := readData(s.Content)
		if err != nil {
			t.Fatal(err)
		}
		found, err := findTables(m)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	t.Fatal("the module has no data")
	return nil
}

// pcTable is the packed table by PC that starts there.
func (t *tables) pcTable(test *testing.T, at uint32) string {
	test.Helper()
	if at == 0 {
		return ""
	}
	packed := t.bytes(t.pcs)[at:]
	length, _, err := readTable(packed)
	if err != nil {
		test.Fatal(err)
	}
	return string(packed[:length])
}

func (t *tables) name(at uint32) string {
	name, _, _ := bytes.Cut(t.bytes(t.names)[at:], []byte{0})
	return string(name)
}

// dataStarts are the places where any function's data starts, sorted, and the end of all.
func (t *tables) dataStarts(test *testing.T) []uint32 {
	test.Helper()
	starts := []uint32{uint32(t.funcData.end - t.funcData.start)}
	t.each(test, func(f function) {
		for number := range f.data() {
			if at := f.dataAt(number).get(); at != noData {
				starts = append(starts, at)
			}
		}
	})
	slices.Sort(starts)
	return slices.Compact(starts)
}

func (t *tables) each(test *testing.T, visit func(function)) {
	test.Helper()
	for i := range (t.index.end-t.index.start)/indexEntry - 1 {
		_, f, err := t.functionAt(i)
		if err != nil {
			test.Fatal(err)
		}
		visit(f)
	}
}

// All that the runtime needs to run is as it was: for each function its name, the size of its frame, its stack maps,
// its stack objects, its deferred calls, and what it says about wrappers.
func TestEveryFunctionKeepsWhatItNeeds(t *testing.T) {
	module := compileSelf(t)
	small, err := Pack(module, Options{})
	if err != nil {
		t.Fatal(err)
	}
	before, after := tablesOf(t, module), tablesOf(t, small)
	starts := before.dataStarts(t)
	var left []function
	after.each(t, func(f function) { left = append(left, f) })
	checked := 0
	before.each(t, func(f function) {
		g := left[checked]
		checked++
		name := before.name(f.field(atName).get())
		if got := after.name(g.field(atName).get()); got != name {
			t.Fatalf("%s is called %s", name, got)
		}
		if before.pcTable(t, f.field(atFrames).get()) != after.pcTable(t, g.field(atFrames).get()) {
			t.Errorf("%s: the size of its frame differs", name)
		}
		for number := range f.tables() {
			dropped := number == tableUnsafePoints || number == tableLiveArgs || number == tableInlined && !f.wrapper()
			if !dropped && before.pcTable(t, f.table(number).get()) != after.pcTable(t, g.table(number).get()) {
				t.Errorf("%s: table %d differs", name, number)
			}
		}
		for number := range f.data() {
			if number == dataInlined || number == dataArgs || number == dataLiveArgs {
				continue
			}
			compareData(t, name, starts, [2]*tables{before, after}, [2]uint32{f.dataAt(number).get(), g.dataAt(number).get()})
		}
	})
	if checked < 1000 || checked != len(left) {
		t.Errorf("%d functions before and %d after", checked, len(left))
	}
	compareRest(t, before, after)
}

// compareRest compares the memory around the tables.
func compareRest(t *testing.T, before, after *tables) {
	t.Helper()
	records := span{before.funcs.start, before.funcData.start}
	for _, s := range []span{before.names, before.units, before.files, before.pcs, records, before.funcData} {
		clear(before.bytes(s))
		clear(after.bytes(s))
	}
	if !bytes.Equal(bytes.TrimRight(before.image.bytes, "\x00"), bytes.TrimRight(after.image.bytes, "\x00")) {
		t.Error("the memory differs outside of the tables")
	}
}

func compareData(t *testing.T, name string, starts []uint32, in [2]*tables, at [2]uint32) {
	t.Helper()
	if at[0] != at[1] {
		t.Errorf("%s: its data has moved from %d to %d", name, at[0], at[1])
	}
	if at[0] == noData {
		return
	}
	next, _ := slices.BinarySearch(starts, at[0]+1)
	length := starts[next] - at[0]
	a, b := in[0].bytes(in[0].funcData)[at[0]:], in[1].bytes(in[1].funcData)[at[1]:]
	if !bytes.Equal(a[:length], b[:length]) {
		t.Errorf("%s: its data at %d differs", name, at[0])
	}
}

// compileSelf builds testdata/program.
func compileSelf(t *testing.T) []byte {
	t.Helper()
	target := filepath.Join(t.TempDir(), "program.wasm")
	cmd := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", target, "./testdata/program")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("compiling the program: %v\n%s", err, out)
	}
	content, err := os.ReadFile(target)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
