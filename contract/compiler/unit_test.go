package compiler

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"
	"github.com/grafana/sobek/unistring"

	"github.com/pagewarden/pagewarden/capability"
)

func TestIsPackage(t *testing.T) {
	for specifier, want := range map[string]bool{
		"pagewarden":                                 true,
		"pagewarden/pagewarden.mjs":                  true,
		"/pagewarden.mjs":                            true,
		"./vendor/pagewarden.mjs":                    true,
		"/pagewarden.mjs?v=1":                        true,
		"/pagewarden.mjs#x":                          true,
		"https://cdn.example/pw@1/pagewarden.mjs":    true,
		"node_modules/pagewarden/pagewarden.mjs":     true,
		"pagewarden/pagewarden-dialog.js":            false,
		"/pagewarden.js":                             false,
		"./pagewarden":                               false,
		"not-pagewarden":                             false,
		"@scope/pagewarden":                          false,
		"pagewarden.mjs.js":                          false,
		"/pagewarden.mjs/index.js":                   false,
		"":                                           false,
		"https://cdn.example/other?pagewarden.mjs":   false,
		"https://cdn.example/#/path/pagewarden.mjs":  false,
		"https://cdn.example/?path=/pagewarden.mjs&": false,
	} {
		if got := isPackage(specifier); got != want {
			t.Errorf("%q is the package: %v; want %v", specifier, got, want)
		}
	}
}

func TestPackageOf(t *testing.T) {
	for path, want := range map[string][2]string{
		"src/main.ts":                                      {"", ""},
		"node_modules.ts":                                  {"", ""},
		"my_node_modules/acme/index.js":                    {"", ""},
		"node_modules/acme/index.js":                       {"acme", "index.js"},
		"node_modules/acme/lib/deep/index.js":              {"acme", "lib/deep/index.js"},
		"node_modules/@acme/lamp/index.js":                 {"@acme/lamp", "index.js"},
		"../../node_modules/acme/index.js":                 {"acme", "index.js"},
		"node_modules/a/node_modules/@b/c/d/e.js":          {"@b/c", "d/e.js"},
		"node_modules/.pnpm/a@1.0.0/node_modules/a/b.js":   {"a", "b.js"},
		"node_modules/loose.js":                            {"loose.js", ""},
		"node_modules/@acme":                               {"@acme", ""},
		"packages/x/node_modules/acme/node_modules/y/z.js": {"y", "z.js"},
	} {
		if name, inside := packageOf(path); name != want[0] || inside != want[1] {
			t.Errorf("%s is %q in %q; want %q", path, inside, name, want)
		}
	}
}

func TestScriptsKeepTheirPlaces(t *testing.T) {
	const source = "<template>\n  <p>{{ x }}</p> <!-- <script>no</script> -->\n</template>\n<script lang=\"ts\">\nlet a = 1;\n</script>\n<SCRIPT setup>let b = 2;</SCRIPT><style>é</style>"
	got := scripts(source)
	if len(got) != len(source) || strings.Count(got, "\n") != strings.Count(source, "\n") {
		t.Fatalf("another size: %q", got)
	}
	for _, want := range []string{"let a = 1;", "let b = 2;"} {
		if strings.Index(got, want) != strings.Index(source, want) {
			t.Errorf("%q is at %d; want %d", want, strings.Index(got, want), strings.Index(source, want))
		}
	}
	if left := strings.Fields(got); !slices.Equal(left, []string{"let", "a", "=", "1;", "let", "b", "=", "2;"}) {
		t.Errorf("left is %q", left)
	}
	if got := scripts("no script"); strings.TrimSpace(got) != "" {
		t.Errorf("without a script: %q", got)
	}
}

func TestNumbersAreThoseOfJavaScript(t *testing.T) {
	for _, test := range []struct {
		value any
		want  string
	}{
		{int64(0), "0"}, {int64(-7), "-7"}, {int64(9007199254740993), "9.007199254740992e+15"}, {0.1, "0.1"}, {1e21, "1e+21"}, {1e-7, "1e-07"}, {5e-324, "5e-324"},
		{big.NewInt(1), ""}, {"1", ""}, {nil, ""},
	} {
		got, ok := numberText(test.value)
		if got != test.want || ok != (test.want != "") {
			t.Errorf("%v is %q, %v; want %q", test.value, got, ok, test.want)
		}
		if ok && capability.JSON(got).Kind() == 0 {
			t.Errorf("%q is no JSON", got)
		}
	}
}

func TestTextsAreWhole(t *testing.T) {
	for _, test := range []struct {
		units []uint16
		want  string
		whole bool
	}{
		{[]uint16{0xFEFF, 'a', 0xE9}, "aé", true}, {[]uint16{0xFEFF, 0xD83D, 0xDE00}, "😀", true}, {[]uint16{0xFEFF, 0xFFFD, 'x'}, "\uFFFDx", true},
		{[]uint16{0xFEFF, 0xD83D, 'x'}, "\uFFFDx", false}, {[]uint16{0xFEFF, 0xDE00, 'x'}, "\uFFFDx", false},
	} {
		if got, whole := textOf(unistring.FromUtf16(test.units)); got != test.want || whole != test.whole {
			t.Errorf("%x is %q, whole %v; want %q, %v", test.units, got, whole, test.want, test.whole)
		}
	}
	if got, whole := textOf("plain"); got != "plain" || !whole {
		t.Errorf("got %q, %v", got, whole)
	}
}

