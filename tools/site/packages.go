package main

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/build"
	"go/doc"
	"go/doc/comment"
	"go/format"
	"go/parser"
	"go/token"
	"html"
	"path/filepath"
	"strings"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
	"github.com/pagewarden/pagewarden/tools/layout"
)

// goPagePrefix begins the names of the pages of single packages.
const goPagePrefix = "go-"

// goPackages are the folders of the packages that a program of somebody else's would import: those below the bridge, but
// for the demo and what serves the command alone.
func goPackages() []layout.Row {
	var rows []layout.Row
	const bridge = 7
	for _, row := range layout.Floors() {
		inner := row.Path == "demo" || strings.HasPrefix(row.Path, "contract/")
		if row.Floor != layout.Free && row.Floor < bridge && !inner {
			rows = append(rows, row)
		}
	}
	return rows
}

// goPackagePage is the page of the package in a folder.
func goPackagePage(folder string) (string, bool) {
	for _, row := range goPackages() {
		if row.Path == folder {
			return goPagePrefix + strings.ReplaceAll(folder, "/", "-") + ".html", true
		}
	}
	return "", false
}

// goPages are a list of the packages, and a page for each.
func goPages(root string) ([]page, error) {
	var pages []page
	var list strings.Builder
	list.WriteString("<h1>Go packages</h1>\n<p>Made of the packages' own comments, as <code>go doc</code> shows them. Start with <a href=\"go.html\">the guide</a>.</p>\n<dl class=\"packages\">\n")
	for _, row := range goPackages() {
		p, err := goPage(root, row)
		if err != nil {
			return nil, fmt.Errorf("documenting %s: %w", row.Path, err)
		}
		pages = append(pages, p)
		fmt.Fprintf(&list, "<dt><a href=%q><code>%s</code></a></dt><dd>%s</dd>\n", p.output, row.Path, html.EscapeString(row.Owns))
	}
	list.WriteString("</dl>\n")
	index := page{entry: entry{output: goReference}, Title: "Go packages", Body: decorated(list.String())}
	return append(pages, index), nil
}

// goPage documents one package.
func goPage(root string, row layout.Row) (page, error) {
	output, _ := goPackagePage(row.Path)
	fset, files, err := goFiles(filepath.Join(root, filepath.FromSlash(row.Path)))
	if err != nil {
		return page{}, err
	}
	parsed, err := doc.NewFromFiles(fset, files, repo.Module+"/"+row.Path)
	if err != nil {
		return page{}, err
	}
	w := &goWriter{fset: fset, of: parsed}
	fmt.Fprintf(&w.b, "<h1>Package %s</h1>\n<pre tabindex=\"0\"><code>import %q</code></pre>\n%s", parsed.Name, parsed.ImportPath, w.text(parsed.Doc))
	w.index()
	w.values("Constants", parsed.Consts)
	w.values("Variables", parsed.Vars)
	if len(parsed.Funcs) > 0 {
		w.heading("Functions")
		w.funcs(parsed.Funcs)
	}
	if len(parsed.Types) > 0 {
		w.heading("Types")
	}
	for _, t := range parsed.Types {
		w.declaration(t.Name, "type "+t.Name, t.Decl, t.Doc)
		for _, values := range [][]*doc.Value{t.Consts, t.Vars} {
			for _, v := range values {
				w.declaration("", "", v.Decl, v.Doc)
			}
		}
		w.funcs(t.Funcs)
		w.funcs(t.Methods)
	}
	return page{entry: entry{output: output}, Title: "Package " + row.Path, Body: decorated(w.b.String()), Contents: w.contents}, w.err
}

// goFiles parses the files of a package, those of a page included, without its tests.
func goFiles(dir string) (*token.FileSet, []*ast.File, error) {
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		return nil, nil, err
	}
	inPage := build.Default
	inPage.GOOS, inPage.GOARCH = "js", "wasm"
	fset := token.NewFileSet()
	var files []*ast.File
	for _, name := range names {
		native, err := build.Default.MatchFile(dir, filepath.Base(name))
		if err != nil {
			return nil, nil, err
		}
		page, err := inPage.MatchFile(dir, filepath.Base(name))
		if err != nil {
			return nil, nil, err
		}
		if strings.HasSuffix(name, "_test.go") || !native && !page {
			continue
		}
		file, err := parser.ParseFile(fset, name, nil, parser.ParseComments)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, file)
	}
	return fset, files, nil
}

// goWriter writes the documentation of one package. It keeps the first error.
type goWriter struct {
	fset     *token.FileSet
	of       *doc.Package
	b        strings.Builder
	contents []heading
	err      error
}

// index links the functions and types.
func (w *goWriter) index() {
	var links []string
	for _, f := range w.of.Funcs {
		links = append(links, fmt.Sprintf("<a href=\"#%s\"><code>%s</code></a>", f.Name, f.Name))
	}
	for _, t := range w.of.Types {
		links = append(links, fmt.Sprintf("<a href=\"#%s\"><code>%s</code></a>", t.Name, t.Name))
		for _, f := range t.Funcs {
			links = append(links, fmt.Sprintf("<a href=\"#%s\"><code>%s</code></a>", f.Name, f.Name))
		}
	}
	if len(links) > 0 {
		fmt.Fprintf(&w.b, "<p class=\"names\">%s</p>\n", strings.Join(links, " "))
	}
}

func (w *goWriter) heading(title string) {
	id := strings.ToLower(title)
	fmt.Fprintf(&w.b, "<h2 id=%q>%s</h2>\n", id, title)
	w.contents = append(w.contents, heading{2, id, title})
}

func (w *goWriter) values(title string, values []*doc.Value) {
	if len(values) > 0 {
		w.heading(title)
	}
	for _, v := range values {
		w.declaration("", "", v.Decl, v.Doc)
	}
}

func (w *goWriter) funcs(funcs []*doc.Func) {
	for _, f := range funcs {
		id, title := f.Name, "func "+f.Name
		if f.Recv != "" {
			receiver := strings.TrimLeft(f.Recv, "*")
			receiver, _, _ = strings.Cut(receiver, "[")
			id, title = receiver+"."+f.Name, "func ("+f.Recv+") "+f.Name
		}
		w.declaration(id, title, f.Decl, f.Doc)
	}
}

// declaration writes one declaration, under a heading if it has an id.
func (w *goWriter) declaration(id, title string, decl ast.Decl, text string) {
	if id != "" {
		fmt.Fprintf(&w.b, "<h3 id=%q><code>%s</code></h3>\n", id, html.EscapeString(title))
	}
	var code bytes.Buffer
	if err := format.Node(&code, w.fset, decl); err != nil && w.err == nil {
		w.err = fmt.Errorf("writing %s: %w", title, err)
	}
	w.b.WriteString(coloured("go", code.String()+"\n"))
	w.b.WriteString(w.text(text))
}

// text is a comment as HTML, with links to packages that have a page.
func (w *goWriter) text(of string) string {
	printer := w.of.Printer()
	printer.HeadingLevel = 3
	printer.DocLinkURL = func(link *comment.DocLink) string {
		if link.ImportPath == "" {
			return link.DefaultURL("")
		}
		if folder, own := strings.CutPrefix(link.ImportPath, repo.Module+"/"); own {
			if output, ok := goPackagePage(folder); ok {
				return output + strings.TrimPrefix(link.DefaultURL(""), "/"+link.ImportPath)
			}
		}
		return "https://pkg.go.dev" + link.DefaultURL("")
	}
	return string(printer.HTML(w.of.Parser().Parse(of)))
}
