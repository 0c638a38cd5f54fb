package registry

import (
	"errors"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

func TestRegisteredIsLiveAtOnce(t *testing.T) {
	w := newWorld(t, onLoop(t))
	want(t, "version of an empty surface", w.Version(), "0")
	handle := w.mount(plain())
	want(t, "version", w.Version(), "1")
	want(t, "components", len(w.look().Components), 1)
	wantLines(t, "events", w.heard(), []string{"component-registered bench.widget", "surface-changed 1"})
	handle.Unregister()
	want(t, "version", w.Version(), "2")
	want(t, "components", len(w.look().Components), 0)
	wantLines(t, "events", w.heard(), []string{"component-unregistered bench.widget", "surface-changed 2"})
	want(t, "status", handle.Status(), Unregistered)
}

func TestDuplicateIsRejected(t *testing.T) {
	w := newWorld(t, onLoop(t))
	first := w.mount(plain())
	w.heard()
	second, err := w.Register(plain())
	if err != nil {
		t.Fatal(err)
	}
	want(t, "status", second.Status(), Rejected)
	want(t, "reason", second.Reason(), "duplicate")
	want(t, "status of the first", first.Status(), Active)
	want(t, "version", w.Version(), "1")
	w.wantHeard("component-rejected bench.widget duplicate")
	w.wantTrail("registration", "registration-rejected duplicate")
	w.mount(widget(action("poke", echo), instance("other"))) // another instance is no duplicate
}

func TestDuplicateReplaces(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on, func(o *Options) { o.OnDuplicateInstance = ReplaceDuplicate })
		g := newGate(on)
		first := w.mount(widget(action("poke", g.run)))
		call := w.call(Request{CapabilityID: poke})
		queued := w.call(Request{CapabilityID: poke})
		w.heard()
		second := w.mount(plain())
		want(t, "status of the first", first.Status(), Unregistered)
		want(t, "version", w.Version(), "2")
		queued.wantError(capability.CodeUnmounted, "phase=mid-flight", "progress=not-started")
		on.turn()
		call.wantError(capability.CodeUnmounted, "phase=mid-flight", "progress=may-have-happened")
		want(t, "components", len(w.look().Components), 1)
		want(t, "the live one", w.look().Components[0].RegistrationID, second.RegistrationID())
		settled := "invocation-settled " + poke + " error COMPONENT_UNMOUNTED"
		w.wantHeard("component-unregistered bench.widget", "component-registered bench.widget", settled, settled)
		g.openAll(w)
	})
}

func TestGuard(t *testing.T) {
	for name, test := range map[string]struct {
		guard  func(Candidate) error
		status Status
	}{
		"accepts": {func(Candidate) error { return nil }, Active},
		"refuses": {func(Candidate) error { return errors.New("no") }, Rejected},
		"panics":  {func(Candidate) error { panic("no") }, Rejected},
	} {
		t.Run(name, func(t *testing.T) {
			var seen Candidate
			w := newWorld(t, onLoop(t), func(o *Options) {
				o.OnRegister = func(c Candidate) error { seen = c; return test.guard(c) }
			})
			c := plain()
			c.Meta, c.Internal = `{"a":1}`, 7
			handle, err := w.Register(c)
			if err != nil {
				t.Fatal(err)
			}
			want(t, "status", handle.Status(), test.status)
			want(t, "type", seen.ComponentType, "bench.widget")
			want(t, "instance", seen.InstanceID, "default")
			want(t, "origin", seen.Origin, "first-party")
			want(t, "meta", seen.Meta, `{"a":1}`)
			want[any](t, "internal", seen.Internal, 7)
			want(t, "ids", strings.Join(seen.CapabilityIDs, " "), readState+" "+poke)
			want(t, "stack in development", strings.Contains(seen.Stack, "TestGuard"), true)
			if test.status == Rejected {
				want(t, "reason", handle.Reason(), "guard")
				want(t, "version", w.Version(), "0")
				w.wantHeard("component-rejected bench.widget guard")
				w.wantTrail("registration-rejected guard")
			}
		})
	}
}

func TestGuardSeesNoStackInProduction(t *testing.T) {
	stack := "?"
	w := newWorld(t, onLoop(t), func(o *Options) {
		o.Environment = capability.Production
		o.OnRegister = func(c Candidate) error { stack = c.Stack; return nil }
	})
	w.mount(plain())
	want(t, "stack", stack, "")
}