func TestValuesAsJSON(t *testing.T) {
	is := func(kind valueKind, s string) value { return value{kind: kind, text: s} }
	v := value{kind: kindObject, members: []member{
		{"z", is(kindText, "a\"\n\u2028")}, {"a", is(kindNumber, "-1.5")}, {"gone", is(kindAbsent, "")}, {"none", is(kindNull, "")}, {"yes", is(kindBool, "true")},
		{"list", value{kind: kindArray, items: []value{is(kindAbsent, ""), {kind: kindArray}, {kind: kindObject}}}}, {"__proto__", is(kindText, "data")},
	}}
	const want = `{"z":"a\"\n` + "\u2028" + `","a":-1.5,"none":null,"yes":true,"list":[null,[],{}],"__proto__":"data"}`
	if got := string(v.json()); got != want {
		t.Errorf("got %s\nwant %s", got, want)
	}
	n := 0
	v.each(func(value) { n++ })
	if n != 11 {
		t.Errorf("visited %d values; want 11", n)
	}
}

func TestProblemsReadWell(t *testing.T) {
	for _, test := range []struct {
		problem Problem
		want    string
	}{
		{Problem{Message: "no"}, "no"}, {Problem{File: "a.ts", Message: "no"}, "a.ts: no"}, {Problem{File: "a.ts", Line: 3, Column: 1, Message: "no"}, "a.ts:3:1: no"},
		{Problem{File: "a.ts", Line: 3, Column: 1, Expression: "x", Message: "no", Fix: "yes"}, "a.ts:3:1: no: `x`; yes"},
	} {
		if got := test.problem.String(); got != test.want {
			t.Errorf("got %q; want %q", got, test.want)
		}
	}
	if got := shown("  a\n\t b  "); got != "a b" {
		t.Errorf("shown as %q", got)
	}
	if got := []rune(shown(strings.Repeat("ä", 200))); len(got) != 80 || got[79] != '…' {
		t.Errorf("shown as %d characters", len(got))
	}
	list := sortProblems([]Problem{{File: "b", Line: 1}, {File: "a", Line: 2}, {File: "a", Line: 1, Column: 2}, {File: "a", Line: 1, Column: 1}, {File: "a", Line: 2}, {}})
	var order []string
	for _, p := range list {
		order = append(order, p.Place())
	}
	if want := []string{"", "a:1:1", "a:1:2", "a:2:0", "b:1:0"}; !slices.Equal(order, want) {
		t.Errorf("order %q; want %q", order, want)
	}
}

func TestBuildErrorsCountColumnsAsEditorsDo(t *testing.T) {
	err := buildError([]api.Message{
		{Text: "second", Location: &api.Location{File: "b.ts", Line: 1, Column: 7, LineText: "/*😀*/x"}},
		{Text: `Could not resolve "x"`, Location: &api.Location{File: "a.ts", Line: 2, Column: 99, LineText: "x"}}, {Text: "first"},
	})
	const want = "reading the modules: first\n" +
		"a.ts:2:2: Could not resolve \"x\": `x`; install it, or list it under \"external\" in pagewarden.json if the page gets it from elsewhere\nb.ts:1:6: second: `/*😀*/x`"
	if err.Error() != want {
		t.Errorf("got %s\nwant %s", err, want)
	}
	if err := buildError(nil); err == nil || !strings.Contains(err.Error(), "does not say why") {
		t.Errorf("without a message: %v", err)
	}
}

// TestScopes looks names up as the language does.
func TestScopes(t *testing.T) {
	m := newModule(&node{path: "main.js", imports: map[string]string{}})
	const source = `import def, { a as b } from "x"; import * as all from "y";
		const { c: { d = 1 }, ...e } = q, [f, , g] = r; let h = 1; var i = 2; function j(k) { return l } class C {}
		export { b as out, h as default }; export * from "z"; export * as ns from "z"; export { w } from "z"; export const m = 1, { n } = s; export function o() {} export class P {}`
	if err := m.parse(source, api.LoaderJS); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bindingKind{
		"def": imported, "b": imported, "all": imported, "d": constant, "e": constant, "f": constant, "g": constant, "h": variable, "i": variable, "j": function, "C": class, "m": constant, "n": constant, "o": function, "P": class,
	} {
		b := m.top.inner().lookup(name)
		if b == nil || b.kind != want || b.name != name {
			t.Errorf("%s is %+v; want kind %d", name, b, want)
		}
	}
	for _, name := range []string{"a", "k", "l", "q", "w", "out", "ns", "default"} {
		if b := m.top.lookup(name); b != nil {
			t.Errorf("%s is declared: %+v", name, b)
		}
	}
	for name, want := range map[string]export{
		"out": {local: "b"}, "default": {local: "h"}, "ns": {specifier: "z", member: "*"}, "w": {specifier: "z", member: "w"}, "m": {local: "m"}, "n": {local: "n"}, "o": {local: "o"}, "P": {local: "P"},
	} {
		if got := m.exports[name]; got != want {
			t.Errorf("export %s is %+v; want %+v", name, got, want)
		}
	}
	if !slices.Equal(m.stars, []string{"z"}) {
		t.Errorf("stars %q", m.stars)
	}
	if d, g := m.top.lookup("d"), m.top.lookup("g"); d.exact || !slices.Equal(d.path, []string{"c", "d"}) || !g.exact || !slices.Equal(g.path, []string{"2"}) {
		t.Errorf("ways to d %+v and g %+v", d, g)
	}
}
