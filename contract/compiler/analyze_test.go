package compiler_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/contract/compiler"
)

// statements have a declaration, D, in every kind of statement.
func statements() []string {
	return []string{
		`if (a) b(D); else b();`, `if (a) b(); else b(D);`, `if (D) b();`, `switch (D) { case a: b(); }`, `switch (a) { case D: break; default: b() }`,
		`switch (a) { default: let c = D; b(c); function g() { } }`, `switch (a) { case 1: function g() { return D } }`,
		`for (let i = D; a; b(i)) { }`, `for (var i = 0; D; ) b(i);`, `for (a = D; ; ) break;`, `for (; ; a = D) break;`, `for (const c of D) b(c);`, `for (var c in D) b(c);`,
		`for (const [c = D] of a) b(c);`, `for (var [e = D] of a) b(e);`, `for (a.x of [D]) b();`, `for (; ;) D`, `while (D) b();`, `while (a) { D }`, `do { b() } while (D);`, `do D; while (a);`,
		`label: for (;;) { D; break label }`, `try { D } catch { }`, `try { b() } catch ({ c = D }) { b(c) }`, `try { b() } catch (c) { b(c, D) }`, `try { } finally { D }`, `throw D;`, `{ { D } }`, `;;; D; debugger`,
		`function g(c = D) { return c }`, `function g({ c = D }, [d = b], ...e) { return [c, d, e] }`, `function g(c, ...[d = D]) { return d }`,
		`const g = (c = D) => c; b(g);`, `const g = () => D; b(g);`, `const g = async () => { await D }; b(g);`, `const g = function h() { return D }; b(g);`,
		`function* g() { yield D; }`, `function* g() { yield* D; yield; }`, `async function* g() { for await (const c of D) yield c; }`, `function g() { return D }`, `function g() { return; }; D`,
		`class C extends D { }`, `class C { x = D }`, `class C { x; static y = D }`, `class C { static { D } }`, `class C { [D]() { } }`, `class C { [D] = 1 }`, `class C { m() { return D } }`,
		`class C { get x() { return D } set x(v) { } }`, `class C { #x = D; m() { return this.#x } }`, `const c = class { m() { D } }; b(c);`, `class C { constructor() { D } }`,
		`const { [D]: c } = a; b(c);`, `const { c = D } = a; b(c);`, `const { x: { y: [c = D] } } = a; b(c);`, `const [, ...[c = D]] = a; b(c);`, `let c; var d = D; b(c, d);`,
		`export default D`, `export default class { x = D }`, `export default function () { D }`, `export default async () => D`, `export class C { x = D }`, `export function g() { D }`, `export let c = D;`, `export var c = D;`,
	}
}

// expressions have a declaration, D, in every kind of expression.
func expressions() []string {
	return []string{
		`a = D`, `a.b = D`, `a[b] = D`, `a[D] = b`, `a(D).b = 1`, `a ??= D`, `[a = D] = b`, `({ x: a = D } = b)`, `({ a = D } = b)`, `({ [D]: a } = b)`,
		`b(D, 1)`, `b(...[D])`, `b([, D])`, `b([...[D]])`, `b({ x: D })`, `b({ ...D })`, `b({ [D]: 1 })`, `b({ m() { return D } })`, `b({ get x() { return D } })`, `b(() => ({ x: D }))`,
		`b(D ? 1 : 2)`, `b(a ? D : 2)`, `b(a ? 1 : D)`, `b(a || D)`, `b(D && a)`, `b(D + 1)`, `b(!D)`, `b(typeof D)`, `b(void D)`, `b(-a, +D)`, `(a++, D)`, `b((a, D))`, `b((D, a))`, `b(delete D.x)`,
		`new b(D)`, `new (D)()`, `b(new a.b, D)`, `b(D.x)`, `b(D[a])`, `b(a[D])`, `b(D?.x)`, `b(a?.(D))`, `D.bind({})`, `D?.bind?.({})`, "`${D}`", "a`${D}`", "(D)`x`", `import(D)`, `require(D)`, `b(await D)`, `b(import.meta, D)`,
		`b(function () { return new.target }, D)`, `b(class extends D {})`, `(class { static m() { super.m(D) } })`, `b(D as any, D2 as any)`,
	}
}

