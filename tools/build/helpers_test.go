package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/andybalholm/brotli"
)

// quick compresses to the same format as a real build in a hundredth of the time.
func quick(content []byte) ([]byte, error) {
	var out bytes.Buffer
	w := brotli.NewWriterLevel(&out, brotli.BestSpeed)
	if _, err := w.Write(content); err != nil {
		return nil, err
	}
	err := w.Close()
	return out.Bytes(), err
}

// build runs the program and returns what it printed.
func build(t *testing.T, root string, flags ...string) string {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if code := run(t.Context(), append([]string{"-root", root}, flags...), &stdout, &stderr, quick); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	return stdout.String()
}

func buildIDOf(t *testing.T, b *builder) string {
	t.Helper()
	id, _, err := b.buildID(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return id
}

// runWASM runs a program in Node with Go's own loader and returns what it wrote.
func runWASM(t *testing.T, path string) string {
	t.Helper()
	goroot, err := exec.CommandContext(t.Context(), "go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	loader := filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec_node.js")
	out, err := exec.CommandContext(t.Context(), "node", loader, path).CombinedOutput()
	if err != nil {
		t.Fatalf("running %s: %v\n%s", path, err, out)
	}
	return string(out)
}

func node(t *testing.T, program, arg string) string {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "node", "-e", program, arg).CombinedOutput()
	if err != nil {
		t.Fatalf("running node: %v\n%s", err, out)
	}
	return strings.TrimSpace(string(out))
}

func put(t *testing.T, root, name, content string) {
	t.Helper()
	path := filepath.Join(root, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, root, name string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

func modified(t *testing.T, root, name string) time.Time {
	t.Helper()
	info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return info.ModTime()
}
