package inspector

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/person"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// fixture is what all tests use.
var fixture suite.Fixture

func TestMain(m *testing.M) {
	flags := []string{"--window-size=1300,1800", "--hide-scrollbars"}
	os.Exit(suite.Main(m, &fixture, suite.Config{Name: "the tests of the inspector", Browser: &browser.Options{ExtraFlags: flags}, Pages: pages}))
}

// pages serves testdata and the built runtime, under the policy of a careful page.
func pages(root string) (http.Handler, error) {
	dist, err := site.Dist(root)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", suite.Careful(http.FileServer(http.Dir(filepath.Join(root, "e2e", "testdata")))))
	for _, name := range []string{"pagewarden.mjs", "pagewarden.wasm", "pagewarden-dialog.js", "pagewarden-inspector.js"} {
		mux.Handle("/"+name, http.FileServerFS(dist))
	}
	return mux, nil
}

// tab is a page of one test and the person before it.
type tab struct {
	*suite.Tab
	me *person.Person
}

// open opens the suite's page and mounts an inspector there; options are those of lab.open.
func open(t *testing.T, options string) *tab {
	t.Helper()
	p := openAt(t, fixture.URL+"/inspector.html")
	p.Until("globalThis.lab !== undefined")
	see[bool](p, "lab.open("+options+")")
	p.Until("lab.rows().length > 0")
	return p
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

func (p *tab) must(err error) {
	p.T.Helper()
	if err != nil {
		p.T.Fatal(err)
	}
}

// find is an element of the page by its role and name; it must be there.
func (p *tab) find(role, name string) *person.Element {
	p.T.Helper()
	page, err := p.me.Look(suite.Within(p.T))
	p.must(err)
	found := page.Find(role, name)
	if found == nil {
		p.T.Fatalf("there is no %s %q", role, name)
	}
	return found
}

// click clicks an element.
func (p *tab) click(role, name string) {
	p.T.Helper()
	p.must(p.me.Click(suite.Within(p.T), p.find(role, name)))
}

// press presses keys.
func (p *tab) press(keys string) {
	p.T.Helper()
	p.must(p.me.Press(suite.Within(p.T), keys))
}

// write types text into a field in place of what is there.
func (p *tab) write(role, name, text string) {
	p.T.Helper()
	p.click(role, name)
	see[bool](p, "(lab.root.activeElement.select?.(), true)")
	p.press(text)
}

// says waits until a part of the shown page says something.
func (p *tab) says(selector, text string) {
	p.T.Helper()
	p.Until(fmt.Sprintf("lab.text(%q).includes(%q)", selector, text))
}
