package registry

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// steps remembers in which order things were asked.
type steps struct {
	mu   sync.Mutex
	list []string
}

func (s *steps) add(step string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.list = append(s.list, step)
}

func (s *steps) take() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := strings.Join(s.list, " ")
	s.list = nil
	return out
}

// recording is a policy that notes its hooks under a name.
func (s *steps) recording(name string) policy.Policy {
	return policy.Policy{
		Name:        name,
		OnDiscovery: func(*policy.Context) (policy.Vote, error) { s.add("discovery:" + name); return policy.Vote{}, nil },
		OnAuthorize: func(_ *policy.Context, next func() error) error { s.add("authorize:" + name); return next() },
		OnInvoke:    func(_ *policy.InvokeContext, next func() error) error { s.add("invoke:" + name); return next() },
		Raise:       &policy.Raise{If: func(*policy.InvokeContext) bool { s.add("confirm:" + name); return false }},
	}
}

func TestPhasesInOrder(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		var s steps
		w := newWorld(t, on, func(o *Options) { o.Policies = []policy.Policy{s.recording("registry")} })
		w.SetExecutor(ExecutorFunc(func(context.Context, string, capability.JSON, *Call) (capability.JSON, error) {
			s.add("execute")
			return `1`, nil
		}))
		a := action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) {
			s.add("execute")
			return `1`, nil
		})
		a.Input.Parse = func(v capability.JSON) (capability.JSON, []capability.Issue) { s.add("input"); return v, nil }
		a.Output = Schema{Document: anyValue, Parse: func(v capability.JSON) (capability.JSON, []capability.Issue) { s.add("output"); return v, nil }}
		a.When = func() (bool, error) { s.add("when"); return true, nil }
		a.Precondition = func(capability.JSON, *Call) error { s.add("precondition"); return nil }
		a.Policies = []policy.Policy{s.recording("capability")}
		p := procedure("items.find", capability.ServerQuery)
		p.BoundKeys, p.Bind = []string{"a"}, func() (capability.JSON, error) { s.add("bind"); return `{"a":1}`, nil }
		p.Ref.Input.Document = `{"type":"object","properties":{"a":{"type":"integer"}}}`
		w.mount(widget(a, p, s.recording("component")))
		w.Subscribe(func(e Event) {
			if e.Type == InvocationStarted || e.Type == InvocationSettled {
				s.add(string(e.Type))
			}
		})
		w.invoke(poke, "").wantOutput(t, `1`)
		const discovery = "discovery:registry discovery:component discovery:capability"
		want(t, "phases of an action", s.take(), "invocation-started "+discovery+" when "+discovery+
			" authorize:registry authorize:component authorize:capability input invoke:registry invoke:component invoke:capability"+
			" confirm:registry confirm:component confirm:capability precondition execute output invocation-settled")
		w.invoke("domain:items.find", "").wantOutput(t, `1`)
		want(t, "phases of a procedure", s.take(), "invocation-started discovery:registry discovery:component discovery:registry discovery:component"+
			" authorize:registry authorize:component bind invoke:registry invoke:component confirm:registry confirm:component execute invocation-settled")
	})
}

// TestFirstFailingPhaseDecides breaks every phase from some one on: the result is that of the first.
func TestFirstFailingPhaseDecides(t *testing.T) {
	codes := []capability.Code{
		capability.CodeNotFound, capability.CodeNotAvailable, capability.CodeNotAuthenticated, capability.CodeInvalidInput,
		capability.CodeNotAuthorized, capability.CodeConfirmationRequired, capability.CodePreconditionFailed,
		capability.CodeRateLimited, capability.CodeExecutionFailed,
	}
	for from := range codes {
		t.Run(string(codes[from]), func(t *testing.T) {
			fails := func(phase int) bool { return phase >= from }
			w := newWorld(t, onLoop(t))
			g := newGate(w.on)
			block := action("block", g.run)
			a := action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) {
				return "", errors.New("secret")
			})
			a.When = func() (bool, error) { return !fails(1), nil }
			a.Input.Document = noInput
			a.Precondition = func(capability.JSON, *Call) error {
				if fails(6) {
					return errors.New("secret")
				}
				return nil
			}
			depth := 0
			a.Concurrency.QueueDepth, block.Concurrency.QueueDepth = &depth, &depth
			handle := w.mount(widget(block, a, policy.Policy{
				Name: "p",
				OnDiscovery: func(c *policy.Context) (policy.Vote, error) {
					if fails(0) {
						return policy.Vote{Decision: policy.Hide}, nil
					}
					return policy.Vote{}, nil
				},
				OnAuthorize: func(c *policy.Context, next func() error) error {
					if fails(2) && c.CapabilityID == poke {
						return capability.NotAuthenticated()
					}
					return next()
				},
				OnInvoke: func(c *policy.InvokeContext, next func() error) error {
					if fails(4) && c.CapabilityID == poke {
						return capability.NotAuthorized("client")
					}
					return next()
				},
				Raise: &policy.Raise{If: func(c *policy.InvokeContext) bool { return fails(5) && c.CapabilityID == poke }},
			}))
			if fails(7) {
				w.call(Request{CapabilityID: "view:bench.widget.block"})
			}
			input := capability.JSON(`{}`)
			if fails(3) {
				input = `{"unexpected":1}`
			}
			wantError(t, w.invoke(poke, input), codes[from])
			want(t, "calls kept", len(handle.reg.calls), g.started())
			g.openAll(w)
		})
	}
}

