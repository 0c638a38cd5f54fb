package registry_test

import (
	"context"
	"errors"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
)

// Package explain tests what an inspection says; these tests are about what it is asked.
func TestInspectAsksForTheConsumerAndShowsWhatIsHidden(t *testing.T) {
	r := openRegistry()
	defer r.Dispose()
	register := func(componentType string, priority int) {
		t.Helper()
		_, err := r.Register(&registry.Component{
			Type: componentType, Description: "x", Priority: priority,
			Policies: []policy.Policy{{Name: "only-a", OnDiscovery: func(ctx *policy.Context) (policy.Vote, error) {
				if ctx.Consumer.ID == "a" {
					return policy.Vote{}, nil
				}
				return policy.Vote{Decision: policy.Hide, Reason: ctx.Consumer.Key()}, nil
			}}},
			Observations: []registry.Observation{registry.TypedObservation(
				registry.Observation{Name: "look", Description: "x", Output: registry.Schema{Document: `{}`}},
				func(context.Context, *registry.Call) (int, error) { return 1, nil },
			)},
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	register("a.low", 0)
	register("a.high", 1)
	for _, test := range []struct {
		consumer capability.Consumer
		want     policy.Decision
		reason   string
	}{
		{capability.Consumer{}, policy.Hide, "embedded:anonymous"},
		{capability.Consumer{ID: "a", Kind: capability.TestConsumer}, policy.Expose, ""},
	} {
		got, err := registry.Inspect(r, test.consumer)
		if err != nil || len(got) != 2 {
			t.Fatalf("got %+v, %v", got, err)
		}
		if got[0].CapabilityID != "view:a.high.look" || got[1].CapabilityID != "view:a.low.look" {
			t.Errorf("order: %s, %s", got[0].CapabilityID, got[1].CapabilityID)
		}
		if got[0].Vote.Decision != test.want || got[0].Vote.Reason != "" || got[0].Policies[0].Ballot.Vote.Reason != test.reason {
			t.Errorf("%s: got %+v", test.consumer.ID, got[0])
		}
		if !got[0].Availability.Available {
			t.Error("a hidden capability is said to be unavailable")
		}
	}
}

func TestInspectOfADisposedRegistry(t *testing.T) {
	r := openRegistry()
	r.Dispose()
	if _, err := registry.Inspect(r, capability.Consumer{}); !errors.Is(err, registry.ErrDisposed) {
		t.Errorf("got %v", err)
	}
}
