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
	for _, f := range t.recordsOf(test) {
		for number := range f.data() {
			if at := f.dataAt(number).get(); at != noData {
				starts = append(starts, at)
			}
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// recordsOf are the records of all functions, in the order of the index.
func (t *tables) recordsOf(test *testing.T) []function {
	test.Helper()
	var list []function
	for i := range t.count() {
		_, f, err := t.functionAt(i)
		if err != nil {
			test.Fatal(err)
		}
		list = append(list, f)
	}
	return list
}

// stripped gives the tables of a module before and after stripping.
func stripped(t *testing.T, module []byte) (before, after *tables) {
	t.Helper()
	before, after = tablesOf(t, module), tablesOf(t, module)
	if err := after.strip(); err != nil {
		t.Fatal(err)
	}
	return before, after
}

// All that the runtime needs to run is as it was: for each function its name, the size of its frame, its stack maps,
// its stack objects, its deferred calls, and what it says about wrappers.
func TestEveryFunctionKeepsWhatItNeeds(t *testing.T) {
	before, after := stripped(t, compileSelf(t))
	starts := before.dataStarts(t)
	was, left := before.recordsOf(t), after.recordsOf(t)
	if len(was) < 1000 || len(was) != len(left) {
		t.Fatalf("%d functions before and %d after", len(was), len(left))
	}
	for i, f := range was {
		name := before.name(f.field(atName).get())
		if got := after.name(left[i].field(atName).get()); got != name {
			t.Fatalf("%s is called %s", name, got)
		}
		for _, at := range []int{0, atArgs, atDefer} {
			if f.field(at).get() != left[i].field(at).get() {
				t.Errorf("%s: the number at %d of its record differs", name, at)
			}
		}
		if before.pcTable(t, f.field(atFrames).get()) != after.pcTable(t, left[i].field(atFrames).get()) {
			t.Errorf("%s: the size of its frame differs", name)
		}
		compareTables(t, name, [2]*tables{before, after}, [2]function{f, left[i]})
		compareData(t, name, starts, [2]*tables{before, after}, [2]function{f, left[i]})
	}
	compareRest(t, before, after)
}

func compareTables(t *testing.T, name string, in [2]*tables, f [2]function) {
	t.Helper()
	for number := range f[0].tables() {
		dropped := number == tableUnsafePoints || number == tableLiveArgs || number == tableInlined && !f[0].wrapper()
		if got := in[1].pcTable(t, numberAt(f[1].table(number), 0)); !dropped && got != in[0].pcTable(t, f[0].table(number).get()) {
			t.Errorf("%s: table %d differs", name, number)
		}
	}
}

// numberAt is what a record has there, or what stands for nothing where it has no such place.
func numberAt(f field, nothing uint32) uint32 {
	if f == nil {
		return nothing
	}
	return f.get()
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

func compareData(t *testing.T, name string, starts []uint32, in [2]*tables, f [2]function) {
	t.Helper()
	for number := range f[0].data() {
		was, is := f[0].dataAt(number).get(), numberAt(f[1].dataAt(number), noData)
		if was == noData || number == dataArgs || number == dataLiveArgs || number == dataInlined && !f[0].wrapper() {
			continue
		}
		next, _ := slices.BinarySearch(starts, was+1)
		length := starts[next] - was
		if is == noData || int(is+length) > len(in[1].bytes(in[1].funcData)) {
			t.Errorf("%s: its data %d is gone", name, number)
			continue
		}
		a, b := in[0].bytes(in[0].funcData)[was:][:length], in[1].bytes(in[1].funcData)[is:][:length]
		if number == dataInlined {
			a, b = namesLeft(in[0], a), namesLeft(in[1], b)
		}
		if !bytes.Equal(a, b) {
			t.Errorf("%s: its data %d differs", name, number)
		}
	}
}

// namesLeft is a tree of what was inlined, without lines and with names in the place of numbers.
func namesLeft(t *tables, tree []byte) []byte {
	var text []byte
	for ; len(tree) >= inlinedSize; tree = tree[inlinedSize:] {
		text = append(text, tree[:atInlinedName]...)
		text = append(text, t.name(field(tree[atInlinedName:atInlinedName+4]).get())...)
		text = append(text, tree[atInlinedName+4:atInlinedLine]...)
	}
	return text
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
