package dialog

import (
	"testing"

	"github.com/chromedp/chromedp/kb"

	"github.com/pagewarden/pagewarden/e2e/internal/person"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// TestPersonDecides tries each way in which a person can answer.
func TestPersonDecides(t *testing.T) {
	for name, c := range map[string]struct {
		answer  func(*tab)
		outcome string
	}{
		"approve by mouse":    {func(p *tab) { p.click("Approve") }, "approved"},
		"approve by touch":    {func(p *tab) { p.tap("Approve") }, "approved"},
		"approve by Enter":    {func(p *tab) { p.focus("Approve"); p.press(kb.Enter) }, "approved"},
		"approve by Space":    {func(p *tab) { p.focus("Approve"); p.press(" ") }, "approved"},
		"deny by mouse":       {func(p *tab) { p.click("Deny") }, "denied"},
		"deny by touch":       {func(p *tab) { p.tap("Deny") }, "denied"},
		"deny by Enter":       {func(p *tab) { p.focus("Deny"); p.press(kb.Enter) }, "denied"},
		"deny by Space":       {func(p *tab) { p.focus("Deny"); p.press(" ") }, "denied"},
		"Escape":              {func(p *tab) { p.press(kb.Escape) }, "denied"},
		"Escape from Approve": {func(p *tab) { p.focus("Approve"); p.press(kb.Escape) }, "denied"},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, "")
			p.ask(`{ sku: "tea" }`, clearCart)
			p.armed()
			c.answer(p)
			p.came(c.outcome)
			p.gone()
			p.waits(0)
		})
	}
}

func (p *tab) tap(name string) {
	p.T.Helper()
	if err := p.me.Tap(suite.Within(p.T), p.middle(name)); err != nil {
		p.T.Fatal(err)
	}
}

// middle is where a button of the dialog is clicked.
func (p *tab) middle(name string) person.Point {
	p.T.Helper()
	at, err := p.me.Middle(suite.Within(p.T), p.button(name))
	if err != nil {
		p.T.Fatal(err)
	}
	return at
}

// TestDenialNeedsNoWait: the safe answer works from the first moment on.
func TestDenialNeedsNoWait(t *testing.T) {
	for name, answer := range map[string]func(*tab){
		"Deny":   func(p *tab) { p.click("Deny") },
		"Escape": func(p *tab) { p.press(kb.Escape) },
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, "{ faked: true }")
			p.ask(`{}`, clearCart)
			answer(p)
			p.came("denied")
			p.gone()
		})
	}
}

// TestEscapeIsForTheQuestion: the page does not act on the key that denies.
func TestEscapeIsForTheQuestion(t *testing.T) {
	p := open(t, "")
	see[any](p, `(lab.escapes = 0, document.addEventListener("keydown", () => { lab.escapes++; }), true)`)
	p.ask(`{}`, clearCart)
	p.press(kb.Escape)
	p.came("denied")
	if heard := see[int](p, "lab.escapes"); heard != 0 {
		t.Error("the page heard of the key")
	}
}

// TestApproveIsArmedAfterAWhile moves a fake clock: 400 ms after the question came into sight, and not earlier.
func TestApproveIsArmedAfterAWhile(t *testing.T) {
	for name, try := range map[string]func(*tab){
		"mouse": func(p *tab) { p.click("Approve") },
		"touch": func(p *tab) { p.tap("Approve") },
		"Enter": func(p *tab) { p.focus("Approve"); p.press(kb.Enter) },
		"Space": func(p *tab) { p.focus("Approve"); p.press(" ") },
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, "{ faked: true }")
			p.ask(`{}`, clearCart)
			for _, step := range []string{"0", "399"} {
				see[any](p, "lab.clock.advance("+step+")")
				if !p.button("Approve").Is("disabled") {
					t.Errorf("%s ms later, Approve is said to work", step)
				}
				try(p)
				p.waits(1)
			}
			see[any](p, "lab.clock.advance(2)") // 401
			if p.button("Approve").Is("disabled") {
				t.Error("401 ms later, Approve is said not to work")
			}
			try(p)
			p.came("approved")
		})
	}
}

