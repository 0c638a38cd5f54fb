package browser

import (
	"context"
	"errors"
	"fmt"
	"time"
)

const (
	// calm is how long Follow lets changes add up before it looks.
	calm = 25 * time.Millisecond
	// lookAgain is when Follow looks again at a page that it cannot follow by
	// events: one without WebMCP, where a polyfill may still come, and one that
	// does not answer.
	lookAgain = 2 * time.Second
	// lookTimeout is how long a page may take to list its tools.
	lookTimeout = 10 * time.Second
)

// Follow shows the page's tools, as Tools has them, now and whenever they may
// have changed, through reloads and navigations, until the tab is lost or ctx
// ends. show gets Tools's error instead where there is one: a page without
// WebMCP is followed all the same. It is never called twice at once.
//
// It waits for the browser's events. Only a document without WebMCP, and one
// that fails to answer, is looked at again every two seconds.
//
// Errors: *GoneError when the tab was closed or has crashed, or the browser
// ended; ctx's.
func (p *Page) Follow(ctx context.Context, show func([]Tool, error)) error {
	for {
		// Taken before the look, so that no change falls between the two.
		documents, tools := p.realms.change.wait(), p.devtools.change.wait()
		found, err := p.look(ctx)
		if lost := p.lost(ctx); lost != nil {
			return lost
		}
		show(found, err)
		var again <-chan time.Time
		if err != nil {
			again = time.After(lookAgain)
		}
		select {
		case <-documents:
		case <-tools:
		case <-again:
		case <-p.ending().Done():
		case <-ctx.Done():
		}
		if !p.pause(ctx, calm) {
			return p.lost(ctx)
		}
	}
}

// look is Tools for a page that may never answer.
func (p *Page) look(ctx context.Context) ([]Tool, error) {
	looking, cancel := context.WithTimeout(ctx, lookTimeout)
	defer cancel()
	stop := context.AfterFunc(p.ending(), cancel)
	defer stop()
	tools, err := p.Tools(looking)
	if err != nil && errors.Is(looking.Err(), context.DeadlineExceeded) {
		return nil, fmt.Errorf("listing tools: the page does not answer: %w", err)
	}
	return tools, err
}

// pause waits, and reports that the page and ctx are still there.
func (p *Page) pause(ctx context.Context, d time.Duration) bool {
	select {
	case <-time.After(d):
	case <-p.ending().Done():
	case <-ctx.Done():
	}
	return p.lost(ctx) == nil
}

// ending is a context that ends when the tab is closed or crashes.
func (p *Page) ending() context.Context {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.alive
}

// lost is the reason why the page cannot be followed any more, nil while it can.
func (p *Page) lost(ctx context.Context) error {
	if ctx.Err() != nil {
		return fmt.Errorf("following the page: %w", context.Cause(ctx))
	}
	if gone := p.gone(); gone != nil {
		return fmt.Errorf("following the page: %w", gone)
	}
	return nil
}

// gone says how the tab was lost, nil while it is there.
func (p *Page) gone() *GoneError {
	switch {
	case p.ctx.Err() != nil:
		return &GoneError{What: "the page", Reason: closedReason}
	case p.ending().Err() != nil:
		return &GoneError{What: "the page", Reason: "it has crashed"}
	}
	return nil
}

// crashed notes that the tab's process has died; Navigate starts another one.
func (p *Page) crashed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.die()
}

// revived notes that a tab that may have crashed shows a page.
func (p *Page) revived() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.alive.Err() != nil {
		p.alive, p.die = context.WithCancel(p.ctx)
	}
}
