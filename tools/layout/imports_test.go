package layout

import (
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/golist"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// checker applies the real table to made-up packages.
func checker() Checker { return Checker{Module: "m.example", Rows: Floors()} }

func pkg(path string, imports ...string) golist.Package {
	return golist.Package{ImportPath: path, Imports: imports}
}

func TestFloorsRefuse(t *testing.T) {
	tests := []struct {
		name string
		pkg  golist.Package
		says string
	}{
		{"a higher floor", pkg("m.example/policy", "m.example/registry"), "(floor 2) imports registry (floor 3)"},
		{"the same floor", pkg("m.example/host", "m.example/schema"), "(floor 1) imports schema (floor 1)"},
		{"the bridge from the core", pkg("m.example/registry", "m.example/jsbridge"), "imports jsbridge (floor 7)"},
		{"up from an internal folder", pkg("m.example/policy/internal/x", "m.example/registry"), "imports registry (floor 3)"},
		{"an internal folder of a neighbour", pkg("m.example/host", "m.example/schema/internal/x"), "imports schema/internal/x"},
		{"a free folder", pkg("m.example/registry", "m.example/tools/build"), "outside the floors"},
		{"the page from a suite", pkg("m.example/e2e", "m.example/web"), "imports web; only cmd/pagewarden and demo may"},
		{"the page from the core", pkg("m.example/browser", "m.example/web"), "only cmd/pagewarden and demo may"},
		{"an unknown folder", pkg("m.example/helpers"), "helpers is not in the table"},
		{"an unknown folder in a known one", pkg("m.example/registry/queue"), "registry/queue is not in the table"},
		{"the root", pkg("m.example"), ". is not in the table"},
		{"a module in the core", pkg("m.example/registry", "example.org/lib"), "another module's example.org/lib"},
		{"a module listed for others", pkg("m.example/registry", "github.com/santhosh-tekuri/jsonschema/v6"), "another module's"},
		{"a module with a similar path", pkg("m.example/demo", "modernc.org/sqliteother"), "modernc.org/sqliteother"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := checker().Imports([]golist.Package{test.pkg})
			if len(got) != 1 {
				t.Fatalf("%d findings: %v; want one", len(got), got)
			}
			if text := got[0].String(); !strings.Contains(text, test.says) || got[0].Fix == "" {
				t.Errorf("%q does not say %q and how to put it right", text, test.says)
			}
		})
	}
}

func TestFloorsAllow(t *testing.T) {
	got := checker().Imports([]golist.Package{
		pkg("m.example/capability", "strings"),
		pkg("m.example/registry", "m.example/policy", "m.example/contract", "m.example/host", "encoding/json"),
		pkg("m.example/registry/internal/queue", "m.example/host"),
		pkg("m.example/registry", "m.example/registry/internal/queue"),
		pkg("m.example/contract/compiler", "m.example/contract", "github.com/evanw/esbuild/pkg/api"),
		pkg("m.example/schema", "github.com/santhosh-tekuri/jsonschema/v6/kind", "golang.org/x/text/message"),
		pkg("m.example/demo", "m.example/web", "modernc.org/sqlite"),
		pkg("m.example/cmd/pagewarden", "m.example/demo", "m.example/web", "example.org/any"),
		pkg("m.example/e2e/play", "m.example/registry", "m.example/e2e/internal/page", "example.org/any"),
		pkg("m.example/tools/setup", "m.example/browser"),
		pkg("example.org/lib", "m.example/registry"),
	})
	if len(got) > 0 {
		t.Errorf("findings: %v; want none", got)
	}
}

func TestAgentFacingPackagesAreBarredFromExplain(t *testing.T) {
	for _, name := range []string{"toolset", "webmcp", "webtool", "predict", "mcpserver"} {
		p := golist.Package{ImportPath: "m.example/" + name, Deps: []string{"m.example/middle", "m.example/explain"}}
		got := checker().Imports([]golist.Package{p})
		if len(got) != 1 || !strings.Contains(got[0].String(), "agent-facing and depends on explain") {
			t.Errorf("%s: %v; want a finding, though the import is not its own", name, got)
		}
	}
	other := golist.Package{ImportPath: "m.example/jsbridge", Deps: []string{"m.example/explain"}}
	if got := checker().Imports([]golist.Package{other}); len(got) > 0 {
		t.Errorf("findings for a package that developers reach: %v", got)
	}
}

func TestContentsFindsWhatIsBarred(t *testing.T) {
	deps := []golist.Package{
		pkg("net/http/internal"), pkg("github.com/chromedp/cdproto/page"), pkg("net/netip"), pkg("modernc.org/sqlite"),
		pkg("github.com/chromedpother"), pkg("m.example/registry"),
	}
	got := Contents("./wasm", deps, NotInWASM())
	var what []string
	for _, p := range got {
		what = append(what, p.What)
	}
	want := []string{"contains github.com/chromedp/cdproto/page", "contains modernc.org/sqlite", "contains net/http/internal"}
	if !slices.Equal(what, want) {
		t.Errorf("Contents finds %q; want %q", what, want)
	}
}

func TestTableIsSound(t *testing.T) {
	seen := map[string]bool{}
	for _, row := range Floors() {
		if seen[row.Path] || row.Owns == "" || row.Floor < Free || strings.HasSuffix(row.Path, "/") {
			t.Errorf("the row %q is there twice, owns nothing or has no floor", row.Path)
		}
		seen[row.Path] = true
	}
	for _, row := range Floors() {
		for _, by := range row.ImportedBy {
			if !seen[by] {
				t.Errorf("the row %q lets in %q, which has no row", row.Path, by)
			}
		}
	}
	if !seen[DeveloperView] || !seen[WASM] {
		t.Error("the table lacks a package that the checks name")
	}
}

func TestRepositoryKeepsItsFloors(t *testing.T) {
	root := checkout(t)
	var problems []Problem
	for _, wasm := range []bool{false, true} {
		packages := listed(t, golist.Query{Dir: root, WASM: wasm, Flags: []string{"-deps", "-e"}, Patterns: []string{"./..."}})
		if len(packages) < 10 {
			t.Fatalf("only %d packages were listed", len(packages))
		}
		problems = append(problems, Checker{Module: repo.Module, Rows: Floors()}.Imports(packages)...)
	}
	report(t, slices.Compact(sorted(problems)))
}

func TestWASMContainsOnlyWhatAPageNeeds(t *testing.T) {
	packages := listed(t, golist.Query{Dir: checkout(t), WASM: true, Flags: []string{"-deps"}, Patterns: []string{"./" + WASM}})
	report(t, Contents("./"+WASM, packages, NotInWASM()))
}
