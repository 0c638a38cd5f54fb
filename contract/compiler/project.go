package compiler

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// ProjectFile names the entries of a project.
const ProjectFile = "pagewarden.json"

// ContractFile is where a project keeps its manifest, relative to its folder.
const ContractFile = ".pagewarden/contract.json"

// Project says where a project is, and how its modules are found. What a ProjectFile may say has a JSON name.
type Project struct {
	// Dir is the project's folder, absolute. Paths in the manifest are relative to it.
	Dir string `json:"-"`
	// Entries are the scripts that the page loads, relative to Dir.
	Entries []string `json:"entries"`
	// Root is the folder that the page's server serves at "/", relative to Dir; import "/app.js" is looked for there.
	Root string `json:"root"`
	// External are specifiers that the page gets from elsewhere and that are not looked into; "*" stands for any text.
	External []string `json:"external"`
	// Alias replaces specifiers, besides the paths in tsconfig.json.
	Alias map[string]string `json:"alias"`
	// Conditions are taken in the "exports" of packages, besides browser and module.
	Conditions []string `json:"conditions"`
	// Loaders are what to read files as, by extension: { ".js": "jsx" }.
	Loaders map[string]string `json:"loader"`
	// Tsconfig takes the place of each folder's own tsconfig.json.
	Tsconfig string `json:"tsconfig"`
}

// ErrNoProject says that no folder up to the root has a ProjectFile.
var ErrNoProject = errors.New("there is no " + ProjectFile + " here or in a folder above")

// FindProject reads the nearest ProjectFile, in dir or a folder above.
func FindProject(dir string) (Project, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Project{}, fmt.Errorf("looking for %s: %w", ProjectFile, err)
	}
	for at := dir; ; at = filepath.Dir(at) {
		content, err := os.ReadFile(filepath.Join(at, ProjectFile))
		if err == nil {
			return readProject(at, content)
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return Project{}, fmt.Errorf("looking for %s: %w", ProjectFile, err)
		}
		if filepath.Dir(at) == at {
			return Project{}, ErrNoProject
		}
	}
}

func readProject(dir string, content []byte) (Project, error) {
	p := Project{}
	decoder := json.NewDecoder(bytes.NewReader(content))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&p); err != nil {
		return Project{}, fmt.Errorf("reading %s: %w", filepath.Join(dir, ProjectFile), err)
	}
	p.Dir = dir
	if len(p.Entries) == 0 {
		return Project{}, fmt.Errorf(`reading %s: "entries" must name at least one script`, filepath.Join(dir, ProjectFile))
	}
	return p, nil
}

// ContractPath is the file of the project's manifest, absolute.
func (p Project) ContractPath() string { return filepath.Join(p.Dir, filepath.FromSlash(ContractFile)) }

// loaders are the project's own, as esbuild wants them.
func (p Project) loaders() (map[string]api.Loader, error) {
	loaders := map[string]api.Loader{}
	for extension, name := range p.Loaders {
		loader, ok := loaderNamed(name)
		if !ok || !strings.HasPrefix(extension, ".") {
			return nil, fmt.Errorf(`"loader" takes an extension and one of %s, such as ".js": "jsx"; not %q: %q`, strings.Join(loaderNames(), ", "), extension, name)
		}
		loaders[extension] = loader
	}
	return loaders, nil
}

func loaderNames() []string { return []string{"js", "jsx", "ts", "tsx"} }

func loaderNamed(name string) (api.Loader, bool) {
	at := slices.Index(loaderNames(), name)
	if at < 0 {
		return api.LoaderNone, false
	}
	return []api.Loader{api.LoaderJS, api.LoaderJSX, api.LoaderTS, api.LoaderTSX}[at], true
}

// isReadable reports whether the project has a file of this name read as a script.
func (p Project) isReadable(name string) bool {
	return isScript(name) || isComponent(name) || p.Loaders[filepath.Ext(name)] != ""
}

func isScript(name string) bool {
	_, ok := loaderOf(name)
	return ok
}

// loaderOf is how esbuild reads a script of this name by default.
func loaderOf(name string) (api.Loader, bool) {
	switch filepath.Ext(name) {
	case ".js", ".mjs", ".cjs":
		return api.LoaderJS, true
	case ".jsx":
		return api.LoaderJSX, true
	case ".ts", ".mts", ".cts":
		return api.LoaderTS, true
	case ".tsx":
		return api.LoaderTSX, true
	}
	return api.LoaderNone, false
}
