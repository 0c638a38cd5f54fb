package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/conformance/rulebook"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// TestMutantsFitTheCode fails when a fault no longer fits the line that it breaks, which is cheap to see.
func TestMutantsFitTheCode(t *testing.T) {
	root, err := repo.Root(".")
	if err != nil {
		t.Fatal(err)
	}
	mutants, err := load(root, "")
	if err != nil {
		t.Fatal(err)
	}
	pages, err := rulebook.Load()
	if err != nil {
		t.Fatal(err)
	}
	if err := checkAll(root, mutants, pages); err != nil {
		t.Error(err)
	}
	if len(mutants) < 60 {
		t.Errorf("there are %d mutants, want at least 60", len(mutants))
	}
	groups := map[string]int{}
	for _, m := range mutants {
		prefix, _, _ := strings.Cut(m.rule, "-")
		groups[prefix]++
		if m.name == "" || m.before == m.after {
			t.Errorf("%s is no fault", m.where)
		}
	}
	for _, p := range pages {
		if groups[p.Prefix] == 0 && inGo(p) {
			t.Errorf("no mutant breaks a rule of %s", p.Prefix)
		}
	}
}

// inGo reports whether a test of the code itself holds a rule of the page. What only end-to-end tests hold is a
// script, which cannot be overlaid.
func inGo(p rulebook.Page) bool {
	for _, rule := range p.Rules {
		for _, test := range rule.Tests {
			if !strings.HasPrefix(test.Folder, "e2e") {
				return true
			}
		}
	}
	return false
}

const source = "package p\n\nfunc f() int {\n\tx := 1\n\tx++\n\tif x > 1 {\n\t\tx++\n\t}\n\treturn x\n}\n"

// project is a module of one package with the given test, and one mutant.
func project(t *testing.T, test, fault string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module example.com/p\n\ngo 1.26\n", "p/p.go": source, "testdata/mutants/a.txt": fault,
		"p/p_test.go": "package p\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\n" +
			"func TestF(t *testing.T) { if os.Getenv(\"RAPID_NOFAILFILE\") == \"\" || " + test + " { t.Fatal(\"wrong\") } }\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func faultOf(before, after, under string) string {
	return "; a remark\nname: n\nrule: X-1\nfile: p/p.go\nbefore: " + before + "\nafter: " + after + "\nunder: " + under + "\ntest: p.TestF\n"
}

func TestTry(t *testing.T) {
	for name, test := range map[string]struct{ check, fault, want string }{
		"noticed":            {"f() != 3", faultOf("x := 1", "x := 5", ""), ""},
		"survived":           {"f() < 0", faultOf("x := 1", "x := 5", ""), "X-1 n (a.txt:2): it SURVIVED p.TestF"},
		"does not compile":   {"f() != 3", faultOf("x := 1", "x := \"\"", ""), "it does not compile"},
		"fails without":      {"f() == 3", faultOf("x := 1", "x := 5", ""), "testing p without a fault"},
		"below another line": {"f() != 3", faultOf("x++", "", "if x > 1 {"), ""},
	} {
		t.Run(name, func(t *testing.T) {
			root := project(t, test.check, test.fault)
			mutants, err := load(root, "X-1")
			if err != nil {
				t.Fatal(err)
			}
			if err := checkAll(root, mutants, rules(t)); err != nil {
				t.Fatal(err)
			}
			var out strings.Builder
			err = tryAll(context.Background(), root, mutants, 2, &out)
			if test.want == "" && (err != nil || out.String() != "all 1 faults were noticed\n") {
				t.Errorf("got %v and %q", err, out.String())
			}
			if test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if text, _ := os.ReadFile(filepath.Join(root, "p", "p.go")); string(text) != source {
				t.Error("the tree was touched")
			}
		})
	}
}

func rules(t *testing.T) []rulebook.Page {
	t.Helper()
	pages, err := rulebook.Parse("# X x\nX-1 | r | p.TestF\nX-2 | s | p.TestG\n")
	if err != nil {
		t.Fatal(err)
	}
	return pages
}

func TestMutantsThatDoNotFit(t *testing.T) {
	for name, test := range map[string]struct{ fault, want string }{
		"no such line":   {faultOf("y := 1", "", ""), "p/p.go has no such line: y := 1"},
		"twice":          {faultOf("x++", "", ""), "more than once"},
		"no such file":   {strings.Replace(faultOf("x := 1", "", ""), "p/p.go", "q.go", 1), "q.go"},
		"another's test": {strings.Replace(faultOf("x := 1", "", ""), "X-1", "X-2", 1), "p.TestF is not in the row of X-2"},
	} {
		root := project(t, "f() != 3", test.fault)
		mutants, err := load(root, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := checkAll(root, mutants, rules(t)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
	if _, err := parse("a.txt", "name: n\ncolour: red"); err == nil || !strings.Contains(err.Error(), `reading a.txt:2: "colour" is not a key`) {
		t.Errorf("an unknown key: %v", err)
	}
	if _, err := load(t.TempDir(), "x"); err == nil {
		t.Error("no mutants is no error")
	}
}

func TestPatternOfASubtest(t *testing.T) {
	test, err := rulebook.ParseTest("p.TestF/a b (c)")
	if err != nil {
		t.Fatal(err)
	}
	if got := (&mutant{test: test}).pattern(); got != `^TestF$/^a_b_\(c\)$` {
		t.Errorf("got %s", got)
	}
}

func TestRun(t *testing.T) {
	var out, errs strings.Builder
	if code := run(context.Background(), []string{"-x"}, &out, &errs); code != 2 {
		t.Errorf("wrong usage gives %d", code)
	}
	if code := run(context.Background(), []string{"-h"}, &out, &errs); code != 0 {
		t.Errorf("help gives %d", code)
	}
	if code := run(context.Background(), []string{"-only", "no such fault"}, &out, &errs); code != 1 || !strings.Contains(errs.String(), "mutate: no mutant has") {
		t.Errorf("an unknown fault gives %d: %s", code, errs.String())
	}
}
