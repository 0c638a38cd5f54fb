package wasmpack

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/wasmfile"
)

// partsOf is the text of a function of three parts around what the second of them does. Local 0 has the number of the
// part; 4 and more are for the first.
func partsOf(second string) string {
	return `(local $part i32)
(local $x i32)
loop $parts
block $third
block $second
block $first
local.get $part
br_table $first $second $third $parts $first
end
i32.const 2
local.set $x
end
` + second + `
end
i32.const 4
local.set $x
end
`
}

func codeOf(t *testing.T, texts ...string) []byte {
	t.Helper()
	section := binary.AppendUvarint(nil, uint64(len(texts)))
	for _, text := range texts {
		entry, err := assemble(text, nil)
		if err != nil {
			t.Fatal(err)
		}
		section = wasmfile.AppendVector(section, entry)
	}
	return section
}

func TestJumpsForwardNeedNoTable(t *testing.T) {
	const jump = "i32.const 2\nlocal.set $part\nbr $parts"
	tests := []struct {
		name, have, want string
	}{
		{"forward", jump, "br $third"},
		{"from within a block", "block $in\n" + jump + "\nend", "block $in\nbr $third\nend"},
		{"on a condition", "local.get $x\nif $in\n" + jump + "\nend", "local.get $x\nbr_if $third"},
		{"on a condition with another way", "local.get $x\nif $in\n" + jump + "\nelse\n" + jump + "\nend",
			"local.get $x\nif $in\nbr $third\nelse\nbr $third\nend"},
		{"back", strings.Replace(jump, "const 2", "const 0", 1), ""},
		{"to itself", strings.Replace(jump, "const 2", "const 1", 1), ""},
		{"to all other numbers", strings.Replace(jump, "const 2", "const -1", 1), ""},
		{"to the table again", strings.Replace(jump, "const 2", "const 3", 1), ""},
		{"forward and back", jump + "\n" + strings.Replace(jump, "const 2", "const 0", 1),
			"br $third\n" + strings.Replace(jump, "const 2", "const 0", 1)},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if test.want == "" {
				test.want = test.have
			}
			got, err := directJumps(codeOf(t, partsOf(test.have), partsOf("")))
			if want := codeOf(t, partsOf(test.want), partsOf("")); err != nil || !bytes.Equal(got, want) {
				t.Errorf("directJumps = %x, %v; want %x", got, err, want)
			}
		})
	}
}

// What else leads to the table may rely on the number that a jump leaves behind.
func TestOtherWaysToTheTableKeepAllJumps(t *testing.T) {
	const jump = "i32.const 2\nlocal.set $part\nbr $parts\n"
	for name, text := range map[string]string{
		"a branch without a number":     partsOf(jump + "br $parts"),
		"a branch on a condition":       partsOf(jump + "i32.const 1\ni32.const 0\nlocal.set $part\nbr_if $parts"),
		"a number that is worked out":   partsOf(jump + "local.get $x\nlocal.set $part\nbr $parts"),
		"a number in another local":     partsOf(jump + "i32.const 2\nlocal.set $x\nbr $parts"),
		"another table":                 partsOf(jump + "local.get $x\nbr_table $third $parts"),
		"a number that is read":         partsOf(jump + "local.get $part\nlocal.set $x"),
		"a number that is set and read": partsOf(jump + "i32.const 1\nlocal.tee $part\nlocal.set $x"),
		"a table without a loop":        strings.Replace(partsOf(""), "loop $parts", "block $parts", 1),
		"a table of something else":     strings.Replace(partsOf(jump), "local.get $part", "local.get $x", 1),
		"no table":                      "(local $part i32)\nloop $parts\n" + jump + "end",
	} {
		t.Run(name, func(t *testing.T) {
			have := codeOf(t, text)
			if got, err := directJumps(have); err != nil || !bytes.Equal(got, have) {
				t.Errorf("directJumps = %x, %v; want %x", got, err, have)
			}
		})
	}
}

func TestMarksForDebuggersGo(t *testing.T) {
	have := []byte("\x01\x08\x00\x01\x41\x01\x01\x1a\x01\x0b") // one function: nop, i32.const 1, nop, drop, nop, end
	want := []byte("\x01\x05\x00\x41\x01\x1a\x0b")
	if got, err := directJumps(have); err != nil || !bytes.Equal(got, want) {
		t.Errorf("directJumps = %x, %v; want %x", got, err, want)
	}
}

