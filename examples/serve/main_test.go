package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/contract/compiler"
)

const root = "../.."

// TestContractsAreOfTheSources: who changes a declaration runs pagewarden contract snapshot in the example's folder.
func TestContractsAreOfTheSources(t *testing.T) {
	for name := range pages() {
		project, err := compiler.FindProject(filepath.Join(root, "examples", name))
		if err != nil {
			t.Fatal(err)
		}
		result, err := compiler.Compile(t.Context(), compiler.Options{Project: project})
		if err != nil || len(result.Problems) > 0 {
			t.Fatalf("%s: %v, %v", name, result.Problems, err)
		}
		written, err := os.ReadFile(filepath.Join(root, "examples", name, filepath.FromSlash(compiler.ContractFile)))
		if err != nil || string(written) != string(result.Manifest.File()) {
			t.Errorf("%s: the contract is another (%v): run pagewarden contract snapshot there", name, err)
		}
	}
}

// checkout makes a folder with a page and what the build leaves.
func checkout(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range names {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("export const name = 1;\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAssemble(t *testing.T) {
	built := []string{"dist/pagewarden.js", "dist/pagewarden.mjs", "dist/pagewarden.wasm", "dist/pagewarden-dialog.js"}
	dir := checkout(t, append(built, "examples/vue-page/app.js", "examples/vue-page/index.html", "examples/vue-page/.pagewarden/contract.json")...)
	out := t.TempDir()
	if err := assemble(dir, "vue-page", out); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"app.js", "index.html", ".pagewarden/contract.json", "pagewarden.wasm"} {
		if _, err := os.Stat(filepath.Join(out, filepath.FromSlash(name))); err != nil {
			t.Error(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "examples", "vue-page", "app.js"), []byte(`import "no-such-package";`), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := assemble(dir, "vue-page", t.TempDir()); err == nil || !strings.Contains(err.Error(), "no-such-package") {
		t.Errorf("a package that is not there gives %v", err)
	}
	if err := assemble(t.TempDir(), "vue-page", t.TempDir()); err == nil || !strings.Contains(err.Error(), "make build") {
		t.Errorf("without a build: %v", err)
	}
}

func TestWrongArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{nil, 2, "PAGE is one of plain-page, react-page, vue-page"},
		{[]string{"svelte-page"}, 2, "PAGE is one of"},
		{[]string{"plain-page", "vue-page"}, 2, "PAGE is one of"},
		{[]string{"-what"}, 2, "-out"},
		{[]string{"-out", "x", "plain-page"}, 1, "make build"},
		{[]string{"-address", "127.0.0.1:0", "plain-page"}, 1, "make build"},
	} {
		var stdout, stderr strings.Builder
		if code := run(t.Context(), test.args, &stdout, &stderr); code != test.code || !strings.Contains(stderr.String(), test.says) {
			t.Errorf("%q: exit code %d, %q", test.args, code, stderr.String())
		}
	}
}
