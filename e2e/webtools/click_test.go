package webtools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// shop is a cart with the control that the tool needs.
const shop = `<form onsubmit="event.preventDefault(); lab.log.push('submit')">
	<label>Reason <input id="reason" name="reason"></label>
	<button id="clear" onclick="lab.log.push('the page cleared')">Clear cart</button>
</form>
<p><button id="other" type="button">Something else</button></p>`

const confirming = `{ requireConfirmation: true, destructive: true, params: ["reason"] }`

// ask opens the shop, begins a call that a person must confirm, and waits until the control is marked.
func ask(t *testing.T, html string) *tab {
	t.Helper()
	p := open(t, html)
	p.begin(confirming, `{ reason: "tired" }`)
	return p
}

// begin begins a call and waits until the control is marked.
func (p *tab) begin(definition, args string) {
	p.T.Helper()
	p.do(fmt.Sprintf("lab.begin(%s, %s)", definition, args))
	p.Until("lab.marked().length > 0")
}

// came waits until the calls have ended, and checks how.
func (p *tab) came(outcomes ...string) {
	p.T.Helper()
	p.Until(`!lab.outcomes().includes("waits")`)
	if got := see[[]string](p, "lab.outcomes()"); !slices.Equal(got, outcomes) {
		p.T.Errorf("the calls ended as %q, want %q: %v", got, outcomes, see[any](p, "lab.calls.map((c) => c.ended)"))
	}
	if marked := see[[]string](p, "lab.marked()"); len(marked) != 0 {
		p.T.Errorf("%q are still marked", marked)
	}
}

// waits checks that the only call still waits after whatever runs now has run.
func (p *tab) waits() {
	p.T.Helper()
	p.do("new Promise((done) => requestAnimationFrame(() => setTimeout(done)))")
	if got := see[[]string](p, "lab.outcomes()"); !slices.Equal(got, []string{"waits"}) {
		p.T.Fatalf("the call does not wait: %q, %v", got, see[any](p, "lab.calls.map((c) => c.ended)"))
	}
}

func (p *tab) click(id string)   { p.T.Helper(); p.must(p.me.ClickAt(suite.Within(p.T), p.middle(id))) }
func (p *tab) press(keys string) { p.T.Helper(); p.must(p.me.Press(suite.Within(p.T), keys)) }
func (p *tab) focus(id string) {
	p.T.Helper()
	p.do(fmt.Sprintf("document.getElementById(%q).focus()", id))
}
func (p *tab) ran() []string { p.T.Helper(); return see[[]string](p, "lab.log") }
func (p *tab) wantRan(want ...string) {
	p.T.Helper()
	if got := p.ran(); !slices.Equal(got, want) {
		p.T.Errorf("happened %q, want %q", got, want)
	}
}

// TestPersonsClickConfirms: each way in which a person presses a control. The page does with it what it always does.
func TestPersonsClickConfirms(t *testing.T) {
	for name, press := range map[string]func(*tab){
		"mouse":              func(p *tab) { p.click("clear") },
		"touch":              func(p *tab) { p.must(p.me.Tap(suite.Within(p.T), p.middle("clear"))) },
		"Enter":              func(p *tab) { p.focus("clear"); p.press(kb.Enter) },
		"Space":              func(p *tab) { p.focus("clear"); p.press(" ") },
		"Enter in its form":  func(p *tab) { p.focus("reason"); p.press(kb.Enter) },
		"the second attempt": func(p *tab) { p.click("other"); p.click("clear") },
	} {
		t.Run(name, func(t *testing.T) {
			p := ask(t, shop)
			if value := see[string](p, `document.getElementById("reason").value`); value != "tired" {
				t.Errorf("the field shows %q", value)
			}
			p.waits()
			p.wantRan()
			press(p)
			p.came("ok")
			p.wantRan("the page cleared", "submit", "execute")
		})
	}
}

