package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/demo"
)

// renaming is one call that renames the device in the drawer, in flight.
type renaming struct {
	to     string
	result chan browser.Result
	failed chan error
	began  time.Time
}

// shownName is what the page shows of the device in its drawer, there and in its row.
type shownName struct {
	Title, Row       string
	Pending, Visible bool
}

func (p *player) shownName(ctx context.Context) (shownName, error) {
	var shown shownName
	err := p.see(ctx, `(() => {
		const row = document.querySelector('#devices-rows tr[data-open="true"]');
		return {
			Title: document.querySelector("#drawer-title").textContent, Row: row.querySelector(".row-name").textContent,
			Pending: row.dataset.pending === "true" && document.querySelector("#drawer").dataset.pending === "true",
			Visible: row.querySelector(".tag-saving").checkVisibility() && document.querySelector("#drawer-saving").checkVisibility(),
		};
	})()`, &shown)
	return shown, err
}

// shows waits until the page shows a name, predicted or not, in the drawer and in the row.
func (p *player) shows(ctx context.Context, name string, pending bool) error {
	condition := fmt.Sprintf(`document.querySelector("#drawer-title").textContent === %q && document.querySelector("#drawer").dataset.pending === "%t"`, name, pending)
	if err := p.until(ctx, fmt.Sprintf("the page shows %q, predicted %t", name, pending), condition); err != nil {
		return err
	}
	shown, err := p.shownName(ctx)
	if want := (shownName{name, name, pending, pending}); err == nil && shown != want {
		return fmt.Errorf("the page shows %+v; want %+v", shown, want)
	}
	return err
}

