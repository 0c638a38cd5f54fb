package main

import (
	"fmt"
	"html"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
	"github.com/pagewarden/pagewarden/tools/layout"
)

// documents reads every Markdown text of the repository, and llms.txt, which is one.
func documents(root string) ([]document, error) {
	names, err := repo.Files(root)
	if err != nil {
		return nil, err
	}
	var list []document
	for _, name := range names {
		if path.Ext(name) != ".md" && name != "llms.txt" {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
		if err != nil {
			return nil, fmt.Errorf("reading a text: %w", err)
		}
		list = append(list, parse(name, content))
	}
	return list, nil
}

// brokenLinks finds links within the repository that lead nowhere: no such file, or no such heading in it. Addresses of
// other sites are not asked for.
func brokenLinks(root string, documents []document) []layout.Problem {
	byPath := map[string]document{}
	for _, d := range documents {
		byPath[d.path] = d
	}
	var problems []layout.Problem
	for _, d := range documents {
		for _, l := range d.links() {
			if what := d.broken(root, l.to, byPath); what != "" {
				problems = append(problems, layout.Problem{
					Where: fmt.Sprintf("%s:%d", d.path, l.line), What: fmt.Sprintf("the link %q leads to %s", l.to, what),
					Fix: "correct it; anchors are headings in lower case with - for spaces, without punctuation",
				})
			}
		}
	}
	return problems
}

// link is a link or a picture of a document.
type link struct {
	to   string
	line int
}

func (d document) links() []link {
	var list []link
	line := 1 + d.skip
	d.walk(func(node ast.Node) {
		if node.Type() == ast.TypeBlock && node.Lines() != nil && node.Lines().Len() > 0 {
			line = d.lineAt(node.Lines().At(0).Start)
		}
		switch node := node.(type) {
		case *ast.Link:
			list = append(list, link{string(node.Destination), line})
		case *ast.Image:
			list = append(list, link{string(node.Destination), line})
		}
	})
	return list
}

// broken says what is wrong with a link; "" if nothing is.
func (d document) broken(root, to string, byPath map[string]document) string {
	address, err := url.Parse(to)
	switch {
	case err != nil:
		return "no address"
	case address.Scheme != "":
		return ""
	case strings.HasPrefix(address.Path, "/"):
		return "a folder of the machine; write it relative to the file"
	}
	target := d.path
	if address.Path != "" {
		target = path.Join(path.Dir(d.path), address.Path)
	}
	if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(target))); err != nil || strings.HasPrefix(target, "..") {
		return "no file of the repository"
	}
	if address.Fragment == "" {
		return ""
	}
	other, known := byPath[target]
	if !known || !other.has(address.Fragment) {
		return fmt.Sprintf("no heading %q of %s", address.Fragment, target)
	}
	return ""
}

var (
	reference = regexp.MustCompile(`\s(href|src)="([^"]*)"`)
	anchorID  = regexp.MustCompile(`\sid="([^"]*)"`)
)

// brokenSite finds links of the built site that lead nowhere, anchors that are there twice, and whatever a browser would
// fetch from elsewhere.
func brokenSite(files map[string][]byte) []layout.Problem {
	anchors := map[string][]string{}
	for name, content := range files {
		for _, found := range anchorID.FindAllSubmatch(content, -1) {
			anchors[name] = append(anchors[name], html.UnescapeString(string(found[1])))
		}
	}
	var problems []layout.Problem
	for name, content := range files {
		if path.Ext(name) != ".html" {
			continue
		}
		for i, id := range anchors[name] {
			if slices.Contains(anchors[name][:i], id) {
				problems = append(problems, layout.Problem{Where: name, What: "has two anchors " + id, Fix: "give one another heading"})
			}
		}
		for _, found := range reference.FindAllSubmatch(content, -1) {
			to := html.UnescapeString(string(found[2]))
			if what := brokenReference(name, string(found[1]), to, files, anchors); what != "" {
				problems = append(problems, layout.Problem{Where: name, What: fmt.Sprintf("the link %q leads to %s", to, what), Fix: "correct what it is made of, or tools/site"})
			}
		}
	}
	return problems
}

func brokenReference(from, attribute, to string, files map[string][]byte, anchors map[string][]string) string {
	switch {
	case strings.HasPrefix(to, "data:"):
		return ""
	case strings.Contains(to, ":") && attribute == "href" && strings.HasPrefix(to, "https://"):
		return ""
	case strings.Contains(to, ":"):
		return "another site"
	}
	file, anchor, _ := strings.Cut(to, "#")
	if file == "" {
		file = from
	}
	if _, ok := files[file]; !ok {
		return "no file of the site"
	}
	if unescaped, err := url.PathUnescape(anchor); anchor != "" && (err != nil || !slices.Contains(anchors[file], unescaped)) {
		return "no anchor of " + file
	}
	return ""
}
