package registry

import (
	"context"
	"errors"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
)

func navigation(name string, run runFunc) Action {
	a := action(name, run)
	a.Effect = capability.Navigation
	return a
}

func TestTimeLimits(t *testing.T) {
	own := func(d time.Duration) func(*Component) {
		return func(c *Component) {
			for i := range c.Observations {
				c.Observations[i].Timeout = d
			}
			for i := range c.Actions {
				c.Actions[i].Timeout = d
			}
			for i := range c.Procedures {
				c.Procedures[i].Timeout = d
			}
		}
	}
	for _, test := range []struct {
		name  string
		id    string
		parts []any
		call  time.Duration
		limit time.Duration
		retry capability.Retry
	}{
		{"observation", readState, nil, 0, 5 * time.Second, capability.RetryYes},
		{"action", poke, nil, 0, 10 * time.Second, capability.RetryNo},
		{"query", "domain:q", nil, 0, 30 * time.Second, capability.RetryYes},
		{"mutation", "domain:m", nil, 0, 30 * time.Second, capability.RetryNo},
		{"own limit", poke, []any{own(time.Minute)}, 0, time.Minute, capability.RetryNo},
		{"limit of the call", poke, []any{own(time.Minute)}, 2 * time.Second, 2 * time.Second, capability.RetryNo},
		{"idempotent action", poke, []any{firstAction(func(a *Action) { yes := true; a.Idempotent = &yes })}, 0, 10 * time.Second, capability.RetryYes},
	} {
		t.Run(test.name, func(t *testing.T) {
			onBothHosts(t, func(t *testing.T, on driver) {
				w, g := newWorld(t, on), newGate(on)
				w.SetExecutor(ExecutorFunc(func(c context.Context, _ string, in capability.JSON, call *Call) (capability.JSON, error) {
					return g.run(c, in, call)
				}))
				parts := append([]any{observation("readState", g.read), action("poke", g.run), procedure("q", capability.ServerQuery), procedure("m", capability.ServerMutation)}, test.parts...)
				w.mount(widget(parts...))
				call := w.call(Request{CapabilityID: test.id}, within(test.call))
				on.advance(test.limit - time.Millisecond)
				call.wantPending()
				on.advance(time.Millisecond)
				e := call.wantError(capability.CodeTimeout, "progress=may-have-happened",
					"timeoutMs="+capabilityMs(test.limit), "idempotent="+map[bool]string{true: "true", false: "false"}[test.retry == capability.RetryYes])
				wantRetry(t, e, test.retry)
				if !errors.Is(context.Cause(g.passage(0).signal), ErrTimedOut) {
					t.Errorf("the signal's cause is %v", context.Cause(g.passage(0).signal))
				}
				g.openAll(w)
			})
		})
	}
}

func capabilityMs(d time.Duration) string {
	var o capability.ObjectWriter
	o.Int("ms", d.Milliseconds())
	return string(o.JSON().Members()[0].Value)
}

func TestLateSettlementIsOnlyRecorded(t *testing.T) {
	for name, fail := range map[string]error{"ok": nil, "error": errors.New("late")} {
		t.Run(name, func(t *testing.T) {
			onBothHosts(t, func(t *testing.T, on driver) {
				w, g := newWorld(t, on), newGate(on)
				w.mount(widget(action("poke", g.run)))
				q := Request{InvocationID: "a", CapabilityID: poke}
				call := w.call(q, within(time.Second))
				on.advance(time.Second)
				result := call.result()
				w.heard()
				on.advance(time.Second)
				g.finish(g.passage(0), `"late"`, fail)
				wantLines(t, "events", w.heard(), nil)
				want(t, "the stored result", w.call(q).result(), result)
				w.wantTrail("registration", "invocation-started "+poke+" embedded:anonymous",
					"invocation-settled "+poke+" embedded:anonymous error TIMEOUT", "late-settlement "+poke+" embedded:anonymous "+name)
				events := w.trail.Events()
				want(t, "execution until late", events[3].Execution, 2*time.Second)
			})
		})
	}
}

