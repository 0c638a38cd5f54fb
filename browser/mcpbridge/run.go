package mcpbridge

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/pagewarden/pagewarden/browser"
)

const (
	// firstPause and longestPause bound the time between two attempts to open
	// the page; it doubles in between.
	firstPause   = time.Second
	longestPause = 5 * time.Second
	// atOnce is how often a page that is lost soon after it was opened is opened
	// again without a pause.
	atOnce = 3
	// soundFor is how long a page must have been there for its loss to count as
	// the first.
	soundFor = 10 * time.Second
)

// UnusableError means that there is nothing to open a page with. At the start it
// ends the bridge; later it is like any other failure.
type UnusableError struct{ Cause error }

// Error is the cause's.
func (e *UnusableError) Error() string { return e.Cause.Error() }

// Unwrap returns the cause.
func (e *UnusableError) Unwrap() error { return e.Cause }

// Run keeps the page open and follows it until ctx ends. A page that is lost, or
// cannot be opened, is opened again: at once, then after pauses of one to five
// seconds.
//
// Errors: *UnusableError at the first attempt; ctx's.
func (b *Bridge) Run(ctx context.Context) error {
	defer b.stop()
	attempts := 0 // in a row without a page that was there for long
	for first := true; ; first = false {
		began := time.Now()
		opened, err := b.attend(ctx)
		if ctx.Err() != nil {
			return fmt.Errorf("bridging %s: %w", b.o.Address, context.Cause(ctx))
		}
		var unusable *UnusableError
		if first && errors.As(err, &unusable) {
			return err
		}
		if opened && time.Since(began) >= soundFor {
			attempts = 0
		}
		if attempts++; opened && attempts <= atOnce {
			b.o.Log.Warn("the page was lost and is opened again", "cause", err)
			b.lost()
			continue
		}
		pause := pauseBefore(attempts)
		b.o.Log.Warn("the page is not there", "cause", err, "next attempt in", pause)
		b.failed(err)
		select {
		case <-time.After(pause):
		case <-ctx.Done():
		}
	}
}

func pauseBefore(attempt int) time.Duration {
	const doublings = 3
	return min(longestPause, firstPause<<min(max(attempt-1, 0), doublings))
}

// attend opens the page and follows it until it is lost; opened reports that it
// was there.
func (b *Bridge) attend(ctx context.Context) (opened bool, err error) {
	opening, cancel := context.WithTimeout(ctx, b.o.OpenTimeout)
	defer cancel()
	page, err := b.o.Open(opening)
	if err != nil {
		return false, err
	}
	b.o.Log.Info("the page is open", "address", shown(b.o.Address))
	b.opened(page)
	err = b.follow(ctx, page)
	b.reportDialogs(page)
	// The page is lost already; what matters is why.
	if closing := page.Close(); closing != nil && ctx.Err() == nil {
		b.o.Log.Debug("closing the lost page", "cause", closing)
	}
	return true, err
}

// follow follows the page until it is lost. The browser's own error page, after
// a navigation or a reload that has failed, is a lost page too.
func (b *Bridge) follow(ctx context.Context, page Page) error {
	following, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	return page.Follow(following, func(tools []browser.Tool, why error) {
		if broken := brokenPage(why); broken != nil {
			cancel(broken)
			return
		}
		b.show(tools, why)
	})
}

// brokenPage is the reason when a browser shows its error page.
func brokenPage(why error) error {
	var without *browser.NoWebMCPError
	if errors.As(why, &without) && strings.HasPrefix(without.URL, "chrome-error:") {
		return &browser.UnreachableError{URL: "the page again", Cause: errErrorPage}
	}
	return nil
}

const errErrorPage browser.Error = "the browser shows its error page"

// stop forgets the page and ends what waits.
func (b *Bridge) stop() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.page, b.entries, b.settled = nil, nil, true
	b.why = &browser.GoneError{What: "the page", Reason: "the bridge has ended"}
	b.stopTimer()
	b.notify()
}
