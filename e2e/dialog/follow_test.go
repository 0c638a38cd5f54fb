package dialog

import (
	"fmt"
	"strings"
	"testing"

	"github.com/chromedp/chromedp/kb"
)

// TestQuestionsQueue shows three, one after the other, in the order in which they came.
func TestQuestionsQueue(t *testing.T) {
	p := open(t, "{ faked: true }")
	p.ask(`{ n: 1 }`, clearCart)
	see[string](p, `lab.ask({ n: 2 })`)
	see[string](p, `lab.ask({ n: 3 }, "domain:shop.destructive")`)
	for i, c := range []struct{ says, not, answer, title string }{
		{"2 more are waiting", "", "Deny", "Allow this action?"},
		{"1 more is waiting", "", "Approve", "Allow this action?"},
		{"", "waiting", "Deny", "Allow this destructive action?"},
	} {
		p.Until(fmt.Sprintf("lab.shown.length === %d", i+1))
		see[any](p, "lab.clock.advance(500)")
		d := p.dialog()
		if text := d.Text(); !strings.Contains(text, c.says) || c.not != "" && strings.Contains(text, c.not) || d.Name != c.title {
			t.Errorf("question %d is called %q and says %q", i+1, d.Name, text)
		}
		if value := d.Find("cell", ""); value == nil || value.Name != fmt.Sprint(i+1) {
			t.Errorf("question %d shows %v", i+1, value)
		}
		if f := focused(d); f == nil || f.Role != "heading" {
			t.Errorf("question %d has the focus on %v; want its title", i+1, f)
		}
		if i > 0 && d.Find("status", "").Text() != "Another question" {
			t.Errorf("question %d is not announced: %q", i+1, d.Find("status", "").Text())
		}
		p.click(c.answer)
	}
	p.came("denied", "approved", "denied")
	p.gone()
}

// TestTimeLeft follows a question to its end.
func TestTimeLeft(t *testing.T) {
	p := open(t, "{ faked: true }")
	p.ask(`{}`, clearCart)
	for _, c := range []struct {
		ms           int
		left, spoken string
	}{
		{0, "2:00 left", ""},
		{1000, "1:59 left", ""},
		{88_999, "0:31 left", ""},
		{1, "0:30 left", "30 seconds left to decide"},
		{1000, "0:29 left", "30 seconds left to decide"},
		{19_000, "0:10 left", "10 seconds left to decide"},
		{9_000, "0:01 left", "10 seconds left to decide"},
	} {
		see[any](p, fmt.Sprintf("lab.clock.advance(%d)", c.ms))
		d := p.dialog()
		if left, spoken := d.Find("timer", "").Text(), d.Find("status", "").Text(); left != c.left || spoken != c.spoken {
			t.Errorf("%d ms later it says %q and speaks %q; want %q and %q", c.ms, left, spoken, c.left, c.spoken)
		}
	}
	see[any](p, "lab.clock.advance(1000)")
	p.came("expired")
	p.gone()
}

// TestNextIsShownWhenOneExpires: the second was asked for later, and lives longer.
func TestNextIsShownWhenOneExpires(t *testing.T) {
	p := open(t, "{ faked: true }")
	p.ask(`{ n: 1 }`, clearCart)
	see[any](p, "lab.clock.advance(60_000)")
	see[string](p, `lab.ask({ n: 2 })`)
	see[any](p, "lab.clock.advance(60_000)")
	p.Until("lab.shown.length === 2")
	p.came("expired")
	if d := p.dialog(); d.Find("cell", "2") == nil || d.Find("timer", "").Text() != "1:00 left" {
		t.Errorf("it shows %q", d.Text())
	}
	p.press(kb.Escape)
	p.came("expired", "denied")
}

// TestDecisionElsewhere: the record is decided by other code, or withdrawn by its caller, while it is shown.
func TestDecisionElsewhere(t *testing.T) {
	for name, c := range map[string]struct{ script, outcome string }{
		"approved":  {`lab.registry.confirmations.resolve(lab.pending()[0], { approved: true })`, "approved"},
		"denied":    {`lab.registry.confirmations.resolve(lab.pending()[0], { approved: false })`, "denied"},
		"expired":   {`lab.registry.confirmations.forceExpire(lab.pending()[0])`, "expired"},
		"withdrawn": {`lab.handle.unregister() ?? true`, "expired"},
		"disposed":  {`lab.registry.dispose() ?? true`, "expired"},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, "")
			p.ask(`{}`, clearCart)
			see[any](p, c.script)
			p.gone()
			p.came(c.outcome)
		})
	}
}