// Every kind of operand is passed over as long as it is: what is read as an instruction would else be one that is not
// known, or a nop that goes.
func TestOperandsStay(t *testing.T) {
	for name, code := range map[string]string{
		"a call":                "\x10\x81\x01",
		"a call by a table":     "\x11\x81\x01\x01",
		"a load":                "\x28\x01\x81\x01",
		"a store":               "\x3e\x01\x81\x01",
		"the size of memory":    "\x3f\x01",
		"more memory":           "\x40\x01",
		"a number":              "\x41\x81\x01",
		"a long number":         "\x42\xff\x81\x80\x80\x80\x80\x80\x80\x80\x7f",
		"a short fraction":      "\x43\x01\x01\x01\x01",
		"a fraction":            "\x44\x01\x01\x01\x01\x01\x01\x01\x01",
		"a conversion":          "\xfc\x07",
		"a copy of memory":      "\xfc\x0a\x01\x01",
		"a fill of memory":      "\xfc\x0b\x01",
		"a global":              "\x23\x01\x24\x01",
		"a table of branches":   "\x0e\x01\x01\x01",
		"instructions on their": "\x00\x05\x0f\x1a\x1b\x45\xc4",
	} {
		t.Run(name, func(t *testing.T) {
			entry := []byte("\x01\x01\x7f" + code + "\x0b")
			have := wasmfile.AppendVector([]byte{1}, entry)
			if got, err := directJumps(have); err != nil || !bytes.Equal(got, have) {
				t.Errorf("directJumps = %x, %v; want %x", got, err, have)
			}
		})
	}
}

func TestCodeThatIsNotKnownIsRefused(t *testing.T) {
	for code, says := range map[string]string{
		"\x01\x03\x00\xfb\x0b":         "function 0: instruction 0xfb is not known",
		"\x01\x04\x00\xfc\x09\x0b":     "function 0: instruction 0xfc 9 is not known",
		"\x02\x02\x00\x0b\x02\x00\x44": "function 1: " + wasmfile.ErrShort.Error(),
		"\x01\x05\x00\x41":             "function 0: " + wasmfile.ErrShort.Error(),
		"\x01\x02\xff\x01":             "function 0: " + wasmfile.ErrShort.Error(),
		"\x01\x03\x00\x0e\xff":         "function 0: " + wasmfile.ErrShort.Error(),
		"":                             "the functions: " + wasmfile.ErrShort.Error(),
		"\x01\x02\x00\x0b\x00":         "the functions: there is more code",
	} {
		if _, err := directJumps([]byte(code)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("directJumps(%x) = %v; want an error with %q", code, err, says)
		}
	}
}

// The forms above are those of the compiler: in what it makes, nearly all that could be direct is.
func TestJumpsOfTheCompilerAreKnown(t *testing.T) {
	sections, err := wasmfile.Read(compileSelf(t))
	if err != nil {
		t.Fatal(err)
	}
	tables, known, jumps := 0, 0, 0
	in := &wasmfile.Input{Rest: find(sections, wasmfile.Code).Content}
	for range in.Unsigned() {
		_, steps, err := readSteps(in.Vector())
		if err != nil {
			t.Fatal(err)
		}
		table, ok := findJumpTable(steps)
		if !ok {
			continue
		}
		tables++
		if found, ok := table.jumps(steps); ok {
			known++
			jumps += len(found)
		}
	}
	if tables < 500 || known != tables || jumps < 5*known {
		t.Errorf("of %d functions with a table, %d have only jumps that are known, %d in all", tables, known, jumps)
	}
}

func FuzzDirectJumps(f *testing.F) {
	f.Add([]byte("\x01\x08\x00\x01\x41\x01\x01\x1a\x01\x0b"))
	f.Add([]byte("\x01\x03\x00\x0e\xff"))
	f.Fuzz(func(t *testing.T, section []byte) {
		once, err := directJumps(bytes.Clone(section))
		if err != nil {
			return
		}
		if again, err := directJumps(bytes.Clone(once)); err != nil || !bytes.Equal(again, once) {
			t.Errorf("a second time, %x becomes %x, %v", once, again, err)
		}
	})
}
