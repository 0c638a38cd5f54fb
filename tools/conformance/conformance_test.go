package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/conformance/rulebook"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

func checkout(t *testing.T) string {
	t.Helper()
	root, err := repo.Root(".")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func TestEveryRuleHasTestsThatExist(t *testing.T) {
	pages, err := rulebook.Load()
	if err != nil {
		t.Fatal(err)
	}
	if err := check(checkout(t), pages); err != nil {
		t.Error(err)
	}
	seen := map[string]string{}
	for _, p := range pages {
		if len(p.Rules) == 0 {
			t.Errorf("%s has no rules", p.Prefix)
		}
		for _, r := range p.Rules {
			if r.Text == "" || len(r.Tests) == 0 {
				t.Errorf("%s is empty", r.ID)
			}
			if other := seen[r.Text]; other != "" {
				t.Errorf("%s says what %s says", r.ID, other)
			}
			seen[r.Text] = r.ID
		}
	}
}

func TestDocumentIsUpToDate(t *testing.T) {
	pages, err := rulebook.Load()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(filepath.Join(checkout(t), document))
	if err != nil {
		t.Fatal(err)
	}
	if string(content) != render(pages) {
		t.Errorf("%s is not what the rules say: run `go run ./tools/conformance`", document)
	}
}

func TestRender(t *testing.T) {
	pages, err := rulebook.Parse("# MOD model\nMOD-1 | a, b | a.TestB/c, d, e2e/h.ExampleI\n")
	if err != nil {
		t.Fatal(err)
	}
	if text := render(pages); !strings.Contains(text, "## MOD: model\n") || !strings.Contains(text, "| MOD-1 | a, b | `a.TestB/c, d`, `e2e/h.ExampleI` |\n") {
		t.Errorf("the document is %s", text)
	}
}

func TestCheckFindsWhatIsMissing(t *testing.T) {
	root := t.TempDir()
	source := "package p\n\nimport \"testing\"\n\nfunc TestThere(t *testing.T) { t.Run(\"sub\", nil) }\n\nfunc helper() {}\n"
	if err := os.MkdirAll(filepath.Join(root, "p"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "p", "p_test.go"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	for test, want := range map[string]string{
		"p.TestThere": "", "p.TestThere/sub": "", "p.TestGone": "MOD-1: there is no TestGone in p",
		"p.TestThere/gone": `MOD-1: there is no subtest "gone" in p`, "q.TestThere": "there is no TestThere in q", "p.helper": "there is no helper in p",
	} {
		pages, err := rulebook.Parse("# MOD x\nMOD-1 | x | " + test)
		if err != nil {
			t.Fatal(err)
		}
		err = check(root, pages)
		if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
			t.Errorf("%s: got %v, want %q", test, err, want)
		}
	}
}

func TestRun(t *testing.T) {
	var out, errs strings.Builder
	if code := run([]string{"-x"}, &out, &errs); code != 2 {
		t.Errorf("wrong usage gives %d", code)
	}
	if code := run([]string{"-h"}, &out, &errs); code != 0 {
		t.Errorf("help gives %d", code)
	}
	if code := run([]string{"-root", t.TempDir()}, &out, &errs); code != 1 || !strings.Contains(errs.String(), "conformance: MOD-1: there is no") {
		t.Errorf("an empty folder gives %d: %s", code, errs.String())
	}
}
