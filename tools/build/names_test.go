package main

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// TestInternalNamesAreInternal looks for them where a page or the module would miss them: as members of the declared
// API, as quoted names in the script, and in the module's side of the bridge.
func TestInternalNamesAreInternal(t *testing.T) {
	root, err := repo.Root(".")
	if err != nil {
		t.Fatal(err)
	}
	script := sources(t, root, "web/shim/*.js", "web/*.js")
	outside := sources(t, root, "web/"+typesName) // optional scripts keep their names
	for _, name := range internalNames() {
		if !regexp.MustCompile(`\b` + name + `\b`).MatchString(script) {
			t.Errorf("%s: the script has no such name; take it off the list", name)
		}
		if regexp.MustCompile(`(?m)^\s*(readonly )?` + name + `\??[:(<]`).MatchString(outside) {
			t.Errorf("%s: is a member of the declared API; take it off the list", name)
		}
		if strings.Contains(script, `"`+name+`"`) {
			t.Errorf("%s: the script has it in quotes, which the bundler does not follow", name)
		}
		if strings.Contains(sources(t, root, "jsbridge/*.go"), `"`+name+`"`) {
			t.Errorf("%s: is part of a message of the module; take it off the list", name)
		}
	}
	if sorted := slices.Sorted(slices.Values(internalNames())); !slices.Equal(sorted, internalNames()) {
		t.Errorf("the list is not sorted; want %v", sorted)
	}
}

// sources joins the files that match; tests among them are left out.
func sources(t *testing.T, root string, patterns ...string) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range patterns {
		files, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(pattern)))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(content)
		}
	}
	return all.String()
}
