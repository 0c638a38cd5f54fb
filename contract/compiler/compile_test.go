package compiler_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/contract/compiler"
)

func TestEveryKindOfDeclaration(t *testing.T) {
	m := compiled(t, files{"main.ts": `
import * as pw from "pagewarden";
const ids = { type: "object", properties: { ids: { type: "array" }, reason: { type: "string" } } };
export const table = pw.defineAgentComponentContract({
  type: "devices.table", description: "The table", priority: 3, meta: { a: 1 }, tags: ["list"], policies: [{ name: "signed-in" }],
  observations: { rows: pw.observationContract({ description: "The rows", output: pw.fromStandardSchema(Math.random(), { jsonSchema: ids }), untrustedContent: true, policies: [{ name: "hours", phase: "invoke" }] }) },
  actions: { clear: { description: "Clear", input: pw.emptyObjectSchema, output: pw.fromJsonSchema(ids), effect: "navigation", confirmation: "required", audit: "full", idempotent: true, reversible: false, timeoutMs: 500 } },
});
const disable = pw.defineAgentProcedureContract({ id: "domain:devices.disable", title: "Disable", description: "Disable devices", input: pw.fromJsonSchema(ids),
  effect: "destructive", boundFields: [{ path: "ids", locked: true }, { path: "reason", locked: false }] });
export default { disable, tool: pw.defineExternalAgentToolContract({ id: "external:clock", description: "The time", input: pw.emptyObjectSchema, effect: "read" }) };
`}).Manifest
	if m == nil {
		t.Fatal("there are problems")
	}
	if err := m.Verify(); err != nil {
		t.Error(err)
	}
	var got []string
	for _, e := range m.Capabilities {
		got = append(got, fmt.Sprintf("%s %s %s %s %s %v %v %v %v", e.Declaration, e.CapabilityID, e.Kind, e.Effect, e.Confirmation, e.Audit, e.BoundFields, e.Policies, e.Tags))
	}
	want := []string{
		"main.ts#disable domain:devices.disable procedure destructive required full [{ids true} {reason false}] [] []",
		"main.ts#default.tool external:clock external read never  [] [] []",
		"main.ts#table view:devices.table.clear action navigation required full [] [signed-in] [list]",
		"main.ts#table view:devices.table.rows observation read   [] [hours in phase invoke signed-in] [list]",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	rows := m.Capabilities[3]
	if !rows.UntrustedContent || rows.OutputSchema != `{"properties":{"ids":{"type":"array"},"reason":{"type":"string"}},"type":"object"}` {
		t.Errorf("rows %+v", rows)
	}
	if input := m.Capabilities[2].InputSchema; input != `{"additionalProperties":false,"properties":{},"type":"object"}` {
		t.Errorf("the empty schema is %s", input)
	}
}

// TestBytesDoNotDependOnTheFolder compiles the same sources in two folders.
func TestBytesDoNotDependOnTheFolder(t *testing.T) {
	sources := plain(form{action: usual})
	first, second := compiled(t, sources).Manifest.File(), compiled(t, sources).Manifest.File()
	if string(first) != string(second) {
		t.Errorf("first  %s\nsecond %s", first, second)
	}
	if m, err := contract.Parse(capability.JSON(first)); err != nil || m.Verify() != nil {
		t.Errorf("the file does not stand up: %v", err)
	}
}

func TestDeclarationsAreNamed(t *testing.T) {
	const arguments = `({ type: "lamp", description: "x", actions: { turn: { description: "y", effect: "local-state", input: emptyObjectSchema } } })`
	for source, want := range map[string]string{
		`export const lamp = D` + arguments + `;`:                        "lamp",
		`const lamp = D` + arguments + ` as unknown; export { lamp };`:   "lamp",
		`export default D` + arguments + `;`:                             "default",
		`export const all = { home: [D` + arguments + `] };`:             "all.home.0",
		`const kept: any = {}; kept.lamp = D` + arguments + `;`:          "lamp",
		`export const bound = D` + arguments + `.bind({ actions: {} });`: "bound",
		`export const held = await D` + arguments + `;`:                  "held",
		`declare const r: any; r.register(D` + arguments + `.bind({}));`: "lamp",
		`export class Lamp { static contract = D` + arguments + `; }`:    "lamp",
	} {
		result := compiled(t, files{"src/deep/lamp.ts": `import { defineAgentComponentContract as D, emptyObjectSchema } from "pagewarden";` + source, "main.ts": `import "./src/deep/lamp";`})
		if result.Manifest == nil {
			t.Errorf("%s\n%s", source, lines(result.Problems))
			continue
		}
		if got := result.Manifest.Capabilities[0].Declaration; got != "src/deep/lamp.ts#"+want {
			t.Errorf("%s: named %s; want %s", source, got, want)
		}
	}
}

func TestOnlyWhatMentionsThePackageIsParsed(t *testing.T) {
	sources := files{"main.ts": `import "./a"; import "./b"; import("./c"); import "./d";`,
		"a.ts":   `import { K } from "./big"; import { defineAgentComponentContract as D, emptyObjectSchema } from "./kit"; export const lamp = D({ type: "lamp", description: K, actions: { turn: { description: "y", effect: "local-state", input: emptyObjectSchema } } });`,
		"b.ts":   `import { x } from "./big"; export const b = [x, (window as any).other("defineAgentComponentContract")];`,
		"c.ts":   `import { kit } from "./d"; export const c = kit();`,
		"d.ts":   `import { load } from "pagewarden"; export function kit() { return load({ wasm: "" }); }`,
		"kit.ts": `export * from "pagewarden";`,
		"big.ts": `export const K = "big", x = 1;`,
	}
	result := compiled(t, sources)
	// a, d and kit; and big for its constant. Neither main, b nor c.
	if result.Modules != 7 || result.Parsed != 4 || len(result.Problems) > 0 {
		t.Errorf("parsed %d of %d modules; want 4 of 7; problems:\n%s", result.Parsed, result.Modules, lines(result.Problems))
	}
}

func TestEveryProblemIsToldAtOnceAndWhereItIs(t *testing.T) {
	result := compiled(t, files{
		"main.tsx": `import { defineAgentComponentContract as D, fromJsonSchema } from "pagewarden";
import { LONG } from "./long";
type T = { a: number };
export const lamp = D({
	type: LONG, /* ü😀 */ description: window.name,
	actions: { turn: { description: "y", effect: getEffect(), input: fromJsonSchema({ type: ` + "`${1}`" + ` }) } } });
export const list = [1].map(D);
export const View = () => <p title={D.name}>x</p>;
D(); D({ ...lamp }); D("x"); D(...[{}]);
function getEffect() { return "navigation"; }
`,
		"long.ts": "// first\n\nexport const LONG: string = Math.random() + '';\n",
	})
	want := `long.ts:3:29: an operation is not known before the page runs: ` + "`Math.random() + \"\"`" + `; write the result out; a long text may be a template without holes over several lines
main.tsx:5:37: nothing in the project declares name: ` + "`window.name`" + `; write the value out, or name a const that is a literal
main.tsx:6:47: what a call gives is not known before the page runs: ` + "`getEffect()`" + `; write the value out; of calls only fromJsonSchema, fromStandardSchema, observationContract, actionContract and Object.freeze are read
main.tsx:6:90: a template with holes is not known before the page runs: ` + "``${1}``" + `; write the text out, without ${…}
main.tsx:7:29: defineAgentComponentContract is handed on as a value: ` + "`D`" + `; call it where it is imported, with the declaration written out
main.tsx:9:1: defineAgentComponentContract takes exactly one argument: ` + "`D()`" + `; pass one object
main.tsx:9:13: a contract cannot be spread into an object: ` + "`lamp`" + `; spread an object that is a constant
main.tsx:9:24: defineAgentComponentContract takes an object, not a string: ` + "`\"x\"`" + `; write an object
main.tsx:9:35: this expression is not known before the page runs: ` + "`[{}]`" + `; write the value out, or name a const that is a literal
`
	if got := lines(result.Problems); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestWhatTheContractRefusesIsToldWhereItIsWritten(t *testing.T) {
	declare := func(members string) string {
		return "import { defineAgentComponentContract as D, defineAgentProcedureContract as P, emptyObjectSchema, fromJsonSchema } from \"pagewarden\";\n" + members
	}
	action := func(member string) string {
		return declare("export const lamp = D({ type: \"lamp\", description: \"x\", actions: { turn: { description: \"y\", effect: \"local-state\", input: emptyObjectSchema,\n" + member + " } } });")
	}
	tests := []struct{ name, source, want string }{
		{"no component type", declare("export const lamp = D({ description: \"x\",\nactions: {} });"), "main.ts:2:23: "},
		{"bad type", declare("export const lamp = D({ description: \"x\",\ntype: \"Lamp\", actions: { turn: {} } });"), "main.ts:3:7: type: want lower-case segments"},
		{"missing description", declare("export const lamp = D({ type: \"lamp\", description: \"x\", actions: {\nturn: { effect: \"local-state\", input: emptyObjectSchema } } });"), "main.ts:3:7: view:lamp.turn: description: a text is required"},
		{"bad capability name", declare("export const lamp = D({ type: \"lamp\", description: \"x\", actions: {\nTurn: { description: \"y\", effect: \"local-state\", input: emptyObjectSchema } } });"), "main.ts:3:7: view:lamp.Turn: "},
		{"wrong effect", action("effect: \"read\""), "main.ts:3:9: view:lamp.turn: effect: want local-state or navigation"},
		{"unsupported schema", action("input: fromJsonSchema({ oneOf: [{}] })"), "main.ts:3:8: view:lamp.turn: input: "},
		{"long title", action("title: \"" + strings.Repeat("x", 200) + "\""), "main.ts:3:8: view:lamp.turn: title: at most 100"},
		{"bad phase", action("policies: [{ name: \"a\", phase: \"never\" }]"), "main.ts:3:11: view:lamp.turn: policies[0].phase: "},
		{"long description of the component", strings.Replace(action(""), `"x"`, `"`+strings.Repeat("x", 501)+`"`, 1), "main.ts:2:52: view:lamp.turn: description of the component: at most 500"},
		{"bad procedure", declare("export const p = P({\nid: \"view:x.y\", description: \"y\", effect: \"server-query\", input: emptyObjectSchema });"), "main.ts:3:5: view:x.y: "},
		{"bound field without locked", declare("export const p = P({ id: \"domain:x\", description: \"y\", effect: \"server-query\", input: emptyObjectSchema,\nboundFields: [{ path: \"a\" }] });"), "main.ts:3:15: a bound field needs locked"},
		{"bound twice", declare("export const p = P({ id: \"domain:x\", description: \"y\", effect: \"server-query\", input: emptyObjectSchema,\nboundFields: [{ path: \"a\", locked: true }, { path: \"a\", locked: false }] });"), "main.ts:3:14: domain:x: boundFields[1].path: "},
		{"policies that are no list", action("policies: { name: \"a\" }"), "main.ts:3:11: policies must be an array, not an object"},
		{"policies that are no objects", action("policies: [\"a\"]"), "main.ts:3:12: policies must hold objects, not a string"},
		{"tags that are no texts", action("tags: [1]"), "main.ts:3:8: tags must hold strings, not a number"},
		{"actions that are no objects", declare("export const lamp = D({ type: \"lamp\", description: \"x\", actions: {\nturn: 1 } });"), "main.ts:3:7: actions.turn must be an object, not a number"},
		{"claimed twice", declare("const turn = { description: \"y\", effect: \"local-state\", input: emptyObjectSchema };\nexport const a = D({ type: \"lamp\", description: \"x\", actions: { turn } });\nexport const b = D({ type: \"lamp\", description: \"x\", actions: { press: turn } });"), "claimed by two declarations, main.ts#"},
		{"declared twice", declare("const turn = { description: \"y\", effect: \"local-state\", input: emptyObjectSchema };\nexport const a = D({ type: \"lamp\", description: \"x\", actions: { turn } });\nexport const b = D({ type: \"lamp\", description: \"x\", actions: { turn } });"), "view:lamp.turn is declared twice"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result := compiled(t, files{"main.ts": test.source})
			if result.Manifest != nil || !strings.Contains(lines(result.Problems), test.want) {
				t.Errorf("got %swant %s", lines(result.Problems), test.want)
			}
		})
	}
}

func TestWhatCannotBeReadIsAnError(t *testing.T) {
	tests := []struct {
		name    string
		sources files
		says    []string
	}{
		{"module that is not there", files{"main.ts": "\nimport './gone';"}, []string{"main.ts:2:8", `"./gone"`, "external"}},
		{"broken syntax", files{"main.ts": "/* ü😀 */ let = = 1;"}, []string{"main.ts:1:17"}},
		{"broken JSON", files{"main.ts": `import x from "./x.json"; console.log(x);`, "x.json": "{"}, []string{"x.json:1:2"}},
		{"two broken modules", files{"main.ts": `import "./a"; import "./b";`, "a.ts": "(", "b.ts": "["}, []string{"a.ts:1:", "b.ts:1:"}},
		{"export that is not there", files{"main.ts": `import { y } from "./x"; console.log(y);`, "x.ts": `export const x = 1;`}, []string{"main.ts:1:10", `"y"`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := compiler.Compile(t.Context(), compiler.Options{Project: project(t, test.sources)})
			failed, ok := errors.AsType[*compiler.BuildError](err)
			if !ok || len(failed.Problems) == 0 {
				t.Fatalf("error %v; want a BuildError", err)
			}
			for _, want := range test.says {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not say %q", err, want)
				}
			}
		})
	}
	t.Run("entry that is not there", func(t *testing.T) {
		p := project(t, files{"main.ts": ""})
		p.Entries = []string{"gone.ts"}
		if _, err := compiler.Compile(t.Context(), compiler.Options{Project: p}); err == nil || !strings.Contains(err.Error(), "gone.ts") {
			t.Errorf("error %v; want one that names the entry", err)
		}
	})
	t.Run("interrupted", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := compiler.Compile(ctx, compiler.Options{Project: project(t, files{"main.ts": lampSource})}); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v; want that of the context", err)
		}
	})
}

