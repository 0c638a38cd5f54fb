package inspector

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/e2e/internal/site"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// guide is docs/inspector.md.
func guide(t *testing.T) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(fixture.Root, "docs", "inspector.md"))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// snippet is the code of the guide under a name.
func snippet(t *testing.T, name string) string {
	t.Helper()
	found := regexp.MustCompile("(?s)<!-- " + name + " -->\n```\\w+\n(.*?)```\n<!-- /" + name + " -->").FindStringSubmatch(guide(t))
	if found == nil {
		t.Fatalf("docs/inspector.md has no snippet %s", name)
	}
	return found[1]
}

// TestSnippetsAreAllTested: a new one needs a test. Two are run here, two by web/test/inspector.test.mjs.
func TestSnippetsAreAllTested(t *testing.T) {
	if count := strings.Count(guide(t), "```") / 2; count != 4 {
		t.Errorf("there are %d snippets; tests run four", count)
	}
}

// TestPageOfTheGuide pastes the page. It shows the panel when it is asked, and a call by hand works.
func TestPageOfTheGuide(t *testing.T) {
	dist, err := site.Dist(fixture.Root)
	if err != nil {
		t.Fatal(err)
	}
	page, script, files := snippet(t, "inspector-page"), snippet(t, "inspector-module"), http.FileServerFS(dist)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, page)
		case "/lamp.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, script)
		case "/favicon.ico": // the browser asks for one by itself
			w.WriteHeader(http.StatusNoContent)
		default:
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	p := openAt(t, server.URL+"/?inspect")
	p.appears("treeitem", "turn, available, local-state")
	p.click("treeitem", "turn, available, local-state")
	p.appears("combobox", "to *")
	p.must(p.me.Click(suite.Within(t), p.find("combobox", "to *")))
	p.press("on\r")
	p.click("button", "Call")
	p.Until(`document.querySelector("#lamp").textContent === "on"`)
}

// TestDemoShowsItWhenItIsAsked, and not by itself.
func TestDemoShowsItWhenItIsAsked(t *testing.T) {
	d, err := site.Serve(suite.Within(t), fixture.Root, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	p := openAt(t, d.URL)
	p.Until(`document.querySelector("#agent-status").dataset.state === "on"`)
	if see[bool](p, `document.querySelector("[data-pagewarden=inspector]") !== null`) {
		t.Error("the demo shows the inspector by itself")
	}
	p = openAt(t, d.URL+"?inspect")
	p.Until(`document.querySelector("[data-pagewarden=inspector]") !== null`)
	p.appears("treeitem", "setFilters, available, local-state")
	if *pictures != "" {
		p.picturesOfTheGuide()
	}
}

// picturesOfTheGuide makes those of docs/inspector.md.
func (p *tab) picturesOfTheGuide() {
	p.T.Helper()
	prefer := func(scheme string) {
		p.must(p.me.Prefer(suite.Within(p.T), map[string]string{"prefers-color-scheme": scheme}))
	}
	p.must(p.me.Resize(suite.Within(p.T), 1400, 900, 1))
	prefer("light")
	p.Until(`document.querySelectorAll("#devices-rows tr").length > 5`)
	p.click("treeitem", "setFilters, available, local-state")
	p.appears("button", "Call")
	p.keep("screenshot-inspector.png")
	p.click("button", "Call")
	prefer("dark")
	p.appears("tab", "Calls, 1")
	p.click("tab", "Calls, 1")
	p.click("option", "view:devices.filters.setFilters, ok")
	p.appears("heading", "Phases")
	p.keep("screenshot-inspector-dark.png")
}

// appears waits for an element.
func (p *tab) appears(role, name string) {
	p.T.Helper()
	ctx := suite.Within(p.T)
	for {
		page, err := p.me.Look(ctx)
		if err != nil {
			p.T.Fatalf("waiting for the %s %q: %v", role, name, err)
		}
		if page.Find(role, name) != nil {
			return
		}
	}
}
