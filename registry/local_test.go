package registry

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
	"github.com/pagewarden/pagewarden/policy"
)

// workbench is a local procedure that writes down what is done with it.
type workbench struct {
	steps     []string
	prepared  capability.JSON
	questions []Question
	stopped   int
}

func (b *workbench) note(step string, input capability.JSON) {
	b.steps = append(b.steps, step+" "+string(input))
}

func (b *workbench) prepare(_ context.Context, input capability.JSON, _ *Call) (capability.JSON, error) {
	b.note("prepare", input)
	return b.prepared, nil
}

func (b *workbench) execute(_ context.Context, input capability.JSON, call *Call) (capability.JSON, error) {
	b.note("execute", input)
	return `{"prepared":` + capability.JSON(orNull(call.Prepared)) + `}`, nil
}

func orNull(value capability.JSON) string {
	if value.Absent() {
		return "null"
	}
	return string(value)
}

func (b *workbench) ask(q Question) (stop func()) {
	b.note("ask", q.Pending.Input)
	b.questions = append(b.questions, q)
	return func() { b.stopped++ }
}

const clearCart = "domain:clear_cart"

// binding is the procedure; asking says whether a person must be asked.
func (b *workbench) binding(effect capability.Effect, asking bool, change ...func(*ProcedureBinding)) ProcedureBinding {
	p := procedure("clear_cart", effect)
	p.Local = &Local{Execute: b.execute, Prepare: b.prepare}
	if asking {
		p.Local.Ask = b.ask
	}
	for _, c := range change {
		c(&p)
	}
	return p
}

func (b *workbench) wantSteps(t *testing.T, steps ...string) {
	t.Helper()
	wantLines(t, "steps", b.steps, steps)
}

func TestLocalProcedureRunsInPlaceOfTheExecutor(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, x, b := newWorld(t, on), &carrying{}, &workbench{prepared: `[1]`}
		w.SetExecutor(x)
		w.mount(widget(b.binding(capability.ServerMutation, false)))
		w.invoke(clearCart, `{"a":1}`).wantOutput(t, `{"prepared":[1]}`)
		want(t, "the executor ran", x.path, "")
		b.wantSteps(t, `prepare {"a":1}`, `execute {"a":1}`)
	})
}

// TestOnlyAskMakesItAsk: neither does the effect, nor is a policy forgotten that does.
func TestOnlyAskMakesItAsk(t *testing.T) {
	raising := policy.Policy{Name: "raise", Raise: &policy.Raise{}}
	for _, test := range []struct {
		name   string
		effect capability.Effect
		asking bool
		change func(*ProcedureBinding)
		shown  capability.Confirmation
	}{
		{"a query", capability.ServerQuery, false, nil, capability.Never},
		{"a mutation", capability.ServerMutation, false, nil, capability.Optional},
		{"destructive", capability.Destructive, false, nil, capability.Optional},
		{"external", capability.ExternalSideEffect, false, nil, capability.Optional},
		{"a query that asks", capability.ServerQuery, true, nil, capability.Required},
		{"destructive that asks", capability.Destructive, true, nil, capability.Required},
		{"its binding", capability.ServerQuery, false, func(p *ProcedureBinding) { p.Confirmation = capability.Required }, capability.Required},
		{"its reference", capability.ServerQuery, false, func(p *ProcedureBinding) { p.Ref.RequiresApproval = true }, capability.Required},
		{"a policy", capability.Destructive, false, func(p *ProcedureBinding) { p.Policies = []policy.Policy{raising} }, capability.Required},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, b := newWorld(t, onLoop(t)), &workbench{}
			binding := b.binding(test.effect, test.asking)
			if test.change != nil {
				test.change(&binding)
			}
			w.mount(widget(binding))
			want(t, "shown", w.look().Procedures[0].Confirmation, test.shown)
			r := w.invoke(clearCart, `{}`)
			if asked := r.Error != nil && r.Error.Code == capability.CodeConfirmationRequired; asked != (test.shown == capability.Required) {
				t.Errorf("got %s", r.JSON())
			}
			want(t, "it asks by itself", len(b.questions) == 1, test.asking)
		})
	}
}

// TestHeldConfirmation: the person's decision comes from the procedure and from nowhere else, and what was prepared for
// it is there when it runs.
func TestHeldConfirmation(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, b := newWorld(t, on), &workbench{prepared: `["field"]`}
		w.mount(widget(b.binding(capability.Destructive, true)))
		q := Request{CapabilityID: clearCart, Input: `{"n":1}`}
		id := w.ask(q)
		want(t, "a host UI decides it", w.Confirmations().Resolve(id, true), false)
		w.call(q.with(id)).wantError(capability.CodeConfirmationRequired, "confirmationId="+id)
		want(t, "the question is over", b.stopped, 0)
		want(t, "the click counts", b.questions[0].Decide(true), true)
		want(t, "another click counts", b.questions[0].Decide(false), false)
		want(t, "the question is over", b.stopped, 1)
		b.prepared = `["another"]`
		w.call(q.with(id)).wantOK(`{"prepared":["field"]}`)
		b.wantSteps(t, `prepare {"n":1}`, `ask {"n":1}`, `execute {"n":1}`)
		w.call(q.with(id)).wantError(capability.CodeConfirmationInvalid, "reason=consumed")
	})
}