func TestDeclarationsAreFoundWhereverTheyStand(t *testing.T) {
	const call = `defineAgentComponentContract({ type: "lamp", description: "The lamp", actions: { turn: { description: "Turn it", effect: "local-state", input: { jsonSchema: { type: "object" } } } } })`
	const head = `import { defineAgentComponentContract } from "pagewarden"; let a: any, b: any, D2: any; export { a, b, D2 };` + "\n"
	for _, source := range append(statements(), expressions()...) {
		result, err := compiler.CompileText(t.Context(), head+strings.Replace(source, "D", call, 1))
		if err != nil {
			t.Errorf("%s: %v", source, err)
		} else if result.Manifest == nil || len(result.Manifest.Capabilities) != 1 {
			t.Errorf("%s: problems %s", source, lines(result.Problems))
		}
	}
}

// TestConstantsThatChangeAreRefused changes a constant in every way that code can be seen to.
func TestConstantsThatChangeAreRefused(t *testing.T) {
	for _, change := range []string{
		`base.text = "b";`, `base["text"] = "b";`, `base.deep.er = 1;`, `base.text += "b";`, `base.n++;`, `--base.n;`, `delete base.text;`, `[base.text] = ["b"];`, `({ x: base.text } = { x: "b" });`,
		`({ ...base.deep } = { x: "b" });`, `[...base.list] = [];`, `[base.text = 1] = [];`, `for (base.text of ["b"]) base;`, `for (base.text in {}) base;`, `Object.assign(base, {});`, `Object.defineProperty(base.deep, "x", {});`,
		`base.list.push(1);`, `base.list.sort();`, `function later() { base.text = "b"; } later();`,
	} {
		source := `import { defineAgentComponentContract as d } from "pagewarden"; const base: any = { text: "a", n: 1, deep: {}, list: [] };` + "\n" + change +
			"\n" + `d({ type: "lamp", description: base.text });`
		result, err := compiler.CompileText(t.Context(), source)
		if err != nil {
			t.Fatalf("%s: %v", change, err)
		}
		if got := lines(result.Problems); !strings.HasPrefix(got, "main.ts:2:") || !strings.Contains(got, "base is changed here") {
			t.Errorf("%s: problems %s", change, got)
		}
	}
}

func TestNamesWithMoreThanOneValueAreRefused(t *testing.T) {
	for _, change := range []string{
		`x = "b";`, `x++;`, `[x] = ["b"];`, `({ x } = { x: "b" });`, `({ y: x } = { y: "b" });`, `[[x = 1]] = [["b"]];`, `for (x of ["b"]) x;`, `for (var x of ["b"]) x;`, `var x = "b";`, `({ ...x } = { x: "b" });`, `[...x] = "b";`,
	} {
		result, err := compiler.CompileText(t.Context(), `import { defineAgentComponentContract as d } from "pagewarden"; var x: any = d;`+"\n"+change+"\n"+`x({ type: "lamp" }); d({ type: x, description: "y" });`)
		if err != nil {
			t.Fatalf("%s: %v", change, err)
		}
		if got := lines(result.Problems); !strings.Contains(got, "x gets more than one value") {
			t.Errorf("%s: problems %s", change, got)
		}
	}
}

