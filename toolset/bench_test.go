package toolset_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
)

// widgets is a registry with the component of boundary.md's targets, count times, and the handle of the last.
func widgets(b *testing.B, clock *host.Fake, count int) (*registry.Registry, *registry.Handle) {
	b.Helper()
	r, err := registry.New(registry.Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{AllowInProduction: true}), Host: clock, Audit: audit.Discard(),
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(r.Dispose)
	var last *registry.Handle
	for i := range count {
		last, err = r.Register(&registry.Component{
			Type: "bench.widget", InstanceID: fmt.Sprint("w", i), Description: "A widget",
			Observations: []registry.Observation{{
				Name: "readState", Description: "Reads the state", Output: document(`{"type":"object","properties":{"n":{"type":"number"}},"required":["n"]}`),
				Read: func(context.Context, *registry.Call) (capability.JSON, error) { return `{"n":1}`, nil },
			}},
			Actions: []registry.Action{{
				Name: "poke", Description: "Pokes the widget", Effect: capability.LocalState,
				Input:   document(`{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string"}}},"required":["ids"]}`),
				Execute: func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) { return "", nil },
			}},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
	clock.Settle()
	return r, last
}

func benchSet(b *testing.B, r *registry.Registry, clock *host.Fake, change func(*toolset.Options)) *toolset.Toolset {
	b.Helper()
	options := toolset.Options{Consumer: copilot, Topology: toolset.Embedded, Host: clock}
	if change != nil {
		change(&options)
	}
	set, err := toolset.New(r, options)
	if err != nil {
		b.Fatal(err)
	}
	return set
}

// BenchmarkFreshTools is a toolset made for one look at 300 components, 600 tools: with nothing on the shelf, and with
// what the toolset before it left there.
func BenchmarkFreshTools(b *testing.B) {
	for name, shelf := range map[string]*toolset.Shelf{"new": nil, "shelf": toolset.NewShelf()} {
		b.Run(name, func(b *testing.B) {
			clock := host.NewFake(dawn)
			defer clock.Close()
			r, _ := widgets(b, clock, 300)
			b.ReportAllocs()
			for b.Loop() {
				set := benchSet(b, r, clock, func(o *toolset.Options) { o.Shelf = shelf })
				if tools, err := set.Tools(); err != nil || len(tools) != 600 {
					b.Fatal(len(tools), err)
				}
				set.Dispose()
			}
		})
	}
}

// BenchmarkSubscribe is one availability flip among that many components, until the listener has been told or not.
func BenchmarkSubscribe(b *testing.B) {
	for _, count := range []int{10, 100, 1000} {
		b.Run(fmt.Sprint(count), func(b *testing.B) {
			clock := host.NewFake(dawn)
			defer clock.Close()
			r, last := widgets(b, clock, count)
			set := benchSet(b, r, clock, nil)
			defer set.Dispose()
			told := 0
			set.Subscribe(func() { told++ })
			if _, err := set.Tools(); err != nil {
				b.Fatal(err)
			}
			enabled := true
			b.ReportAllocs()
			for b.Loop() {
				enabled = !enabled
				setEnabled(b, last, enabled)
				clock.Settle()
			}
			if told == 0 {
				b.Fatal("the listener was never told")
			}
		})
	}
}

// BenchmarkAct is one action among that many components, through each mode.
func BenchmarkAct(b *testing.B) {
	for _, mode := range []toolset.Mode{toolset.Direct, toolset.Meta} {
		for _, count := range []int{10, 1000} {
			b.Run(fmt.Sprint(mode, "/", count), func(b *testing.B) {
				clock := host.NewFake(dawn)
				defer clock.Close()
				r, _ := widgets(b, clock, count)
				set := benchSet(b, r, clock, func(o *toolset.Options) { o.Mode = mode })
				defer set.Dispose()
				name, input := "view_bench__widget__poke_at_w1", capability.JSON(`{"ids":[]}`)
				if mode == toolset.Meta {
					name, input = actTool, `{"capabilityId":"view:bench.widget.poke","instanceId":"w1","input":{"ids":[]}}`
				}
				if _, err := set.Tools(); err != nil {
					b.Fatal(err)
				}
				tool, _ := set.Tool(name)
				b.ReportAllocs()
				for b.Loop() {
					ended := false
					tool.Start(context.Background(), input, toolset.Call{}, func(r registry.Result) { ended = r.OK() })
					clock.Run()
					if !ended {
						b.Fatal("the call did not end well")
					}
				}
			})
		}
	}
}
