package wasmpack

import (
	"bytes"
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/wasmfile"
)

// memoryOf instantiates a module without running it, and gives what its memory holds then.
func memoryOf(t *testing.T, module []byte) []byte {
	t.Helper()
	const program = `const fs = require("fs"), [path] = process.argv.slice(1);
const module = new WebAssembly.Module(fs.readFileSync(path)), imports = {};
for (const i of WebAssembly.Module.imports(module)) (imports[i.module] ??= {})[i.name] = () => {};
fs.writeFileSync(path, Buffer.from(new WebAssembly.Instance(module, imports).exports.mem.buffer));`
	path := filepath.Join(t.TempDir(), "module")
	if err := os.WriteFile(path, module, 0o644); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.CommandContext(t.Context(), "node", "-e", program, path).CombinedOutput(); err != nil {
		t.Fatalf("instantiating: %v\n%s", err, out)
	}
	memory, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return memory
}

func TestUnfoldingFillsInWhatWasFolded(t *testing.T) {
	module := compileSelf(t)
	_, want := stripped(t, module)
	small, err := Pack(module, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(small) > len(module)*4/5 {
		t.Errorf("%d bytes became %d", len(module), len(small))
	}
	memory := memoryOf(t, small)
	for i, b := range want.image.bytes {
		if memory[i] != b {
			t.Fatalf("the memory differs at %d: %x; want %x", i, memory[i:][:16], want.image.bytes[i:][:16])
		}
	}
	if rest := memory[len(want.image.bytes):]; len(bytes.Trim(rest, "\x00")) > 0 {
		t.Error("something is left behind the data")
	}
}

// A layout that does not follow the rules is left alone, with an error that says where.
func TestTablesThatFollowOtherRulesAreRefused(t *testing.T) {
	module := compileSelf(t)
	tests := []struct {
		name   string
		change func(*tables, []function)
		says   string
	}{
		{"another function in a bucket", func(tab *tables, _ []function) { tab.bytes(tab.buckets)[5*bucketSize] = 1 }, "bucket 5"},
		{"a gap between addresses", func(tab *tables, _ []function) { tab.entry(7)[1]++ }, "function 7 "},
		{"a record elsewhere", func(tab *tables, _ []function) { tab.entry(7)[4] += 8 }, "function 7 "},
		{"a record with another address", func(_ *tables, list []function) { list[7].field(0).set(1) }, "function 7 "},
		{"a line", func(_ *tables, list []function) { list[7].field(atLine).set(1) }, "function 7: its record has 1 at 24"},
		{"more tables", func(_ *tables, list []function) { list[7].field(atTables).set(9) }, "function 7 has 9 tables"},
		{"an endless place", func(_ *tables, list []function) { list[7].field(atName).set(noData - 1) }, "number 1 of function 7"},
		{"something at the end", func(tab *tables, _ []function) { tab.bytes(tab.funcs)[tab.funcs.end-tab.funcs.start-1] = 1 }, "follows the records"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, tab := stripped(t, module)
			test.change(tab, tab.recordsOf(t))
			if _, err := tab.fold(); err == nil || !strings.Contains(err.Error(), test.says) {
				t.Errorf("fold = %v; want an error with %q", err, test.says)
			}
		})
	}
}