func TestDiscoveryVotesAreRunAgainInPhase4(t *testing.T) {
	for decision, code := range map[policy.Decision]capability.Code{policy.Hide: capability.CodeNotFound, policy.Disable: capability.CodeNotAvailable} {
		w := newWorld(t, onLoop(t))
		asked := 0
		w.mount(widget(action("poke", echo), policy.Policy{Name: "p", OnDiscovery: func(*policy.Context) (policy.Vote, error) {
			if asked++; asked > 1 { // phase 2 asked first
				return policy.Vote{Decision: decision, Reason: "closed"}, nil
			}
			return policy.Vote{}, nil
		}}))
		e := wantError(t, w.invoke(poke, ""), code)
		if decision == policy.Disable {
			want(t, "reason", e.Detail("reason"), "closed")
		}
	}
}

func TestPolicyRefusals(t *testing.T) {
	hook := func(err error, next int) func(func() error) error {
		return func(n func() error) error {
			for range next {
				_ = n()
			}
			return err
		}
	}
	notFound := capability.NotFound()
	notFound.Message, notFound.Details = "It exists.", `{"hint":"secret"}`
	for _, test := range []struct {
		name                 string
		err                  error
		next                 int
		authorize, invoke    capability.Code
		whyAuthorize, whyInv string
	}{
		{"goes on", nil, 1, "", "", "", ""},
		{"no decision", nil, 0, capability.CodeNotAuthorized, capability.CodeExecutionFailed, "origin=client", "reason=policy"},
		{"next twice", nil, 2, capability.CodeExecutionFailed, capability.CodeExecutionFailed, "reason=policy", "reason=policy"},
		{"a code", capability.NotAuthenticated(), 0, capability.CodeNotAuthenticated, capability.CodeNotAuthenticated, "", ""},
		{"not found", notFound, 0, capability.CodeNotFound, capability.CodeNotFound, "hint=", "hint="},
		{"another error", errors.New("secret"), 0, capability.CodeExecutionFailed, capability.CodeExecutionFailed, "reason=handler-error", "reason=handler-error"},
		{"an error after next", errors.New("secret"), 1, capability.CodeExecutionFailed, capability.CodeExecutionFailed, "reason=handler-error", "reason=handler-error"},
		{"a code that none may throw", capability.Stale("x", ""), 0, capability.CodeExecutionFailed, capability.CodeExecutionFailed, "reason=handler-error", ""},
		{"a confirmation of its own", &capability.Error{Code: capability.CodeConfirmationRequired, Retry: capability.RetryWithConfirmation, Message: "x", Details: `{"origin":"server"}`}, 0,
			capability.CodeExecutionFailed, capability.CodeExecutionFailed, "reason=handler-error", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			onBothHosts(t, func(t *testing.T, on driver) {
				for phase, code := range map[string]capability.Code{"authorize": test.authorize, "invoke": test.invoke} {
					p, why := policy.Policy{Name: "p"}, test.whyAuthorize
					if phase == "authorize" {
						p.OnAuthorize = func(_ *policy.Context, next func() error) error { return hook(test.err, test.next)(next) }
					} else {
						p.OnInvoke = func(_ *policy.InvokeContext, next func() error) error { return hook(test.err, test.next)(next) }
						why = test.whyInv
					}
					w := newWorld(t, on)
					w.mount(widget(action("poke", echo), p))
					result := w.invoke(poke, "")
					if code == "" {
						wantOK(t, result, `{}`)
						continue
					}
					details := []string{}
					if why != "" {
						details = append(details, why)
					}
					wantNoSecret(t, wantError(t, result, code, details...))
				}
			})
		})
	}
}

func TestPolicyPanicIsAnErrorAndTheNextCallWorks(t *testing.T) {
	w := newWorld(t, onLoop(t))
	broken := true
	w.mount(widget(action("poke", echo), policy.Policy{Name: "p", OnInvoke: func(_ *policy.InvokeContext, next func() error) error {
		if broken {
			panic("secret")
		}
		return next()
	}}))
	wantNoSecret(t, wantError(t, w.invoke(poke, ""), capability.CodeExecutionFailed, "reason=handler-error"))
	broken = false
	w.invoke(poke, "").wantOutput(t, `{}`)
}

