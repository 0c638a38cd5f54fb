package main

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"hash"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

// The wasm is built with two changes to modules that it uses, laid out in the cache folder; native programs use
// both as published, and the schema suite runs on both.
//
//   - Of the schema validator, the runtime uses the rules about single values of one draft. The published module
//     compiles the meta-schemas of five drafts when it starts, which is most of the start-up, and holds a loader of
//     files, checks of formats that the runtime brings itself, and ways to print what went wrong. The files of
//     validatorFiles take the place of theirs.
//   - It words its errors through golang.org/x/text, whose tables are large; we never use that wording.
const (
	validatorModule = "github.com/santhosh-tekuri/jsonschema/v6"
	textModule      = "golang.org/x/text"
	trimDir         = "trim"
)

// validatorFiles replace files of the validator's main package that have the same names.
//
//go:embed _validator
var validatorFiles embed.FS

const validatorDir = "_validator"

// validatorFile is what replaces a file of the validator, if anything does.
func validatorFile(name string) (content []byte, replaced bool) {
	content, err := validatorFiles.ReadFile(path.Join(validatorDir, name))
	return content, err == nil
}

// validatorNames are the files that are replaced.
func validatorNames() []string {
	entries, err := validatorFiles.ReadDir(validatorDir)
	if err != nil {
		panic(err) // the folder is part of this program
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// hashTrim adds whatever decides what the changed modules hold, other than the modules themselves.
func hashTrim(sum hash.Hash) {
	fmt.Fprintf(sum, "text %v\n", textStub())
	for _, name := range validatorNames() {
		content, _ := validatorFile(name)
		fmt.Fprintf(sum, "validator %q %q\n", name, content)
	}
}

// textStub is as much of golang.org/x/text as the validator needs to compile.
func textStub() map[string]string {
	return map[string]string{
		"go.mod": "module " + textModule + "\n\ngo 1.24\n",
		"language/language.go": `package language

type Tag struct{}

var English Tag
`,
		"message/message.go": `package message

import (
	"fmt"

	"golang.org/x/text/language"
)

type Printer struct{}

func NewPrinter(language.Tag) *Printer { return &Printer{} }

func (*Printer) Sprintf(format string, args ...any) string { return fmt.Sprintf(format, args...) }
`,
	}
}

// trim lays out the changed modules and returns the path of a go.mod that uses them, relative to the root; "" in a
// checkout that does not use the validator.
func (b *builder) trim(ctx context.Context) (string, error) {
	source, err := b.moduleDir(ctx, validatorModule)
	if err != nil || source == "" {
		return "", err
	}
	if err := b.layValidator(source); err != nil {
		return "", err
	}
	for name, content := range textStub() {
		if _, err := repo.Write(b.cached(trimDir, "text", filepath.FromSlash(name)), []byte(content)); err != nil {
			return "", err
		}
	}
	return b.trimmedModFile()
}

// moduleDir is where the published module lies, fetched if need be; "" when this module does not require it.
func (b *builder) moduleDir(ctx context.Context, path string) (string, error) {
	content, err := os.ReadFile(filepath.Join(b.root, "go.mod"))
	if err != nil {
		return "", fmt.Errorf("reading go.mod: %w", err)
	}
	if !strings.Contains(string(content), path+" ") {
		return "", nil
	}
	cmd := exec.CommandContext(ctx, "go", "mod", "download", "-json", path)
	cmd.Dir = b.root
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("fetching %s: %w", path, err)
	}
	var module struct{ Dir string }
	if err := json.Unmarshal(out, &module); err != nil {
		return "", fmt.Errorf("reading where %s lies: %w", path, err)
	}
	return module.Dir, nil
}

// layValidator copies the validator's sources, without its tests and meta-schemas, and replaces some.
func (b *builder) layValidator(source string) error {
	for _, name := range validatorNames() {
		if _, err := os.Stat(filepath.Join(source, name)); err != nil {
			return fmt.Errorf("replacing a file of the validator that it does not have (was it upgraded?): %w", err)
		}
	}
	if err := os.RemoveAll(b.cached(trimDir, "validator", "metaschemas")); err != nil {
		return fmt.Errorf("tidying the validator: %w", err)
	}
	return filepath.WalkDir(source, func(at string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("copying the validator: %w", err)
		}
		name, err := filepath.Rel(source, at)
		if err != nil {
			return fmt.Errorf("copying the validator: %w", err)
		}
		if entry.IsDir() {
			return skipFolder(entry.Name())
		}
		if strings.HasSuffix(name, "_test.go") {
			return nil
		}
		content, replaced := validatorFile(filepath.ToSlash(name))
		if !replaced {
			if content, err = os.ReadFile(at); err != nil {
				return fmt.Errorf("copying the validator: %w", err)
			}
		}
		_, err = repo.Write(b.cached(trimDir, "validator", name), content)
		return err
	})
}

// skipFolder leaves out what no program is built from.
func skipFolder(name string) error {
	switch name {
	case "testdata", "cmd", "metaschemas":
		return fs.SkipDir
	}
	return nil
}

// trimmedModFile writes go.mod with the two replacements, and go.sum beside it.
func (b *builder) trimmedModFile() (string, error) {
	for _, name := range []string{"go.mod", "go.sum"} {
		content, err := os.ReadFile(filepath.Join(b.root, name))
		if err != nil {
			return "", fmt.Errorf("reading %s: %w", name, err)
		}
		if name == "go.mod" {
			prefix := "./" + repo.CacheDir + "/" + trimDir
			content = fmt.Appendf(content, "\nreplace %s => %s/validator\n\nreplace %s => %s/text\n", validatorModule, prefix, textModule, prefix)
		}
		if _, err := repo.Write(b.cached(trimDir, name), content); err != nil {
			return "", err
		}
	}
	return repo.TrimmedModFile, nil
}
