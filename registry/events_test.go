package registry

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

func TestEventsLeaveInMutationOrderAfterTheMutation(t *testing.T) {
	w := newWorld(t, onLoop(t))
	var seen []string
	w.Subscribe(func(e Event) {
		state := "live"
		if len(w.look().Components) == 0 {
			state = "empty"
		}
		seen = append(seen, string(e.Type)+" "+state+" "+w.Version())
	})
	w.mount(plain()).Unregister()
	w.on.settle()
	wantLines(t, "seen", seen, []string{"component-registered live 1", "component-unregistered empty 2", "surface-changed empty 2"})
}

func TestEventCausedByAListenerComesAfterTheCurrentOne(t *testing.T) {
	w := newWorld(t, onLoop(t))
	var order []string
	w.Subscribe(func(e Event) {
		order = append(order, "first "+eventLine(e))
		if e.Type == ComponentRegistered && e.ComponentType == "bench.widget" {
			w.mount(widget(action("poke", echo), ofType("second")))
		}
	})
	w.Subscribe(func(e Event) { order = append(order, "other "+eventLine(e)) })
	w.mount(plain())
	wantLines(t, "order", order, []string{
		"first component-registered bench.widget", "other component-registered bench.widget",
		"first component-registered second", "other component-registered second",
	})
}

func TestListenerPanicReachesNobody(t *testing.T) {
	w := newWorld(t, onLoop(t))
	told := 0
	w.Subscribe(func(Event) { panic("secret") })
	w.Subscribe(func(Event) { told++ })
	w.mount(plain())
	want(t, "the other listener", told, 1)
	want(t, "logged", w.logged("a listener failed on component-registered"), true)
	w.invoke(poke, "").wantOutput(t, `{}`)
}

func TestListenersHearWhatHappensWhileTheyListen(t *testing.T) {
	w := newWorld(t, onLoop(t))
	heard := 0
	var stop func()
	w.Subscribe(func(e Event) {
		if e.ComponentType == "bench.widget" {
			w.mount(widget(action("poke", echo), ofType("second")))
			stop = w.Subscribe(func(Event) { heard++ })
		}
	})
	w.mount(plain())
	want(t, "events from before", heard, 0)
	w.Invalidate()
	w.on.settle()
	want(t, "events since", heard, 1)
	stop()
	stop()
	w.Invalidate()
	w.on.settle()
	want(t, "events after stop", heard, 1)
}

func TestSurfaceChangedIsCoalesced(t *testing.T) {
	w := newWorld(t, onLoop(t))
	handle := w.mount(plain())
	w.heard()
	handle.Invalidate()
	handle.Invalidate()
	w.Invalidate()
	wantLines(t, "one turn", w.heard(), []string{"surface-changed 4"})
	handle.Invalidate()
	wantLines(t, "next turn", w.heard(), []string{"surface-changed 5"})
	wantLines(t, "quiet turn", w.heard(), nil)
}

func TestSurfaceChangedNatively(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		w.mount(plain())
		events := w.heard()
		want(t, "the last event", events[len(events)-1], "surface-changed 1")
	})
}

func TestEventsAsData(t *testing.T) {
	for _, test := range []struct {
		event Event
		want  capability.JSON
	}{
		{Event{Type: SurfaceChanged, SurfaceVersion: "3"}, `{"type":"surface-changed","surfaceVersion":"3"}`},
		{Event{Type: ComponentRegistered, RegistrationID: "reg_1", ComponentType: "a", InstanceID: "b"}, `{"type":"component-registered","registrationId":"reg_1","componentType":"a","instanceId":"b"}`},
		{Event{Type: ComponentUnregistered, RegistrationID: "reg_1", ComponentType: "a", InstanceID: "b"}, `{"type":"component-unregistered","registrationId":"reg_1","componentType":"a","instanceId":"b"}`},
		{Event{Type: ComponentRejected, ComponentType: "a", InstanceID: "b", Reason: "guard"}, `{"type":"component-rejected","componentType":"a","instanceId":"b","reason":"guard"}`},
		{Event{Type: AvailabilityChanged, RegistrationID: "reg_1", CapabilityID: poke}, `{"type":"availability-changed","registrationId":"reg_1","capabilityId":"view:bench.widget.poke","available":false}`},
		{Event{Type: CollisionSuspected, ViewCapabilityID: "view:a.b", DomainProcedureID: "domain:a.b"}, `{"type":"collision-suspected","viewCapabilityId":"view:a.b","domainProcedureId":"domain:a.b"}`},
		{Event{Type: InvocationStarted, InvocationID: "inv_1", CapabilityID: poke, ConsumerID: "test:x"}, `{"type":"invocation-started","invocationId":"inv_1","capabilityId":"view:bench.widget.poke","consumerId":"test:x"}`},
		{Event{Type: InvocationSettled, InvocationID: "inv_1", CapabilityID: poke, Status: "error", Code: capability.CodeTimeout, Duration: 1500 * time.Millisecond}, `{"type":"invocation-settled","invocationId":"inv_1","capabilityId":"view:bench.widget.poke","status":"error","code":"TIMEOUT","durationMs":1500}`},
		{Event{Type: InvocationSettled, InvocationID: "inv_1", CapabilityID: poke, Status: "ok"}, `{"type":"invocation-settled","invocationId":"inv_1","capabilityId":"view:bench.widget.poke","status":"ok","durationMs":0}`},
		{Event{Type: ConfirmationRequested, ConfirmationID: "cnf_1", CapabilityID: poke, ExpiresAt: dawn}, `{"type":"confirmation-requested","confirmationId":"cnf_1","capabilityId":"view:bench.widget.poke","expiresAt":"2000-01-01T00:00:00.000Z"}`},
		{Event{Type: ConfirmationResolved, ConfirmationID: "cnf_1", Outcome: "denied"}, `{"type":"confirmation-resolved","confirmationId":"cnf_1","outcome":"denied"}`},
	} {
		want(t, string(test.event.Type), test.event.JSON(), test.want)
	}
}

