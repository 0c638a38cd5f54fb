package webtools

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// TestOverlay: a click on what covers the control is not a click on the control.
func TestOverlay(t *testing.T) {
	p := ask(t, shop+`<div id="over" style="position: fixed; inset: 0"></div>`)
	p.click("clear")
	p.waits()
	p.do(`document.getElementById("over").remove()`)
	p.click("clear")
	p.came("ok")
}

// TestKeyOnACoveredControl: a key that presses what the person cannot see confirms nothing, and the wait goes on until the
// control can be seen again. The page does with the key what it always does.
func TestKeyOnACoveredControl(t *testing.T) {
	keys := map[string]func(*tab){
		"Enter":             func(p *tab) { p.focusIn("clear"); p.press(kb.Enter) },
		"Space":             func(p *tab) { p.focusIn("clear"); p.press(" ") },
		"Enter in its form": func(p *tab) { p.focusIn("reason"); p.press(kb.Enter) },
		"access key":        func(p *tab) { p.must(p.me.AccessKey(suite.Within(p.T), "k")) },
	}
	for where, put := range map[string]string{"in the page": `document.getElementById("host").innerHTML = %s`, "in a shadow root": `(lab.shadow("#host", %s), null)`} {
		for name, press := range keys {
			t.Run(name+" "+where, func(t *testing.T) {
				p := open(t, `<div id="host"></div><div id="over" style="position: fixed; inset: 0; background: white">Win a prize</div>`)
				p.do(fmt.Sprintf(put, quoted(shop)))
				p.do(inPage("clear") + `.accessKey = "k"`)
				p.begin(confirming, "{}")
				press(p)
				p.waits()
				p.do(`document.getElementById("over").remove()`)
				press(p)
				p.came("ok")
			})
		}
	}
}

// inPage is the element with that id in JavaScript, in the page or in the shadow root of its host.
func inPage(id string) string {
	return fmt.Sprintf(`(document.getElementById(%[1]q) ?? document.getElementById("host").shadowRoot.getElementById(%[1]q))`, id)
}

func (p *tab) focusIn(id string) { p.T.Helper(); p.do(inPage(id) + ".focus()") }

// TestPartlyCovered: what can be seen and hit in part can be pressed by key; so can what lies under something that lets
// clicks through, and what has been scrolled away: docs/webtools.md says what a page can do to its own control.
func TestPartlyCovered(t *testing.T) {
	for name, html := range map[string]string{
		"the middle":     shop + `<script></script><div id="over" style="position: fixed; background: red"></div>`,
		"clicks through": shop + `<div style="position: fixed; inset: 0; background: white; pointer-events: none">Win a prize</div>`,
		"scrolled away":  `<div style="height: 3000px"></div>` + shop + `<div style="height: 3000px"></div>`,
		"its own parts":  strings.Replace(shop, "Clear cart", `<b style="display: block">Clear</b> <i>cart</i>`, 1),
		"a long link":    `<p style="width: 60px"><a id="clear" href="#there">Clear cart</a></p>`,
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, html)
			p.do(`(() => {
				const over = document.getElementById("over"), box = document.getElementById("clear").getBoundingClientRect();
				if (over) Object.assign(over.style, { left: box.x + box.width / 3 + "px", width: box.width / 3 + "px", top: box.y - 5 + "px", height: box.height + 10 + "px" });
			})()`)
			p.begin(`{ requireConfirmation: true }`, "{}")
			if name == "scrolled away" {
				p.do("scrollTo(0, 0)")
			}
			p.do(`document.getElementById("clear").focus({ preventScroll: true })`)
			p.press(kb.Enter)
			p.came("ok")
		})
	}
}

// TestAccessKey: a person may press the control by the key that the page has given it.
func TestAccessKey(t *testing.T) {
	key := func(p *tab) { p.T.Helper(); p.must(p.me.AccessKey(suite.Within(p.T), "k")) }
	withKey := strings.Replace(shop, `<button id="clear"`, `<button id="clear" accesskey="K"`, 1)
	t.Run("the control's", func(t *testing.T) {
		p := ask(t, withKey)
		key(p)
		p.came("ok")
		p.wantRan("the page cleared", "submit", "execute")
	})
	t.Run("without Alt it is a letter", func(t *testing.T) {
		p := ask(t, withKey)
		p.press("k")
		p.waits()
		p.wantRan()
	})
	t.Run("another's", func(t *testing.T) {
		p := ask(t, strings.Replace(shop, `<button id="other"`, `<button id="other" accesskey="k"`, 1))
		key(p)
		p.waits()
	})
	t.Run("one that the page makes it later", func(t *testing.T) { // the person pressed Alt and k for something else
		p := ask(t, shop)
		p.do(`(() => { document.getElementById("clear").accessKey = "k"; })()`)
		key(p)
		p.waits()
		p.wantRan("the page cleared", "submit")
		p.click("clear")
		p.came("ok")
	})
	t.Run("a script's click, and then the key's event alone", func(t *testing.T) {
		p := ask(t, withKey)
		p.do(`(() => { document.getElementById("clear").click(); document.dispatchEvent(new KeyboardEvent("keydown", { key: "k", code: "KeyK", altKey: true, bubbles: true })); })()`)
		p.waits()
	})
	t.Run("the key, whose click the page takes away", func(t *testing.T) {
		p := ask(t, withKey)
		p.do(`(() => { window.addEventListener("click", (event) => event.stopImmediatePropagation(), { capture: true, once: true }); })()`)
		key(p)
		p.waits()
	})
}

// TestKeysOfARoleButton: an element whose keys the page handles by itself gets no click of the browser's for them.
func TestKeysOfARoleButton(t *testing.T) {
	p := open(t, `<div id="clear" role="button" tabindex="0" onclick="lab.log.push('the page cleared')" onkeydown="if (event.key === 'Enter') this.click()">Clear cart</div>`)
	p.begin(`{ requireConfirmation: true }`, "{}")
	p.focus("clear")
	p.press(kb.Enter)
	p.waits()
	p.wantRan("the page cleared")
	p.click("clear")
	p.came("ok")
}
