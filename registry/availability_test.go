package registry

import (
	"errors"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// poked is the state of the action poke in the snapshot, and whether it is there.
func (w *world) poked() (State, bool) {
	w.t.Helper()
	for _, c := range w.look().Components {
		for _, a := range c.Actions {
			if a.CapabilityID == poke {
				return a.State, true
			}
		}
	}
	return State{}, false
}

// wantState asserts that snapshot and invocation agree on why poke is not available.
func (w *world) wantState(reason string) {
	w.t.Helper()
	state, there := w.poked()
	if !there {
		w.t.Fatal("poke is not in the snapshot")
	}
	if reason == "" {
		want(w.t, "state", state, State{Available: true})
		w.invoke(poke, "").wantOutput(w.t, `{}`)
		return
	}
	want(w.t, "state", state, State{UnavailableReason: reason})
	e := wantError(w.t, w.invoke(poke, ""), capability.CodeNotAvailable, "reason="+reason)
	wantRetry(w.t, e, capability.RetryAfterRefresh)
}

func (r Result) wantOutput(t testing.TB, output capability.JSON) { t.Helper(); wantOK(t, r, output) }

func TestAvailabilityOrder(t *testing.T) {
	w := newWorld(t, onLoop(t))
	when, reason := func() (bool, error) { return true, nil }, ""
	vote := policy.Vote{}
	a := action("poke", echo)
	a.When = func() (bool, error) { return when() }
	a.UnavailableReason = func() string { return reason }
	handle := w.mount(widget(a, policy.Policy{Name: "p", OnDiscovery: func(*policy.Context) (policy.Vote, error) { return vote, nil }}))
	w.wantState("")
	vote = policy.Vote{Decision: policy.Disable, Reason: "not in this plan"}
	w.wantState("not in this plan")
	vote.Reason = ""
	w.wantState("Currently unavailable")
	when = func() (bool, error) { return false, errors.New("secret") }
	w.wantState("when-error")
	when = func() (bool, error) { panic("secret") }
	w.wantState("when-error")
	when = func() (bool, error) { return false, nil }
	w.wantState("Currently unavailable")
	reason = "no rows"
	w.wantState("no rows")
	w.update(handle, Update{Availability: map[string]Availability{"poke": {}}})
	w.wantState("unavailable")
	w.update(handle, Update{Availability: map[string]Availability{"poke": {Reason: "busy"}}})
	w.wantState("busy")
	no := false
	w.update(handle, Update{Enabled: &no})
	w.wantState("component-disabled")
	vote = policy.Vote{Decision: policy.Hide}
	if _, there := w.poked(); there {
		t.Error("a hidden capability is shown")
	}
	w.invoke(poke, "").wantCode(t, capability.CodeNotFound)
	vote = policy.Vote{}
	handle.Unregister()
	w.invoke(poke, "").wantCode(t, capability.CodeUnmounted)
}

func (w *world) update(h *Handle, u Update) {
	w.t.Helper()
	if err := h.Update(u); err != nil {
		w.t.Fatal(err)
	}
}

func TestDisabledFromTheStart(t *testing.T) {
	w := newWorld(t, onLoop(t))
	handle := w.mount(widget(action("poke", echo), func(c *Component) { c.Disabled = true }))
	w.wantState("component-disabled")
	yes := true
	w.update(handle, Update{Enabled: &yes})
	w.wantState("")
}

func TestPushedAvailableDoesNotOverrideWhen(t *testing.T) {
	w := newWorld(t, onLoop(t))
	a := action("poke", echo)
	a.When = func() (bool, error) { return false, nil }
	handle := w.mount(widget(a))
	w.update(handle, Update{Availability: map[string]Availability{"poke": {Available: true}}})
	w.wantState("Currently unavailable")
}

func TestAvailabilityIsAskedAgainAtTheCall(t *testing.T) {
	w := newWorld(t, onLoop(t))
	open := true
	a := action("poke", echo)
	a.When = func() (bool, error) { return open, nil }
	w.mount(widget(a))
	w.wantState("")
	open = false
	w.invoke(poke, "").wantCode(t, capability.CodeNotAvailable)
	want(t, "version", w.Version(), "1") // drift of when does not count
}

func TestAuthorsMayWriteTheRuntimesReasons(t *testing.T) {
	w := newWorld(t, onLoop(t))
	handle := w.mount(plain())
	w.update(handle, Update{Availability: map[string]Availability{"poke": {Reason: "component-unregistered"}}})
	w.wantState("component-unregistered")
}

func TestReasonsAreCutWithAWarning(t *testing.T) {
	long := strings.Repeat("x", 400)
	for name, set := range map[string]func(*Component){
		"when": func(c *Component) {
			c.Actions[0].When = func() (bool, error) { return false, nil }
			c.Actions[0].UnavailableReason = func() string { return long }
		},
		"policy": func(c *Component) { c.Policies = append(c.Policies, always(policy.Disable, long)) },
		"pushed": nil,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, onLoop(t))
			c := widget(action("poke", echo))
			if set != nil {
				set(c)
			}
			handle := w.mount(c)
			if set == nil {
				w.update(handle, Update{Availability: map[string]Availability{"poke": {Reason: long}}})
			}
			w.wantState(long[:300])
			want(t, "warned", w.logged("cut to 300"), true)
		})
	}
}

func TestWhenReasonThatFailsIsTheStandardOne(t *testing.T) {
	w := newWorld(t, onLoop(t))
	a := action("poke", echo)
	a.When = func() (bool, error) { return false, nil }
	a.UnavailableReason = func() string { panic("secret") }
	w.mount(widget(a))
	w.wantState("Currently unavailable")
}

func TestHiddenCapabilityIsNotAskedWhen(t *testing.T) {
	w := newWorld(t, onLoop(t))
	asked := false
	a := action("poke", echo)
	a.When = func() (bool, error) { asked = true; return true, nil }
	w.mount(widget(a, always(policy.Hide, "")))
	w.look()
	w.invoke(poke, "").wantCode(t, capability.CodeNotFound)
	want(t, "when was asked", asked, false)
}
