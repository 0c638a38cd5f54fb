package main

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
)

// standIn is a checkout with the least that the build needs.
func standIn(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range map[string]string{
		"go.mod": "module example.com/standin\n\ngo 1.26.0\n",
		"wasm/main.go": "package main\n\nimport \"example.com/standin/part\"\n\n" +
			"func main() { println(part.Mode) }\n",
		"part/normal.go":  "//go:build !faults\n\npackage part\n\nconst Mode = \"normal\"\n",
		"part/faults.go":  "//go:build faults\n\npackage part\n\nconst Mode = \"faulty\"\n",
		"web/shim.js":     "/*! a legal comment */\nexport const buildID = __BUILD_ID__;\nexport const unusedByPages = () => buildID;\n",
		"web/classic.js":  "import * as shim from \"./shim.js\";\nglobalThis.PageWarden = { id: shim.buildID };\n",
		"web/module.js":   "export * from \"./shim.js\";\n",
		"web/demo/app.js": "not part of the build",
	} {
		put(t, root, name, content)
	}
	return root
}

func TestBuildFillsTheFolder(t *testing.T) {
	root := standIn(t)
	put(t, root, "web/pagewarden.d.ts", "export const buildID: string;\n")
	out := build(t, root, "-faults")
	for _, line := range []string{
		"dist         build id", "dist         wasm", "dist         brotli", "dist/faults  wasm", "dist/faults  scripts",
	} {
		if !strings.Contains(out, line) {
			t.Errorf("the output has no line that starts with %q:\n%s", line, out)
		}
	}
	id := regexp.MustCompile(`build id +[0-9.]+ s +([0-9a-f]{32}) of 7 files`).FindStringSubmatch(out)
	if id == nil {
		t.Fatalf("no build id of 7 files (go.mod, 3 of Go, 3 scripts; no go.sum, one variant of part):\n%s", out)
	}
}

// readSection writes the build id of a wasm as the page's script reads it.
const readSection = "const module=new WebAssembly.Module(require('fs').readFileSync(process.argv[1]));" +
	"for(const section of WebAssembly.Module.customSections(module,'" + sectionName + "'))console.log(Buffer.from(section).toString())"

func TestScriptsCarryTheIDOfTheWASM(t *testing.T) {
	root := standIn(t)
	build(t, root, "-faults")
	for _, test := range []struct{ dir, mode string }{{"dist", "normal"}, {"dist/faults", "faulty"}} {
		wasm := filepath.Join(root, test.dir, "pagewarden.wasm")
		if mode := strings.TrimSpace(runWASM(t, wasm)); mode != test.mode {
			t.Errorf("%s: the wasm says %q; want %q", test.dir, mode, test.mode)
		}
		id := node(t, readSection, wasm)
		if len(id) != idLength {
			t.Fatalf("%s: the wasm's id is %q", test.dir, id)
		}
		classic := node(t, "require(process.argv[1]);console.log(globalThis.PageWarden.id)", filepath.Join(root, test.dir, "pagewarden.js"))
		module := node(t, "import(process.argv[1]).then((m)=>console.log(m.buildID))", filepath.Join(root, test.dir, "pagewarden.mjs"))
		if classic != id || module != id {
			t.Errorf("%s: wasm %q, classic script %q, module %q; want one id", test.dir, id, classic, module)
		}
	}
}

func TestClassicScriptSetsOneGlobal(t *testing.T) {
	root := standIn(t)
	build(t, root)
	program := "const before=new Set(Object.getOwnPropertyNames(globalThis));" +
		"(0,eval)(require('fs').readFileSync(process.argv[1],'utf8'));" +
		"console.log(Object.getOwnPropertyNames(globalThis).filter((n)=>!before.has(n)).join())"
	if got := node(t, program, filepath.Join(root, "dist/pagewarden.js")); got != "PageWarden" {
		t.Errorf("the script set %q; want PageWarden only", got)
	}
	script := read(t, root, "dist/pagewarden.js")
	if bytes.Contains(script, []byte("legal")) {
		t.Errorf("comments are left: %s", script)
	}
	if !bytes.HasPrefix(script, []byte(`"use strict";`)) {
		t.Errorf("its functions tell whom they call their arguments: %s", script)
	}
}