func TestInputIsThePrivateValidatedOne(t *testing.T) {
	w := newWorld(t, onLoop(t))
	var seen []capability.JSON
	a := action("poke", echo)
	a.Input = Schema{Document: idsInput, Parse: func(capability.JSON) (capability.JSON, []capability.Issue) { return `{"ids":["parsed"]}`, nil }}
	a.Precondition = func(in capability.JSON, _ *Call) error { seen = append(seen, in); return nil }
	w.mount(widget(a, policy.Policy{Name: "p", OnInvoke: func(c *policy.InvokeContext, next func() error) error {
		seen = append(seen, c.EffectiveInput)
		c.EffectiveInput = `{"ids":["changed by a policy"]}`
		return next()
	}}))
	w.invoke(poke, `{"ids":["a"]}`).wantOutput(t, `{"ids":["parsed"]}`)
	for _, in := range seen {
		want(t, "input seen", in, `{"ids":["parsed"]}`)
	}
}

func TestObservationInputIsEmpty(t *testing.T) {
	w := newWorld(t, onLoop(t))
	var seen capability.JSON
	w.mount(widget(observation("readState", gives(`1`)), policy.Policy{Name: "p", OnInvoke: func(c *policy.InvokeContext, next func() error) error {
		seen = c.EffectiveInput
		return next()
	}}))
	w.invoke(readState, `{"ignored":1}`).wantOutput(t, `1`)
	want(t, "input for policies", seen, capability.EmptyObject)
}

func TestInvalidInputOfActions(t *testing.T) {
	w := newWorld(t, onLoop(t))
	ran := false
	a := action("poke", func(context.Context, capability.JSON, *Call) (capability.JSON, error) { ran = true; return "", nil })
	a.Input.Document = idsInput
	w.mount(widget(a))
	e := wantError(t, w.invoke(poke, `{"ids":["a",7],"x":1}`), capability.CodeInvalidInput, "lockedFields=")
	issues := e.Details.Members()[0].Value.Elements()
	want(t, "issues", len(issues), 2)
	if text := string(e.Details); !strings.Contains(text, `"path":"ids[1]"`) || !strings.Contains(text, `"path":"x"`) {
		t.Errorf("details are %s", text)
	}
	w.call(Request{CapabilityID: poke, InputIssue: capability.Issue{Path: "f", Message: "must be JSON"}}).wantError(capability.CodeInvalidInput, `issues=[{"path":"f","message":"must be JSON"}]`)
	want(t, "handler ran", ran, false)
}

func TestTapRecordsStartAndSettlement(t *testing.T) {
	for _, test := range []struct {
		level   capability.AuditLevel
		refused bool
		want    []string
		payload bool
	}{
		{capability.AuditMetadata, false, []string{"invocation-started " + poke + " embedded:anonymous", "invocation-settled " + poke + " embedded:anonymous ok"}, false},
		{capability.AuditFull, false, []string{"invocation-started " + poke + " embedded:anonymous", "invocation-settled " + poke + " embedded:anonymous ok"}, true},
		{capability.AuditFull, true, []string{"invocation-started " + poke + " embedded:anonymous", "invocation-settled " + poke + " embedded:anonymous error NOT_AUTHENTICATED"}, false},
		{capability.AuditNone, false, nil, false},
	} {
		t.Run(string(test.level), func(t *testing.T) {
			w := newWorld(t, onLoop(t))
			sink := audit.NewMemory(0)
			inner := policy.Policy{Name: "inner", OnInvoke: func(_ *policy.InvokeContext, next func() error) error {
				if test.refused {
					return capability.NotAuthenticated()
				}
				return next()
			}}
			w.mount(widget(action("poke", echo), firstAction(func(a *Action) { a.Audit = capability.AuditNone }),
				policy.Policy{Name: "audit", Tap: &policy.Tap{Sink: sink, Level: test.level}}, inner))
			w.invoke(poke, `{"a":1}`)
			var got []string
			for _, e := range sink.Events() {
				got = append(got, e.String())
				want(t, "mode", e.AuthorityMode, "open")
			}
			wantLines(t, "sink", got, test.want)
			if len(got) > 0 {
				want(t, "payload", sink.Events()[1].Output, map[bool]capability.JSON{true: `{"a":1}`, false: ""}[test.payload])
			}
			w.wantTrail("registration")
		})
	}
}

func TestTapWithoutASinkUsesTheRegistrys(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.mount(widget(observation("readState", gives(`1`)), policy.Policy{Name: "audit", Tap: &policy.Tap{Level: capability.AuditMetadata}}))
	w.invoke(readState, "").wantOutput(t, `1`)
	w.wantTrail("registration", "invocation-started "+readState+" embedded:anonymous", "invocation-settled "+readState+" embedded:anonymous ok")
}
