package webmcp

import (
	"fmt"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
)

// countingContext takes every tool and keeps none, so that only the adapter's work is measured.
type countingContext struct{ added, removed int }

func (c *countingContext) Style() Style                    { return BySignal }
func (c *countingContext) Add(_ Tool, settled func(error)) { c.added++; settled(nil) }
func (c *countingContext) Remove(Tool) error               { c.removed++; return nil }
func (c *countingContext) Replace([]Tool) error            { return nil }

// BenchmarkReconcile is one of n components becoming unavailable or available again, until the browser has been told.
// It should cost the same for each n.
func BenchmarkReconcile(b *testing.B) {
	for _, n := range []int{1, 100, 1000, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			fake := host.NewFake(time.Unix(1000, 0))
			defer fake.Close()
			r, err := registry.New(registry.Options{
				Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test, Host: fake, Log: func(string) {},
			})
			if err != nil {
				b.Fatal(err)
			}
			defer r.Dispose()
			p := &page{}
			var changing *registry.Handle
			for i := range n {
				if changing, err = r.Register(p.widget("app.list", fmt.Sprint("i", i))); err != nil {
					b.Fatal(err)
				}
			}
			browser := &countingContext{}
			adapter := New(Options{Host: fake, Find: func() ModelContext { return browser }})
			if err := adapter.Start(Host{Registry: r, Consumer: browserAgent}); err != nil {
				b.Fatal(err)
			}
			fake.Settle()
			before, enabled, changes := browser.added+browser.removed, true, 0
			for b.Loop() {
				enabled = !enabled
				if err := changing.Update(registry.Update{Enabled: &enabled}); err != nil {
					b.Fatal(err)
				}
				fake.Settle()
				changes++
			}
			if told := browser.added + browser.removed - before; told != 2*changes {
				b.Fatalf("the browser was told %d things in %d changes of two tools", told, changes)
			}
		})
	}
}
