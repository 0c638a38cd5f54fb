package dialog

import (
	"fmt"
	"testing"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// lie is JavaScript that shows a popover with that style, again and again, so that it stays above all else; end() ends it.
func lie(style string) string {
	return fmt.Sprintf(`
		const cover = document.createElement("div");
		cover.popover = "manual";
		cover.style.cssText = %q;
		document.body.append(cover);
		const again = setInterval(() => { cover.hidePopover(); cover.showPopover(); }, 50);
		lab.end = () => { clearInterval(again); cover.remove(); };`, style)
}

// TestNothingIsApprovedUnderACover puts things over the dialog, or takes it out of sight. A click where Approve is, or
// was, does nothing until the person sees all of it again.
func TestNothingIsApprovedUnderACover(t *testing.T) {
	const style = "pointer-events: none; position: fixed; margin: 0; inset: auto; "
	for name, cover := range map[string]string{
		"a picture that lets clicks through": lie(style + "inset: 0; width: 100vw; height: 100vh; background: white"),
		"a text over the question":           lie(style + "left: 320px; top: 150px; width: 300px; height: 30px; background: white"),
		"glass that blurs":                   lie(style + "inset: 0; width: 100vw; height: 100vh; background: none; backdrop-filter: blur(20px)"),
		"a shadow":                           lie(style + "left: 0; top: 0; width: 1px; height: 1px; box-shadow: 500px 300px 0 250px white"),
		"a picture of the page as it was": `
			const style = document.createElement("style");
			style.textContent = "::view-transition { pointer-events: none } ::view-transition-old(root) { animation-duration: 1000s } ::view-transition-new(root) { display: none }";
			document.head.append(style);
			const transition = document.startViewTransition(() => {});
			lab.end = () => transition.skipTransition();`,
		"another dialog": `
			const dialog = document.createElement("dialog");
			document.body.append(dialog);
			dialog.showModal();
			lab.end = () => dialog.close();`,
		"no page at all":    `document.documentElement.style.display = "none"; lab.end = () => document.documentElement.style.display = "";`,
		"a page not drawn":  `document.documentElement.style.contentVisibility = "hidden"; lab.end = () => document.documentElement.style.contentVisibility = "";`,
		"a page made small": `document.documentElement.style.zoom = "0.2"; lab.end = () => document.documentElement.style.zoom = "";`,
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, "")
			p.ask(`{ sku: "tea" }`, destructive)
			p.armed()
			at := p.middle("Approve")
			see[any](p, fmt.Sprintf("(() => { %s; return true; })()", cover))
			p.settle()
			if d := p.page().Find("alertdialog", ""); d != nil && d.Find("button", "Approve") != nil {
				if now, err := p.me.Middle(suite.Within(t), d.Find("button", "Approve")); err == nil {
					p.must(p.me.ClickAt(suite.Within(t), now))
				}
			}
			p.must(p.me.ClickAt(suite.Within(t), at))
			p.waits(1)
			see[any](p, "lab.end() ?? true")
			p.armed()
			p.click("Approve")
			p.came("approved")
		})
	}
}

// settle waits until the browser has looked twice at what can be seen.
func (p *tab) settle() {
	p.T.Helper()
	see[any](p, `new Promise((done) => {
		const probe = document.createElement("div");
		let left = 3;
		const observer = new IntersectionObserver(() => { left--; observer.unobserve(probe); left === 0 ? done(probe.remove() ?? true) : setTimeout(() => observer.observe(probe), 110); }, { trackVisibility: true, delay: 100 });
		document.documentElement.append(probe);
		observer.observe(probe);
	})`)
}

// TestCoverIsSaid: the person is told why Approve does not work.
func TestCoverIsSaid(t *testing.T) {
	p := open(t, "")
	p.ask(`{}`, clearCart)
	p.armed()
	see[any](p, fmt.Sprintf("(() => { %s; return true; })()", lie("pointer-events: none; left: 0; width: 50px")))
	const said = "Something covers this dialog. Approve works when all of it can be seen."
	for ctx := suite.Within(t); p.dialog().Find("status", "").Text() != said; {
		if ctx.Err() != nil {
			t.Fatalf("it says %q", p.dialog().Text())
		}
	}
	if !p.button("Approve").Is("disabled") {
		t.Error("Approve is said to work")
	}
	see[any](p, "lab.end() ?? true")
	p.armed()
	if text := p.dialog().Find("status", "").Text(); text != "" {
		t.Errorf("it still says %q", text)
	}
}

// TestMessagesOfThePageGoBelow: what a page shows without knowing of the dialog does not keep the person waiting.
func TestMessagesOfThePageGoBelow(t *testing.T) {
	p := open(t, "")
	p.ask(`{}`, clearCart)
	p.armed()
	see[any](p, `(() => {
		const message = document.createElement("div");
		message.popover = "manual";
		message.textContent = "Saved.";
		document.body.append(message);
		message.showPopover();
		return true;
	})()`)
	p.settle()
	p.armed()
	p.click("Approve")
	p.came("approved")
}

