package layout

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/golist"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

func TestFilesAndFunctionsAreShort(t *testing.T) {
	files := written(t, ".go", ".js", ".mjs", ".css")
	report(t, FileLengths(files))
	problems, err := FunctionLengths(files)
	if err != nil {
		t.Fatal(err)
	}
	report(t, problems)
}

func TestOnlyTheBridgeImportsSyscallJS(t *testing.T) {
	problems, err := JavaScriptImports(written(t, ".go"))
	if err != nil {
		t.Fatal(err)
	}
	report(t, problems)
}

func TestBridgeNeverWaits(t *testing.T) {
	problems, err := Waits(t.Context(), checkout(t), "./jsbridge")
	if err != nil {
		t.Fatal(err)
	}
	report(t, problems)
}

func TestPackagesSayWhatTheyAreFor(t *testing.T) {
	root := checkout(t)
	var problems []Problem
	for _, wasm := range []bool{false, true} {
		packages := listed(t, golist.Query{Dir: root, WASM: wasm, Flags: []string{"-e"}, Patterns: []string{"./..."}})
		problems = append(problems, PackageComments(packages)...)
	}
	report(t, slices.Compact(sorted(problems)))
}

func TestReadmeNamesTheCommands(t *testing.T) {
	readme, err := os.ReadFile(filepath.Join(checkout(t), "README.md"))
	if err != nil {
		t.Fatalf("reading the README that every reader starts with: %v", err)
	}
	report(t, ReadmeCommands(readme))
}

func TestNoFileNamesAFolderOfThisMachine(t *testing.T) {
	homes := []Home{{checkout(t) + "/", "the folder of this checkout"}}
	for _, variable := range []string{"GOMODCACHE", "GOCACHE", "GOROOT"} {
		out, err := exec.CommandContext(t.Context(), "go", "env", variable).Output()
		if err != nil {
			t.Fatal(err)
		}
		homes = append(homes, Home{strings.TrimSpace(string(out)) + "/", "this machine's " + variable})
	}
	if home, err := os.UserHomeDir(); err == nil {
		homes = append(homes, Home{home + "/", "this user's home folder"})
	}
	report(t, MachinePaths(written(t), homes))
}

func TestLockFilesHoldNoAddresses(t *testing.T) {
	var locks []File
	for _, f := range written(t, ".json") {
		if strings.HasSuffix(f.Path, "package-lock.json") {
			locks = append(locks, f)
		}
	}
	if len(locks) == 0 {
		t.Fatal("no lock file was found; tools/node should have one")
	}
	report(t, Addresses(locks))
}

func TestReadmeTargetsWhatTheDocsSay(t *testing.T) {
	var tables []string
	for _, f := range written(t, ".md") {
		if f.Path == "README.md" || f.Path == "docs/webmcp.md" {
			_, rest, _ := strings.Cut(string(f.Content), "<!-- targeted -->\n")
			table, _, found := strings.Cut(rest, "<!-- /targeted -->")
			if !found {
				t.Errorf("%s has no table of the targeted surface between its marks", f.Path)
			}
			tables = append(tables, table)
		}
	}
	if len(tables) != 2 || tables[0] != tables[1] {
		t.Errorf("README.md and docs/webmcp.md have different tables of the targeted surface; correct both:\n%s", strings.Join(tables, "\n"))
	}
}

// report fails the test once for each finding.
func report(t *testing.T, problems []Problem) {
	t.Helper()
	for _, p := range problems {
		t.Error(p)
	}
}

func checkout(t *testing.T) string {
	t.Helper()
	root, err := repo.Root(".")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func listed(t *testing.T, q golist.Query) []golist.Package {
	t.Helper()
	packages, err := golist.List(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return packages
}

// written reads the repository's own files.
func written(t *testing.T, extensions ...string) []File {
	t.Helper()
	root := checkout(t)
	paths, err := repo.Files(root)
	if err != nil {
		t.Fatal(err)
	}
	files, err := ReadFiles(root, paths, extensions...)
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatalf("no file with %q was found", extensions)
	}
	return files
}
