package registry

import (
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// The rows of invocation.md, phase 2. Each test sets up the surface and asks with and without a
// registrationId.

func TestResolveWithoutRegistration(t *testing.T) {
	none := func(*world) {}
	one := func(w *world) { w.mount(plain()) }
	two := func(w *world) {
		w.mount(widget(action("poke", echo), instance("b")))
		w.mount(widget(action("poke", echo), instance("a")))
	}
	gone := func(w *world) { w.mount(plain()).Unregister() }
	for _, test := range []struct {
		name    string
		surface func(*world)
		request Request
		code    capability.Code // "" for ok
		details []string
	}{
		{"nothing there", none, Request{CapabilityID: poke}, capability.CodeNotFound, nil},
		{"one candidate", one, Request{CapabilityID: poke}, "", nil},
		{"one of another name", one, Request{CapabilityID: "view:bench.widget.other"}, capability.CodeNotFound, nil},
		{"a tombstone", gone, Request{CapabilityID: poke}, capability.CodeUnmounted, []string{"phase=resolve"}},
		{"a tombstone of another capability", gone, Request{CapabilityID: "view:bench.widget.other"}, capability.CodeNotFound, nil},
		{"a tombstone of another instance", gone, Request{CapabilityID: poke, InstanceID: "x"}, capability.CodeNotFound, nil},
		{"several", two, Request{CapabilityID: poke}, capability.CodeAmbiguousInstance, nil},
		{"several, narrowed", two, Request{CapabilityID: poke, InstanceID: "a"}, "", nil},
		{"several, narrowed to none", two, Request{CapabilityID: poke, InstanceID: "c"}, capability.CodeNotFound, nil},
		{"not an id", one, Request{CapabilityID: "poke"}, capability.CodeNotFound, nil},
		{"not a plane", one, Request{CapabilityID: "data:bench.widget.poke"}, capability.CodeNotFound, nil},
		{"an id of 100,000 characters", one, Request{CapabilityID: "view:" + strings.Repeat("a", 100000)}, capability.CodeNotFound, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, onLoop(t))
			test.surface(w)
			result := w.call(test.request).result()
			if test.code == "" {
				wantOK(t, result, `{}`)
				return
			}
			wantError(t, result, test.code, test.details...)
		})
	}
}

func TestResolveWithRegistration(t *testing.T) {
	w := newWorld(t, onLoop(t), func(o *Options) { o.OnDuplicateInstance = ReplaceDuplicate })
	first := w.mount(plain())
	live := w.mount(plain())
	ask := func(id, registration string) Result {
		return w.call(Request{CapabilityID: id, RegistrationID: registration}).result()
	}
	wantOK(t, ask(poke, live.RegistrationID()), `{}`)
	wantError(t, ask(poke, first.RegistrationID()), capability.CodeStale, "reason=registration-replaced", "liveRegistrationId="+live.RegistrationID())
	wantError(t, ask(poke, "reg_unknown"), capability.CodeStale, "reason=surface-reloaded", "liveRegistrationId="+live.RegistrationID())
	wantError(t, ask("view:none.poke", first.RegistrationID()), capability.CodeNotFound)
	second := w.mount(widget(action("poke", echo), instance("second")))
	wantError(t, ask(poke, first.RegistrationID()), capability.CodeStale, "reason=registration-replaced", "liveRegistrationId=")
	wantError(t, ask(poke, "reg_unknown"), capability.CodeStale, "reason=surface-reloaded", "liveRegistrationId=")
	second.Unregister()
	live.Unregister()
	wantError(t, ask(poke, first.RegistrationID()), capability.CodeUnmounted, "phase=resolve")
	wantError(t, ask(poke, "reg_unknown"), capability.CodeNotFound)
}

func TestResolveNarrowsByInstanceBeforeRegistration(t *testing.T) {
	w := newWorld(t, onLoop(t))
	a := w.mount(widget(action("poke", echo), instance("a")))
	b := w.mount(widget(action("poke", echo), instance("b")))
	result := w.call(Request{CapabilityID: poke, InstanceID: "b", RegistrationID: a.RegistrationID()}).result()
	wantError(t, result, capability.CodeStale, "reason=surface-reloaded", "liveRegistrationId="+b.RegistrationID())
}

