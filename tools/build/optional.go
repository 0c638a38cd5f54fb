package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
	"github.com/pagewarden/pagewarden/tools/internal/units"
)

// optionalTable lists the scripts that a page may load beside the runtime. Each is an ES module with type declarations
// of its own. They know the runtime only by its declared API, so they are no part of the build id and carry none.
func optionalTable() []script {
	return []script{
		{entry: "web/dialog.js", name: "pagewarden-dialog.js", format: api.FormatESModule},
		{entry: "web/webtools.js", name: "pagewarden-webtools.js", format: api.FormatESModule},
		{entry: "web/predict.js", name: "pagewarden-predict.js", format: api.FormatESModule},
		{entry: "web/cursor.js", name: "pagewarden-cursor.js", format: api.FormatESModule},
		{entry: "web/inspector.js", name: "pagewarden-inspector.js", format: api.FormatESModule},
	}
}

// typesOf names the type declarations of an optional script.
func typesOf(s script) string { return strings.TrimSuffix(s.name, ".js") + ".d.ts" }

// optional bundles the optional scripts and copies their types. A checkout without one of them builds the rest.
func (b *builder) optional(context.Context) (string, error) {
	var notes []string
	for _, s := range optionalTable() {
		if _, err := os.Stat(filepath.Join(b.root, filepath.FromSlash(s.entry))); errors.Is(err, fs.ErrNotExist) {
			notes = append(notes, s.entry+" is not there")
			continue
		}
		note, err := b.optionalScript(s)
		if err != nil {
			return "", err
		}
		notes = append(notes, note)
	}
	return strings.Join(notes, "; "), nil
}

func (b *builder) optionalScript(s script) (string, error) {
	options := b.bundleOptions(s, "")
	// What a bundler knows of the page's mode is for the page's own bundler to put in.
	options.Define = map[string]string{"process.env.NODE_ENV": "process.env.NODE_ENV"}
	options.NodePaths = []string{filepath.Join(b.root, filepath.FromSlash(modules))}
	options.MangleProps = "" // the list of names is the runtime's
	options.Plugins = []api.Plugin{styleSheets()}
	result := api.Build(options)
	if err := problems(s, result); err != nil {
		if strings.Contains(err.Error(), "Could not resolve") {
			err = fmt.Errorf("%w\nIf it is a package of %s, run `make setup` first", err, modules)
		}
		return "", err
	}
	content := result.OutputFiles[0].Contents
	changed, err := repo.Write(b.output(s.name), content)
	if err != nil {
		return "", err
	}
	types, err := os.ReadFile(filepath.Join(b.root, "web", typesOf(s)))
	if err != nil {
		return "", fmt.Errorf("reading the types of %s: %w", s.name, err)
	}
	if _, err := repo.Write(b.output(typesOf(s)), types); err != nil {
		return "", err
	}
	licenses, err := b.licenses(result.Metafile)
	if err != nil {
		return "", err
	}
	if licenses != nil {
		if _, err := repo.Write(b.output(licensesOf(s)), licenses); err != nil {
			return "", err
		}
	}
	return s.name + " " + units.Bytes(len(content)) + changedText(changed), nil
}

// styleSheets makes the import of a .css file give its text, without white space and comments.
func styleSheets() api.Plugin {
	load := func(args api.OnLoadArgs) (api.OnLoadResult, error) {
		content, err := os.ReadFile(args.Path)
		if err != nil {
			return api.OnLoadResult{}, fmt.Errorf("reading a style sheet: %w", err)
		}
		small := api.Transform(string(content), api.TransformOptions{
			Loader: api.LoaderCSS, MinifyWhitespace: true, MinifySyntax: true, Sourcefile: args.Path, LogLevel: api.LogLevelSilent,
		})
		text := strings.TrimSpace(string(small.Code))
		return api.OnLoadResult{Contents: &text, Loader: api.LoaderText, Errors: small.Errors, Warnings: small.Warnings}, nil
	}
	return api.Plugin{Name: "style sheets as text", Setup: func(build api.PluginBuild) {
		build.OnLoad(api.OnLoadOptions{Filter: `\.css$`}, load)
	}}
}