func TestOneStartAndOneSettlementPerCall(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		w.mount(plain())
		w.heard()
		for _, q := range []Request{{CapabilityID: poke}, {CapabilityID: "nonsense"}, {CapabilityID: poke, Input: `[]`}} {
			w.call(q).result()
		}
		w.wantHeard("invocation-started "+poke, "invocation-settled "+poke+" ok",
			"invocation-started nonsense", "invocation-settled nonsense error CAPABILITY_NOT_FOUND",
			"invocation-started "+poke, "invocation-settled "+poke+" error INVALID_INPUT")
	})
}

func TestAuditLevels(t *testing.T) {
	for _, test := range []struct {
		level   capability.AuditLevel
		records int
		payload bool
	}{
		{capability.AuditNone, 0, false}, {capability.AuditMetadata, 2, false}, {capability.AuditFull, 2, true},
	} {
		t.Run(string(test.level), func(t *testing.T) {
			w := newWorld(t, onLoop(t))
			a := action("poke", func(_ contextArg, _ capability.JSON, _ *Call) (capability.JSON, error) { return `"OUT"`, nil })
			a.Audit = test.level
			w.mount(widget(a))
			w.call(Request{CapabilityID: poke, Input: `{"in":1}`}, func(o *InvokeOptions) {
				o.Consumer = capability.Consumer{ID: "x", Kind: capability.TestConsumer, ClaimedName: "Claude"}
			}).wantOK(`"OUT"`)
			events := w.trail.Events()[1:]
			want(t, "records", len(events), test.records)
			for i, e := range events {
				want(t, "consumer", e.ConsumerID, "test:x")
				want(t, "claimed name", e.ClaimedName, "Claude")
				want(t, "mode", e.AuthorityMode, "open")
				settled := i == 1
				want(t, "input", e.Input, map[bool]capability.JSON{true: `{"in":1}`}[settled && test.payload])
				want(t, "output", e.Output, map[bool]capability.JSON{true: `"OUT"`}[settled && test.payload])
			}
		})
	}
}

// TestTapsRecordWhatTheRegistryDiscards: a policy's own sink does not depend on the registry's.
func TestTapsRecordWhatTheRegistryDiscards(t *testing.T) {
	memory := audit.NewMemory(0)
	w := newWorld(t, onLoop(t), func(o *Options) { o.Audit = audit.Discard() })
	w.mount(widget(action("poke", echo), policy.Audit(memory, capability.AuditFull)))
	w.invoke(poke, `{"n":1}`).wantOutput(t, `{"n":1}`)
	var lines []string
	for _, e := range memory.Events() {
		lines = append(lines, fmt.Sprint(e.Type, " ", e.Input, e.Output))
	}
	wantLines(t, "trail", lines, []string{`invocation-started {"n":1}`, `invocation-settled {"n":1}{"n":1}`})
}

