package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/chromedp/cdproto/inspector"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// cancelTimeout bounds the notice to the browser that a call was given up.
const cancelTimeout = 2 * time.Second

// closedReason is the reason of the *GoneError of a page that was closed.
const closedReason = "its frame, its tab or the browser was closed"

// Page is an open tab. It is safe for concurrent use. Tools and calls follow
// the tab through navigations.
//
// JavaScript dialogs are dismissed at once, never accepted: a dialog is a
// question to a person, and nobody is there. Dialogs lists them.
type Page struct {
	browser *Browser
	ctx     context.Context
	// end ends ctx, and with it everything that waits for the page.
	end      context.CancelFunc
	main     *session
	devtools *devtools
	realms   *realms
	console  *console
	status   int
	close    func() error
	// work counts goroutines that end with the page.
	work group

	mu sync.Mutex
	// ways are those that the page has used, since each has something to
	// remember.
	ways map[Way]way
	// wanted is the way that Use asked for, "" for whatever fits.
	wanted Way
	choice choice
	// alive ends when the tab's process dies, or with ctx; die ends it.
	alive context.Context
	die   context.CancelFunc
}

// Open opens a tab and loads url into it, to the load event.
//
// Errors: *UnreachableError, *GoneError when the browser has ended.
func (b *Browser) Open(ctx context.Context, url string) (*Page, error) {
	p := b.newPage()
	if err := p.attach(ctx); err != nil {
		p.Close()
		return nil, p.explain(ctx, "opening a tab", err)
	}
	if err := p.Navigate(ctx, url); err != nil {
		p.Close()
		return nil, err
	}
	return p, nil
}

func (b *Browser) newPage() *Page {
	p := &Page{browser: b, devtools: newDevtools(), realms: newRealms(), console: &console{}}
	p.ways = map[Way]way{ByDevTools: p.devtools}
	p.main = &session{d: p.devtools, realms: p.realms}
	base, end := context.WithCancel(b.ctx)
	p.end = end
	p.ctx, _ = chromedp.NewContext(base, chromedp.WithListener(p.on), chromedp.WithListener(p.main.on))
	p.main.ctx = p.ctx
	p.alive, p.die = context.WithCancel(p.ctx)
	p.close = sync.OnceValue(p.shutdown)
	return p
}

// attach opens the tab and starts to listen, before there is anything to hear.
func (p *Page) attach(ctx context.Context) error {
	stop := context.AfterFunc(ctx, p.end)
	defer stop()
	if err := chromedp.Do(p.ctx); err != nil {
		return err
	}
	p.main.attach()
	messages := p.console.subscribe(p.ctx)
	p.work.Go(func() { p.console.collect(messages) })
	p.work.Go(p.watchEnd)
	return nil
}

// on handles an event of the tab, in the loop that reads the connection.
func (p *Page) on(ev any) {
	if _, dead := ev.(*inspector.EventTargetCrashed); dead {
		p.crashed()
	}
	if p.console.on(ev) {
		p.work.Go(p.dismiss)
	}
}

// dismiss closes the open dialog. An error means that it is closed already.
func (p *Page) dismiss() {
	_, _ = chromedp.Call(p.ctx, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: false})
}

// watchEnd ends the page when its tab is closed from the inside.
func (p *Page) watchEnd() {
	detached, err := chromedp.Detached(p.ctx)
	if err != nil {
		return
	}
	select {
	case <-detached:
		p.end()
	case <-p.ctx.Done():
	}
}

// Close closes the tab; calls in flight end with *GoneError. It may be called
// more than once.
func (p *Page) Close() error { return p.close() }

func (p *Page) shutdown() error {
	ended := p.ctx.Err() != nil
	err := chromedp.Cancel(p.ctx)
	p.end()
	p.work.close()
	p.devtools.children.close()
	if err != nil && !ended {
		return fmt.Errorf("closing the tab: %w", err)
	}
	return nil
}

// Navigate loads url into the tab, to the load event. Errors as Open.
func (p *Page) Navigate(ctx context.Context, url string) error {
	joined, stop := join(p.ctx, ctx)
	defer stop()
	response, err := chromedp.Run(joined, chromedp.NavigateResponse(url))
	if err != nil {
		if p.ctx.Err() == nil {
			return &UnreachableError{URL: url, Cause: cause(ctx, err)}
		}
		return p.explain(ctx, "opening "+url, err)
	}
	p.revived()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status = 0
	if response != nil {
		p.status = int(response.Status)
	}
	return nil
}

// Reload loads the page again, to the load event.
func (p *Page) Reload(ctx context.Context) error {
	_, err := runAction(ctx, p, "reloading the page", chromedp.Reload())
	return err
}

// Protocol returns the tab's chromedp context, for commands and events of the
// DevTools protocol that this package has no method for. It ends with the tab.
func (p *Page) Protocol() context.Context { return p.ctx }

// Status returns the HTTP status of the last Open or Navigate, 0 when there was
// no HTTP.
func (p *Page) Status() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.status
}

// Eval runs an expression in the main frame and returns its value as JSON. It
// waits for promises; undefined is null.
func (p *Page) Eval(ctx context.Context, expression string) (json.RawMessage, error) {
	raw, err := runAction(ctx, p, "evaluating in the page", chromedp.Evaluate[[]byte](expression, chromedp.EvalAwaitPromise))
	if err != nil {
		return nil, err
	}
	if len(raw) == 0 {
		return json.RawMessage("null"), nil
	}
	return raw, nil
}

// Screenshot returns the visible part of the page as a PNG.
func (p *Page) Screenshot(ctx context.Context) ([]byte, error) {
	return runAction(ctx, p, "taking a screenshot", chromedp.CaptureScreenshot())
}

// Click waits for the first visible element that the CSS selector matches and
// clicks its middle with real input events, which the page sees as trusted.
func (p *Page) Click(ctx context.Context, selector string) error {
	_, err := runAction(ctx, p, "clicking "+selector, chromedp.Click(chromedp.CSS(selector)))
	return err
}

// Console returns what the page wrote to its console so far, exceptions too.
// Only the first 1000 messages are kept.
func (p *Page) Console() []Message { return p.console.all() }

// Dialogs returns the dialogs that the page opened and that were dismissed.
func (p *Page) Dialogs() []Dialog { return p.console.allDialogs() }

// runAction runs an action that ends with ctx or with the page.
func runAction[T any](ctx context.Context, p *Page, doing string, action chromedp.Action[T]) (T, error) {
	joined, stop := join(p.ctx, ctx)
	defer stop()
	value, err := chromedp.Run(joined, action)
	if err != nil {
		var zero T
		return zero, p.explain(ctx, doing, err)
	}
	return value, nil
}

// explain wraps err with what was being done and the reason that matters: the
// caller's context, or the end of the page.
func (p *Page) explain(ctx context.Context, doing string, err error) error {
	if ctx.Err() != nil {
		return fmt.Errorf("%s: %w", doing, context.Cause(ctx))
	}
	if p.ctx.Err() != nil || errors.Is(err, chromedp.ErrTargetDetached) {
		return fmt.Errorf("%s: %w", doing, &GoneError{What: "the page", Reason: closedReason})
	}
	return fmt.Errorf("%s: %w", doing, err)
}

// cause prefers the reason of a context that has ended.
func cause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