// rehearse tells the server what to do to the next rename.
func (p *player) rehearse(ctx context.Context, plan demo.Rehearsal) error {
	body, err := json.Marshal(plan)
	if err != nil {
		return fmt.Errorf("writing the rehearsal: %w", err)
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, p.site.URL+"api/rehearsal", strings.NewReader(string(body)))
	if err != nil {
		return fmt.Errorf("making the rehearsal: %w", err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return fmt.Errorf("telling the server what to rehearse: %w", err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("the server refuses the rehearsal with %s", response.Status)
	}
	return nil
}

// hold tells the server to answer the next renames only when it is told to, and what then to do.
func (p *player) hold(ctx context.Context, plan demo.Rehearsal) error {
	plan.Hold = true
	p.out.say("do", "the server is told to keep the answer back for %d renames, fail %t, conflict %t", plan.Times, plan.Fail, plan.Conflict)
	return p.rehearse(ctx, plan)
}

// allArrived waits until the server has every request that the rehearsal is for.
const allArrived = `(async () => { while ((await (await fetch("/api/rehearsal")).json()).rehearsal.times > 0); })()`

// release lets the server answer.
func (p *player) release(ctx context.Context) error {
	if _, err := p.page.Eval(ctx, allArrived); err != nil {
		return fmt.Errorf("waiting until the server has the requests: %w", err)
	}
	p.out.say("do", "the server is told to answer")
	return p.rehearse(ctx, demo.Rehearsal{})
}

// rename begins to rename the device in the drawer.
func (p *player) rename(ctx context.Context, to string) *renaming {
	input := fmt.Sprintf(`{"name":%q}`, to)
	r := &renaming{to: to, result: make(chan browser.Result, 1), failed: make(chan error, 1), began: time.Now()}
	p.out.call(renameDevice, input)
	go func() {
		result, err := p.page.Call(ctx, renameDevice, json.RawMessage(input))
		if err != nil {
			r.failed <- err
			return
		}
		r.result <- result
	}()
	return r
}

func (p *player) renamed(ctx context.Context, r *renaming) (browser.Result, error) {
	select {
	case result := <-r.result:
		p.out.gave(result.Value(), time.Since(r.began))
		return result, nil
	case err := <-r.failed:
		return browser.Result{}, err
	case <-ctx.Done():
		return browser.Result{}, fmt.Errorf("waiting for the rename to %s: %w", r.to, ctx.Err())
	}
}

// stored is the device in the drawer as the database has it.
func (p *player) stored(ctx context.Context) (demo.Device, error) {
	var id string
	if err := p.see(ctx, `document.querySelector("#drawer-id").textContent`, &id); err != nil {
		return demo.Device{}, err
	}
	return p.site.Store.Get(ctx, id)
}

func openDevice(ctx context.Context, p *player) error {
	if err := p.page.Navigate(ctx, p.site.URL); err != nil {
		return err
	}
	if err := p.ready(ctx); err != nil {
		return err
	}
	if err := p.appears(ctx, selectRows, readRows); err != nil {
		return err
	}
	if err := p.selectRows(ctx, "dev-017"); err != nil {
		return err
	}
	if err := p.appears(ctx, openSelected); err != nil {
		return err
	}
	var opened row
	if err := p.output(ctx, openSelected, "{}", &opened); err != nil {
		return err
	}
	return p.appears(ctx, renameDevice)
}

func renameAtOnce(ctx context.Context, p *player) error {
	before, err := p.stored(ctx)
	if err != nil {
		return err
	}
	if err := p.hold(ctx, demo.Rehearsal{Times: 1}); err != nil {
		return err
	}
	r := p.rename(ctx, "Harbour gate")
	if err := p.shows(ctx, r.to, true); err != nil {
		return err
	}
	switch now, err := p.stored(ctx); {
	case err != nil:
		return err
	case now != before:
		return fmt.Errorf("the database has %+v already", now)
	}
	p.out.say("see", "the page shows %q at once, marked as not saved; the database has %q", r.to, before.Name)
	if err := p.picture(ctx, "rename-predicted", ""); err != nil {
		return err
	}
	if err := p.release(ctx); err != nil {
		return err
	}
	result, err := p.renamed(ctx, r)
	if err != nil {
		return err
	}
	var got struct{ Name string }
	if err := outputOf(renameDevice, result, &got); err != nil {
		return err
	}
	return p.settles(ctx, got.Name, r.to)
}

// settles checks that the page shows what the database has, unmarked, and that this is the name.
func (p *player) settles(ctx context.Context, told, want string) error {
	stored, err := p.stored(ctx)
	if err != nil {
		return err
	}
	if stored.Name != want || told != "" && told != want {
		return fmt.Errorf("the database has %q, and the agent was told %q; want %q", stored.Name, told, want)
	}
	if err := p.shows(ctx, want, false); err != nil {
		return err
	}
	p.out.say("see", "page and database have %q", want)
	return nil
}

// renameRefused is a rename that must fail with that code after it was shown.
func (p *player) renameRefused(ctx context.Context, plan demo.Rehearsal, code, settled string) error {
	if err := p.hold(ctx, plan); err != nil {
		return err
	}
	r := p.rename(ctx, "Nobody's gate")
	if err := p.shows(ctx, r.to, true); err != nil {
		return err
	}
	if err := p.release(ctx); err != nil {
		return err
	}
	result, err := p.renamed(ctx, r)
	if err != nil {
		return err
	}
	if _, err := refusalOf(renameDevice, result, code); err != nil {
		return err
	}
	return p.settles(ctx, "", settled)
}

func renameFails(ctx context.Context, p *player) error {
	return p.renameRefused(ctx, demo.Rehearsal{Times: 1, Fail: true}, "EXECUTION_FAILED", "Harbour gate")
}

func renameConflicts(ctx context.Context, p *player) error {
	return p.renameRefused(ctx, demo.Rehearsal{Times: 1, Conflict: true}, "PRECONDITION_FAILED", "Meanwhile dev-017")
}

func renameExpires(ctx context.Context, p *player) error {
	before, err := p.stored(ctx)
	if err != nil {
		return err
	}
	if err := p.hold(ctx, demo.Rehearsal{Times: 1}); err != nil {
		return err
	}
	r := p.rename(ctx, "Slow gate")
	if err := p.shows(ctx, r.to, true); err != nil {
		return err
	}
	if err := p.shows(ctx, before.Name, false); err != nil {
		return err
	}
	select {
	case result := <-r.result:
		return fmt.Errorf("the page took the name back only when the server had answered: %s", shortened(result.Value()))
	default:
	}
	p.out.say("see", "after four seconds the page believes in it no more, and shows %q", before.Name)
	if err := p.release(ctx); err != nil {
		return err
	}
	if _, err := p.renamed(ctx, r); err != nil {
		return err
	}
	return p.settles(ctx, "", r.to)
}

func renameTwice(ctx context.Context, p *player) error {
	if err := p.hold(ctx, demo.Rehearsal{Times: 2}); err != nil {
		return err
	}
	one := p.rename(ctx, "North gate")
	if err := p.shows(ctx, one.to, true); err != nil {
		return err
	}
	two := p.rename(ctx, "South gate")
	if err := p.shows(ctx, two.to, true); err != nil {
		return err
	}
	if err := p.release(ctx); err != nil {
		return err
	}
	first, err := p.renamed(ctx, one)
	if err != nil {
		return err
	}
	second, err := p.renamed(ctx, two)
	if err != nil {
		return err
	}
	if first.IsError() == second.IsError() {
		return fmt.Errorf("one of two renames of the same version must be refused: %s and %s", shortened(first.Value()), shortened(second.Value()))
	}
	winner := one.to
	if first.IsError() {
		winner = two.to
	}
	return p.settles(ctx, "", winner)
}
