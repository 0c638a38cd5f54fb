package compiler

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"unicode/utf16"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/go-sourcemap/sourcemap"
	"github.com/grafana/sobek/ast"
	"github.com/grafana/sobek/file"
	"github.com/grafana/sobek/parser"
)

// module is one source of the graph, parsed.
type module struct {
	*node
	// dependency is the package that the module is of, "" for the project itself; inside is its path within that package.
	dependency, inside string
	// code is what esbuild made of the source: JavaScript without types and JSX. Nodes of the tree lie within it.
	code  string
	lines []int // where each line of code starts
	back  *sourcemap.Consumer
	// json is the value of a .json module, which has nothing of what follows.
	json *value

	top     *scope
	exports map[string]export
	stars   []string // specifiers of export * from
	calls   []site   // every call, in the order of the source
	loose   []site   // names that are neither called nor bound to another name
}

// site is an expression and the scope that it stands in.
type site struct {
	expression ast.Expression
	scope      *scope
	// name is what the value is bound to: "devices", "contracts.devices", "default"; "" for nothing.
	name string
}

// readModule reads, strips and parses the module.
func (p Project) readModule(n *node) (*module, error) {
	source, err := os.ReadFile(filepath.Join(p.Dir, filepath.FromSlash(n.path)))
	if err != nil {
		return nil, fmt.Errorf("reading a module: %w", err)
	}
	m := newModule(n)
	if strings.EqualFold(filepath.Ext(n.path), ".json") {
		return m, m.readJSON(source)
	}
	if isComponent(n.path) {
		return m, m.parse(scripts(string(source)), api.LoaderTS)
	}
	loader, err := p.loaderFor(n.path)
	if err != nil {
		return nil, err
	}
	return m, m.parse(string(source), loader)
}

func newModule(n *node) *module {
	m := &module{node: n, exports: map[string]export{}}
	m.dependency, m.inside = packageOf(n.path)
	return m
}

// loaderFor is how the project reads a file.
func (p Project) loaderFor(name string) (api.Loader, error) {
	own, err := p.loaders()
	if err != nil {
		return api.LoaderNone, err
	}
	if loader, ok := own[filepath.Ext(name)]; ok {
		return loader, nil
	}
	loader, _ := loaderOf(name)
	return loader, nil
}

// parse strips the types, parses what is left and resolves its names.
func (m *module) parse(source string, loader api.Loader) error {
	stripped := api.Transform(source, stripOptions(m.path, loader))
	if len(stripped.Errors) > 0 {
		return buildError(stripped.Errors)
	}
	if len(bytes.TrimSpace(stripped.Code)) == 0 {
		return nil // nothing but types
	}
	back, err := sourcemap.Parse("", stripped.Map)
	if err != nil {
		return fmt.Errorf("reading the source map of %s: %w", m.path, err)
	}
	m.code, m.lines, m.back = string(stripped.Code), lineStarts(string(stripped.Code)), back
	program, err := parseProgram(m.code)
	if err != nil {
		return m.parseError(err)
	}
	m.analyze(program)
	return nil
}

// stripOptions keep the source as it is but for types and JSX, and for syntax that the parser does not know: esbuild
// rewrites that into what it does know. None of it can be in a declaration.
func stripOptions(name string, loader api.Loader) api.TransformOptions {
	return api.TransformOptions{
		Loader: loader, Sourcefile: name, Sourcemap: api.SourceMapExternal, SourcesContent: api.SourcesContentExclude,
		Target: api.ES2022, Charset: api.CharsetUTF8, LegalComments: api.LegalCommentsNone, LogLevel: api.LogLevelSilent,
		JSX: api.JSXTransform,
		Supported: map[string]bool{
			"async-generator": false, "for-await": false, "decorators": false, "using": false, "hashbang": false, "import-attributes": false,
		},
	}
}

// parseProgram parses JavaScript. The parser is another project's and panics on some texts: that is an error like any.
func parseProgram(code string) (program *ast.Program, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			program, err = nil, fmt.Errorf("the parser failed: %v", cause)
		}
	}()
	return parser.ParseFile(nil, "", code, 0, parser.WithDisableSourceMaps, parser.IsModule)
}

// parseError says where a module is that esbuild takes and the parser does not.
func (m *module) parseError(err error) error {
	p := Problem{File: m.path, Message: "this module cannot be parsed: " + err.Error(), Fix: "keep declarations in modules of plain syntax"}
	if list, ok := err.(parser.ErrorList); ok && len(list) > 0 {
		p.Line, p.Column = m.original(list[0].Position.Line, list[0].Position.Column-1)
		p.Message = "this module cannot be parsed: " + list[0].Message
	}
	return &BuildError{[]Problem{p}}
}

func lineStarts(code string) []int {
	starts := []int{0}
	for i := 0; i < len(code); i++ {
		if code[i] == '\n' {
			starts = append(starts, i+1)
		}
	}
	return starts
}

// place is a stretch of a module's code.
type place struct {
	m          *module
	start, end int
}

// placeOf is where a node of the tree stands.
func (m *module) placeOf(start, end file.Idx) place {
	from := min(max(int(start)-1, 0), len(m.code))
	return place{m, from, min(max(int(end)-1, from), len(m.code))}
}

// at is the author's own line and column.
func (p place) at() (line, column int) {
	if p.m == nil || len(p.m.lines) == 0 {
		return 0, 0
	}
	n := sort.SearchInts(p.m.lines, p.start+1) - 1
	units := utf16.Encode([]rune(p.m.code[p.m.lines[n]:p.start]))
	if p.m.back == nil { // JSON, which is read as it is
		return n + 1, len(units) + 1
	}
	return p.m.original(n+1, len(units))
}

// original leads a line (from 1) and column (from 0) of the code back to the author's, both from 1.
func (m *module) original(line, column int) (int, int) {
	_, _, line, column, ok := m.back.Source(line, column)
	if !ok {
		return 1, 1
	}
	return line, column + 1
}

// text is what stands there.
func (p place) text() string {
	if p.m == nil {
		return ""
	}
	return shown(p.m.code[p.start:p.end])
}
