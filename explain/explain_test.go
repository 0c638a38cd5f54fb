package explain_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/explain"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
)

func newRegistry(t testing.TB, policies ...policy.Policy) *registry.Registry {
	t.Helper()
	r, err := registry.New(registry.Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test, Policies: policies,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Dispose)
	return r
}

func observation(name string, common registry.Common) registry.Observation {
	return registry.Observation{
		Name: name, Description: "Reads", Output: registry.Schema{Document: `{}`}, Common: common,
		Read: func(context.Context, *registry.Call) (capability.JSON, error) { return `1`, nil },
	}
}

func action(name string, common registry.Common) registry.Action {
	return registry.Action{
		Name: name, Description: "Acts", Effect: capability.LocalState, Input: registry.Schema{Document: `{}`}, Common: common,
		Execute: func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) { return "", nil },
	}
}

func procedure(path string, common registry.Common) registry.ProcedureBinding {
	return registry.ProcedureBinding{Common: common, Ref: registry.ProcedureRef{
		Path: path, Description: "Operates", Effect: capability.ServerQuery, Input: registry.Schema{Document: `{"type":"object"}`},
	}}
}

func register(t testing.TB, r *registry.Registry, c *registry.Component) *registry.Handle {
	t.Helper()
	c.Description = "A component"
	handle, err := r.Register(c)
	if err != nil {
		t.Fatal(err)
	}
	return handle
}

