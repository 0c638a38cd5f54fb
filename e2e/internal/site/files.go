package site

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const module = "github.com/pagewarden/pagewarden"

// Root returns the checkout that holds the working folder.
func Root() (string, error) {
	start, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("looking for the checkout: %w", err)
	}
	for at := start; ; at = filepath.Dir(at) {
		content, err := os.ReadFile(filepath.Join(at, "go.mod"))
		if err == nil && bytes.HasPrefix(content, []byte("module "+module+"\n")) {
			return at, nil
		}
		if at == filepath.Dir(at) {
			return "", fmt.Errorf("looking for the checkout: no go.mod of %s at %s or above", module, start)
		}
	}
}

// Dist returns the built runtime of the checkout at root, and its optional scripts. The error says how to build it.
func Dist(root string) (fs.FS, error) {
	return built(filepath.Join(root, "dist"), "run make build", "pagewarden-dialog.js", "pagewarden-webtools.js", "pagewarden-cursor.js", "pagewarden-inspector.js")
}

// Faults returns the build for the suites that break things: the runtime with exports that the shipped one lacks.
func Faults(root string) (fs.FS, error) {
	return built(filepath.Join(root, "dist", "faults"), "run go run ./tools/build -faults")
}

func built(dir, remedy string, more ...string) (fs.FS, error) {
	for _, name := range append([]string{"pagewarden.js", "pagewarden.mjs", "pagewarden.wasm"}, more...) {
		_, err := os.Stat(filepath.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("%s has no %s: %s", dir, name, remedy)
		}
		if err != nil {
			return nil, fmt.Errorf("looking for the built runtime: %w", err)
		}
	}
	return os.DirFS(dir), nil
}