func TestQuestionIsAskedOnce(t *testing.T) {
	w, b := newWorld(t, onLoop(t)), &workbench{}
	w.mount(widget(b.binding(capability.Destructive, true)))
	q := Request{CapabilityID: clearCart, Input: `{"n":1}`}
	first, second := w.ask(q), w.ask(q)
	want(t, "the second record", second, first)
	q.Input = `{"n":2}`
	w.ask(q)
	b.wantSteps(t, `prepare {"n":1}`, `ask {"n":1}`, `prepare {"n":1}`, `prepare {"n":2}`, `ask {"n":2}`)
}

// TestEveryEndStopsTheQuestion: nobody is asked for what cannot run any more.
func TestEveryEndStopsTheQuestion(t *testing.T) {
	for name, end := range map[string]func(*world, *Handle, string){
		"time":            func(w *world, _ *Handle, _ string) { w.on.advance(2 * time.Minute) },
		"unregistering":   func(_ *world, h *Handle, _ string) { h.Unregister() },
		"disposal":        func(w *world, _ *Handle, _ string) { w.Dispose() },
		"the last waiter": func(w *world, _ *Handle, id string) { w.Confirmations().Await(id, func(confirm.Outcome) {})() },
	} {
		t.Run(name, func(t *testing.T) {
			w, b := newWorld(t, onLoop(t)), &workbench{}
			h := w.mount(widget(b.binding(capability.Destructive, true)))
			end(w, h, w.ask(Request{CapabilityID: clearCart}))
			want(t, "stopped", b.stopped, 1)
			want(t, "a late click counts", b.questions[0].Decide(true), false)
		})
	}
}

// TestQuestionThatCannotBeAsked fails closed.
func TestQuestionThatCannotBeAsked(t *testing.T) {
	w, b := newWorld(t, onLoop(t)), &workbench{}
	w.mount(widget(b.binding(capability.Destructive, true, func(p *ProcedureBinding) {
		p.Local.Ask = func(Question) func() { panic("secret") }
	})))
	q := Request{CapabilityID: clearCart}
	id := w.ask(q)
	wantNoSecret(t, w.call(q.with(id)).wantError(capability.CodeConfirmationInvalid, "reason=denied"))
	want(t, "logged", w.logged("cannot ask for its confirmation"), true)
}

func TestQuestionAnsweredWhileItIsAsked(t *testing.T) {
	w, b := newWorld(t, onLoop(t)), &workbench{}
	stopped := 0
	w.mount(widget(b.binding(capability.Destructive, true, func(p *ProcedureBinding) {
		p.Local.Ask = func(q Question) func() {
			q.Decide(true)
			return func() { stopped++ }
		}
	})))
	q := Request{CapabilityID: clearCart}
	w.call(q.with(w.ask(q))).wantOK(`{"prepared":null}`)
	want(t, "stopped", stopped, 1)
}

// TestNothingIsPreparedForARefusedCall: what a policy or the schema refuses moves nothing on the page.
func TestNothingIsPreparedForARefusedCall(t *testing.T) {
	refusing := policy.Policy{Name: "no", OnInvoke: func(*policy.InvokeContext, func() error) error { return capability.NotAuthorized("client") }}
	for name, test := range map[string]struct {
		policies []policy.Policy
		input    capability.JSON
		code     capability.Code
	}{
		"policy": {[]policy.Policy{refusing}, `{}`, capability.CodeNotAuthorized},
		"schema": {nil, `[]`, capability.CodeInvalidInput},
	} {
		t.Run(name, func(t *testing.T) {
			w, b := newWorld(t, onLoop(t)), &workbench{}
			w.mount(widget(b.binding(capability.Destructive, true, func(p *ProcedureBinding) { p.Policies = test.policies })))
			wantError(t, w.invoke(clearCart, test.input), test.code)
			b.wantSteps(t)
		})
	}
}

// TestEvidenceNobodyAskedForDoesNotSkipPreparation: an agent cannot leave a step out by making up an id.
func TestEvidenceNobodyAskedForDoesNotSkipPreparation(t *testing.T) {
	w, b := newWorld(t, onLoop(t)), &workbench{prepared: `1`}
	w.mount(widget(b.binding(capability.ServerMutation, false)))
	w.call(Request{CapabilityID: clearCart}.with("cnf_made_up")).wantOK(`{"prepared":1}`)
	b.wantSteps(t, `prepare {}`, `execute {}`)
}

