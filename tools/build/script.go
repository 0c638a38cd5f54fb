package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
	"github.com/pagewarden/pagewarden/tools/internal/units"
)

// script is one file that a page can load.
type script struct {
	entry  string // its source, relative to the root
	name   string // its name in the output folder
	format api.Format
}

// scriptTable lists the scripts of every variant. The two share all but their last lines: the first sets
// globalThis.PageWarden, the second exports the same names.
func scriptTable() []script {
	return []script{
		{entry: "web/classic.js", name: "pagewarden.js", format: api.FormatIIFE},
		{entry: "web/module.js", name: "pagewarden.mjs", format: api.FormatESModule},
	}
}

// scripts bundles every script. Bundling takes milliseconds, so it is always done.
func (b *builder) scripts(id string) (string, error) {
	var notes []string
	for _, s := range scriptTable() {
		result, err := b.bundle(s, id)
		if err != nil {
			return "", err
		}
		content := result.OutputFiles[0].Contents
		changed, err := repo.Write(b.output(s.name), content)
		if err != nil {
			return "", err
		}
		notes = append(notes, s.name+" "+units.Bytes(len(content))+changedText(changed))
	}
	return strings.Join(notes, "; "), nil
}

// scriptFiles lists the sources that the scripts are bundled from, relative to the root.
func (b *builder) scriptFiles() ([]string, error) {
	files := map[string]bool{}
	for _, s := range scriptTable() {
		result, err := b.bundle(s, "")
		if err != nil {
			return nil, err
		}
		var meta struct{ Inputs map[string]json.RawMessage }
		if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
			return nil, fmt.Errorf("reading what %s is made of: %w", s.name, err)
		}
		for name := range meta.Inputs {
			files[name] = true
		}
	}
	return slices.Sorted(maps.Keys(files)), nil
}

// bundle runs esbuild without writing files.
func (b *builder) bundle(s script, id string) (api.BuildResult, error) {
	result := api.Build(b.bundleOptions(s, id))
	return result, problems(s, result)
}

// problems is what the bundler found wrong. A warning counts: it is about what would surprise a reader.
func problems(s script, result api.BuildResult) error {
	found := append(result.Errors, result.Warnings...)
	if len(found) == 0 {
		return nil
	}
	messages := api.FormatMessages(found, api.FormatMessagesOptions{})
	return fmt.Errorf("bundling %s: %w", s.entry, errors.New(strings.TrimSpace(strings.Join(messages, "\n"))))
}

func (b *builder) bundleOptions(s script, id string) api.BuildOptions {
	// A function of sloppy mode hands itself and its arguments to whatever it calls, as caller and arguments. What is
	// written as a module is strict, but a bundle that is no module is only when it says so.
	strict := map[string]string{}
	if s.format != api.FormatESModule {
		strict["js"] = `"use strict";`
	}
	return api.BuildOptions{
		Banner:            strict,
		AbsWorkingDir:     b.root,
		EntryPoints:       []string{s.entry},
		Outfile:           filepath.Join(filepath.FromSlash(b.dir), s.name),
		Bundle:            true,
		Format:            s.format,
		Target:            api.ES2022,
		Platform:          api.PlatformBrowser,
		External:          []string{"node:*"}, // reached only in Node, through import()
		MangleProps:       mangled(),
		MinifyWhitespace:  true,
		MinifyIdentifiers: true,
		MinifySyntax:      true,
		LegalComments:     api.LegalCommentsNone,
		Define:            map[string]string{"__BUILD_ID__": strconv.Quote(id), "__FAULTS__": strconv.FormatBool(b.tags == "faults")},
		TsconfigRaw:       "{}", // the type checker's settings are not the bundler's
		Metafile:          true,
		LogLevel:          api.LogLevelSilent,
	}
}

// types copies the hand-written type declarations.
func (b *builder) types() (string, error) {
	content, err := os.ReadFile(filepath.Join(b.root, "web", typesName))
	if errors.Is(err, os.ErrNotExist) {
		return "web/" + typesName + " is not there; nothing to copy", nil
	}
	if err != nil {
		return "", fmt.Errorf("reading the type declarations: %w", err)
	}
	changed, err := repo.Write(b.output(typesName), content)
	return units.Bytes(len(content)) + changedText(changed), err
}