// TestNextQuestionIsArmedAnew: an approval does not carry over into the question that takes its place.
func TestNextQuestionIsArmedAnew(t *testing.T) {
	p := open(t, "{ faked: true }")
	p.ask(`{ n: 1 }`, clearCart)
	see[string](p, `lab.ask({ n: 2 })`)
	see[any](p, "lab.clock.advance(1000)")
	p.click("Approve")
	p.Until("lab.shown.length === 2")
	for _, step := range []string{"0", "399"} {
		see[any](p, "lab.clock.advance("+step+")")
		p.click("Approve")
		p.waits(1)
	}
	see[any](p, "lab.clock.advance(2)")
	p.click("Approve")
	p.came("approved", "approved")
}

// TestHeldButtonApprovesNothing: what is released over a question was pressed over another, or before it could be.
func TestHeldButtonApprovesNothing(t *testing.T) {
	t.Run("pressed too early", func(t *testing.T) {
		p := open(t, "{ faked: true }")
		p.ask(`{}`, clearCart)
		at := p.middle("Approve")
		p.must(p.me.Down(suite.Within(t), at))
		see[any](p, "lab.clock.advance(500)")
		p.must(p.me.Up(suite.Within(t), at))
		p.waits(1)
		p.click("Approve")
		p.came("approved")
	})
	t.Run("pressed on the question before", func(t *testing.T) {
		p := open(t, "{ faked: true }")
		p.ask(`{ n: 1 }`, clearCart)
		first := see[string](p, "lab.pending()[0]")
		see[string](p, `lab.ask({ n: 2 })`)
		see[any](p, "lab.clock.advance(500)")
		at := p.middle("Approve")
		p.must(p.me.Down(suite.Within(t), at))
		see[bool](p, `lab.registry.confirmations.resolve("`+first+`", { approved: false })`)
		p.Until("lab.shown.length === 2")
		see[any](p, "lab.clock.advance(500)")
		p.must(p.me.Up(suite.Within(t), at))
		p.came("denied")
		p.waits(1)
	})
	t.Run("a key that repeats", func(t *testing.T) {
		p := open(t, "{ faked: true }")
		see[any](p, `(lab.clicks = 0, addEventListener("click", (event) => { lab.clicks += event.isTrusted; }, true), true)`)
		p.ask(`{}`, clearCart)
		p.focus("Approve")
		p.must(p.me.Hold(suite.Within(t)))
		see[any](p, "lab.clock.advance(500)")
		p.must(p.me.Repeat(suite.Within(t)))
		if clicks := see[int](p, "lab.clicks"); clicks != 2 {
			t.Fatalf("the held key made %d clicks; want 2", clicks)
		}
		p.waits(1)
		p.must(p.me.Release(suite.Within(t)))
		p.press(kb.Enter)
		p.came("approved")
	})
}

func (p *tab) must(err error) {
	p.T.Helper()
	if err != nil {
		p.T.Fatal(err)
	}
}

// TestBusyPageDoesNotMakeAnEarlyClickLate: a click waits in the queue until the page has time for it. What counts is
// when it was made.
func TestBusyPageDoesNotMakeAnEarlyClickLate(t *testing.T) {
	p := open(t, "")
	see[any](p, `(lab.clicks = 0, addEventListener("click", (event) => { lab.clicks += event.isTrusted; }, true), true)`)
	p.ask(`{}`, clearCart)
	early := see[float64](p, "Date.now() / 1000")
	p.armed()
	at := p.middle("Approve")
	p.must(p.me.ClickLate(suite.Within(t), at, early))
	if clicks := see[int](p, "lab.clicks"); clicks != 1 {
		t.Fatalf("the page heard of %d clicks; want the late one", clicks)
	}
	p.waits(1)
	p.must(p.me.ClickAt(suite.Within(t), at))
	p.came("approved")
}