func TestPreparationFails(t *testing.T) {
	unavailable := capability.NotAvailable("there is no such button")
	for name, test := range map[string]struct {
		fails func() (capability.JSON, error)
		code  capability.Code
		why   string
	}{
		"thrown":  {func() (capability.JSON, error) { return "", unavailable }, capability.CodeNotAvailable, "reason=there is no such button"},
		"unknown": {func() (capability.JSON, error) { return "", errors.New("secret") }, capability.CodeExecutionFailed, "reason=handler-error"},
		"no JSON": {func() (capability.JSON, error) { return "undefined", nil }, capability.CodeExecutionFailed, "reason=handler-error"},
		"panic":   {func() (capability.JSON, error) { panic("secret") }, capability.CodeExecutionFailed, "reason=handler-error"},
	} {
		t.Run(name, func(t *testing.T) {
			onBothHosts(t, func(t *testing.T, on driver) {
				w, b := newWorld(t, on), &workbench{}
				w.mount(widget(b.binding(capability.Destructive, true, func(p *ProcedureBinding) {
					p.Local.Prepare = func(context.Context, capability.JSON, *Call) (capability.JSON, error) { return test.fails() }
				})))
				wantNoSecret(t, wantError(t, w.invoke(clearCart, `{}`), test.code, test.why))
				b.wantSteps(t)
				want(t, "records", len(w.Confirmations().Pending()), 0)
			})
		})
	}
}

// TestPreparationIsCutShort: a call that ends while it is prepared asks nobody.
func TestPreparationIsCutShort(t *testing.T) {
	for name, test := range map[string]struct {
		cut  func(*pending, *Handle)
		code capability.Code
	}{
		"cancelled":    {func(p *pending, _ *Handle) { p.cancel() }, capability.CodeCancelled},
		"unregistered": {func(_ *pending, h *Handle) { h.Unregister() }, capability.CodeUnmounted},
	} {
		t.Run(name, func(t *testing.T) {
			onBothHosts(t, func(t *testing.T, on driver) {
				w, b, g := newWorld(t, on), &workbench{}, newGate(on)
				h := w.mount(widget(b.binding(capability.Destructive, true, func(p *ProcedureBinding) { p.Local.Prepare = g.run })))
				p := w.call(Request{CapabilityID: clearCart})
				p.wantPending()
				test.cut(p, h)
				p.wantError(test.code, "progress=not-started")
				want(t, "it was told", g.passage(0).signal.Err() != nil, true)
				g.release(w, 0, `1`)
				b.wantSteps(t)
				want(t, "records", len(w.Confirmations().Pending()), 0)
			})
		})
	}
}

func TestLocalExecutionFails(t *testing.T) {
	w, b := newWorld(t, onLoop(t)), &workbench{}
	w.mount(widget(b.binding(capability.ServerMutation, false, func(p *ProcedureBinding) {
		p.Local.Execute = func(context.Context, capability.JSON, *Call) (capability.JSON, error) {
			return "", errors.New("secret")
		}
	})))
	wantNoSecret(t, wantError(t, w.invoke(clearCart, `{}`), capability.CodeExecutionFailed, "reason=handler-error"))
}

// TestLocalTimeLimit: there is one only if somebody gives it.
func TestLocalTimeLimit(t *testing.T) {
	for name, test := range map[string]struct {
		own, callers, ends time.Duration
	}{
		"none":         {0, 0, 0},
		"its own":      {time.Second, 0, time.Second},
		"the caller's": {0, time.Minute, time.Minute},
	} {
		t.Run(name, func(t *testing.T) {
			onBothHosts(t, func(t *testing.T, on driver) {
				w, b, g := newWorld(t, on), &workbench{}, newGate(on)
				w.mount(widget(b.binding(capability.ServerMutation, false, func(p *ProcedureBinding) {
					p.Timeout, p.Local.Execute = test.own, g.run
				})))
				p := w.call(Request{CapabilityID: clearCart}, within(test.callers))
				defer g.openAll(w)
				if test.ends == 0 {
					on.advance(24 * time.Hour)
					p.wantPending()
					return
				}
				on.advance(test.ends - time.Millisecond)
				p.wantPending()
				on.advance(time.Millisecond)
				p.wantError(capability.CodeTimeout)
			})
		})
	}
}

func TestLocalNeedsExecute(t *testing.T) {
	w, b := newWorld(t, onLoop(t)), &workbench{}
	_, err := w.Register(widget(b.binding(capability.ServerMutation, false, func(p *ProcedureBinding) { p.Local.Execute = nil })))
	var defect *DefinitionError
	if !errors.As(err, &defect) || defect.Where != "procedures[0].config.execute" {
		t.Errorf("got %v", err)
	}
}
