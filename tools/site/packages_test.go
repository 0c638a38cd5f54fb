package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/layout"
)

// documented is the page of a made-up package that consists of those files.
func documented(t *testing.T, files map[string]string) page {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, "wirename", name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	p, err := goPage(root, layout.Row{Path: "wirename"})
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestGoPage(t *testing.T) {
	p := documented(t, map[string]string{
		"a.go": `// Package wirename is <made up>. See [Thing.Do] and [registry.Registry].
package wirename

import "github.com/pagewarden/pagewarden/registry"

// Limit is a constant.
const Limit = 3

// Thing is a type.
type Thing[T any] struct {
	// Field has a comment.
	Field  string
	hidden registry.Registry
}

// Do does.
func (t *Thing[T]) Do(n int) { secret(n) }

// New makes one.
func New() *Thing[int] { return nil }

func secret(int) {}
`,
		"page_js.go":     "package wirename\n\n// InPage is of a page.\nfunc InPage() {}\n",
		"ignored.go":     "//go:build never\n\npackage wirename\n\nfunc Ignored() {}\n",
		"a_test.go":      "package wirename\n\nfunc InTest() {}\n",
		"windows_arm.go": "package wirename\n",
	})
	body := string(p.Body)
	for _, has := range []string{
		"&lt;made up&gt;", `href="#Thing.Do"`, `href="go-registry.html#Registry"`, `id="Thing"`, `id="Thing.Do"`, `id="New"`, `id="InPage"`, "Field has a comment", `id="constants"`,
		"contains filtered or unexported fields",
	} {
		if !strings.Contains(body, has) {
			t.Errorf("the page lacks %s:\n%s", has, body)
		}
	}
	for _, not := range []string{"secret", "hidden", "Ignored", "InTest"} {
		if strings.Contains(body, not) {
			t.Errorf("the page has %s", not)
		}
	}
	if p.output != "go-wirename.html" || len(p.Contents) != 3 {
		t.Errorf("it is %s, with the parts %+v", p.output, p.Contents)
	}
}

func TestGoPageOfBrokenGo(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "wirename")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte("package ("), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := goPage(root, layout.Row{Path: "wirename"}); err == nil {
		t.Error("a package that does not parse gives no error")
	}
}

func TestGoPackages(t *testing.T) {
	var paths []string
	for _, row := range goPackages() {
		paths = append(paths, row.Path)
	}
	text := " " + strings.Join(paths, " ") + " "
	for _, has := range []string{" registry ", " schema/infer ", " webmcp ", " adaptertest "} {
		if !strings.Contains(text, has) {
			t.Errorf("the packages lack%s", has)
		}
	}
	for _, not := range []string{" jsbridge ", " demo ", " wasm ", " contract/compiler ", " tools ", " cmd/pagewarden "} {
		if strings.Contains(text, not) {
			t.Errorf("the packages have%s", not)
		}
	}
	if output, ok := goPackagePage("schema/infer"); output != "go-schema-infer.html" || !ok {
		t.Errorf("schema/infer is at %q, %v", output, ok)
	}
	if _, ok := goPackagePage("schema/other"); ok {
		t.Error("a package that is not there has a page")
	}
}
