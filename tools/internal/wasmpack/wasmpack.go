// Package wasmpack rewrites a WebAssembly module that the Go linker made so that it is smaller when compressed, starts
// sooner and runs faster.
//
//   - The linker splits the data wherever nine zeros follow each other, into some eighty thousand segments of a few
//     dozen bytes; here they become a handful.
//   - The tables that only serve stack traces go: which line and file an instruction is from, and which functions
//     were inlined into which. A trace still names the functions that were called, with "?:0" for their place. What
//     the runtime needs to run stays: stack maps, frame sizes, deferred calls, and whatever recover looks at.
//   - Of the tables that stay, most numbers follow from others. They are left out, and a small function that runs when
//     the module is instantiated fills them in.
//   - The compiler leads every jump within a function through a table at its start; here those that go forward do so at
//     once. Marks for debuggers go.
//
// The second and the third part depend on how one release of Go lays out its tables, so this package checks what it
// reads and fails on anything that it does not know; see KnowsTables.
package wasmpack

import (
	"fmt"
	"strings"

	"github.com/pagewarden/pagewarden/tools/internal/wasmfile"
)

// Version changes with every change of what Pack does, for whoever remembers what was packed.
const Version = "3"

// Options says what to leave out.
type Options struct {
	// Lines keeps the tables for stack traces.
	Lines bool
}

// KnowsTables reports whether the tables of a release, as `go env GOVERSION` names it, are laid out as this package
// expects. For any other, Options.Lines must be set.
func KnowsTables(goVersion string) bool {
	return goVersion == "go1.26" || strings.HasPrefix(goVersion, "go1.26.")
}

// Pack returns the module with its code and its data rewritten. Equal modules give equal results. It is an error if the
// module is not one of the Go linker's, or if its tables are laid out in an unknown way.
func Pack(module []byte, o Options) ([]byte, error) {
	sections, err := wasmfile.Read(module)
	if err != nil {
		return nil, fmt.Errorf("packing the wasm: %w", err)
	}
	if code := find(sections, wasmfile.Code); code != nil {
		if code.Content, err = directJumps(code.Content); err != nil {
			return nil, fmt.Errorf("packing the wasm: %w", err)
		}
	}
	data := find(sections, wasmfile.Data)
	if data == nil {
		return wasmfile.Write(sections), nil
	}
	content, unfold, err := packData(data.Content, o)
	if err != nil {
		return nil, fmt.Errorf("packing the wasm: %w", err)
	}
	data.Content = content
	if unfold != nil {
		if sections, err = withStart(sections, unfold); err != nil {
			return nil, fmt.Errorf("packing the wasm: %w", err)
		}
	}
	return wasmfile.Write(sections), nil
}

// packData returns the new data section, and the function that fills in what it lacks, if anything.
func packData(content []byte, o Options) (packed, unfold []byte, err error) {
	m, err := readData(content)
	if err != nil {
		return nil, nil, err
	}
	if o.Lines {
		return m.write(), nil, nil
	}
	t, err := findTables(m)
	if err != nil {
		return nil, nil, err
	}
	if err := t.strip(); err != nil {
		return nil, nil, err
	}
	if unfold, err = t.fold(); err != nil {
		return nil, nil, err
	}
	return m.write(), unfold, nil
}