func TestOptionalScriptsStandBesideTheRuntime(t *testing.T) {
	root := standIn(t)
	without := buildIDOf(t, newBuilder(root, shipped(), io.Discard, quick))
	put(t, root, "web/dialog.js", "import css from \"./look.css\";\nexport const look = css;\nexport const over = { first: 1 };\n")
	put(t, root, "web/look.css", "/* a comment */\na::before {\n  color : red ;\n}\n")
	put(t, root, "web/pagewarden-dialog.d.ts", "export const look: string;\n")
	build(t, root, "-faults")
	program := "import(process.argv[1]).then((m)=>console.log(m.look,JSON.stringify(m.over)))"
	// Node warns that the package does not say what a .js file is.
	if got := node(t, program, filepath.Join(root, "dist/pagewarden-dialog.js")); !strings.HasPrefix(got, `a:before{color:red} {"first":1}`+"\n") {
		t.Errorf("the script gives %q; want the style sheet as small text, and names as they are", got)
	}
	if types := read(t, root, "dist/pagewarden-dialog.d.ts"); string(types) != "export const look: string;\n" {
		t.Errorf("the types are %q", types)
	}
	if !bytes.Contains(read(t, root, "dist/package.json"), []byte(`"types": "./pagewarden-dialog.d.ts"`)) {
		t.Error("package.json does not export the script with its types")
	}
	if with := buildIDOf(t, newBuilder(root, shipped(), io.Discard, quick)); with != without {
		t.Error("the script changed the build id, which ties the runtime's scripts to its wasm only")
	}
	if _, err := os.Stat(filepath.Join(root, "dist/faults/pagewarden-dialog.js")); err == nil {
		t.Error("the build with faults has it too")
	}
}

// TestBundledPackages: what others wrote goes in with its license, and what is not installed is said.
func TestBundledPackages(t *testing.T) {
	root := standIn(t)
	put(t, root, "web/webtools.js", "import { name } from \"namer\";\nimport { other } from \"@scope/other\";\nexport const mode = () => process.env.NODE_ENV;\nexport const named = name + other;\n")
	put(t, root, "web/pagewarden-webtools.d.ts", "export const named: string;\n")
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"-root", root}, io.Discard, &stderr, quick); code != 1 || !strings.Contains(stderr.String(), "namer") || !strings.Contains(stderr.String(), "make setup") {
		t.Errorf("without the packages: exit code %d, says %q", code, &stderr)
	}
	for name, text := range map[string]string{"namer": "name", "@scope/other": "other"} {
		at := "tools/node/node_modules/" + name + "/"
		put(t, root, at+"package.json", `{"main":"index.js"}`)
		put(t, root, at+"index.js", "export const "+text+" = \""+text+"\";\n")
	}
	stderr.Reset()
	if code := run(t.Context(), []string{"-root", root}, io.Discard, &stderr, quick); code != 1 || !strings.Contains(stderr.String(), "license of @scope/other") {
		t.Errorf("without licenses: exit code %d, says %q", code, &stderr)
	}
	put(t, root, "tools/node/node_modules/namer/LICENSE.md", "The first license\n")
	put(t, root, "tools/node/node_modules/@scope/other/LICENSE", "The second license\n")
	build(t, root)
	if got := string(read(t, root, "dist/pagewarden-webtools.licenses.txt")); got != "@scope/other\n\nThe second license\nnamer\n\nThe first license\n" {
		t.Errorf("the licenses are %q", got)
	}
	got := node(t, "import(process.argv[1]).then((m)=>console.log(m.named,m.mode()))", filepath.Join(root, "dist/pagewarden-webtools.js"))
	if !strings.HasPrefix(got, "nameother undefined\n") && !strings.HasPrefix(got, "nameother test\n") {
		t.Errorf("the script gives %q", got)
	}
}

func TestBrokenStyleSheetIsNamed(t *testing.T) {
	root := standIn(t)
	put(t, root, "web/dialog.js", "import css from \"./look.css\";\nexport const look = css;\n")
	put(t, root, "web/look.css", "a { color: red")
	put(t, root, "web/pagewarden-dialog.d.ts", "export const look: string;\n")
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"-root", root}, io.Discard, &stderr, quick); code != 1 || !strings.Contains(stderr.String(), "look.css:1") {
		t.Errorf("exit code %d, says %q; want 1 and the place", code, &stderr)
	}
}

func TestSecondBuildDoesNothing(t *testing.T) {
	root := standIn(t)
	build(t, root)
	before := modified(t, root, "dist/pagewarden.wasm")
	out := build(t, root)
	if !strings.Contains(out, "up to date") || !strings.Contains(out, "from the cache") {
		t.Errorf("second build:\n%s", out)
	}
	if after := modified(t, root, "dist/pagewarden.wasm"); before != after {
		t.Error("the second build wrote the wasm again")
	}
}

