package webtools

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
	"github.com/pagewarden/pagewarden/e2e/internal/person"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
)

// patience is how long a sound page needs at most for one thing, on a machine that does much else.
const patience = 40 * time.Second

// shared is what all tests use: one browser, one server of pages.
type shared struct {
	root    string
	browser *browser.Browser
	server  *httptest.Server
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
		fmt.Fprintln(os.Stderr, "the tests of web tools:", err)
		return 1
	}
	return code
}

func (f *shared) start(ctx context.Context) error {
	var err error
	if f.root, err = site.Root(); err != nil {
		return err
	}
	dist, err := site.Dist(f.root)
	if err != nil {
		return err
	}
	applications, err := bundled(f.root)
	if err != nil {
		return err
	}
	if f.browser, err = browser.Launch(ctx, browser.Options{ExtraFlags: []string{"--window-size=1000,800", "--hide-scrollbars"}}); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "browser:", f.browser.Version())
	mux := http.NewServeMux()
	pages := http.FileServer(http.Dir(filepath.Join(f.root, "e2e", "testdata", "webtools")))
	mux.Handle("/", pages)
	mux.Handle("/strict/", http.StripPrefix("/strict", strict(pages)))
	for _, name := range []string{"pagewarden.js", "pagewarden.mjs", "pagewarden.wasm", "pagewarden-webtools.js", "pagewarden-cursor.js"} {
		mux.Handle("/"+name, http.FileServerFS(dist))
	}
	for name, content := range applications {
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write(content) // an error means that the browser has gone
		})
	}
	f.server = httptest.NewServer(mux)
	return nil
}

// strict adds the policy of a careful page.
func strict(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src 'self'; img-src data:; "+
			"require-trusted-types-for 'script'; trusted-types 'none'")
		next.ServeHTTP(w, r)
	})
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

// tab is a page of one test and the person before it. At the end of the test it fails for exceptions and errors in the
// page's console.
type tab struct {
	*browser.Page
	me       *person.Person
	t        *testing.T
	expected []string // texts of errors that belong to the test
}

// open opens the suite's page with markup of the test's.
func open(t *testing.T, html string) *tab {
	t.Helper()
	p := openPage(t, "page.html")
	p.until("globalThis.lab !== undefined")
	p.show(html)
	return p
}

func (p *tab) show(html string) {
	p.t.Helper()
	see[any](p, fmt.Sprintf("(lab.show(%s), null)", quoted(html)))
}

// quoted is a text as JavaScript writes it.
func quoted(text string) string {
	raw, err := json.Marshal(text)
	if err != nil {
		panic(err) // a string can always be written
	}
	return string(raw)
}

func openPage(t *testing.T, file string) *tab {
	t.Helper()
	return openIn(t, fixture.browser, file)
}

func openIn(t *testing.T, in *browser.Browser, file string) *tab {
	t.Helper()
	page, err := in.Open(within(t), fixture.server.URL+"/"+file)
	if err != nil {
		t.Fatal(err)
	}
	p := &tab{Page: page, me: person.At(page), t: t}
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
	return slices.ContainsFunc(p.expected, func(text string) bool { return strings.Contains(m.Text, text) })
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
	const look = `new Promise((done) => { const look = () => ((%s) ? done(true) : setTimeout(look, 10)); look(); })`
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
		p.t.Fatalf("%s: %v", expression, err)
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		p.t.Fatalf("%s is %s: %v", expression, raw, err)
	}
	return value
}

// do evaluates a JavaScript expression for what it does.
func (p *tab) do(expression string) {
	p.t.Helper()
	see[any](p, "Promise.resolve("+expression+").then(() => null)")
}

// must fails for an error of the person's hands.
func (p *tab) must(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// answer is what a call of a tool came to.
type answer struct {
	Error    string
	Message  string
	Input    any
	Unfilled []string
	Reasons  map[string]string
}

// call calls a tool that needs nobody, both as JavaScript.
func (p *tab) call(definition, args string) answer {
	p.t.Helper()
	return see[answer](p, fmt.Sprintf("lab.call(%s, %s)", definition, args))
}