func mustExplain(t testing.TB, r *registry.Registry, consumer capability.Consumer) *explain.Report {
	t.Helper()
	report, err := explain.Explain(r, consumer)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func votes(name string, decision policy.Decision, reason string) policy.Policy {
	return policy.Policy{Name: name, OnDiscovery: func(*policy.Context) (policy.Vote, error) {
		return policy.Vote{Decision: decision, Reason: reason}, nil
	}}
}

func breaks(name string) policy.Policy {
	return policy.Policy{Name: name, OnDiscovery: func(*policy.Context) (policy.Vote, error) { panic("broken") }}
}

func common(policies ...policy.Policy) registry.Common { return registry.Common{Policies: policies} }

func TestEveryPolicyIsShownWithItsScopeAndVote(t *testing.T) {
	r := newRegistry(t, policy.RateLimit(5, 1), votes("outer", policy.Expose, ""))
	register(t, r, &registry.Component{
		Type: "a.b", Policies: []policy.Policy{votes("middle", policy.Disable, "not now")},
		Observations: []registry.Observation{observation("look", common(breaks("inner"), policy.RequireConfirmation(policy.Raise{})))},
		Actions:      []registry.Action{action("poke", common(policy.RequireConfirmation(policy.Raise{If: func(*policy.InvokeContext) bool { return false }})))},
	})
	report := mustExplain(t, r, capability.Consumer{})
	rate := explain.Policy{Name: "rate-limit", Scope: "registry", Phases: []string{"authorize"}}
	outer := explain.Policy{Name: "outer", Scope: "registry", Phases: []string{"discovery"}, Vote: policy.Expose}
	middle := explain.Policy{Name: "middle", Scope: "component", Phases: []string{"discovery"}, Vote: policy.Disable, Reason: "not now"}
	for i, want := range [][]explain.Policy{
		{rate, outer, middle,
			{Name: "inner", Scope: "capability", Phases: []string{"discovery"}, Vote: policy.Hide, Threw: true},
			{Name: "require-confirmation", Scope: "capability", Phases: []string{"invoke"}}}, // observations are never confirmed
		{rate, outer, middle, {Name: "require-confirmation", Scope: "capability", Phases: []string{"invoke"}, RaisesConfirmation: true}},
	} {
		got := report.Capabilities[i]
		if fmt.Sprintf("%+v", got.Policies) != fmt.Sprintf("%+v", want) {
			t.Errorf("%s:\ngot  %+v\nwant %+v", got.CapabilityID, got.Policies, want)
		}
	}
	if got := report.Capabilities[0]; got.Outcome != policy.Hide || got.Reason != "inner failed" {
		t.Errorf("got %+v", got)
	}
	if got := report.Capabilities[1]; got.Outcome != policy.Disable || got.Reason != "not now" || !got.Availability.Available {
		t.Errorf("got %+v", got)
	}
}

func TestReasons(t *testing.T) {
	long := strings.Repeat("x", 400)
	for _, test := range []struct {
		policies []policy.Policy
		outcome  policy.Decision
		reason   string
	}{
		{nil, policy.Expose, ""},
		{[]policy.Policy{votes("p", policy.Expose, "ignored")}, policy.Expose, ""},
		{[]policy.Policy{votes("p", policy.Hide, "")}, policy.Hide, "p hides it"},
		{[]policy.Policy{votes("p", policy.Hide, "not yours")}, policy.Hide, "not yours"},
		{[]policy.Policy{votes("d", policy.Disable, "later"), votes("p", policy.Hide, "first"), breaks("q")}, policy.Hide, "first"},
		{[]policy.Policy{votes("p", policy.Disable, "")}, policy.Disable, "Currently unavailable"},
		{[]policy.Policy{votes("p", policy.Disable, long)}, policy.Disable, long[:300]},
	} {
		r := newRegistry(t)
		register(t, r, &registry.Component{Type: "a.b", Actions: []registry.Action{action("poke", common(test.policies...))}})
		got := mustExplain(t, r, capability.Consumer{}).Capabilities[0]
		if got.Outcome != test.outcome || got.Reason != test.reason {
			t.Errorf("got %s %q, want %s %q", got.Outcome, got.Reason, test.outcome, test.reason)
		}
	}
}

func TestAvailabilityIsApartFromPolicy(t *testing.T) {
	r := newRegistry(t)
	never := func() (bool, error) { return false, nil }
	handle := register(t, r, &registry.Component{Type: "a.b", Actions: []registry.Action{
		action("hidden", registry.Common{When: never, Policies: []policy.Policy{votes("h", policy.Hide, "")}}),
		action("disabled", registry.Common{Policies: []policy.Policy{votes("d", policy.Disable, "policy")}}),
		action("both", registry.Common{When: never, UnavailableReason: func() string { return "component" }, Policies: []policy.Policy{votes("d", policy.Disable, "policy")}}),
	}})
	want := []registry.State{{Available: false, UnavailableReason: "Currently unavailable"}, {Available: true}, {Available: false, UnavailableReason: "component"}}
	for i, got := range mustExplain(t, r, capability.Consumer{}).Capabilities {
		if got.Availability != want[i] {
			t.Errorf("%s: got %+v, want %+v", got.CapabilityID, got.Availability, want[i])
		}
	}
	off := false
	if err := handle.Update(registry.Update{Enabled: &off}); err != nil {
		t.Fatal(err)
	}
	for _, got := range mustExplain(t, r, capability.Consumer{}).Capabilities {
		if got.Availability.UnavailableReason != "component-disabled" {
			t.Errorf("%s: got %+v", got.CapabilityID, got.Availability)
		}
	}
}

func TestReportSaysForWhomAndOfWhat(t *testing.T) {
	r := newRegistry(t)
	report := mustExplain(t, r, capability.Consumer{})
	if report.SurfaceID != r.SurfaceID() || report.SurfaceVersion != "0" || report.AuthorityMode != contract.ModeOpen ||
		report.Environment != capability.Test || report.Consumer.Key() != "embedded:anonymous" {
		t.Errorf("got %+v", report)
	}
	if report.Capabilities == nil || len(report.Capabilities) != 0 {
		t.Errorf("an empty surface has %#v", report.Capabilities)
	}
}

func TestExplainChangesNothing(t *testing.T) {
	r := newRegistry(t)
	register(t, r, &registry.Component{Type: "a.b", Actions: []registry.Action{action("poke", registry.Common{})}})
	var events []registry.Event
	defer r.Subscribe(func(e registry.Event) { events = append(events, e) })()
	before := r.Version()
	mustExplain(t, r, capability.Consumer{})
	if r.Version() != before || len(events) > 0 {
		t.Errorf("version %s became %s, events %v", before, r.Version(), events)
	}
}

func TestRegistriesThatCannotBeExplained(t *testing.T) {
	if _, err := explain.Explain(nil, capability.Consumer{}); err == nil {
		t.Error("nil was explained")
	}
	r := newRegistry(t)
	r.Dispose()
	if _, err := explain.Explain(r, capability.Consumer{}); !errors.Is(err, registry.ErrDisposed) {
		t.Errorf("got %v", err)
	}
}

func TestJSON(t *testing.T) {
	r := newRegistry(t)
	register(t, r, &registry.Component{Type: "a.b", InstanceID: "one", Actions: []registry.Action{
		action("poke", registry.Common{When: func() (bool, error) { return false, nil }, Policies: []policy.Policy{votes("h", policy.Hide, "no")}}),
	}, Procedures: []registry.ProcedureBinding{procedure("x/y", registry.Common{})}})
	report := mustExplain(t, r, capability.Consumer{ID: "t", Kind: capability.TestConsumer})
	report.SurfaceID = "srf_x"
	for i := range report.Capabilities {
		report.Capabilities[i].RegistrationID = "reg_x"
	}
	const want = `{"surfaceId":"srf_x","surfaceVersion":"1","authorityMode":"open","environment":"test","consumer":{"id":"t","kind":"test"},"capabilities":[` +
		`{"capabilityId":"view:a.b.poke","registrationId":"reg_x","component":{"type":"a.b","instanceId":"one"},"kind":"action","effect":"local-state","confirmation":"never",` +
		`"outcome":"hide","reason":"no","available":false,"unavailableReason":"Currently unavailable",` +
		`"policies":[{"name":"h","scope":"capability","phases":["discovery"],"vote":"hide","reason":"no","threw":false,"raisesConfirmation":false}]},` +
		`{"capabilityId":"domain:x/y","registrationId":"reg_x","component":{"type":"a.b","instanceId":"one"},"kind":"procedure","effect":"server-query","confirmation":"never",` +
		`"outcome":"expose","available":true,"policies":[]}]}`
	if got := report.JSON(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// shown is what a snapshot says of each capability.
func shown(t testing.TB, r *registry.Registry, consumer capability.Consumer) map[string]registry.State {
	t.Helper()
	snapshot, err := r.Snapshot(registry.SnapshotOptions{Consumer: consumer})
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]registry.State{}
	for _, c := range snapshot.Components {
		for _, o := range c.Observations {
			out[c.RegistrationID+o.CapabilityID] = o.State
		}
		for _, a := range c.Actions {
			out[c.RegistrationID+a.CapabilityID] = a.State
		}
	}
	for _, p := range snapshot.Procedures {
		out[p.RegistrationID+p.ProcedureID] = p.State
	}
	return out
}

// TestReportAgreesWithSnapshot draws surfaces, policies and consumers: the report must say of every
// capability what the snapshot did with it, and what a call of it meets.
func TestReportAgreesWithSnapshot(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		layer := rapid.SliceOfN(policies(), 0, 3)
		r, err := registry.New(registry.Options{
			Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test, Policies: layer.Draw(rt, "registry"),
		})
		if err != nil {
			rt.Fatal(err)
		}
		defer r.Dispose()
		for i := range rapid.IntRange(1, 3).Draw(rt, "components") {
			if _, err := r.Register(drawComponent(rt, i, layer)); err != nil {
				rt.Fatal(err)
			}
		}
		consumer := capability.Consumer{ID: rapid.SampledFrom([]string{"a", "b"}).Draw(rt, "consumer"), Kind: capability.TestConsumer}
		seen := shown(t, r, consumer)
		for _, e := range mustExplain(t, r, consumer).Capabilities {
			checkAgrees(rt, r, consumer, e, seen)
			delete(seen, e.RegistrationID+e.CapabilityID)
		}
		if len(seen) > 0 {
			rt.Errorf("the snapshot has more: %v", seen)
		}
	})
}

