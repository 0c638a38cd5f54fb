package registry

import (
	"context"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
)

func TestSmoke(t *testing.T) {
	for name, h := range map[string]host.Host{"native": host.Native(), "loop": host.NewFake(time.Unix(0, 0))} {
		t.Run(name, func(t *testing.T) {
			if fake, ok := h.(*host.Fake); ok {
				defer fake.Close()
			}
			r, err := New(Options{Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test, Host: h})
			if err != nil {
				t.Fatal(err)
			}
			handle, err := r.Register(&Component{
				Type: "bench.widget", Description: "A widget",
				Observations: []Observation{{Name: "readState", Description: "Reads", Output: Schema{Document: `{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`},
					Read: func(context.Context, *Call) (capability.JSON, error) { return `{"n":1}`, nil }}},
				Actions: []Action{{Name: "poke", Description: "Pokes", Effect: capability.LocalState, Input: Schema{Document: `{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string"}}},"required":["ids"],"additionalProperties":false}`},
					Execute: func(_ context.Context, in capability.JSON, _ *Call) (capability.JSON, error) { return in, nil }}},
			})
			if err != nil {
				t.Fatal(err)
			}
			done := make(chan struct{})
			h.Go(func() {
				defer close(done)
				for _, q := range []Request{{CapabilityID: "view:bench.widget.readState"}, {CapabilityID: "view:bench.widget.poke", Input: `{"ids":["a"]}`}, {CapabilityID: "view:bench.widget.poke", Input: `{"ids":[1],"x":2}`}, {CapabilityID: "view:none.such"}} {
					t.Log(r.Invoke(context.Background(), q, InvokeOptions{}).JSON())
				}
			})
			if f, ok := h.(*host.Fake); ok {
				f.Settle()
			}
			<-done
			s, _ := r.Snapshot(SnapshotOptions{})
			t.Log(s.JSON())
			handle.Unregister()
			r.Dispose()
		})
	}
}
