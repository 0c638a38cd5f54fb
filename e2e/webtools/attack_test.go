package webtools

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// TestFieldThatThePageRendersAnew: what is written into one field makes the page put another element in the place of the
// next; that one is written, as by a cursor that is on its way.
func TestFieldThatThePageRendersAnew(t *testing.T) {
	const html = `<input id="a" name="a"><div><input id="b" name="b"></div>`
	renew := `document.getElementById("a").addEventListener("input", () => { document.querySelector("div").innerHTML = '%s'; })`
	for name, c := range map[string]struct {
		with, want string
		left       []string
		why        string
	}{
		"the same":      {`<input id="b" name="b">`, "two", []string{}, ""},
		"another kind":  {`<select id="b" name="b"><option>one</option><option>two</option></select>`, "two", []string{}, ""},
		"closed":        {`<input id="b" name="b" disabled>`, "", []string{"b"}, "disabled"},
		"none any more": {`<i id="b"></i>`, "", []string{"b"}, "missing"},
	} {
		for _, cursor := range []bool{false, true} {
			if cursor && name != "the same" {
				continue
			}
			t.Run(fmt.Sprintf("%s, cursor %t", name, cursor), func(t *testing.T) {
				p := openCursor(t, "")
				p.show(html)
				if !cursor {
					p.do("lab.cursor.unmount()")
				}
				p.do(fmt.Sprintf(renew, c.with))
				p.do(`lab.begin({ params: ["a", "b"] }, { a: "one", b: "two" })`)
				p.came("ok")
				got := see[answer](p, "lab.calls[0].ended")
				if !slices.Equal(got.Unfilled, c.left) || got.Reasons["b"] != c.why {
					t.Errorf("unfilled %v because %v", got.Unfilled, got.Reasons)
				}
				if value := see[string](p, `document.getElementById("b").value ?? ""`); value != c.want {
					t.Errorf("the field has %q, want %q", value, c.want)
				}
			})
		}
	}
}

// TestFieldThatThePageCloses: a field that can be written no more when its turn comes is left alone.
func TestFieldThatThePageCloses(t *testing.T) {
	for how, why := range map[string]string{"disabled": "disabled", "readOnly": "read-only"} {
		t.Run(how, func(t *testing.T) {
			p := open(t, `<input id="a" name="a"><input id="b" name="b" value="old">`)
			p.do(fmt.Sprintf(`document.getElementById("a").addEventListener("input", () => { document.getElementById("b").%s = true; })`, how))
			got := p.call(`{ params: ["a", "b"] }`, `{ a: "one", b: "two" }`)
			if got.Reasons["b"] != why || see[string](p, `document.getElementById("b").value`) != "old" {
				t.Errorf("got %+v", got)
			}
		})
	}
}

// TestWhatThePersonSeesStays: while somebody is asked, no other call changes the fields that they look at.
func TestWhatThePersonSeesStays(t *testing.T) {
	const fields = `<form onsubmit="event.preventDefault()"><input id="reason" name="reason"><input id="note" name="note"><button id="clear">Clear cart</button></form>`
	const loose = `<input id="reason" name="reason"><input id="note" name="note"><button id="clear" type="button">Clear cart</button>`
	for name, c := range map[string]struct {
		html, args string
		outcome    string
	}{
		"the same field":                {fields, `{ reason: "other" }`, "RATE_LIMITED"},
		"another field of the form":     {fields, `{ note: "other" }`, "RATE_LIMITED"},
		"the same field, without form":  {loose, `{ reason: "other" }`, "RATE_LIMITED"},
		"another field, without form":   {loose, `{ note: "other" }`, "ok"},
		"nothing of what is asked":      {fields, `{}`, "ok"},
		"a field of another form":       {fields + `<form><input id="else" name="else"></form>`, `{ else: "other" }`, "ok"},
		"the same field, rendered anew": {fields, `{ reason: "anew" }`, "RATE_LIMITED"},
	} {
		t.Run(name, func(t *testing.T) {
			p := ask(t, c.html)
			if strings.Contains(c.args, "anew") {
				p.do(`document.getElementById("reason").replaceWith(Object.assign(document.createElement("input"), { id: "reason", name: "reason", value: "tired" }))`)
			}
			p.do(`lab.begin({ id: "other", title: "Other", params: ["reason", "note", "else"], fill: () => lab.log.push("fill"), execute: () => ({}) }, ` + c.args + `)`)
			p.Until(`lab.outcomes()[1] !== "waits"`)
			if got := see[[]string](p, "lab.outcomes()"); !slices.Equal(got, []string{"waits", c.outcome}) {
				t.Errorf("got %q, want the second %s", got, c.outcome)
			}
			if value := p.value("reason"); value != "tired" {
				t.Errorf("the person sees %q", value)
			}
			if filled := slices.Contains(p.ran(), "fill"); filled != (c.outcome == "ok") {
				t.Errorf("fill ran: %t", filled)
			}
			p.click("clear")
			p.came("ok", c.outcome)
			if again := p.call(`{ id: "other", title: "Other", params: ["reason"] }`, `{ reason: "later" }`); again.Error != "" || p.value("reason") != "later" {
				t.Errorf("afterwards: %+v", again)
			}
		})
	}
}