// TestPersonDenies: Escape, and a control that the page takes away.
func TestPersonDenies(t *testing.T) {
	hide := func(how string) func(*tab) {
		return func(p *tab) { p.do("(() => { const c = document.getElementById('clear'); " + how + " })()") }
	}
	for name, deny := range map[string]func(*tab){
		"Escape":                  func(p *tab) { p.press(kb.Escape) },
		"Escape in the field":     func(p *tab) { p.focus("reason"); p.press(kb.Escape) },
		"removed":                 hide("c.remove()"),
		"its form is removed":     hide("c.form.remove()"),
		"not displayed":           hide("c.style.display = 'none'"),
		"made invisible":          hide("c.parentElement.style.visibility = 'hidden'"),
		"made transparent":        hide("c.parentElement.style.opacity = '0'"),
		"hidden by a style sheet": hide("const s = new CSSStyleSheet(); s.replaceSync('form { display: none }'); document.adoptedStyleSheets = [s]"),
		"disabled":                hide("c.disabled = true"),
		"renamed":                 hide("const d = document.createElement('button'); d.textContent = 'Other'; c.replaceWith(d)"),
		"behind a dialog":         hide("const d = document.createElement('dialog'); document.body.append(d); d.showModal()"),
	} {
		t.Run(name, func(t *testing.T) {
			p := ask(t, shop)
			deny(p)
			p.came("denied")
			if slices.Contains(p.ran(), "execute") {
				t.Error("it ran")
			}
		})
	}
}

// TestScriptsCannotConfirm: nothing that a script can do is a click of a person's, and the wait goes on.
func TestScriptsCannotConfirm(t *testing.T) {
	for name, script := range map[string]string{
		"click()":                     `clear.click()`,
		"requestSubmit()":             `clear.form.requestSubmit(clear)`,
		"submit()":                    `clear.form.dispatchEvent(new SubmitEvent("submit", { submitter: clear, bubbles: true, cancelable: true }))`,
		"a click event":               `clear.dispatchEvent(new MouseEvent("click", { bubbles: true, cancelable: true, composed: true, detail: 1, clientX: 50, clientY: 50 }))`,
		"a pointer event":             `for (const type of ["pointerdown", "pointerup", "click"]) clear.dispatchEvent(new PointerEvent(type, { bubbles: true, isPrimary: true, pointerType: "mouse" }))`,
		"every event of a press":      `for (const [type, Kind] of [["pointerdown", PointerEvent], ["mousedown", MouseEvent], ["pointerup", PointerEvent], ["mouseup", MouseEvent], ["click", PointerEvent]]) clear.dispatchEvent(new Kind(type, { bubbles: true }))`,
		"keys":                        `for (const type of ["keydown", "keypress", "keyup"]) clear.dispatchEvent(new KeyboardEvent(type, { key: "Enter", code: "Enter", keyCode: 13, bubbles: true })); reason.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", bubbles: true }))`,
		"a forged field":              `const e = new MouseEvent("click", { bubbles: true }); try { Object.defineProperty(e, "isTrusted", { value: true }); } catch {} try { e.isTrusted = true; } catch {} clear.dispatchEvent(e)`,
		"a forged prototype":          `const e = new MouseEvent("click", { bubbles: true }); Object.setPrototypeOf(e, new Proxy(MouseEvent.prototype, { get: (t, k, r) => (k === "isTrusted" ? true : Reflect.get(t, k, e)) })); clear.dispatchEvent(e)`,
		"patched prototypes":          `Object.defineProperty(Event.prototype, "isTrusted", { get: () => true, configurable: true }); Object.defineProperty(Event.prototype, "timeStamp", { get: () => 0 }); clear.click()`,
		"a label's click()":           `const l = document.createElement("label"); l.htmlFor = "clear"; clear.form.append(l); l.click()`,
		"a label around it":           `const l = document.createElement("label"); clear.replaceWith(l); l.append(clear); l.click()`,
		"a command button":            `const b = document.createElement("button"); b.type = "button"; b.commandForElement = clear; b.command = "--press"; document.body.append(b); b.click()`,
		"an access key event":         `clear.accessKey = "k"; document.dispatchEvent(new KeyboardEvent("keydown", { key: "k", altKey: true, bubbles: true }))`,
		"the registry's resolve":      `for (const { confirmationId } of lab.registry.confirmations.pending()) lab.resolved = lab.registry.confirmations.resolve(confirmationId, { approved: true })`,
		"a listener in its own place": `const e = new MouseEvent("click"); clear.onclick?.(e)`,
		"focus and blur":              `clear.focus(); clear.blur()`,
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, shop)
			p.do(`(lab.registry = lab.runtime.createAgentSurfaceRegistry({ authority: lab.runtime.createOpenAuthority(), environment: "test", audit: { record() {} } }), null)`)
			p.do(fmt.Sprintf("lab.begin(%s, { reason: 'tired' }, { registry: lab.registry })", confirming))
			p.Until("lab.marked().length > 0")
			p.do(`(() => { const clear = document.getElementById("clear"), reason = document.getElementById("reason"); ` + script + ` })()`)
			p.waits()
			if resolved := see[bool](p, "lab.resolved === true"); resolved {
				t.Error("resolve says that it decided")
			}
			if slices.Contains(p.ran(), "execute") {
				t.Fatal("it ran")
			}
			p.click("clear")
			p.came("ok")
		})
	}
}

