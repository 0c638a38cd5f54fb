package matrix

import (
	"context"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
	"github.com/pagewarden/pagewarden/tools/chromium"
)

// fixture is what all tests use: pages, the command, and the table. Each host has a browser of its own.
var fixture struct {
	suite.Fixture
	command string // path of the built command-line tool
	goPage  string // folder of the built examples/go-page
	table   *table
}

// TestMain prints the table when everything has run.
func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	folder, err := os.MkdirTemp("", "matrix")
	if err != nil {
		fmt.Fprintln(os.Stderr, "the matrix:", err)
		return 1
	}
	defer os.RemoveAll(folder)
	fixture.command, fixture.goPage = filepath.Join(folder, "pagewarden"), filepath.Join(folder, "go-page")
	return suite.Main(m, &fixture.Fixture, suite.Config{
		Name: "the matrix", Pages: prepare, After: func() error { return fixture.table.finish(os.Stderr) },
	})
}

// prepare looks for the builds and polyfills, builds the command and the page in Go, and makes the pages.
func prepare(root string) (http.Handler, error) {
	for _, item := range append(chromium.Builds(), chromium.Polyfills()...) {
		if err := item.Check(root); err != nil {
			return nil, err
		}
	}
	build := exec.Command("go", "build", "-o", fixture.command, "./cmd/pagewarden")
	build.Dir = root
	if output, err := build.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("building the command: %w\n%s", err, output)
	}
	if err := errors.Join(os.Mkdir(fixture.goPage, 0o700), buildGoPage(root, fixture.goPage)); err != nil {
		return nil, err
	}
	return pages(root)
}

// pages serves the built runtime, the polyfills, testdata, and for each host a page at /HOST/page.html that loads what
// the host has.
func pages(root string) (http.Handler, error) {
	dist, err := site.Dist(root)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(filepath.Join(root, "e2e", "matrix", "testdata"))))
	for _, name := range []string{"pagewarden.mjs", "pagewarden.wasm", "pagewarden-webtools.js"} {
		mux.Handle("/"+name, http.FileServerFS(dist))
	}
	for _, polyfill := range chromium.Polyfills() {
		mux.HandleFunc("/"+polyfill.Alias+".js", func(w http.ResponseWriter, r *http.Request) {
			http.ServeFile(w, r, polyfill.Path(root))
		})
	}
	mux.HandleFunc(shimOption, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, "globalThis.__webMCPPolyfillOptions = { installTestingShim: true };")
	})
	mux.HandleFunc("/go/{host}/{$}", serveGoPage)
	mux.HandleFunc("/go/{host}/{file}", func(w http.ResponseWriter, r *http.Request) {
		http.ServeFile(w, r, filepath.Join(fixture.goPage, filepath.Base(r.PathValue("file"))))
	})
	mux.HandleFunc("/{host}/{page}", servePage)
	mux.HandleFunc("/forbidden/{host}/{page}", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Permissions-Policy", "tools=()")
		servePage(w, r)
	})
	return mux, nil
}

var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>The matrix</title>
<link rel="icon" href="data:,">
{{range .Scripts}}<script src="{{.}}"></script>
{{end}}<script type="module" src="/{{.Module}}"></script>
</html>
`))

// servePage answers /HOST/page.html and /HOST/facts.html.
func servePage(w http.ResponseWriter, r *http.Request) {
	modules := map[string]string{"page.html": "lab.js", "facts.html": "facts.js"}
	h, ok := hostNamed(r.PathValue("host"))
	module := modules[r.PathValue("page")]
	if !ok || module == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html")
	// An error means that the browser has gone, which is its own affair.
	_ = pageTemplate.Execute(w, struct {
		Scripts []string
		Module  string
	}{h.scripts, module})
}

func hostNamed(folder string) (host, bool) {
	for _, h := range hosts() {
		if h.folder() == folder {
			return h, true
		}
	}
	return host{}, false
}

// folder is the host's name as it stands in addresses.
func (h host) folder() string { return strings.ReplaceAll(h.name, " ", "-") }

// launch starts the host's browser and checks that it is the one it should be.
func (h host) launch(t *testing.T) *browser.Browser {
	t.Helper()
	options := browser.Options{Path: h.program(), NoWebMCP: !h.flag}
	b, err := browser.Launch(context.Background(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := h.checkVersion(b.Version()); err != nil {
		t.Fatal(err)
	}
	return b
}

// program is the path of the host's browser, "" for the one that is found.
func (h host) program() string {
	if h.build == nil {
		return ""
	}
	return h.build.Path(fixture.Root)
}

// checkVersion compares what a browser says of itself, such as "Chrome/156.0.8078.114", with what it should be. The
// machine's own may be newer than the newest row of docs/webmcp.md; it must then behave as that row says.
func (h host) checkVersion(says string) error {
	_, version, _ := strings.Cut(says, "/")
	if h.build != nil {
		if version != h.build.Reports {
			return fmt.Errorf("the browser for %s says that it is %s; it should be %s", h.name, says, h.build.Reports)
		}
		return nil
	}
	first, _, _ := strings.Cut(version, ".")
	if major, err := strconv.Atoi(first); err != nil || major < systemMajor {
		return fmt.Errorf("this machine's browser says that it is %s; the matrix needs Chromium %d or newer, for example Debian's: apt-get install chromium", says, systemMajor)
	}
	return nil
}

func TestCheckVersion(t *testing.T) {
	build := chromium.Item{Alias: "chromium-147", Reports: "147.0.1.0"}
	for _, test := range []struct {
		h    host
		says string
		ok   bool
	}{
		{host{build: &build}, "HeadlessChrome/147.0.1.0", true},
		{host{build: &build}, "HeadlessChrome/147.0.1.1", false},
		{host{build: &build}, "HeadlessChrome/157.0.1.0", false},
		{host{}, "Chrome/156.0.8078.114", true},
		{host{}, "Chrome/157.0.1.2", true},
		{host{}, "Chrome/155.0.1.2", false},
		{host{}, "nonsense", false},
	} {
		if err := test.h.checkVersion(test.says); (err == nil) != test.ok {
			t.Errorf("%q gives %v", test.says, err)
		}
	}
}