func TestAmbiguousInstancesAreSortedAndNamed(t *testing.T) {
	w := newWorld(t, onLoop(t))
	b := w.mount(widget(action("poke", echo), instance("b"), func(c *Component) { c.Description = "The second" }))
	a := w.mount(widget(action("poke", echo), instance("a"), func(c *Component) { c.Description = "The first" }))
	e := w.call(Request{CapabilityID: poke}).wantError(capability.CodeAmbiguousInstance)
	want(t, "instances", detail(e, "instances"),
		`[{"instanceId":"a","registrationId":"`+a.RegistrationID()+`","description":"The first"},`+
			`{"instanceId":"b","registrationId":"`+b.RegistrationID()+`","description":"The second"}]`)
}

func TestProceduresResolveByPath(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.SetExecutor(answering(`1`))
	w.mount(widget(procedure("items.find", capability.ServerQuery), instance("a")))
	w.call(Request{CapabilityID: "domain:items.find"}).wantOK(`1`)
	w.mount(widget(procedure("items.find", capability.ServerQuery), instance("b")))
	w.call(Request{CapabilityID: "domain:items.find"}).wantError(capability.CodeAmbiguousInstance)
	w.call(Request{CapabilityID: "domain:items.find", InstanceID: "b"}).wantOK(`1`)
}

func TestHiddenIsNoCandidateInAnyRow(t *testing.T) {
	w := newWorld(t, onLoop(t), func(o *Options) { o.OnDuplicateInstance = ReplaceDuplicate })
	hidden := w.mount(widget(action("poke", echo), onlyFor("admin"), instance("secret")))
	admin := as(capability.EmbeddedConsumer, "admin")
	ask := func(registration string, who ...func(*InvokeOptions)) Result {
		return w.call(Request{CapabilityID: poke, RegistrationID: registration}, who...).result()
	}
	nonexistent := w.call(Request{CapabilityID: "view:no.such"}).result().Error
	want(t, "a hidden single one", *wantError(t, ask(""), capability.CodeNotFound), *nonexistent)
	want(t, "a hidden named one", *wantError(t, ask(hidden.RegistrationID()), capability.CodeNotFound), *nonexistent)
	wantOK(t, ask("", admin), `{}`)
	open := w.mount(widget(action("poke", echo), instance("open")))
	wantOK(t, ask(""), `{}`)
	wantError(t, ask(hidden.RegistrationID()), capability.CodeStale, "reason=surface-reloaded", "liveRegistrationId="+open.RegistrationID())
	wantError(t, ask("", admin), capability.CodeAmbiguousInstance)
	open.Unregister()
	hidden.Unregister()
	open2 := w.mount(widget(action("poke", echo), instance("open")))
	wantError(t, ask(hidden.RegistrationID()), capability.CodeStale, "reason=surface-reloaded", "liveRegistrationId="+open2.RegistrationID())
	wantError(t, ask(hidden.RegistrationID(), admin), capability.CodeStale, "reason=registration-replaced")
}

func TestTombstoneSpeaksOnlyToThoseWhoSawIt(t *testing.T) {
	w := newWorld(t, onLoop(t))
	asked := 0
	hook := onlyFor("admin")
	inner := hook.OnDiscovery
	hook.OnDiscovery = func(c *policy.Context) (policy.Vote, error) { asked++; return inner(c) }
	gone := w.mount(widget(action("poke", echo), hook))
	gone.Unregister()
	admin := as(capability.EmbeddedConsumer, "admin")
	for _, registration := range []string{"", gone.RegistrationID()} {
		w.call(Request{CapabilityID: poke, RegistrationID: registration}).wantError(capability.CodeNotFound)
		w.call(Request{CapabilityID: poke, RegistrationID: registration}, admin).wantError(capability.CodeUnmounted, "phase=resolve")
	}
	if asked < 4 {
		t.Errorf("the hook was asked %d times", asked)
	}
}

