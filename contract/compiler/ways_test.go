package compiler_test

import (
	"strings"
)

// way is one way for a module to get at the package's functions, or only to look as if it did.
type way struct {
	name string
	// write makes a project that declares the lamp by a form.
	write func(form) files
	// none means that it only looks like a declaration.
	none bool
}

// spelled is a module: some lines, and the declaration with the functions by these names.
func spelled(f form, head, component, action, schema string) string {
	names := strings.NewReplacer("COMPONENT", component, "ACTION", action, "SCHEMA", schema)
	return head + "\n" + names.Replace(f.before) + "\nexport const lamp = " + component + `({ type: "lamp", description: "The lamp", actions: { turn: ` +
		names.Replace(f.action) + " } });\n"
}

// in is a project with main.ts and more.
func in(f form, main string, more files) files {
	all := files{"main.ts": main}
	for name, content := range f.more {
		all[name] = content
	}
	for name, content := range more {
		all[name] = content
	}
	return all
}

const plainImport = `import { defineAgentComponentContract, actionContract, fromJsonSchema } from "pagewarden";`

func plain(f form) files {
	return in(f, spelled(f, plainImport, "defineAgentComponentContract", "actionContract", "fromJsonSchema"), nil)
}

func same() []way {
	simple := func(name, head, component, action, schema string, more files) way {
		return way{name: name, write: func(f form) files { return in(f, spelled(f, head, component, action, schema), more) }}
	}
	prefixed := func(name, head, prefix string, more files) way {
		return simple(name, head, prefix+"defineAgentComponentContract", prefix+"actionContract", prefix+"fromJsonSchema", more)
	}
	all := func(from string) string {
		return `{ defineAgentComponentContract, actionContract, fromJsonSchema } ` + from
	}
	return []way{
		{name: "plain", write: plain},
		simple("renamed", `import { defineAgentComponentContract as one, actionContract as two, fromJsonSchema as three } from "pagewarden";`, "one", "two", "three", nil),
		prefixed("namespace", `import * as pw from "pagewarden";`, "pw.", nil),
		simple("brackets and optional calls", `import * as pw from "pagewarden";`, `pw["defineAgentComponentContract"]?.`, "pw?.actionContract", "pw[`fromJsonSchema`]", nil),
		prefixed("re-exported twice", `import `+all(`from "./first";`), "", files{
			"first.ts": `export { a as defineAgentComponentContract, b as actionContract, fromJsonSchema } from "./second";`,
			"second.ts": `import { defineAgentComponentContract as a, fromJsonSchema } from "pagewarden";
				export { a, fromJsonSchema }; export { actionContract as b } from "pagewarden";`}),
		prefixed("stars twice", `import `+all(`from "./first";`), "", files{"first.ts": `export * from "./second";`, "second.ts": `export * from "pagewarden"; export const other = 1;`}),
		prefixed("namespace handed on", `import { kit } from "./first";`, "kit.pw.", files{
			"first.ts": `import * as second from "./second"; export { second as kit };`, "second.ts": `export * as pw from "pagewarden";`}),
		simple("default export", `import define from "./kit"; import { actionContract, fromJsonSchema } from "pagewarden";`, "define", "actionContract", "fromJsonSchema", files{
			"kit.ts": `import { defineAgentComponentContract } from "pagewarden"; export default defineAgentComponentContract;`}),
		simple("default re-exported", `import define from "./kit"; import { actionContract, fromJsonSchema } from "pagewarden";`, "define", "actionContract", "fromJsonSchema", files{
			"kit.ts": `export { default } from "./deep";`, "deep.ts": `export { defineAgentComponentContract as default } from "pagewarden";`}),
		prefixed("object", `import kit from "./kit";`, "kit.", files{
			"kit.ts": `import * as pw from "pagewarden"; export default { defineAgentComponentContract: pw.defineAgentComponentContract, ...{ actionContract: pw.actionContract }, fromJsonSchema: pw.fromJsonSchema, now: Date.now() };`}),
		simple("constants", plainImport+`const one = defineAgentComponentContract, two = one, deep = { action: actionContract, schema: fromJsonSchema };`, "two", "deep.action", "deep.schema", nil),
		simple("variables that stay", plainImport+`let one = defineAgentComponentContract; var two = actionContract;`, "one", "two", "fromJsonSchema", nil),
		simple("destructured", `import * as pw from "pagewarden"; const { defineAgentComponentContract: one, ["actionContract"]: two, fromJsonSchema } = pw;`, "one", "two", "fromJsonSchema", nil),
		prefixed("imported dynamically", `const `+all("= await import(`pagewarden`);"), "", nil),
		prefixed("required", `declare const require: any; const `+all(`= require("pagewarden");`), "", nil),
		prefixed("a runtime", `import { load } from "pagewarden"; const runtime = await load({ wasm: "/pagewarden.wasm" });`, "runtime.", nil),
		prefixed("a runtime handed on", `import { runtime } from "./runtime";`, "runtime.", files{
			"runtime.ts": `import { load } from "pagewarden"; const loading = load({ wasm: "/x" }); export const runtime = await loading;`}),
		prefixed("the global", `declare const PageWarden: any; const pw = await PageWarden.ready;`, "pw.", nil),
		prefixed("the global of a window", ``, "(window as any).PageWarden.", nil),
		prefixed("the global in another module", `import { ready } from "./page"; const pw = await ready;`, "pw.", files{"page.ts": `export const { ready } = (globalThis as any).PageWarden;`}),
		prefixed("by address", `import `+all(`from "/pagewarden.mjs?v=1";`), "", nil),
		prefixed("by address of another server", `import `+all(`from "https://cdn.example/pagewarden@1/pagewarden.mjs";`), "", nil),
		prefixed("beside the page", `import `+all(`from "./pagewarden.mjs";`), "", nil),
		prefixed("linked", `import `+all(`from "./dist/pagewarden.mjs";`), "", files{"dist/pagewarden.mjs": `export const defineAgentComponentContract = (x) => x, actionContract = (x) => x, fromJsonSchema = (x) => x;`}),
		prefixed("by a path alias", `import `+all(`from "@kit/functions";`), "", files{
			"tsconfig.json": `{ "compilerOptions": { "paths": { "@kit/*": ["./kit/*"] } } }`, "kit/functions.ts": `export * from "pagewarden";`}),
		lazy(), inFunction(), jsx(), workspace(),
	}
}

