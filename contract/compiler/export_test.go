package compiler

import (
	"context"

	"github.com/evanw/esbuild/pkg/api"
)

// CompileText compiles one module that needs no file: only the package can be imported.
func CompileText(ctx context.Context, source string) (*Result, error) {
	n := &node{path: "main.ts", imports: map[string]string{"pagewarden": packagePath, "./main": "main.ts"}}
	c := newCompilation(Options{}, &graph{modules: map[string]*node{n.path: n}})
	m := newModule(n)
	if err := m.parse(source, api.LoaderTS); err != nil {
		return nil, err
	}
	c.modules[n.path], c.candidates[n.path] = m, true
	return c.result(ctx)
}
