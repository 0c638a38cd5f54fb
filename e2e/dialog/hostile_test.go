package dialog

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// openHostile opens the suite's page and its tricks, mounts nothing yet.
func openHostile(t *testing.T) *tab {
	t.Helper()
	p := openPage(t, "dialog.html")
	p.Until("globalThis.lab !== undefined")
	see[any](p, `import("/dialog-tricks.js").then(() => true)`)
	return p
}

// kept checks that the page got hold of nothing.
func (p *tab) kept() {
	p.T.Helper()
	if found := see[[]string](p, "tricks.found"); len(found) > 0 {
		p.T.Errorf("the page has %q", found)
	}
}

// TestScriptsPressNothing tries what seems to press a button. Nothing is decided, either way.
func TestScriptsPressNothing(t *testing.T) {
	p := openHostile(t)
	see[bool](p, "lab.open()")
	p.ask(`{}`, clearCart)
	p.armed()
	see[any](p, "tricks.press().then(() => true)")
	p.waits(1)
	p.armed()
	p.click("Approve")
	p.came("approved")
}

// TestScriptsWithTheButtonInHandPressNothing gives a script what it cannot get: the buttons. It still decides nothing.
func TestScriptsWithTheButtonInHandPressNothing(t *testing.T) {
	p := open(t, "")
	p.ask(`{}`, clearCart)
	p.armed()
	for _, name := range []string{"Approve", "Deny"} {
		for _, script := range []string{
			`function() { this.click() }`,
			`function() { this.focus(); for (const type of ["keydown", "keypress", "keyup"]) for (const key of ["Enter", " ", "Escape"]) this.dispatchEvent(new KeyboardEvent(type, { key, code: key, bubbles: true, composed: true })) }`,
			`function() { for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) this.dispatchEvent(new PointerEvent(type, { bubbles: true, composed: true, detail: 1, pointerType: "mouse" })) }`,
			`function() { const form = document.createElement("form"); form.onsubmit = (event) => event.preventDefault(); document.body.append(form); form.id = "f"; this.setAttribute("form", "f"); form.requestSubmit(); form.remove() }`,
			`function() { const dialog = this.closest("dialog"); for (const type of ["cancel", "close"]) dialog.dispatchEvent(new Event(type, { cancelable: true })) }`,
		} {
			p.must(p.me.Script(suite.Within(t), p.button(name), script))
			p.waits(1)
		}
	}
	p.click("Approve")
	p.came("approved")
}

// TestScriptsReachNothing listens, measures and asks while a person reads, selects text and answers.
func TestScriptsReachNothing(t *testing.T) {
	p := openHostile(t)
	see[any](p, "(tricks.listen(), tricks.measure(), lab.open())")
	for range 2 {
		p.ask(`{ sku: "tea", note: "x".repeat(500) }`, clearCart)
		p.armed()
		box, err := p.me.Box(suite.Within(t), p.dialog().Find("cell", ""))
		p.must(err)
		p.must(p.me.Drag(suite.Within(t), box.TopLeft(), p.middle("Deny")))
		see[any](p, "tricks.ask() ?? true")
		p.focus("Deny")
		see[any](p, "tricks.ask() ?? true")
		p.press(kb.Tab)
		p.focus("Approve")
		p.press(kb.Enter)
		p.gone()
	}
	p.came("approved", "approved")
	p.Until(`tricks.measured.has("first-input") && tricks.measured.has("event")`) // measurements come late
	p.kept()
}

// TestPatchedBuiltInsGetNothing replaces every built-in after the module has been loaded. None of them ever sees a part
// of the dialog, and it works as before.
func TestPatchedBuiltInsGetNothing(t *testing.T) {
	p := openHostile(t)
	see[any](p, "tricks.patch() ?? true")
	see[bool](p, "lab.open()")
	p.ask(`{ sku: "tea", list: [1, { a: "\u202e" }] }`, clearCart)
	see[string](p, `lab.ask({ n: 2 }, "domain:shop.destructive")`)
	p.armed()
	p.click("Approve")
	p.Until("lab.shown.length === 2")
	see[any](p, `document.querySelector("[data-pagewarden]").remove() ?? true`)
	p.Until(`document.querySelector("[data-pagewarden]") !== null`)
	p.focus("Deny")
	p.press(kb.Escape)
	p.came("approved", "denied")
	p.gone()
	see[any](p, `lab.dialog.unmount() ?? true`)
	p.kept()
}

// TestPoisonedPrototypes puts every option that a built-in could read by inheritance onto Object.prototype.
func TestPoisonedPrototypes(t *testing.T) {
	p := openHostile(t)
	see[any](p, "tricks.poison() ?? true")
	see[bool](p, "lab.open({ options: { onShow: (record) => { lab.shown = lab.shown.concat(record.confirmationId) } }, labels: null })")
	p.ask(`{ sku: "tea" }`, clearCart)
	if d := p.dialog(); d.Name != "Allow this action?" || d.Find("cell", "tea") == nil || !d.Is("modal") {
		t.Errorf("the dialog says %q", d.Text())
	}
	see[any](p, "tricks.ask() ?? true")
	p.armed()
	p.click("Approve")
	p.came("approved")
	p.kept()
}

// TestTricksFindWhatIsOpen proves the probes on a dialog that is open to them.
func TestTricksFindWhatIsOpen(t *testing.T) {
	p := openHostile(t)
	see[any](p, `(tricks.listen(), tricks.measure(), true)`)
	see[any](p, `(() => {
		const host = document.createElement("div");
		host.dataset.pagewarden = "confirmation";
		document.body.append(host);
		const root = host.attachShadow({ mode: "open", serializable: true });
		root.innerHTML = "<dialog>Approve <button>x</button></dialog>";
		root.firstChild.showModal();
		root.querySelector("button").animate([{ opacity: 0 }, { opacity: 1 }], 10000);
		root.querySelector("button").click();
		tricks.ask();
		tricks.patch();
		host.shadowRoot.querySelector("button").setAttribute("x", "y");
		return true;
	})()`)
	for _, where := range []string{"click.composedPath", "host", "getHTML", "Element.prototype.setAttribute"} {
		if !see[bool](p, fmt.Sprintf(`tricks.found.some((one) => one.startsWith(%q))`, where)) {
			t.Errorf("the probes do not notice %s: %q", where, see[[]string](p, "tricks.found"))
		}
	}
}