func TestAuditNoneRecordsNoFailureEither(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.mount(widget(observation("readState", gives(`1`)), instance("a")))
	w.mount(widget(observation("readState", gives(`1`)), instance("b")))
	w.invoke(readState, "").wantCode(t, capability.CodeAmbiguousInstance)
	w.call(Request{CapabilityID: readState, InstanceID: "a"}).wantOK(`1`)
	w.wantTrail("registration", "registration")
	w.invoke("view:no.such", "").wantCode(t, capability.CodeNotFound)
	w.wantTrail("registration", "registration", "invocation-started view:no.such embedded:anonymous",
		"invocation-settled view:no.such embedded:anonymous error CAPABILITY_NOT_FOUND")
}

func TestRedaction(t *testing.T) {
	for name, test := range map[string]struct {
		redact audit.Redact
		input  capability.JSON
	}{
		"changes": {func(id string, in, out capability.JSON) (capability.JSON, capability.JSON) { return `"***"`, out }, `"***"`},
		"panics":  {func(string, capability.JSON, capability.JSON) (capability.JSON, capability.JSON) { panic("secret") }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, onLoop(t), func(o *Options) { o.Redact = test.redact })
			own := audit.NewMemory(0)
			w.mount(widget(action("poke", echo), firstAction(func(a *Action) { a.Audit = capability.AuditFull }),
				policy.Policy{Name: "audit", Tap: &policy.Tap{Sink: own, Level: capability.AuditFull}}))
			w.invoke(poke, `{"password":"x"}`).wantOutput(t, `{"password":"x"}`)
			for _, sink := range []*audit.Memory{w.trail, own} {
				events := sink.Events()
				last := events[len(events)-1]
				want(t, "input", last.Input, test.input)
				if strings.Contains(string(last.JSON()), "password") != (name == "changes") { // only the output is left
					t.Errorf("the record is %s", last.JSON())
				}
			}
		})
	}
}

func TestFailingSinkChangesNothing(t *testing.T) {
	w := newWorld(t, onLoop(t), func(o *Options) { o.Audit = audit.SinkFunc(func(audit.Event) { panic("secret") }) })
	w.mount(plain())
	w.invoke(poke, "").wantOutput(t, `{}`)
	want(t, "logged", w.logged("the audit sink failed"), true)
}

func TestDefaultSinkWritesLinesInDevelopment(t *testing.T) {
	for env, lines := range map[capability.Environment]bool{capability.Development: true, capability.Test: false, capability.Production: false} {
		w := newWorld(t, onLoop(t), func(o *Options) { o.Audit = nil; o.Environment = env })
		w.mount(plain())
		want(t, "lines in "+string(env), w.logged(`pagewarden audit {"at":"2000-01-01T00:00:00.000Z","type":"registration"`), lines)
	}
}

func TestConfirmationsLeaveEventsAndRecords(t *testing.T) {
	for _, test := range []struct {
		name   string
		end    func(*world, string)
		events []string
		trail  []string
	}{
		{"approved and consumed", func(w *world, id string) {
			w.Confirmations().Resolve(id, true)
			w.call(Request{CapabilityID: removeItem, ConfirmationID: id}).wantOK(`1`)
		}, []string{"approved"}, []string{"approved", "consumed"}},
		{"denied", func(w *world, id string) { w.Confirmations().Resolve(id, false) }, []string{"denied"}, []string{"denied"}},
		{"expired", func(w *world, _ string) { w.on.advance(2 * time.Minute) }, []string{"expired"}, []string{"expired"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			onBothHosts(t, func(t *testing.T, on driver) {
				w := newWorld(t, on)
				w.SetExecutor(answering(`1`))
				w.mount(widget(procedure("items.remove", capability.Destructive)))
				id := w.call(Request{CapabilityID: removeItem}).wantError(capability.CodeConfirmationRequired).Detail("confirmationId")
				test.end(w, id)
				var events, trail []string
				for _, e := range w.heard() {
					if outcome, found := strings.CutPrefix(e, "confirmation-resolved "); found {
						events = append(events, outcome)
					}
				}
				for _, e := range w.trail.Events() {
					if step, found := strings.CutPrefix(string(e.Type), "confirmation-"); found && step != "requested" {
						trail = append(trail, step)
						want(t, "consumer", e.ConsumerID, "embedded:anonymous")
						want(t, "capability", e.CapabilityID, removeItem)
					}
				}
				wantLines(t, "events", events, test.events)
				wantLines(t, "trail", trail, test.trail)
			})
		})
	}
}