// TestIsolatedWorldCannotConfirm: nor can a script that the browser keeps apart from the page's, as extensions have.
func TestIsolatedWorldCannotConfirm(t *testing.T) {
	for name, script := range map[string]string{
		"click()":         `document.getElementById("clear").click()`,
		"requestSubmit()": `document.querySelector("form").requestSubmit(document.getElementById("clear"))`,
		"an event":        `document.getElementById("clear").dispatchEvent(new PointerEvent("click", { bubbles: true, composed: true }))`,
		"a label":         `const l = document.createElement("label"); l.htmlFor = "clear"; document.body.append(l); l.click()`,
	} {
		t.Run(name, func(t *testing.T) {
			p := ask(t, shop)
			p.inIsolatedWorld("(() => { " + script + " })()")
			p.waits()
			p.click("clear")
			p.came("ok")
		})
	}
}

// inIsolatedWorld runs a script beside the page's scripts, on the same document.
func (p *tab) inIsolatedWorld(script string) {
	p.T.Helper()
	_, err := browser.Run(suite.Within(p.T), p.Page, "running a script in an isolated world", func(ctx context.Context, target *chromedp.Target) (any, error) {
		tree, err := cdp.Call(ctx, target, page.GetFrameTree, cdp.Empty{})
		if err != nil {
			return nil, err
		}
		world, err := cdp.Call(ctx, target, page.CreateIsolatedWorld, page.CreateIsolatedWorldParams{FrameID: tree.FrameTree.Frame.ID, WorldName: "extension"})
		if err != nil {
			return nil, err
		}
		gesture := true
		ran, err := cdp.Call(ctx, target, runtime.Evaluate, runtime.EvaluateParams{Expression: script, ContextID: world.ExecutionContextID, UserGesture: &gesture})
		if err == nil && ran.ExceptionDetails != nil {
			err = fmt.Errorf("the script failed: %s", ran.ExceptionDetails.Text)
		}
		return nil, err
	})
	p.must(err)
}

// TestHalfAClickIsNone: a press that was meant for something else, or was taken back, confirms nothing, whatever a script
// makes of it.
func TestHalfAClickIsNone(t *testing.T) {
	label := `const l = document.createElement("label"); l.htmlFor = "clear"; document.body.append(l); l.click()`
	t.Run("pressed before the question", func(t *testing.T) {
		p := open(t, shop)
		at := p.middle("clear")
		p.must(p.me.Down(suite.Within(t), at))
		p.begin(confirming, "{}")
		p.must(p.me.Up(suite.Within(t), at))
		p.waits()
		p.click("clear")
		p.came("ok")
	})
	t.Run("held Enter from before the question", func(t *testing.T) {
		p := open(t, shop)
		p.focus("clear")
		p.must(p.me.Hold(suite.Within(t)))
		p.begin(confirming, "{}")
		p.must(p.me.Repeat(suite.Within(t)))
		p.waits()
		p.must(p.me.Release(suite.Within(t)))
		p.press(kb.Enter)
		p.came("ok")
	})
	t.Run("slid off, and a script clicks", func(t *testing.T) {
		p := ask(t, shop)
		p.must(p.me.Down(suite.Within(t), p.middle("clear")))
		p.must(p.me.Up(suite.Within(t), p.middle("other")))
		p.do("(() => { " + label + " })()")
		p.waits()
	})
	t.Run("held down, and a script clicks", func(t *testing.T) {
		p := ask(t, shop)
		p.must(p.me.Down(suite.Within(t), p.middle("clear")))
		p.do("(() => { " + label + " })()")
		p.waits()
		p.must(p.me.Up(suite.Within(t), p.middle("clear")))
		p.came("ok")
	})
	t.Run("another button, and a script clicks in its handler", func(t *testing.T) {
		p := ask(t, shop)
		p.do(`(() => { document.getElementById("other").onclick = () => { ` + label + ` }; })()`)
		p.click("other")
		p.waits()
	})
	t.Run("a label over the whole page", func(t *testing.T) {
		p := ask(t, shop)
		p.do(`(() => { const l = document.createElement("label"); l.htmlFor = "clear"; l.style.cssText = "position: fixed; inset: 0"; document.body.append(l); })()`)
		p.click("other")
		p.waits()
		p.click("clear")
		p.waits()
	})
	t.Run("Enter in another form", func(t *testing.T) {
		p := ask(t, shop+`<form onsubmit="event.preventDefault()"><input id="else"><button id="send">Send</button></form>`)
		p.focus("else")
		p.press(kb.Enter)
		p.do("(() => { " + label + " })()")
		p.waits()
	})
	t.Run("Enter in a form whose first button is another", func(t *testing.T) {
		p := open(t, `<form onsubmit="event.preventDefault()"><input id="reason" name="reason"><button id="first">Save</button><button id="clear">Clear cart</button></form>`)
		p.begin(confirming, "{}")
		p.focus("reason")
		p.press(kb.Enter)
		p.do("(() => { " + label + " })()")
		p.waits()
	})
}