func TestTombstoneKeepsNothingThatRuns(t *testing.T) {
	w := newWorld(t, onLoop(t))
	ran := false
	w.mount(widget(func(c *Component) {
		a := action("poke", func(_ contextArg, in capability.JSON, _ *Call) (capability.JSON, error) { ran = true; return "", nil })
		a.When = func() (bool, error) { ran = true; return true, nil }
		a.Precondition = func(capability.JSON, *Call) error { ran = true; return nil }
		c.Actions = append(c.Actions, a)
	}, policy.Policy{Name: "p", OnAuthorize: func(_ *policy.Context, next func() error) error { ran = true; return next() },
		OnInvoke: func(_ *policy.InvokeContext, next func() error) error { ran = true; return next() }})).Unregister()
	w.call(Request{CapabilityID: poke}).wantError(capability.CodeUnmounted)
	want(t, "anything of it ran", ran, false)
	for _, stone := range w.state.tombs.list {
		want(t, "entries kept", len(stone.entries), 0)
		for _, d := range stone.descriptors {
			want(t, "a parse is kept", d.input != nil || d.output != nil, false)
			for _, p := range d.policies {
				want(t, "a hook is kept", p.OnAuthorize != nil || p.OnInvoke != nil || p.Raise != nil || p.Tap != nil, false)
			}
		}
	}
}

func TestTombstonesDateFromTheirOwnTurn(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on, limited(func(l *capability.Limits) { l.TombstoneTTL = time.Minute }))
		handle := w.mount(widget(action("poke", echo)))
		on.advance(time.Second)
		if twice, err := w.Register(widget(action("poke", echo))); err != nil || twice.Reason() != "duplicate" {
			t.Fatalf("registering it twice gave %v, %v", twice, err)
		}
		on.advance(time.Hour)
		w.Invalidate()
		handle.Unregister()
		w.invoke(poke, "").wantCode(t, capability.CodeUnmounted)
	})
}

func TestTombstonesAreBoundedBySizeAndTime(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on, limited(func(l *capability.Limits) { l.TombstoneSize = 2; l.TombstoneTTL = time.Minute }))
		for _, name := range []string{"one", "two", "three"} {
			w.mount(widget(action(name, echo), instance(name))).Unregister()
		}
		w.invoke("view:bench.widget.one", "").wantCode(t, capability.CodeNotFound)
		w.invoke("view:bench.widget.two", "").wantCode(t, capability.CodeUnmounted)
		on.advance(time.Minute - time.Millisecond)
		w.invoke("view:bench.widget.three", "").wantCode(t, capability.CodeUnmounted)
		on.advance(time.Millisecond)
		w.invoke("view:bench.widget.three", "").wantCode(t, capability.CodeNotFound)
		want(t, "tombstones kept", len(w.state.tombs.list), 0)
	})
}

func TestSurfaceVersionMattersForWhatCannotBeUndone(t *testing.T) {
	for effect, enforced := range map[capability.Effect]bool{
		capability.Destructive: true, capability.ExternalSideEffect: true,
		capability.ServerMutation: false, capability.ServerQuery: false,
	} {
		t.Run(string(effect), func(t *testing.T) {
			w := newWorld(t, onLoop(t))
			w.SetExecutor(answering(`1`))
			handle := w.mount(widget(procedure("items.remove", effect)))
			old := w.Version()
			handle.Invalidate()
			result := w.call(Request{CapabilityID: removeItem, SurfaceVersion: old}).result()
			if !enforced {
				wantOK(t, result, `1`)
				return
			}
			e := wantError(t, result, capability.CodeStale, "reason=surface-version-mismatch", "liveRegistrationId=")
			wantRetry(t, e, capability.RetryAfterRefresh)
			w.call(Request{CapabilityID: removeItem, SurfaceVersion: w.Version()}).wantError(capability.CodeConfirmationRequired)
			w.call(Request{CapabilityID: removeItem}).wantError(capability.CodeConfirmationRequired)
		})
	}
	t.Run("view action", func(t *testing.T) {
		w := newWorld(t, onLoop(t))
		w.mount(plain()).Invalidate()
		w.call(Request{CapabilityID: poke, SurfaceVersion: "0"}).wantOK(`{}`)
	})
}
