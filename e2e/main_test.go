package e2e

import (
	"encoding/json"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// fixture is what all tests use.
var fixture struct {
	suite.Fixture
	wrong  *site.Wrong // under /wrong/
	pasted pastes      // under /pasted/
}

func TestMain(m *testing.M) {
	os.Exit(suite.Main(m, &fixture.Fixture, suite.Config{Name: "the end-to-end tests", Browser: &browser.Options{}, Pages: pages}))
}

// pages serves testdata at the root, the built runtime beside it and once more in wrong ways, the build with faults and
// the suites of web/test.
func pages(root string) (http.Handler, error) {
	dist, err := site.Dist(root)
	if err != nil {
		return nil, err
	}
	faults, err := site.Faults(root)
	if err != nil {
		return nil, err
	}
	if fixture.wrong, err = site.NewWrong(dist); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(filepath.Join(root, "e2e", "testdata"))))
	for _, name := range []string{"pagewarden.js", "pagewarden.mjs", "pagewarden.wasm", "pagewarden-predict.js"} {
		mux.Handle("/"+name, http.FileServerFS(dist))
	}
	mux.Handle("/wrong/", fixture.wrong)
	mux.Handle("/pasted/", &fixture.pasted)
	mux.Handle("/faults/", http.StripPrefix("/faults", http.FileServerFS(faults)))
	mux.Handle("/web-test/", http.StripPrefix("/web-test", http.FileServer(http.Dir(filepath.Join(root, "web", "test")))))
	csp := http.FileServer(http.Dir(filepath.Join(root, "e2e", "testdata", "csp")))
	mux.Handle("/csp/", http.StripPrefix("/csp", withPolicy("script-src 'self' 'wasm-unsafe-eval'", csp)))
	mux.Handle("/csp-without-wasm/", http.StripPrefix("/csp-without-wasm", withPolicy("script-src 'self'", csp)))
	return mux, nil
}

func withPolicy(policy string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		next.ServeHTTP(w, r)
	})
}

// tab is a page of one test.
type tab struct{ *suite.Tab }

// open opens a page of the fixture's server.
func open(t *testing.T, file string) tab {
	t.Helper()
	return openIn(t, fixture.Browser, fixture.URL+"/"+file)
}

func openIn(t *testing.T, b *browser.Browser, address string) tab {
	t.Helper()
	return tab{suite.Open(t, b, address)}
}

// openLab opens the suite's page and waits for its runtime.
func openLab(t *testing.T) tab {
	t.Helper()
	return waitForLab(open(t, "lab.html"))
}

func waitForLab(p tab) tab {
	p.T.Helper()
	p.Until("globalThis.lab !== undefined")
	return p
}

// see evaluates a JavaScript expression and returns its value.
func see[T any](p tab, expression string) T {
	p.T.Helper()
	return suite.See[T](p.Tab, expression)
}

// call calls a tool as an agent does. A tool that throws instead of answering fails the test.
func (p tab) call(name, input string) browser.Result {
	p.T.Helper()
	result, err := p.Call(suite.Within(p.T), name, json.RawMessage(input))
	if err != nil {
		p.T.Fatal(err)
	}
	return result
}

// refusal is an error as an agent gets it.
type refusal struct {
	Code    string
	Message string
	Retry   string
	Details struct {
		Reason   string
		Phase    string
		Progress string
		Issues   []struct{ Path, Message string }
	}
}

// refused calls a tool that must answer with an error of that code.
func (p tab) refused(name, input, code string) refusal {
	p.T.Helper()
	return refusalOf(p.T, p.call(name, input), code)
}

func refusalOf(t *testing.T, result browser.Result, code string) refusal {
	t.Helper()
	var r refusal
	if !result.IsError() {
		t.Fatalf("the call gave %s; want %s", result.Raw, code)
	}
	if err := json.Unmarshal([]byte(result.Value()), &r); err != nil {
		t.Fatalf("reading the refusal %s: %v", result.Raw, err)
	}
	if r.Code != code || r.Message == "" || r.Retry == "" {
		t.Fatalf("the refusal is %+v; want %s with message and retry", r, code)
	}
	return r
}
