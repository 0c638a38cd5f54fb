package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/contract/compiler"
)

var update = flag.Bool("update", false, "write the golden files anew")

const lampSource = `import { defineAgentComponentContract, observationContract, actionContract, defineAgentProcedureContract, fromJsonSchema } from "pagewarden";
import { LEVEL } from "./levels";

export const lamp = defineAgentComponentContract({
  type: "lamp",
  description: "The lamp in the hall",
  observations: { state: observationContract({ description: "On or off", output: fromJsonSchema({ type: "string" }) }) },
  actions: {
    turn: actionContract({ description: "Turn the lamp", effect: "local-state", confirmation: LEVEL, input: fromJsonSchema({ type: "object", properties: { to: { type: "string" } } }) }),
  },
});
export const order = defineAgentProcedureContract({
  id: "domain:bulbs.order", description: "Order bulbs", effect: "external-side-effect", input: fromJsonSchema({ type: "object", properties: { shop: { type: "string" }, count: { type: "integer" } } }),
  boundFields: [{ path: "shop", locked: true }], policies: [{ name: "signed-in", phase: "authorize" }],
});
`

// lampProject is a project in a repository of git, and the folder that the test runs in.
func lampProject(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	put(t, dir, compiler.ProjectFile, `{ "entries": ["src/main.ts"] }`)
	put(t, dir, "src/main.ts", `void import("./lamp");`)
	put(t, dir, "src/lamp.ts", lampSource)
	put(t, dir, "src/levels.ts", `export const LEVEL = "required" as const;`)
	t.Chdir(dir)
	gitRuns(t, "init", "--quiet", "--initial-branch=main")
	commit(t)
	return dir
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

func replace(t *testing.T, name, old, fresh string) {
	t.Helper()
	content := fileText(t, name)
	if !strings.Contains(content, old) {
		t.Fatalf("%s does not hold %q", name, old)
	}
	put(t, ".", name, strings.ReplaceAll(content, old, fresh))
}

func fileText(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func gitRuns(t *testing.T, args ...string) {
	t.Helper()
	args = append([]string{"-c", "user.name=Test", "-c", "user.email=test@example.com"}, args...)
	if out, err := exec.CommandContext(t.Context(), "git", args...).CombinedOutput(); err != nil {
		t.Fatalf("git %q: %v\n%s", args, err, out)
	}
}

func commit(t *testing.T) {
	t.Helper()
	gitRuns(t, "add", "--all")
	gitRuns(t, "commit", "--quiet", "--message=x")
}

// succeed runs a command that must have nothing to say against the project.
func succeed(t *testing.T, args ...string) string {
	t.Helper()
	o := runs(t, args...)
	if o.code != 0 || o.errors != "" {
		t.Fatalf("%q gives code %d, says %s%s", args, o.code, o.out, o.errors)
	}
	return o.out
}

func TestContractFromNothingToADriftThatIsReviewed(t *testing.T) {
	lampProject(t)
	o := runs(t, "contract", "check")
	if o.code != 1 || !strings.Contains(o.out, "There is no contract; run: pagewarden contract snapshot") {
		t.Errorf("without a contract: code %d, says %s", o.code, o.out)
	}
	if out := succeed(t, "contract", "snapshot"); !strings.Contains(out, "is written: review it and commit it") || !strings.Contains(out, "data-contract=\"sha256-") {
		t.Errorf("the first snapshot says %s", out)
	}
	first := fileText(t, compiler.ContractFile)
	if out := succeed(t, "contract", "snapshot"); !strings.Contains(out, "up to date") || fileText(t, compiler.ContractFile) != first {
		t.Errorf("the second snapshot says %s", out)
	}
	succeed(t, "contract", "check")
	commit(t)
	replace(t, "src/levels.ts", "required", "never")
	if o := runs(t, "contract", "check"); o.code != 1 || !strings.Contains(o.out, "confirmation: required → never") {
		t.Errorf("with another level in the sources: code %d, says %s", o.code, o.out)
	}
	succeed(t, "contract", "snapshot")
	succeed(t, "contract", "check")
	for policy, code := range map[string]int{"all": 1, "widening": 1, "narrowing": 0, "neutral": 0, "none": 0} {
		o := runs(t, "contract", "check", "--base", "main", "--policy", policy)
		if o.code != code || !strings.Contains(o.out, "Since main: 1 widening") {
			t.Errorf("drift with policy %s: code %d, want %d; says %s", policy, o.code, code, o.out)
		}
	}
	commit(t)
	if out := succeed(t, "contract", "check", "--base", "HEAD"); !strings.Contains(out, "Since HEAD: no change") {
		t.Errorf("after the commit: %s", out)
	}
}

// TestContractGolden compares each command's output in each format. The files pin: one report behind all formats,
// places relative to where the command runs, and bytes that are the same in every folder.
func TestContractGolden(t *testing.T) {
	golden, err := filepath.Abs(filepath.Join("testdata", "contract"))
	if err != nil {
		t.Fatal(err)
	}
	lampProject(t)
	succeed(t, "contract", "snapshot")
	commit(t)
	cases := []struct {
		name   string
		change func()
		args   []string
		code   int
	}{
		{"inspect", func() {}, []string{"inspect"}, 0},
		{"check", func() {}, []string{"check", "--base", "HEAD"}, 0},
		{"stale", func() { replace(t, "src/lamp.ts", "Turn the lamp", "Turn the lamp on or off") }, []string{"check"}, 1},
		{"snapshot", func() { replace(t, "src/lamp.ts", "locked: true", "locked: false") }, []string{"snapshot"}, 0},
		{"drift", func() {}, []string{"check", "--base", "HEAD", "--verbosity", "detail"}, 1},
		{"problems", func() { replace(t, "src/lamp.ts", `"Order bulbs"`, "document.title") }, []string{"check", "--base", "HEAD", "--policy", "none"}, 1},
	}
	for _, test := range cases {
		test.change()
		kept := fileText(t, compiler.ContractFile)
		for _, format := range []string{"human", "json", "md", "github"} {
			put(t, ".", compiler.ContractFile, kept)
			o := runs(t, append([]string{"contract"}, append(test.args, "--format", format)...)...)
			if o.code != test.code || o.errors != "" {
				t.Errorf("%s as %s: code %d, want %d; stderr %s", test.name, format, o.code, test.code, o.errors)
			}
			compareGolden(t, filepath.Join(golden, test.name+"."+format+".txt"), o.out)
		}
	}
}

func compareGolden(t *testing.T, path, got string) {
	t.Helper()
	if *update {
		put(t, filepath.Dir(path), filepath.Base(path), got)
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", filepath.Base(path), got, want)
	}
}

func TestContractThatDoesNotStandUp(t *testing.T) {
	lampProject(t)
	succeed(t, "contract", "snapshot")
	whole := fileText(t, compiler.ContractFile)
	for name, test := range map[string]struct{ content, says string }{
		"changed by hand": {strings.Replace(whole, `"confirmation":"required"`, `"confirmation":"never"`, 1), "changed by hand"},
		"no JSON":         {"<<<<<<< HEAD\n" + whole, "not whole"},
		"formatted":       {strings.ReplaceAll(whole, ",", ", "), "not in the bytes that a snapshot writes"},
	} {
		put(t, ".", compiler.ContractFile, test.content)
		if o := runs(t, "contract", "check", "--base", "HEAD"); o.code != 1 || !strings.Contains(o.out, test.says) || !strings.Contains(o.out, "run: pagewarden contract snapshot") {
			t.Errorf("%s: code %d, says %s%s", name, o.code, o.out, o.errors)
		}
		if name != "formatted" {
			if o := runs(t, "contract", "inspect"); o.code != 2 || o.out != "" {
				t.Errorf("%s, inspected: code %d, says %s", name, o.code, o.out)
			}
		}
		succeed(t, "contract", "snapshot")
		if fileText(t, compiler.ContractFile) != whole {
			t.Errorf("%s: the snapshot did not mend it", name)
		}
	}
}

func TestContractThatCannotBeTried(t *testing.T) {
	lampProject(t)
	succeed(t, "contract", "snapshot")
	commit(t)
	tests := []struct {
		name string
		args []string
		says string
	}{
		{"format", []string{"check", "--format", "xml"}, "--format takes human, json, md, github"},
		{"verbosity", []string{"inspect", "--verbosity", "loud"}, "--verbosity takes min, normal, detail"},
		{"policy", []string{"check", "--policy", "some"}, "--policy takes all, widening, narrowing, neutral, none"},
		{"approval", []string{"snapshot", "--allow", "acme=123"}, "--allow takes PACKAGE=SHA256"},
		{"argument", []string{"check", "src/main.ts"}, "wrong number of arguments"},
		{"unknown revision", []string{"check", "--base", "gone"}, "finding the revision gone"},
		{"revision that looks like an option", []string{"check", "--base=--all"}, "finding the revision --all"},
		{"entry that is not there", []string{"snapshot", "--entry", "gone.ts"}, "gone.ts"},
		{"file that is not there", []string{"inspect", "gone.json"}, "reading gone.json"},
	}
	for _, test := range tests {
		o := runs(t, append([]string{"contract"}, test.args...)...)
		if o.code != 2 || o.out != "" || !strings.Contains(o.errors, test.says) {
			t.Errorf("%s: code %d, stdout %q, stderr %q; want 2 and %q", test.name, o.code, o.out, o.errors, test.says)
		}
	}
	put(t, ".", "src/broken.ts", "let = = 1;")
	put(t, ".", "src/main.ts", `import "./broken"; import "gone";`)
	for _, command := range []string{"snapshot", "check"} {
		o := runs(t, "contract", command)
		for _, line := range []string{"pagewarden: src/broken.ts:1:7: ", "pagewarden: src/main.ts:1:27: ", "pagewarden: the sources cannot be read\n"} {
			if o.code != 2 || !strings.Contains(o.errors, line) {
				t.Errorf("%s: code %d, stderr %s; want %q", command, o.code, o.errors, line)
			}
		}
	}
}

func TestContractWithoutAProject(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	runs(t, "contract", "check").expect(t, 2, "", "pagewarden.json", "--entry")
	put(t, dir, "package.json", "{}")
	put(t, dir, "src/main.ts", strings.Replace(lampSource, `import { LEVEL } from "./levels";`, `const LEVEL = "never";`, 1))
	t.Chdir(filepath.Join(dir, "src"))
	if out := succeed(t, "contract", "snapshot", "--entry", "main.ts"); !strings.Contains(out, "../.pagewarden/contract.json: ") {
		t.Errorf("it says %s", out)
	}
	if text := fileText(t, filepath.Join(dir, compiler.ContractFile)); !strings.Contains(text, `"declaration":"src/main.ts#lamp"`) || strings.Contains(text, dir) {
		t.Errorf("the contract is %s", text)
	}
	if out := succeed(t, "contract", "inspect", filepath.Join(dir, compiler.ContractFile)); !strings.Contains(out, "view:lamp.turn") {
		t.Errorf("inspected by its name it shows %s", out)
	}
	if out := succeed(t, "contract", "inspect", "--entry", "main.ts", "--format", "json"); !strings.Contains(out, `"state": "proposed"`) {
		t.Errorf("inspected by its sources it shows %s", out)
	}
	succeed(t, "contract", "snapshot", "--entry", "main.ts")
	if out := succeed(t, "contract", "inspect", "--entry", "main.ts"); !strings.Contains(out, "This is what a snapshot would write; nothing was written.") {
		t.Errorf("inspected by its sources, beside a contract, it shows %s", out)
	}
}

func TestInspectShowsNoInventoryOfSourcesWithProblems(t *testing.T) {
	lampProject(t)
	put(t, ".", "src/levels.ts", "export const LEVEL = location.hash;")
	for format, no := range map[string]string{"human": "capabilities", "md": "capabilit", "github": "capabilities"} {
		o := runs(t, "contract", "inspect", "--format", format)
		if o.code != 1 || !strings.Contains(o.out, "src/levels.ts") || strings.Contains(strings.ToLower(o.out), no) {
			t.Errorf("%s: code %d, says %s%s", format, o.code, o.out, o.errors)
		}
	}
}

func TestContractAtARevisionWithoutOne(t *testing.T) {
	lampProject(t)
	succeed(t, "contract", "snapshot")
	if o := runs(t, "contract", "check", "--base", "HEAD"); o.code != 1 || !strings.Contains(o.out, "Since HEAD: 3 widening") {
		t.Errorf("code %d, says %s%s", o.code, o.out, o.errors)
	}
	if out := succeed(t, "contract", "inspect", "--verbosity", "min"); out != "3 capabilities: 1 of high reach, 0 medium, 2 low\n" {
		t.Errorf("inspect says %q", out)
	}
}

// TestContractOfAFolderOfARepository has the project, and the command, below the repository's root.
func TestContractOfAFolderOfARepository(t *testing.T) {
	dir := lampProject(t)
	for _, name := range []string{compiler.ProjectFile, "src/main.ts", "src/lamp.ts", "src/levels.ts"} {
		put(t, dir, "apps/web/"+name, fileText(t, name))
	}
	t.Chdir(filepath.Join(dir, "apps", "web"))
	succeed(t, "contract", "snapshot")
	commit(t)
	t.Chdir("src")
	if out := succeed(t, "contract", "check", "--base", "main"); !strings.Contains(out, "../.pagewarden/contract.json: ") || !strings.Contains(out, "Since main: no change") {
		t.Errorf("it says %s", out)
	}
	replace(t, "levels.ts", "required", "never")
	succeed(t, "contract", "snapshot")
	o := runs(t, "contract", "check", "--base", "main", "--format", "github")
	if o.code != 1 || !strings.Contains(o.out, "::error file=../.pagewarden/contract.json,title=widening%3A view%3Alamp.turn::") {
		t.Errorf("code %d, says %s%s", o.code, o.out, o.errors)
	}
}

func TestContractApprovesADependency(t *testing.T) {
	lampProject(t)
	put(t, ".", "node_modules/acme/index.js", `import { defineAgentComponentContract as d, emptyObjectSchema } from "pagewarden";
		export const bell = d({ type: "bell", description: "A bell", actions: { ring: { description: "Ring it", effect: "local-state", input: emptyObjectSchema } } });`)
	put(t, ".", "src/main.ts", `import "./lamp"; import "acme";`)
	o := runs(t, "contract", "snapshot")
	_, digest, found := strings.Cut(o.out, "--allow acme=")
	if o.code != 1 || !found || !strings.Contains(o.out, "acme is not approved, and contributes view:bell.ring") {
		t.Fatalf("code %d, says %s", o.code, o.out)
	}
	if _, err := os.Stat(compiler.ContractFile); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a contract was written all the same: %v", err)
	}
	succeed(t, "contract", "snapshot", "--allow", "acme="+digest[:64])
	succeed(t, "contract", "check")
	if out := succeed(t, "contract", "snapshot"); !strings.Contains(out, "up to date") {
		t.Errorf("the approval was not kept: %s", out)
	}
	replace(t, "node_modules/acme/index.js", "Ring it", "Ring it twice")
	for _, command := range []string{"check", "snapshot"} {
		if o := runs(t, "contract", command); o.code != 1 || !strings.Contains(o.out, "acme was approved and has changed since: approved as "+digest[:64]) {
			t.Errorf("%s: code %d, says %s", command, o.code, o.out)
		}
	}
}

// awaited is a stream that tells when it holds a text.
type awaited struct {
	writes chan string
}

func (a awaited) Write(p []byte) (int, error) {
	a.writes <- string(p)
	return len(p), nil
}

// until waits for a write with the text.
func (a awaited) until(t *testing.T, text string) {
	t.Helper()
	for {
		select {
		case written := <-a.writes:
			if strings.Contains(written, text) {
				return
			}
		case <-t.Context().Done():
			t.Fatalf("the test ended before %q was written", text)
		}
	}
}

func TestContractSnapshotWatches(t *testing.T) {
	lampProject(t)
	ctx, cancel := context.WithCancel(t.Context())
	out, errs := awaited{make(chan string, 100)}, awaited{make(chan string, 100)}
	done := make(chan int)
	go func() { done <- run(ctx, []string{"contract", "snapshot", "--watch"}, &bytes.Buffer{}, out, errs) }()
	out.until(t, "is written: review it")
	replace(t, "src/levels.ts", `"required"`, "location.hash")
	out.until(t, "PROBLEM src/levels.ts:1:22")
	put(t, ".", "src/levels.ts", "export const LEVEL = = 1;")
	errs.until(t, "src/levels.ts:1:22")
	put(t, ".", "src/levels.ts", `export const LEVEL = "never";`)
	out.until(t, "confirmation: required → never")
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("code %d after an interrupt", code)
	}
	succeed(t, "contract", "check")
}

