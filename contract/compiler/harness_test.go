package compiler_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/contract/compiler"
)

// files are the sources of a project by path.
type files map[string]string

// project writes a project whose entry is main.ts, main.js or main.tsx, whichever there is.
func project(t testing.TB, sources files) compiler.Project {
	t.Helper()
	dir := t.TempDir()
	p := compiler.Project{Dir: dir}
	for name, content := range sources {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(name, "main.") {
			p.Entries = []string{name}
		}
	}
	link(t, p, sources)
	return p
}

// compiled compiles a project that must be readable.
func compiled(t testing.TB, sources files) *compiler.Result {
	t.Helper()
	result, err := compiler.Compile(t.Context(), compiler.Options{Project: project(t, sources)})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// entries compiles a project without problems, and gives its entries as JSON without what depends on where
// they are declared.
func entries(t testing.TB, sources files) []string {
	t.Helper()
	result := compiled(t, sources)
	if len(result.Problems) > 0 {
		t.Fatalf("problems:\n%s", lines(result.Problems))
	}
	var list []string
	for _, e := range result.Manifest.Capabilities {
		e.Declaration, e.Hash = "", ""
		text, err := json.Marshal(e)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, string(text))
	}
	return list
}

func lines(problems []compiler.Problem) string {
	var text strings.Builder
	for _, p := range problems {
		text.WriteString(p.String() + "\n")
	}
	return text.String()
}