func TestFocusReturns(t *testing.T) {
	for name, answer := range map[string]func(*tab){
		"approved":          func(p *tab) { p.armed(); p.click("Approve") },
		"denied":            func(p *tab) { p.click("Deny") },
		"Escape":            func(p *tab) { p.press(kb.Escape) },
		"decided elsewhere": func(p *tab) { see[any](p, `lab.registry.confirmations.forceExpire(lab.pending()[0])`) },
		"unmounted":         func(p *tab) { see[any](p, `lab.dialog.unmount() ?? true`) },
		"taken out by the page and put back": func(p *tab) {
			see[any](p, `document.querySelector("[data-pagewarden]").remove() ?? true`)
			p.Until(`document.querySelector("[data-pagewarden]") !== null`)
			p.click("Deny")
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, "")
			see[any](p, `document.querySelector("#field").focus() ?? true`)
			p.ask(`{}`, clearCart)
			if f := focused(p.dialog()); f == nil || f.Role != "heading" {
				t.Errorf("the focus is on %v; want the title, where no key that was meant for the page does anything", f)
			}
			answer(p)
			p.gone()
			if id := see[string](p, "document.activeElement.id"); id != "field" {
				t.Errorf("the focus is on %q; want the field that had it", id)
			}
			p.press("x")
			if text := see[string](p, `document.querySelector("#field").value`); text != "x" {
				t.Errorf("typing goes elsewhere: the field holds %q", text)
			}
		})
	}
}

// TestUnmount: that nobody shows a question is no decision on it.
func TestUnmount(t *testing.T) {
	p := open(t, "")
	p.ask(`{}`, clearCart)
	see[any](p, `lab.dialog.unmount() ?? lab.dialog.unmount() ?? true`)
	p.gone()
	p.waits(1)
	see[any](p, `lab.mount() ?? true`)
	p.Until("lab.shown.length === 2")
	p.armed()
	p.click("Approve")
	p.came("approved")
	see[any](p, `lab.dialog.unmount() ?? true`)
	see[string](p, `lab.ask({})`)
	if found := p.page().Find("alertdialog", ""); found != nil {
		t.Errorf("%s is shown although nothing is mounted", found)
	}
}

// TestDisposalTakesTheQuestionAway: with its registry, and with the component that would act.
func TestDisposalTakesTheQuestionAway(t *testing.T) {
	for _, end := range []string{"lab.handle.unregister()", "lab.registry.dispose()"} {
		p := open(t, "")
		see[any](p, `(() => { const field = document.createElement("input"); field.id = "field"; document.body.append(field); field.focus(); return true; })()`)
		p.ask(`{}`, clearCart)
		see[any](p, end+" ?? true")
		p.gone()
		p.Until(`document.activeElement.id === "field"`)
		see[any](p, `lab.dialog.unmount() ?? true`)
	}
}

// TestFailedMountLeavesNothing mounts on registries that cannot be asked yet, and then can.
func TestFailedMountLeavesNothing(t *testing.T) {
	p := open(t, "")
	got := see[string](p, `(() => {
		const said = [];
		for (const part of ["subscribe", "pending"]) {
			let broken = true, listening = 0;
			const record = lab.record();
			const confirmations = {
				pending: () => (broken && part === "pending" ? [{ ...record, summary: Symbol() }] : []), resolve: () => true,
				subscribe() {
					if (broken && part === "subscribe") throw new Error("not yet");
					listening++;
					return () => listening--;
				},
			};
			const registry = { confirmations };
			try { lab.mountConfirmationDialog(registry); } catch (error) { said.push(error.name, listening); }
			broken = false;
			lab.mountConfirmationDialog(registry);
			said.push(listening);
		}
		return said.join(" ");
	})()`)
	if want := "Error 0 1 TypeError 0 1"; got != want {
		t.Errorf("the mounts gave %q; want %q", got, want)
	}
	p.gone()
}

