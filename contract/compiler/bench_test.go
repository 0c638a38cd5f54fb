package compiler_test

import (
	"fmt"
	"testing"

	"github.com/pagewarden/pagewarden/contract/compiler"
)

// BenchmarkCompileTree compiles a tree of 2,000 modules with 500 declarations; at most ten seconds a run.
func BenchmarkCompileTree(b *testing.B) {
	p := project(b, tree(2000, 4))
	b.ReportAllocs()
	for b.Loop() {
		result, err := compiler.Compile(b.Context(), compiler.Options{Project: p})
		if err != nil {
			b.Fatal(err)
		}
		if result.Manifest == nil || len(result.Manifest.Capabilities) != 500 || result.Modules != 2002 {
			b.Fatalf("%d modules, problems %s", result.Modules, lines(result.Problems))
		}
		b.ReportMetric(float64(result.Parsed), "modules-parsed")
	}
}

// BenchmarkCompileDemo compiles the demo; at most a second a run.
func BenchmarkCompileDemo(b *testing.B) {
	p, err := compiler.FindProject("../../web/demo")
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		result, err := compiler.Compile(b.Context(), compiler.Options{Project: p})
		if err != nil {
			b.Fatal(err)
		}
		if result.Manifest == nil || len(result.Manifest.Capabilities) == 0 {
			b.Fatalf("problems %s", lines(result.Problems))
		}
	}
}

// tree is a project of n modules besides its entry, of which every so many declares a component. Modules import others
// of the tree, some lazily; declarations take constants and the functions from modules of their own.
func tree(n, every int) files {
	sources := files{}
	main := ""
	for i := range n {
		name := fmt.Sprintf("src/group%d/module%d", i%40, i)
		main += fmt.Sprintf("import %q;\n", "./"+name)
		source := fmt.Sprintf("export const value%d = { list: [1, 2, 3], text: %q };\nexport function f%d(x: number): number { return x * %d; }\n", i, "text", i, i)
		for j := range 40 {
			source += fmt.Sprintf("export class View%d<T> { private kept = new Map<string, T>(); render(x: T) { this.kept.set(\"a\", x); return `${this.kept.size} of ${%d}`; } }\n", j, j)
		}
		if i >= 40 {
			source += fmt.Sprintf("export const lazy = () => import(\"./module%d\");\n", i-40)
		}
		switch i % every {
		case 0:
			source += declaring(i)
		case 1:
			source += fmt.Sprintf("export const TEXT = \"The text of %d\";\n", i)
		}
		sources[name+".ts"] = source
	}
	sources["main.ts"] = main
	sources["src/kit.ts"] = `export * from "pagewarden";`
	return sources
}

// declaring is the declaration of the i-th module.
func declaring(i int) string {
	return fmt.Sprintf(`import { defineAgentComponentContract as declare, actionContract, fromJsonSchema } from "../kit";
import { TEXT } from "../group%d/module%d";
const BASE = { effect: "local-state", tags: ["generated"] } as const;
export const contract = declare({ type: "part.p%d", description: TEXT, actions: {
  change: actionContract({ ...BASE, description: %s, input: fromJsonSchema({ type: "object", properties: { to: { type: "string", maxLength: %d } } }) }),
} });
`, (i+1)%40, i+1, i, "`Change part `", i)
}
