package main

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

const sample = `---
name: sample
---

# The *sample*

Text with a [link](other.md)
and ![a picture](a.png).

## Code and a ` + "`name`" + `

` + "```js\nlet a = 1;\n```\n\n```\nno language\n```" + `

| a | b |
|---|---|
| [in a table](b.md) | 2 |
`

func TestDocument(t *testing.T) {
	d := parse("docs/sample.md", []byte(sample))
	if h := d.headings(); len(h) != 2 || h[0] != (heading{1, "the-sample", "The sample"}) || h[1] != (heading{2, "code-and-a-name", "Code and a name"}) {
		t.Errorf("the headings are %+v", h)
	}
	if s := d.snippets(); len(s) != 2 || s[0] != (snippet{"js", "let a = 1;\n", 13}) || s[1] != (snippet{"", "no language\n", 17}) {
		t.Errorf("the snippets are %+v", s)
	}
	if l := d.links(); len(l) != 3 || l[0] != (link{"other.md", 7}) || l[1] != (link{"a.png", 7}) || l[2].to != "b.md" {
		t.Errorf("the links are %+v", l)
	}
	if !d.has("the-sample") || d.has("The-sample") || d.has("") {
		t.Error("it has other anchors than its headings")
	}
}

func TestFrontMatter(t *testing.T) {
	for _, test := range []struct {
		source, rest string
		lines        int
	}{
		{"---\na: 1\n---\n# A\n", "# A\n", 3},
		{"# A\n---\n", "# A\n---\n", 0},
		{"---\nnever closed\n", "---\nnever closed\n", 0},
		{"", "", 0},
	} {
		if rest, lines := withoutFrontMatter([]byte(test.source)); string(rest) != test.rest || lines != test.lines {
			t.Errorf("%q leaves %q, %d lines; want %q, %d", test.source, rest, lines, test.rest, test.lines)
		}
	}
}

// TestEveryHeadingHasItsOwnAnchor whatever the headings are.
func TestEveryHeadingHasItsOwnAnchor(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		titles := rapid.SliceOfN(rapid.SampledFrom([]string{"A", "a", "A b", "A-b", "`A`", "Ä", "1"}), 1, 12).Draw(t, "titles")
		d := parse("a.md", []byte("# "+strings.Join(titles, "\n\n# ")+"\n"))
		seen := map[string]bool{}
		for _, h := range d.headings() {
			if seen[h.ID] {
				t.Fatalf("two headings have the anchor %q", h.ID)
			}
			seen[h.ID] = true
		}
		if len(seen) != len(titles) {
			t.Fatalf("%d headings of %d", len(seen), len(titles))
		}
	})
}

// TestDeclarationsOfAnything: whatever a file of types has in it, reading it ends, and no code is invented.
func TestDeclarationsOfAnything(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		pieces := rapid.SliceOf(rapid.SampledFrom([]string{
			"/** One. */", "/**", " * Two.", " */", "", "export type A = 1;", "export interface B {", "  a: 1;", "}", "// ---- part", ")", "x",
		})).Draw(t, "lines")
		source := strings.Join(pieces, "\n")
		for _, d := range readDeclarations(source) {
			if !strings.Contains(source, d.Code) {
				t.Fatalf("the code %q is not in the file", d.Code)
			}
		}
	})
}

func TestColoured(t *testing.T) {
	for _, test := range []struct{ language, code, has string }{
		{"", "a < b\n", "<pre tabindex=\"0\"><code>a &lt; b\n</code></pre>"},
		{"no-such-language", "<script>\n", "<code>&lt;script&gt;\n"},
		{"go", "package a // <b>\n", `<span class="kn">package</span>`},
		{"go", "package a // <b>\n", "&lt;b&gt;"},
		{"js", "let a;\n", `<pre tabindex="0" class="chroma">`},
	} {
		if got := coloured(test.language, test.code); !strings.Contains(got, test.has) {
			t.Errorf("%s %q gives %s; want %s in it", test.language, test.code, got, test.has)
		}
	}
	colours, err := codeColours()
	if err != nil || strings.Count(colours, "@media (prefers-color-scheme:") != 2 || strings.Count(colours, "{") != strings.Count(colours, "}") {
		t.Errorf("the colours are %s, %v", colours, err)
	}
}

func TestDecorated(t *testing.T) {
	got := string(decorated(`<h2 id="a">A <code>b</code></h2><p><img src="a.svg" alt="A"></p><table><tr></tr></table><h1 id="t">T</h1>`))
	const want = `<h2 id="a">A <code>b</code> <a class="self" href="#a" aria-label="Link to this section">#</a></h2>` +
		`<div class="wide" tabindex="0" role="region" aria-label="Drawing"><img src="a.svg" alt="A"></div>` +
		`<div class="wide" tabindex="0" role="region" aria-label="Table"><table><tr></tr></table></div><h1 id="t">T</h1>`
	if got != want {
		t.Errorf("got %s; want %s", got, want)
	}
}

func TestWrittenPage(t *testing.T) {
	source := "# Title\n\n[docs/go.md](go.md) [site](go.md#x) [code](../web/demo/agent) [`both`](../predict) <b>raw</b>\n\n![shot](screenshot.png)\n\n## Part\n"
	p, err := writtenPage(parse("docs/a.md", []byte(source)), entry{"docs/a.md", "a.html", "A"})
	if err != nil {
		t.Fatal(err)
	}
	body := string(p.Body)
	for _, has := range []string{`<a href="go.html">From Go</a>`, `<a href="go.html#x">site</a>`, " code ", `<a href="go-predict.html"><code>both</code></a>`, `<img src="screenshot.png" alt="shot"`} {
		if !strings.Contains(body, has) {
			t.Errorf("the page lacks %s:\n%s", has, body)
		}
	}
	if strings.Contains(body, "<b>") || strings.Contains(body, "web/demo") {
		t.Errorf("the page has what it should not:\n%s", body)
	}
	if len(p.Contents) != 1 || p.Contents[0].ID != "part" || p.Title != "A" {
		t.Errorf("its contents are %+v, its title %q", p.Contents, p.Title)
	}
}

func TestNeighbours(t *testing.T) {
	all := entries()
	previous, next := neighbours(all[0].output)
	if previous != nil || next == nil || next.Output != all[1].output {
		t.Errorf("around the first page: %+v, %+v", previous, next)
	}
	previous, next = neighbours(all[len(all)-1].output)
	if next != nil || previous == nil || previous.Output != all[len(all)-2].output {
		t.Errorf("around the last page: %+v, %+v", previous, next)
	}
	if previous, next := neighbours("go-registry.html"); previous != nil || next != nil {
		t.Errorf("around a package: %+v, %+v", previous, next)
	}
	marked := 0
	for _, g := range navFor("go-registry.html") {
		for _, l := range g.Links {
			if l.Here {
				marked++
			}
		}
	}
	if marked != 1 {
		t.Errorf("%d pages are marked for a package; want that of all packages", marked)
	}
}
