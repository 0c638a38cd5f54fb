package compiler_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/contract/compiler"
)

const lampSource = `import { defineAgentComponentContract, actionContract, emptyObjectSchema } from "pagewarden";
export const lamp = defineAgentComponentContract({ type: "acme.lamp", description: "A lamp", actions: {
  turn: actionContract({ description: "Turn it on", effect: "local-state", input: emptyObjectSchema }) } });
`

// acme is a project that uses the package acme, with the package's files.
func acme(pack files) files {
	all := files{"main.ts": `import "acme";`, "node_modules/acme/package.json": `{ "name": "acme", "main": "index.js" }`}
	for name, content := range pack {
		all["node_modules/acme/"+name] = content
	}
	return all
}

func recompiled(t *testing.T, p compiler.Project, approved map[string]string) *compiler.Result {
	t.Helper()
	result, err := compiler.Compile(t.Context(), compiler.Options{Project: p, Approved: approved})
	if err != nil {
		t.Fatal(err)
	}
	return result
}

var allowed = regexp.MustCompile(`--allow (\S+)=([0-9a-f]{64})$`)

// offered is the digest that the one problem of a compilation asks to approve.
func offered(t *testing.T, result *compiler.Result, name string) string {
	t.Helper()
	if len(result.Problems) != 1 || result.Manifest != nil {
		t.Fatalf("want one problem, got:\n%s", lines(result.Problems))
	}
	found := allowed.FindStringSubmatch(result.Problems[0].Fix)
	if found == nil || found[1] != name {
		t.Fatalf("the remedy does not approve %s: %s", name, result.Problems[0])
	}
	return found[2]
}

// sidecar is the contract that a package ships, as a snapshot of it gives.
func sidecar(t *testing.T) string {
	t.Helper()
	result := compiled(t, files{"main.ts": strings.ReplaceAll(lampSource, "turn:", "press:")})
	return string(result.Manifest.File())
}

func TestDependenciesAreApprovedByDigest(t *testing.T) {
	tests := []struct {
		name, declares string
		pack           files
		route, source  string
		change         files
	}{
		{"source", "view:acme.lamp.turn", files{"index.js": `export * from "./lamp.js";`, "lamp.js": lampSource}, contract.RouteSource, "acme/lamp.js",
			files{"lamp.js": strings.Replace(lampSource, "Turn it on", "Turn it off", 1)}},
		{"sidecar", "view:acme.lamp.press", files{"index.js": lampSource, compiler.ContractFile: sidecar(t)}, contract.RouteSidecar, "acme/" + compiler.ContractFile,
			files{compiler.ContractFile: sidecar(t) + " "}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := project(t, acme(test.pack))
			first := recompiled(t, p, nil)
			digest := offered(t, first, "acme")
			if text := first.Problems[0].String(); !strings.Contains(text, "not approved") || !strings.Contains(text, test.declares) {
				t.Errorf("it does not say what is not approved: %s", text)
			}
			m := recompiled(t, p, map[string]string{"acme": digest}).Manifest
			if m == nil || len(m.Capabilities) != 1 || len(m.External) != 1 {
				t.Fatalf("after the approval: %+v", m)
			}
			e, d := m.Capabilities[0], m.External[0]
			if e.CapabilityID != test.declares || e.Origin != "package:acme" || !strings.HasPrefix(e.Declaration, "acme/") {
				t.Errorf("entry %+v", e)
			}
			if want := (contract.Dependency{Package: "acme", Source: test.source, Route: test.route, Digest: digest, ApprovedDigest: digest}); d != want {
				t.Errorf("dependency %+v; want %+v", d, want)
			}
			if err := m.Verify(); err != nil {
				t.Error(err)
			}
			for name, content := range test.change {
				if err := os.WriteFile(filepath.Join(p.Dir, "node_modules/acme", name), []byte(content), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			changed := recompiled(t, p, map[string]string{"acme": digest})
			now := offered(t, changed, "acme")
			if text := changed.Problems[0].String(); now == digest || !strings.Contains(text, "approved as "+digest+", now "+now) || strings.Contains(text, "not approved") {
				t.Errorf("it does not say what changed: %s", text)
			}
		})
	}
}

func TestConstantsOfADependencyNeedApproval(t *testing.T) {
	sources := acme(files{"index.js": `export { TEXT, OTHER } from "./texts.js";`, "texts.js": `export const TEXT = "A lamp", OTHER = Date.now();`})
	sources["main.ts"] = `import { TEXT } from "acme";` + strings.Replace(lampSource, `"A lamp"`, "TEXT", 1)
	p := project(t, sources)
	result := recompiled(t, p, nil)
	if text := result.Problems[0].Message; !strings.Contains(text, "constants that declarations use") {
		t.Errorf("it does not say what it contributes: %s", text)
	}
	m := recompiled(t, p, map[string]string{"acme": offered(t, result, "acme")}).Manifest
	if m == nil || m.Capabilities[0].Origin != contract.FirstParty || len(m.External) != 2 {
		t.Fatalf("after the approval: %+v", m)
	}
}

func TestDependenciesWithoutDeclarationsNeedNoApproval(t *testing.T) {
	tests := []struct{ name, source, note string }{
		{"plain", `export const x = 1;`, ""},
		{"only imports", `import { load } from "pagewarden"; export const start = () => load({});`, ""},
		{"wraps the function", `import { defineAgentComponentContract as d } from "pagewarden"; export const define = (x) => d({ ...x });`, "x is a parameter"},
		{"hands the function on", `import { defineAgentComponentContract as d } from "pagewarden"; export const all = (list) => list.map(d);`, "handed on as a value"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result := compiled(t, acme(files{"index.js": test.source}))
			if result.Manifest == nil || len(result.Manifest.External) != 0 {
				t.Fatalf("manifest %+v, problems:\n%s", result.Manifest, lines(result.Problems))
			}
			if (test.note == "") != (len(result.Notes) == 0) || !strings.Contains(lines(result.Notes), test.note) {
				t.Errorf("notes %q; want %q", lines(result.Notes), test.note)
			}
		})
	}
}