func lazy() way {
	return way{name: "lazy chunk", write: func(f form) files {
		main := "const open = () => import(\"./chunk\");\nexport default { open };"
		return in(f, main, files{"chunk.ts": plain(f)["main.ts"]})
	}}
}

func inFunction() way {
	return way{name: "in a function", write: func(f form) files {
		body := spelled(f, "", "defineAgentComponentContract", "actionContract", "fromJsonSchema")
		if strings.Contains(f.before, "import ") || strings.Contains(f.before, "enum ") {
			return plain(f)
		}
		body = strings.Replace(body, "export const", "const", 1)
		return in(f, plainImport+"\nexport function start(register: any, flag: boolean) { if (flag) { for (;;) { try {"+body+"; register(lamp); break } catch { break } } } }", nil)
	}}
}

func jsx() way {
	return way{name: "JSX", write: func(f form) files {
		all := plain(f)
		main := all["main.ts"] + "\nexport const App = () => <main title=\"defineAgentComponentContract({})\">defineAgentComponentContract</main>;\n"
		all["app.tsx"] = main
		all["main.ts"] = `export * from "./app";`
		return all
	}}
}

func workspace() way {
	return way{name: "workspace package", write: func(f form) files {
		all := in(f, `import "@our/lamp";`, files{"packages/lamp/index.ts": plain(f)["main.ts"], "packages/lamp/package.json": `{ "name": "@our/lamp", "main": "index.ts" }`})
		for name, content := range f.more {
			delete(all, name)
			all["packages/lamp/"+name] = content
		}
		all["node_modules/@our/lamp"] = "-> ../../packages/lamp"
		return all
	}}
}

