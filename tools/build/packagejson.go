package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// typesName is the file with the type declarations, by the same name in web/ and in the output folder.
const typesName = "pagewarden.d.ts"

// manifest is the package.json of the output folder; npm defines the fields. There is no "type": the .js file is a
// classic script, and the .mjs file says by its name that it is a module.
type manifest struct {
	Name        string         `json:"name"`
	Version     string         `json:"version"`
	Description string         `json:"description"`
	License     string         `json:"license"`
	Files       []string       `json:"files"`
	Types       string         `json:"types,omitempty"`
	Exports     map[string]any `json:"exports"`
}

// entry is what an import of the package itself resolves to. Order matters to those who read it: types come first.
type entry struct {
	Types   string `json:"types,omitempty"`
	Default string `json:"default"`
}

// packageJSON makes the output folder an npm package. What the folder lacks, the package does not promise.
func (b *builder) packageJSON() (string, error) {
	root := entry{Default: "./pagewarden.mjs"}
	exports := map[string]any{"./package.json": "./package.json"}
	for _, name := range []string{"pagewarden.js", wasmName, brotliName} {
		if _, err := os.Stat(b.output(name)); err == nil {
			exports["./"+name] = "./" + name
		}
	}
	if _, err := os.Stat(b.output(typesName)); err == nil {
		root.Types = "./" + typesName
	} else if !errors.Is(err, os.ErrNotExist) {
		return "", fmt.Errorf("looking for the type declarations: %w", err)
	}
	for _, s := range optionalTable() {
		if _, err := os.Stat(b.output(s.name)); err == nil {
			exports["./"+s.name] = entry{Types: "./" + typesOf(s), Default: "./" + s.name}
		}
	}
	exports["."] = root
	exports["./pagewarden.mjs"] = root
	content, err := encode(manifest{
		Name:        "pagewarden",
		Version:     contract.Version,
		Description: "Lets AI agents use a web application through declared, governed capabilities.",
		License:     "MIT",
		Files:       []string{"pagewarden*"}, // and not the build with faults, which may lie beside
		Types:       root.Types,
		Exports:     exports,
	})
	if err != nil {
		return "", err
	}
	changed, err := repo.Write(b.output("package.json"), content)
	return "version " + contract.Version + changedText(changed), err
}

func encode(m manifest) ([]byte, error) {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(m); err != nil {
		return nil, fmt.Errorf("writing package.json: %w", err)
	}
	return out.Bytes(), nil
}
