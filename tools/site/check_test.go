package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
	"github.com/pagewarden/pagewarden/tools/layout"
)

// checkout is the root and its texts.
func checkout(t *testing.T) (string, []document) {
	t.Helper()
	root, err := repo.Root(".")
	if err != nil {
		t.Fatal(err)
	}
	texts, err := documents(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(texts) < 20 {
		t.Fatalf("only %d texts were found", len(texts))
	}
	return root, texts
}

func report(t *testing.T, problems []layout.Problem) {
	t.Helper()
	slices.SortFunc(problems, func(a, b layout.Problem) int { return strings.Compare(a.String(), b.String()) })
	for _, p := range problems {
		t.Error(p)
	}
}

func TestLinksLeadSomewhere(t *testing.T) {
	root, texts := checkout(t)
	report(t, brokenLinks(root, texts))
}

func TestSnippetsAreRun(t *testing.T) {
	root, texts := checkout(t)
	report(t, unclaimed(root, texts, claims()))
}

func TestNavigationHasEveryPage(t *testing.T) {
	root, texts := checkout(t)
	report(t, notInNav(root, texts))
}

// TestIndexForModelsHasEveryPage: llms.txt leads to every page of docs/.
func TestIndexForModelsHasEveryPage(t *testing.T) {
	_, texts := checkout(t)
	index := texts[slices.IndexFunc(texts, func(d document) bool { return d.path == "llms.txt" })]
	for _, d := range texts {
		leads := slices.ContainsFunc(index.links(), func(l link) bool { return l.to == d.path })
		if strings.HasPrefix(d.path, "docs/") && !leads {
			t.Errorf("llms.txt does not lead to %s", d.path)
		}
	}
}

// TestCommandsOfTheTextsExist: what the texts tell a reader to type is there: targets of the Makefile, programs of the
// repository.
func TestCommandsOfTheTextsExist(t *testing.T) {
	root, texts := checkout(t)
	makefile, err := os.ReadFile(filepath.Join(root, "Makefile"))
	if err != nil {
		t.Fatal(err)
	}
	target := regexp.MustCompile("`(?:[A-Z]+=\\d )?make ([a-z-]+)`|(?m:^make ([a-z-]+))")
	program := regexp.MustCompile(`go run (\./[\w./-]*\w)`)
	commands := 0
	for _, d := range texts {
		for _, found := range target.FindAllSubmatch(d.source, -1) {
			commands++
			if name := string(found[1]) + string(found[2]); !regexp.MustCompile(`(?m)^` + name + `:`).Match(makefile) {
				t.Errorf("%s says make %s, which is no target", d.path, name)
			}
		}
		for _, found := range program.FindAllSubmatch(d.source, -1) {
			commands++
			if files, _ := filepath.Glob(filepath.Join(root, string(found[1]), "*.go")); len(files) == 0 {
				t.Errorf("%s says go run %s, which is no program", d.path, found[1])
			}
		}
	}
	if commands < 30 {
		t.Errorf("only %d commands were found", commands)
	}
}

// TestFilesOfTheTextsExist: a source that a text names in passing is there.
func TestFilesOfTheTextsExist(t *testing.T) {
	root, texts := checkout(t)
	file := regexp.MustCompile("`([\\w.-]+/[\\w./*-]*\\.(?:go|js|mjs|ts|md|css|html))`")
	named := 0
	for _, d := range texts {
		for _, found := range file.FindAllSubmatch(d.source, -1) {
			name := filepath.FromSlash(string(found[1]))
			top, _, _ := strings.Cut(string(found[1]), "/")
			if _, err := os.Stat(filepath.Join(root, top)); err != nil {
				continue // of somebody else's project
			}
			named++
			if files, _ := filepath.Glob(filepath.Join(root, name)); len(files) == 0 {
				t.Errorf("%s names %s, which is not there", d.path, name)
			}
		}
	}
	if named < 40 {
		t.Errorf("only %d names were found", named)
	}
}

// made is a checkout of a few files.
func made(t *testing.T, files map[string]string) (string, []document) {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	texts, err := documents(root)
	if err != nil {
		t.Fatal(err)
	}
	return root, texts
}

func TestBrokenLinksBite(t *testing.T) {
	root, texts := made(t, map[string]string{
		"a.md":        "# A `b`: c, d_e!\n\n## Twice\n\n## Twice\n\n[x](#a-b-c-d_e) [x](#twice-1) [x](docs/b.md#über-uns) [x](https://example.com/nothing) [x](code.go)\n",
		"docs/b.md":   "---\nname: b\n---\n\n# Über uns\n\n[x](../a.md) [x](../docs)\n",
		"code.go":     "package a\n",
		"bad.md":      "[x](missing.md)\n\n[x](a.md#twice-2) [x](#none)\n\n![x](docs/b.png) [x](code.go#L1) [x](/etc/passwd) [x](../elsewhere)\n",
		"llms.txt":    "[x](docs/c.md)\n",
		"docs/note.x": "[x](nothing.md)\n",
	})
	problems := brokenLinks(root, texts)
	var where []string
	for _, p := range problems {
		where = append(where, p.Where)
	}
	if got, want := strings.Join(where, " "), "bad.md:1 bad.md:3 bad.md:3 bad.md:5 bad.md:5 bad.md:5 bad.md:5 llms.txt:1"; got != want {
		t.Errorf("the findings are at %s; want %s\n%v", got, want, problems)
	}
}

func TestUnclaimedBites(t *testing.T) {
	root, texts := made(t, map[string]string{
		"a.md":      "```js\n1\n```\n\n- in a list\n\n  ```go\n  package a\n  ```\n\n```text\nno code\n```\n",
		"a_test.go": "func TestA",
	})
	for _, test := range []struct {
		name   string
		claims []claim
		says   []string
	}{
		{"none", nil, []string{"1 snippets in js (at lines 2), and tests claim to run 0", "1 snippets in go (at lines 8)"}},
		{"all", []claim{{"a.md", "js", 1, "a_test.go", "TestA"}, {"a.md", "go", 1, "a_test.go", "TestA"}}, nil},
		{"too many", []claim{{"a.md", "js", 2, "a_test.go", "TestA"}, {"a.md", "go", 1, "a_test.go", "TestA"}}, []string{"claim to run 2"}},
		{"of a text that is gone", []claim{{"a.md", "js", 1, "a_test.go", "TestA"}, {"a.md", "go", 1, "a_test.go", "TestA"}, {"b.md", "js", 1, "a_test.go", "TestA"}}, []string{"b.md: has 0"}},
		{"by tests that are not there", []claim{{"a.md", "js", 1, "b_test.go", "TestA"}, {"a.md", "go", 1, "a_test.go", "TestB"}}, []string{"b_test.go, which is not there", `"TestB" of a_test.go`}},
	} {
		problems := unclaimed(root, texts, test.claims)
		if len(problems) != len(test.says) {
			t.Errorf("%s: the findings are %v", test.name, problems)
		}
		for _, says := range test.says {
			if !slices.ContainsFunc(problems, func(p layout.Problem) bool { return strings.Contains(p.String(), says) }) {
				t.Errorf("%s: no finding says %q: %v", test.name, says, problems)
			}
		}
	}
}

func TestNotInNavBites(t *testing.T) {
	root, texts := made(t, map[string]string{"docs/new.md": "# New\n", "README.md": "# A\n"})
	problems := notInNav(root, texts)
	for _, says := range []string{"docs/new.md: is not in the navigation", "names docs/concepts.md, which is not there"} {
		if !slices.ContainsFunc(problems, func(p layout.Problem) bool { return strings.Contains(p.String(), says) }) {
			t.Errorf("no finding says %q: %v", says, problems)
		}
	}
}
