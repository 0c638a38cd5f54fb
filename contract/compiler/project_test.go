package compiler_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/contract/compiler"
)

func TestFindProject(t *testing.T) {
	dir := project(t, files{
		"app/pagewarden.json":       `{ "entries": ["main.ts"], "root": "public", "external": ["x"], "alias": { "a": "b" }, "conditions": ["c"], "loader": { ".js": "jsx" }, "tsconfig": "t.json" }`,
		"app/src/deep/main.ts":      "",
		"broken/pagewarden.json":    "{",
		"unknown/pagewarden.json":   `{ "entries": ["a"], "entrys": 1 }`,
		"nothing/pagewarden.json":   `{}`,
		"wrongtype/pagewarden.json": `{ "entries": "main.ts" }`,
	}).Dir
	p, err := compiler.FindProject(filepath.Join(dir, "app", "src", "deep"))
	if err != nil || p.Dir != filepath.Join(dir, "app") || p.Entries[0] != "main.ts" || p.Root != "public" || p.Loaders[".js"] != "jsx" {
		t.Errorf("project %+v, %v", p, err)
	}
	if want := filepath.Join(dir, "app", ".pagewarden", "contract.json"); p.ContractPath() != want {
		t.Errorf("contract at %s; want %s", p.ContractPath(), want)
	}
	for folder, says := range map[string]string{"broken": "unexpected EOF", "unknown": "entrys", "nothing": `"entries"`, "wrongtype": "entries"} {
		if _, err := compiler.FindProject(filepath.Join(dir, folder)); err == nil || !strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), "pagewarden.json") {
			t.Errorf("%s: error %v; want %q", folder, err, says)
		}
	}
	if _, err := compiler.FindProject(dir); !errors.Is(err, compiler.ErrNoProject) {
		t.Errorf("error %v; want ErrNoProject", err)
	}
}

// TestSettingsOfAProject declares the lamp in a module that only the setting leads to.
func TestSettingsOfAProject(t *testing.T) {
	tests := []struct {
		name    string
		sources files
		set     func(*compiler.Project)
	}{
		{"root", files{"main.ts": `import "/lib/lamp.js?v=2"; import "/made/at/run-time.js"; import "//other.example/x.js"; import "https://other.example/y.js";`, "public/lib/lamp.js": lampSource},
			func(p *compiler.Project) { p.Root = "public" }},
		{"alias", files{"main.ts": `import "our-lamp";`, "lib/lamp.ts": lampSource}, func(p *compiler.Project) { p.Alias = map[string]string{"our-lamp": "./lib/lamp.ts"} }},
		{"external", files{"main.ts": `import "virtual:x"; import "./lamp";`, "lamp.ts": lampSource}, func(p *compiler.Project) { p.External = []string{"virtual:*"} }},
		{"conditions", files{"main.ts": `import "#lamp";`, "package.json": `{ "imports": { "#lamp": { "ours": "./lamp.js", "default": "./none.js" } } }`, "lamp.js": lampSource, "none.js": ""},
			func(p *compiler.Project) { p.Conditions = []string{"ours"} }},
		{"loader", files{"main.js": lampSource + `export const App = () => <p>lamp</p>;`}, func(p *compiler.Project) { p.Loaders = map[string]string{".js": "jsx"} }},
		{"loader of an extension", files{"main.ts": `import "./lamp.es6";`, "lamp.es6": lampSource}, func(p *compiler.Project) { p.Loaders = map[string]string{".es6": "js"} }},
		{"tsconfig", files{"main.ts": `import "@/lamp";`, "lib/lamp.ts": lampSource, "other.json": `{ "compilerOptions": { "paths": { "@/*": ["./lib/*"] } } }`},
			func(p *compiler.Project) { p.Tsconfig = "other.json" }},
		{"lazy chunks by a computed name", files{"main.ts": "export const open = (name: string) => import(`./pages/${name}.ts`);", "pages/lamp.ts": lampSource}, nil},
		{"CommonJS", files{"main.ts": `import "./old.cjs";`, "old.cjs": `const p = require("pagewarden"); module.exports = { lamp: p.defineAgentComponentContract({ type: "lamp", description: "A lamp",
			actions: { turn: p.actionContract({ description: "Turn it", effect: "local-state", input: p.emptyObjectSchema }) } }) };`}, nil},
		{"two entries", files{"main.ts": "", "lamp.ts": lampSource}, func(p *compiler.Project) { p.Entries = append(p.Entries, "lamp.ts") }},
		{"absolute entry", files{"main.ts": lampSource}, func(p *compiler.Project) { p.Entries[0] = filepath.Join(p.Dir, p.Entries[0]) }},
		{"assets", files{"main.ts": `import logo from "./logo.svg"; import "./style.css"; import text from "./x.unknown"; import "./lamp"; console.log(logo, text);`,
			"logo.svg": "<svg/>", "style.css": "a { background: url(gone.png) }", "x.unknown": "x", "lamp.ts": lampSource}, nil},
		{"Vue", files{"main.ts": `import App from "./App.vue"; console.log(App);`, "lamp.ts": lampSource,
			"App.vue":  "<!-- <script>import './gone'</script> -->\n<template><Lamp/></template>\n<script setup lang=\"ts\">\nimport Lamp from './Lamp.vue'; import type { Gone } from './gone'; const x: Gone = 1;\n</script>\n<style>a{}</style>",
			"Lamp.vue": "<script>\nimport './lamp';\nexport default {};\n</script><template/>"}, nil},
		{"Svelte", files{"main.ts": `import App from "./App.svelte"; console.log(App);`, "App.svelte": "<script lang=\"ts\">\n" + lampSource + "</script>\n<p>{lamp}</p>"}, nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := project(t, test.sources)
			if test.set != nil {
				test.set(&p)
			}
			result := recompiled(t, p, nil)
			if result.Manifest == nil || len(result.Manifest.Capabilities) != 1 {
				t.Errorf("manifest %+v, problems:\n%s", result.Manifest, lines(result.Problems))
			}
		})
	}
}