// looks are ways of writing what only looks like a declaration.
func looks() []way {
	none := func(name string, wrap func(f form, module string) files) way {
		return way{name: name, none: true, write: func(f form) files { return wrap(f, plain(f)["main.ts"]) }}
	}
	call := func(f form, component string) string {
		f.before = ""
		text := spelled(f, "", component, "String", "String")
		return strings.Replace(text, "export const lamp =", "return", 1)
	}
	return []way{
		none("comment", func(f form, module string) files {
			return in(f, plainImport+"\nexport const kinds = [typeof defineAgentComponentContract, typeof actionContract];\n/* "+strings.ReplaceAll(module, "*/", "")+" */\n// defineAgentComponentContract({ type: \"lamp\" })\n", nil)
		}),
		none("string", func(f form, module string) files {
			return in(f, plainImport+"\nexport const kinds = [typeof defineAgentComponentContract, typeof actionContract]; export const code = "+quoted(module)+";", nil)
		}),
		none("template", func(f form, module string) files {
			return in(f, plainImport+"\nexport const kinds = [typeof defineAgentComponentContract, typeof actionContract]; export const code = `"+strings.NewReplacer("`", "", "${", "$").Replace(module)+"`;", nil)
		}),
		none("shadowed by a parameter", func(f form, _ string) files {
			return in(f, plainImport+"\nexport const kinds = [typeof defineAgentComponentContract, typeof actionContract]; export function f(defineAgentComponentContract: any, what: any, ...l: any) {"+call(f, "defineAgentComponentContract")+"}", nil)
		}),
		none("shadowed by a constant", func(f form, _ string) files {
			return in(f, plainImport+"\nexport const kinds = [typeof defineAgentComponentContract, typeof actionContract]; export function f() { const defineAgentComponentContract: any = String; "+call(f, "defineAgentComponentContract")+"}", nil)
		}),
		none("shadowed by a constant below", func(f form, _ string) files {
			return in(f, plainImport+"\nexport const kinds = [typeof defineAgentComponentContract, typeof actionContract]; export function f() { { "+call(f, "defineAgentComponentContract")+" } var defineAgentComponentContract: any = String; }", nil)
		}),
		none("shadowed by a function", func(f form, _ string) files {
			return in(f, plainImport+"\nexport const kinds = [typeof defineAgentComponentContract, typeof actionContract]; export const f = () => { "+call(f, "defineAgentComponentContract")+"; function defineAgentComponentContract(x: any) { return x } }", nil)
		}),
		none("shadowed by catch", func(f form, _ string) files {
			return in(f, plainImport+"\nexport const kinds = [typeof defineAgentComponentContract, typeof actionContract]; export const f = () => { try {} catch (defineAgentComponentContract: any) { "+call(f, "defineAgentComponentContract")+" } }", nil)
		}),
		none("shadowed namespace", func(f form, _ string) files {
			return in(f, "import * as pw from \"pagewarden\"; export const kind = typeof pw.actionContract; export const f = (pw: any) => {"+call(f, "pw.defineAgentComponentContract")+"}", nil)
		}),
		none("shadowed global", func(f form, _ string) files {
			return in(f, "export const f = (PageWarden: any) => {"+call(f, "PageWarden.defineAgentComponentContract")+"}", nil)
		}),
		none("shadowed global below", func(f form, _ string) files {
			return in(f, "export function f() { { "+call(f, "PageWarden.defineAgentComponentContract")+" } if (f) { for (;;) { var PageWarden: any = String; } } }", nil)
		}),
		none("another package's", func(f form, module string) files {
			module = strings.ReplaceAll(module, `from "pagewarden"`, `from "./pagewarden"`)
			return in(f, module, files{"pagewarden.ts": `export const defineAgentComponentContract = (x: any) => x, actionContract = (x: any) => x, fromJsonSchema = (x: any) => x, authenticated = () => 1;`})
		}),
		none("not in the graph", func(f form, module string) files {
			return in(f, plainImport+"\nexport const kinds = [typeof defineAgentComponentContract, typeof actionContract]; import type { Lamp } from \"./lamp\"; if (process.env.NODE_ENV !== \"production\") import(\"./lamp\"); export type L = Lamp;", files{"lamp.ts": module + "export type Lamp = 1;"})
		}),
	}
}