func TestPackageNamesInEveryLayout(t *testing.T) {
	for folder, name := range map[string]string{
		"node_modules/acme":                                 "acme",
		"node_modules/@acme/lamp":                           "@acme/lamp",
		"node_modules/.store/acme@1.0.0/node_modules/acme":  "acme",
		"lib/node_modules/other/node_modules/@acme/nested":  "@acme/nested",
		"node_modules/@our/ui/node_modules/acme":            "acme",
		"packages/app/node_modules/deep/node_modules/lamp-": "lamp-",
	} {
		result := compiled(t, files{"main.ts": `import "./` + folder + `/index.js";`, folder + "/index.js": lampSource})
		offered(t, result, name)
	}
}

func TestDamagedSidecarIsAProblem(t *testing.T) {
	for name, damage := range map[string]func(string) string{
		"changed text": func(s string) string { return strings.Replace(s, "Turn it on", "Turn it off", 1) },
		"no JSON":      func(string) string { return "{" },
	} {
		t.Run(name, func(t *testing.T) {
			result := compiled(t, acme(files{"index.js": "", compiler.ContractFile: damage(sidecar(t))}))
			if !slices.ContainsFunc(result.Problems, func(p compiler.Problem) bool {
				return strings.Contains(p.Message, "dependency acme ships is damaged")
			}) {
				t.Errorf("problems:\n%s", lines(result.Problems))
			}
		})
	}
}

func TestWhatTwoClaimIsAProblem(t *testing.T) {
	sources := acme(files{"index.js": "", compiler.ContractFile: sidecar(t)})
	sources["main.ts"] = `import "acme";` + strings.ReplaceAll(lampSource, "turn:", "press:")
	p := project(t, sources)
	digest := offered(t, recompiled(t, p, nil), "acme")
	result := recompiled(t, p, map[string]string{"acme": digest})
	if len(result.Problems) != 1 || !strings.Contains(result.Problems[0].Message, "declared twice") {
		t.Errorf("problems:\n%s", lines(result.Problems))
	}
}
