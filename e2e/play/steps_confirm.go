package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/demo"
	"github.com/pagewarden/pagewarden/e2e/internal/person"
)

// dialogOpen is true while the page shows its confirmation dialog, whose inside no script can reach.
const dialogOpen = `(document.querySelector("[data-pagewarden=confirmation]") !== null)`

// The buttons of the dialog.
const (
	approve = "Approve"
	deny    = "Deny"
)

// shortDecision is how long the person has in the step in which nobody answers, in milliseconds.
const shortDecision = 3000

// attempt is one call of the destructive procedure, in flight until the person has decided.
type attempt struct {
	devices []string // ids
	names   []string
	reason  string
	before  []demo.Device // the whole table
	result  chan browser.Result
	failed  chan error
	started time.Time
}

// ask selects devices and calls the procedure, and returns when the page asks the person.
func (p *player) ask(ctx context.Context, reason string) (*attempt, error) {
	got, err := p.table(ctx)
	if err != nil {
		return nil, err
	}
	a := &attempt{reason: reason, result: make(chan browser.Result, 1), failed: make(chan error, 1)}
	for _, r := range got.Rows {
		if r.Enabled && len(a.devices) < 3 {
			a.devices, a.names = append(a.devices, r.ID), append(a.names, r.Name)
		}
	}
	if err := p.selectRows(ctx, a.devices...); err != nil {
		return nil, err
	}
	if err := p.appears(ctx, disable); err != nil {
		return nil, err
	}
	if a.before, err = p.site.Store.List(ctx, demo.Filter{}); err != nil {
		return nil, err
	}
	if err := p.start(ctx, a); err != nil {
		return nil, err
	}
	return a, p.asked(ctx, a)
}

func (p *player) start(ctx context.Context, a *attempt) error {
	input, err := json.Marshal(map[string]string{"reason": a.reason})
	if err != nil {
		return fmt.Errorf("writing the reason: %w", err)
	}
	p.out.call(disable, string(input))
	a.started = time.Now()
	go func() {
		result, err := p.page.Call(ctx, disable, input)
		if err != nil {
			a.failed <- err
			return
		}
		a.result <- result
	}()
	return nil
}

// asked waits for the dialog and checks that it tells the person everything. A call that ends before was not asked for.
func (p *player) asked(ctx context.Context, a *attempt) error {
	waiting, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	opened := make(chan error, 1)
	go func() { opened <- p.until(waiting, "the page asks for confirmation", dialogOpen) }()
	select {
	case err := <-opened:
		if err != nil {
			return err
		}
	case err := <-a.failed:
		stop(err)
		<-opened
		return err
	case result := <-a.result:
		stop(errors.New("the call has ended"))
		<-opened
		return fmt.Errorf("%s ended without asking anybody: %s", disable, shortened(result.Value()))
	}
	dialog, err := p.dialog(ctx)
	if err != nil {
		return err
	}
	text := dialog.Text()
	for _, part := range slices.Concat([]string{"domain:devices.disable", "Destructive", a.reason}, a.devices, a.names) {
		if !strings.Contains(text, part) {
			return fmt.Errorf("the confirmation does not say %q; it says %q", part, text)
		}
	}
	p.out.say("see", "the page asks, and shows the capability, the effect, the reason and the %d devices", len(a.devices))
	return nil
}

// dialog is the page's modal dialog, as the person sees it.
func (p *player) dialog(ctx context.Context) (*person.Element, error) {
	page, err := person.At(p.page).Look(ctx)
	if err != nil {
		return nil, err
	}
	dialog := page.Find("alertdialog", "")
	if dialog == nil || !dialog.Is("modal") {
		return nil, errors.New("the page shows no modal dialog")
	}
	return dialog, nil
}

// button waits until a button of the dialog works.
func (p *player) button(ctx context.Context, name string) (*person.Element, error) {
	for {
		dialog, err := p.dialog(ctx)
		if err != nil {
			return nil, err
		}
		button := dialog.Find("button", name)
		if button == nil {
			return nil, fmt.Errorf("the dialog has no button %s", name)
		}
		if !button.Is("disabled") {
			return button, nil
		}
	}
}

// decide clicks a button of the dialog as the person does, with real input.
func (p *player) decide(ctx context.Context, name string) error {
	button, err := p.button(ctx, name)
	if err != nil {
		return err
	}
	p.out.say("do", "the person clicks %s", name)
	return person.At(p.page).Click(ctx, button)
}

// answer waits for the call's result.
func (p *player) answer(ctx context.Context, a *attempt) (browser.Result, error) {
	select {
	case result := <-a.result:
		p.out.gave(result.Value(), time.Since(a.started))
		return result, nil
	case err := <-a.failed:
		return browser.Result{}, err
	case <-ctx.Done():
		return browser.Result{}, fmt.Errorf("waiting for the result of %s: %w", disable, ctx.Err())
	}
}

func disableApproved(ctx context.Context, p *player) error {
	a, err := p.ask(ctx, "Replaced by newer hardware")
	if err != nil {
		return err
	}
	if err := p.pictureDialog(ctx); err != nil {
		return err
	}
	if err := p.scriptCannotApprove(ctx, a); err != nil {
		return err
	}
	if err := p.decide(ctx, approve); err != nil {
		return err
	}
	result, err := p.answer(ctx, a)
	if err != nil {
		return err
	}
	var got struct{ Disabled int }
	if err := outputOf(disable, result, &got); err != nil {
		return err
	}
	if got.Disabled != len(a.devices) {
		return fmt.Errorf("%d devices were disabled; want %d", got.Disabled, len(a.devices))
	}
	if err := p.disabled(ctx, a); err != nil {
		return err
	}
	return p.picture(ctx, "disabled", "")
}

