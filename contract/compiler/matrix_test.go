package compiler_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/contract/compiler"
)

func quoted(text string) string {
	out, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return string(out)
}

// TestEveryFormInEveryWay tries each form with each way of getting at the functions: an accepted form gives the same
// entry, a refused one the same problem, and what only looks like a declaration neither.
func TestEveryFormInEveryWay(t *testing.T) {
	want := entries(t, plain(form{action: usual}))
	for i, f := range accepted() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for _, w := range some(same(), i) {
				t.Run(w.name, func(t *testing.T) {
					if got := entries(t, w.write(f)); !slices.Equal(got, want) {
						t.Errorf("got  %s\nwant %s", got, want)
					}
				})
			}
		})
	}
	for i, f := range refused() {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for _, w := range some(same(), i) {
				t.Run(w.name, func(t *testing.T) { refuses(t, f, w) })
			}
		})
	}
}

// some are all ways, or with -short a few: over all forms each way has its turn.
func some(ways []way, i int) []way {
	if !testing.Short() {
		return ways
	}
	return []way{ways[i%len(ways)], ways[(i+len(ways)/2)%len(ways)]}
}

func refuses(t *testing.T, f form, w way) {
	t.Helper()
	result := compiled(t, w.write(f))
	if result.Manifest != nil || len(result.Problems) != 1 {
		t.Fatalf("manifest %v, problems:\n%s", result.Manifest, lines(result.Problems))
	}
	p := result.Problems[0]
	if !strings.Contains(p.Message, f.says) || !strings.Contains(p.Fix, f.instead) || !strings.HasPrefix(p.Expression, f.refused) {
		t.Errorf("got  %s\nwant %q, `%s`, %q", p, f.says, f.refused, f.instead)
	}
	if p.File == "" || p.Line == 0 || p.Column == 0 {
		t.Errorf("no place: %+v", p)
	}
}

func TestWhatOnlyLooksLikeADeclaration(t *testing.T) {
	for i, f := range append(accepted(), refused()...) {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			for _, w := range some(looks(), i) {
				t.Run(w.name, func(t *testing.T) {
					if got := entries(t, w.write(f)); len(got) != 0 {
						t.Errorf("found %s", got)
					}
				})
			}
		})
	}
}

// link makes a symbolic link in place of a file whose content is "-> TARGET".
func link(t testing.TB, p compiler.Project, sources files) {
	t.Helper()
	for name, content := range sources {
		target, ok := strings.CutPrefix(content, "-> ")
		if !ok {
			continue
		}
		path := filepath.Join(p.Dir, filepath.FromSlash(name))
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(filepath.FromSlash(target), path); err != nil {
			t.Fatal(err)
		}
	}
}