// TestDialogComesBack: a page that takes the dialog out, or puts it somewhere else, decides nothing. It is back within a
// second, and armed anew.
func TestDialogComesBack(t *testing.T) {
	for name, script := range map[string]string{
		"removed":                     `host.remove()`,
		"put elsewhere":               `const away = document.createElement("div"); away.hidden = true; document.body.append(away); away.append(host)`,
		"moved as it stands":          `const away = document.createElement("div"); document.body.append(away); away.moveBefore(host, null)`,
		"put into another document":   `const frame = document.createElement("iframe"); document.body.append(frame); frame.contentDocument.body.append(host)`,
		"removed with the whole page": `document.documentElement.replaceChildren(document.createElement("body"))`,
		"removed, with its listeners": `document.open(); document.write("<!doctype html><link rel=icon href=data:,><p>Another page"); document.close()`,
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, "{ faked: true }")
			p.ask(`{}`, clearCart)
			see[any](p, "lab.clock.advance(500)")
			see[any](p, fmt.Sprintf(`(() => { const host = document.querySelector("[data-pagewarden]"); %s; return true; })()`, script))
			p.waits(1)
			p.settle() // the browser says that it is out of sight
			see[any](p, "lab.clock.advance(1000)")
			p.Until(`document.documentElement.lastElementChild.dataset.pagewarden === "confirmation"`)
			p.click("Approve")
			p.waits(1)
			p.settle()
			see[any](p, "lab.clock.advance(400)")
			p.click("Approve")
			p.came("approved")
			p.gone()
		})
	}
}

// TestPageWithoutRoot: while a page has no root element there is no place for the dialog.
func TestPageWithoutRoot(t *testing.T) {
	p := open(t, "{ faked: true }")
	p.Expected = []string{"status of 404"} // of the icon, which the page says that it has not, until that goes
	p.ask(`{}`, clearCart)
	see[any](p, `(globalThis.whole = document.documentElement, whole.remove(), lab.clock.advance(2000), true)`)
	see[string](p, `lab.ask({ n: 2 })`)
	p.waits(2)
	see[any](p, `(document.append(whole), lab.clock.advance(1000), true)`)
	p.Until(`whole.lastElementChild.dataset.pagewarden === "confirmation"`)
	p.settle()
	see[any](p, "lab.clock.advance(400)")
	p.click("Approve")
	p.came("approved")
	p.waits(1)
}

// TestPageThatNeverLetsItStand: the question stays unanswered until it expires.
func TestPageThatNeverLetsItStand(t *testing.T) {
	p := open(t, "{ faked: true }")
	see[any](p, `(new MutationObserver(() => document.querySelector("[data-pagewarden]")?.remove()).observe(document.documentElement, { childList: true }), true)`)
	see[string](p, "lab.ask({})")
	for range 5 {
		see[any](p, "lab.clock.advance(1000)")
	}
	p.waits(1)
	see[any](p, "lab.clock.advance(120_000)")
	p.came("expired")
	p.gone()
}

// TestRootOfThePage puts the dialog where the page wants it.
func TestRootOfThePage(t *testing.T) {
	for name, root := range map[string]string{
		"an element":             `home`,
		"a shadow root":          `home.attachShadow({ mode: "open" })`,
		"in a closed shadow one": `home.attachShadow({ mode: "closed" }).appendChild(document.createElement("p")).attachShadow({ mode: "closed" })`,
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, fmt.Sprintf(`{ options: { root: (() => { const home = document.createElement("section"); home.id = "home"; document.body.append(home); return %s; })() } }`, root))
			p.ask(`{}`, clearCart)
			if see[bool](p, `document.documentElement.lastElementChild.matches("[data-pagewarden]")`) {
				t.Error("the dialog is at the end of the page")
			}
			p.armed()
			p.click("Approve")
			p.came("approved")
			p.ask(`{}`, clearCart)
			see[any](p, `document.querySelector("#home").remove() ?? true`)
			p.Until(`document.documentElement.lastElementChild.matches("[data-pagewarden]")`)
			p.armed()
			p.click("Approve")
			p.came("approved", "approved")
		})
	}
}

// TestRootThatMovesAway: a root in another document is none.
func TestRootThatMovesAway(t *testing.T) {
	p := open(t, `{ options: { root: (() => { globalThis.home = document.createElement("section"); document.body.append(home); return home; })() } }`)
	see[any](p, `(() => { const frame = document.createElement("iframe"); document.body.append(frame); frame.contentDocument.body.append(home); return true; })()`)
	p.ask(`{}`, clearCart)
	p.armed()
	p.click("Approve")
	p.came("approved")
}

// TestReturnFromTheBackground: the delay starts anew when the page had been in the background.
func TestReturnFromTheBackground(t *testing.T) {
	p := open(t, "{ faked: true }")
	p.ask(`{}`, clearCart)
	see[any](p, "lab.clock.advance(500)")
	see[any](p, `document.dispatchEvent(new Event("visibilitychange")) ?? true`)
	p.settle()
	p.click("Approve")
	p.waits(1)
	see[any](p, "lab.clock.advance(400)")
	p.click("Approve")
	p.came("approved")
}
