package registry

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
)

func TestSameRequestInFlightJoins(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		w.mount(widget(action("poke", g.run)))
		first := w.call(Request{InvocationID: "a", CapabilityID: poke, Input: `{"x":1,"y":[2]}`})
		second := w.call(Request{InvocationID: "a", CapabilityID: poke, Input: ` { "y" : [2.0], "x": 1 } `})
		first.wantPending()
		second.wantPending()
		want(t, "handlers", g.started(), 1)
		g.release(w, 0, `"done"`)
		first.wantOK(`"done"`)
		second.wantOK(`"done"`)
		w.wantHeard("component-registered bench.widget", "invocation-started "+poke, "invocation-settled "+poke+" ok")
	})
}

func TestSettledRequestIsReplayedVerbatim(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		runs := 0
		handle := w.mount(widget(action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) {
			runs++
			return capability.JSON(fmt.Sprint(runs)), nil
		})))
		first := w.call(Request{InvocationID: "a", CapabilityID: poke}).result()
		handle.Invalidate()
		again := w.call(Request{InvocationID: "a", CapabilityID: poke}).result()
		want(t, "the replayed result", again, first)
		handle.Unregister()
		want(t, "the result after unregistering", w.call(Request{InvocationID: "a", CapabilityID: poke}).result(), first)
		want(t, "runs", runs, 1)
	})
}

func TestFingerprintCoversEveryMember(t *testing.T) {
	base := Request{InvocationID: "a", CapabilityID: poke, Input: `{"x":1}`}
	other := map[string]func(*Request){
		"capabilityId":   func(q *Request) { q.CapabilityID = readState },
		"registrationId": func(q *Request) { q.RegistrationID = "reg_x" },
		"instanceId":     func(q *Request) { q.InstanceID = "default" },
		"surfaceVersion": func(q *Request) { q.SurfaceVersion = "1" },
		"input":          func(q *Request) { q.Input = `{"x":2}` },
		"input kind":     func(q *Request) { q.Input = `{"x":"1"}` },
		"large input":    func(q *Request) { q.Input = `{"x":"` + capability.JSON(strings.Repeat("y", 2000)) + `"}` },
		"confirmationId": func(q *Request) { q.ConfirmationID = "cnf_x" },
	}
	for name, change := range other {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, onLoop(t))
			w.mount(plain())
			first := w.call(base).result()
			wantOK(t, first, `{"x":1}`)
			q := base
			change(&q)
			e := w.call(q).wantError(capability.CodeConflict, "reason=id-reused-with-different-request")
			if strings.Contains(string(e.JSON()), `"x"`) {
				t.Errorf("the conflict tells of the earlier request: %s", e.JSON())
			}
			want(t, "the stored result", w.call(base).result(), first)
		})
	}
}

