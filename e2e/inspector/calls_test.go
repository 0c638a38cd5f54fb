package inspector

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// TestCallsAsTheyRun: a row for each call at once, and all of it when it is over.
func TestCallsAsTheyRun(t *testing.T) {
	p := open(t, "")
	p.tab("Calls")
	see[bool](p, "lab.day()")
	p.rows("view:shop.offers, ok", "view:shop.cart.add, ok", "view:shop.cart.add, INVALID_INPUT", "view:shop.cart.content, ok")
	p.row("view:shop.cart.wait")
	p.says(".details", "running")
	see[bool](p, `(lab.waiting[0]({ rested: true }), true)`)
	p.says(".details", "Waited in queue")
	for _, text := range []string{"webmcp:helper", "admission", "execution", "inv_", "reg_"} {
		p.says(".details", text)
	}
	p.row("domain:orders.cancel")
	p.says(".details", `"tenant": "north"`) // what the handler would have got
	p.click("checkbox", "Errors only")
	p.rows("view:shop.cart.add, INVALID_INPUT")
	p.write("searchbox", "Filter calls", "not_found")
	p.rows("view:shop.cart.discount, CAPABILITY_NOT_FOUND")
	p.says(".toolbar", "1 of 9 calls")
	p.click("button", "Clear")
	p.says(".toolbar", "0 calls")
}

// TestManyCalls: of ten thousand, only those in sight are elements, and the newest stay in sight.
func TestManyCalls(t *testing.T) {
	p := open(t, "{ components: lab.many(10) }")
	p.tab("Calls")
	took := see[map[string]int](p, `lab.frames(() => lab.calls(10000, "view:part0.list.doa"))`)
	p.says(".toolbar", "10000 calls")
	const most = 700
	if nodes := see[int](p, "lab.nodes()"); nodes > most {
		t.Errorf("%d elements; want at most %d", nodes, most)
	}
	p.Until(`(({ scrollTop, clientHeight, scrollHeight }) => scrollTop + clientHeight >= scrollHeight - 1)(lab.root.querySelector(".page:not([hidden]) .rows"))`)
	see[bool](p, `(lab.root.querySelector(".page:not([hidden]) .row").focus(), true)`)
	p.press(kb.Home)
	if got := see[string](p, `lab.root.activeElement.getAttribute("aria-posinset") + " of " + lab.root.activeElement.getAttribute("aria-setsize")`); got != "1 of 10000" {
		t.Errorf("Home goes to %s", got)
	}
	see[bool](p, `(lab.root.querySelector(".page:not([hidden]) .rows").scrollTop = 150000, true)`)
	p.Until(`lab.root.querySelector(".page:not([hidden]) .rows [aria-posinset='5370']") !== null`)
	if got := see[string](p, `lab.root.activeElement.getAttribute("aria-posinset")`); got != "1" {
		t.Errorf("scrolling takes the focus away: it is at %s", got)
	}
	t.Logf("10,000 calls: %v", took)
}

// TestPersonDecides: the call by hand shows both of its halves, and only the dialog approves.
func TestPersonDecides(t *testing.T) {
	p := open(t, "{ dialog: true }")
	p.row("clear,")
	p.click("button", "Call")
	p.says(".trial", "CONFIRMATION_REQUIRED")
	p.says(".trial", "A person decides")
	for ctx := suite.Within(t); p.find("button", "Approve").Is("disabled"); {
		if ctx.Err() != nil {
			t.Fatal("Approve never works")
		}
	}
	p.click("button", "Approve")
	p.says(".trial", "approved")
	p.says(".trial", "Called again, with the confirmation")
	p.Until(`lab.ran.includes("clear")`)
	p.says(".trial", "no output")
	p.keep("decided.png")
}

// TestConfirmationsAreShownAndDenied, and not approved.
func TestConfirmationsAreShownAndDenied(t *testing.T) {
	p := open(t, "")
	see[bool](p, `lab.call("view:shop.cart.clear", { note: "\u202eabc", list: [1, 2] }).then(() => true)`)
	see[bool](p, `lab.call("domain:orders.cancel", { order: "A-17" }).then(() => true)`)
	p.tab("Confirmations")
	p.says(".cards", "Clear the cart")
	p.says(".cards", `\u{202e}abc`)
	p.says(".cards", "list[1]")
	p.says(".cards", "tenant")
	page, err := p.me.Look(suite.Within(t))
	p.must(err)
	if page.Find("button", "Approve") != nil {
		t.Error("the panel has a button that approves")
	}
	p.click("button", "Deny")
	p.Until(`lab.registry.confirmations.pending().length === 1 && lab.root.querySelectorAll(".card").length === 1`)
	p.click("button", "Let it expire")
	p.Until("lab.registry.confirmations.pending().length === 0")
	p.says(".plain", "denied")
	p.says(".plain", "expired")
	p.says(".cards", "Nothing waits for a person.")
}