func checkAgrees(rt *rapid.T, r *registry.Registry, consumer capability.Consumer, e explain.Entry, seen map[string]registry.State) {
	state, found := seen[e.RegistrationID+e.CapabilityID]
	if found != (e.Outcome != policy.Hide) {
		rt.Errorf("%s: outcome %s, in the snapshot: %v", e.CapabilityID, e.Outcome, found)
	}
	want := e.Availability
	if want.Available && e.Outcome == policy.Disable {
		want = registry.State{UnavailableReason: e.Reason}
	}
	if found && state != want {
		rt.Errorf("%s: the snapshot says %+v, the report %+v", e.CapabilityID, state, want)
	}
	request := registry.Request{CapabilityID: e.CapabilityID, RegistrationID: e.RegistrationID}
	code := capability.Code("")
	if result := r.Invoke(context.Background(), request, registry.InvokeOptions{Consumer: consumer}); !result.OK() {
		code = result.Error.Code
	}
	switch {
	case e.Outcome == policy.Hide && code != capability.CodeNotFound,
		e.Outcome != policy.Hide && !want.Available && code != capability.CodeNotAvailable,
		e.Outcome != policy.Hide && want.Available && slices.Contains([]capability.Code{capability.CodeNotFound, capability.CodeNotAvailable}, code):
		rt.Errorf("%s: outcome %s, available %v, and a call gives %q", e.CapabilityID, e.Outcome, want.Available, code)
	}
}