func TestFingerprintSeesThroughSpellingAndSize(t *testing.T) {
	text := strings.Repeat("y", 1100)
	for name, pair := range map[string][2]capability.JSON{
		"large, members in another order": {`{"a":"` + capability.JSON(text) + `","b":1}`, `{"b":1.0,"a":"` + capability.JSON(text) + `"}`},
		"small, spelled otherwise":        {`{"a":[1.0],"b":"\u0061"}`, `{ "b":"a", "a":[1] }`},
		"small beside padded":             {`{"a":1}`, `{"a":` + capability.JSON(strings.Repeat(" ", 2000)) + `1}`},
		"padded beside small":             {`{"a":` + capability.JSON(strings.Repeat(" ", 2000)) + `1}`, `{"a":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, onLoop(t))
			w.mount(plain())
			first := w.call(Request{InvocationID: "a", CapabilityID: poke, Input: pair[0]}).result()
			want(t, "the replay", w.call(Request{InvocationID: "a", CapabilityID: poke, Input: pair[1]}).result(), first)
		})
	}
	t.Run("large inputs that differ", func(t *testing.T) {
		w := newWorld(t, onLoop(t))
		w.mount(plain())
		w.call(Request{InvocationID: "a", CapabilityID: poke, Input: `{"a":"` + capability.JSON(text) + `1"}`})
		w.call(Request{InvocationID: "a", CapabilityID: poke, Input: `{"a":"` + capability.JSON(text) + `2"}`}).wantError(capability.CodeConflict)
	})
}

func TestConflictInFlightLeavesTheCallAlone(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		handle := w.mount(widget(action("poke", g.run)))
		first := w.call(Request{InvocationID: "a", CapabilityID: poke})
		handle.Invalidate()
		conflict := w.call(Request{InvocationID: "a", CapabilityID: poke, Input: `{"other":1}`})
		conflict.wantError(capability.CodeConflict)
		want(t, "surfaceChanged of the conflict", conflict.result().SurfaceChanged, false)
		g.release(w, 0, "")
		first.wantOK("")
		want(t, "surfaceChanged of the call", first.result().SurfaceChanged, true)
	})
}

func TestWhatIsStored(t *testing.T) {
	thrown := func(e *capability.Error) runFunc {
		return func(context.Context, capability.JSON, *Call) (capability.JSON, error) { return "", e }
	}
	limited := &capability.Error{Code: capability.CodeRateLimited, Retry: capability.RetryAfterDelay, Message: "Later.", Details: `{"reason":"rate"}`}
	for _, test := range []struct {
		name   string
		run    runFunc
		input  capability.JSON
		stored bool
	}{
		{"ok", echo, "", true},
		{"invalid input", echo, `[]`, true},
		{"handler error", thrown(capability.NotAuthorized("client")), "", true},
		{"rate limit", thrown(limited), "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, onLoop(t))
			w.mount(widget(action("poke", test.run)))
			q := Request{InvocationID: "a", CapabilityID: poke, Input: test.input}
			w.call(q).result()
			w.call(q).result()
			started := 0
			for _, e := range w.heard() {
				if strings.HasPrefix(e, "invocation-started") {
					started++
				}
			}
			want(t, "stored", started == 1, test.stored)
		})
	}
}

func TestConfirmationRequiredIsNotStored(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.SetExecutor(ExecutorFunc(func(context.Context, string, capability.JSON, *Call) (capability.JSON, error) { return `1`, nil }))
	w.mount(widget(procedure("items.remove", capability.Destructive)))
	q := Request{InvocationID: "a", CapabilityID: removeItem}
	e := w.call(q).wantError(capability.CodeConfirmationRequired)
	q.ConfirmationID = e.Detail("confirmationId")
	w.Confirmations().Resolve(q.ConfirmationID, true)
	w.call(q).wantOK(`1`)
}

func TestStoreIsBoundedBySizeAndTime(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on, limited(func(l *capability.Limits) { l.DedupeCacheSize = 2; l.DedupeCacheTTL = time.Minute }))
		runs := map[string]int{}
		w.mount(widget(action("poke", func(_ context.Context, _ capability.JSON, c *Call) (capability.JSON, error) {
			runs[c.InvocationID]++
			return "", nil
		})))
		call := func(id string) { w.call(Request{InvocationID: id, CapabilityID: poke}).wantOK("") }
		for _, id := range []string{"a", "b", "a", "c", "b", "a"} { // c puts a out, which was the oldest
			call(id)
		}
		want(t, "runs of a", runs["a"], 2)
		want(t, "runs of b", runs["b"], 1)
		on.advance(time.Minute)
		call("a")
		want(t, "runs of a after its time", runs["a"], 3)
	})
}

func TestInFlightIsNeverEvicted(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on, limited(func(l *capability.Limits) { l.DedupeCacheSize = 1; l.DedupeCacheTTL = time.Second })), newGate(on)
		w.mount(widget(action("slow", g.run), func(c *Component) { c.Actions[0].Timeout = time.Hour }, action("poke", echo), func(c *Component) {
			c.Actions[1].Concurrency.Mode = PerCapability
		}))
		first := w.call(Request{InvocationID: "slow", CapabilityID: "view:bench.widget.slow"})
		for i := range 5 {
			w.call(Request{InvocationID: fmt.Sprint(i), CapabilityID: poke}).wantOK(`{}`)
			on.advance(time.Second)
		}
		joined := w.call(Request{InvocationID: "slow", CapabilityID: "view:bench.widget.slow"})
		want(t, "handlers", g.started(), 1)
		g.release(w, 0, `1`)
		first.wantOK(`1`)
		joined.wantOK(`1`)
	})
}

func TestConsumersDoNotShareIdentity(t *testing.T) {
	w := newWorld(t, onLoop(t))
	runs := 0
	w.mount(widget(action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) { runs++; return "", nil })))
	q := Request{InvocationID: "a", CapabilityID: poke}
	for _, who := range []func(*InvokeOptions){
		as(capability.EmbeddedConsumer, "one"), as(capability.EmbeddedConsumer, "two"), as(capability.WebMCPConsumer, "one"),
		func(*InvokeOptions) {},
	} {
		w.call(q, who).wantOK("")
		w.call(q, who).wantOK("")
	}
	w.call(q, as(capability.EmbeddedConsumer, "anonymous")).wantOK("") // the consumer of whoever names none
	want(t, "runs", runs, 4)
}

func TestReplayOfReadsAsksAgain(t *testing.T) {
	for _, test := range []struct {
		name   string
		vote   policy.Decision
		err    error
		code   capability.Code
		effect capability.Effect
	}{
		{"hidden", policy.Hide, nil, capability.CodeNotFound, capability.Read},
		{"disabled", policy.Disable, nil, capability.CodeNotAvailable, capability.Read},
		{"signed out", policy.Expose, capability.NotAuthenticated(), capability.CodeNotAuthenticated, capability.Read},
		{"server query signed out", policy.Expose, capability.NotAuthenticated(), capability.CodeNotAuthenticated, capability.ServerQuery},
		{"mutation stays", policy.Hide, nil, "", capability.ServerMutation},
		{"still allowed", policy.Expose, nil, "", capability.Read},
	} {
		t.Run(test.name, func(t *testing.T) {
			onBothHosts(t, func(t *testing.T, on driver) {
				w := newWorld(t, on)
				w.SetExecutor(ExecutorFunc(func(context.Context, string, capability.JSON, *Call) (capability.JSON, error) { return `1`, nil }))
				later := false
				gate := policy.Policy{Name: "gate",
					OnDiscovery: func(*policy.Context) (policy.Vote, error) {
						if later {
							return policy.Vote{Decision: test.vote}, nil
						}
						return policy.Vote{}, nil
					},
					OnAuthorize: func(_ *policy.Context, next func() error) error {
						if later && test.err != nil {
							return test.err
						}
						return next()
					}}
				id := readState
				if test.effect == capability.Read {
					w.mount(widget(observation("readState", gives(`1`)), gate))
				} else {
					id = removeItem
					w.mount(widget(procedure("items.remove", test.effect), gate))
				}
				q := Request{InvocationID: "a", CapabilityID: id}
				w.call(q).wantOK(`1`)
				later = true
				if test.code == "" {
					w.call(q).wantOK(`1`)
					return
				}
				w.call(q).wantError(test.code)
				later = false
				w.call(q).wantOK(`1`) // the stored result is still there
			})
		})
	}
}

// policyCall lets a gate stop waiting for what a policy waits for.
type policyCall struct{ about *policy.Context }

func (c policyCall) whenSettled(f func()) (stop func()) { return c.about.OnSettle(f) }
func (policyCall) late(error)                           {}

// waiting is a policy that waits in phase 4 while wait says so.
func waiting(g *gate, wait func() bool) policy.Policy {
	return policy.Policy{Name: "waiting", OnAuthorize: func(c *policy.Context, next func() error) error {
		if wait() {
			if _, err := g.run(context.Background(), "", &Call{of: policyCall{c}}); err != nil {
				return err
			}
		}
		return next()
	}}
}

func TestReplayThatWaitsCanBeCancelledAndDisposed(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		later := false
		w.mount(widget(observation("readState", gives(`1`)), waiting(g, func() bool { return later })))
		q := Request{InvocationID: "a", CapabilityID: readState}
		w.call(q).wantOK(`1`)
		later = true
		cancelled, disposed := w.call(q), w.call(q)
		cancelled.wantPending()
		cancelled.cancel()
		wantRetry(t, cancelled.wantError(capability.CodeCancelled, "progress=not-started"), capability.RetryYes)
		disposed.wantPending()
		w.Dispose()
		wantRetry(t, disposed.wantError(capability.CodeCancelled), capability.RetryNo)
		g.openAll(w)
	})
}

func TestJoinedCallersLeaveOneByOne(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		g.obeys = true
		handle := w.mount(widget(action("poke", g.run)))
		q := Request{InvocationID: "a", CapabilityID: poke}
		first, second, third := w.call(q), w.call(q), w.call(q)
		handle.Invalidate()
		second.cancel()
		second.wantError(capability.CodeCancelled, "progress=may-have-happened")
		first.wantPending()
		want(t, "signal", g.passage(0).signal.Err(), nil)
		first.cancel()
		first.wantError(capability.CodeCancelled)
		third.cancel()
		third.wantError(capability.CodeCancelled)
		want(t, "surfaceChanged", third.result().SurfaceChanged, true)
		if !errors.Is(context.Cause(g.passage(0).signal), ErrCancelled) {
			t.Errorf("the handler's signal has cause %v", context.Cause(g.passage(0).signal))
		}
	})
}

// TestJoinedCallersLeaveAtOnce: however they come between each other, the call ends with the last.
func TestJoinedCallersLeaveAtOnce(t *testing.T) {
	for range 300 {
		synctest.Test(t, func(t *testing.T) {
			on := bubbleDriver{host.Native()}
			w, g := newWorld(t, on), newGate(on)
			g.obeys = true
			w.mount(widget(action("poke", g.run)))
			ctx, cancel := context.WithCancel(context.Background())
			results := make(chan Result, 3)
			for range cap(results) {
				go func() { results <- w.Invoke(ctx, Request{InvocationID: "a", CapabilityID: poke}, InvokeOptions{}) }()
			}
			on.settle()
			cancel()
			for range cap(results) {
				wantError(t, <-results, capability.CodeCancelled)
			}
			on.settle()
			if signal := g.passage(0).signal; signal.Err() == nil {
				t.Error("nobody is left, and the handler has not been told")
				g.openAll(w)
			}
		})
	}
}

func TestGeneratedInvocationIDs(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.mount(plain())
	first, second := w.invoke(poke, ""), w.invoke(poke, "")
	if !strings.HasPrefix(first.InvocationID, "inv_") || first.InvocationID == second.InvocationID {
		t.Errorf("ids are %q and %q", first.InvocationID, second.InvocationID)
	}
}
