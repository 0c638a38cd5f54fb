package consent_test

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/consent"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/testsurface"
)

var agent = capability.Consumer{ID: "agent", Kind: capability.EmbeddedConsumer}

// desk is a surface with one action that must be confirmed, and the calls of an adapter.
type desk struct {
	*testsurface.Surface
	t      testing.TB
	clock  *host.Fake
	calls  *consent.Calls
	ran    int
	handle *registry.Handle
}

func newDesk(t testing.TB, change func(*consent.Options), configure ...func(*registry.Options)) *desk {
	t.Helper()
	d := &desk{t: t, clock: host.NewFake(time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))}
	t.Cleanup(d.clock.Close)
	d.Surface = testsurface.New(t, testsurface.Options{Consumer: agent, Clock: d.clock, Configure: func(o *registry.Options) {
		for _, c := range configure {
			c(o)
		}
	}})
	d.handle = d.Register(d.door())
	options := consent.Options{Registry: d.Registry(), Host: d.clock, Consumer: agent, Wait: true}
	if change != nil {
		change(&options)
	}
	d.calls = consent.New(options)
	return d
}

func (d *desk) door() *registry.Component {
	return &registry.Component{
		Type: "house.door", Description: "The door",
		Actions: []registry.Action{{
			Name: "open", Description: "Opens it", Effect: capability.LocalState, Confirmation: capability.Required,
			Input: registry.Schema{Document: `{"type":"object"}`},
			Execute: func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
				d.ran++
				return capability.JSON(fmt.Sprint(d.ran)), nil
			},
		}},
	}
}

// open is the request for the door as it is now.
func (d *desk) open(id string) registry.Request {
	q := d.CaptureRef("view:house.door.open")
	q.InvocationID, q.Input = id, `{"wide":true}`
	return q
}

// answer is what became of a call.
type answer struct {
	d       *desk
	scope   *host.Scope
	results []registry.Result
}

func (d *desk) start(call consent.Call) *answer {
	a := &answer{d: d, scope: host.NewScope(context.Background())}
	d.calls.Start(a.scope, call, func(r registry.Result) { a.results = append(a.results, r) })
	d.clock.Turn()
	return a
}

func (a *answer) waits() bool { return len(a.results) == 0 }

func (a *answer) result() registry.Result {
	a.d.t.Helper()
	a.d.clock.Turn()
	if len(a.results) != 1 {
		a.d.t.Fatalf("%d results, want one", len(a.results))
	}
	return a.results[0]
}

// want checks the output, or the code and the reason, of a call that has ended.
func (a *answer) want(want string) {
	a.d.t.Helper()
	r := a.result()
	got := string(r.Output)
	if r.Error != nil {
		got = string(r.Error.Code)
		if reason := r.Error.Detail("reason"); reason != "" {
			got += " " + reason
		}
	}
	if got != want {
		a.d.t.Errorf("the call ended with %s, want %s", got, want)
	}
}

func TestWaits(t *testing.T) {
	for _, tt := range []struct {
		name string
		then func(*desk, *answer)
		want string
	}{
		{"approved", func(d *desk, _ *answer) { d.Approve() }, "1"},
		{"denied", func(d *desk, _ *answer) { d.Deny() }, "CONFIRMATION_INVALID denied"},
		{"expired", func(d *desk, _ *answer) { d.clock.Advance(3 * time.Minute) }, "CONFIRMATION_INVALID expired"},
		{"cancelled", func(_ *desk, a *answer) { a.scope.Cancel(context.Canceled) }, "CANCELLED"},
		{"stopped", func(d *desk, _ *answer) { d.calls.Stop(); d.calls.Stop() }, "CONFIRMATION_REQUIRED"},
		{"unmounted", func(d *desk, _ *answer) { d.handle.Unregister() }, "COMPONENT_UNMOUNTED"},
		{"disposed", func(d *desk, _ *answer) { d.Registry().Dispose() }, "CANCELLED"},
		{"changed beside it, and approved", func(d *desk, _ *answer) { d.Registry().Invalidate(); d.Approve() }, "1"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			d := newDesk(t, nil)
			a := d.start(consent.Call{Request: d.open("x")})
			if !a.waits() {
				t.Fatalf("the call did not wait: %v", a.results)
			}
			tt.then(d, a)
			a.want(tt.want)
			if r := a.result(); r.InvocationID != "x" || r.CapabilityID != "view:house.door.open" || r.SurfaceVersion == "" {
				t.Errorf("the result is %s", r.JSON())
			}
			if pending := d.Pending(); len(pending) != 0 {
				t.Errorf("%d records are left", len(pending))
			}
		})
	}
}

// TestDenialIsNotTriedAgain: the person has spoken, and the pipeline is not asked what they said.
func TestDenialIsNotTriedAgain(t *testing.T) {
	d := newDesk(t, nil)
	a := d.start(consent.Call{Request: d.open("x")})
	d.Deny()
	a.want("CONFIRMATION_INVALID denied")
	started := 0
	for _, e := range d.Events() {
		if e.Type == registry.InvocationStarted {
			started++
		}
	}
	if started != 1 {
		t.Errorf("%d calls were started", started)
	}
}