// TestConstantsThatGrowAreRefused doubles a constant forty times, in every way that copies.
func TestConstantsThatGrowAreRefused(t *testing.T) {
	for name, double := range map[string]string{
		"array spread": `[...X, ...X]`, "nesting": `{ a: X, b: X }`, "object spread": `{ ...X, a: X, b: X }`,
	} {
		var source strings.Builder
		source.WriteString("const X0 = " + map[bool]string{true: "[1, 2]", false: "{ c: 1 }"}[name == "array spread"] + ";\n")
		for i := range 40 {
			fmt.Fprintf(&source, "const X%d = %s;\n", i+1, strings.ReplaceAll(double, "X", fmt.Sprintf("X%d", i)))
		}
		result := compiled(t, files{"main.js": lampSource + source.String() + `import { defineAgentComponentContract as d } from "pagewarden"; d({ type: "x", description: "y", meta: X40 });`})
		if !strings.Contains(lines(result.Problems), "more than 50000 values") {
			t.Errorf("%s: problems %s", name, lines(result.Problems))
		}
	}
}

func TestDeepConstantsAreRefused(t *testing.T) {
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	result := compiled(t, files{"main.js": lampSource + `import { defineAgentComponentContract as d } from "pagewarden"; d({ type: "x", description: "y", meta: ` + deep + ` });`})
	if !strings.Contains(lines(result.Problems), "nested too deep") {
		t.Errorf("problems %.300s", lines(result.Problems))
	}
}
