package registry

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
)

// A nil pointer that became an error is an error of the application's own, and the classic one to make.
func TestNilPayloadIsAnUnknownCause(t *testing.T) {
	nothing := func() error { var none *capability.Error; return none }
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		fails := func(context.Context, capability.JSON, *Call) (capability.JSON, error) {
			return "", nothing()
		}
		refuses := action("refuse", echo)
		refuses.Precondition = func(capability.JSON, *Call) error { return nothing() }
		guarded := action("guarded", echo)
		guarded.Policies = []policy.Policy{{Name: "nil", OnAuthorize: func(*policy.Context, func() error) error { return nothing() }}}
		w.mount(widget(action("poke", fails), refuses, guarded))
		wantError(t, w.invoke(poke, ""), capability.CodeExecutionFailed, "reason=handler-error")
		wantError(t, w.invoke("view:bench.widget.refuse", ""), capability.CodePreconditionFailed)
		wantError(t, w.invoke("view:bench.widget.guarded", ""), capability.CodeExecutionFailed, "reason=handler-error")
	})
}

// panickyAs is an error whose own methods panic.
type panickyAs struct{}

func (panickyAs) Error() string { return "secret" }
func (panickyAs) As(any) bool   { panic("secret") }

// A replay asks the policies again, outside of the pipeline: whatever they do, the retry gets an answer.
func TestReplayThatPanicsIsAnswered(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		var bad atomic.Bool
		w.mount(widget(observation("readState", gives(`1`)), policy.Policy{Name: "turns", OnAuthorize: func(_ *policy.Context, next func() error) error {
			if bad.Load() {
				return panickyAs{}
			}
			return next()
		}}))
		again := Request{CapabilityID: readState, InvocationID: "i"}
		w.call(again).wantOK(`1`)
		bad.Store(true)
		wantNoSecret(t, w.call(again).wantError(capability.CodeExecutionFailed))
	})
}

// What a handler threw is stored as it was then.
func TestThrownPayloadIsCopied(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		thrown := capability.NotAuthorized("server")
		w.mount(widget(action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) { return "", thrown })))
		q := Request{CapabilityID: poke, InvocationID: "i"}
		first := w.call(q).wantError(capability.CodeNotAuthorized).JSON()
		thrown.Message = "changed"
		want(t, "the replay", w.call(q).wantError(capability.CodeNotAuthorized).JSON(), first)
	})
}

func TestHookThatPanicsAtSettlementHarmsNobody(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		ran := 0
		w.mount(widget(action("poke", func(_ context.Context, _ capability.JSON, call *Call) (capability.JSON, error) {
			call.OnSettle(func() { panic("secret") })
			call.OnSettle(func() { ran++ })
			return `1`, nil
		})))
		w.call(Request{CapabilityID: poke}).wantOK(`1`)
		want(t, "hooks run after the one that failed", ran, 1)
	})
}

func TestCallbackThatPanicsHarmsNoOtherCaller(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		g := newGate(on)
		w.mount(widget(action("poke", g.run)))
		q := Request{CapabilityID: poke, InvocationID: "i"}
		w.Start(context.Background(), q, InvokeOptions{}, func(Result) { panic("secret") })
		joined := w.call(q)
		g.release(w, 0, `1`)
		joined.wantOK(`1`)
	})
}

func TestRemovalHookThatPanicsHarmsNobody(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on, limited(func(l *capability.Limits) { l.TombstoneSize = 0 }))
		c := widget(func(c *Component) {
			c.Actions = []Action{action("poke", echo)}
			c.Actions[0].Confirmation = capability.Required
			c.OnRemoved = func() { panic("secret") }
			c.OnForgotten = func() { panic("secret") }
		})
		handle := w.mount(c)
		w.call(Request{CapabilityID: poke}).wantError(capability.CodeConfirmationRequired)
		handle.Unregister()
		want(t, "pending confirmations of what is gone", len(w.Confirmations().Pending()), 0)
		want(t, "logged", w.logged("secret"), true)
	})
}

// A policy sees the call as it is, whatever another policy did to what it was told.
func TestPolicyCannotChangeWhatOthersSee(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		seen := capability.JSON("")
		w.mount(widget(action("poke", echo),
			policy.Policy{Name: "meddler",
				OnAuthorize: func(ctx *policy.Context, next func() error) error { ctx.Consumer.ID = "root"; return next() },
				OnInvoke: func(ctx *policy.InvokeContext, next func() error) error {
					ctx.EffectiveInput = `{}`
					ctx.Consumer.ID = "root"
					return next()
				},
			},
			policy.Policy{Name: "judge",
				OnAuthorize: func(ctx *policy.Context, next func() error) error {
					if ctx.Consumer.ID == "root" {
						t.Error("onAuthorize was told of another consumer")
					}
					return next()
				},
				OnInvoke: func(ctx *policy.InvokeContext, next func() error) error { seen = ctx.EffectiveInput; return next() },
			},
			policy.RequireConfirmation(policy.Raise{If: func(ctx *policy.InvokeContext) bool { return strings.Contains(string(ctx.EffectiveInput), "big") }}),
		))
		w.call(Request{CapabilityID: poke, Input: `{"n":"big"}`}).wantError(capability.CodeConfirmationRequired)
		want(t, "input that the judge saw", seen, `{"n":"big"}`)
	})
}