func TestHandleOfWhatIsNotLiveDoesNothing(t *testing.T) {
	for name, make := range map[string]func(*world) *Handle{
		"unregistered": func(w *world) *Handle { h := w.mount(plain()); h.Unregister(); return h },
		"rejected":     func(w *world) *Handle { w.mount(plain()); h, _ := w.Register(plain()); return h },
		"disposed":     func(w *world) *Handle { h := w.mount(plain()); w.Dispose(); return h },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, onLoop(t))
			handle := make(w)
			version := w.Version()
			w.heard()
			no := false
			handle.Unregister()
			handle.Invalidate()
			w.update(handle, Update{Enabled: &no, Availability: map[string]Availability{"poke": {}}})
			w.update(handle, Update{Availability: map[string]Availability{"unknown": {}}})
			want(t, "version", w.Version(), version)
			wantLines(t, "events", w.heard(), nil)
			for _, method := range []string{"unregister", "invalidate", "update"} {
				want(t, "warned of "+method, w.logged(method+" on a registration"), true)
			}
		})
	}
}

func TestUpdateCountsOnlyWhatChanges(t *testing.T) {
	w := newWorld(t, onLoop(t))
	handle := w.mount(plain())
	w.heard()
	yes, no := true, false
	for _, step := range []struct {
		name    string
		update  Update
		version string
		events  []string
	}{
		{"nothing", Update{}, "1", nil},
		{"enabled already", Update{Enabled: &yes}, "1", nil},
		{"available already", Update{Availability: map[string]Availability{"poke": {Available: true}}}, "1", nil},
		{"disabled", Update{Enabled: &no}, "2", []string{"surface-changed 2"}},
		{"disabled again", Update{Enabled: &no}, "2", nil},
		{"one pushed", Update{Availability: map[string]Availability{"poke": {Reason: "busy"}}}, "3", []string{"availability-changed " + poke + " false", "surface-changed 3"}},
		{"pushed again", Update{Availability: map[string]Availability{"poke": {Reason: "busy"}}}, "3", nil},
		{"another reason", Update{Availability: map[string]Availability{"poke": {Reason: "broken"}}}, "4", []string{"availability-changed " + poke + " false", "surface-changed 4"}},
		{"all at once", Update{Enabled: &yes, Availability: map[string]Availability{"poke": {Available: true}, "readState": {}}}, "5",
			[]string{"availability-changed " + poke + " true", "availability-changed " + readState + " false", "surface-changed 5"}},
		{"available with a reason", Update{Availability: map[string]Availability{"poke": {Available: true, Reason: "ignored"}}}, "5", nil},
	} {
		w.update(handle, step.update)
		want(t, step.name, w.Version(), step.version)
		wantLines(t, step.name, w.heard(), step.events)
	}
}

func TestUpdateOfAnUnknownCapabilityChangesNothing(t *testing.T) {
	w := newWorld(t, onLoop(t))
	handle := w.mount(plain())
	err := handle.Update(Update{Availability: map[string]Availability{"poke": {}, "unknown": {}}})
	if err == nil || !strings.Contains(err.Error(), `"unknown"`) {
		t.Errorf("the error is %v", err)
	}
	want(t, "version", w.Version(), "1")
}

func TestLogMayCallBack(t *testing.T) {
	var w *world
	w = newWorld(t, onLoop(t), func(o *Options) { o.Log = func(string) { w.Version() } }) // would hang under the lock
	handle := w.mount(plain())
	w.update(handle, Update{Availability: map[string]Availability{"poke": {Reason: long(1000)}}})
}

func TestVersions(t *testing.T) {
	w := newWorld(t, onLoop(t), func(o *Options) { o.OnDuplicateInstance = ReplaceDuplicate })
	var other *Handle
	steps := []struct {
		name string
		do   func()
		more int
	}{
		{"register", func() { w.mount(plain()) }, 1},
		{"replace", func() { w.mount(plain()) }, 1},
		{"invalidate the registry", w.Invalidate, 1},
		{"a call", func() { w.invoke(poke, "") }, 0},
		{"another", func() { other = w.mount(widget(action("poke", echo), instance("other"))) }, 1},
		{"unregister", func() { other.Unregister() }, 1},
		{"unregister again", func() { other.Unregister() }, 0},
		{"invalidate of what is gone", func() { other.Invalidate() }, 0},
		{"a snapshot", func() { w.look() }, 0},
		{"a structural defect", func() { _, _ = w.Register(&Component{}) }, 0},
		{"an executor", func() { w.SetExecutor(answering("")) }, 0},
	}
	expected := 0
	for _, step := range steps {
		step.do()
		expected += step.more
		want(t, "version after "+step.name, w.Version(), decimal(expected))
	}
}

