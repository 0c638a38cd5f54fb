// Package golist asks the go command which packages there are.
package golist

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
)

// Package is what the go command says of one package; see `go help list` for the fields.
type Package struct {
	ImportPath   string
	Dir          string
	Name         string
	Doc          string
	Standard     bool
	Export       string
	Module       *Module
	GoFiles      []string
	SFiles       []string
	HFiles       []string
	SysoFiles    []string
	EmbedFiles   []string
	TestGoFiles  []string
	XTestGoFiles []string
	Imports      []string
	Deps         []string
}

// Module is the module that a package is part of.
type Module struct {
	Path string
	Main bool
}

// Own reports whether the package is part of the module that is being worked on.
func (p Package) Own() bool { return p.Module != nil && p.Module.Main }

// HasTests reports whether the package has test files for the platform that was asked about.
func (p Package) HasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// Query says which packages to list, and for which platform.
type Query struct {
	Dir      string   // where the go command runs; the current folder if empty
	WASM     bool     // for GOOS=js GOARCH=wasm instead of the native platform
	Flags    []string // further flags, for example "-deps"
	Patterns []string // packages, as the go command takes them
}

// List runs `go list -json`. Packages come in the go command's order: dependencies first, with "-deps".
func List(ctx context.Context, q Query) ([]Package, error) {
	args := append([]string{"list", "-json"}, q.Flags...)
	cmd := exec.CommandContext(ctx, "go", append(args, q.Patterns...)...)
	cmd.Dir = q.Dir
	cmd.Env = Env(q.WASM)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("listing %s: %w\n%s", strings.Join(q.Patterns, " "), err, bytes.TrimSpace(stderr.Bytes()))
	}
	return decode(bytes.NewReader(out))
}

// decode reads the objects that the go command prints one after the other.
func decode(r io.Reader) ([]Package, error) {
	var packages []Package
	for d := json.NewDecoder(r); ; {
		var p Package
		if err := d.Decode(&p); errors.Is(err, io.EOF) {
			return packages, nil
		} else if err != nil {
			return nil, fmt.Errorf("reading the output of go list: %w", err)
		}
		packages = append(packages, p)
	}
}

// Env returns this process's environment, set to build for wasm in a page if wasm is true.
func Env(wasm bool) []string {
	if !wasm {
		return os.Environ()
	}
	return append(os.Environ(), "GOOS=js", "GOARCH=wasm")
}
