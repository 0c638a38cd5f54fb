package e2e

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// TestCapabilitiesOnAPage offers a capability to the browser's agent, lets the page foresee its own calls, and takes
// everything back.
func TestCapabilitiesOnAPage(t *testing.T) {
	p := open(t, "prediction.html")
	p.Until("globalThis.page !== undefined")
	if got := see[string](p, `JSON.stringify([page.registration.supported, page.registration.registered, page.registration.failed])`); got != `[true,["device.rename"],[]]` {
		t.Fatalf("the registration is %s", got)
	}
	p.Have("device.rename")
	if again := see[string](p, `page.again().then(({ failed }) => failed[0].error)`); !strings.Contains(again, "registered already") {
		t.Errorf("once more it is %q", again)
	}
	t.Run("the browser's agent gets a receipt", func(t *testing.T) { agentGetsAReceipt(t, p) })
	t.Run("the page shows what it foresees", func(t *testing.T) { pageForesees(t, p) })
	checks := see[string](p, `(page.registration.cleanup(), page.checks()).then(({ checks }) => checks.map(({ name, ok }) => name + " " + ok).join())`)
	if want := "unique descriptors true,safe degradation true,registration true,case: too long true,clean-up true"; checks != want {
		t.Errorf("the checks are %s", checks)
	}
	p.Have()
}

func agentGetsAReceipt(t *testing.T, p tab) {
	type ended struct {
		result browser.Result
		err    error
	}
	ends := make(chan ended, 1)
	ctx := suite.Within(t)
	go func() {
		result, err := p.Call(ctx, "device.rename", json.RawMessage(`{"name":"Desk lamp"}`))
		ends <- ended{result, err}
	}()
	p.Until("page.waiting.length === 1")
	see[any](p, "void page.waiting.pop().resolve()")
	end := <-ends
	must(t, end.err)
	for _, want := range []string{`committed`, `v2`, `idempotency`} {
		if !strings.Contains(string(end.result.Raw), want) {
			t.Errorf("the receipt lacks %s: %s", want, end.result.Raw)
		}
	}
	refused, err := p.Call(ctx, "device.rename", json.RawMessage(`{"name":5}`))
	must(t, err)
	if !strings.Contains(string(refused.Raw), "input_invalid") {
		t.Errorf("a wrong input gives %s", refused.Raw)
	}
}

func pageForesees(t *testing.T, p tab) {
	for _, step := range []struct{ do, want string }{
		{`void page.run("Night lamp")`, "Night lamp (predicted)"},
		{`void page.waiting.pop().refuse()`, "Lamp"},
		{`void page.run("Reading lamp")`, "Reading lamp (predicted)"},
		{`void page.waiting.pop().resolve()`, "Reading lamp"},
	} {
		see[any](p, step.do)
		p.Until(`page.shown() === "` + step.want + `"`)
	}
	p.Until(`page.outcomes.join() === "rolled-back,committed"`)
	if got := see[string](p, "page.shown()"); got != "Reading lamp" {
		t.Errorf("in the end the page shows %q", got)
	}
}