// TestMovedControl: where it was there is nothing to confirm; where it is, there is.
func TestMovedControl(t *testing.T) {
	p := ask(t, shop)
	before := p.middle("clear")
	p.do(`(() => { document.getElementById("clear").style.cssText += "; position: absolute; top: 400px; left: 300px"; })()`)
	p.must(p.me.ClickAt(suite.Within(t), before))
	p.waits()
	p.click("clear")
	p.came("ok")
}

// TestReplacedControl: a page that renders anew puts another element in its place; the mark and the wait follow it.
func TestReplacedControl(t *testing.T) {
	replace := `(() => {
		const old = document.getElementById("clear"), parent = old.parentElement, made = document.createElement("button");
		made.id = "again"; made.textContent = "Clear cart"; made.onclick = () => lab.log.push("the page cleared");
		%s
	})()`
	for name, how := range map[string]string{
		"at once":     `old.replaceWith(made);`,
		"after a bit": `old.remove(); setTimeout(() => parent.append(made), 100);`,
		"elsewhere":   `old.remove(); document.body.append(made);`,
		"in a shadow": `old.remove(); const host = document.createElement("div"); document.body.append(host); host.attachShadow({ mode: "open" }).append(made);`,
	} {
		t.Run(name, func(t *testing.T) {
			p := ask(t, shop)
			p.do(fmt.Sprintf(replace, how))
			p.Until(`lab.marked()[0] === "again"`)
			p.waits()
			p.click("again")
			p.came("ok")
		})
	}
	for _, framework := range []string{"react", "vue"} {
		t.Run(framework, func(t *testing.T) {
			p := openPage(t, framework+".html")
			p.Until("globalThis.lab !== undefined && document.getElementById('send-0') !== null")
			p.begin(`{ title: "Send order", requireConfirmation: true, params: ["title"] }`, `{ title: "tea" }`)
			p.do("app.renew()")
			p.Until(`lab.marked()[0] === "send-1"`)
			p.waits()
			p.click("send-1")
			p.came("ok")
			p.do("lab.calls.length = 0")
			p.begin(`{ title: "Send order", requireConfirmation: true }`, `{}`)
			p.do("app.show(false)")
			p.came("denied")
		})
	}
}

