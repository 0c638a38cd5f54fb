package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// modules is the folder of installed packages that scripts may be bundled with, relative to the root.
const modules = "tools/node/node_modules"

// licensesOf names the file with the licenses of what others wrote of an optional script.
func licensesOf(s script) string { return strings.TrimSuffix(s.name, ".js") + ".licenses.txt" }

// licenses is the text of the licenses of every package that a bundle holds code of, nil when it holds none. A license
// asks to go wherever the code goes, and the bundler leaves comments out.
func (b *builder) licenses(metafile string) ([]byte, error) {
	var meta struct{ Inputs map[string]json.RawMessage }
	if err := json.Unmarshal([]byte(metafile), &meta); err != nil {
		return nil, fmt.Errorf("reading what the bundle is made of: %w", err)
	}
	packages := map[string]bool{}
	for name := range meta.Inputs {
		if name, ok := packageOf(name); ok {
			packages[name] = true
		}
	}
	var text []byte
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		license, err := b.license(name)
		if err != nil {
			return nil, fmt.Errorf("looking for the license of %s: %w", name, err)
		}
		text = fmt.Appendf(text, "%s\n\n%s\n", name, strings.TrimSpace(string(license)))
	}
	return text, nil
}

// packageOf is the package that an input of a bundle belongs to.
func packageOf(input string) (name string, ok bool) {
	_, inside, ok := strings.Cut(filepath.ToSlash(input), "node_modules/")
	if !ok {
		return "", false
	}
	parts := strings.SplitN(inside, "/", 3)
	if strings.HasPrefix(inside, "@") && len(parts) > 1 {
		return path.Join(parts[0], parts[1]), true
	}
	return parts[0], true
}

func (b *builder) license(name string) ([]byte, error) {
	found, err := filepath.Glob(filepath.Join(b.root, filepath.FromSlash(modules), filepath.FromSlash(name), "LICENSE*"))
	if err != nil {
		return nil, err
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("it has no file LICENSE")
	}
	return os.ReadFile(found[0])
}