func TestLateSettlementOfWhatIsNotRecorded(t *testing.T) {
	w := newWorld(t, onLoop(t))
	g := newGate(w.on)
	w.mount(widget(observation("readState", g.read)))
	call := w.call(Request{CapabilityID: readState}, within(time.Second))
	w.on.advance(time.Second)
	call.wantError(capability.CodeTimeout)
	g.openAll(w)
	w.wantTrail("registration")
}

func TestCallerCancels(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		w.mount(widget(action("poke", g.run)))
		call := w.call(Request{CapabilityID: poke})
		call.cancel()
		wantRetry(t, call.wantError(capability.CodeCancelled, "progress=may-have-happened"), capability.RetryYes)
		if !errors.Is(context.Cause(g.passage(0).signal), ErrCancelled) {
			t.Errorf("the signal's cause is %v", context.Cause(g.passage(0).signal))
		}
		g.openAll(w)
	})
}

func TestCancelledBeforeTheCallRunsNothing(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		ran := false
		w.mount(widget(action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) { ran = true; return "", nil })))
		w.heard()
		p := &pending{w: w}
		scope := newCancelledScope()
		w.Start(scope, Request{CapabilityID: poke}, InvokeOptions{}, func(r Result) { p.got = append(p.got, r) })
		p.wantError(capability.CodeCancelled, "progress=not-started")
		want(t, "handler ran", ran, false)
		w.wantHeard("invocation-started "+poke, "invocation-settled "+poke+" error CANCELLED")
	})
}

func TestCancelWhileAPolicyWaits(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		ran := false
		w.mount(widget(action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) { ran = true; return "", nil }),
			waiting(g, func() bool { return true })))
		call := w.call(Request{CapabilityID: poke})
		call.wantPending()
		call.cancel()
		call.wantError(capability.CodeCancelled, "progress=not-started")
		g.openAll(w)
		want(t, "handler ran", ran, false)
		want(t, "calls kept by the registration", len(w.state.offers[poke].first().reg.calls), 0)
	})
}

func TestCancelledInsideADiscoveryHook(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		p := &pending{w: w, scope: host.NewScope(context.Background())}
		ran := false
		handle := w.mount(widget(
			action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) { ran = true; return "", nil }),
			policy.Policy{Name: "p", OnDiscovery: func(*policy.Context) (policy.Vote, error) {
				p.scope.Cancel(errAborted)
				return policy.Vote{}, nil
			}}))
		w.Start(p.scope, Request{CapabilityID: poke}, InvokeOptions{}, func(r Result) { p.got = append(p.got, r) })
		p.wantError(capability.CodeCancelled, "progress=not-started")
		want(t, "handler ran", ran, false)
		want(t, "calls kept by the registration", len(handle.reg.calls), 0)
	})
}

func TestCancelByAnOrdinaryContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := bubbleDriver{host.Native()}
		w, g := newWorld(t, on), newGate(on)
		w.mount(widget(action("poke", g.run)))
		ctx, cancel := context.WithCancel(context.Background())
		results := make(chan Result, 1)
		go func() { results <- w.Invoke(ctx, Request{CapabilityID: poke}, InvokeOptions{}) }()
		on.settle()
		cancel()
		wantError(t, <-results, capability.CodeCancelled)
		g.openAll(w)
	})
}

// TestSlotThatComesFreeDuringUnregistration frees the slot after the registration has gone and before its
// calls are told: the one that waited must not start.
func TestSlotThatComesFreeDuringUnregistration(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		handle := w.mount(widget(action("poke", g.run)))
		running, waiting := w.call(Request{CapabilityID: poke}), w.call(Request{CapabilityID: poke})
		w.Subscribe(func(e Event) {
			if e.Type == ComponentUnregistered {
				g.release(w, 0, `1`)
			}
		})
		handle.Unregister()
		running.wantOK(`1`)
		waiting.wantError(capability.CodeUnmounted, "phase=mid-flight", "progress=not-started")
		want(t, "handlers", g.started(), 1)
	})
}

func TestUnregisteredInFlight(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		handle := w.mount(widget(action("poke", g.run)))
		call := w.call(Request{CapabilityID: poke})
		handle.Unregister()
		if !errors.Is(context.Cause(g.passage(0).signal), ErrUnregistered) {
			t.Errorf("the signal's cause is %v", context.Cause(g.passage(0).signal))
		}
		on.turn()
		e := call.wantError(capability.CodeUnmounted, "phase=mid-flight", "progress=may-have-happened")
		wantRetry(t, e, capability.RetryAfterRefresh)
		g.openAll(w)
	})
}

