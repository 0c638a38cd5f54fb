package toolset_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
)

// follows counts how often a registry was read from the start.
type follows struct {
	*registry.Registry
	times int
}

func (f *follows) Follow(options registry.SnapshotOptions) *registry.Follower {
	f.times++
	return f.Registry.Follow(options)
}

func TestShelf(t *testing.T) {
	p := newPage(t, nil)
	p.Register(p.list("main"))
	spy, shelf := &follows{Registry: p.Registry()}, toolset.NewShelf()
	use := func(scope ...string) string {
		set, err := toolset.New(spy, toolset.Options{Consumer: copilot, Topology: toolset.Embedded, Host: p.clock, Scope: scope, Shelf: shelf})
		if err != nil {
			t.Fatal(err)
		}
		defer set.Dispose()
		tools, err := set.Tools()
		if err != nil {
			t.Fatal(err)
		}
		wantOK(t, p.call(tools[1], `{}`), `"done"`)
		return describeAll(tools)
	}
	first := use()
	if again := use(); again != first || spy.times != 1 {
		t.Errorf("the second toolset read the surface anew, or saw\n%s", again)
	}
	use("app.list")
	if use("app.list"); spy.times != 2 {
		t.Errorf("%d readings for two scopes", spy.times)
	}
	use("app")
	if use(); spy.times != 4 {
		t.Errorf("%d readings: the shelf keeps more than two", spy.times)
	}
	h := p.Register(p.list("other"))
	if use() == first {
		t.Error("the next toolset does not see what has changed in the meantime")
	}
	h.Unregister()
	if use() != first {
		t.Error("the next toolset sees what is gone")
	}
}

// TestShelfIsForAnyConsumer: the next toolset may be another consumer's, and sees what that one may see.
func TestShelfIsForAnyConsumer(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		p := newPage(t, nil)
		shelf := toolset.NewShelf()
		hides := rapid.SampledFrom([]string{"", "a", "b"})
		for _, instance := range []string{"x", "y"} {
			c := p.list(instance)
			if hidden := hides.Draw(rt, "hides"); hidden != "" {
				c.Policies = []policy.Policy{{Name: "not-for-" + hidden, OnDiscovery: func(ctx *policy.Context) (policy.Vote, error) {
					if ctx.Consumer.ID == hidden {
						return policy.Vote{Decision: policy.Hide}, nil
					}
					return policy.Vote{}, nil
				}}}
			}
			p.Register(c)
		}
		var handle *registry.Handle
		for range 6 {
			consumer := capability.Consumer{ID: rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "consumer"), Kind: capability.EmbeddedConsumer}
			if change := rapid.IntRange(0, 2).Draw(rt, "change"); change == 1 && handle == nil {
				handle = p.Register(p.list("z"))
			} else if change == 2 && handle != nil {
				handle.Unregister()
				handle = nil
			}
			p.set = p.newSet(func(o *toolset.Options) { o.Consumer, o.Shelf = consumer, shelf })
			got := describeAll(p.tools())
			p.set.Dispose()
			p.set = p.newSet(func(o *toolset.Options) { o.Consumer = consumer })
			if want := describeAll(p.tools()); got != want {
				rt.Fatalf("%s sees\n%s\nwithout a shelf\n%s", consumer.ID, got, want)
			}
			p.set.Dispose()
		}
	})
}
