package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
)

// patience is how long a sound page needs at most for one thing, on a machine that does much else.
const patience = 40 * time.Second

// shared is what all tests use: one browser, one server of pages.
type shared struct {
	root    string
	browser *browser.Browser
	server  *httptest.Server
	wrong   *site.Wrong // under /wrong/
	pasted  pastes      // under /pasted/
}

var fixture shared

// TestMain starts the browser once. Without a browser or a build the tests fail: a suite that skips proves nothing.
func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	err := fixture.start(context.Background())
	code := 1
	if err == nil {
		code = m.Run()
	}
	if closing := fixture.close(); err == nil {
		err = closing
	}
	if err == nil {
		err = goleak.Find()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the end-to-end tests:", err)
		return 1
	}
	return code
}

func (f *shared) start(ctx context.Context) error {
	var err error
	if f.root, err = site.Root(); err != nil {
		return err
	}
	pages, err := f.pages()
	if err != nil {
		return err
	}
	if f.browser, err = browser.Launch(ctx, browser.Options{}); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "browser:", f.browser.Version())
	f.server = httptest.NewServer(pages)
	return nil
}

func (f *shared) close() error {
	if f.server != nil {
		f.server.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	if f.browser != nil {
		return f.browser.Close()
	}
	return nil
}

// pages serves testdata at the root, the built runtime beside it and once more in wrong ways, the build with faults and
// the suites of web/test.
func (f *shared) pages() (http.Handler, error) {
	root := f.root
	dist, err := site.Dist(root)
	if err != nil {
		return nil, err
	}
	faults, err := site.Faults(root)
	if err != nil {
		return nil, err
	}
	if f.wrong, err = site.NewWrong(dist); err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(filepath.Join(root, "e2e", "testdata"))))
	for _, name := range []string{"pagewarden.js", "pagewarden.mjs", "pagewarden.wasm"} {
		mux.Handle("/"+name, http.FileServerFS(dist))
	}
	mux.Handle("/wrong/", f.wrong)
	mux.Handle("/pasted/", &f.pasted)
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

// tab is a page of one test. At the end of the test it fails for exceptions and errors in the page's console.
type tab struct {
	*browser.Page
	t        *testing.T
	expected []string // texts or addresses of errors that belong to the test
}

// open opens a page of the fixture's server.
func open(t *testing.T, file string) *tab {
	t.Helper()
	return openIn(t, fixture.browser, fixture.server.URL+"/"+file)
}

func openIn(t *testing.T, b *browser.Browser, address string) *tab {
	t.Helper()
	page, err := b.Open(within(t), address)
	if err != nil {
		t.Fatal(err)
	}
	p := &tab{Page: page, t: t}
	t.Cleanup(p.finish)
	return p
}

func (p *tab) finish() {
	for _, m := range p.Console() {
		if (m.IsException() || m.Kind == "error" || m.Kind == "assert") && !p.expects(m) {
			p.t.Errorf("the page has %s in its console: %s (%s:%d)", m.Kind, m.Text, m.URL, m.Line)
		}
	}
	if err := p.Close(); err != nil {
		p.t.Error(err)
	}
}

func (p *tab) expects(m browser.Message) bool {
	return slices.ContainsFunc(p.expected, func(text string) bool { return strings.Contains(m.Text+" "+m.URL, text) })
}

// openLab opens the suite's page and waits for its runtime.
func openLab(t *testing.T) *tab {
	t.Helper()
	return waitForLab(open(t, "lab.html"))
}

func waitForLab(p *tab) *tab {
	p.t.Helper()
	p.until("globalThis.lab !== undefined")
	return p
}

// within returns a context that no sound page outlives.
func within(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	t.Cleanup(cancel)
	return ctx
}

// until waits until the JavaScript expression is true in the page.
func (p *tab) until(expression string) {
	p.t.Helper()
	const look = `new Promise((done) => { const look = () => ((%s) ? done(true) : setTimeout(look, 20)); look(); })`
	if _, err := p.Eval(within(p.t), fmt.Sprintf(look, expression)); err != nil {
		p.t.Fatalf("waiting until %s: %v; the console has %+v", expression, err, p.Console())
	}
}

// see evaluates a JavaScript expression and returns its value.
func see[T any](p *tab, expression string) T {
	p.t.Helper()
	var value T
	raw, err := p.Eval(within(p.t), expression)
	if err != nil {
		p.t.Fatal(err)
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		p.t.Fatalf("%s is %s: %v", expression, raw, err)
	}
	return value
}

// have waits until the page has exactly the tools of those names.
func (p *tab) have(names ...string) []browser.Tool {
	p.t.Helper()
	slices.Sort(names)
	tools, err := p.WaitForTools(within(p.t), func(tools []browser.Tool) bool { return slices.Equal(namesOf(tools), names) })
	if err != nil {
		p.t.Fatalf("%v; the page has %q; want %q", err, namesOf(tools), names)
	}
	return tools
}

func namesOf(tools []browser.Tool) []string {
	names := []string{}
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

// call calls a tool as an agent does. A tool that throws instead of answering fails the test.
func (p *tab) call(name, input string) browser.Result {
	p.t.Helper()
	result, err := p.Call(within(p.t), name, json.RawMessage(input))
	if err != nil {
		p.t.Fatal(err)
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
func (p *tab) refused(name, input, code string) refusal {
	p.t.Helper()
	return refusalOf(p.t, p.call(name, input), code)
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