func TestUnregisteredInFlightSettlesOneTaskLater(t *testing.T) {
	on := onLoop(t)
	w, g := newWorld(t, on), newGate(on)
	handle := w.mount(widget(action("poke", g.run)))
	late, soon := w.call(Request{CapabilityID: poke}), w.call(Request{CapabilityID: poke})
	handle.Unregister()
	on.settle()
	late.wantPending()
	soon.wantError(capability.CodeUnmounted, "progress=not-started") // it was waiting, so nothing keeps it
	g.release(w, 0, `"done"`)
	late.wantOK(`"done"`)
	on.turn()
	late.wantOK(`"done"`)
}

func TestUnmountDoesNotWaitForTheClock(t *testing.T) {
	on := onLoop(t)
	w, g := newWorld(t, on), newGate(on)
	handle := w.mount(widget(action("poke", g.run)))
	call := w.call(Request{CapabilityID: poke})
	handle.Unregister()
	on.advance(time.Second) // timers run, tasks do not
	call.wantPending()
	on.turn()
	call.wantError(capability.CodeUnmounted)
	g.openAll(w)
}

func TestActionThatRemovesItselfDelivers(t *testing.T) {
	for name, remove := range map[string]func(*world, *Handle){
		"unregisters": func(_ *world, h *Handle) { h.Unregister() },
		"is replaced": func(w *world, _ *Handle) {
			if _, err := w.Register(plain()); err != nil {
				panic(err)
			}
		},
		"turns unavailable": func(_ *world, h *Handle) {
			if err := h.Update(Update{Availability: map[string]Availability{"poke": {}}}); err != nil {
				panic(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			onBothHosts(t, func(t *testing.T, on driver) {
				w := newWorld(t, on, func(o *Options) { o.OnDuplicateInstance = ReplaceDuplicate })
				var handle *Handle
				handle = w.mount(widget(action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) {
					remove(w, handle)
					return `"removed"`, nil
				})))
				result := w.invoke(poke, "")
				wantOK(t, result, `"removed"`)
				want(t, "surfaceChanged", result.SurfaceChanged, true)
				want(t, "surfaceVersion", result.SurfaceVersion, w.Version())
			})
		})
	}
}

func TestNavigationOutlivesItsOwner(t *testing.T) {
	for name, test := range map[string]struct {
		end  func(*world, *gate, *pending)
		want func(*testing.T, *pending)
	}{
		"resolves": {func(w *world, g *gate, _ *pending) { g.release(w, 0, `"there"`) }, func(t *testing.T, p *pending) { p.wantOK(`"there"`) }},
		"rejects": {func(w *world, g *gate, _ *pending) { g.fail(w, 0, errAborted) }, func(t *testing.T, p *pending) {
			wantRetry(t, p.wantError(capability.CodeCancelled, "progress=may-have-happened"), capability.RetryYes)
		}},
		"times out": {func(w *world, g *gate, _ *pending) { w.on.advance(10 * time.Second) }, func(t *testing.T, p *pending) {
			p.wantError(capability.CodeTimeout)
		}},
		"is cancelled": {func(_ *world, _ *gate, p *pending) { p.cancel() }, func(t *testing.T, p *pending) { p.wantError(capability.CodeCancelled) }},
	} {
		t.Run(name, func(t *testing.T) {
			onBothHosts(t, func(t *testing.T, on driver) {
				w, g := newWorld(t, on), newGate(on)
				handle := w.mount(widget(navigation("poke", g.run)))
				call := w.call(Request{CapabilityID: poke})
				handle.Unregister()
				on.turn()
				call.wantPending()
				want(t, "signal aborted", g.passage(0).signal.Err() != nil, true)
				test.end(w, g, call)
				test.want(t, call)
				g.openAll(w)
			})
		})
	}
}

func TestNavigationErrorWithoutUnmountIsAnError(t *testing.T) {
	w := newWorld(t, onLoop(t))
	g := newGate(w.on)
	w.mount(widget(navigation("poke", g.run)))
	call := w.call(Request{CapabilityID: poke})
	g.fail(w, 0, errAborted)
	wantNoSecret(t, call.wantError(capability.CodeExecutionFailed, "reason=handler-error"))
}

