package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/pagewarden/pagewarden/e2e/internal/site"
)

// TestPageOfTheGuide pastes the page of docs/javascript.md beside the built runtime, with its script and the contract that
// the compiler makes of that.
func TestPageOfTheGuide(t *testing.T) {
	page, script := fixture.Snippet(t, "docs/javascript.md", "javascript-page"), fixture.Snippet(t, "docs/javascript.md", "javascript-module")
	contract, err := site.Contract(t.Context(), script)
	if err != nil {
		t.Fatal(err)
	}
	p := openPage(t, page, map[string]string{"/lamp.js": script, site.ContractPath: string(contract)})
	p.Have("view_lamp__dim")
	if result := p.call("view_lamp__dim", `{"percent":20}`); result.IsError() {
		t.Errorf("the call gave %s", result.Raw)
	}
	if shown := see[string](p, `document.querySelector("#brightness").textContent`); shown != "20" {
		t.Errorf("the page shows %q", shown)
	}
	p.refused("view_lamp__dim", `{"percent":200}`, "INVALID_INPUT")
}

// TestPinOfTheGuide loads the script with the pin of docs/contract.md: the contract with that hash is taken, no other.
func TestPinOfTheGuide(t *testing.T) {
	script := fixture.Snippet(t, "docs/javascript.md", "javascript-module")
	contract, err := site.Contract(t.Context(), script)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(fixture.Text(t, "docs/contract.md"), "```html\n")
	tag, _, found := strings.Cut(rest, "```")
	if !found || !strings.Contains(tag, "sha256-HASH") {
		t.Fatalf("docs/contract.md has no pin: %q", tag)
	}
	var manifest struct{ Hash string }
	if err := json.Unmarshal(contract, &manifest); err != nil {
		t.Fatal(err)
	}
	for hash, says := range map[string]string{manifest.Hash: "loaded", strings.Repeat("0", 64): "this runtime is pinned to"} {
		page := `<!doctype html><link rel="icon" href="data:,"><b id="brightness">50</b>` + strings.Replace(tag, "HASH", hash, 1) +
			`<script type="module">import("/lamp.js").then(() => { globalThis.said = "loaded"; }, (error) => { globalThis.said = error.message; });</script>`
		p := openPage(t, page, map[string]string{"/lamp.js": script, site.ContractPath: string(contract)})
		p.Until("globalThis.said !== undefined")
		if said := see[string](p, "globalThis.said"); !strings.Contains(said, says) {
			t.Errorf("with the pin %s the page says %q; want %q", hash, said, says)
		}
	}
}

// bundled is what a page's author writes who uses a bundler.
const bundled = `
	import { load } from "pagewarden";
	const runtime = await load({ wasm: "/pagewarden.wasm" });
	const surface = runtime.createTestSurface();
	surface.registry.register({ type: "a", description: "A", observations: {
		one: { description: "One", output: runtime.fromJsonSchema({ type: "integer" }), read: () => 1 } } });
	globalThis.seen = await surface.observe("view:a.one");
	surface.dispose();
`

// TestBundle puts the npm package into a program with a bundler, and the program into a page.
func TestBundle(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "node_modules"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(fixture.Root, "dist"), filepath.Join(dir, "node_modules", "pagewarden")); err != nil {
		t.Fatal(err)
	}
	result := api.Build(api.BuildOptions{
		Stdin:  &api.StdinOptions{Contents: bundled, ResolveDir: dir, Sourcefile: "program.js"},
		Bundle: true, Format: api.FormatESModule, Platform: api.PlatformBrowser, LogLevel: api.LogLevelSilent,
	})
	if len(result.Errors) > 0 || len(result.Warnings) > 0 {
		t.Fatalf("bundling gave %+v %+v", result.Errors, result.Warnings)
	}
	p := openPage(t, `<!doctype html><script type="module" src="bundle.js"></script>`, map[string]string{"/bundle.js": string(result.OutputFiles[0].Contents)})
	p.Until("globalThis.seen === 1")
}

// openPage opens a page beside the built runtime and more files.
func openPage(t *testing.T, page string, beside map[string]string) tab {
	t.Helper()
	return openIn(t, fixture.Browser, fixture.Paste(t, page, beside))
}
