package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// TestDocumentSaysWhatIsMeasured fails when the tools have come to take another part of a model's context.
func TestDocumentSaysWhatIsMeasured(t *testing.T) {
	root, err := repo.Root(".")
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(root, document))
	if err != nil {
		t.Fatal(err)
	}
	text, err := table()
	if err != nil {
		t.Fatal(err)
	}
	want, err := withBlock(string(content), text)
	if err != nil {
		t.Fatal(err)
	}
	if want != string(content) {
		t.Errorf("%s has another table; run `go run ./tools/toolsizes -write`. Now it is:\n%s", document, text)
	}
}

// TestApplicationsHaveTheirSize: the sizes are of as many capabilities as the table says, and no schema or text is the
// same everywhere.
func TestApplicationsHaveTheirSize(t *testing.T) {
	for _, count := range sizes() {
		m, err := measure(count)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Count(m.direct, `{"name":"`); got != count {
			t.Errorf("%d tools for %d capabilities", got, count)
		}
		if got := strings.Count(m.everything, `"capabilityId"`) + strings.Count(m.everything, `"procedureId"`); got != count {
			t.Errorf("%d capabilities are discovered of %d", got, count)
		}
		if len(m.area) >= len(m.everything) || strings.Contains(m.area, "customers.table") {
			t.Errorf("one area is discovered as %s", m.area)
		}
		if got := strings.Count(m.meta, `{"name":"`); got != 3 {
			t.Errorf("%d tools in meta mode", got)
		}
	}
}

func TestSize(t *testing.T) {
	for text, want := range map[string]string{
		"":                         "0 bytes, 0 tokens",
		"abcde":                    "5 bytes, 2 tokens",
		"····":                     "8 bytes, 1 tokens",
		strings.Repeat("x", 12345): "12,345 bytes, 3,087 tokens",
	} {
		if got := size(text); got != want {
			t.Errorf("the size of %d characters is %q, want %q", len(text), got, want)
		}
	}
}

func TestRun(t *testing.T) {
	root := t.TempDir()
	path := filepath.Join(root, document)
	if _, err := repo.Write(path, []byte("before\n"+blockStart+"old\n"+blockEnd+"after\n")); err != nil {
		t.Fatal(err)
	}
	var out, problems bytes.Buffer
	if code := run([]string{"-write", "-root", root}, &out, &problems); code != 0 {
		t.Fatalf("exit code %d: %s", code, &problems)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if want := "before\n" + blockStart + "\n" + out.String() + "\n" + blockEnd + "after\n"; string(content) != want {
		t.Errorf("the document is\n%s", content)
	}
	for _, tt := range []struct {
		args []string
		code int
	}{{[]string{"-h"}, 0}, {[]string{"-nonsense"}, 2}, {[]string{"-write", "-root", t.TempDir()}, 1}} {
		if code := run(tt.args, &out, &problems); code != tt.code {
			t.Errorf("run(%q) = %d, want %d", tt.args, code, tt.code)
		}
	}
	if _, err := repo.Write(path, []byte("no marks\n")); err != nil {
		t.Fatal(err)
	}
	if code := run([]string{"-write", "-root", root}, &out, &problems); code != 1 || !strings.Contains(problems.String(), "it lacks the lines") {
		t.Errorf("a document without marks: %d, %s", code, &problems)
	}
}
