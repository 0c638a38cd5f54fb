package e2e

import (
	"bytes"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/e2e/internal/site"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// deployed is a site of two builds, of which one is being served: what the kept pattern matches may be kept by caches for
// ever, all else is asked for anew.
type deployed struct {
	builds [2]fs.FS
	kept   *regexp.Regexp
	page   string

	mu       sync.Mutex
	current  int
	requests map[string]int
}

func (d *deployed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	d.mu.Lock()
	build := d.builds[d.current]
	d.requests[r.URL.Path]++
	d.mu.Unlock()
	w.Header().Set("Cache-Control", "no-cache")
	if d.kept.MatchString(r.URL.Path) {
		w.Header().Set("Cache-Control", "max-age=86400, immutable")
	}
	switch {
	case r.URL.Path == "/":
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, d.page)
	case r.URL.Path == "/keeper.js" || strings.HasPrefix(r.URL.Path, "/loading/"):
		http.ServeFile(w, r, filepath.Join(fixture.Root, "e2e", "testdata", "loading", path.Base(r.URL.Path)))
	default:
		serveFrom(w, r, build)
	}
}

// serveFrom serves a file without the time of its last change: two builds may be of one second.
func serveFrom(w http.ResponseWriter, r *http.Request, build fs.FS) {
	name := strings.TrimPrefix(r.URL.Path, "/")
	content, err := fs.ReadFile(build, name)
	if err != nil {
		http.NotFound(w, r)
		return
	}
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(content))
}

func (d *deployed) deploy() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.current = 1
}

func (d *deployed) asked(path string) int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.requests[path]
}

// deploySite serves a page with a script tag from the first of two real builds.
func deploySite(t *testing.T, kept, before string) (*deployed, *httptest.Server) {
	t.Helper()
	d := &deployed{kept: regexp.MustCompile(kept), requests: map[string]int{}, page: `<!doctype html><link rel="icon" href="data:,">` + before + pageOf("/pagewarden.wasm")}
	var err error
	if d.builds[0], err = site.Dist(fixture.Root); err != nil {
		t.Fatal(err)
	}
	if d.builds[1], err = site.Faults(fixture.Root); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(d)
	t.Cleanup(server.Close)
	return d, server
}

const mismatch = `^pagewarden: loading /pagewarden\.wasm failed: the script is of build [0-9a-f]{32} and the module of build [0-9a-f]{32}: serve the two files of one build, and clear what a cache kept$`

// mustMismatch fails unless the page says once that its two files are of two builds, and offers nothing.
func (p tab) mustMismatch() {
	p.T.Helper()
	p.Expected = []string{"pagewarden: loading "}
	p.Until(`globalThis.readyYet !== undefined && readyYet !== "waiting"`)
	if ready := see[string](p, "readyYet"); !regexp.MustCompile(mismatch).MatchString(ready) {
		p.T.Errorf("the page says %q", ready)
	}
	if told := see[[]string](p, "told"); len(told) != 1 || !strings.HasPrefix(told[0], "error pagewarden: loading ") {
		p.T.Errorf("the console was told %q", told)
	}
	if kinds := see[[]string](p, `performance.getEntriesByType("navigation").map(({ type }) => type)`); len(kinds) != 1 {
		p.T.Errorf("the page was navigated to as %q", kinds)
	}
	p.Have()
}

// TestDeployBehindACache visits a site, deploys another build, and visits it again with one of the two files kept by the
// browser's cache. A tab from before goes on.
func TestDeployBehindACache(t *testing.T) {
	for name, kept := range map[string]string{"old module": `\.wasm$`, "old script": `/pagewarden\.m?js$`} {
		t.Run(name, func(t *testing.T) {
			d, server := deploySite(t, kept, "")
			old := openIn(t, fixture.Browser, server.URL+"/")
			old.Have(held, echo)
			d.deploy()
			p := openIn(t, fixture.Browser, server.URL+"/")
			p.mustMismatch()
			callOnce(old)
			for _, path := range []string{"/", "/pagewarden.js", "/pagewarden.wasm"} {
				if n := d.asked(path); n > 2 {
					t.Errorf("%s was asked for %d times", path, n)
				}
			}
			result := see[string](p, `PageWarden.load({ wasm: "/pagewarden.wasm?fresh" }).then((runtime) => runtime.encodeWireName("view:a.b"), (error) => error.message)`)
			if want := map[string]string{"old module": "view_a__b"}[name]; want != "" && result != want {
				t.Errorf("the right module gave %q", result)
			}
		})
	}
}

// TestDeployBehindAServiceWorker does it with a service worker that never lets go of the module.
func TestDeployBehindAServiceWorker(t *testing.T) {
	d, server := deploySite(t, `^$`, `<script>globalThis.controlled = navigator.serviceWorker.register("/keeper.js").then(() => navigator.serviceWorker.ready).then(() => true);</script>`)
	p := openIn(t, fixture.Browser, server.URL+"/")
	p.Have(held, echo)
	see[bool](p, "controlled")
	d.deploy()
	if err := p.Navigate(suite.Within(t), server.URL+"/"); err != nil {
		t.Fatal(err)
	}
	p.mustMismatch()
}
