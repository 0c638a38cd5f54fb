package e2e

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// TestLeavingInTheMiddleOfACall goes away from a page in every way while a call of an agent's is in flight: the call ends
// clearly, nothing is written to a console, and the next page works.
func TestLeavingInTheMiddleOfACall(t *testing.T) {
	for name, leave := range map[string]func(p tab){
		"another page":  func(p tab) { p.leave("loading/page.html") },
		"the same page": func(p tab) { must(p.T, p.Reload(suite.Within(p.T))) },
		"by the page":   func(p tab) { see[any](p, `void (location.href = "/plain.html")`) },
		"by a form": func(p tab) {
			see[any](p, `void document.body.appendChild(Object.assign(document.createElement("form"), { action: "/plain.html" })).submit()`)
		},
		"the tab is shut": func(p tab) { must(p.T, p.Close()) },
	} {
		t.Run(name, func(t *testing.T) {
			p := paste(t, pageOf("/pagewarden.wasm"), nil)
			p.Have(held, echo)
			call := p.begin(held, `{}`)
			p.Until("kept.waiting.held === 1")
			leave(p)
			mustBeGone(t, <-call)
			switch name {
			case "the tab is shut":
				return
			case "another page", "the same page":
				p.leave("plain.html") // the others are on their way to it
			}
			p.Have("greet")
			if result := p.call("greet", `{"name":"Ada"}`); result.Value() != "Hello, Ada." {
				t.Errorf("the next page gave %s", result.Raw)
			}
		})
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// openFrame opens a page with a surface of its own and a frame with another.
func openFrame(t *testing.T) tab {
	t.Helper()
	inner := fixture.pasted.add(t, `<!doctype html><link rel="icon" href="data:,">`+pageOf("/pagewarden.wasm"), nil)
	p := paste(t, `<iframe src="/`+inner+`"></iframe><script type="module">
		import { load } from "/pagewarden.mjs";
		import { offer, surface } from "/loading/use.js";
		const runtime = await load({ wasm: "/pagewarden.wasm" });
		const { registry } = surface(runtime);
		offer({ runtime, registry });
		globalThis.frame = document.querySelector("iframe");
		globalThis.outer = registry;
	</script>`, nil)
	p.Have(echo, echo, held)
	return p
}

// TestFrameGoesInTheMiddleOfACall removes and replaces a frame in which a call of an agent's is in flight: that call ends,
// the page around it goes on.
func TestFrameGoesInTheMiddleOfACall(t *testing.T) {
	for name, goes := range map[string]string{
		"removed":  "frame.remove()",
		"replaced": `frame.replaceWith(document.createElement("p"))`,
		"moved on": `frame.src = "/plain.html"`,
		"emptied":  `frame.srcdoc = "<p>Nothing</p>"`,
		"written":  `(frame.contentDocument.open(), frame.contentDocument.write("<p>Nothing</p>"), frame.contentDocument.close(), frame.remove())`,
	} {
		t.Run(name, func(t *testing.T) {
			p := openFrame(t)
			call := p.begin(held, `{}`)
			p.Until("frame.contentWindow.kept.waiting.held === 1")
			see[any](p, "void ("+goes+")")
			mustBeGone(t, <-call)
			if name == "moved on" {
				p.Have(echo, "greet")
			} else {
				p.Have(echo)
			}
			callOnce(p)
		})
	}
}

// TestObjectsOfAFrameThatIsGone uses the objects of a frame after the frame was removed or has moved on. In Chromium 156
// the abort of a tool's signal would then take the whole tab down.
func TestObjectsOfAFrameThatIsGone(t *testing.T) {
	for name, goes := range map[string]string{
		"removed":  "frame.remove()",
		"moved on": `await new Promise((done) => { frame.onload = done; frame.src = "/loading/tag.js"; })`,
	} {
		t.Run(name, func(t *testing.T) {
			p := openFrame(t)
			call := p.begin(held, `{}`)
			p.Until("frame.contentWindow.kept.waiting.held === 1")
			got := see[[]string](p, `(async () => {
				const { registry, runtime, adapter, handle } = frame.contentWindow.kept;
				`+goes+`;
				const says = (run) => { try { return typeof run(); } catch (error) { return "threw " + error.message; } };
				return [
					() => registry.snapshot(), () => registry.getVersion(), () => adapter.status(), () => runtime.fromJsonSchema({}),
					() => registry.invoke({ capabilityId: "view:page.text.echo", input: { text: "x" } }),
					() => handle.unregister(), () => adapter.stop(), () => registry.dispose(),
				].map(says);
			})()`)
			mustBeGone(t, <-call)
			if want := "object string object object object undefined undefined undefined"; strings.Join(got, " ") != want {
				t.Errorf("the frame's objects gave %q; want %s", got, want)
			}
			p.Have(echo)
			callOnce(p)
		})
	}
}

// TestWorkerGoesInTheMiddleOfACall terminates the worker that a handler waits for: the call ends by its time limit, and
// the page's other calls are answered meanwhile.
func TestWorkerGoesInTheMiddleOfACall(t *testing.T) {
	p := openWorkers(t)
	see[any](p, `offerWorker("/pagewarden.wasm", 1500)`)
	p.Have("view_page__worker__ask", "view_page__worker__near")
	if result := p.call("view_page__worker__ask", `{"hang":false}`); result.Value() != `"back"` {
		t.Fatalf("the worker gave %s", result.Raw)
	}
	call := p.begin("view_page__worker__ask", `{"hang":true}`)
	p.Until("seen.asked === 2")
	see[any](p, "void terminate()")
	if result := p.call("view_page__worker__near", `{}`); result.Value() != `"near"` {
		t.Errorf("the page gave %s", result.Raw)
	}
	got := <-call
	must(t, got.err)
	if r := refusalOf(t, got.result, "TIMEOUT"); r.Details.Progress != "may-have-happened" {
		t.Errorf("the call gave %+v", r)
	}
	if aborted := see[int](p, "seen.aborted"); aborted != 1 {
		t.Errorf("the handler was told %d times that nobody waits", aborted)
	}
}

// TestTooMuchIsRefused sends and returns values beyond every limit: the call is refused, the runtime lives.
func TestTooMuchIsRefused(t *testing.T) {
	p := openLoading(t)
	see[any](p, `(async () => {
		const runtime = await loading.load({ wasm: "/pagewarden.wasm" });
		const made = loading.surface(runtime);
		loading.offer(made);
		const act = (execute) => ({ description: "Give much.", effect: "local-state", input: runtime.emptyObjectSchema, execute });
		made.registry.register({
			type: "page.much", description: "Much.",
			actions: {
				text: act(() => "x".repeat(5 << 20)), list: act(() => new Array(1e6).fill(0)), sparse: act(() => new Array(2 ** 32 - 1)),
				wide: act(() => Object.fromEntries(Array.from({ length: 1e6 }, (_, i) => ["n" + i, i]))),
				deep: act(() => { let v = 1; for (let i = 0; i < 1e5; i++) v = [v]; return v; }),
			},
		});
	})()`)
	names := []string{echo}
	for _, kind := range []string{"text", "list", "sparse", "wide", "deep"} {
		names = append(names, "view_page__much__"+kind)
	}
	p.Have(names...)
	for _, name := range see[[]string](p, `["text", "list", "sparse", "wide", "deep"].map((name) => "view_page__much__" + name)`) {
		r := p.refused(name, `{}`, "EXECUTION_FAILED")
		if (r.Details.Reason != "output-invalid" && r.Details.Reason != "output-too-large") || r.Details.Progress != "done" {
			t.Errorf("%s gave %+v", name, r)
		}
	}
	for _, size := range []int{1 << 20, 5 << 20} {
		input, err := json.Marshal(map[string]string{"text": strings.Repeat("x", size)})
		must(t, err)
		p.refused(echo, string(input), "INVALID_INPUT")
	}
	p.refused(echo, fmt.Sprintf(`{"text":"x","more":%s1%s}`, strings.Repeat("[", 200), strings.Repeat("]", 200)), "INVALID_INPUT")
	callOnce(p)
}
