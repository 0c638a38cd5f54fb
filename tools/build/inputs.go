package main

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/tools/internal/golist"
	"github.com/pagewarden/pagewarden/tools/internal/wasmpack"
)

// wasmPackage is the program that the wasm is built from.
const wasmPackage = "./wasm"

// idLength is the length of a build id in hexadecimal digits: 128 bits, far more than builds can collide in.
const idLength = 32

// buildID hashes whatever decides the bytes of the wasm and its scripts, so that both carry the same id exactly when
// they were built from the same inputs. Other modules count through go.mod and go.sum.
func (b *builder) buildID(ctx context.Context) (id, note string, err error) {
	files, err := b.inputs(ctx)
	if err != nil {
		return "", "", err
	}
	goVersion, err := b.goVersion(ctx)
	if err != nil {
		return "", "", err
	}
	sum := sha256.New()
	fmt.Fprintf(sum, "go %q\nargs %q\nsection %q\nscripts %v\n", goVersion, b.goArgs("", trimDir), withID(nil, ""), scriptTable())
	hashTrim(sum)
	fmt.Fprintf(sum, "packed %s %+v\n", wasmpack.Version, b.packing(goVersion))
	for _, name := range files {
		if err := b.hashFile(sum, name); err != nil {
			return "", "", err
		}
	}
	id = hex.EncodeToString(sum.Sum(nil))[:idLength]
	return id, fmt.Sprintf("%s of %d files, %s", id, len(files), goVersion), nil
}

// inputs lists the files of the build relative to the root, slash-separated and sorted.
func (b *builder) inputs(ctx context.Context) ([]string, error) {
	files, err := b.goFiles(ctx)
	if err != nil {
		return nil, err
	}
	scripts, err := b.scriptFiles()
	if err != nil {
		return nil, err
	}
	files = append(files, scripts...)
	files = append(files, "go.mod", "go.sum")
	slices.Sort(files)
	return slices.Compact(files), nil
}

// goFiles lists the files of this module's packages that the wasm consists of.
func (b *builder) goFiles(ctx context.Context) ([]string, error) {
	packages, err := golist.List(ctx, golist.Query{
		Dir: b.root, WASM: true, Flags: []string{"-deps", "-tags=" + b.tags}, Patterns: []string{wasmPackage},
	})
	if err != nil {
		return nil, err
	}
	var files []string
	for _, p := range packages {
		if !p.Own() {
			continue
		}
		for _, name := range slices.Concat(p.GoFiles, p.SFiles, p.HFiles, p.SysoFiles, p.EmbedFiles) {
			rel, err := filepath.Rel(b.root, filepath.Join(p.Dir, name))
			if err != nil {
				return nil, fmt.Errorf("placing %s: %w", name, err)
			}
			files = append(files, filepath.ToSlash(rel))
		}
	}
	return files, nil
}

// goVersion asks the go command that will build, which need not be the one that built this program.
func (b *builder) goVersion(ctx context.Context) (string, error) {
	cmd := exec.CommandContext(ctx, "go", "env", "GOVERSION")
	cmd.Dir = b.root
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("asking for the Go version: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

// hashFile adds a file's name, length and content, each ended so that no two lists of files read the same.
func (b *builder) hashFile(sum hash.Hash, name string) error {
	content, err := os.ReadFile(filepath.Join(b.root, filepath.FromSlash(name)))
	if name == "go.sum" && errors.Is(err, fs.ErrNotExist) {
		return nil // a module without dependencies has none
	}
	if err != nil {
		return fmt.Errorf("hashing the inputs: %w", err)
	}
	fmt.Fprintf(sum, "file %q %d\n", name, len(content))
	sum.Write(content)
	return nil
}