func decimal(n int) string { return string(rune('0' + n)) }

func TestMountUnmountMountInOneTurn(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.mount(plain()).Unregister()
	w.mount(plain())
	wantLines(t, "events", w.heard(), []string{
		"component-registered bench.widget", "component-unregistered bench.widget", "component-registered bench.widget", "surface-changed 3",
	})
	w.invoke(poke, "").wantOutput(t, `{}`)
}

func TestFiftyRegistrationsInOneTurnAreOneChange(t *testing.T) {
	w := newWorld(t, onLoop(t))
	for i := range 50 {
		w.mount(widget(action("poke", echo), instance("i"+strings.Repeat("x", i))))
	}
	changes := 0
	for _, e := range w.heard() {
		if strings.HasPrefix(e, "surface-changed") {
			changes++
			want(t, "event", e, "surface-changed 50")
		}
	}
	want(t, "changes", changes, 1)
}

func TestSuffixCollisions(t *testing.T) {
	view := func() *Component { return widget(action("remove", echo), ofType("items")) }
	domain := func() *Component { return widget(procedure("items.remove", capability.ServerQuery), ofType("other")) }
	both := func() *Component {
		return widget(action("remove", echo), procedure("items.remove", capability.ServerQuery), ofType("items"))
	}
	const event = "collision-suspected view:items.remove"
	for name, order := range map[string][]*Component{
		"view first": {view(), domain()}, "domain first": {domain(), view()}, "both in one": {both()},
	} {
		t.Run(name, func(t *testing.T) {
			for rule, check := range map[SuffixRule]func(*world, error){
				SuffixOff:  func(w *world, err error) { want(t, "error", err, nil); w.wantNoCollision() },
				SuffixWarn: func(w *world, err error) { want(t, "error", err, nil); w.wantCollision(event) },
				SuffixError: func(w *world, err error) {
					if found, ok := IsDefinitionError(err); !ok || found.Code != DuplicateCapability {
						t.Errorf("the error is %v", err)
					}
				},
			} {
				w := newWorld(t, onLoop(t), func(o *Options) { o.DuplicateSuffix = rule })
				var err error
				for _, c := range order {
					_, err = w.Register(c)
				}
				check(w, err)
			}
		})
	}
	t.Run("path without a dot", func(t *testing.T) {
		w := newWorld(t, onLoop(t))
		w.mount(widget(procedure("remove", capability.ServerQuery), action("remove", echo)))
		w.wantNoCollision()
	})
}

func (w *world) wantNoCollision() {
	w.t.Helper()
	if events := strings.Join(w.heard(), "\n"); strings.Contains(events, "collision") {
		w.t.Errorf("a collision is suspected: %s", events)
	}
}

func (w *world) wantCollision(event string) {
	w.t.Helper()
	if events := strings.Join(w.heard(), "\n"); strings.Count(events, event) != 1 {
		w.t.Errorf("want one %s in %s", event, events)
	}
	want(w.t, "logged", w.logged("look alike"), true)
	trail := w.trail.Events()
	want(w.t, "the last audit record", trail[len(trail)-1].String(), "collision-suspected view:items.remove")
}

func TestUnregisterTwice(t *testing.T) {
	w := newWorld(t, onLoop(t))
	handle := w.mount(plain())
	handle.Unregister()
	again := w.mount(plain())
	handle.Unregister()
	want(t, "the new registration", again.Status(), Active)
	want(t, "version", w.Version(), "3")
}

func TestHooksAreCapturedAtRegister(t *testing.T) {
	w := newWorld(t, onLoop(t))
	list := []policy.Policy{always(policy.Expose, "")}
	c := plain()
	c.Policies = list
	w.mount(c)
	list[0] = always(policy.Hide, "")
	w.invoke(poke, "").wantOutput(t, `{}`)
}