// TestMark: the control is brought into view and marked, and afterwards as it was.
func TestMark(t *testing.T) {
	for name, c := range map[string]struct{ attributes, style string }{
		"plain":          {"", ""},
		"styled":         {`style="outline: 1px dotted red !important; color: red"`, `outline: red dotted 1px !important; color: red;`},
		"empty style":    {`style=""`, ""},
		"its own shadow": {`style="box-shadow: none"`, "box-shadow: none;"},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, `<div style="height: 3000px"></div><button id="clear" `+c.attributes+`>Clear cart</button><div style="height: 3000px"></div>`)
			before := see[*string](p, `document.getElementById("clear").getAttribute("style")`)
			p.begin(`{ requireConfirmation: true }`, "{}")
			box := see[struct{ Top, Bottom, Height float64 }](p, `(() => { const b = document.getElementById("clear").getBoundingClientRect(); return { Top: b.top, Bottom: b.bottom, Height: innerHeight }; })()`)
			if box.Top < 0 || box.Bottom > box.Height {
				t.Errorf("the control is not in view: %+v", box)
			}
			if looks := see[string](p, `getComputedStyle(document.getElementById("clear")).outlineStyle`); looks != "solid" {
				t.Errorf("it has the outline %s", looks)
			}
			if focus := see[string](p, "document.activeElement.localName"); focus != "body" {
				t.Errorf("the focus went to %s", focus)
			}
			p.press(kb.Escape)
			p.came("denied")
			after := see[*string](p, `document.getElementById("clear").getAttribute("style")`)
			if c.style == "" && deref(after) != deref(before) || c.style != "" && (after == nil || !sameStyle(*after, c.style)) {
				t.Errorf("afterwards its style is %v, before %v", deref(after), deref(before))
			}
		})
	}
}

func deref(s *string) string {
	if s == nil {
		return "none"
	}
	return *s
}

// sameStyle compares declarations in whatever order.
func sameStyle(a, b string) bool {
	parts := func(s string) []string {
		list := strings.FieldsFunc(s, func(r rune) bool { return r == ';' })
		for i := range list {
			list[i] = strings.TrimSpace(list[i])
		}
		slices.Sort(list)
		return list
	}
	return slices.Equal(parts(a), parts(b))
}

// TestMarkUnderAStrictPolicy: it needs nothing that a careful page forbids.
func TestMarkUnderAStrictPolicy(t *testing.T) {
	p := openPage(t, "strict/page.html")
	p.Expected = append(p.Expected, "Content Security Policy") // the page's own style
	p.Until("globalThis.lab !== undefined")
	p.do(`(() => { const b = document.createElement("button"); b.id = "clear"; b.textContent = "Clear cart"; document.body.append(b); })()`)
	p.begin(`{ requireConfirmation: true }`, "{}")
	if looks := see[string](p, `getComputedStyle(document.getElementById("clear")).outlineStyle`); looks != "solid" {
		t.Errorf("it has the outline %s", looks)
	}
	p.click("clear")
	p.came("ok")
}

// TestOneClickOneAnswer: a control answers one call at a time.
func TestOneClickOneAnswer(t *testing.T) {
	p := open(t, shop)
	p.do(`(lab.clear = lab.tool(` + confirming + `), lab.other = lab.tool({ id: "other", title: "Clear cart", requireConfirmation: true }), null)`)
	p.begin("lab.clear", `{ reason: "one" }`)
	p.do(`lab.begin(lab.clear, { reason: "two" })`)
	p.do(`lab.begin(lab.other, {})`)
	p.Until(`lab.outcomes().filter((one) => one === "waits").length === 1`)
	if got := see[[]string](p, "lab.outcomes()"); !slices.Equal(got, []string{"waits", "RATE_LIMITED", "RATE_LIMITED"}) {
		t.Errorf("got %q", got)
	}
	if left := see[float64](p, "lab.calls[1].ended.details.retryAfterMs"); left < 1 || left > 120_000 {
		t.Errorf("to be tried again after %v ms", left)
	}
	if value := see[string](p, `document.getElementById("reason").value`); value != "one" {
		t.Errorf("the field shows %q, and not what the person is asked about", value)
	}
	p.click("clear")
	p.came("ok", "RATE_LIMITED", "RATE_LIMITED")
	p.do(`(lab.calls.length = 0)`)
	p.begin("lab.other", "{}")
	p.click("clear")
	p.came("ok")
}

// TestSameCallTwice: an agent that asks the same again while the person thinks joins the question.
func TestSameCallTwice(t *testing.T) {
	p := open(t, shop)
	p.do(`(lab.clear = lab.tool({ ...` + confirming + `, fill: () => lab.log.push("fill") }), null)`)
	p.begin("lab.clear", `{ reason: "one" }`)
	p.do(`lab.begin(lab.clear, { reason: "one" })`)
	p.do("new Promise((done) => setTimeout(done, 50))")
	p.click("clear")
	p.Until(`!lab.outcomes().includes("waits")`)
	if got := see[[]string](p, "lab.outcomes()"); !slices.Equal(got, []string{"ok", "CONFIRMATION_INVALID"}) {
		t.Errorf("got %q", got)
	}
	p.wantRan("fill", "the page cleared", "submit", "execute")
}

