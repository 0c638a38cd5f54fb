package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
)

// stepLimit is how long one step may take; a slow machine needs a small part of it.
const stepLimit = time.Minute

// step is one thing that the agent, or the person, does, and what must come of it.
type step struct {
	name string
	play func(context.Context, *player) error
}

// stepError says which step saw something that should not be.
type stepError struct {
	step  string
	cause error
}

func (e *stepError) Error() string { return fmt.Sprintf("step %q: %v", e.step, e.cause) }

func (e *stepError) Unwrap() error { return e.cause }

// player plays the steps on one page.
type player struct {
	browser *browser.Browser
	site    *site.Demo
	out     *transcript
	album   *album
	pause   time.Duration // after each step, for a person who watches
	limit   time.Duration // of each step; zero means stepLimit

	page *browser.Page // opened by the first step
}

// play runs the steps in order up to the first that fails: *stepError, or ctx's end.
func (p *player) play(ctx context.Context, steps []step) error {
	start := time.Now()
	p.out.journal.Start = start
	defer p.close()
	for _, s := range steps {
		p.out.step(s.name)
		if err := p.playOne(ctx, s); err != nil {
			p.out.failed(err)
			if ctx.Err() != nil {
				return fmt.Errorf("interrupted at step %q: %w", s.name, context.Cause(ctx))
			}
			return &stepError{step: s.name, cause: err}
		}
		p.rest(ctx)
	}
	p.out.end(time.Since(start))
	return nil
}

func (p *player) playOne(ctx context.Context, s step) error {
	limited, cancel := context.WithTimeout(ctx, cmp.Or(p.limit, stepLimit))
	defer cancel()
	start := time.Now()
	if err := s.play(limited, p); err != nil {
		return err
	}
	p.out.done(time.Since(start))
	return nil
}

func (p *player) rest(ctx context.Context) {
	if p.pause == 0 {
		return
	}
	select {
	case <-time.After(p.pause):
	case <-ctx.Done():
	}
}

// close closes the page. An error of that is of no interest: the browser is closed next.
func (p *player) close() {
	if p.page != nil {
		_ = p.page.Close()
	}
}

// until waits until the JavaScript expression is true in the page.
func (p *player) until(ctx context.Context, what, expression string) error {
	const look = `new Promise((done) => { const look = () => ((%s) ? done(true) : setTimeout(look, 20)); look(); })`
	if _, err := p.page.Eval(ctx, fmt.Sprintf(look, expression)); err != nil {
		return fmt.Errorf("waiting until %s: %w", what, err)
	}
	return nil
}

// see evaluates a JavaScript expression in the page into value.
func (p *player) see(ctx context.Context, expression string, value any) error {
	raw, err := p.page.Eval(ctx, expression)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(raw, value); err != nil {
		return fmt.Errorf("reading what the page shows: %w", err)
	}
	return nil
}

// picture saves what the page shows, once nothing moves any more.
func (p *player) picture(ctx context.Context, name, readme string) error {
	const still = `document.getAnimations().every((animation) => animation.playState !== "running")`
	if err := p.until(ctx, "the page has come to rest", still); err != nil {
		return err
	}
	path, err := p.album.take(ctx, p.page, name, readme)
	if err == nil {
		p.out.saved(path)
	}
	return err
}