// pictureDialog takes the dialog's picture when it can be approved, in light and dark.
func (p *player) pictureDialog(ctx context.Context) error {
	someone := person.At(p.page)
	for _, look := range []struct{ scheme, name, readme string }{
		{"dark", "confirm-dark", "screenshot-confirm-dark.png"},
		{"light", "confirm", "screenshot-confirm.png"},
	} {
		if err := someone.Prefer(ctx, map[string]string{"prefers-color-scheme": look.scheme}); err != nil {
			return err
		}
		if _, err := p.button(ctx, approve); err != nil {
			return err
		}
		if err := p.picture(ctx, look.name, look.readme); err != nil {
			return err
		}
	}
	return nil
}

// clickEverywhere is what a script of the page can do to press a button that it sees: click whatever is at each place.
const clickEverywhere = `(() => {
	for (let x = 5; x < innerWidth; x += 20) {
		for (let y = 5; y < innerHeight; y += 10) {
			const there = document.elementFromPoint(x, y);
			there?.click?.();
			there?.dispatchEvent(new PointerEvent("click", { bubbles: true, composed: true, clientX: x, clientY: y }));
			if (!` + dialogOpen + `) return false;
		}
	}
	return true;
})()`

// scriptCannotApprove clicks as a script of the page does: the dialog must stay, and nothing must have been decided.
func (p *player) scriptCannotApprove(ctx context.Context, a *attempt) error {
	var open bool
	if err := p.see(ctx, clickEverywhere, &open); err != nil {
		return err
	}
	if !open {
		return errors.New("a script's click was taken for a person's")
	}
	p.out.say("see", "a script's clicks, wherever they go, decide nothing")
	return p.unchanged(ctx, a)
}

// disabled checks that the database has exactly the attempt's devices disabled, for its reason.
func (p *player) disabled(ctx context.Context, a *attempt) error {
	for _, id := range a.devices {
		device, err := p.site.Store.Get(ctx, id)
		if err != nil {
			return err
		}
		if device.Enabled || device.DisabledReason != a.reason {
			return fmt.Errorf("the database has %s with enabled %t and the reason %q; want it disabled with %q", id, device.Enabled, device.DisabledReason, a.reason)
		}
	}
	after, err := p.site.Store.List(ctx, demo.Filter{})
	if err != nil {
		return err
	}
	changed := 0
	for i := range after {
		if after[i] != a.before[i] {
			changed++
		}
	}
	if changed != len(a.devices) {
		return fmt.Errorf("%d devices changed in the database; want %d", changed, len(a.devices))
	}
	p.out.say("see", "the database has %s disabled, and nothing else changed", strings.Join(a.devices, ", "))
	return nil
}

func (p *player) unchanged(ctx context.Context, a *attempt) error {
	after, err := p.site.Store.List(ctx, demo.Filter{})
	if err != nil {
		return err
	}
	if !slices.Equal(after, a.before) {
		return errors.New("the database has changed although nobody approved")
	}
	return nil
}

func disableDenied(ctx context.Context, p *player) error {
	a, err := p.ask(ctx, "Looks unused")
	if err != nil {
		return err
	}
	if err := p.decide(ctx, deny); err != nil {
		return err
	}
	return p.refusedByPerson(ctx, a, "denied")
}

func disableExpired(ctx context.Context, p *player) error {
	address := fmt.Sprintf("%s?confirmation-ttl=%d", p.site.URL, shortDecision)
	p.out.say("open", "%s, so that a question stands for %d ms only", address, shortDecision)
	if err := p.page.Navigate(ctx, address); err != nil {
		return err
	}
	if err := p.ready(ctx); err != nil {
		return err
	}
	if err := p.appears(ctx, selectRows, readRows); err != nil {
		return err
	}
	a, err := p.ask(ctx, "Nobody will answer this")
	if err != nil {
		return err
	}
	p.out.say("do", "the person does nothing")
	return p.refusedByPerson(ctx, a, "expired")
}

// refusedByPerson waits for the end of an attempt that was not approved.
func (p *player) refusedByPerson(ctx context.Context, a *attempt, reason string) error {
	result, err := p.answer(ctx, a)
	if err != nil {
		return err
	}
	r, err := refusalOf(disable, result, "CONFIRMATION_INVALID")
	if err != nil {
		return err
	}
	if r.Details.Reason != reason {
		return fmt.Errorf("the reason is %q; want %q", r.Details.Reason, reason)
	}
	if err := p.until(ctx, "the dialog is closed", "!"+dialogOpen); err != nil {
		return err
	}
	if err := p.unchanged(ctx, a); err != nil {
		return err
	}
	p.out.say("see", "the database is as it was")
	return p.picture(ctx, reason, "")
}

func lookAtConsole(_ context.Context, p *player) error {
	for _, m := range p.page.Console() {
		if (m.IsException() || m.Kind == "error" || m.Kind == "assert") && !isRehearsed(m) {
			return fmt.Errorf("the page has %s in its console: %s (%s:%d)", m.Kind, m.Text, m.URL, m.Line)
		}
	}
	p.out.say("see", "no errors")
	return nil
}

// isRehearsed reports whether a message is the browser's note that the server has refused a rename: it was told to.
func isRehearsed(m browser.Message) bool {
	return strings.HasPrefix(m.Text, "Failed to load resource") && strings.HasSuffix(m.URL, "/rename")
}
