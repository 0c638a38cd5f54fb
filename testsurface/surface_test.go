package testsurface_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/testsurface"
)

// failure is what a test of the harness would have failed with.
type failure string

// fakeT panics with a failure where a testing.T would end its goroutine.
type fakeT struct{ cleanups []func() }

func (*fakeT) Helper()                           {}
func (*fakeT) Fatalf(format string, args ...any) { panic(failure(fmt.Sprintf(format, args...))) }
func (f *fakeT) Cleanup(cleanup func())          { f.cleanups = append(f.cleanups, cleanup) }

// fails checks that use of the harness fails its test with a text.
func fails(t *testing.T, text string, use func()) {
	t.Helper()
	defer func() {
		t.Helper()
		got, ok := recover().(failure)
		if !ok || !strings.Contains(string(got), text) {
			t.Errorf("got %q, want a failure that says %q", got, text)
		}
	}()
	use()
}

// devices is a component with one of each kind.
func devices(instance string) *registry.Component {
	return &registry.Component{
		Type: "devices.table", InstanceID: instance, Description: "The devices",
		Observations: []registry.Observation{registry.TypedObservation(
			registry.Observation{Name: "count", Description: "Counts", Output: registry.Schema{Document: `{"type":"integer"}`}},
			func(context.Context, *registry.Call) (int, error) { return 3, nil },
		)},
		Actions: []registry.Action{registry.TypedAction(
			registry.Action{Name: "select", Description: "Selects", Effect: capability.LocalState, Input: registry.Schema{Document: `{"type":"object"}`}},
			func(context.Context, registry.None, *registry.Call) (registry.None, error) {
				return registry.None{}, nil
			},
		)},
		Procedures: []registry.ProcedureBinding{{Ref: registry.ProcedureRef{
			Path: "devices/disable", Description: "Disables", Effect: capability.Destructive, Input: registry.Schema{Document: `{"type":"object"}`},
		}}},
	}
}

func disable() registry.Request {
	return registry.Request{CapabilityID: "domain:devices/disable", Input: `{"id":1}`}
}

// surfaces runs a test on a native surface and on one with a clock.
func surfaces(t *testing.T, test func(t *testing.T, s *testsurface.Surface)) {
	for name, clock := range map[string]*host.Fake{"native": nil, "clock": host.NewFake(time.UnixMilli(0))} {
		t.Run(name, func(t *testing.T) {
			s := testsurface.New(t, testsurface.Options{Clock: clock})
			s.Registry().SetExecutor(registry.Procedures{
				"devices/disable": func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) { return `"done"`, nil },
			})
			s.Register(devices(""))
			test(t, s)
		})
	}
}

func TestInvokeNamesTheOnlyRegistration(t *testing.T) {
	surfaces(t, func(t *testing.T, s *testsurface.Surface) {
		handle := s.Register(devices("other"))
		q := registry.Request{CapabilityID: "view:devices.table.select"}
		if got := s.Invoke(q); got.Error == nil || got.Error.Code != capability.CodeAmbiguousInstance {
			t.Errorf("two instances: %s", got.JSON())
		}
		q.InstanceID = "other"
		if got := s.Invoke(q); !got.OK() {
			t.Errorf("by instance: %s", got.JSON())
		}
		handle.Unregister()
		q.InstanceID = ""
		if got := s.Invoke(q); !got.OK() {
			t.Errorf("one instance: %s", got.JSON())
		}
		q.RegistrationID = handle.RegistrationID()
		if got := s.Invoke(q); got.Error == nil || got.Error.Code != capability.CodeStale {
			t.Errorf("a registration that is named stays: %s", got.JSON())
		}
		if got := s.Invoke(registry.Request{CapabilityID: "view:none.such"}); got.Error == nil || got.Error.Code != capability.CodeNotFound {
			t.Errorf("nothing: %s", got.JSON())
		}
	})
}

