package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/tools/internal/compress"
	"github.com/pagewarden/pagewarden/tools/internal/golist"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
	"github.com/pagewarden/pagewarden/tools/internal/units"
	"github.com/pagewarden/pagewarden/tools/internal/wasmfile"
)

// mostPackages is how many the report lists.
const mostPackages = 40

// weight is the compiled code of one package.
type weight struct {
	path      string // as the linker writes it, with most signs as "_"
	functions int
	bytes     int
}

// reportParts prints what the shipped wasm consists of, and which packages its code is from.
func reportParts(ctx context.Context, root string, stdout io.Writer) error {
	module, err := os.ReadFile(filepath.Join(root, repo.DistDir, "pagewarden.wasm"))
	if err != nil {
		return fmt.Errorf("looking into the wasm (run `make build` first): %w", err)
	}
	if err := reportSections(module, stdout); err != nil {
		return err
	}
	named, err := compileNamed(ctx, root)
	if err != nil {
		return err
	}
	weights, err := weigh(named)
	if err != nil {
		return fmt.Errorf("weighing the packages: %w", err)
	}
	fmt.Fprintf(stdout, "%9s %10s  package\n", "code", "functions")
	for _, p := range weights[:min(mostPackages, len(weights))] {
		fmt.Fprintf(stdout, "%9s %10d  %s\n", units.Bytes(p.bytes), p.functions, p.path)
	}
	return nil
}

// reportSections compresses the two sections that matter by themselves; their sum is near the whole.
func reportSections(module []byte, stdout io.Writer) error {
	sections, err := wasmfile.Read(module)
	if err != nil {
		return fmt.Errorf("looking into the wasm: %w", err)
	}
	for _, s := range sections {
		name, ok := map[byte]string{wasmfile.Code: "code", wasmfile.Data: "data"}[s.ID]
		if !ok {
			continue
		}
		small, err := compress.Brotli(s.Content)
		if err != nil {
			return err
		}
		fmt.Fprintf(stdout, "%s section: %s, %s brotli\n", name, units.Bytes(len(s.Content)), units.Bytes(len(small)))
	}
	_, err = fmt.Fprintln(stdout)
	return err
}

// compileNamed builds the wasm once more with the names of its functions, which the shipped one lacks.
func compileNamed(ctx context.Context, root string) ([]byte, error) {
	dir, err := os.MkdirTemp("", "pagewarden-size-")
	if err != nil {
		return nil, fmt.Errorf("making a folder to compile in: %w", err)
	}
	defer os.RemoveAll(dir)
	target := filepath.Join(dir, "named.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-modfile="+repo.TrimmedModFile, "-trimpath", "-o", target, "./wasm")
	cmd.Dir = root
	cmd.Env = golist.Env(true)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling with names: %w\n%s", err, out)
	}
	return os.ReadFile(target)
}

// weigh adds up the code of each package, the heaviest first.
func weigh(module []byte) ([]weight, error) {
	sections, err := wasmfile.Read(module)
	if err != nil {
		return nil, err
	}
	var names map[uint64]string
	var sizes []int
	imported := uint64(0)
	for _, s := range sections {
		in := &wasmfile.Input{Rest: s.Content}
		switch s.ID {
		case wasmfile.Import:
			imported = countFunctions(in)
		case wasmfile.Code:
			for n := in.Unsigned(); n > 0 && in.Err == nil; n-- {
				sizes = append(sizes, len(in.Vector()))
			}
		case wasmfile.Custom:
			if string(in.Vector()) == "name" {
				names = readNames(in)
			}
		}
		if in.Err != nil {
			return nil, in.Err
		}
	}
	if names == nil {
		return nil, errors.New("it has no names")
	}
	return sum(sizes, imported, names), nil
}

func sum(sizes []int, imported uint64, names map[uint64]string) []weight {
	byPath := map[string]weight{}
	for i, size := range sizes {
		path := packageOf(names[imported+uint64(i)])
		w := byPath[path]
		byPath[path] = weight{path, w.functions + 1, w.bytes + size}
	}
	return slices.SortedFunc(maps.Values(byPath), func(a, b weight) int {
		return cmp.Or(cmp.Compare(b.bytes, a.bytes), cmp.Compare(a.path, b.path))
	})
}

// countFunctions reads an import section in which everything is a function, as Go's linker writes it.
func countFunctions(in *wasmfile.Input) uint64 {
	count := in.Unsigned()
	for range min(count, uint64(len(in.Rest))) {
		in.Vector()
		in.Vector()
		if in.Byte() != 0 {
			in.Fail(errors.New("something other than a function is imported"))
		}
		in.Unsigned()
	}
	return count
}

// readNames reads the names of functions from a name section.
func readNames(in *wasmfile.Input) map[uint64]string {
	const ofFunctions = 1
	names := map[uint64]string{}
	for len(in.Rest) > 0 {
		id := in.Byte()
		part := &wasmfile.Input{Rest: in.Vector()}
		if id != ofFunctions {
			continue
		}
		for n := part.Unsigned(); n > 0 && part.Err == nil; n-- {
			index := part.Unsigned()
			names[index] = string(part.Vector())
		}
		if part.Err != nil {
			in.Fail(part.Err)
		}
	}
	return names
}

// packageOf is the part of a function's name before the first dot that is not in the name of a host.
func packageOf(name string) string {
	host := ""
	for _, prefix := range []string{"github.com_", "golang.org_"} {
		if strings.HasPrefix(name, prefix) {
			host = prefix
		}
	}
	path, _, _ := strings.Cut(name[len(host):], ".")
	return host + path
}
