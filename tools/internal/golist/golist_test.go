package golist_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/golist"
)

func module(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"go.mod":           "module example.com/m\n\ngo 1.26.0\n",
		"a/a.go":           "// Package a is first.\npackage a\n",
		"a/a_js.go":        "package a\n\nimport _ \"syscall/js\"\n",
		"a/a_test.go":      "package a\n",
		"b/b.go":           "// Package b uses a.\npackage b\n\nimport _ \"example.com/m/a\"\n",
		"testdata/skip.go": "package broken(",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestListNative(t *testing.T) {
	got, err := golist.List(t.Context(), golist.Query{Dir: module(t), Patterns: []string{"./..."}})
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != 2 || got[0].ImportPath != "example.com/m/a" || got[1].ImportPath != "example.com/m/b" {
		t.Fatalf("List = %+v; want a and b", got)
	}
	a, b := got[0], got[1]
	if !a.Own() || !a.HasTests() || b.HasTests() || a.Doc == "" {
		t.Errorf("a: own %v, tests %v, doc %q; b: tests %v", a.Own(), a.HasTests(), a.Doc, b.HasTests())
	}
	if !slices.Equal(b.Imports, []string{"example.com/m/a"}) || len(a.Imports) != 0 {
		t.Errorf("imports of a %q, of b %q", a.Imports, b.Imports)
	}
}

func TestListForWASMSeesItsFiles(t *testing.T) {
	got, err := golist.List(t.Context(), golist.Query{
		Dir: module(t), WASM: true, Flags: []string{"-deps"}, Patterns: []string{"./b"},
	})
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{}
	for _, p := range got {
		own[p.ImportPath] = p.Own()
	}
	js, listed := own["syscall/js"]
	if !listed || js || !own["example.com/m/a"] {
		t.Errorf("own packages: %v; want syscall/js listed but foreign, a own", own)
	}
}

func TestListErrorCarriesTheReason(t *testing.T) {
	_, err := golist.List(t.Context(), golist.Query{Dir: module(t), Patterns: []string{"./missing"}})
	if err == nil || !strings.Contains(err.Error(), "listing ./missing") || !strings.Contains(err.Error(), "directory not found") {
		t.Errorf("List = %v; want the go command's own words", err)
	}
}
