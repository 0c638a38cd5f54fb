package registry

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// row is a component with an observation, an action and, shown with another component, a procedure.
func row(instance string) *Component {
	return &Component{
		Type: "shop.row", InstanceID: instance, Description: "A row",
		Observations: []Observation{{
			Name: "price", Description: "The price", Output: Schema{Document: `{"type":"number"}`},
			Read: func(context.Context, *Call) (capability.JSON, error) { return "1", nil },
		}},
		Actions: []Action{{
			Name: "mark", Description: "Marks it", Effect: capability.LocalState, Input: Schema{Document: `{"type":"object"}`},
			Execute: func(context.Context, capability.JSON, *Call) (capability.JSON, error) { return "", nil },
		}},
		Procedures: []ProcedureBinding{{
			Ref: ProcedureRef{
				Path: "row.buy", Description: "Buys it", Effect: capability.ServerMutation,
				Input: Schema{Document: `{"type":"object","properties":{"id":{"type":"string"},"n":{"type":"integer"}}}`},
			},
			BoundKeys: []string{"id"}, Bind: func() (capability.JSON, error) { return `{"id":"a"}`, nil },
			Context: &ComponentRef{Type: "shop.table", InstanceID: "table-of-" + instance},
		}},
	}
}

// targets are those of a request, as "kind registration schema", the registration by the number of its mounting.
func (w *world) targets(consumer capability.Consumer, handles []*Handle, id, instance string) string {
	var lines []string
	for _, target := range w.Targets(consumer, id, instance) {
		number := 0
		for i, h := range handles {
			if h.RegistrationID() == target.RegistrationID {
				number = i + 1
			}
		}
		lines = append(lines, fmt.Sprintf("%s %d %s", target.Kind, number, target.Input))
	}
	return strings.Join(lines, "; ")
}

func TestTargets(t *testing.T) {
	w := newWorld(t, onLoop(t))
	anybody := capability.AnonymousConsumer()
	handles := []*Handle{w.mount(row("a")), w.mount(row("b"))}
	for _, tt := range []struct{ id, instance, want string }{
		{"view:shop.row.price", "", "observation 1 ; observation 2 "},
		{"view:shop.row.price", "b", "observation 2 "},
		{"view:shop.row.mark", "a", `action 1 {"type":"object"}`},
		{"view:shop.row.mark", "c", ""},
		{"view:shop.row.none", "a", ""},
		{"nonsense", "a", ""},
		{"", "", ""},
		{"domain:row.buy", "a", `procedure 1 {"type":"object","properties":{"n":{"type":"integer"}}}`},
		{"domain:row.buy", "table-of-b", `procedure 2 {"type":"object","properties":{"n":{"type":"integer"}}}`},
		{"domain:row.buy", "table-of-c", ""},
	} {
		if got := w.targets(anybody, handles, tt.id, tt.instance); got != tt.want {
			t.Errorf("the targets of %q at %q are %q, want %q", tt.id, tt.instance, got, tt.want)
		}
	}
	handles[0].Unregister()
	want(t, "what is left", w.targets(anybody, handles, "view:shop.row.price", ""), "observation 2 ")
	w.Dispose()
	want(t, "the end", w.targets(anybody, handles, "view:shop.row.price", ""), "")
}

// TestTargetsAreWhatASnapshotShows: nothing hidden is among them, and nothing that is shown is missing.
func TestTargetsAreWhatASnapshotShows(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, onLoop(t))
		for _, instance := range []string{"a", "b", "c"} {
			c := row(instance)
			if hidden := rapid.SampledFrom([]string{"", "guest", "member"}).Draw(rt, "hidden from"); hidden != "" {
				c.Policies = []policy.Policy{{Name: "p", OnDiscovery: func(ctx *policy.Context) (policy.Vote, error) {
					if ctx.Consumer.ID == hidden {
						return policy.Vote{Decision: policy.Hide}, nil
					}
					return policy.Vote{}, nil
				}}}
			}
			w.mount(c)
		}
		consumer := capability.Consumer{ID: rapid.SampledFrom([]string{"guest", "member"}).Draw(rt, "consumer"), Kind: capability.TestConsumer}
		shown := map[string]int{}
		for _, c := range w.look(func(o *SnapshotOptions) { o.Consumer = consumer }).Components {
			shown[c.RegistrationID]++
		}
		targets := w.Targets(consumer, "view:shop.row.mark", "")
		if len(targets) != len(shown) {
			rt.Fatalf("%d targets of %d that are shown", len(targets), len(shown))
		}
		for _, target := range targets {
			if shown[target.RegistrationID] != 1 {
				rt.Fatalf("%s is not shown", target.RegistrationID)
			}
		}
	})
}

func TestNewInvocationID(t *testing.T) {
	w := newWorld(t, onLoop(t))
	one, two := w.NewInvocationID(), w.NewInvocationID()
	if one == two || !strings.HasPrefix(one, "inv_") || len(one) != len("inv_")+22 {
		t.Errorf("the ids are %s and %s", one, two)
	}
}

// TestFollowerServesAnother: from then on it tells what differs for the other.
func TestFollowerServesAnother(t *testing.T) {
	w := newWorld(t, onLoop(t))
	c := row("a")
	c.Policies = []policy.Policy{{Name: "members", OnDiscovery: func(ctx *policy.Context) (policy.Vote, error) {
		if ctx.Consumer.ID != "member" {
			return policy.Vote{Decision: policy.Hide}, nil
		}
		return policy.Vote{}, nil
	}}}
	hidden := w.mount(c)
	w.mount(row("b"))
	f := w.Follow(SnapshotOptions{Consumer: capability.Consumer{ID: "guest", Kind: capability.TestConsumer}})
	defer f.Stop()
	changes := func() string {
		found, err := f.Changes()
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprint(len(found.Seen), " ", len(found.Gone))
	}
	want(t, "the guest's first look", changes(), "1 0")
	f.Serve(capability.Consumer{ID: "member", Kind: capability.TestConsumer})
	want(t, "the member's", changes(), "1 0")
	f.Serve(capability.Consumer{})
	want(t, "anybody's", changes(), "0 1")
	hidden.Unregister()
	want(t, "anybody's after the end of what is hidden", changes(), "0 0")
}