// A call that is over by the time its record would be made leaves none for a person to wonder about.
func TestNoRecordForACallThatIsOver(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		for _, ends := range []string{"cancel", "unregister", "dispose"} {
			w := newWorld(t, on)
			scope := newScope()
			var handle *Handle
			raise := policy.Raise{If: func(*policy.InvokeContext) bool {
				switch ends {
				case "cancel":
					scope.Cancel(errors.New("no"))
				case "unregister":
					handle.Unregister()
				default:
					w.Dispose()
				}
				return true
			}}
			handle = w.mount(widget(action("poke", echo), policy.RequireConfirmation(raise)))
			w.Start(scope, Request{CapabilityID: poke}, InvokeOptions{}, func(Result) {})
			w.on.settle()
			want(t, "pending after "+ends, len(w.Confirmations().Pending()), 0)
		}
	})
}

// A context that is done before the call starts nothing, whatever kind of context it is.
func TestDoneContextStartsNothing(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		ran := 0
		w.mount(widget(action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) { ran++; return "", nil })))
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		var got []Result
		w.Start(ctx, Request{CapabilityID: poke}, InvokeOptions{}, func(r Result) { got = append(got, r) })
		w.on.settle()
		want(t, "results", len(got), 1)
		wantError(t, got[0], capability.CodeCancelled, "progress=not-started")
		want(t, "handlers run", ran, 0)
	})
}

// Where nothing may run, nothing waits for a slot either.
func TestPoolOfNothingRefuses(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		for _, none := range []func(*capability.Limits){
			func(l *capability.Limits) { l.MaxConcurrentObservationsTotal = 0 },
			func(l *capability.Limits) { l.MaxConcurrentObservationsPerConsumer = 0 },
		} {
			w := newWorld(t, on, limited(none))
			w.mount(plain())
			w.call(Request{CapabilityID: readState}).wantError(capability.CodeRateLimited, "reason=queue-full")
		}
	})
}

// A goroutine that ends inside of a hook (testing's FailNow does that) ends its call too.
func TestGoexitInAHookEndsTheCall(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, bubbleDriver{host.Native()})
		var exits atomic.Bool
		w.mount(widget(observation("readState", gives(`1`)), policy.Policy{Name: "exits", OnAuthorize: func(_ *policy.Context, next func() error) error {
			if exits.Load() {
				runtime.Goexit()
			}
			return next()
		}}))
		again := Request{CapabilityID: readState, InvocationID: "i"}
		w.call(again).wantOK(`1`)
		exits.Store(true)
		w.call(Request{CapabilityID: readState}).wantError(capability.CodeExecutionFailed, "reason=internal")
		w.call(again).wantError(capability.CodeExecutionFailed, "reason=internal")
	})
}

// A snapshot is the reader's own, down to what it points to.
func TestSnapshotBelongsToItsReader(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.mount(widget(action("poke", echo), procedure("items.remove", capability.ServerMutation), func(c *Component) {
		c.Parent = &ComponentRef{Type: "bench"}
	}))
	first := w.look()
	first.Components[0].Parent.Type = "changed"
	first.Procedures[0].Context.Type = "changed"
	second := w.look(func(o *SnapshotOptions) { o.Scope = []string{"bench"} })
	want(t, "the parent", second.Components[0].Parent.Type, "bench")
	want(t, "procedures in scope", len(second.Procedures), 1)
}

// A diagnostic that cannot be given keeps nobody from what it was about.
func TestLogThatPanicsHarmsNobody(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on, func(o *Options) { o.Log = func(string) { panic("secret") } })
		var after []EventType
		w.Subscribe(func(Event) { panic("secret") })
		w.Subscribe(func(e Event) { after = append(after, e.Type) })
		handle := w.mount(plain())
		w.on.settle() // or the turn may end in between, or not
		handle.Unregister()
		w.on.settle()
		want(t, "events heard after the one who failed", slices.Equal(after, []EventType{
			ComponentRegistered, SurfaceChanged, ComponentUnregistered, SurfaceChanged,
		}), true)
	})
}
