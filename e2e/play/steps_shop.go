package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/chromedp/chromedp/kb"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/demo"
	"github.com/pagewarden/pagewarden/e2e/internal/person"
)

// The shop's tools. They are named by their own ids.
const (
	searchShop = "search_products"
	addToCart  = "add_to_cart"
	clearCart  = "clear_cart"
)

// The buttons that those of the tools that need a person wait at.
const (
	addButton   = "Add to cart"
	clearButton = "Clear cart"
)

// found is the output of searchShop.
type found struct {
	Products []demo.Product `json:"products"`
}

// cartChange is the output of the two tools that change the cart.
type cartChange struct {
	Added struct {
		ProductID string `json:"productId"`
		Quantity  int64  `json:"quantity"`
	} `json:"added"`
	Removed int64 `json:"removed"`
	Cart    struct {
		Count      int64 `json:"count"`
		TotalCents int64 `json:"totalCents"`
	} `json:"cart"`
}

func openShop(ctx context.Context, p *player) error {
	address := p.site.URL + "shop.html"
	p.out.say("open", "%s, which has web tools: each beside the control that a person would use", address)
	if err := p.page.Navigate(ctx, address); err != nil {
		return err
	}
	if err := p.until(ctx, "the shop is ready", `document.querySelector("#agent-status")?.dataset.state === "on" && document.querySelectorAll("#products .product").length > 0`); err != nil {
		return err
	}
	if err := p.appears(ctx, searchShop, addToCart, clearCart); err != nil {
		return err
	}
	return p.absent(ctx, append(atStart(), later()...)...)
}

func searchTheShop(ctx context.Context, p *player) error {
	const query = "battery"
	want, err := p.site.Store.Products(ctx, query)
	if err != nil {
		return err
	}
	var got found
	if err := p.output(ctx, searchShop, `{"query":"`+query+`"}`, &got); err != nil {
		return err
	}
	if len(want) == 0 || !slices.Equal(got.Products, want) {
		return fmt.Errorf("the search found %+v; in the database it is %+v", got.Products, want)
	}
	var shown struct {
		Query string
		Names []string
	}
	const look = `({ Query: document.querySelector("#search-query").value, Names: [...document.querySelectorAll("#products .product")].map((p) => p.dataset.id) })`
	if err := p.see(ctx, look, &shown); err != nil {
		return err
	}
	if shown.Query != query || len(shown.Names) != len(want) || shown.Names[0] != want[0].ID {
		return fmt.Errorf("the page shows %+v; want the query in its field and %d products", shown, len(want))
	}
	p.out.say("see", "the cursor typed %q into the page's search; it shows the %d products that the database has", query, len(want))
	return p.picture(ctx, "shop", "")
}

// press is a call that waits for a person at a control of the page.
type press struct {
	tool, button string
	result       chan browser.Result
	failed       chan error
	started      time.Time
}

// propose calls a tool and returns when its control waits for the person.
func (p *player) propose(ctx context.Context, tool, input, button string) (*press, error) {
	a := &press{tool: tool, button: button, result: make(chan browser.Result, 1), failed: make(chan error, 1), started: time.Now()}
	p.out.call(tool, input)
	go func() {
		result, err := p.page.Call(ctx, tool, json.RawMessage(input))
		if err != nil {
			a.failed <- err
			return
		}
		a.result <- result
	}()
	waiting, stop := context.WithCancel(ctx)
	defer stop()
	marked := make(chan error, 1)
	go func() { marked <- p.until(waiting, "a control waits for the person", markedButton(button)) }()
	select {
	case err := <-marked:
		if err == nil {
			p.out.say("see", "the page waits for a person's press of %q", button)
		}
		return a, err
	case err := <-a.failed:
		stop()
		<-marked
		return nil, err
	case result := <-a.result:
		stop()
		<-marked
		return nil, fmt.Errorf("%s ended without asking anybody: %s", tool, shortened(result.Value()))
	}
}

// markedButton is true while that button of the page is marked as waiting for the person.
func markedButton(name string) string {
	return fmt.Sprintf(`document.querySelector("[data-pagewarden-confirm]")?.textContent === %q`, name)
}

// ended waits for the call's result.
func (p *player) ended(ctx context.Context, a *press) (browser.Result, error) {
	select {
	case result := <-a.result:
		p.out.gave(result.Value(), time.Since(a.started))
		return result, nil
	case err := <-a.failed:
		return browser.Result{}, err
	case <-ctx.Done():
		return browser.Result{}, fmt.Errorf("waiting for the result of %s: %w", a.tool, ctx.Err())
	}
}

// pressScripts is what a script of the page can do to press a button that it sees. It ends when whatever came of that has
// had its turn.
const pressScripts = `(() => {
	const button = document.querySelector("[data-pagewarden-confirm]");
	button.click();
	button.form?.requestSubmit(button);
	for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) button.dispatchEvent(new PointerEvent(type, { bubbles: true, composed: true }));
	for (const type of ["keydown", "keyup"]) button.dispatchEvent(new KeyboardEvent(type, { key: "Enter", code: "Enter", bubbles: true }));
	return new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(true))));
})()`