func TestNavigationUnregisteredBeforeDispatch(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		handle := w.mount(widget(navigation("poke", g.run)))
		running, waiting := w.call(Request{CapabilityID: poke}), w.call(Request{CapabilityID: poke})
		handle.Unregister()
		waiting.wantError(capability.CodeUnmounted, "phase=mid-flight", "progress=not-started")
		running.wantPending()
		g.release(w, 0, "")
		running.wantOK("")
		want(t, "handlers", g.started(), 1)
	})
}

func TestUnregisteredWhileAPolicyWaits(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		handle := w.mount(widget(action("poke", echo), waiting(g, func() bool { return true })))
		call := w.call(Request{CapabilityID: poke})
		handle.Unregister()
		call.wantError(capability.CodeUnmounted, "phase=mid-flight", "progress=not-started")
		g.openAll(w)
	})
}

func TestHandlerErrors(t *testing.T) {
	big := capability.PreconditionFailed("Too much.", `{"x":"`+capability.JSON(long(2048))+`"}`)
	wrongRetry := capability.NotAuthorized("client")
	wrongRetry.Retry = capability.RetryYes
	tooLong := capability.NotAuthorized("client")
	tooLong.Message = long(301)
	for _, test := range []struct {
		name    string
		err     error
		code    capability.Code
		details []string
	}{
		{"unknown", errors.New("secret"), capability.CodeExecutionFailed, []string{"reason=handler-error", "progress="}},
		{"precondition", capability.PreconditionFailed("Choose a row first.", `{"rows":0}`), capability.CodePreconditionFailed, []string{"rows=0"}},
		{"wrapped", errors.Join(errors.New("secret"), capability.NotAvailable("busy")), capability.CodeNotAvailable, []string{"reason=busy"}},
		{"not signed in", capability.NotAuthenticated(), capability.CodeNotAuthenticated, nil},
		{"invalid input", capability.InvalidInput([]capability.Issue{{Path: "a", Message: "must be free"}}), capability.CodeInvalidInput, nil},
		{"rate", capability.RateLimited("rate", time.Second), capability.CodeRateLimited, []string{"retryAfterMs=1000"}},
		{"own failure", capability.ExecutionFailed("handler-error"), capability.CodeExecutionFailed, nil},
		{"a code that none may throw", capability.NotFound(), capability.CodeExecutionFailed, []string{"reason=handler-error"}},
		{"a confirmation by an action", &capability.Error{Code: capability.CodeConfirmationRequired, Retry: capability.RetryWithConfirmation, Message: "x", Details: `{"origin":"server"}`}, capability.CodeExecutionFailed, []string{"reason=handler-error"}},
		{"details too large", big, capability.CodeExecutionFailed, []string{"reason=handler-error"}},
		{"a retry outside the table", wrongRetry, capability.CodeExecutionFailed, []string{"reason=handler-error"}},
		{"a message too long", tooLong, capability.CodeExecutionFailed, []string{"reason=handler-error"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			onBothHosts(t, func(t *testing.T, on driver) {
				w := newWorld(t, on)
				w.mount(widget(action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) { return `1`, test.err })))
				e := wantError(t, w.invoke(poke, ""), test.code, test.details...)
				wantNoSecret(t, e)
				w.invoke(poke, "").wantCode(t, test.code)
			})
		})
	}
}

func TestHandlerPanicIsAnErrorAndTheNextCallWorks(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		w.mount(widget(observation("readState", gives(`1`)), action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) {
			var none []string
			return capability.JSON(none[len("secret")]), nil
		})))
		wantNoSecret(t, wantError(t, w.invoke(poke, ""), capability.CodeExecutionFailed, "reason=handler-error"))
		w.invoke(readState, "").wantOutput(t, `1`)
		want(t, "told the developer", w.logged("the handler of "+poke+" failed"), true)
	})
}

