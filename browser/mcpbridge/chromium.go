package mcpbridge

import (
	"context"
	"errors"

	"github.com/pagewarden/pagewarden/browser"
)

// Chromium opens a page in a browser of its own, which it starts when it is
// needed, and anew when it has ended. It is not safe for concurrent use.
type Chromium struct {
	life    context.Context
	options browser.Options
	address string
	running *browser.Browser
}

// NewChromium returns one whose browser ends with life, if Close does not end it
// before.
func NewChromium(life context.Context, options browser.Options, address string) *Chromium {
	return &Chromium{life: life, options: options, address: address}
}

// Open opens the page in a new tab.
//
// Errors: *UnusableError when there is no browser or it does not start; those of
// browser.Open.
func (c *Chromium) Open(ctx context.Context) (Page, error) {
	if c.running != nil {
		page, err := c.running.Open(ctx, c.address)
		var gone *browser.GoneError
		if !errors.As(err, &gone) {
			return openedPage(page, err)
		}
		// The browser has ended; what is left of it goes, and another comes.
		if err := c.Close(); err != nil {
			return nil, err
		}
	}
	started, err := browser.Launch(c.life, c.options)
	if err != nil {
		return nil, &UnusableError{err}
	}
	c.running = started
	return openedPage(started.Open(ctx, c.address))
}

// openedPage keeps a nil page from becoming an interface that is not nil.
func openedPage(page *browser.Page, err error) (Page, error) {
	if err != nil {
		return nil, err
	}
	return page, nil
}

// Close ends the browser and removes its files.
func (c *Chromium) Close() error {
	if c.running == nil {
		return nil
	}
	err := c.running.Close()
	c.running = nil
	return err
}
