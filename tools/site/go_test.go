package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var indent = regexp.MustCompile(`(?m)^\t+| *$`)

// TestGoGuidesShowWhatRuns: the pieces of Go in the guides are those of the examples, which are compiled and tested. A line
// with … leaves something out.
func TestGoGuidesShowWhatRuns(t *testing.T) {
	root, texts := checkout(t)
	var sources []string
	for _, example := range []string{"examples/native/*.go", "examples/go-page/*.go", "examples/mcp-server/*.go", "adaptertest/example_test.go"} {
		names, err := filepath.Glob(filepath.Join(root, filepath.FromSlash(example)))
		if err != nil || len(names) == 0 {
			t.Fatalf("no sources at %s: %v", example, err)
		}
		for _, name := range names {
			content, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			sources = append(sources, indent.ReplaceAllString(string(content), ""))
		}
	}
	all, pieces := strings.Join(sources, "\n"), 0
	for _, d := range texts {
		if !slices.Contains([]string{"docs/adapters.md", "docs/contract.md", "docs/go.md", "docs/mcp.md"}, d.path) {
			continue
		}
		for _, s := range d.snippets() {
			if s.language != "go" || strings.HasPrefix(s.code, "package main") {
				continue
			}
			pieces++
			for part := range strings.SplitSeq(s.code, "…\n") {
				if part = strings.TrimSpace(indent.ReplaceAllString(part, "")); part == "" || !strings.Contains(all, part) {
					t.Errorf("%s:%d: this is in no example:\n%s", d.path, s.line, part)
				}
			}
		}
	}
	if pieces != 10 {
		t.Errorf("%d pieces of Go were compared; tools/site/claims.go says 10", pieces)
	}
}

// TestProgramOfTheGoGuide makes a module of its own of the program of docs/go.md, as the guide says, and runs it. It
// fetches nothing: the go.sum of this repository stands in for go mod tidy.
func TestProgramOfTheGoGuide(t *testing.T) {
	root, _ := checkout(t)
	guide, err := os.ReadFile(filepath.Join(root, "docs", "go.md"))
	if err != nil {
		t.Fatal(err)
	}
	sums, err := os.ReadFile(filepath.Join(root, "go.sum"))
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, content := range map[string]string{
		"main.go": marked(t, string(guide), "go-program", "go"), "go.sum": string(sums), "go.mod": "module example.com/lamp\n\ngo 1.26\n",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	const edit = "go mod edit -replace github.com/pagewarden/pagewarden=path/to/this/folder"
	if !strings.Contains(string(guide), "```sh\ngo mod init example.com/lamp\n"+edit+"\n```") {
		t.Error("docs/go.md begins with other commands than this test")
	}
	if tidy, end := strings.Index(string(guide), "`go mod tidy`"), strings.Index(string(guide), "<!-- /go-program -->"); tidy < end {
		t.Error("docs/go.md has go mod tidy before the program: it would find nothing to import")
	}
	command(t, dir, strings.Fields(strings.Replace(edit, "path/to/this/folder", root, 1))...)
	command(t, dir, "go", "mod", "edit", "-require", "github.com/pagewarden/pagewarden@v0.0.0")
	out := command(t, dir, "go", "run", "-mod=mod", ".")
	if want := marked(t, string(guide), "go-output", "text"); out != want {
		t.Errorf("the program prints\n%sdocs/go.md says\n%s", out, want)
	}
}

// TestPageOfYourOwn builds a page as docs/go.md says, and looks for the loader where it says.
func TestPageOfYourOwn(t *testing.T) {
	root, _ := checkout(t)
	guide, err := os.ReadFile(filepath.Join(root, "docs", "go.md"))
	if err != nil {
		t.Fatal(err)
	}
	const build, loader = "`GOOS=js GOARCH=wasm go build -o page.wasm .`", "`$(go env GOROOT)/lib/wasm/wasm_exec.js`"
	if !strings.Contains(string(guide), build) || !strings.Contains(string(guide), loader) {
		t.Fatal("docs/go.md says otherwise how a page is built")
	}
	goroot := strings.TrimSpace(command(t, root, "go", "env", "GOROOT"))
	if _, err := os.Stat(filepath.Join(goroot, "lib", "wasm", "wasm_exec.js")); err != nil {
		t.Error(err)
	}
	wasm := filepath.Join(t.TempDir(), "page.wasm")
	command(t, filepath.Join(root, "examples", "go-page"), "env", "GOOS=js", "GOARCH=wasm", "go", "build", "-ldflags=-s -w", "-o", wasm, ".")
	if content, err := os.ReadFile(wasm); err != nil || !strings.HasPrefix(string(content), "\x00asm") {
		t.Errorf("there is no wasm: %v", err)
	}
}

// marked is the snippet between marks.
func marked(t *testing.T, text, name, language string) string {
	t.Helper()
	_, rest, opened := strings.Cut(text, "<!-- "+name+" -->\n```"+language+"\n")
	code, _, closed := strings.Cut(rest, "```\n<!-- /"+name+" -->")
	if !opened || !closed {
		t.Fatalf("there is no snippet %s", name)
	}
	return code
}

func command(t *testing.T, dir string, args ...string) string {
	t.Helper()
	c := exec.CommandContext(t.Context(), args[0], args[1:]...)
	c.Dir, c.Env = dir, append(os.Environ(), "GOPROXY=off")
	var stdout, stderr strings.Builder
	c.Stdout, c.Stderr = &stdout, &stderr
	if err := c.Run(); err != nil {
		t.Fatalf("%q: %v\n%s", args, err, stderr.String())
	}
	return stdout.String()
}