func TestOutputs(t *testing.T) {
	const integer = capability.JSON(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	deep := func(n int) capability.JSON {
		return capability.JSON(strings.Repeat("[", n) + strings.Repeat("]", n))
	}
	for _, test := range []struct {
		name   string
		schema capability.JSON
		output capability.JSON
		reason string // "" for ok
	}{
		{"as declared", integer, `{"n":1}`, ""},
		{"not as declared", integer, `{"n":"secret"}`, "output-invalid"},
		{"absent", "", "", ""},
		{"undeclared", "", `[1,null,"x",true]`, ""},
		{"no JSON", "", `{"n":`, "output-invalid"},
		{"not finite", "", `[NaN]`, "output-invalid"},
		{"a number too large", "", `[1e999]`, "output-invalid"},
		{"invalid UTF-8", "", "\"\xff\"", "output-invalid"},
		{"a lone surrogate", "", `"\ud800"`, "output-invalid"},
		{"as deep as allowed", "", deep(64), ""},
		{"too deep", "", deep(65), "output-invalid"},
		{"far too deep", "", deep(10000), "output-invalid"},
		{"as large as allowed", "", `"` + capability.JSON(long(32766)) + `"`, ""},
		{"too large", "", `"` + capability.JSON(long(32767)) + `"`, "output-too-large"},
		{"too large and not JSON", "", capability.JSON(long(40000)), "output-too-large"},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, onLoop(t))
			a := action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) { return test.output, nil })
			a.Output.Document = test.schema
			w.mount(widget(a))
			result := w.invoke(poke, "")
			if test.reason == "" {
				wantOK(t, result, test.output)
				return
			}
			e := wantError(t, result, capability.CodeExecutionFailed, "reason="+test.reason, "progress=done")
			wantRetry(t, e, capability.RetryNo)
			wantNoSecret(t, e)
			want(t, "output", result.Output, "")
		})
	}
}

func TestObservationWithoutOutputIsInvalid(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.mount(widget(observation("readState", gives(""))))
	wantError(t, w.invoke(readState, ""), capability.CodeExecutionFailed, "reason=output-invalid")
}

func TestBadOutputIsLoggedOutsideProduction(t *testing.T) {
	for env, logged := range map[capability.Environment]bool{
		capability.Development: true, capability.Test: true, capability.Production: false,
	} {
		w := newWorld(t, onLoop(t), func(o *Options) { o.Environment = env })
		w.mount(widget(action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) {
			return `{"rows":[{"name":"a"},{"name":NaN}]}`, nil
		})))
		w.invoke(poke, "").wantCode(t, capability.CodeExecutionFailed)
		want(t, "logged in "+string(env), w.logged("rows[1].name"), logged)
	}
}

func TestParsedOutput(t *testing.T) {
	parse := func(text capability.JSON) (capability.JSON, []capability.Issue) {
		switch text {
		case `1`:
			return `"one"`, nil
		case `2`:
			return `{"not":JSON}`, nil
		}
		return "", []capability.Issue{{Message: "must be one"}}
	}
	w := newWorld(t, onLoop(t))
	a := action("poke", func(_ context.Context, in capability.JSON, _ *Call) (capability.JSON, error) {
		return in.Members()[0].Value, nil
	})
	a.Output = Schema{Document: anyValue, Parse: parse}
	w.mount(widget(a))
	w.invoke(poke, `{"v":1}`).wantOutput(t, `"one"`)
	wantError(t, w.invoke(poke, `{"v":2}`), capability.CodeExecutionFailed, "reason=output-invalid")
	wantError(t, w.invoke(poke, `{"v":3}`), capability.CodeExecutionFailed, "reason=output-invalid")
}

