package dialog

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/person"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// fixture is what all tests use.
var fixture suite.Fixture

func TestMain(m *testing.M) {
	flags := []string{"--window-size=1100,820", "--hide-scrollbars"}
	os.Exit(suite.Main(m, &fixture, suite.Config{Name: "the tests of the dialog", Browser: &browser.Options{ExtraFlags: flags}, Pages: pages}))
}

// pages serves testdata, once more under a strict policy, and the built runtime.
func pages(root string) (http.Handler, error) {
	dist, err := site.Dist(root)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	files := http.FileServer(http.Dir(filepath.Join(root, "e2e", "testdata")))
	mux.Handle("/", files)
	mux.Handle("/strict/", http.StripPrefix("/strict", suite.Careful(files)))
	for _, name := range []string{"pagewarden.mjs", "pagewarden.wasm", "pagewarden-dialog.js"} {
		mux.Handle("/"+name, http.FileServerFS(dist))
	}
	return mux, nil
}

// tab is a page of one test and the person before it.
type tab struct {
	*suite.Tab
	me *person.Person
}

// open opens the suite's page and mounts a dialog there; options are those of lab.open.
func open(t *testing.T, options string) *tab {
	t.Helper()
	p := openPage(t, "dialog.html")
	p.Until("globalThis.lab !== undefined")
	see[bool](p, "lab.open("+options+")")
	return p
}

func openPage(t *testing.T, file string) *tab {
	t.Helper()
	return openAt(t, fixture.URL+"/"+file)
}

func openAt(t *testing.T, address string) *tab {
	t.Helper()
	page := suite.Open(t, fixture.Browser, address)
	return &tab{page, person.At(page.Page)}
}

// see evaluates a JavaScript expression and returns its value.
func see[T any](p *tab, expression string) T {
	p.T.Helper()
	return suite.See[T](p.Tab, expression)
}

// ask calls a capability that needs a person, with an input in JavaScript, and waits until the question is in sight.
func (p *tab) ask(input, capability string) {
	p.T.Helper()
	before := see[int](p, "lab.shown.length")
	see[string](p, fmt.Sprintf("lab.ask(%s, %q)", input, capability))
	p.Until(fmt.Sprintf("lab.shown.length > %d", before))
}

// The capabilities of the suite's page.
const (
	clearCart   = "view:shop.cart.clear"
	destructive = "domain:shop.destructive"
)

// page is what the person sees of all of it.
func (p *tab) page() *person.Element {
	p.T.Helper()
	page, err := p.me.Look(suite.Within(p.T))
	if err != nil {
		p.T.Fatal(err)
	}
	return page
}

// dialog is the open dialog. It must be there.
func (p *tab) dialog() *person.Element {
	p.T.Helper()
	found := p.page().Find("alertdialog", "")
	if found == nil {
		p.T.Fatal("there is no dialog")
	}
	return found
}

// gone waits until no dialog is there.
func (p *tab) gone() {
	p.T.Helper()
	p.Until(`document.querySelector("[data-pagewarden]") === null`)
	if found := p.page().Find("alertdialog", ""); found != nil {
		p.T.Errorf("%s is still there", found)
	}
}

// button is a button of the open dialog.
func (p *tab) button(name string) *person.Element {
	p.T.Helper()
	found := p.dialog().Find("button", name)
	if found == nil {
		p.T.Fatalf("the dialog has no button %s", name)
	}
	return found
}

// armed waits until Approve works, on a page with real time.
func (p *tab) armed() {
	p.T.Helper()
	ctx := suite.Within(p.T)
	for p.button("Approve").Is("disabled") {
		if ctx.Err() != nil {
			p.T.Fatal("Approve never works")
		}
	}
}

// click clicks a button of the dialog.
func (p *tab) click(name string) {
	p.T.Helper()
	if err := p.me.Click(suite.Within(p.T), p.button(name)); err != nil {
		p.T.Fatal(err)
	}
}

// press presses keys.
func (p *tab) press(keys string) {
	p.T.Helper()
	if err := p.me.Press(suite.Within(p.T), keys); err != nil {
		p.T.Fatal(err)
	}
}

// focus moves the focus to a button of the dialog with the Tab key.
func (p *tab) focus(name string) {
	p.T.Helper()
	for range 12 {
		if p.button(name).Is("focused") {
			return
		}
		p.press(kb.Tab)
	}
	p.T.Fatalf("Tab does not reach %s", name)
}

// came checks how the calls ended.
func (p *tab) came(outcomes ...string) {
	p.T.Helper()
	want := append([]string{}, outcomes...)
	p.Until(fmt.Sprintf("lab.results.length >= %d", len(want)))
	if got := see[[]string](p, "lab.outcomes()"); !slices.Equal(got, want) {
		p.T.Errorf("the calls ended as %q; want %q", got, want)
	}
}

// waits checks how many questions wait for an answer.
func (p *tab) waits(count int) {
	p.T.Helper()
	if got := see[[]string](p, "lab.pending()"); len(got) != count {
		p.T.Errorf("%d questions wait; want %d", len(got), count)
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
