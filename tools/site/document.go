package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// document is a Markdown text of the repository.
type document struct {
	path   string // relative to the root
	source []byte // without front matter
	tree   ast.Node
	skip   int // lines of front matter
}

// markdown is the dialect: what code hosts show.
func markdown() goldmark.Markdown {
	return goldmark.New(
		goldmark.WithExtensions(extension.GFM),
		goldmark.WithParserOptions(parser.WithAutoHeadingID()),
		goldmark.WithRendererOptions(renderer.WithNodeRenderers(util.Prioritized(codeRenderer{}, 100))),
	)
}

// parse reads a text.
func parse(path string, source []byte) document {
	source, skipped := withoutFrontMatter(source)
	context := parser.NewContext(parser.WithIDs(&slugs{used: map[string]int{}}))
	tree := markdown().Parser().Parse(text.NewReader(source), parser.WithContext(context))
	return document{path, source, tree, skipped}
}

// withoutFrontMatter cuts what a skill tells of itself off, and counts its lines.
func withoutFrontMatter(source []byte) ([]byte, int) {
	const fence = "---\n"
	if !bytes.HasPrefix(source, []byte(fence)) {
		return source, 0
	}
	before, after, found := bytes.Cut(source[len(fence):], []byte("\n"+fence))
	if !found {
		return source, 0
	}
	return after, bytes.Count(before, []byte("\n")) + 3
}

// slugs gives headings the anchors that code hosts give them, so that one link is right in both places.
type slugs struct{ used map[string]int }

func (s *slugs) Generate(value []byte, _ ast.NodeKind) []byte {
	slug := strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
			return unicode.ToLower(r)
		}
		return -1
	}, strings.TrimSpace(string(value)))
	count := s.used[slug]
	s.used[slug]++
	if count > 0 {
		slug = fmt.Sprintf("%s-%d", slug, count)
	}
	return []byte(slug)
}

func (s *slugs) Put(value []byte) { s.used[string(value)]++ }

// heading is a heading with its anchor.
type heading struct {
	Level int
	ID    string
	Text  string
}

// headings are all of a document, in order.
func (d document) headings() []heading {
	var list []heading
	d.walk(func(node ast.Node) {
		if h, ok := node.(*ast.Heading); ok {
			id, _ := h.AttributeString("id")
			anchor, _ := id.([]byte)
			list = append(list, heading{h.Level, string(anchor), d.textOf(h)})
		}
	})
	return list
}

// has reports whether the document has an anchor.
func (d document) has(anchor string) bool {
	return slices.ContainsFunc(d.headings(), func(h heading) bool { return h.ID == anchor })
}

// snippet is a piece of code between fences.
type snippet struct {
	language string
	code     string
	line     int
}

func (d document) snippets() []snippet {
	var list []snippet
	d.walk(func(node ast.Node) {
		if block, ok := node.(*ast.FencedCodeBlock); ok {
			s := snippet{language: string(block.Language(d.source)), code: string(block.Lines().Value(d.source))}
			if block.Lines().Len() > 0 {
				s.line = d.lineAt(block.Lines().At(0).Start)
			}
			list = append(list, s)
		}
	})
	return list
}

// lineAt is the line of the file in which a byte of the source is.
func (d document) lineAt(offset int) int {
	return 1 + d.skip + bytes.Count(d.source[:offset], []byte("\n"))
}

// walk visits the nodes in order.
func (d document) walk(visit func(ast.Node)) {
	// The visitor gives no error.
	_ = ast.Walk(d.tree, func(node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			visit(node)
		}
		return ast.WalkContinue, nil
	})
}

// textOf is what a person reads of a node.
func (d document) textOf(node ast.Node) string {
	var b strings.Builder
	for child := node.FirstChild(); child != nil; child = child.NextSibling() {
		switch child := child.(type) {
		case *ast.Text:
			b.Write(child.Value(d.source))
			if child.SoftLineBreak() {
				b.WriteByte(' ')
			}
		case *ast.String:
			b.Write(child.Value)
		default:
			b.WriteString(d.textOf(child))
		}
	}
	return b.String()
}