// TestControlThatIsGoneWhenAsked: filling in may make the page render the control anew; only one that does not come is a no.
func TestControlThatIsGoneWhenAsked(t *testing.T) {
	const definition = `{ requireConfirmation: true, fill: () => { const c = document.getElementById("clear"); c.disabled = true; if (%t) setTimeout(() => { c.disabled = false; }, 150); } }`
	t.Run("it comes", func(t *testing.T) {
		p := open(t, shop)
		p.begin(fmt.Sprintf(definition, true), "{}")
		p.waits()
		p.click("clear")
		p.came("ok")
	})
	t.Run("it does not", func(t *testing.T) {
		p := open(t, shop)
		p.do(`lab.begin(` + fmt.Sprintf(definition, false) + `, {})`)
		p.came("denied")
	})
	t.Run("the caller gives up", func(t *testing.T) {
		p := open(t, shop)
		p.do(`lab.begin(` + fmt.Sprintf(definition, false) + `, {})`)
		p.Until(`document.getElementById("clear").disabled`)
		p.do("lab.calls[0].controller.abort()")
		p.came("AbortError")
		p.do(`(() => { document.getElementById("clear").disabled = false; lab.calls.length = 0; })()`)
		p.begin(`{ requireConfirmation: true }`, "{}")
		p.click("clear")
		p.came("ok")
	})
}

// TestCopyOfTheControl: a page that renders anew by copying elements copies the mark too; in the end it has none.
func TestCopyOfTheControl(t *testing.T) {
	p := ask(t, shop)
	p.do(`(() => { const c = document.getElementById("clear"), d = c.cloneNode(true); d.id = "copy"; c.replaceWith(d); })()`)
	p.Until(`lab.marked().length === 1 && document.getElementById("copy").style.outlineWidth === "3px"`)
	p.do("new Promise((done) => setTimeout(done, 150))")
	p.click("copy")
	p.came("ok")
	if style := see[*string](p, `document.getElementById("copy").getAttribute("style")`); style != nil {
		t.Errorf("the copy keeps the style %q", *style)
	}
}

// TestLongText: a cursor types a long text about as fast as a short one, and never half a character.
func TestLongText(t *testing.T) {
	p := openCursor(t, "")
	p.do(`(document.getElementById("article").addEventListener("input", (event) => lab.log.push(event.target.value.isWellFormed() ? event.target.value.length : -1)), null)`)
	p.do(`lab.begin({ title: "Send order", params: ["article"], execute: () => ({}) }, { article: "🎈".repeat(4000) })`)
	p.came("ok")
	heard := see[[]int](p, "lab.log")
	if len(heard) > 80 || len(heard) < 10 || heard[len(heard)-1] != 8000 {
		t.Errorf("the field heard of %d steps, at last of %d characters", len(heard), heard[len(heard)-1])
	}
	if slices.Contains(heard, -1) {
		t.Error("the field had half a character")
	}
}

