package compiler_test

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/contract/compiler"
)

// sound compiles a source and checks what must hold of any.
func sound(t rapid.TB, source string) {
	t.Helper()
	result, err := compiler.CompileText(context.Background(), source)
	if err != nil {
		return // not TypeScript
	}
	if (result.Manifest == nil) != (len(result.Problems) > 0) {
		t.Fatalf("manifest %v, and problems %v", result.Manifest, result.Problems)
	}
	lines := strings.Count(source, "\n") + 1
	for _, p := range result.Problems {
		if p.File != "main.ts" || p.Line < 1 || p.Line > lines || p.Column < 1 || p.Message == "" {
			t.Errorf("a problem without a place in %d lines: %+v", lines, p)
		}
	}
	if result.Manifest != nil {
		if err := result.Manifest.Verify(); err != nil {
			t.Errorf("the manifest does not stand up: %v", err)
		}
	}
}

func FuzzAnySourceIsReadOrRefused(f *testing.F) {
	for _, form := range append(accepted(), refused()...) {
		for i, w := range append(same(), looks()...) {
			if i%7 == 0 {
				f.Add(w.write(form)["main.ts"])
			}
		}
	}
	for _, source := range oddSources() {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) { sound(t, source) })
}

// oddSources are those of syntax that a finder can stumble over.
func oddSources() []string {
	return []string{
		`import { defineAgentComponentContract as D } from "pagewarden"; for (var D2 of [D]) D2(); for (const [x = D()] of []) x; for (let i = D(); ; ) break;`,
		`import * as p from "pagewarden"; class A extends p.defineAgentComponentContract({}) { #x = p.defineAgentComponentContract(); static { p; } get [p.x]() { return super.y } }`,
		`import p, { default as q } from "pagewarden"; export { p as default, q as "x" }; export * from "./main"; export * as m from "./main";`,
		`export * from "./main"; import { x } from "./main"; x.y.z(); export { x };`,
		`import { a } from "./main"; export { a }; import { defineAgentComponentContract as D } from "pagewarden"; D(a); D({ type: a });`,
		`const { a: { b: [c, ...d], ...e } = {}, [f()]: g, ...h } = D; import { defineAgentComponentContract as D } from "pagewarden"; c(); d(); e(); g(); h(); D(c)`,
		`try { await import("pagewarden") } catch {} finally { switch (1) { case PageWarden.ready: default: } } label: while (0) { continue label }`,
		`async function* f() { for await (const x of y) yield* x; } new f?.x; new.target; import.meta.x; x ??= y; x?.[y]?.(z); delete x.y; x.y++; [x.a, { b: x.c }] = d;`,
		"const f = (a = D, { b = D }, [c = D], ...d) => `${D`x${D}`}`; import { defineAgentComponentContract as D } from 'pagewarden'; D(f)",
		`require(); require(x); import(x); require("pagewarden").defineAgentComponentContract({ type: "x", description: "y" }); enum E { A = D } declare const D: any;`,
		`Object.assign(); Object.freeze(); Object.freeze(...x); [].push(); x().push(); import { fromJsonSchema as f } from "pagewarden"; f(); f(...[]);`,
	}
}

// TestSourcesOfPiecesAreReadOrRefused puts declarations together from pieces at random: the evaluator sees far more of
// its own cases than a fuzzer finds.
func TestSourcesOfPiecesAreReadOrRefused(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var source strings.Builder
		source.WriteString(plainImport + ` import * as pw from "pagewarden"; import { emptyObjectSchema, load } from "pagewarden";` + "\n")
		for range rapid.IntRange(0, 6).Draw(t, "constants") {
			kind := rapid.SampledFrom([]string{"const", "let", "var", "export const"}).Draw(t, "kind")
			target := rapid.SampledFrom([]string{"a", "b", "c", "{ a: d }", "[e]", "{ b: { c: f = 1 }, ...g }"}).Draw(t, "target")
			source.WriteString(kind + " " + target + " = " + expression(t, 3) + ";\n")
		}
		source.WriteString("export const lamp = defineAgentComponentContract(" + expression(t, 5) + ");\n")
		sound(t, source.String())
	})
}

// expression is an expression that is at most so deep.
func expression(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{`"x"`, `-1`, `1.5`, `null`, `true`, `undefined`, "`y`", `a`, `b`, `c`, `pw`, `emptyObjectSchema`, `PageWarden`, `[]`, `{}`, `load`, `Object`, `d`, `(() => 1)`}).Draw(t, "leaf")
	}
	sub := func() string { return expression(t, depth-1) }
	names := []string{"type", "description", "actions", "observations", "input", "output", "effect", "turn", "a", "jsonSchema", "__proto__", "boundFields", "tags", "policies"}
	name := func() string { return rapid.SampledFrom(names).Draw(t, "name") }
	switch rapid.IntRange(0, 12).Draw(t, "expression") {
	case 0:
		return sub()
	case 1, 2, 3:
		return "{ " + name() + ": " + sub() + ", " + name() + ": " + sub() + ", ..." + sub() + " }"
	case 4:
		return "[" + sub() + ", ..." + sub() + "]"
	case 5:
		return "(" + sub() + ")." + name()
	case 6:
		return "(" + sub() + ")[" + sub() + "]"
	case 7:
		return "fromJsonSchema(" + sub() + ")"
	case 8:
		return "actionContract(" + sub() + ")"
	case 9:
		return "Object.freeze(" + sub() + ")"
	case 10:
		return "await (" + sub() + ")"
	case 11:
		return `{ type: "lamp", description: "x", actions: { turn: { description: "y", effect: "local-state", input: emptyObjectSchema, ...` + sub() + ` } } }`
	}
	return "(" + sub() + ")?.(" + sub() + ")"
}
