package repo_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

func TestRootIsFoundFromBelow(t *testing.T) {
	root := t.TempDir()
	put(t, root, "go.mod", "// a comment\nmodule "+repo.Module+"\n")
	put(t, root, "tools/other/go.mod", "module "+repo.Module+"/tools/other\n")
	for _, from := range []string{".", "tools", "tools/other"} {
		got, err := repo.Root(filepath.Join(root, from))
		if err != nil || got != root {
			t.Errorf("Root from %s = %q, %v; want %q", from, got, err, root)
		}
	}
}

func TestRootOutsideACheckoutSaysSo(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "go.mod", "module example.com/other\n")
	_, err := repo.Root(dir)
	if err == nil || !strings.Contains(err.Error(), "inside a checkout") {
		t.Errorf("Root = %v; want advice", err)
	}
}

func TestAtTakesTheFolderThatIsGiven(t *testing.T) {
	root := t.TempDir()
	put(t, root, "go.mod", "module "+repo.Module+"\n")
	put(t, root, "tools/x", "")
	t.Chdir(filepath.Join(root, "tools"))
	for given, want := range map[string]string{"": root, "elsewhere": "elsewhere"} {
		if got, err := repo.At(given); err != nil || got != want {
			t.Errorf("At(%q) = %q, %v; want %q", given, got, err, want)
		}
	}
}

func TestFilesLeavesOutWhatMachinesMake(t *testing.T) {
	root := t.TempDir()
	for _, name := range []string{
		"b/z.go", "a.go", ".ci/run", ".git/config", ".cache/x", "dist/pagewarden.js",
		"tools/node/node_modules/p/index.js", "docs/dist/kept.md",
	} {
		put(t, root, name, "x")
	}
	got, err := repo.Files(root)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".ci/run", "a.go", "b/z.go", "docs/dist/kept.md"}
	if !slices.Equal(got, want) {
		t.Errorf("Files = %q; want %q", got, want)
	}
}

func TestWriteReportsChange(t *testing.T) {
	path := filepath.Join(t.TempDir(), "deep", "file")
	for _, step := range []struct {
		content string
		changed bool
	}{{"one", true}, {"one", false}, {"two", true}, {"", true}, {"", false}} {
		changed, err := repo.Write(path, []byte(step.content))
		if err != nil || changed != step.changed {
			t.Fatalf("Write(%q) = %v, %v; want %v", step.content, changed, err, step.changed)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != step.content {
			t.Fatalf("the file holds %q, %v; want %q", got, err, step.content)
		}
	}
}

func TestWriteLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "taken")
	put(t, dir, "taken/inside", "x")
	if _, err := repo.Write(target, []byte("x")); err == nil || !strings.Contains(err.Error(), "writing "+target) {
		t.Errorf("Write over a folder = %v; want an error that names the file", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("left %v, %v; want only the folder that was there", entries, err)
	}
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
