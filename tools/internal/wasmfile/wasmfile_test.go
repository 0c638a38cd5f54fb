package wasmfile_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/wasmfile"
)

func TestSectionsComeBack(t *testing.T) {
	sections := []wasmfile.Section{{ID: 1, Content: []byte("types")}, {ID: wasmfile.Custom}, {ID: wasmfile.Code, Content: make([]byte, 300)}}
	module := wasmfile.Write(sections)
	got, err := wasmfile.Read(module)
	if err != nil || len(got) != len(sections) {
		t.Fatalf("Read = %v, %v", got, err)
	}
	for i, s := range got {
		if s.ID != sections[i].ID || !bytes.Equal(s.Content, sections[i].Content) {
			t.Errorf("section %d is %v", i, s)
		}
	}
	if again := wasmfile.Write(got); !bytes.Equal(again, module) {
		t.Error("writing what was read gives another module")
	}
	for cut := 1; cut < len(module)-8; cut += 7 {
		if short, err := wasmfile.Read(module[:len(module)-cut]); err == nil && len(short) == len(sections) {
			t.Errorf("a module without its last %d bytes was read", cut)
		}
	}
}

func TestOtherFilesAreRefused(t *testing.T) {
	for module, says := range map[string]string{
		"":                                 "not a WebAssembly module",
		"PK\x03\x04.......":                "not a WebAssembly module",
		"\x00asm\x02\x00\x00\x00":          "version 1",
		"\x00asm\x01\x00\x00\x00\x01\x05a": "middle of something",
		"\x00asm\x01\x00\x00\x00\x01":      "middle of something",
	} {
		if _, err := wasmfile.Read([]byte(module)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("Read(%q) = %v; want an error with %q", module, err, says)
		}
	}
}

func TestSignedNumbers(t *testing.T) {
	for _, n := range []int32{0, 1, -1, 63, 64, -64, -65, 8191, 8192, 1 << 20, -1 << 20, 1<<31 - 1, -1 << 31} {
		in := &wasmfile.Input{Rest: wasmfile.AppendSigned(nil, n)}
		if got := in.Signed(); got != n || in.Err != nil || len(in.Rest) > 0 {
			t.Errorf("%d comes back as %d, %v, with %d bytes left", n, got, in.Err, len(in.Rest))
		}
	}
	long := &wasmfile.Input{Rest: []byte("\xff\xff\xff\xff\xff\x01")}
	if long.Signed(); long.Err == nil {
		t.Error("a number of more than 32 bits was read")
	}
}

func TestTheFirstFailureSticks(t *testing.T) {
	in := &wasmfile.Input{Rest: []byte("\x05ab")}
	if got := in.Vector(); got != nil || in.Err == nil {
		t.Fatalf("Vector = %q, %v", got, in.Err)
	}
	if b, n := in.Byte(), in.Unsigned(); b != 0 || n != 0 {
		t.Errorf("after a failure there are %d and %d", b, n)
	}
}
