package wasmpack_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/wasmpack"
)

// program is testdata/program as the linker leaves it.
var program = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "wasmpack-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	target := filepath.Join(dir, "program.wasm")
	cmd := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", target, "./testdata/program")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return out, err
	}
	return os.ReadFile(target)
})

func compiled(t *testing.T) []byte {
	t.Helper()
	module, err := program()
	if err != nil {
		t.Fatalf("compiling the program: %v\n%s", err, module)
	}
	return module
}

func packed(t *testing.T, module []byte, o wasmpack.Options) []byte {
	t.Helper()
	small, err := wasmpack.Pack(module, o)
	if err != nil {
		t.Fatal(err)
	}
	return small
}

// runs gives what a program writes in Node, with Go's own loader.
func runs(t *testing.T, module []byte, args ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "program.wasm")
	if err := os.WriteFile(path, module, 0o644); err != nil {
		t.Fatal(err)
	}
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	loader := filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec_node.js")
	out, err := exec.CommandContext(t.Context(), "node", append([]string{loader, path}, args...)...).CombinedOutput()
	if err != nil && len(args) == 0 {
		t.Fatalf("running the program: %v\n%s", err, out)
	}
	return string(out)
}

// goodRun ends with two goroutines: the program's and the one that waits for events of the page.
const goodRun = `through a wrapper
inlined into a wrapper: still there
one call too deep: still there
assignment to entry in nil map
20001 4950 2
`

func TestAPackedProgramDoesTheSame(t *testing.T) {
	module := compiled(t)
	for name, variant := range map[string][]byte{
		"as compiled": module,
		"with lines":  packed(t, module, wasmpack.Options{Lines: true}),
		"stripped":    packed(t, module, wasmpack.Options{}),
	} {
		if got := runs(t, variant); got != goodRun {
			t.Errorf("%s, the program says\n%s\nwant\n%s", name, got, goodRun)
		}
	}
}

func TestTracesKeepNamesAndLoseLines(t *testing.T) {
	module := compiled(t)
	line := regexp.MustCompile(`main\.go:\d+`)
	for _, lines := range []bool{true, false} {
		trace := runs(t, packed(t, module, wasmpack.Options{Lines: lines}), "panic")
		for _, want := range []string{"panic: xx", "main.fail", "main.outer", "main.main"} {
			if !strings.Contains(trace, want) {
				t.Errorf("with lines %v, the trace lacks %q:\n%s", lines, want, trace)
			}
		}
		if named := line.MatchString(trace) && strings.Contains(trace, "main.inlined"); named != lines {
			t.Errorf("with lines %v, the trace has lines and inlined functions: %v\n%s", lines, named, trace)
		}
	}
}

func TestPackingIsRepeatable(t *testing.T) {
	module := compiled(t)
	before := bytes.Clone(module)
	first, second := packed(t, module, wasmpack.Options{}), packed(t, module, wasmpack.Options{})
	if !bytes.Equal(first, second) {
		t.Error("two runs differ")
	}
	if !bytes.Equal(module, before) {
		t.Error("packing changed the module that it was given")
	}
	again := packed(t, first, wasmpack.Options{Lines: true})
	if !bytes.Equal(again, first) {
		t.Error("packing what is packed changed it")
	}
}

func TestDamagedModulesAreRefused(t *testing.T) {
	module := compiled(t)
	for _, length := range []int{0, 4, 8 + 3, 1000, len(module) / 2, len(module) - 100} {
		if _, err := wasmpack.Pack(module[:length], wasmpack.Options{}); err == nil && length != 8 {
			t.Errorf("the first %d bytes were packed", length)
		}
	}
}

// The layout of the tables is that of one release; another needs a look at what changed in it.
func TestTheReleaseThatBuildsIsKnown(t *testing.T) {
	if !wasmpack.KnowsTables(runtime.Version()) {
		t.Errorf("%s is not known: the tables for stack traces stay in the wasm; compare runtime/symtab.go, "+
			"runtime/runtime2.go and internal/abi/symtab.go with what this package reads", runtime.Version())
	}
	for version, want := range map[string]bool{"go1.26": true, "go1.26.8": true, "go1.27.0": false, "go1.260": false, "go1.2": false, "": false} {
		if got := wasmpack.KnowsTables(version); got != want {
			t.Errorf("KnowsTables(%q) = %v; want %v", version, got, want)
		}
	}
}