func TestWhatChangesTheID(t *testing.T) {
	tests := []struct {
		name, file, content string
		changes             bool
	}{
		{"Go source", "part/normal.go", "//go:build !faults\n\npackage part\n\nconst Mode = \"other\"\n", true},
		{"script", "web/shim.js", "export const buildID = __BUILD_ID__;\n", true},
		{"go.mod", "go.mod", "module example.com/standin\n\ngo 1.26.1\n", true},
		{"go.sum", "go.sum", "", true},
		{"a test", "part/part_test.go", "package part\n", false},
		{"the demo page", "web/demo/app.js", "other", false},
		{"a package of another program", "other/other.go", "package other\n", false},
	}
	root := standIn(t)
	b := newBuilder(root, shipped(), io.Discard, quick)
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			before := buildIDOf(t, b)
			put(t, root, test.file, test.content)
			if changed := buildIDOf(t, b) != before; changed != test.changes {
				t.Errorf("the id changed: %v; want %v", changed, test.changes)
			}
		})
	}
}

func TestBuildIDDoesNotDependOnTheFolder(t *testing.T) {
	first := buildIDOf(t, newBuilder(standIn(t), shipped(), io.Discard, quick))
	second := buildIDOf(t, newBuilder(standIn(t), shipped(), io.Discard, quick))
	faults := buildIDOf(t, newBuilder(standIn(t), faulty(), io.Discard, quick))
	if first != second || first == faults {
		t.Errorf("ids %s, %s in another folder, %s with faults", first, second, faults)
	}
}

func TestLinesAreAnotherBuild(t *testing.T) {
	root := standIn(t)
	build(t, root)
	plain := read(t, root, "dist/pagewarden.wasm")
	out := build(t, root, "-lines")
	if strings.Contains(out, "up to date") || !strings.Contains(out, "with the lines") {
		t.Errorf("the wasm without lines was taken for the one with:\n%s", out)
	}
	if with := read(t, root, "dist/pagewarden.wasm"); len(with) <= len(plain) {
		t.Errorf("%d bytes with lines and %d without", len(with), len(plain))
	}
}

func TestTrimmingReplacesOnlyFilesThatAreThere(t *testing.T) {
	source := t.TempDir()
	b := newBuilder(t.TempDir(), shipped(), io.Discard, quick)
	for _, name := range validatorNames() {
		put(t, source, name, "theirs")
	}
	put(t, source, "validator.go", "theirs")
	put(t, source, "validator_test.go", "theirs")
	put(t, source, "metaschemas/draft", "theirs")
	put(t, source, "kind/format.go", "theirs")
	if err := b.layValidator(source); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{"validator.go": true, "kind/format.go": true, "format.go": false} {
		if got := string(read(t, b.cached(trimDir, "validator"), name)) == "theirs"; got != want {
			t.Errorf("%s is theirs: %v; want %v", name, got, want)
		}
	}
	for _, name := range []string{"validator_test.go", "metaschemas"} {
		if _, err := os.Stat(b.cached(trimDir, "validator", name)); err == nil {
			t.Errorf("%s was copied", name)
		}
	}
	if err := os.Remove(filepath.Join(source, "loader.go")); err != nil {
		t.Fatal(err)
	}
	if err := b.layValidator(source); err == nil || !strings.Contains(err.Error(), "loader.go") {
		t.Errorf("after an upgrade without loader.go: %v; want an error that names it", err)
	}
}

func TestTouchedWASMIsBuiltAgain(t *testing.T) {
	root := standIn(t)
	build(t, root)
	want := read(t, root, "dist/pagewarden.wasm")
	put(t, root, "dist/pagewarden.wasm", "somebody's")
	build(t, root)
	if got := read(t, root, "dist/pagewarden.wasm"); !bytes.Equal(got, want) {
		t.Errorf("%d bytes after the repair; want %d", len(got), len(want))
	}
}

func TestCompressedCopyFollowsTheWASM(t *testing.T) {
	root := standIn(t)
	build(t, root)
	put(t, root, "part/normal.go", "//go:build !faults\n\npackage part\n\nconst Mode = \"changed\"\n")
	build(t, root)
	back, err := io.ReadAll(brotli.NewReader(bytes.NewReader(read(t, root, "dist/pagewarden.wasm.br"))))
	if err != nil || !bytes.Equal(back, read(t, root, "dist/pagewarden.wasm")) {
		t.Errorf("the compressed copy is of another wasm: %d bytes, %v", len(back), err)
	}
}

