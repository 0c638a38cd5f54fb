package compiler

import (
	"path/filepath"
	"regexp"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// script finds the scripts of a single-file component of Vue or Svelte, with their attributes.
var script = regexp.MustCompile(`(?is)<!--.*?-->|<script((?:\s[^>]*)?)>(.*?)</script>`)

// isComponent reports whether a file holds scripts within something like HTML.
func isComponent(name string) bool {
	extension := strings.ToLower(filepath.Ext(name))
	return extension == ".vue" || extension == ".svelte"
}

// scripts are a component's scripts as TypeScript, each on its own lines and at its own columns: all else is blank. The
// templates can say only what the scripts bring in.
func scripts(source string) string {
	blank := []byte(source)
	for i, c := range blank {
		if c != '\n' {
			blank[i] = ' '
		}
	}
	for _, at := range script.FindAllStringSubmatchIndex(source, -1) {
		if at[4] >= 0 { // not a comment
			copy(blank[at[4]:at[5]], source[at[4]:at[5]])
		}
	}
	return string(blank)
}

// loadComponent makes a module of a component. What its template uses looks unused to esbuild, which leaves out imports
// that only types need; so the types go first, and with them only the imports that say so themselves.
func loadComponent(name, source string) api.OnLoadResult {
	options := stripOptions(name, api.LoaderTS)
	options.Sourcemap = api.SourceMapNone
	options.TsconfigRaw = `{ "compilerOptions": { "verbatimModuleSyntax": true } }`
	stripped := api.Transform(scripts(source), options)
	code := string(stripped.Code)
	if !strings.Contains(code, "export default") { // what the component's own compiler adds
		code += "export default {};\n"
	}
	return api.OnLoadResult{Contents: &code, Loader: api.LoaderJS, Errors: stripped.Errors}
}
