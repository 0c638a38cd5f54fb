package layout

import (
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/golist"
)

func TestPackageCommentsBite(t *testing.T) {
	got := PackageComments([]golist.Package{
		{ImportPath: "m/a", Name: "a", GoFiles: []string{"a.go"}},
		{ImportPath: "m/b", Name: "b", GoFiles: []string{"b.go"}, Doc: "Package b is explained."},
		{ImportPath: "m/cmd/c", Name: "main", GoFiles: []string{"main.go"}},
		{ImportPath: "m/onlytests", Name: "onlytests"},
	})
	if len(got) != 2 || !strings.Contains(got[0].Fix, "// Package a") || !strings.Contains(got[1].Fix, "// Command c") {
		t.Errorf("findings: %v; want one for a and one for cmd/c", got)
	}
}

func TestReadmeCommandsBite(t *testing.T) {
	for readme, missing := range map[string]int{"": 2, "Try `make run`.": 1, "make run, make test": 0} {
		if got := ReadmeCommands([]byte(readme)); len(got) != missing {
			t.Errorf("%q: findings %v; want %d", readme, got, missing)
		}
	}
}

func TestMachinePathsBite(t *testing.T) {
	homes := []Home{{"/srv/someone/checkout/", "the checkout"}, {"/srv/", "too common a word"}}
	files := []File{
		{"a.md", []byte("one\nsee /srv/someone/checkout/a.go\n")},
		{"b.md", []byte("see /srv/other and checkout/a.go\n")},
	}
	got := MachinePaths(files, homes)
	if len(got) != 1 || got[0].Where != "a.md:2" || got[0].What != "names the checkout" {
		t.Errorf("findings: %v; want one at a.md:2", got)
	}
}

func TestAddressesBite(t *testing.T) {
	tests := map[string]bool{
		`{"packages":{"node_modules/p":{"version":"1.0.0","integrity":"sha512-x"}}}`:      false,
		`{"packages":{"node_modules/p":{"resolved":"` + `https://example.org/p.tgz"}}}`:   true,
		`{"packages":{"node_modules/p":{"version":"http:` + `//example.org/p-1.0.tgz"}}}`: true,
	}
	for lock, bad := range tests {
		if got := Addresses([]File{{"package-lock.json", []byte(lock)}}); (len(got) == 1) != bad {
			t.Errorf("%s: findings %v; want one: %v", lock, got, bad)
		}
	}
}
