package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/pagewarden/pagewarden/tools/internal/golist"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
	"github.com/pagewarden/pagewarden/tools/internal/units"
)

const (
	wasmName   = "pagewarden.wasm"
	brotliName = wasmName + ".br"
)

// stamp remembers what the wasm in the output folder was built from.
type stamp struct {
	ID     string `json:"id"`     // the build id
	Digest string `json:"digest"` // SHA-256 of the wasm, in hexadecimal
}

// wasm builds the program for a page, unless the one there has the same id and nobody touched it.
func (b *builder) wasm(ctx context.Context, id string) (string, error) {
	target := b.output(wasmName)
	if content, err := os.ReadFile(target); err == nil && b.readStamp() == (stamp{id, digest(content)}) {
		return units.Bytes(len(content)) + ", up to date", nil
	}
	// A compressed copy of an older build must not outlive it, or a server would hand out the pair mixed.
	if err := os.Remove(b.output(brotliName)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", fmt.Errorf("removing the old compressed copy: %w", err)
	}
	content, err := b.compile(ctx)
	if err != nil {
		return "", err
	}
	content, note, err := b.pack(ctx, content)
	if err != nil {
		return "", err
	}
	content = withID(content, id)
	changed, err := repo.Write(target, content)
	if err != nil {
		return "", err
	}
	if err := b.writeStamp(stamp{id, digest(content)}); err != nil {
		return "", err
	}
	return units.Bytes(len(content)) + note + changedText(changed), nil
}

// compile runs the Go compiler and returns the program.
func (b *builder) compile(ctx context.Context) ([]byte, error) {
	dir, err := os.MkdirTemp("", "pagewarden-build-")
	if err != nil {
		return nil, fmt.Errorf("making a folder to compile in: %w", err)
	}
	defer os.RemoveAll(dir)
	modFile, err := b.trim(ctx)
	if err != nil {
		return nil, fmt.Errorf("trimming modules: %w", err)
	}
	target := filepath.Join(dir, wasmName)
	cmd := exec.CommandContext(ctx, "go", b.goArgs(target, modFile)...)
	cmd.Dir = b.root
	cmd.Env = golist.Env(true)
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("compiling %s: %w\n%s", wasmPackage, err, bytes.TrimSpace(out))
	}
	return os.ReadFile(target)
}

// goArgs is the command line of the compiler. Paths and version control stay out of the program, so that the same
// inputs give the same bytes on every machine.
func (b *builder) goArgs(target, modFile string) []string {
	args := []string{"build", "-trimpath", "-buildvcs=false", "-tags=" + b.tags}
	if modFile != "" {
		args = append(args, "-modfile="+modFile)
	}
	return append(args, "-ldflags=-s -w", "-o", target, wasmPackage)
}

// brotli puts the compressed copy beside the wasm. Compressing takes long, so results are kept under the content's
// digest.
func (b *builder) brotli() (string, error) {
	content, err := os.ReadFile(b.output(wasmName))
	if err != nil {
		return "", fmt.Errorf("reading the wasm: %w", err)
	}
	kept := b.cached("brotli", digest(content)+".br")
	small, err := os.ReadFile(kept)
	note := ", from the cache"
	if err != nil && b.quick {
		return "left out", os.RemoveAll(b.output(brotliName))
	}
	if err != nil {
		note = ""
		if small, err = b.compressInto(kept, content); err != nil {
			return "", err
		}
	}
	if _, err := repo.Write(b.output(brotliName), small); err != nil {
		return "", err
	}
	return units.Bytes(len(small)) + note, nil
}

func (b *builder) stampPath() string {
	return b.cached("build", filepath.Base(b.dir)+".json")
}

// readStamp returns the zero stamp, which fits no build, if there is none to read.
func (b *builder) readStamp() stamp {
	var s stamp
	content, err := os.ReadFile(b.stampPath())
	if err != nil || json.Unmarshal(content, &s) != nil {
		return stamp{}
	}
	return s
}

func (b *builder) writeStamp(s stamp) error {
	content, err := json.Marshal(s)
	if err != nil {
		return fmt.Errorf("writing the build's stamp: %w", err)
	}
	_, err = repo.Write(b.stampPath(), content)
	return err
}

func digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