func TestCallerIsTheTestConsumer(t *testing.T) {
	var seen []string
	s := testsurface.New(t, testsurface.Options{Configure: func(o *registry.Options) {
		o.Policies = []policy.Policy{{Name: "look", OnAuthorize: func(ctx *policy.Context, next func() error) error {
			seen = append(seen, ctx.Consumer.Key())
			return next()
		}}}
	}})
	s.Register(devices(""))
	s.Observe("view:devices.table.count")
	other := testsurface.New(t, testsurface.Options{Registry: s.Registry(), Consumer: capability.Consumer{ID: "o", Kind: capability.OtherConsumer}})
	other.Observe("view:devices.table.count")
	if want := []string{"test:test", "other:o"}; !slices.Equal(seen, want) {
		t.Errorf("saw %q", seen)
	}
}

func TestObserve(t *testing.T) {
	surfaces(t, func(t *testing.T, s *testsurface.Surface) {
		if got := s.Observe("view:devices.table.count"); got != "3" {
			t.Errorf("got %s", got)
		}
	})
}

func TestObserveFails(t *testing.T) {
	s := testsurface.New(&fakeT{}, testsurface.Options{})
	defer s.Dispose()
	s.Register(&registry.Component{Type: "a.b", Description: "x", Observations: []registry.Observation{{
		Name: "moves", Description: "Moves", Output: registry.Schema{Document: `{}`},
		Read: func(context.Context, *registry.Call) (capability.JSON, error) {
			s.Registry().Invalidate()
			return "1", nil
		},
	}}})
	fails(t, "the surface moved", func() { s.Observe("view:a.b.moves") })
	fails(t, "CAPABILITY_NOT_FOUND", func() { s.Observe("view:a.b.none") })
}

func TestCaptureRef(t *testing.T) {
	surfaces(t, func(t *testing.T, s *testsurface.Surface) {
		ref := s.CaptureRef("domain:devices/disable")
		if ref.SurfaceVersion != "1" || !strings.HasPrefix(ref.RegistrationID, "reg_") {
			t.Errorf("got %+v", ref)
		}
		s.Registry().Invalidate()
		if got := s.Invoke(ref); got.Error == nil || got.Error.Detail("reason") != "surface-version-mismatch" {
			t.Errorf("got %s", got.JSON())
		}
	})
	s := testsurface.New(&fakeT{}, testsurface.Options{})
	defer s.Dispose()
	fails(t, "sees 0 of it", func() { s.CaptureRef("view:none.such") })
}

func TestAs(t *testing.T) {
	s := testsurface.New(t, testsurface.Options{Configure: func(o *registry.Options) {
		o.Policies = []policy.Policy{policy.Authenticated("")}
	}})
	s.Register(devices(""))
	ada := s.As(policy.HostMap{"user": "ada"})
	for range 2 { // each surface keeps its context
		if got := ada.Observe("view:devices.table.count"); got != "3" {
			t.Errorf("ada: %s", got)
		}
		if got := s.Invoke(registry.Request{CapabilityID: "view:devices.table.count"}); got.Error == nil || got.Error.Code != capability.CodeNotFound {
			t.Errorf("nobody: %s", got.JSON())
		}
		if a, n := len(ada.Snapshot().Components), len(s.Snapshot().Components); a != 1 || n != 0 {
			t.Errorf("ada sees %d, nobody %d", a, n)
		}
	}
	foreign := testsurface.New(&fakeT{}, testsurface.Options{Registry: s.Registry()})
	fails(t, "As needs a registry that the harness made", func() { foreign.As(nil) })
}

func TestReplayAsksTheContextOfNow(t *testing.T) {
	s := testsurface.New(t, testsurface.Options{Configure: func(o *registry.Options) {
		o.Policies = []policy.Policy{policy.Authenticated("")}
	}, Host: policy.HostMap{"user": "ada"}})
	s.Register(devices(""))
	q := s.CaptureRef("view:devices.table.count")
	q.InvocationID = "one"
	if got := s.Invoke(q); !got.OK() {
		t.Fatal(got.JSON())
	}
	if got := s.As(nil).Invoke(q); got.Error == nil || got.Error.Code != capability.CodeNotFound {
		t.Errorf("after sign-out the stored result was shown: %s", got.JSON())
	}
}