func TestWrongLoader(t *testing.T) {
	p := project(t, files{"main.ts": ""})
	for _, loaders := range []map[string]string{{".js": "coffee"}, {"js": "jsx"}} {
		p.Loaders = loaders
		if _, err := compiler.Compile(t.Context(), compiler.Options{Project: p}); err == nil || !strings.Contains(err.Error(), `"loader" takes`) {
			t.Errorf("%v: error %v", loaders, err)
		}
	}
}

func TestPlacesInAComponent(t *testing.T) {
	result := compiled(t, files{"main.ts": `import "./Lamp.vue";`, "Lamp.vue": "<template>\n  <p/>\n</template>\n<script setup lang=\"ts\">import { defineAgentComponentContract as d } from \"pagewarden\";\nconst lamp: unknown = d({ type: document.title });</script>\n"})
	if got := lines(result.Problems); !strings.HasPrefix(got, "Lamp.vue:5:33: ") {
		t.Errorf("problems %s", got)
	}
	_, err := compiler.Compile(t.Context(), compiler.Options{Project: project(t, files{"main.ts": `import "./Lamp.vue";`, "Lamp.vue": "\n<script>let = = 1;</script>"})})
	if err == nil || !strings.Contains(err.Error(), "Lamp.vue:2:15") {
		t.Errorf("error %v", err)
	}
}

// TestNotesSayWhatCannotBeFollowed has declarations that only the running page could tell from others: no problem, since
// the authority refuses what the contract lacks, but worth a word to an author.
func TestNotesSayWhatCannotBeFollowed(t *testing.T) {
	sources := files{
		"main.ts":     `import { load } from "pagewarden"; import { register } from "./register"; const runtime = await load({ wasm: "" }); register(runtime);` + "\nexport const own = (pw: any) => pw.defineAgentProcedureContract({});",
		"register.ts": `export function register(runtime: any) { return runtime.defineAgentComponentContract({ type: "lamp" }); }`,
	}
	want := "main.ts:2:33: this names defineAgentProcedureContract, which cannot be followed to the package: what it declares is not in the contract: `pw.defineAgentProcedureContract`; if it is the package's, import it: import { defineAgentProcedureContract } from \"pagewarden\"\n" +
		"register.ts: this names defineAgentComponentContract, which cannot be followed to the package: what it declares is not in the contract; if it is the package's, import it: import { defineAgentComponentContract } from \"pagewarden\"\n"
	result := compiled(t, sources)
	if got := lines(result.Notes); got != want || len(result.Problems) > 0 {
		t.Errorf("notes\n%s\nwant\n%s\nproblems %s", got, want, lines(result.Problems))
	}
}

// TestFileThatGoesAwayIsAnError removes a source between the graph and the look into it.
func TestFileThatGoesAwayIsAnError(t *testing.T) {
	p := project(t, files{"main.ts": lampSource})
	ctx, stop := context.WithCancel(t.Context())
	err := compiler.Watch(ctx, p, func(b compiler.Build) {
		defer stop()
		if err := os.Remove(filepath.Join(p.Dir, "main.ts")); err != nil {
			t.Error(err)
		}
		if _, err := b.Compile(t.Context(), nil); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("error %v; want that there is no such file", err)
		}
	})
	if err != nil {
		t.Error(err)
	}
}
