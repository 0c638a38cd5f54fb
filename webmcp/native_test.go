package webmcp

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
)

// lockedContext is a fakeContext for many goroutines, which answers some tools later.
type lockedContext struct {
	mu    sync.Mutex
	fake  fakeContext
	count int
}

func (l *lockedContext) Style() Style { return l.fake.kind }

func (l *lockedContext) Add(tool Tool, settled func(error)) {
	l.mu.Lock()
	l.count++
	later := l.count%2 == 0
	var err error
	l.fake.Add(tool, func(e error) { err = e })
	l.mu.Unlock()
	if later {
		go settled(err)
		return
	}
	settled(err)
}

func (l *lockedContext) Remove(tool Tool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fake.Remove(tool)
}

func (l *lockedContext) Replace(tools []Tool) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.fake.Replace(tools)
}

func (l *lockedContext) tools() []Tool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]Tool(nil), l.fake.tools...)
}

// TestManyGoroutines mounts, unmounts, calls, cancels and looks at the same time, natively.
func TestManyGoroutines(t *testing.T) {
	for _, kind := range []Style{ByName, BySignal, WholeSet} {
		t.Run(string(kind), func(t *testing.T) {
			h := host.Native()
			r := newRegistry(t, h)
			browser := &lockedContext{fake: fakeContext{kind: kind}}
			adapter := New(Options{Host: h, Find: func() ModelContext { return browser }})
			if err := adapter.Start(Host{Registry: r, Consumer: browserAgent}); err != nil {
				t.Fatal(err)
			}
			var group sync.WaitGroup
			for worker := range 4 {
				group.Go(func() { remountAndCall(t, r, browser, fmt.Sprintf("w%d", worker)) })
			}
			group.Go(func() {
				for range 50 {
					adapter.Refresh()
					_ = adapter.Status().JSON()
				}
			})
			group.Wait()
			adapter.Stop()
			waitFor(t, "every tool to be withdrawn", func() bool { return len(browser.tools()) == 0 })
		})
	}
}

func remountAndCall(t *testing.T, r *registry.Registry, browser *lockedContext, componentType string) {
	for round := range 25 {
		handle, err := r.Register(&registry.Component{
			Type: componentType, Description: "A widget",
			Actions: []registry.Action{{
				Name: "poke", Description: "Pokes", Effect: capability.LocalState,
				Input: registry.Schema{Document: `{"type":"object"}`},
				Execute: func(_ context.Context, input capability.JSON, _ *registry.Call) (capability.JSON, error) {
					return input, nil
				},
			}},
		})
		if err != nil {
			t.Error(err)
			return
		}
		for _, tool := range browser.tools() {
			done := make(chan capability.JSON, 2)
			cancel := tool.Owner.Call(tool.Token, `{}`, CallOptions{}, func(result capability.JSON) { done <- result })
			if round%3 == 0 {
				cancel()
			}
			<-done
		}
		handle.Unregister()
	}
}

// waitFor waits until the condition holds, and fails the test when it does not in ten seconds.
func waitFor(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("waited in vain for %s", what)
		case <-tick.C:
		}
	}
}