func TestFailedBuildLeavesNoCompressedCopyOfAnOlderOne(t *testing.T) {
	root := standIn(t)
	build(t, root)
	put(t, root, "part/normal.go", "//go:build !faults\n\npackage part\n\nconst Mode = undefined\n")
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"-root", root}, io.Discard, &stderr, quick); code != 1 {
		t.Fatalf("exit code %d; want 1", code)
	}
	if !strings.Contains(stderr.String(), "compiling ./wasm") || !strings.Contains(stderr.String(), "undefined: undefined") {
		t.Errorf("the error hides the compiler's words: %s", &stderr)
	}
	if _, err := os.Stat(filepath.Join(root, "dist", brotliName)); err == nil {
		t.Error("the old compressed copy is still there")
	}
}

func TestBrokenScriptIsNamed(t *testing.T) {
	root := standIn(t)
	put(t, root, "web/shim.js", "export const = 1;\n")
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"-root", root}, io.Discard, &stderr, quick); code != 1 {
		t.Fatalf("exit code %d; want 1", code)
	}
	if !strings.Contains(stderr.String(), "bundling web/classic.js") || !strings.Contains(stderr.String(), "web/shim.js:1:13") {
		t.Errorf("the error does not say where: %s", &stderr)
	}
}

func TestPackageJSONPromisesWhatIsThere(t *testing.T) {
	for _, typed := range []bool{false, true} {
		root := standIn(t)
		if typed {
			put(t, root, "web/pagewarden.d.ts", "export {};\n")
		}
		build(t, root)
		var m struct {
			Name    string
			Types   string
			Exports map[string]json.RawMessage
		}
		if err := json.Unmarshal(read(t, root, "dist/package.json"), &m); err != nil {
			t.Fatal(err)
		}
		if m.Name != "pagewarden" || (m.Types != "") != typed {
			t.Errorf("name %q, types %q; typed: %v", m.Name, m.Types, typed)
		}
		for path := range m.Exports {
			if _, err := os.Stat(filepath.Join(root, "dist", path)); err != nil {
				t.Errorf("typed %v: exports %s, which is not there", typed, path)
			}
		}
	}
}

func TestQuickLeavesOutOnlyTheSlowPart(t *testing.T) {
	root := standIn(t)
	if out := build(t, root, "-quick"); !strings.Contains(out, "left out") {
		t.Errorf("it does not say so:\n%s", out)
	}
	if _, err := os.Stat(filepath.Join(root, "dist", brotliName)); err == nil {
		t.Error("there is a compressed copy")
	}
	if bytes.Contains(read(t, root, "dist/package.json"), []byte(brotliName)) {
		t.Error("package.json promises the compressed copy")
	}
	build(t, root)
	if out := build(t, root, "-quick"); !strings.Contains(out, "from the cache") {
		t.Errorf("the cached copy is not used:\n%s", out)
	}
}

func TestPackageIsImportableByName(t *testing.T) {
	root := standIn(t)
	build(t, root)
	modules := filepath.Join(t.TempDir(), "node_modules")
	if err := os.CopyFS(filepath.Join(modules, "pagewarden"), os.DirFS(filepath.Join(root, "dist"))); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Dir(modules), "use.mjs", "import { buildID } from \"pagewarden\";\nconsole.log(buildID.length);\n")
	out, err := exec.CommandContext(t.Context(), "node", filepath.Join(filepath.Dir(modules), "use.mjs")).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "32" {
		t.Errorf("importing by name: %v\n%s", err, out)
	}
}

func TestUsage(t *testing.T) {
	for _, test := range []struct {
		args []string
		code int
		says string
	}{
		{[]string{"-h"}, 0, "-faults"},
		{[]string{"-nonsense"}, 2, "nonsense"},
		{[]string{"extra"}, 2, `unexpected "extra"`},
	} {
		var stderr bytes.Buffer
		if code := run(context.Background(), test.args, io.Discard, &stderr, quick); code != test.code || !strings.Contains(stderr.String(), test.says) {
			t.Errorf("%q: exit %d, says %q", test.args, code, &stderr)
		}
	}
}

func TestPruneKeepsTheNewest(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"a", "b", "c"} {
		put(t, dir, name, name)
	}
	old := modified(t, dir, "a").Add(-1e9)
	if err := os.Chtimes(filepath.Join(dir, "b"), old, old); err != nil {
		t.Fatal(err)
	}
	if err := prune(dir, 2); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "b")); err == nil {
		t.Error("the oldest is still there")
	}
	if entries, err := os.ReadDir(dir); err != nil || len(entries) != 2 {
		t.Errorf("%d files are left, %v; want 2", len(entries), err)
	}
}
