package e2e

import (
	"fmt"
	"net/http"
	"testing"
)

// waiter is the page whose handlers wait for the page in every way.
const waiter = `<script type="module">
	import { load } from "/pagewarden.mjs";
	import { offer } from "/loading/use.js";
	const runtime = await load({ wasm: "/pagewarden.wasm" });
	const registry = runtime.createAgentSurfaceRegistry({ authority: runtime.createOpenAuthority(), environment: "test" });
	const act = (execute, more) => ({
		description: "Act.", effect: "local-state", input: runtime.emptyObjectSchema, execute, concurrency: { mode: "parallel", max: 8 }, ...more,
	});
	registry.register({
		type: "page.waiter", description: "Waits.",
		actions: {
			fetch: act(async () => (await fetch("/plain.html")).ok && "fetched"),
			sleep: act(() => new Promise((done) => setTimeout(() => done("slept"), 20))),
			frame: act(() => new Promise((done) => requestAnimationFrame(() => done("shown")))),
			other: act(async () => (await registry.invoke({ capabilityId: "view:page.waiter.sleep", input: {} })).output),
			never: act(() => new Promise(() => {}), { timeoutMs: 600_000 }),
			now: act(() => "now"),
		},
	});
	offer({ runtime, registry });
	globalThis.registry = registry;
</script>`

// TestHandlersThatWait calls twenty tools at once whose handlers wait for the page, one of them for ever: nothing
// freezes and the others answer.
func TestHandlersThatWait(t *testing.T) {
	p := paste(t, waiter, http.Header{})
	answers := map[string]string{"fetch": "fetched", "sleep": "slept", "frame": "shown", "other": "slept", "now": "now"}
	names := []string{"view_page__waiter__never"}
	for name := range answers {
		names = append(names, "view_page__waiter__"+name)
	}
	p.Have(names...)
	stuck := p.begin("view_page__waiter__never", `{}`)
	calls := map[string]<-chan callOutcome{}
	for i := range 4 {
		for name := range answers {
			calls[fmt.Sprintf("%s %d", name, i)] = p.begin("view_page__waiter__"+name, `{}`)
		}
	}
	for key, call := range calls {
		var name string
		fmt.Sscan(key, &name)
		got := <-call
		must(t, got.err)
		if want := fmt.Sprintf("%q", answers[name]); got.result.Value() != want {
			t.Errorf("%s gave %s; want %s", key, got.result.Raw, want)
		}
	}
	see[any](p, "registry.dispose()")
	got := <-stuck
	must(t, got.err)
	refusalOf(t, got.result, "CANCELLED")
}