// TestTwoDialogsOfOneRegistry: a person is asked once, and the second takes over from the first.
func TestTwoDialogsOfOneRegistry(t *testing.T) {
	p := open(t, "")
	see[any](p, `(lab.second = lab.mountConfirmationDialog(lab.registry, { ...lab.options, labels: { title: "The second" } }), true)`)
	p.ask(`{}`, clearCart)
	if all := p.page().All("alertdialog"); len(all) != 1 || all[0].Name != "Allow this action?" {
		t.Fatalf("there are %v; want the first alone", all)
	}
	see[any](p, `lab.dialog.unmount() ?? true`)
	p.Until("lab.shown.length === 2")
	if all := p.page().All("alertdialog"); len(all) != 1 || all[0].Name != "The second" {
		t.Fatalf("there are %v; want the second alone", all)
	}
	p.armed()
	p.click("Approve")
	p.came("approved")
	see[any](p, `lab.second.unmount() ?? true`)
	p.gone()
}

// TestTwoRegistries: the later question lies on top, and the earlier one cannot be approved until it is answered.
func TestTwoRegistries(t *testing.T) {
	p := open(t, "")
	p.ask(`{ n: 1 }`, clearCart)
	p.armed()
	see[any](p, `lab.another().then(() => true)`)
	p.Until("lab.shown.length === 2")
	if all := p.page().All("alertdialog"); len(all) != 1 || all[0].Find("cell", "from another registry") == nil {
		t.Fatalf("the person sees %v; want the later question alone", all)
	}
	p.press(kb.Escape)
	p.Until("lab.other.results.length === 1")
	p.waits(1)
	p.armed()
	p.click("Approve")
	p.came("approved")
}

// TestAnyRegistryWillDo: the dialog knows a registry by its public API only.
func TestAnyRegistryWillDo(t *testing.T) {
	p := open(t, "")
	see[any](p, `lab.own() ?? true`)
	p.Until("lab.shown.length === 1")
	d := p.dialog()
	for _, part := range []string{"anything:at-all", "somebody", "no known effect", "-0", "5 values"} {
		if !strings.Contains(d.Text(), part) {
			t.Errorf("it does not say %q: %q", part, d.Text())
		}
	}
	p.armed()
	p.click("Approve")
	p.Until(`lab.decided.length === 1`)
	if got := see[string](p, `JSON.stringify(lab.decided)`); got != `[["id-1",{"approved":true}]]` {
		t.Errorf("the registry was told %s", got)
	}
	p.gone()
}

func TestWrongUseIsNamed(t *testing.T) {
	p := open(t, "")
	for arguments, want := range map[string]string{
		``:                                                     "needs a registry",
		`{ confirmations: { pending() {} } }`:                  "needs a registry",
		`lab.registry, null`:                                   "options must be an object",
		`lab.registry, { colour: "red" }`:                      "options.colour is no option",
		`lab.registry, { onShow: 1 }`:                          "options.onShow must be a function",
		`lab.registry, { root: "body" }`:                       "options.root must be",
		`lab.registry, { root: new Document() }`:               "options.root must be",
		`lab.registry, { timers: {} }`:                         "timers must have",
		`lab.registry, { labels: 1 }`:                          "labels must be an object",
		`lab.registry, { labels: { titel: "" } }`:              "labels.titel is no text",
		`lab.registry, { labels: { title: 1 } }`:               "labels.title must be a string",
		`lab.registry, { labels: { queue: {} } }`:              "labels.queue must be a string or a function",
		`lab.registry, { labels: { effects: { magic: "" } } }`: "labels.effects.magic is no text",
	} {
		got := see[string](p, `(() => { try { lab.mountConfirmationDialog(`+arguments+`); return "nothing"; } catch (error) { return error.name + ": " + error.message; } })()`)
		if !strings.HasPrefix(got, "TypeError: ") || !strings.Contains(got, want) {
			t.Errorf("(%s) gave %q; want a TypeError with %q", arguments, got, want)
		}
	}
}