// TestControlInAFrame: a control of a frame of the same site, which the author finds.
func TestControlInAFrame(t *testing.T) {
	p := open(t, `<iframe id="frame" srcdoc="<button id=clear>Any</button>" style="border: 0"></iframe>`)
	p.Until(`document.getElementById("frame").contentDocument?.getElementById("clear") != null`)
	inFrame := `document.getElementById("frame").contentDocument.getElementById("clear")`
	p.do(`lab.begin({ requireConfirmation: true, control: () => ` + inFrame + ` }, {})`)
	p.Until(inFrame + `.hasAttribute("data-pagewarden-confirm")`)
	p.do(inFrame + ".click()")
	p.waits()
	frame := see[struct{ X, Y float64 }](p, `(() => { const f = document.getElementById("frame").getBoundingClientRect(), b = `+inFrame+`.getBoundingClientRect(); return { X: f.x + b.x + b.width / 2, Y: f.y + b.y + b.height / 2 }; })()`)
	p.must(p.me.ClickAt(suite.Within(t), frame))
	p.came("ok")
}

// patches are what a script can do to the browser's own functions when the tools have loaded.
func patches() map[string]string {
	return map[string]string{
		"events":    `for (const [o, names] of [[Event, ["isTrusted", "timeStamp", "type"]], [KeyboardEvent, ["key", "repeat", "altKey", "code"]], [MouseEvent, ["clientX", "clientY"]]]) for (const name of names) lie(o.prototype, name, { isTrusted: true, timeStamp: performance.now(), type: "click", key: "Enter", repeat: false, altKey: true, code: "KeyK" }[name] ?? 0)`,
		"listeners": `EventTarget.prototype.addEventListener = function () { lab.got.push(this); }; EventTarget.prototype.removeEventListener = () => {}; EventTarget.prototype.dispatchEvent = () => true`,
		"elements":  `for (const name of ["checkVisibility", "matches", "hasAttribute", "getAttribute", "closest", "querySelectorAll", "getBoundingClientRect", "getClientRects"]) Element.prototype[name] = function () { lab.got.push(name); return null; }; Document.prototype.querySelectorAll = () => []; Document.prototype.elementFromPoint = () => null; lie(Node.prototype, "isConnected", true)`,
		"form":      `lie(HTMLInputElement.prototype, "value", "lie"); lie(HTMLInputElement.prototype, "type", "text"); lie(HTMLButtonElement.prototype, "form", null)`,
		"objects":   `for (const name of ["then", "get", "set", "value", "writable", "isError", "content", "code", "control", "fields", "fill", "execute", "requireConfirmation", "unfilled", "reasons", "signal"]) trap(Object.prototype, name)`,
		"lists":     `for (let i = 0; i < 8; i++) { trap(Array.prototype, i); trap(Object.prototype, i); } Array.prototype[Symbol.iterator] = function* () {}; Array.prototype.push = () => 0`,
		"maps":      `for (const C of [Map, WeakMap, Set, WeakSet]) for (const name of getOwnPropertyNames(C.prototype)) if (name !== "constructor" && typeof getOwnPropertyDescriptor(C.prototype, name).value === "function") C.prototype[name] = () => { throw new Error("map"); }`,
		"promises":  `Promise.prototype.then = function () { throw new Error("then"); }; Promise.resolve = () => { throw 1; }; globalThis.Promise = class {}`,
		"calls":     `Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw new Error("call"); }; Reflect.apply = () => { throw 1; }`,
		"texts":     `String.prototype.toLowerCase = String.prototype.slice = String.prototype.indexOf = String.prototype.trim = () => "lie"; RegExp.prototype.exec = () => null; JSON.parse = JSON.stringify = () => { throw 1; }`,
		"time":      `Date.now = () => 0; Date.parse = () => 0; globalThis.setTimeout = () => 0; globalThis.clearTimeout = () => {}; globalThis.queueMicrotask = () => {}`,
	}
}

