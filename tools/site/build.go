package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"html/template"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

//go:embed assets/page.html
var pageSource string

//go:embed assets/site.css
var style string

// page is what the template fills.
type page struct {
	entry
	Title    string
	Nav      []navGroup
	Body     template.HTML
	Contents []heading
	Previous *navLink
	Next     *navLink
}

type navGroup struct {
	Title string
	Links []navLink
}

type navLink struct {
	Output, Title string
	Here          bool
}

// Build makes the files of the site, by their names: every page, the style sheet and the pictures.
func Build(root string) (map[string][]byte, error) {
	pages, err := bodies(root)
	if err != nil {
		return nil, err
	}
	colours, err := codeColours()
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{"site.css": []byte(style + colours)}
	layout, err := template.New("page").Parse(pageSource)
	if err != nil {
		return nil, fmt.Errorf("reading the template: %w", err)
	}
	for i := range pages {
		p := &pages[i]
		p.Nav = navFor(p.output)
		p.Previous, p.Next = neighbours(p.output)
		var b bytes.Buffer
		if err := layout.Execute(&b, p); err != nil {
			return nil, fmt.Errorf("writing %s: %w", p.output, err)
		}
		files[p.output] = b.Bytes()
	}
	return files, addPictures(root, files)
}

// bodies are all pages with their contents: first those that people write, then those that are made.
func bodies(root string) ([]page, error) {
	reference, err := goPages(root)
	if err != nil {
		return nil, err
	}
	script, err := scriptPage(root)
	if err != nil {
		return nil, err
	}
	pages := append(reference, script)
	for _, e := range entries() {
		if e.source == "" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(e.source)))
		if err != nil {
			return nil, fmt.Errorf("reading a page that tools/site/nav.go names: %w", err)
		}
		p, err := writtenPage(parse(e.source, content), e)
		if err != nil {
			return nil, err
		}
		pages = append(pages, p)
	}
	return pages, nil
}

// writtenPage renders a text for the site.
func writtenPage(d document, e entry) (page, error) {
	d.forSite()
	var b bytes.Buffer
	if err := markdown().Renderer().Render(&b, d.source, d.tree); err != nil {
		return page{}, fmt.Errorf("rendering %s: %w", d.path, err)
	}
	return page{entry: e, Title: e.title, Body: decorated(b.String()), Contents: contents(d.headings())}, nil
}

// contents are the headings that a page lists at its side.
func contents(all []heading) []heading {
	var list []heading
	for _, h := range all {
		if h.Level == 2 {
			list = append(list, h)
		}
	}
	return list
}

var headingEnd = regexp.MustCompile(`(?s)<h([2-4]) id="([^"]+)">(.*?)</h[2-4]>`)

var drawing = regexp.MustCompile(`<p>(<img src="[^"]+\.svg"[^>]*>)</p>`)

// decorated gives headings a link to themselves, and lets tables and drawings that are too wide scroll, with the keyboard too.
func decorated(body string) template.HTML {
	body = headingEnd.ReplaceAllString(body, `<h$1 id="$2">$3 <a class="self" href="#$2" aria-label="Link to this section">#</a></h$1>`)
	body = drawing.ReplaceAllString(body, `<div class="wide" tabindex="0" role="region" aria-label="Drawing">$1</div>`)
	body = strings.ReplaceAll(body, "<table>", `<div class="wide" tabindex="0" role="region" aria-label="Table"><table>`)
	return template.HTML(strings.ReplaceAll(body, "</table>", "</table></div>"))
}

// forSite turns the links of a text, which lead to files of the repository, into links of the site. What is not on the
// site is named and not linked.
func (d document) forSite() {
	var dead []ast.Node
	d.walk(func(node ast.Node) {
		switch node := node.(type) {
		case *ast.Link:
			if to, ok := siteLink(d.path, string(node.Destination)); ok {
				node.Destination = []byte(to)
				d.nameTarget(node)
			} else {
				dead = append(dead, node)
			}
		case *ast.Image:
			node.Destination = []byte(path.Base(string(node.Destination)))
		}
	})
	for _, node := range dead {
		parent := node.Parent()
		for child := node.FirstChild(); child != nil; child = node.FirstChild() {
			parent.InsertBefore(parent, node, child)
		}
		parent.RemoveChild(parent, node)
	}
}

// nameTarget gives a link whose text is the name of a file the title of its page.
func (d document) nameTarget(node *ast.Link) {
	for _, e := range entries() {
		output, _, _ := strings.Cut(string(node.Destination), "#")
		if e.output == output && strings.HasSuffix(e.source, d.textOf(node)) && path.Ext(e.source) == path.Ext(d.textOf(node)) {
			node.RemoveChildren(node)
			node.AppendChild(node, ast.NewString([]byte(e.title)))
			return
		}
	}
}

// siteLink is where a link of a text leads on the site; not ok if the site has nothing there.
func siteLink(from, to string) (string, bool) {
	file, anchor, hasAnchor := strings.Cut(to, "#")
	if file == "" || strings.Contains(file, ":") {
		return to, true
	}
	target := path.Join(path.Dir(from), file)
	output, ok := outputs()[target]
	if !ok {
		output, ok = outputs()[path.Join(target, "README.md")]
	}
	if !ok {
		if output, ok = goPackagePage(target); !ok {
			output, ok = goPackagePage(path.Dir(target))
		}
	}
	if hasAnchor {
		output += "#" + anchor
	}
	return output, ok
}

func navFor(output string) []navGroup {
	var groups []navGroup
	for _, g := range nav() {
		out := navGroup{Title: g.title}
		for _, e := range g.entries {
			here := e.output == output || e.output == goReference && strings.HasPrefix(output, goPagePrefix)
			out.Links = append(out.Links, navLink{e.output, e.title, here})
		}
		groups = append(groups, out)
	}
	return groups
}

// neighbours are the pages before and after one, in the order of the navigation.
func neighbours(output string) (previous, next *navLink) {
	all := entries()
	for i, e := range all {
		if e.output != output {
			continue
		}
		if i > 0 {
			previous = &navLink{Output: all[i-1].output, Title: all[i-1].title}
		}
		if i+1 < len(all) {
			next = &navLink{Output: all[i+1].output, Title: all[i+1].title}
		}
	}
	return previous, next
}

// addPictures adds the pictures of docs/.
func addPictures(root string, files map[string][]byte) error {
	all, err := repo.Files(root)
	if err != nil {
		return err
	}
	for _, name := range all {
		if path.Dir(name) != "docs" || path.Ext(name) != ".png" && path.Ext(name) != ".svg" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return fmt.Errorf("reading a picture: %w", err)
		}
		files[path.Base(name)] = content
	}
	return nil
}