func policies() *rapid.Generator[policy.Policy] {
	return rapid.OneOf(
		rapid.Custom(func(rt *rapid.T) policy.Policy {
			decisions := []policy.Decision{"", policy.Expose, policy.Expose, policy.Disable, policy.Hide, "other"}
			return votes("votes", rapid.SampledFrom(decisions).Draw(rt, "decision"), rapid.SampledFrom([]string{"", "why", strings.Repeat("w", 301)}).Draw(rt, "reason"))
		}),
		rapid.Just(policy.HasPermission("x", func(ctx *policy.Context) bool { return ctx.Consumer.ID == "a" })),
		rapid.Just(policy.Environment(capability.Test)),
		rapid.Just(policy.Policy{Name: "silent"}),
		rapid.Custom(func(rt *rapid.T) policy.Policy {
			if rapid.IntRange(0, 4).Draw(rt, "breaks") == 0 {
				return breaks("broken")
			}
			return policy.Policy{Name: "sound"}
		}),
	)
}

func drawComponent(rt *rapid.T, i int, layer *rapid.Generator[[]policy.Policy]) *registry.Component {
	drawCommon := func(label string) registry.Common {
		c := registry.Common{Policies: layer.Draw(rt, label)}
		switch rapid.IntRange(0, 3).Draw(rt, label+" when") {
		case 0:
			c.When = func() (bool, error) { return false, nil }
		case 1:
			c.When = func() (bool, error) { return false, errors.New("broken") }
		}
		return c
	}
	return &registry.Component{
		Type: fmt.Sprint("a.c", i), Description: "A component", Disabled: rapid.IntRange(0, 4).Draw(rt, "disabled") == 0,
		Priority: rapid.IntRange(0, 1).Draw(rt, "priority"), Policies: layer.Draw(rt, "component"),
		Observations: []registry.Observation{observation("look", drawCommon("look"))},
		Actions:      []registry.Action{action("poke", drawCommon("poke"))},
		Procedures:   []registry.ProcedureBinding{procedure(fmt.Sprint("x/", i), drawCommon("procedure"))},
	}
}