// TestResultSaysThatTheSurfaceMoved during the wait.
func TestResultSaysThatTheSurfaceMoved(t *testing.T) {
	d := newDesk(t, nil)
	a := d.start(consent.Call{Request: d.open("x")})
	d.Registry().Invalidate()
	d.Deny()
	if r := a.result(); !r.SurfaceChanged || r.SurfaceVersion != d.Registry().Version() {
		t.Errorf("the result is %s", r.JSON())
	}
}

func TestCallsThatDoNotWait(t *testing.T) {
	d := newDesk(t, func(o *consent.Options) { o.Wait = false })
	d.start(consent.Call{Request: d.open("x")}).want("CONFIRMATION_REQUIRED")

	d = newDesk(t, nil)
	d.calls.Stop()
	d.start(consent.Call{Request: d.open("x")}).want("CONFIRMATION_REQUIRED")
	if len(d.Pending()) != 0 {
		t.Error("nobody can use the record, and it is left")
	}
}

// TestServerThatAsks has its own way to be answered.
func TestServerThatAsks(t *testing.T) {
	d := newDesk(t, nil)
	d.Registry().SetExecutor(registry.ExecutorFunc(func(context.Context, string, capability.JSON, *registry.Call) (capability.JSON, error) {
		return "", &capability.Error{
			Code: capability.CodeConfirmationRequired, Retry: capability.RetryWithConfirmation, Message: "Ask.", Details: `{"origin":"server"}`,
		}
	}))
	d.Register(&registry.Component{Type: "house.bank", Description: "The bank", Procedures: []registry.ProcedureBinding{{Ref: registry.ProcedureRef{
		Path: "pay", Description: "Pays", Effect: capability.ServerMutation, Input: registry.Schema{Document: `{"type":"object"}`},
	}}}})
	d.start(consent.Call{Request: registry.Request{CapabilityID: "domain:pay"}}).want("CONFIRMATION_REQUIRED")
}

func TestTimeout(t *testing.T) {
	d := newDesk(t, func(o *consent.Options) { o.Timeout = 10 * time.Second })
	late, early := d.start(consent.Call{Request: d.open("x")}), d.start(consent.Call{Request: d.open("y")})
	early.scope.Cancel(context.Canceled)
	early.want("CANCELLED")
	d.clock.Advance(10 * time.Second)
	late.want("CONFIRMATION_REQUIRED")
	d.Approve()
	if d.ran != 0 {
		t.Error("an approval ran a call that nobody waits for")
	}
	q := d.open("x")
	q.ConfirmationID = late.result().Error.Detail("confirmationId")
	d.start(consent.Call{Request: q}).want("1")

	in := d.start(consent.Call{Request: d.open("z")})
	d.clock.Advance(9 * time.Second)
	d.Approve()
	in.want("2")
	d.clock.Advance(time.Minute)
	in.want("2") // and no second result
}

func TestAsked(t *testing.T) {
	d := newDesk(t, nil)
	var waits []*consent.Wait
	call := consent.Call{Request: d.open("x"), Asked: func(w *consent.Wait) {
		waits = append(waits, w)
		if !w.Open() || w.ConfirmationID != d.Pending()[0].ConfirmationID {
			t.Errorf("asked about %q, open: %v", w.ConfirmationID, w.Open())
		}
	}}
	a := d.start(call)
	if len(waits) != 1 {
		t.Fatalf("asked %d times", len(waits))
	}
	d.Approve()
	a.want("1")
	if waits[0].Open() {
		t.Error("the wait of a call that has ended is open")
	}
	cancelled := host.NewScope(context.Background())
	cancelled.Cancel(context.Canceled)
	call.Request.InvocationID = "y"
	d.calls.Start(cancelled, call, func(registry.Result) {})
	if len(waits) != 1 {
		t.Error("somebody was asked about a call that was withdrawn before it began")
	}
}

// TestAskedThatDecidesAtOnce inside the question.
func TestAskedThatDecidesAtOnce(t *testing.T) {
	d := newDesk(t, nil)
	d.start(consent.Call{Request: d.open("x"), Asked: func(w *consent.Wait) { d.Approve(w.ConfirmationID) }}).want("1")
}

func TestWaitersAreStoppedInOrder(t *testing.T) {
	d := newDesk(t, nil)
	var order []string
	for _, id := range []string{"a", "b", "c"} {
		d.calls.Start(context.Background(), consent.Call{Request: d.open(id)}, func(registry.Result) { order = append(order, id) })
	}
	d.clock.Turn()
	d.calls.Stop()
	if want := []string{"a", "b", "c"}; !slices.Equal(order, want) {
		t.Errorf("the order is %q", order)
	}
}

// limited sets limits of the registry.
func limited(set func(*capability.Limits)) func(*registry.Options) {
	return func(o *registry.Options) {
		limits := capability.DefaultLimits()
		set(&limits)
		o.Limits = &limits
	}
}

// once admits one call a minute to the handler, after the confirmation.
func once() func(*registry.Options) {
	return func(o *registry.Options) {
		calls := 0
		o.Policies = []policy.Policy{{Name: "once", OnInvoke: func(ctx *policy.InvokeContext, next func() error) error {
			if calls++; calls == 2 { // the first is the one that is asked about
				return capability.RateLimited("rate", time.Minute)
			}
			return next()
		}}}
	}
}
