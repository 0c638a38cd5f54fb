package inspector

import (
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// TestKeyboard goes through the panel without a mouse.
func TestKeyboard(t *testing.T) {
	p := open(t, "")
	see[bool](p, `(lab.root.querySelector("[role=tab]").focus(), true)`)
	for _, step := range []struct{ keys, tab string }{
		{kb.ArrowRight, "Calls"}, {kb.End, "Recording"}, {kb.ArrowRight, "Surface"}, {kb.ArrowLeft, "Recording"}, {kb.Home, "Surface"},
	} {
		p.press(step.keys)
		if tab := p.find("tab", step.tab); !tab.Is("focused") || !tab.Is("selected") {
			t.Errorf("after %q the tab %s is %v", step.keys, step.tab, tab.Properties)
		}
	}
	before := see[int](p, `lab.root.querySelector(".panel").offsetHeight`)
	see[bool](p, `(lab.root.querySelector("[role=separator]").focus(), true)`)
	p.press(kb.ArrowUp)
	if after := see[int](p, `lab.root.querySelector(".panel").offsetHeight`); after <= before {
		t.Errorf("ArrowUp at the edge changes the height from %d to %d", before, after)
	}
	p.press(kb.Escape)
	if launcher := p.find("button", "pagewarden"); !launcher.Is("focused") {
		t.Error("Escape makes it small, and the focus is lost")
	}
	p.press(kb.Enter)
	if tab := p.find("tab", "Surface"); !tab.Is("focused") {
		t.Error("Enter opens it, and the focus is lost")
	}
}

// TestNarrow: where there is no room for both, the details take the place of the list, and Escape goes back.
func TestNarrow(t *testing.T) {
	p := open(t, "")
	p.must(p.me.Resize(suite.Within(t), 360, 800, 1))
	see[bool](p, `([...lab.root.querySelectorAll(".row")].find((row) => row.getAttribute("aria-label").startsWith("add")).focus(), true)`)
	p.press(kb.ArrowDown + kb.ArrowUp + kb.Enter)
	p.find("button", "Back to the list")
	p.press(kb.Escape)
	if got := p.active(); got == "" {
		t.Error("after Escape the list does not have the focus")
	}
	if see[bool](p, `lab.root.querySelector(".panel").hidden`) {
		t.Error("Escape made the panel small at once")
	}
}

// TestFocusIsSeen: whatever Tab comes to shows it.
func TestFocusIsSeen(t *testing.T) {
	p := open(t, "")
	p.row("add,")
	for range 14 {
		p.press(kb.Tab)
		if got := see[string](p, `(() => {
			const at = lab.root.activeElement;
			if (at === null || at.matches(".resizer")) return "";
			const { outlineStyle, outlineWidth } = getComputedStyle(at);
			return outlineStyle === "none" || parseFloat(outlineWidth) < 2 ? at.outerHTML.slice(0, 120) : "";
		})()`); got != "" {
			t.Errorf("the focus cannot be seen on %s", got)
		}
	}
}

// TestPlaces: over the page, or in a part of it.
func TestPlaces(t *testing.T) {
	p := open(t, `{ options: { root: document.querySelector("#place") } }`)
	if got := see[bool](p, `document.querySelector("#place > [data-pagewarden]") !== null && lab.root.querySelector(".panel").offsetHeight >= 320`); !got {
		t.Error("it is not in its root")
	}
	if got := see[int](p, `(lab.inspector.unmount(), lab.inspector.unmount(), document.querySelectorAll("[data-pagewarden]").length)`); got != 0 {
		t.Errorf("%d hosts are left after unmount", got)
	}
	if got := see[bool](p, `lab.call("view:shop.offers").then((result) => result.status === "ok")`); !got {
		t.Error("after unmount, calls fail")
	}
	for _, c := range []struct{ call, says string }{
		{"lab.mountInspector(lab.registry)", "options.runtime"},
		{"lab.mountInspector({})", "needs a registry"},
		{"lab.mountInspector(lab.registry, { theme: 1 })", "options.theme is no option"},
		{"lab.mountInspector(lab.registry, { root: 1 })", "options.root"},
		{"lab.mountInspector(lab.registry, { runtime: lab.runtime, adapters: [{}] })", "options.adapters"},
	} {
		got := see[string](p, `(() => { try { `+c.call+`; return "nothing"; } catch (error) { return error.name + " " + error.message; } })()`)
		if !strings.HasPrefix(got, "TypeError ") || !strings.Contains(got, c.says) {
			t.Errorf("%s throws %s", c.call, got)
		}
	}
}

// TestForeignRuntime says what is missing, and goes on.
func TestForeignRuntime(t *testing.T) {
	p := openAt(t, fixture.URL+"/inspector.html")
	p.Until("globalThis.lab !== undefined")
	see[bool](p, `lab.open({ options: { runtime: { dev: { watchCalls() { throw new TypeError("of another runtime"); } } } } })`)
	p.Until(`lab.root.querySelector(".banner").textContent.includes("options.runtime")`)
}

// TestDisposal of the registry leaves a panel that says so.
func TestDisposal(t *testing.T) {
	p := open(t, "")
	see[bool](p, "(lab.registry.dispose(), true)")
	p.click("button", "Refresh")
	p.Until(`lab.root.querySelector(".banner").textContent.includes("no surface to show")`)
	p.tab("Confirmations")
	p.says(".cards", "Nothing waits for a person.")
}

// TestRuntimeThatHasEnded: the panel can be taken away all the same, and one that cannot begin leaves nothing.
func TestRuntimeThatHasEnded(t *testing.T) {
	p := openAt(t, fixture.URL+"/inspector.html")
	p.Until("globalThis.lab !== undefined")
	got := see[string](p, `(() => {
		const ended = () => { throw new Error("the runtime has ended"); };
		const registry = (subscribe) => ({ invoke: ended, snapshot: ended, subscribe, confirmations: { subscribe: () => ended, pending: ended } });
		const options = { runtime: { dev: { watchCalls: () => ended, explainSurface: ended } } };
		lab.mountInspector(registry(() => ended), options).unmount();
		try {
			lab.mountInspector(registry(ended), options);
		} catch (error) {
			return error.message + ", hosts: " + document.querySelectorAll("[data-pagewarden]").length;
		}
		return "mounted";
	})()`)
	if want := "the runtime has ended, hosts: 0"; got != want {
		t.Errorf("%s; want %s", got, want)
	}
}