func TestDisposeEndsEverything(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		g.obeys = true
		w.SetExecutor(answering(`1`))
		handle := w.mount(widget(action("poke", g.run), navigation("go", g.run), observation("readState", g.read), procedure("items.remove", capability.Destructive)))
		running, waiting := w.call(Request{CapabilityID: poke}), w.call(Request{CapabilityID: poke})
		reading := w.call(Request{CapabilityID: readState})
		id := w.call(Request{CapabilityID: removeItem}).wantError(capability.CodeConfirmationRequired).Detail("confirmationId")
		w.heard()
		w.Dispose()
		wantRetry(t, running.wantError(capability.CodeCancelled, "progress=may-have-happened"), capability.RetryNo)
		wantRetry(t, waiting.wantError(capability.CodeCancelled, "progress=not-started"), capability.RetryNo)
		reading.wantError(capability.CodeCancelled)
		w.wantHeard("invocation-settled "+poke+" error CANCELLED", "invocation-settled "+poke+" error CANCELLED",
			"invocation-settled "+readState+" error CANCELLED", "confirmation-resolved expired")
		want(t, "disposed", w.Disposed(), true)
		want(t, "pending confirmations", len(w.Confirmations().Pending()), 0)
		want(t, "a late approval", w.Confirmations().Resolve(id, true), false)
		want(t, "status", handle.Status(), Unregistered)
		if _, err := w.Register(plain()); !errors.Is(err, ErrDisposed) {
			t.Errorf("Register gives %v", err)
		}
		if _, err := w.Snapshot(SnapshotOptions{}); !errors.Is(err, ErrDisposed) {
			t.Errorf("Snapshot gives %v", err)
		}
		wantRetry(t, w.call(Request{CapabilityID: poke}).wantError(capability.CodeCancelled, "progress=not-started"), capability.RetryNo)
		w.Dispose()
		w.Invalidate()
		w.wantHeard()
		w.wantEmpty()
	})
}

// wantEmpty asserts that nothing is kept any more.
func (w *world) wantEmpty() {
	w.t.Helper()
	wantLines(w.t, "what is left", w.Registry.leftovers(), nil)
}

// groups are the groups of calls that there are, with how many calls each may run at a time.
func (s *state) groups() map[*group]int {
	found := map[*group]int{}
	add := func(g *group, e *entry) {
		if g != nil {
			found[g] = 1
			if e != nil && e.queue.mode == Parallel {
				found[g] = e.queue.max
			}
		}
	}
	for _, g := range s.keyed {
		add(g, nil)
	}
	for _, reg := range s.live {
		for _, e := range reg.entries {
			if home := e.home(); home != nil {
				add(*home, e)
			}
		}
	}
	for _, c := range s.calls.inFlight() {
		if g, ok := c.slot.(*group); ok {
			add(g, c.entry)
		}
	}
	return found
}

// leftovers are the parts of the state that are not empty.
func (r *Registry) leftovers() (left []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.state
	sizes := map[string]int{
		"live": len(s.live), "byID": len(s.byID), "offers": len(s.offers), "groups": len(s.groups()), "readers": s.readers.running,
		"waiting readers": len(s.readers.waiting), "shares": len(s.readers.byConsumer), "calls": len(s.calls.byKey),
		"settled": s.calls.settled.length, "replays": len(s.calls.replaying), "tombstones": len(s.tombs.list),
		"events": len(s.events.pending), "listeners": len(s.events.listeners),
	}
	for _, what := range slices.Sorted(maps.Keys(sizes)) {
		if sizes[what] > 0 {
			left = append(left, fmt.Sprint(what, " ", sizes[what]))
		}
	}
	return left
}

// inspect looks at the state under the registry's lock.
func (w *world) inspect(look func(*state)) {
	w.Registry.mu.Lock()
	defer w.Registry.mu.Unlock()
	look(&w.state)
}

func TestDisposeInsideAHandlerAndAListener(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		w.mount(widget(action("poke", func(contextArg, capability.JSON, *Call) (capability.JSON, error) { w.Dispose(); return `1`, nil })))
		w.call(Request{CapabilityID: poke}).wantError(capability.CodeCancelled, "progress=may-have-happened")
		other := newWorld(t, on)
		g := newGate(on)
		other.mount(widget(action("poke", g.run)))
		call := other.call(Request{CapabilityID: poke})
		other.Subscribe(func(e Event) {
			if e.Type == ComponentRegistered {
				other.Dispose()
			}
		})
		other.heard()
		other.register(widget(action("poke", echo), ofType("last")))
		call.wantError(capability.CodeCancelled)
		other.wantHeard("component-registered last", "invocation-settled "+poke+" error CANCELLED")
		g.openAll(other)
	})
}

// register registers a component that need not stay live.
func (w *world) register(c *Component) {
	w.t.Helper()
	if _, err := w.Register(c); err != nil {
		w.t.Fatal(err)
	}
}
