package browser

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// sight is what Follow shows.
type sight struct {
	names []string
	err   error
}

// follower follows a page until the end of the test.
type follower struct {
	t      *testing.T
	sights chan sight
	ended  chan error
}

func follow(t *testing.T, p *Page) *follower {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	f := &follower{t: t, sights: make(chan sight), ended: make(chan error, 1)}
	done := make(chan struct{})
	go func() {
		defer close(done)
		f.ended <- p.Follow(ctx, func(tools []Tool, err error) {
			select {
			case f.sights <- sight{namesOf(tools), err}:
			case <-ctx.Done():
			}
		})
	}()
	t.Cleanup(func() { cancel(); <-done })
	return f
}

// until waits for a sight that is good.
func (f *follower) until(what string, good func(sight) bool) {
	f.t.Helper()
	limit := within(f.t, 20*time.Second)
	var last sight
	for {
		select {
		case last = <-f.sights:
			if good(last) {
				return
			}
		case err := <-f.ended:
			f.t.Fatalf("waiting for %s: it ended with %v", what, err)
		case <-limit.Done():
			f.t.Fatalf("waiting for %s: the last sight is %+v", what, last)
		}
	}
}

func (f *follower) gone(reason string) {
	f.t.Helper()
	limit := within(f.t, 20*time.Second)
	for {
		select {
		case <-f.sights:
		case err := <-f.ended:
			var gone *GoneError
			if !errors.As(err, &gone) || gone.Reason != reason {
				f.t.Errorf("it ended with %v; want GoneError %q", err, reason)
			}
			return
		case <-limit.Done():
			f.t.Fatal("it still follows")
		}
	}
}

func shows(name string) func(sight) bool {
	return func(s sight) bool { return slices.Contains(s.names, name) }
}

func lacks(name string) func(sight) bool {
	return func(s sight) bool { return s.err == nil && !slices.Contains(s.names, name) }
}

func TestFollow(t *testing.T) {
	for _, way := range []Way{ByDevTools, ByExecuteToolObject} {
		t.Run(string(way), func(t *testing.T) {
			p := opened(t, "plain.html")
			p.Use(way)
			f := follow(t, p)
			f.until("tools", shows("removable"))
			run := func(script string) {
				if _, err := p.Eval(within(t, 5*time.Second), script); err != nil {
					t.Fatal(err)
				}
			}
			run("offers.abort()")
			f.until("the removal", lacks("removable"))
			run(`offer("new", () => 1)`)
			f.until("a new tool", shows("new"))
			if err := p.Reload(within(t, 10*time.Second)); err != nil {
				t.Fatal(err)
			}
			f.until("the page again", func(s sight) bool { return shows("removable")(s) && lacks("new")(s) })
			if err := p.Navigate(within(t, 10*time.Second), address("frames.html")); err != nil {
				t.Fatal(err)
			}
			f.until("another page", func(s sight) bool { return shows("outer")(s) && lacks("removable")(s) })
			if err := p.Close(); err != nil {
				t.Fatal(err)
			}
			f.gone("its frame, its tab or the browser was closed")
		})
	}
}

// A page without WebMCP may get a polyfill, or make room for one that has it.
func TestFollowPageWithout(t *testing.T) {
	b, err := Launch(t.Context(), Options{NoWebMCP: true})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := openedIn(t, b, address("plain.html"))
	f := follow(t, p)
	f.until("the lack", func(s sight) bool { var none *NoWebMCPError; return errors.As(s.err, &none) })
	late := `document.modelContext = { getTools: async () => [{ name: "late", description: "-", window }], executeTool() {}, addEventListener() {} }`
	if _, err := p.Eval(within(t, 5*time.Second), late); err != nil {
		t.Fatal(err)
	}
	f.until("a polyfill", shows("late"))
}

func TestFollowCrash(t *testing.T) {
	b, err := Launch(t.Context(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	p := openedIn(t, b, address("plain.html"))
	f := follow(t, p)
	f.until("tools", shows("echo"))
	crash := func() {
		ctx, cancel := context.WithTimeout(p.Protocol(), time.Second)
		defer cancel()
		_, _ = chromedp.Call(ctx, cdppage.Crash, cdp.Empty{}) // A dead tab does not answer.
	}
	crash()
	f.gone("it has crashed")
	if err := p.Navigate(within(t, 10*time.Second), address("plain.html")); err != nil {
		t.Fatal(err)
	}
	again := follow(t, p)
	again.until("the page in a new process", shows("echo"))
	if err := chromedp.FromContext(b.ctx).Browser.Process().Kill(); err != nil {
		t.Fatal(err)
	}
	again.gone("its frame, its tab or the browser was closed")
}

func TestFollowEndsWithItsContext(t *testing.T) {
	p := withTool(t, "plain.html", "echo")
	ctx, cancel := context.WithCancelCause(t.Context())
	enough := Error("enough")
	err := p.Follow(ctx, func([]Tool, error) { cancel(enough) })
	if !errors.Is(err, enough) {
		t.Errorf("it ended with %v", err)
	}
}
