package inspector

import (
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/e2e/internal/site"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

const guide = "docs/inspector.md"

// TestSnippetsAreAllTested: a new one needs a test. Two are run here, two by web/test/inspector.test.mjs.
func TestSnippetsAreAllTested(t *testing.T) {
	if count := strings.Count(fixture.Text(t, guide), "```") / 2; count != 4 {
		t.Errorf("there are %d snippets; tests run four", count)
	}
}

// TestPageOfTheGuide pastes the page. It shows the panel when it is asked, and a call by hand works.
func TestPageOfTheGuide(t *testing.T) {
	beside := map[string]string{"/lamp.js": fixture.Snippet(t, guide, "inspector-module")}
	p := openAt(t, fixture.Paste(t, fixture.Snippet(t, guide, "inspector-page"), beside)+"?inspect")
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