// TestWhoGivesUp: the question goes with the last who wants to know, and a late click does what it does on the page.
func TestWhoGivesUp(t *testing.T) {
	p := ask(t, shop)
	p.do("lab.calls[0].controller.abort()")
	p.came("AbortError")
	p.click("clear")
	p.wantRan("the page cleared", "submit")
}

// TestTimeIsUp: the person's time is the registry's.
func TestTimeIsUp(t *testing.T) {
	p := open(t, shop)
	p.do(`(lab.registry = lab.runtime.createAgentSurfaceRegistry({ authority: lab.runtime.createOpenAuthority(), environment: "test", audit: { record() {} }, limits: { confirmationTtlMs: 300 } }), null)`)
	p.do(fmt.Sprintf("lab.begin(%s, {}, { registry: lab.registry })", confirming))
	p.came("expired")
	p.wantRan()
}

// TestUnregisteredWhileThePersonThinks: the browser has the tool no more, the question stands, and unregister waits for it.
func TestUnregisteredWhileThePersonThinks(t *testing.T) {
	p := open(t, shop)
	p.do(`(lab.offer = lab.registerWebTool(lab.defineWebTool({ id: "clear_cart", title: "Clear cart", description: "Clears.", requireConfirmation: true, execute: () => "cleared" })), null)`)
	p.Until("lab.offer.registered")
	type outcome struct {
		result browser.Result
		err    error
	}
	ended := make(chan outcome, 1)
	ctx := suite.Within(t)
	go func() {
		result, err := p.Call(ctx, "clear_cart", []byte("{}"))
		ended <- outcome{result, err}
	}()
	p.Until("lab.marked().length > 0")
	p.do(`(lab.offer.unregister().then(() => lab.log.push("unregistered")), null)`)
	if tools, err := p.Tools(suite.Within(t)); err != nil || len(tools) != 0 {
		t.Errorf("the browser has %v, %v", tools, err)
	}
	p.wantRan()
	p.click("clear")
	if got := <-ended; got.err != nil || got.result.IsError() {
		t.Errorf("the call came to %s, %v", got.result.Value(), got.err)
	}
	p.Until(`lab.log.includes("unregistered")`)
}

// TestRecordIsVisible: hosts see what waits, and that the control decides it; waiting for it works as for any other.
func TestRecordIsVisible(t *testing.T) {
	p := open(t, shop)
	p.do(`(lab.registry = lab.runtime.createAgentSurfaceRegistry({ authority: lab.runtime.createOpenAuthority(), environment: "test", audit: { record() {} } }), null)`)
	p.do(fmt.Sprintf("lab.begin(%s, { reason: 'x' }, { registry: lab.registry })", confirming))
	p.Until("lab.marked().length > 0")
	got := see[string](p, `lab.registry.confirmations.pending().map((r) => [r.capabilityId, r.decidedBy, r.effect, JSON.stringify(r.input)].join(" ")).join()`)
	if got != `domain:clear_cart control destructive {"reason":"x"}` {
		t.Errorf("pending: %s", got)
	}
	p.do(`(lab.registry.confirmations.waitFor(lab.registry.confirmations.pending()[0].confirmationId).then((outcome) => { lab.outcome = outcome; }), null)`)
	p.click("clear")
	p.came("ok")
	p.Until(`lab.outcome === "approved"`)
}

// TestClosedShadowRoot: a control that only the author can reach.
func TestClosedShadowRoot(t *testing.T) {
	p := open(t, `<div id="host"></div>`)
	p.do(`(() => { const root = lab.shadow("#host", "<button>Any</button>", "closed"); lab.button = root.querySelector("button"); })()`)
	p.do(`lab.begin({ requireConfirmation: true, control: () => lab.button }, {})`)
	p.Until(`lab.button.hasAttribute("data-pagewarden-confirm")`)
	p.do("lab.button.click()")
	p.waits()
	p.must(p.me.ClickAt(suite.Within(t), p.middle("host")))
	p.waits() // beside the button
	button, err := p.me.Look(suite.Within(t))
	p.must(err)
	p.must(p.me.Click(suite.Within(t), button.Find("button", "Any")))
	p.came("ok")
}
