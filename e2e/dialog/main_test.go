package dialog

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

	"github.com/chromedp/chromedp/kb"
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
		fmt.Fprintln(os.Stderr, "the tests of the dialog:", err)
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
	if f.browser, err = browser.Launch(ctx, browser.Options{ExtraFlags: []string{"--window-size=1100,820", "--hide-scrollbars"}}); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "browser:", f.browser.Version())
	mux := http.NewServeMux()
	pages := http.FileServer(http.Dir(filepath.Join(f.root, "e2e", "testdata")))
	mux.Handle("/", pages)
	mux.Handle("/strict/", http.StripPrefix("/strict", strict(pages)))
	for _, name := range []string{"pagewarden.mjs", "pagewarden.wasm", "pagewarden-dialog.js"} {
		mux.Handle("/"+name, http.FileServerFS(dist))
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

// open opens the suite's page and mounts a dialog there; options are those of lab.open.
func open(t *testing.T, options string) *tab {
	t.Helper()
	p := openPage(t, "dialog.html")
	p.until("globalThis.lab !== undefined")
	see[bool](p, "lab.open("+options+")")
	return p
}

func openPage(t *testing.T, file string) *tab {
	t.Helper()
	page, err := fixture.browser.Open(within(t), fixture.server.URL+"/"+file)
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

// ask calls a capability that needs a person, with an input in JavaScript, and waits until the question is in sight.
func (p *tab) ask(input, capability string) {
	p.t.Helper()
	before := see[int](p, "lab.shown.length")
	see[string](p, fmt.Sprintf("lab.ask(%s, %q)", input, capability))
	p.until(fmt.Sprintf("lab.shown.length > %d", before))
}

// The capabilities of the suite's page.
const (
	clearCart   = "view:shop.cart.clear"
	destructive = "domain:shop.destructive"
)

// page is what the person sees of all of it.
func (p *tab) page() *person.Element {
	p.t.Helper()
	page, err := p.me.Look(within(p.t))
	if err != nil {
		p.t.Fatal(err)
	}
	return page
}

// dialog is the open dialog. It must be there.
func (p *tab) dialog() *person.Element {
	p.t.Helper()
	found := p.page().Find("alertdialog", "")
	if found == nil {
		p.t.Fatal("there is no dialog")
	}
	return found
}

// gone waits until no dialog is there.
func (p *tab) gone() {
	p.t.Helper()
	p.until(`document.querySelector("[data-pagewarden]") === null`)
	if found := p.page().Find("alertdialog", ""); found != nil {
		p.t.Errorf("%s is still there", found)
	}
}

// button is a button of the open dialog.
func (p *tab) button(name string) *person.Element {
	p.t.Helper()
	found := p.dialog().Find("button", name)
	if found == nil {
		p.t.Fatalf("the dialog has no button %s", name)
	}
	return found
}

// armed waits until Approve works, on a page with real time.
func (p *tab) armed() {
	p.t.Helper()
	ctx := within(p.t)
	for p.button("Approve").Is("disabled") {
		if ctx.Err() != nil {
			p.t.Fatal("Approve never works")
		}
	}
}

// click clicks a button of the dialog.
func (p *tab) click(name string) {
	p.t.Helper()
	if err := p.me.Click(within(p.t), p.button(name)); err != nil {
		p.t.Fatal(err)
	}
}

// press presses keys.
func (p *tab) press(keys string) {
	p.t.Helper()
	if err := p.me.Press(within(p.t), keys); err != nil {
		p.t.Fatal(err)
	}
}

// focus moves the focus to a button of the dialog with the Tab key.
func (p *tab) focus(name string) {
	p.t.Helper()
	for range 12 {
		if p.button(name).Is("focused") {
			return
		}
		p.press(kb.Tab)
	}
	p.t.Fatalf("Tab does not reach %s", name)
}

// came checks how the calls ended.
func (p *tab) came(outcomes ...string) {
	p.t.Helper()
	want := append([]string{}, outcomes...)
	p.until(fmt.Sprintf("lab.results.length >= %d", len(want)))
	if got := see[[]string](p, "lab.outcomes()"); !slices.Equal(got, want) {
		p.t.Errorf("the calls ended as %q; want %q", got, want)
	}
}

// waits checks how many questions wait for an answer.
func (p *tab) waits(count int) {
	p.t.Helper()
	if got := see[[]string](p, "lab.pending()"); len(got) != count {
		p.t.Errorf("%d questions wait; want %d", len(got), count)
	}
}

// focused is the element that has the focus, nil without one.
func focused(in *person.Element) *person.Element {
	var found *person.Element
	in.Each(func(e *person.Element) {
		if e.Is("focused") {
			found = e
		}
	})
	return found
}
