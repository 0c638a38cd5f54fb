package e2e

import (
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"

	"github.com/pagewarden/pagewarden/e2e/internal/person"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// TestDocumentationSite reads pages of `make docs` on a narrow screen, in the dark, and with the keyboard: nothing is cut
// off, text can be told from what is behind it, and what scrolls can be reached.
func TestDocumentationSite(t *testing.T) {
	dir := t.TempDir()
	build := exec.CommandContext(suite.Within(t), "go", "run", "./tools/site", "-out", dir)
	build.Dir = fixture.Root
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	p := openIn(t, fixture.Browser, server.URL+"/")
	me := person.At(p.Page)
	for width, scheme := range map[int64]string{360: "light", 800: "dark", 1400: "dark"} {
		if err := me.Prefer(suite.Within(t), map[string]string{"prefers-color-scheme": scheme}); err != nil {
			t.Fatal(err)
		}
		if err := me.Resize(suite.Within(t), width, 900, 1); err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"index.html", "concepts.html", "webmcp.html", "skill.html", "go-webmcp.html", "contract.html"} {
			if err := p.Navigate(suite.Within(t), server.URL+"/"+name); err != nil {
				t.Fatal(err)
			}
			if wide := see[int64](p, "document.documentElement.scrollWidth"); wide > width {
				t.Errorf("%s is %d pixels wide on a screen of %d", name, wide, width)
			}
			if faint := see[[]string](p, faintText); len(faint) > 0 {
				t.Errorf("%s, %s: hard to read: %q", name, scheme, faint)
			}
			if unreachable := see[int](p, scrollsWithoutFocus); unreachable > 0 {
				t.Errorf("%s has %d places that scroll and that the keyboard cannot reach", name, unreachable)
			}
		}
	}
	if err := me.Press(suite.Within(t), "\t"); err != nil {
		t.Fatal(err)
	}
	if first := see[string](p, "document.activeElement.textContent"); first != "pagewarden" {
		t.Errorf("Tab goes to %q first", first)
	}
}

// faintText lists texts with a contrast below 4.5 to the nearest background of one colour.
const faintText = `(() => {
	const channels = (colour) => (colour.match(/[\d.]+/g) ?? []).map(Number);
	const light = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
		.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
	const behind = (e) => { for (; e; e = e.parentElement) { const c = channels(getComputedStyle(e).backgroundColor); if (c.length === 3) return c; } return [255, 255, 255]; };
	const faint = new Set();
	const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
	while (walker.nextNode()) {
		const e = walker.currentNode.parentElement;
		if (walker.currentNode.data.trim() === "" || e.classList.contains("self")) continue;
		const [a, b] = [light(channels(getComputedStyle(e).color)), light(behind(e))].sort((x, y) => y - x);
		if ((a + 0.05) / (b + 0.05) < 4.5) faint.add(e.className + ": " + e.textContent.slice(0, 20));
	}
	return [...faint].slice(0, 5);
})()`

const scrollsWithoutFocus = `[...document.querySelectorAll("main *")].filter((e) => e.scrollWidth > e.clientWidth + 1
	&& ["auto", "scroll"].includes(getComputedStyle(e).overflowX) && e.tabIndex < 0).length`
