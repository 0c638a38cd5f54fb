package webtools

import (
	"encoding/json"
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
	flags := []string{"--window-size=1000,800", "--hide-scrollbars"}
	os.Exit(suite.Main(m, &fixture, suite.Config{Name: "the tests of web tools", Browser: &browser.Options{ExtraFlags: flags}, Pages: pages}))
}

// pages serves testdata, once more under a strict policy, the applications that are bundled, and the built runtime.
func pages(root string) (http.Handler, error) {
	dist, err := site.Dist(root)
	if err != nil {
		return nil, err
	}
	applications, err := bundled(root)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	files := http.FileServer(http.Dir(filepath.Join(root, "e2e", "testdata", "webtools")))
	mux.Handle("/", files)
	mux.Handle("/strict/", http.StripPrefix("/strict", suite.Careful(files)))
	for _, name := range []string{"pagewarden.js", "pagewarden.mjs", "pagewarden.wasm", "pagewarden-webtools.js", "pagewarden-cursor.js"} {
		mux.Handle("/"+name, http.FileServerFS(dist))
	}
	for name, content := range applications {
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = w.Write(content) // an error means that the browser has gone
		})
	}
	return mux, nil
}

// tab is a page of one test and the person before it.
type tab struct {
	*suite.Tab
	me *person.Person
}

// open opens the suite's page with markup of the test's.
func open(t *testing.T, html string) *tab {
	t.Helper()
	p := openPage(t, "page.html")
	p.Until("globalThis.lab !== undefined")
	p.show(html)
	return p
}

func (p *tab) show(html string) {
	p.T.Helper()
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
	return openIn(t, fixture.Browser, file)
}

func openIn(t *testing.T, in *browser.Browser, file string) *tab {
	t.Helper()
	return openAt(t, in, fixture.URL+"/"+file)
}

func openAt(t *testing.T, in *browser.Browser, address string) *tab {
	t.Helper()
	page := suite.Open(t, in, address)
	return &tab{page, person.At(page.Page)}
}

// see evaluates a JavaScript expression and returns its value.
func see[T any](p *tab, expression string) T {
	p.T.Helper()
	return suite.See[T](p.Tab, expression)
}

// do evaluates a JavaScript expression for what it does.
func (p *tab) do(expression string) {
	p.T.Helper()
	see[any](p, "Promise.resolve("+expression+").then(() => null)")
}

// must fails for an error of the person's hands.
func (p *tab) must(err error) {
	p.T.Helper()
	if err != nil {
		p.T.Fatal(err)
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
	p.T.Helper()
	return see[answer](p, fmt.Sprintf("lab.call(%s, %s)", definition, args))
}
