package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/golist"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// tested runs `go test` on a made-up module with one package whose test file has the given body, and returns the
// counts, what was printed and the error.
func tested(t *testing.T, body string) (tally, string, error) {
	t.Helper()
	root := t.TempDir()
	put(t, root, "go.mod", "module example.com/m\n\ngo 1.26.0\n")
	put(t, root, "a/a_test.go", "package a\n\nimport (\"testing\"; \"os\")\n\nvar _, _ = os.Exit, testing.Short\n\n"+body)
	var out bytes.Buffer
	s := &suite{root: root, out: &shared{to: &out}}
	counts, err := s.goTest(t.Context(), nil, "./...")
	return counts, out.String(), err
}

func TestGoTest(t *testing.T) {
	tests := []struct {
		name, body string
		want       tally
		fails      bool
		shows      []string
		hides      string
	}{
		{"passing", "func TestA(t *testing.T) { t.Log(\"chatter\"); t.Run(\"sub\", func(*testing.T) {}) }",
			tally{passed: 2}, false, []string{"ok  \texample.com/m/a"}, "chatter"},
		{"failing", "func TestA(t *testing.T) { t.Error(\"the reason\") }\nfunc TestB(t *testing.T) { t.Log(\"chatter\") }",
			tally{passed: 1, failed: 1}, true, []string{"the reason", "--- FAIL: TestA", "FAIL\texample.com/m/a"}, "chatter"},
		{"skipping", "func TestA(t *testing.T) {}\nfunc TestB(t *testing.T) { t.Skip(\"no printer\") }",
			tally{passed: 1, skipped: 1}, false, []string{"no printer"}, ""},
		{"not compiling", "func TestA(t *testing.T) { undefined() }",
			tally{failed: 1}, true, []string{"undefined: undefined", "[build failed]"}, ""},
		{"panicking", "func TestA(t *testing.T) { panic(\"the cause\") }", tally{failed: 1}, true, []string{"the cause"}, ""},
		{"leaving", "func TestA(t *testing.T) { println(\"bye\"); os.Exit(3) }", tally{failed: 1}, true, []string{"bye"}, ""},
		{"without a test", "", tally{}, true, nil, ""},
		{"skipping all", "func TestA(t *testing.T) { t.Skip(\"no printer\") }", tally{skipped: 1}, true, []string{"no printer"}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			got, out, err := tested(t, test.body)
			if got != test.want || (err != nil) != test.fails {
				t.Errorf("counts %+v, %v; want %+v, failing: %v", got, err, test.want, test.fails)
			}
			for _, want := range test.shows {
				if !strings.Contains(out, want) {
					t.Errorf("the output lacks %q:\n%s", want, out)
				}
			}
			if test.hides != "" && strings.Contains(out, test.hides) {
				t.Errorf("the output has %q:\n%s", test.hides, out)
			}
		})
	}
}

func TestReaderShowsWhatNeverEnded(t *testing.T) {
	var out bytes.Buffer
	r := newReader(&out)
	events := `{"Action":"output","Package":"p","Test":"TestA","Output":"stuck here\n"}` + "\nnot an event\n" +
		`{"Action":"output","Package":"p","Output":"x could not unmarshal event: unknown IPAddressSpace value: Loopback\n"}`
	if err := r.read(strings.NewReader(events)); err != nil {
		t.Fatal(err)
	}
	if got, want := out.String(), "not an event\nstuck here\n"; got != want {
		t.Errorf("printed %q; want %q", got, want)
	}
}

func TestNativePathsLeaveOutWhatOtherStepsRun(t *testing.T) {
	withTests := func(path string) golist.Package {
		return golist.Package{ImportPath: repo.Module + "/" + path, TestGoFiles: []string{"a_test.go"}}
	}
	got := nativePaths([]golist.Package{
		withTests("registry"), withTests("e2e"), withTests("e2e/demo"), withTests("e2eother"), withTests("tools/layout"),
		{ImportPath: repo.Module + "/untested"},
	})
	if text := strings.Join(got, " "); text != repo.Module+"/registry "+repo.Module+"/e2eother" {
		t.Errorf("nativePaths = %s", text)
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