// TestPatchedBrowser: whatever a script patches afterwards, a script's click does not confirm, a person's does, and what
// is written and given is the same.
func TestPatchedBrowser(t *testing.T) {
	for name, patch := range patches() {
		t.Run(name, func(t *testing.T) {
			p := open(t, shop)
			p.plain(`(() => {
				const call = Function.prototype.call.bind(Function.prototype.call), native = { click: HTMLElement.prototype.click, dispatch: EventTarget.prototype.dispatchEvent };
				const read = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").get;
				const clear = document.getElementById("clear"), reason = document.getElementById("reason");
				const { defineProperty, getOwnPropertyDescriptor, getOwnPropertyNames } = Object;
				const lie = (object, name, value) => defineProperty(object, name, { __proto__: null, configurable: true, get: () => value, set() {} });
				const trap = (object, name) => defineProperty(object, name, { __proto__: null, configurable: true, get() { lab.got[lab.got.length] = name; },
					set(value) { defineProperty(this, name, { __proto__: null, value, writable: true, configurable: true, enumerable: true }); } });
				const has = call.bind(undefined, Element.prototype.hasAttribute, clear), then = Promise.prototype.then;
				const outcome = { state: "waits" };
				const tool = lab.tool({ control: clear, fields: { reason }, requireConfirmation: true, params: ["reason"], execute: (input, { unfilled }) => ({ reason: input.reason, unfilled: unfilled.length }) });
				lab.got = [];
				globalThis.attack = {
					outcome,
					begin() { call(then, tool.execute({ reason: "tired" }), (r) => { outcome.state = r.isError ? r.content[0].text : r.structuredContent.reason + r.structuredContent.unfilled; }, (e) => { outcome.state = "thrown " + e; }); },
					marked: () => has("data-pagewarden-confirm"),
					shows: () => call(read, reason),
					press() { call(native.click, clear); call(native.dispatch, clear, new MouseEvent("click", { bubbles: true })); },
				};
				` + patch + `;
			})()`)
			p.plain("attack.begin()")
			p.waitFor("attack.marked()")
			if shows := p.plain("attack.shows()"); shows != "tired" {
				t.Errorf("the field shows %q", shows)
			}
			p.plain("attack.press()")
			if state := p.plain("attack.outcome.state"); state != "waits" {
				t.Fatalf("a script's click came to %s", state)
			}
			p.must(p.me.Press(suite.Within(t), kb.Tab)) // to the field
			p.must(p.me.Press(suite.Within(t), kb.Tab)) // to the control
			p.must(p.me.Press(suite.Within(t), kb.Enter))
			p.waitFor(`attack.outcome.state !== "waits"`)
			if state := p.plain("attack.outcome.state"); state != "tired0" {
				t.Errorf("the call came to %s", state)
			}
		})
	}
}

// TestPatchedLengths: how many there are of what the browser lists is not asked of a script that has patched its lists.
func TestPatchedLengths(t *testing.T) {
	none := func(p *tab, lists string) {
		p.do(`(() => { for (const list of [` + lists + `]) Object.defineProperty(list.prototype, "length", { get: () => 0, configurable: true }); })()`)
	}
	t.Run("boxes of a covered control", func(t *testing.T) {
		p := ask(t, shop+`<div style="position: fixed; inset: 0; background: white">Win a prize</div>`)
		none(p, "DOMRectList")
		p.focusIn("clear")
		p.press(kb.Enter)
		p.waits()
	})
	t.Run("elements of a form", func(t *testing.T) {
		p := ask(t, shop)
		none(p, "HTMLCollection, HTMLFormControlsCollection")
		p.focusIn("reason")
		p.press(kb.Enter)
		p.came("ok")
	})
	t.Run("what a selector means, and options", func(t *testing.T) {
		p := open(t, `<select id="one" name="one"><option>a<option>b</select><select id="many" name="many" multiple><option>a<option>b</select>`)
		none(p, "NodeList, HTMLOptionsCollection")
		got := p.call(`{ params: ["one", "many"] }`, `{ one: "b", many: ["b"] }`)
		if one, many := p.value("one"), p.value("many"); one != "b" || many != "b" || len(got.Unfilled) != 0 {
			t.Errorf("the page has %q and %q, got %+v", one, many, got)
		}
	})
}

// plain evaluates an expression without anything of the page's that it may have patched.
func (p *tab) plain(expression string) string {
	p.T.Helper()
	raw, err := p.Eval(suite.Within(p.T), "`${"+expression+"}`")
	p.must(err)
	return strings.Trim(string(raw), `"`)
}

// waitFor waits until the expression is true, by asking again.
func (p *tab) waitFor(expression string) {
	p.T.Helper()
	ctx := suite.Within(p.T)
	for p.plain(expression) != "true" {
		if ctx.Err() != nil {
			p.T.Fatalf("waiting for %s: %v; %s", expression, ctx.Err(), p.plain("attack.outcome.state"))
		}
	}
}