func TestHelpersThatAreMisused(t *testing.T) {
	for source, want := range map[string]string{
		`p.fromJsonSchema()`:                            "fromJsonSchema needs 1 argument(s)",
		`p.fromJsonSchema(...[{}])`:                     "this expression is not known",
		`p.fromJsonSchema("x")`:                         "fromJsonSchema takes an object, not a string",
		`p.fromJsonSchema([])`:                          "fromJsonSchema takes an object, not an array",
		`r.fromStandardSchema(z)`:                       "fromStandardSchema needs 2 argument(s)",
		`r.fromStandardSchema(z, {})`:                   "fromStandardSchema needs a jsonSchema",
		`r.fromStandardSchema(z, { jsonSchema: z() })`:  "what a call gives is not known",
		`r.fromStandardSchema(z, { jsonSchema: true })`: "fromStandardSchema takes an object, not a boolean",
		`p.observationContract(null)`:                   "observationContract takes an object, not null",
		`p`:                                             "input must be a schema, not no data",
		`import("pagewarden")`:                          "input must be a schema, not a promise",
		`p.defineAgentComponentContract(x)`:             "input must be a schema, not a contract",
		`(p, undefined)`:                                "an input schema is required",
		`[][0]`:                                         "0 is not a member",
		`({})[null]`:                                    "a name must be a text, not null",
		`({ [null]: 1 })`:                               "a name must be a text, not null",
		`[...{}]`:                                       "an object cannot be spread into an array",
		`Object.keys({})`:                               "what a call gives is not known",
		`p.load`:                                        "input must be a schema, not no data",
		`globalThis.window.self.Object.freeze(1)`:       "input must be a schema, not a number",
		`new.target`:                                    "a property of the environment",
		`this`:                                          "this is not known",
		`-z`:                                            "an operation is not known",
		`void z()`:                                      "an operation is not known",
	} {
		result, err := compiler.CompileText(t.Context(), `import * as p from "pagewarden"; const r = await p.load({ wasm: "" }); declare const z: any; const x: any = {};
			export function f() { return p.defineAgentComponentContract({ type: "lamp", description: "x", actions: { turn: { description: "y", effect: "local-state", input: `+source+` } } }) }`)
		if err != nil {
			t.Fatalf("%s: %v", source, err)
		}
		if got := lines(result.Problems); !strings.Contains(got, want) {
			t.Errorf("%s: problems %s; want %q", source, got, want)
		}
	}
}

func TestSequencesAndJSONAreRead(t *testing.T) {
	m := compiled(t, files{
		"main.ts": `import { defineAgentComponentContract as d, fromJsonSchema } from "pagewarden"; import * as data from "./data.json"; import whole from "./data.json";
			export const lamp = (0, d)({ type: data.type, description: whole["type"], actions: { turn: { description: "y", effect: "local-state", tags: whole.tags, input: fromJsonSchema(data.schema) } } });`,
		"data.json": `{ "type": "first", "type": "lamp", "tags": ["a", "b"], "schema": { "type": "object", "properties": { "n": { "maximum": 9007199254740993, "minimum": -1.50, "enum": [null, true, 1e3] } } } }`,
	}).Manifest
	if m == nil {
		t.Fatal("there are problems")
	}
	if got, want := string(m.Capabilities[0].InputSchema), `{"properties":{"n":{"enum":[null,true,1000],"maximum":9007199254740992,"minimum":-1.5}},"type":"object"}`; got != want {
		t.Errorf("schema %s; want %s", got, want)
	}
	result := compiled(t, files{
		"main.ts": `import { defineAgentComponentContract as d } from "pagewarden"; import data from "./data.json"; d({ type: "x", description: "y", meta: data });`, "data.json": "{ \"a\":\n [1e999] }",
	})
	if got := lines(result.Problems); !strings.Contains(got, "1e999 is no number that JavaScript has") {
		t.Errorf("problems %s", got)
	}
}

// TestSyntaxThatOnlyTheBundlerKnows has a module that esbuild takes and the parser does not.
func TestSyntaxThatOnlyTheBundlerKnows(t *testing.T) {
	_, err := compiler.CompileText(t.Context(), "var x = 1;\n(let)[0] = 1;")
	failed, ok := errors.AsType[*compiler.BuildError](err)
	if !ok || failed.Problems[0].Line != 2 || !strings.Contains(failed.Error(), "main.ts:2:") || !strings.Contains(failed.Error(), "cannot be parsed") {
		t.Errorf("error %v", err)
	}
}

// TestModulesOfTypesOnlyAreEmpty has modules of which nothing is left.
func TestModulesOfTypesOnlyAreEmpty(t *testing.T) {
	for _, source := range []string{"", "// PageWarden", "export type A = typeof PageWarden; declare const PageWarden: unknown;", `import type { Runtime } from "pagewarden"; interface A extends Runtime {}`} {
		if got := entries(t, files{"main.ts": `import "./types"; import("./types");`, "types.ts": source}); len(got) != 0 {
			t.Errorf("%q declares %s", source, got)
		}
	}
}
