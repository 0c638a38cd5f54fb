package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/pagewarden/pagewarden/browser"
)

// selection is the output of selectRows.
type selection struct {
	Selected int `json:"selected"`
}

func lookForUnavailable(ctx context.Context, p *player) error {
	if err := p.absent(ctx, later()...); err != nil {
		return err
	}
	_, err := p.call(ctx, openSelected, "{}")
	var unknown *browser.UnknownToolError
	if !errors.As(err, &unknown) {
		return fmt.Errorf("calling %s gave %v; want that there is no such tool", openSelected, err)
	}
	p.out.say("see", "%v", unknown)
	return nil
}

func selectOne(ctx context.Context, p *player) error {
	got, err := p.table(ctx)
	if err != nil {
		return err
	}
	if err := p.selectRows(ctx, got.Rows[0].ID); err != nil {
		return err
	}
	if err := p.appears(ctx, clearRows, openSelected, disable); err != nil {
		return err
	}
	return p.absent(ctx, readDevice, closeDrawer)
}

// selectRows selects exactly the rows of those ids and checks that the page shows it.
func (p *player) selectRows(ctx context.Context, ids ...string) error {
	input, err := json.Marshal(map[string][]string{"ids": ids})
	if err != nil {
		return fmt.Errorf("writing the ids: %w", err)
	}
	var got selection
	if err := p.output(ctx, selectRows, string(input), &got); err != nil {
		return err
	}
	var shown int
	if err := p.see(ctx, `document.querySelectorAll("#devices-rows input:checked").length`, &shown); err != nil {
		return err
	}
	if got.Selected != len(ids) || shown != len(ids) {
		return fmt.Errorf("%d rows are selected and %d shown as selected; want %d", got.Selected, shown, len(ids))
	}
	return nil
}

func openDrawer(ctx context.Context, p *player) error {
	var opened, device row
	if err := p.output(ctx, openSelected, "{}", &opened); err != nil {
		return err
	}
	if err := p.appears(ctx, readDevice, closeDrawer); err != nil {
		return err
	}
	if err := p.output(ctx, readDevice, "{}", &device); err != nil {
		return err
	}
	stored, err := p.site.Store.Get(ctx, opened.ID)
	if err != nil {
		return err
	}
	if device.ID != stored.ID || device.Name != stored.Name || device.City != stored.City {
		return fmt.Errorf("the drawer tells of %+v; the database has %+v", device, stored)
	}
	var title string
	if err := p.see(ctx, `document.querySelector("#drawer").hidden ? "" : document.querySelector("#drawer-title").textContent`, &title); err != nil {
		return err
	}
	if title != stored.Name {
		return fmt.Errorf("the drawer shows %q; want %q", title, stored.Name)
	}
	p.out.say("see", "the drawer shows %s", title)
	return p.picture(ctx, "drawer", "screenshot.png")
}

func shutDrawer(ctx context.Context, p *player) error {
	result, err := p.call(ctx, closeDrawer, "{}")
	if err != nil {
		return err
	}
	if result.IsError() {
		return fmt.Errorf("%s was refused: %s; its result must arrive although it removes its own tool", closeDrawer, result.Value())
	}
	if err := p.disappears(ctx, readDevice, closeDrawer); err != nil {
		return err
	}
	var hidden bool
	if err := p.see(ctx, `document.querySelector("#drawer").hidden`, &hidden); err != nil {
		return err
	}
	if !hidden {
		return errors.New("the drawer is still open")
	}
	return nil
}