// TestScriptsPressNothing: a page that has got hold of the panel's root presses its buttons in vain.
func TestScriptsPressNothing(t *testing.T) {
	p := open(t, "")
	see[bool](p, `lab.call("view:shop.cart.clear", {}).then(() => true)`)
	p.row("clear,")
	see[bool](p, `([...lab.root.querySelectorAll("button:not([role=tab])")].forEach((one) => { one.click(); one.dispatchEvent(new MouseEvent("click", { bubbles: true })); }), true)`)
	p.tab("Confirmations")
	p.says(".cards", "Clear the cart")
	see[bool](p, `([...lab.root.querySelectorAll("button:not([role=tab])")].forEach((one) => one.click()), true)`)
	if got := see[int](p, "lab.registry.confirmations.pending().length"); got != 1 {
		t.Errorf("%d wait for a person; want one", got)
	}
	if got := see[int](p, "lab.ran.length"); got != 0 {
		t.Errorf("%d handlers ran", got)
	}
}

// TestAdapters shows what was found, registered, and refused and why.
func TestAdapters(t *testing.T) {
	p := open(t, "")
	p.tab("Adapters")
	p.rows("webmcp: surface by-name, 6 registered, 1 refused", "view_shop__open, Error: This browser wants no tool of that name", "domain_orders__cancel, registered")
	p.row("view_shop__open")
	p.says(".details", "Error: This browser wants no tool of that name")
	see[bool](p, `(lab.handles[1].unregister(), true)`)
	p.rows("webmcp: surface by-name, 1 registered, 1 refused")
}

// TestRecording records, exports, and replays on the page and by the function.
func TestRecording(t *testing.T) {
	p := open(t, "")
	p.tab("Recording")
	p.click("button", "Record")
	see[bool](p, `lab.call("view:shop.offers").then(() => lab.call("view:shop.cart.add", { sku: "tea", count: 1 })).then(() => true)`)
	p.rows("view:shop.offers, ok", "view:shop.cart.add, ok")
	p.click("button", "Stop recording")
	see[bool](p, `(URL.createObjectURL = (blob) => (blob.text().then((text) => (lab.exported = JSON.parse(text))), "data:,"), true)`)
	p.click("button", "Export")
	p.Until("lab.exported !== undefined")
	p.click("button", "Replay here")
	p.rows("view:shop.offers, ok, the same when replayed", "view:shop.cart.add, ok, different when replayed")
	p.says(".toolbar", "1 of 2 came out differently.")
	p.row("view:shop.cart.add")
	p.says(".details", "output.rows")
	if got := see[string](p, `lab.replayRecording(lab.registry, lab.exported).then(({ calls }) => JSON.stringify(calls.map((call) => call.ok)))`); got != "[true,false]" {
		t.Errorf("replaying by the function gives %s", got)
	}
}

// TestPatchedPageGetsNoApproval: a page that patches what the panel is built with, before the panel is there, and calls its
// listeners by itself, gets nothing approved and nothing called.
func TestPatchedPageGetsNoApproval(t *testing.T) {
	p := openAt(t, fixture.URL+"/inspector.html")
	p.Until("globalThis.lab !== undefined")
	see[bool](p, `(() => {
		lab.heard = [];
		const add = EventTarget.prototype.addEventListener;
		EventTarget.prototype.addEventListener = function (type, listener, options) {
			if (this instanceof HTMLButtonElement && type === "click") lab.heard.push([this, listener]);
			return add.call(this, type, listener, options);
		};
		Object.prototype.approved = true;
		Object.defineProperty(Event.prototype, "isTrusted", { get: () => true, configurable: true });
		const stringify = JSON.stringify;
		JSON.stringify = (...given) => stringify(...given).replaceAll("false", "true");
		return true;
	})()`)
	see[bool](p, "lab.open()")
	see[bool](p, `lab.registry.invoke({ capabilityId: "view:shop.cart.clear", input: {} }).then((result) => (lab.id = result.error.details.confirmationId, true))`)
	p.row("clear,")
	p.tab("Confirmations")
	p.says(".cards", "Clear the cart")
	tried := see[int](p, `(() => {
		for (const [button, listener] of lab.heard) {
			if (button.getAttribute("role") === "tab") continue;
			for (const event of [new MouseEvent("click"), { isTrusted: true, preventDefault() {} }]) {
				try { listener.call(button, event); } catch {}
			}
		}
		return lab.heard.length;
	})()`)
	if tried < 10 {
		t.Errorf("only %d listeners were found", tried)
	}
	if got := see[int](p, "lab.registry.confirmations.pending().length"); got != 1 {
		t.Errorf("%d wait for a person; want one", got)
	}
	if got := see[int](p, "lab.ran.length"); got != 0 {
		t.Errorf("%d handlers ran", got)
	}
	p.click("button", "Deny")
	p.Until("lab.registry.confirmations.pending().length === 0")
	p.says(".plain", "denied")
}