// scriptCannotPress presses the control as a script of the page does: the call must still wait, and the cart be as it is.
func (p *player) scriptCannotPress(ctx context.Context, a *press) error {
	before, err := p.site.Store.Cart(ctx)
	if err != nil {
		return err
	}
	if _, err := p.page.Eval(ctx, pressScripts); err != nil {
		return err
	}
	select {
	case result := <-a.result:
		return fmt.Errorf("a script's click was taken for a person's: %s", shortened(result.Value()))
	case err := <-a.failed:
		return err
	default:
	}
	var waits bool
	if err := p.see(ctx, markedButton(a.button), &waits); err != nil {
		return err
	}
	after, err := p.site.Store.Cart(ctx)
	if err != nil {
		return err
	}
	if !waits || after.Count != before.Count {
		return fmt.Errorf("after a script's click the button waits %t, and the cart has %d; it had %d", waits, after.Count, before.Count)
	}
	p.out.say("see", "a script's click, keys and requestSubmit do not count: the call waits, the database is as it was")
	return nil
}

// pressByHand clicks the control as the person does, and checks what the tool tells of it.
func (p *player) pressByHand(ctx context.Context, a *press) (cartChange, error) {
	var got cartChange
	someone := person.At(p.page)
	page, err := someone.Look(ctx)
	if err != nil {
		return got, err
	}
	button := page.Find("button", a.button)
	if button == nil {
		return got, fmt.Errorf("the page has no button %q", a.button)
	}
	p.out.say("do", "the person clicks %s", a.button)
	if err := someone.Click(ctx, button); err != nil {
		return got, err
	}
	result, err := p.ended(ctx, a)
	if err != nil {
		return got, err
	}
	if err := outputOf(a.tool, result, &got); err != nil {
		return got, err
	}
	stored, err := p.site.Store.Cart(ctx)
	if err != nil {
		return got, err
	}
	if got.Cart.Count != stored.Count || got.Cart.TotalCents != stored.TotalCents {
		return got, fmt.Errorf("%s tells of %+v; the database has %d for %d cents", a.tool, got.Cart, stored.Count, stored.TotalCents)
	}
	return got, nil
}

func addByHand(ctx context.Context, p *player) error {
	a, err := p.propose(ctx, addToCart, `{"productId":"part-battery-li","quantity":3}`, addButton)
	if err != nil {
		return err
	}
	var shown []string
	if err := p.see(ctx, `[document.querySelector("#add-product").value, document.querySelector("#add-quantity").value]`, &shown); err != nil {
		return err
	}
	if !slices.Equal(shown, []string{"part-battery-li", "3"}) {
		return fmt.Errorf("the form shows %q while the person is asked", shown)
	}
	if err := p.picture(ctx, "shop-add", ""); err != nil {
		return err
	}
	if err := p.scriptCannotPress(ctx, a); err != nil {
		return err
	}
	got, err := p.pressByHand(ctx, a)
	if err != nil {
		return err
	}
	if got.Added.ProductID != "part-battery-li" || got.Added.Quantity != 3 || got.Cart.Count != 3 {
		return fmt.Errorf("the tool says that it added %+v, and that the cart has %d", got.Added, got.Cart.Count)
	}
	p.out.say("see", "the database has 3 of them in the cart")
	return p.picture(ctx, "shop-added", "")
}

func clearDenied(ctx context.Context, p *player) error {
	a, err := p.propose(ctx, clearCart, `{}`, clearButton)
	if err != nil {
		return err
	}
	if err := p.scriptCannotPress(ctx, a); err != nil {
		return err
	}
	p.out.say("do", "the person presses Escape")
	if err := person.At(p.page).Press(ctx, kb.Escape); err != nil {
		return err
	}
	result, err := p.ended(ctx, a)
	if err != nil {
		return err
	}
	var refused struct{ Code string }
	if !result.IsError() || json.Unmarshal([]byte(result.Value()), &refused) != nil || refused.Code != "denied" {
		return fmt.Errorf("%s gave %s; want that it was denied", clearCart, shortened(result.Value()))
	}
	cart, err := p.site.Store.Cart(ctx)
	if err != nil {
		return err
	}
	if cart.Count == 0 {
		return errors.New("the cart was cleared although the person denied it")
	}
	return nil
}

func clearByHand(ctx context.Context, p *player) error {
	a, err := p.propose(ctx, clearCart, `{}`, clearButton)
	if err != nil {
		return err
	}
	if err := p.picture(ctx, "shop-clear", ""); err != nil {
		return err
	}
	got, err := p.pressByHand(ctx, a)
	if err != nil {
		return err
	}
	if got.Removed != 3 || got.Cart.Count != 0 {
		return fmt.Errorf("the tool says that it removed %d, and that the cart has %d", got.Removed, got.Cart.Count)
	}
	p.out.say("see", "the database has an empty cart")
	return nil
}