func TestPackerExpectsWhatFollows(t *testing.T) {
	stackMap := func(maps, bits uint32, bitmaps string) string {
		return string(binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(nil, maps), bits)) + bitmaps
	}
	tests := []struct {
		name   string
		mode   byte
		table  string
		have   []uint32
		packed []uint32
	}{
		{"names", modeName, "\x00a\x00bc\x00d\x00", []uint32{1, 3, 1, 6, 0}, []uint32{1, 1, 3, 1, 0}},
		{"tables", modeTable, "\x00\x02\x05\x00\x80\x01\x81\x01\x02\x01\x00\x02\x01\x00", []uint32{1, 0, 4, 11, 4}, []uint32{1, 0, 1, 1, 6}},
		{
			"stack maps", modeMap, "...." + "...." + stackMap(2, 9, "abcd") + stackMap(3, 1, "abc.") + stackMap(1, 0, ""),
			[]uint32{8, noData, 20, 8, 32}, []uint32{1, 0, 1, 10, 1},
		},
		{"differences", modeDifference, "", []uint32{0, noData, 5, 5, 2, 1 << 31}, []uint32{1, 0, 11, 1, 6, 1<<32 - 3}},
		{"plain numbers", modePlain, "", []uint32{0, 8, 1 << 31}, []uint32{0, 10, 1<<31 + 2}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := packer{column: column{mode: test.mode}, next: test.have[0]}
			if test.table != "" {
				p.pool = newPool([]byte(test.table), 0)
			}
			for i, value := range test.have {
				if got, err := p.number(value); err != nil || got != test.packed[i] {
					t.Errorf("number %d, %d, is packed as %d, %v; want %d", i, value, got, err, test.packed[i])
				}
			}
		})
	}
}

func TestNumbersThatCannotBeFolded(t *testing.T) {
	far := packer{column: column{mode: modeDifference}}
	if got, err := far.number(1 << 31); err == nil {
		t.Errorf("the largest difference is packed as %d", got)
	}
	short := packer{column: column{mode: modeMap}, pool: newPool([]byte("1234567"), 0)}
	if got, err := short.number(0); err == nil {
		t.Errorf("half a stack map is packed as %d", got)
	}
	endless := packer{column: column{mode: modeTable}, pool: newPool([]byte("\x00\x02"), 0), next: 1}
	if got, err := endless.number(1); err == nil {
		t.Errorf("a table without an end is packed as %d", got)
	}
}

func TestRecordsLoseWhatIsNotThere(t *testing.T) {
	_, after := stripped(t, compileSelf(t))
	for i, f := range after.recordsOf(t) {
		if n := f.tables(); n > 0 && f.table(n-1).get() == 0 {
			t.Errorf("function %d has a last table that is not there", i)
		}
		if n := f.data(); n > 0 && f.dataAt(n-1).get() == noData {
			t.Errorf("function %d has a last reference to data that is not there", i)
		}
	}
}

func TestTheFunctionForTheStartNeedsItsPlace(t *testing.T) {
	sections := func(ids ...byte) []wasmfile.Section {
		content := map[byte]string{wasmfile.Type: "\x02\x60\x01\x7f\x01\x7f" + plainType, wasmfile.Import: "\x02..", wasmfile.Function: "\x03\x00\x00\x00", wasmfile.Code: "\x03..."}
		var list []wasmfile.Section
		for _, id := range ids {
			list = append(list, wasmfile.Section{ID: id, Content: []byte(content[id])})
		}
		return list
	}
	got, err := withStart(sections(1, 2, 3, 9, 10), []byte("body"))
	if err != nil {
		t.Fatal(err)
	}
	want := []wasmfile.Section{got[0], got[1], {ID: 3, Content: []byte("\x04\x00\x00\x00\x01")}, {ID: 8, Content: []byte("\x05")}, {ID: 9}, {ID: 10, Content: []byte("\x04...\x04body")}}
	if !bytes.Equal(wasmfile.Write(got), wasmfile.Write(want)) {
		t.Errorf("withStart = %q; want %q", got, want)
	}
	for _, ids := range [][]byte{{2, 3, 9, 10}, {1, 3, 10}, {1, 3, 9}, {1, 9, 10}, {1, 3, 8, 9, 10}} {
		if _, err := withStart(sections(ids...), nil); err == nil {
			t.Errorf("a module of the sections %d got a function", ids)
		}
	}
	none := sections(1, 3, 9, 10)
	none[0].Content = []byte("\x01\x60\x01\x7f\x00")
	if _, err := withStart(none, nil); err == nil {
		t.Error("a module without the type of the function got it")
	}
}
