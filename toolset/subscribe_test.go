package toolset_test

import (
	"testing"

	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
)

// count counts how often a listener was told, since it was last asked.
type count struct {
	p    *page
	told int
}

func (p *page) listen() *count {
	c := &count{p: p}
	p.t.Cleanup(p.set.Subscribe(func() { c.told++ }))
	return c
}

func (c *count) want(times int, after string) {
	c.p.t.Helper()
	c.p.clock.Turn()
	if c.told != times {
		c.p.t.Errorf("after %s the listener was told %d times, want %d", after, c.told, times)
	}
	c.told = 0
}

func TestSubscribe(t *testing.T) {
	p := newPage(t, nil)
	h := p.Register(p.list("main"))
	p.clock.Turn()
	news := p.listen()
	news.want(0, "nothing")
	p.Registry().Invalidate()
	news.want(1, "a change while no catalog was handed out")
	p.tools()
	p.Registry().Invalidate()
	news.want(0, "a new version with the same tools")
	disable(t, h)
	news.want(1, "a change of state")
	setEnabled(t, h, true)
	news.want(0, "the way back to what was handed out")
	disable(t, h)
	p.Register(p.list("other"))
	news.want(1, "several changes in one turn")
	p.tools()
	h.Unregister()
	news.want(1, "a component that went")
	p.tools()
	h = p.Register(p.list("main"))
	p.tools()
	news.want(0, "a change that was looked at before it was told")
	h.Unregister()
	p.Register(p.list("main"))
	news.want(0, "a remount within one turn")
}

// TestNewsThatNobodyFetched is told again with the next change: the catalog still differs.
func TestNewsThatNobodyFetched(t *testing.T) {
	p := newPage(t, nil)
	p.Register(p.list("main"))
	p.tools()
	news := p.listen()
	p.Register(p.admin())
	news.want(1, "a component")
	p.Registry().Invalidate()
	news.want(1, "the next change")
}

func TestSubscribeAndHiddenChanges(t *testing.T) {
	p := newPage(t, func(o *toolset.Options) { o.Scope = []string{"app.list"} })
	p.Register(p.list(""))
	p.tools()
	news := p.listen()
	p.Register(p.admin())
	news.want(0, "a change outside the scope")
}

func TestMetaModeHasNoNews(t *testing.T) {
	p := newPage(t, meta)
	p.tools()
	news := p.listen()
	p.Register(p.list(""))
	news.want(0, "a component in meta mode")
}

func TestListenersThatStop(t *testing.T) {
	p := newPage(t, nil)
	var stopSecond func()
	first, second := 0, 0
	stopFirst := p.set.Subscribe(func() {
		first++
		stopSecond()
	})
	stopSecond = p.set.Subscribe(func() { second++ })
	p.Register(p.list(""))
	p.clock.Turn()
	if first != 1 || second != 0 {
		t.Errorf("told %d and %d times, want 1 and 0", first, second)
	}
	stopFirst()
	stopFirst()
	p.Register(p.admin())
	p.clock.Turn()
	if first != 1 {
		t.Error("a listener that stopped was told")
	}
	third := p.listen()
	p.Registry().Invalidate()
	third.want(1, "the first to listen had stopped")
	p.set.Dispose()
	p.Register(p.list("another"))
	third.want(0, "the toolset was disposed of")
	p.set.Subscribe(func() { third.told++ })
	p.Registry().Invalidate()
	third.want(0, "subscribing to a toolset that is gone")
}

func TestListenerThatFails(t *testing.T) {
	p := newPage(t, nil)
	p.set.Subscribe(func() { panic("a listener's own mistake") })
	news := p.listen()
	p.Register(p.list(""))
	news.want(1, "another listener failed")
	if !p.told("a listener failed") {
		t.Errorf("developers were not told: %q", p.logs)
	}
}

// TestListenerThatLooks: what it sees is what it was told of, and it is not told of that again.
func TestListenerThatLooks(t *testing.T) {
	p := newPage(t, nil)
	var seen string
	p.set.Subscribe(func() { seen = names(p.tools()) })
	news := p.listen()
	p.Register(p.list(""))
	news.want(1, "a component")
	if seen != "view_app__list__rows view_app__list__select" {
		t.Errorf("the listener saw %q", seen)
	}
	p.Registry().Invalidate()
	news.want(0, "nothing to see")
}

// TestHookThatLooksInTheMeantime has been handed what the listeners would have been told of.
func TestHookThatLooksInTheMeantime(t *testing.T) {
	p := newPage(t, nil)
	looks := false
	c := p.list("")
	c.Actions[0].When = func() (bool, error) {
		if looks {
			looks = false
			p.tools()
		}
		return true, nil
	}
	h := p.Register(c)
	p.tools()
	news := p.listen()
	for range 2 {
		looks = true
		p.Registry().Invalidate()
		news.want(0, "a look in the meantime, with nothing to see")
	}
	disable(t, h)
	news.want(1, "a change of state after that")
	p.tools()
	looks = true
	setEnabled(t, h, true)
	news.want(0, "a look in the meantime, with something to see")
	h.Unregister()
	news.want(1, "a component that went")
	p.Registry().Dispose()
	news.want(0, "the end")
}

// TestNobodyListens costs the registry nothing.
func TestNobodyListens(t *testing.T) {
	p := newPage(t, nil)
	spy := &subscriptions{Registry: p.Registry()}
	set, err := toolset.New(spy, toolset.Options{Consumer: copilot, Topology: toolset.Embedded, Host: p.clock})
	if err != nil {
		t.Fatal(err)
	}
	stops := []func(){set.Subscribe(func() {}), set.Subscribe(func() {})}
	if spy.live != 1 {
		t.Errorf("%d subscriptions for two listeners", spy.live)
	}
	for _, stop := range stops {
		stop()
	}
	if spy.live != 0 {
		t.Error("still subscribed when nobody listens")
	}
	set.Subscribe(func() {})
	set.Dispose()
	if spy.live != 0 {
		t.Error("still subscribed when the toolset is gone")
	}
}

// subscriptions counts those of a registry.
type subscriptions struct {
	*registry.Registry
	live int
}

func (s *subscriptions) Subscribe(tell func(registry.Event)) (stop func()) {
	s.live++
	inner := s.Registry.Subscribe(tell)
	return func() {
		s.live--
		inner()
	}
}
