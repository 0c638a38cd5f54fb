package registry

import (
	"context"
	"fmt"
	"testing"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
)

// sizes show whether something stays linear: the time of an operation on one component must not grow.
var sizes = []int{100, 1000, 10000}

func benchRegistry(b *testing.B, policies ...policy.Policy) *Registry {
	b.Helper()
	r, err := New(Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{AllowInProduction: true}),
		Audit:     audit.SinkFunc(func(audit.Event) {}), Policies: policies,
	})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(r.Dispose)
	return r
}

func benchComponent(i int) *Component {
	c := plain()
	c.InstanceID = fmt.Sprint("i", i)
	c.Actions[0].Input.Document = idsInput
	return c
}

func fill(b *testing.B, r *Registry, n int) []*Handle {
	b.Helper()
	handles := make([]*Handle, n)
	for i := range handles {
		handle, err := r.Register(benchComponent(i))
		if err != nil {
			b.Fatal(err)
		}
		handles[i] = handle
	}
	return handles
}

// BenchmarkRegister is one registration and its removal on a surface of the given size.
func BenchmarkRegister(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := benchRegistry(b)
			fill(b, r, n)
			c := benchComponent(n)
			b.ReportAllocs()
			for b.Loop() {
				handle, err := r.Register(c)
				if err != nil {
					b.Fatal(err)
				}
				handle.Unregister()
			}
		})
	}
}

// BenchmarkRegisterAll fills an empty surface and empties it again.
func BenchmarkRegisterAll(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				r := benchRegistry(b)
				for _, handle := range fill(b, r, n) {
					handle.Unregister()
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/component")
		})
	}
}

// BenchmarkRegisterAllUnderContract is BenchmarkRegisterAll with an authority that has to admit each definition: the
// same one again costs a comparison of texts, and a mount of a blueprint nothing.
func BenchmarkRegisterAllUnderContract(b *testing.B) {
	under := contracted(b, contract.Component{
		Declaration: "bench.go#plain", Type: benchComponent(0).Type, Description: benchComponent(0).Description,
		Observations: []contract.Observation{{
			Name: "readState", Output: benchComponent(0).Observations[0].Output.Document,
			Common: contract.Common{Description: benchComponent(0).Observations[0].Description},
		}},
		Actions: []contract.Action{{
			Name: "poke", Input: idsInput, Effect: capability.LocalState,
			Common: contract.Common{Description: benchComponent(0).Actions[0].Description},
		}},
	})
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				options := Options{Audit: audit.SinkFunc(func(audit.Event) {})}
				under(&options)
				r, err := New(options)
				if err != nil {
					b.Fatal(err)
				}
				for _, handle := range fill(b, r, n) {
					handle.Unregister()
				}
				r.Dispose()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/component")
		})
	}
}

func BenchmarkSnapshot(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := benchRegistry(b)
			fill(b, r, n)
			b.ReportAllocs()
			for b.Loop() {
				snapshot, err := r.Snapshot(SnapshotOptions{})
				if err != nil || len(snapshot.Components) != n {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/component")
		})
	}
}

// BenchmarkSnapshotBudget drops most of the surface, which must cost no more than showing it a few times.
func BenchmarkSnapshotBudget(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			r := benchRegistry(b)
			fill(b, r, n)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := r.Snapshot(SnapshotOptions{MaxBytes: 10000}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkInvoke(b *testing.B) {
	goOn := policy.Policy{
		Name:        "go-on",
		OnDiscovery: func(*policy.Context) (policy.Vote, error) { return policy.Vote{}, nil },
		OnAuthorize: func(_ *policy.Context, next func() error) error { return next() },
		OnInvoke:    func(_ *policy.InvokeContext, next func() error) error { return next() },
	}
	input := capability.JSON(`{"ids":["alpha","beta","gamma"]}`)
	for _, bench := range []struct {
		name     string
		policies []policy.Policy
		request  Request
	}{
		{"observation", nil, Request{CapabilityID: readState, InstanceID: "i0"}},
		{"action", nil, Request{CapabilityID: poke, InstanceID: "i0", Input: input}},
		{"policies", []policy.Policy{goOn, goOn, goOn}, Request{CapabilityID: poke, InstanceID: "i0", Input: input}},
		{"refused", nil, Request{CapabilityID: poke, InstanceID: "i0", Input: `{"ids":[1]}`}},
	} {
		b.Run(bench.name, func(b *testing.B) {
			r := benchRegistry(b, bench.policies...)
			fill(b, r, 100)
			b.ReportAllocs()
			for b.Loop() {
				r.Invoke(context.Background(), bench.request, InvokeOptions{})
			}
		})
	}
}

// BenchmarkInvokeLoop is the action on the page's kind of host.
func BenchmarkInvokeLoop(b *testing.B) {
	on := host.NewFake(dawn)
	defer on.Close()
	r := benchRegistry(b)
	r.host = on
	fill(b, r, 100)
	b.ReportAllocs()
	for b.Loop() {
		r.Start(context.Background(), Request{CapabilityID: poke, InstanceID: "i0", Input: `{"ids":["a"]}`}, InvokeOptions{}, func(Result) {})
		on.Settle()
	}
}

// BenchmarkConfirmationDigest is what binds a confirmation: the canonical form of the effective input.
func BenchmarkConfirmationDigest(b *testing.B) {
	limits := capability.ValueLimits{MaxBytes: 1 << 20, MaxDepth: 64}
	for _, n := range []int{1, 100, 10000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			ids := capability.JSON(`{"ids":[`)
			for i := range n {
				ids += capability.Quote(fmt.Sprint("id-", i)) + ","
			}
			ids += `"last"],"force":true}`
			b.SetBytes(int64(len(ids)))
			b.ReportAllocs()
			for b.Loop() {
				if _, issue := canonical.Encode(ids, limits); issue != nil {
					b.Fatal(issue)
				}
			}
		})
	}
}

// BenchmarkConfirmedCall is asking, approving and running.
func BenchmarkConfirmedCall(b *testing.B) {
	r := benchRegistry(b)
	r.SetExecutor(answering(`1`))
	if _, err := r.Register(widget(procedure("items.remove", capability.Destructive))); err != nil {
		b.Fatal(err)
	}
	q := Request{CapabilityID: removeItem, Input: `{"id":7}`}
	b.ReportAllocs()
	for b.Loop() {
		q.ConfirmationID = ""
		q.ConfirmationID = r.Invoke(context.Background(), q, InvokeOptions{}).Error.Detail("confirmationId")
		r.Confirmations().Resolve(q.ConfirmationID, true)
		if result := r.Invoke(context.Background(), q, InvokeOptions{}); !result.OK() {
			b.Fatal(string(result.JSON()))
		}
	}
}