// TestDocumentShowsWhatTheCommandSays makes the pull request that docs/contract.md explains, and compares the report.
func TestDocumentShowsWhatTheCommandSays(t *testing.T) {
	document := fileText(t, filepath.Join("..", "..", "docs", "contract.md"))
	lampProject(t)
	succeed(t, "contract", "snapshot")
	commit(t)
	replace(t, "src/levels.ts", "required", "never")
	replace(t, "src/lamp.ts", `, policies: [{ name: "signed-in", phase: "authorize" }]`, "")
	replace(t, "src/lamp.ts", "locked: true", "locked: false")
	replace(t, "src/lamp.ts", `description: "On or off"`, `description: "Whether the lamp is on"`)
	replace(t, "src/lamp.ts", "    turn: actionContract(", `    unplug: actionContract({ description: "Cut the power", effect: "local-state", confirmation: "required", input: fromJsonSchema({ type: "object" }) }),
    turn: actionContract(`)
	put(t, ".", "src/main.ts", `import "./lamp"; import "./levels";`)
	succeed(t, "contract", "snapshot")
	o := runs(t, "contract", "check", "--base", "main", "--policy", "widening")
	if block := "```\n" + o.out + "```\n"; o.code != 1 || !strings.Contains(document, block) {
		t.Errorf("docs/contract.md does not show what the command says:\n%s", block)
	}
	if out := succeed(t, "contract", "inspect"); !strings.Contains(document, "```\n"+out+"```\n") {
		t.Errorf("docs/contract.md does not show the inventory:\n%s", out)
	}
	put(t, ".", "src/levels.ts", "export const LEVEL = location.hash ? \"never\" : \"required\";\n")
	if o := runs(t, "contract", "check"); !strings.Contains(document, strings.SplitAfter(o.out, "\n")[0]) {
		t.Errorf("docs/contract.md does not show the problem:\n%s", o.out)
	}
}
