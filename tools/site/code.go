package main

import (
	"bytes"
	"fmt"
	"html"
	"strings"

	"github.com/alecthomas/chroma/v2"
	chromahtml "github.com/alecthomas/chroma/v2/formatters/html"
	"github.com/alecthomas/chroma/v2/lexers"
	"github.com/alecthomas/chroma/v2/styles"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/renderer"
	"github.com/yuin/goldmark/util"
)

// codeRenderer colours code.
type codeRenderer struct{}

func (codeRenderer) RegisterFuncs(r renderer.NodeRendererFuncRegisterer) {
	r.Register(ast.KindFencedCodeBlock, func(w util.BufWriter, source []byte, node ast.Node, entering bool) (ast.WalkStatus, error) {
		if entering {
			block := node.(*ast.FencedCodeBlock)
			_, err := w.WriteString(coloured(string(block.Language(source)), string(block.Lines().Value(source))))
			return ast.WalkSkipChildren, err
		}
		return ast.WalkContinue, nil
	})
}

// coloured is code as HTML whose words have classes; codeColours are their colours.
func coloured(language, code string) string {
	plain := fmt.Sprintf("<pre tabindex=\"0\"><code>%s</code></pre>\n", html.EscapeString(code))
	lexer := lexers.Get(language)
	if language == "" || lexer == nil {
		return plain
	}
	tokens, err := chroma.Coalesce(lexer).Tokenise(nil, code)
	if err != nil {
		return plain
	}
	var b bytes.Buffer
	if err := chromahtml.New(chromahtml.WithClasses(true)).Format(&b, styles.Fallback, tokens); err != nil {
		return plain
	}
	return strings.Replace(b.String(), "<pre", "<pre tabindex=\"0\"", 1) // so that the keyboard can scroll it
}

// codeColours is the style sheet of coloured code, for light and for dark.
func codeColours() (string, error) {
	var b strings.Builder
	formatter := chromahtml.New(chromahtml.WithClasses(true))
	for _, scheme := range []struct{ name, style string }{{"light", "xcode"}, {"dark", "github-dark"}} {
		fmt.Fprintf(&b, "@media (prefers-color-scheme: %s) {\n", scheme.name)
		if err := formatter.WriteCSS(&b, styles.Get(scheme.style)); err != nil {
			return "", fmt.Errorf("writing the colours of code: %w", err)
		}
		b.WriteString("}\n")
	}
	return b.String(), nil
}