func TestPreconditions(t *testing.T) {
	for _, test := range []struct {
		name    string
		check   func(capability.JSON, *Call) error
		code    capability.Code
		message string
		details []string
	}{
		{"holds", func(capability.JSON, *Call) error { return nil }, "", "", nil},
		{"refuses", func(capability.JSON, *Call) error { return Refuse("Choose a row first.", `{"rows":0}`) }, capability.CodePreconditionFailed, "Choose a row first.", []string{"rows=0"}},
		{"other error", func(capability.JSON, *Call) error { return errors.New("secret") }, capability.CodePreconditionFailed, "", nil},
		{"panics", func(capability.JSON, *Call) error { panic("secret") }, capability.CodePreconditionFailed, "", nil},
		{"throws a code", func(capability.JSON, *Call) error { return capability.NotAvailable("busy") }, capability.CodeNotAvailable, "", []string{"reason=busy"}},
		{"details too large", func(capability.JSON, *Call) error { return Refuse("x", `"`+capability.JSON(long(2048))+`"`) }, capability.CodePreconditionFailed, "", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, onLoop(t))
			ran := false
			var saw capability.JSON
			a := action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) { ran = true; return "", nil })
			a.Precondition = func(in capability.JSON, c *Call) error { saw = in; return test.check(in, c) }
			w.mount(widget(a))
			result := w.invoke(poke, `{"a":1}`)
			want(t, "input seen", saw, `{"a":1}`)
			want(t, "handler ran", ran, test.code == "")
			if test.code == "" {
				wantOK(t, result, "")
				return
			}
			e := wantError(t, result, test.code, test.details...)
			wantNoSecret(t, e)
			if test.message != "" {
				want(t, "message", e.Message, test.message)
			}
		})
	}
}

func TestWhatHandlersAreTold(t *testing.T) {
	w := newWorld(t, onLoop(t))
	var read, executed *Call
	handle := w.mount(widget(
		observation("readState", func(_ context.Context, c *Call) (capability.JSON, error) { read = c; return `1`, nil }),
		action("poke", func(_ context.Context, _ capability.JSON, c *Call) (capability.JSON, error) {
			executed = c
			return "", nil
		})))
	agent := as(capability.WebMCPConsumer, "x", "g1")
	w.call(Request{CapabilityID: readState}, agent)
	w.call(Request{InvocationID: "me", CapabilityID: poke}, agent)
	for id, c := range map[string]*Call{readState: read, poke: executed} {
		want(t, "capability", c.CapabilityID, id)
		want(t, "registration", c.RegistrationID, handle.RegistrationID())
		want(t, "consumer", c.Consumer.Key(), "webmcp:x")
		want(t, "grant", c.Consumer.Grants[0], "g1")
	}
	want(t, "invocation", executed.InvocationID, "me")
	want(t, "confirmation", executed.Confirmation, nil)
}

func TestOnSettle(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		var told, stopped, after atomic.Int32
		var call *Call
		w.mount(widget(action("poke", func(ctx context.Context, in capability.JSON, c *Call) (capability.JSON, error) {
			call = c
			c.OnSettle(func() { told.Add(1) })
			c.OnSettle(func() { stopped.Add(1) })()
			return g.run(ctx, in, c)
		})))
		p := w.call(Request{CapabilityID: poke}, within(time.Second))
		want(t, "told before", told.Load(), 0)
		on.advance(time.Second)
		p.wantError(capability.CodeTimeout)
		want(t, "told at the time-out", told.Load(), 1)
		want(t, "told although stopped", stopped.Load(), 0)
		call.OnSettle(func() { after.Add(1) })
		want(t, "told at once when it is over", after.Load(), 1)
		g.openAll(w)
		want(t, "told again", told.Load(), 1)
	})
}

func TestResultAsData(t *testing.T) {
	ok := Result{InvocationID: "inv_1", CapabilityID: poke, Output: `{"a":1}`, SurfaceVersion: "3", SurfaceChanged: true}
	want(t, "ok", ok.JSON(), `{"status":"ok","invocationId":"inv_1","capabilityId":"view:bench.widget.poke","output":{"a":1},"surfaceVersion":"3","surfaceChanged":true}`)
	absent := Result{InvocationID: "inv_1", CapabilityID: poke, SurfaceVersion: "3"}
	want(t, "without output", absent.JSON(), `{"status":"ok","invocationId":"inv_1","capabilityId":"view:bench.widget.poke","surfaceVersion":"3"}`)
	failed := Result{InvocationID: "inv_1", CapabilityID: poke, Error: capability.NotAvailable("busy"), SurfaceVersion: "3"}
	if text := string(failed.JSON()); !strings.HasPrefix(text, `{"status":"error","invocationId":"inv_1","capabilityId":"view:bench.widget.poke","error":{"code":"CAPABILITY_NOT_AVAILABLE","message":`) {
		t.Errorf("error: %s", text)
	}
}
