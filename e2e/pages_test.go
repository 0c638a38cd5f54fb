package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
)

// openDemo serves the demo for one test and opens it.
func openDemo(t *testing.T, b *browser.Browser) *tab {
	t.Helper()
	return openIn(t, b, serveDemo(t).URL)
}

func serveDemo(t *testing.T) *site.Demo {
	t.Helper()
	d, err := site.Serve(t.Context(), fixture.root, nil)
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

func TestPageInTenLines(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("testdata", "ten-lines.html"))
	if err != nil {
		t.Fatal(err)
	}
	if lines := strings.Count(string(content), "\n"); lines != 10 {
		t.Errorf("the page has %d lines", lines)
	}
	p := open(t, "ten-lines.html")
	p.expected = []string{"favicon.ico"} // the browser asks for one by itself
	p.have("view_demo__lamp__turnOn")
	if result := p.call("view_demo__lamp__turnOn", `{"color":"gold"}`); result.Value() != `{"color":"gold"}` {
		t.Errorf("the call gave %s", result.Raw)
	}
	if color := see[string](p, "document.body.style.background"); color != "gold" {
		t.Errorf("the lamp is %q", color)
	}
	p.refused("view_demo__lamp__turnOn", `{"color":"pink"}`, "INVALID_INPUT")
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
		p := waitForLab(openIn(t, b, fixture.server.URL+"/lab.html"))
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
		p.until(`document.querySelector("#agent-status").textContent === "No WebMCP in this browser"`)
		p.until(`document.querySelectorAll("#devices-rows tr").length === 200`)
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
	p.expected = []string{"loading /pagewarden.wasm failed", "Content Security Policy"}
	for i, o := range see[[]outcome](p, "outcome") {
		if !strings.Contains(o.Error, "/pagewarden.wasm") || !strings.Contains(o.Error, "wasm-unsafe-eval") && !strings.Contains(o.Error, "Content Security Policy") {
			t.Errorf("way %d of loading gave %+v; want an error that names the file and the policy", i, o)
		}
	}
}
