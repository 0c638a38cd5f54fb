package e2e

import (
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
)

// openDemo serves the demo for one test and opens it.
func openDemo(t *testing.T, b *browser.Browser) tab {
	t.Helper()
	return openIn(t, b, serveDemo(t).URL)
}

func serveDemo(t *testing.T) *site.Demo {
	t.Helper()
	d, err := site.Serve(t.Context(), fixture.Root, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// TestPageOfTheReadme pastes the README's page beside the built runtime, as the README says.
func TestPageOfTheReadme(t *testing.T) {
	p := openPage(t, fixture.Snippet(t, "README.md", "ten-line-page"), nil)
	p.Have("view_lamp__turn")
	if result := p.call("view_lamp__turn", `{"to":"on"}`); result.IsError() || result.Value() != `"on"` {
		t.Errorf("the call gave %s", result.Raw)
	}
	if lamp := see[string](p, `document.querySelector("#lamp").textContent`); lamp != "on" {
		t.Errorf("the lamp is %q", lamp)
	}
	p.refused("view_lamp__turn", `{"to":"dim"}`, "INVALID_INPUT")
}

// TestCommandsOfTheReadme runs the README's commands on the README's page, and reads what they print.
func TestCommandsOfTheReadme(t *testing.T) {
	page := fixture.Paste(t, fixture.Snippet(t, "README.md", "ten-line-page"), nil)
	const program, address = "go run ./cmd/pagewarden", "http://localhost:8000/"
	_, rest, _ := strings.Cut(fixture.Text(t, "README.md"), "```sh\n"+program)
	commands, _, found := strings.Cut(program+rest, "```")
	if !found {
		t.Fatal("the README has no commands for its page")
	}
	c := buildCommand(t)
	lines := strings.Split(strings.TrimSpace(commands), "\n")
	prints := []string{"view_lamp__turn", `"on"`, "INVALID_INPUT"}
	if len(lines) != len(prints) {
		t.Fatalf("there are %d commands; this test knows of %d", len(lines), len(prints))
	}
	for i, line := range lines {
		line, _, _ = strings.Cut(line, "#")
		args := strings.Fields(strings.ReplaceAll(strings.TrimPrefix(line, program), "'", ""))
		for j, arg := range args {
			args[j] = strings.Replace(arg, address, page, 1)
		}
		if _, out, errs := c.run(args...); !strings.Contains(out+errs, prints[i]) {
			t.Errorf("%s prints %s%s; want %s in it", line, out, errs, prints[i])
		}
	}
}

// TestWithoutWebMCP uses a browser as people have it: the runtime works, and there is nobody to offer tools to.
func TestWithoutWebMCP(t *testing.T) {
	b, err := browser.Launch(t.Context(), browser.Options{NoWebMCP: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Run("the suite's page", func(t *testing.T) {
		p := waitForLab(openIn(t, b, fixture.URL+"/lab.html"))
		see[any](p, "lab.mountOrders()")
		result := see[struct{ Status string }](p, `lab.registry.invoke({ capabilityId: "view:shop.orders.place", input: { item: "tea" } })`)
		if result.Status != "ok" || len(see[[]any](p, "lab.orders")) != 1 {
			t.Errorf("the call's status is %q", result.Status)
		}
		refused := see[struct{ Error struct{ Code string } }](p, `lab.registry.invoke({ capabilityId: "view:shop.orders.place", input: {} })`)
		if refused.Error.Code != "INVALID_INPUT" {
			t.Errorf("wrong input gave %q", refused.Error.Code)
		}
		if status := see[adapterStatus](p, "lab.adapter.status()"); status.Supported || status.Surface != "none" || len(status.Registered) > 0 {
			t.Errorf("the adapter says %+v", status)
		}
	})
	t.Run("the demo", func(t *testing.T) {
		p := openDemo(t, b)
		p.Until(`document.querySelector("#agent-status").textContent === "No WebMCP in this browser"`)
		p.Until(`document.querySelectorAll("#devices-rows tr").length === 200`)
	})
}

// outcome is what a page of testdata/csp saw.
type outcome struct {
	Value string
	Error string
}

func TestContentSecurityPolicy(t *testing.T) {
	p := open(t, "csp/page.html")
	for i, o := range see[[]outcome](p, "outcome") {
		if o.Value != "A page with a Content-Security-Policy" {
			t.Errorf("way %d of loading gave %+v", i, o)
		}
	}
}

// TestContentSecurityPolicyWithoutWasm shows that the policy of the other test is in force, and what is said without it.
func TestContentSecurityPolicyWithoutWasm(t *testing.T) {
	p := open(t, "csp-without-wasm/page.html")
	p.Expected = []string{"loading /pagewarden.wasm failed", "Content Security Policy"}
	for i, o := range see[[]outcome](p, "outcome") {
		if !strings.Contains(o.Error, "/pagewarden.wasm") || !strings.Contains(o.Error, "needs 'wasm-unsafe-eval'") {
			t.Errorf("way %d of loading gave %+v; want an error that names the file and what the policy must have", i, o)
		}
	}
}