func TestConfirmations(t *testing.T) {
	for name, step := range map[string]struct {
		decide func(*testsurface.Surface)
		code   capability.Code
		reason string
	}{
		"approve": {func(s *testsurface.Surface) { s.Approve() }, "", ""},
		"deny":    {func(s *testsurface.Surface) { s.Deny() }, capability.CodeConfirmationInvalid, "denied"},
		"expire":  {func(s *testsurface.Surface) { s.Expire() }, capability.CodeConfirmationInvalid, "expired"},
		"by id":   {func(s *testsurface.Surface) { s.Approve(s.Pending()[0].ConfirmationID) }, "", ""},
		"unused":  {func(s *testsurface.Surface) { id := s.Pending()[0].ConfirmationID; s.Approve(); s.Expire(id) }, capability.CodeConfirmationInvalid, "expired"},
	} {
		t.Run(name, func(t *testing.T) {
			surfaces(t, func(t *testing.T, s *testsurface.Surface) {
				q := disable()
				first := s.Invoke(q)
				if first.Error == nil || first.Error.Code != capability.CodeConfirmationRequired || len(s.Pending()) != 1 {
					t.Fatal(first.JSON())
				}
				step.decide(s)
				q.ConfirmationID = first.Error.Detail("confirmationId")
				second := s.Invoke(q)
				switch {
				case step.code == "" && (!second.OK() || second.Output != `"done"`),
					step.code != "" && (second.Error == nil || second.Error.Code != step.code || second.Error.Detail("reason") != step.reason):
					t.Errorf("got %s", second.JSON())
				}
			})
		})
	}
}

func TestConfirmationsThatAreNotTheOnlyOne(t *testing.T) {
	s := testsurface.New(&fakeT{}, testsurface.Options{})
	defer s.Dispose()
	s.Register(devices(""))
	fails(t, "0 are pending", func() { s.Approve() })
	for _, input := range []capability.JSON{`{"id":1}`, `{"id":2}`} {
		q := disable()
		q.Input = input
		s.Invoke(q)
	}
	fails(t, "2 are pending", func() { s.Approve() })
	fails(t, "2 are pending", func() { s.Deny() })
	fails(t, "2 are pending", func() { s.Expire() })
	fails(t, "it is not open", func() { s.Approve("cnf_none") })
	first := s.Pending()[0].ConfirmationID
	s.Deny(first)
	fails(t, "it is not open", func() { s.Approve(first) })
	s.Approve()
}

func TestEventsAndAuditLog(t *testing.T) {
	clock := host.NewFake(time.UnixMilli(0))
	s := testsurface.New(t, testsurface.Options{Clock: clock})
	s.Register(devices(""))
	clock.Settle()
	s.Invoke(registry.Request{CapabilityID: "view:devices.table.select", InvocationID: "one"})
	var events []string
	for _, e := range s.Events() {
		events = append(events, string(e.Type))
	}
	if want := []string{"component-registered", "surface-changed", "invocation-started", "invocation-settled"}; !slices.Equal(events, want) {
		t.Errorf("events %q", events)
	}
	var trail []audit.Type
	for _, e := range s.AuditLog() {
		trail = append(trail, e.Type)
	}
	if want := []audit.Type{audit.Registration, audit.InvocationStarted, audit.InvocationSettled}; !slices.Equal(trail, want) {
		t.Errorf("trail %q", trail)
	}
}

func TestStartAndTheClock(t *testing.T) {
	clock := host.NewFake(time.UnixMilli(0))
	ft := &fakeT{}
	s := testsurface.New(ft, testsurface.Options{Clock: clock})
	defer s.Dispose()
	s.Register(&registry.Component{Type: "a.b", Description: "x", Actions: []registry.Action{{
		Name: "wait", Description: "Waits", Effect: capability.LocalState, Input: registry.Schema{Document: `{}`},
		Execute: func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
			waiter := clock.Waiter()
			clock.After(time.Second, waiter.Wake)
			waiter.Park()
			return `"waited"`, nil
		},
	}}})
	call := s.Start(context.Background(), registry.Request{CapabilityID: "view:a.b.wait"})
	if call.Settled() != nil {
		t.Fatal("did not wait")
	}
	fails(t, "still waits: advance the clock", func() { call.Result() })
	clock.Advance(time.Second)
	if got := call.Result(); got.Output != `"waited"` {
		t.Errorf("got %s", got.JSON())
	}
}

func TestCancelledStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testsurface.New(t, testsurface.Options{})
		s.Register(&registry.Component{Type: "a.b", Description: "x", Actions: []registry.Action{{
			Name: "wait", Description: "Waits", Effect: capability.LocalState, Input: registry.Schema{Document: `{}`},
			Execute: func(ctx context.Context, _ capability.JSON, _ *registry.Call) (capability.JSON, error) {
				<-ctx.Done()
				return "", ctx.Err()
			},
		}}})
		ctx, cancel := context.WithCancel(context.Background())
		call := s.Start(ctx, registry.Request{CapabilityID: "view:a.b.wait"})
		synctest.Wait()
		cancel()
		if got := call.Result(); got.Error == nil || got.Error.Code != capability.CodeCancelled {
			t.Errorf("got %s", got.JSON())
		}
		s.Dispose()
	})
}

func TestOptionsThatAreWrong(t *testing.T) {
	r := testsurface.New(t, testsurface.Options{}).Registry()
	for name, o := range map[string]testsurface.Options{
		"a context":    {Registry: r, Host: policy.HostMap{}},
		"an authority": {Registry: r, Authority: contract.NewOpenAuthority(contract.OpenOptions{})},
		"options":      {Registry: r, Configure: func(*registry.Options) {}},
	} {
		t.Run(name, func(t *testing.T) {
			fails(t, "for a registry that the harness makes", func() { testsurface.New(&fakeT{}, o) })
		})
	}
	fails(t, "environment", func() {
		testsurface.New(&fakeT{}, testsurface.Options{Configure: func(o *registry.Options) { o.Environment = "nowhere" }})
	})
}

func TestRegisterFails(t *testing.T) {
	s := testsurface.New(&fakeT{}, testsurface.Options{})
	defer s.Dispose()
	fails(t, "[INVALID_ID]", func() { s.Register(&registry.Component{Type: "A"}) })
	s.Register(devices(""))
	fails(t, "rejected (duplicate)", func() { s.Register(devices("")) })
}

func TestDispose(t *testing.T) {
	ft := &fakeT{}
	s := testsurface.New(ft, testsurface.Options{})
	given := testsurface.New(ft, testsurface.Options{Registry: s.Registry()})
	fails(t, "in that registry's own sink", func() { given.AuditLog() })
	given.Dispose()
	if s.Registry().Disposed() {
		t.Fatal("disposed a registry that it was given")
	}
	for _, cleanup := range ft.cleanups {
		cleanup()
	}
	if !s.Registry().Disposed() {
		t.Error("the end of the test left the registry")
	}
	fails(t, "disposed", func() { s.Snapshot() })
	if got := s.Invoke(disable()); got.Error == nil || got.Error.Code != capability.CodeCancelled {
		t.Errorf("got %s", got.JSON())
	}
}

func TestSerialize(t *testing.T) {
	surfaces(t, func(t *testing.T, s *testsurface.Surface) {
		s.Register(&registry.Component{Type: "a.first", Description: "First", Actions: devices("").Actions})
		snapshot := s.Snapshot()
		before := snapshot.JSON()
		got := testsurface.Serialize(snapshot, testsurface.SerializeOptions{})
		for _, text := range []string{"surfaceId", "capturedAt", "surfaceVersion", "reg_"} {
			if strings.Contains(got, text) {
				t.Errorf("%s is in %s", text, got)
			}
		}
		if !strings.HasPrefix(got, "{\n  \"components\": [\n    {\n      \"type\": \"a.first\",\n      \"instanceId\": \"default\",\n      \"registrationId\": \"<reg#1>\",") {
			t.Errorf("got %s", got)
		}
		if strings.Count(got, "<reg#1>") != 1 || strings.Count(got, "<reg#2>") != 2 { // the table and its procedure
			t.Errorf("got %s", got)
		}
		if snapshot.JSON() != before {
			t.Error("the snapshot was changed")
		}
		if with := testsurface.Serialize(snapshot, testsurface.SerializeOptions{IncludeVersion: true}); !strings.Contains(with, `"surfaceVersion": "2"`) {
			t.Errorf("got %s", with)
		}
	})
}
