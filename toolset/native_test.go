package toolset_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/testsurface"
	"github.com/pagewarden/pagewarden/toolset"
)

// TestManyGoroutines mounts, unmounts, looks, calls, listens and ends toolsets at the same time, natively.
func TestManyGoroutines(t *testing.T) {
	for _, mode := range []toolset.Mode{toolset.Direct, toolset.Meta} {
		t.Run(string(mode), func(t *testing.T) {
			r := testsurface.New(t, testsurface.Options{}).Registry()
			shelf := toolset.NewShelf()
			newSet := func(id string) *toolset.Toolset {
				set, err := toolset.New(r, toolset.Options{
					Consumer: capability.Consumer{ID: id, Kind: capability.OtherConsumer}, Mode: mode, Topology: toolset.Embedded,
					Host: host.Native(), Shelf: shelf,
				})
				if err != nil {
					t.Fatal(err)
				}
				return set
			}
			shared := newSet("shared")
			var told atomic.Int64
			shared.Subscribe(func() { told.Add(1) })
			var group sync.WaitGroup
			for worker := range 4 {
				group.Go(func() {
					for round := range 20 {
						own := newSet(fmt.Sprint("worker-", worker))
						mountAndCall(t, r, worker, own, shared)
						if own.Dispose(); round%5 == 0 {
							_ = shared.WireNameMap()
						}
					}
				})
			}
			group.Wait()
			shared.Dispose()
		})
	}
}

// mountAndCall mounts a component and finds and calls it through each toolset.
func mountAndCall(t *testing.T, r *registry.Registry, worker int, sets ...*toolset.Toolset) {
	p := &page{t: t}
	c := p.list(fmt.Sprint("of-", worker))
	c.Actions[0].Execute = func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) { return `"done"`, nil }
	handle, err := r.Register(c)
	if err != nil {
		t.Error(err)
		return
	}
	defer handle.Unregister()
	for _, set := range sets {
		tools, err := set.Tools()
		if err != nil {
			t.Error(err)
			return
		}
		called := false
		for _, tool := range tools {
			if tool.RegistrationID != handle.RegistrationID() && tool.Name != discoverTool {
				continue
			}
			called = true
			if r := tool.Execute(t.Context(), `{}`, toolset.Call{}); r.Error != nil {
				t.Errorf("a call ended with %s", r.JSON())
			}
		}
		if !called {
			t.Errorf("the catalog does not have what was mounted before it: %s", names(tools))
		}
	}
}
