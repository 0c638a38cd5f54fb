package dialog

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// TestStrictPolicy: the dialog needs nothing of a Content-Security-Policy, and no Trusted Types policy.
func TestStrictPolicy(t *testing.T) {
	p := openPage(t, "strict/dialog.html")
	p.Until("globalThis.lab !== undefined")
	see[bool](p, "lab.open()")
	p.ask(`{ sku: "tea" }`, destructive)
	box := p.box(p.dialog())
	if box.Width < 400 || box.Width > 600 {
		t.Errorf("the dialog is at %+v: it has no style", box)
	}
	p.armed()
	p.click("Approve")
	p.came("approved")
}

// TestInsideAFrame: a frame with a registry of its own asks in the frame.
func TestInsideAFrame(t *testing.T) {
	p := openPage(t, "dialog.html")
	see[any](p, `new Promise((done) => {
		document.body.replaceChildren();
		const frame = document.createElement("iframe");
		frame.style.cssText = "width: 800px; height: 600px";
		frame.src = "dialog.html";
		frame.onload = () => done(true);
		document.body.append(frame);
	})`)
	p.Until("frames[0].lab !== undefined")
	see[bool](p, "frames[0].lab.open()")
	see[string](p, `frames[0].lab.ask({ sku: "tea" })`)
	p.Until("frames[0].lab.shown.length === 1")
	p.press(kb.Tab)
	p.press(kb.Tab)
	// The frame's elements are not in the page's tree, so it cannot be seen when Approve works. Early keys do nothing.
	for ctx := suite.Within(t); ctx.Err() == nil && len(see[[]string](p, "frames[0].lab.outcomes()")) == 0; {
		p.press(kb.Enter)
	}
	if got := see[[]string](p, "frames[0].lab.outcomes()"); len(got) != 1 || got[0] != "approved" {
		t.Errorf("the call in the frame ended as %q", got)
	}
}
