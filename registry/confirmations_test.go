package registry

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
	"github.com/pagewarden/pagewarden/policy"
)

// destructive is a world with a procedure that must be confirmed, and the count of its runs.
func destructive(t testing.TB, on driver, change ...func(*Options)) (*world, *carrying, *Handle) {
	w, x := newWorld(t, on, change...), &carrying{output: `"removed"`}
	w.SetExecutor(x)
	return w, x, w.mount(widget(procedure("items.remove", capability.Destructive)))
}

// ask makes a call that must ask for confirmation and gives the record's id.
func (w *world) ask(q Request, change ...func(*InvokeOptions)) string {
	w.t.Helper()
	id := w.call(q, change...).wantError(capability.CodeConfirmationRequired, "origin=client").Detail("confirmationId")
	if !strings.HasPrefix(id, "cnf_") {
		w.t.Fatalf("the record's id is %q", id)
	}
	return id
}

func (w *world) approve(id string) {
	w.t.Helper()
	if !w.Confirmations().Resolve(id, true) {
		w.t.Fatal("there was nothing to approve")
	}
}

// with is q with evidence.
func (q Request) with(id string) Request {
	q.ConfirmationID = id
	return q
}

func TestConfirmedCallRunsOnce(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, x, _ := destructive(t, on)
		q := Request{CapabilityID: removeItem, Input: `{"id":7}`}
		e := w.call(q).wantError(capability.CodeConfirmationRequired, "effect=destructive", "origin=client", "expiresAt="+capability.FormatTime(on.Now().Add(2*time.Minute)))
		wantRetry(t, e, capability.RetryWithConfirmation)
		id := e.Detail("confirmationId")
		want(t, "the executor ran", x.path, "")
		w.call(q.with(id)).wantError(capability.CodeConfirmationRequired, "confirmationId="+id)
		w.approve(id)
		w.call(q.with(id)).wantOK(`"removed"`)
		want(t, "input", x.input, `{"id":7}`)
		e = w.call(q.with(id)).wantError(capability.CodeConfirmationInvalid, "reason=consumed")
		wantRetry(t, e, capability.RetryNo)
	})
}

func TestHandlerIsToldOfTheApproval(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w := newWorld(t, on)
		var seen *Approval
		w.SetExecutor(ExecutorFunc(func(_ context.Context, _ string, _ capability.JSON, c *Call) (capability.JSON, error) {
			seen = c.Confirmation
			return `1`, nil
		}))
		w.mount(widget(procedure("items.remove", capability.Destructive)))
		q := Request{CapabilityID: removeItem}
		id := w.ask(q)
		on.advance(time.Second)
		w.approve(id)
		approvedAt := on.Now()
		on.advance(time.Second)
		w.call(q.with(id)).wantOK(`1`)
		want(t, "approval", *seen, Approval{ID: id, ApprovedAt: approvedAt})
	})
}

func TestEvidenceThatDoesNotHold(t *testing.T) {
	base := Request{CapabilityID: removeItem, Input: `{"id":7}`}
	for _, test := range []struct {
		name    string
		prepare func(w *world, h *Handle, id string)
		request func(q Request) Request
		who     string
		reason  string
		retry   capability.Retry
	}{
		{"unknown", func(*world, *Handle, string) {}, func(q Request) Request { return q.with("cnf_unknown") }, "me", "mismatch", capability.RetryNo},
		{"another input", approveIt, func(q Request) Request { q.Input = `{"id":8}`; return q }, "me", "mismatch", capability.RetryNo},
		{"another type of the same digits", approveIt, func(q Request) Request { q.Input = `{"id":"7"}`; return q }, "me", "mismatch", capability.RetryNo},
		{"another consumer", approveIt, same, "other", "mismatch", capability.RetryNo},
		{"another capability", approveIt, func(q Request) Request { q.CapabilityID = "domain:items.purge"; return q }, "me", "mismatch", capability.RetryNo},
		{"denied", func(w *world, _ *Handle, id string) { w.Confirmations().Resolve(id, false) }, same, "me", "denied", capability.RetryNo},
		{"expired", func(w *world, _ *Handle, _ string) { w.on.advance(2 * time.Minute) }, same, "me", "expired", capability.RetryWithConfirmation},
		{"approved and expired", func(w *world, h *Handle, id string) { w.approve(id); w.on.advance(2 * time.Minute) }, same, "me", "expired", capability.RetryWithConfirmation},
		{"forced to expire", func(w *world, _ *Handle, id string) { w.Confirmations().ForceExpire(id) }, same, "me", "expired", capability.RetryWithConfirmation},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, x, handle := destructive(t, onLoop(t))
			w.mount(widget(procedure("items.purge", capability.Destructive), instance("other")))
			id := w.ask(base, as(capability.WebMCPConsumer, "me"))
			test.prepare(w, handle, id)
			e := w.call(test.request(base.with(id)), as(capability.WebMCPConsumer, test.who)).wantError(capability.CodeConfirmationInvalid, "reason="+test.reason)
			wantRetry(t, e, test.retry)
			want(t, "the executor ran", x.path, "")
		})
	}
}

func approveIt(w *world, _ *Handle, id string) { w.approve(id) }
func same(q Request) Request                   { return q }

func TestApprovalIsOfEqualValues(t *testing.T) {
	w, x, _ := destructive(t, onLoop(t))
	id := w.ask(Request{CapabilityID: removeItem, Input: `{"b":1.0,"a":[10]}`})
	w.approve(id)
	w.call(Request{CapabilityID: removeItem, Input: ` {"a":[1e1], "b":1}`, ConfirmationID: id}).wantOK(`"removed"`)
	want(t, "the handler got the bound bytes", x.input, `{"a":[10],"b":1}`)
}

func TestApprovalBelongsToOneRegistration(t *testing.T) {
	for name, again := range map[string]func(*world, *Handle){
		"registered again": func(_ *world, h *Handle) { h.Unregister() },
		"replaced":         func(*world, *Handle) {},
	} {
		t.Run(name, func(t *testing.T) {
			w, x, handle := destructive(t, onLoop(t), func(o *Options) { o.OnDuplicateInstance = ReplaceDuplicate })
			q := Request{CapabilityID: removeItem}
			id := w.ask(q)
			w.approve(id)
			w.ask(Request{CapabilityID: removeItem, Input: `{"undecided":1}`})
			again(w, handle)
			w.mount(widget(procedure("items.remove", capability.Destructive)))
			want(t, "pending", len(w.Confirmations().Pending()), 0)
			w.call(q.with(id)).wantError(capability.CodeConfirmationInvalid, "reason=mismatch")
			want(t, "the executor ran", x.path, "")
		})
	}
}

func TestStalenessWinsOverApproval(t *testing.T) {
	w, x, handle := destructive(t, onLoop(t))
	q := Request{CapabilityID: removeItem, SurfaceVersion: w.Version()}
	id := w.ask(q)
	handle.Invalidate()
	w.approve(id)
	w.call(q.with(id)).wantError(capability.CodeStale, "reason=surface-version-mismatch")
	want(t, "the executor ran", x.path, "")
	q.SurfaceVersion = w.Version()
	w.call(q.with(id)).wantOK(`"removed"`) // the approval is still there
}

func TestPendingRecordIsReused(t *testing.T) {
	w, _, _ := destructive(t, onLoop(t))
	q := Request{CapabilityID: removeItem, Input: `{"id":7}`}
	id := w.ask(q)
	want(t, "the second id", w.ask(Request{CapabilityID: removeItem, Input: `{ "id":7.0 }`}), id)
	want(t, "pending", len(w.Confirmations().Pending()), 1)
	if other := w.ask(q, as(capability.TestConsumer, "x")); other == id {
		t.Error("two consumers share a record")
	}
	if other := w.ask(Request{CapabilityID: removeItem, Input: `{"id":8}`}); other == id {
		t.Error("two inputs share a record")
	}
	w.approve(id)
	w.call(q.with(id)).wantOK(`"removed"`)
	w.call(q.with(id)).wantError(capability.CodeConfirmationInvalid, "reason=consumed")
}

func TestNoRecordForBadInput(t *testing.T) {
	w := newWorld(t, onLoop(t))
	p := bound(func() (capability.JSON, error) { return `{"tenant":"t1"}`, nil })
	p.Ref.Effect = capability.Destructive
	w.mount(widget(p))
	w.invoke("domain:items.find", `{"q":"x","tenant":"evil"}`).wantCode(t, capability.CodeInvalidInput)
	w.invoke("domain:items.find", `{}`).wantCode(t, capability.CodeInvalidInput)
	w.invoke("domain:items.find", `{"q":"x"}`).wantCode(t, capability.CodePreconditionFailed)
	want(t, "pending", len(w.Confirmations().Pending()), 0)
	w.wantHeardNo("confirmation")
}

func (w *world) wantHeardNo(part string) {
	w.t.Helper()
	if events := strings.Join(w.heard(), "\n"); strings.Contains(events, part) {
		w.t.Errorf("heard of a %s: %s", part, events)
	}
}

func TestPendingRecordTellsAll(t *testing.T) {
	w, _, handle := destructive(t, onLoop(t))
	id := w.ask(Request{CapabilityID: removeItem, Input: `{"id":7}`}, as(capability.WebMCPConsumer, "me"))
	pending := w.Confirmations().Pending()
	want(t, "pending", len(pending), 1)
	want(t, "record", pending[0], confirm.Pending{
		ConfirmationID: id, CapabilityID: removeItem, RegistrationID: handle.RegistrationID(), ConsumerKey: "webmcp:me",
		Effect: capability.Destructive, Summary: `Calls items.remove Input: {"id":7}`, Input: `{"id":7}`,
		RequestedAt: dawn, ExpiresAt: dawn.Add(2 * time.Minute),
	})
}

func TestTwoSummaries(t *testing.T) {
	w := newWorld(t, onLoop(t))
	p := bound(func() (capability.JSON, error) { return `{"tenant":"SECRET-TENANT","page":1}`, nil })
	p.Ref.Effect = capability.Destructive
	w.mount(widget(p))
	e := wantError(t, w.invoke("domain:items.find", `{"q":"x"}`), capability.CodeConfirmationRequired, `summary=Calls items.find Input: {"q":"x"}`)
	if strings.Contains(string(e.JSON()), "SECRET") {
		t.Errorf("bound values leak: %s", e.JSON())
	}
	want(t, "what the person reads", w.Confirmations().Pending()[0].Summary, `Calls items.find Input: {"page":1,"q":"x","tenant":"SECRET-TENANT"}`)
}

func TestSummaryOfThePolicy(t *testing.T) {
	for name, test := range map[string]struct {
		summary func(*policy.InvokeContext) string
		want    string
	}{
		"given":  {func(c *policy.InvokeContext) string { return "Poke with " + string(c.EffectiveInput) }, `Poke with {"a":1}`},
		"empty":  {func(*policy.InvokeContext) string { return "" }, `Does poke Input: {"a":1}`},
		"panics": {func(*policy.InvokeContext) string { panic("secret") }, `Does poke Input: {"a":1}`},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, onLoop(t))
			w.mount(widget(action("poke", echo), policy.Policy{Name: "raise", Raise: &policy.Raise{Summary: test.summary}}))
			wantError(t, w.invoke(poke, `{"a":1}`), capability.CodeConfirmationRequired, `summary=Does poke Input: {"a":1}`)
			want(t, "what the person reads", w.Confirmations().Pending()[0].Summary, test.want)
		})
	}
}

func TestWaitingForAPersonDoesNotUseUpTheHandlersTime(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, _, _ := destructive(t, on)
		q := Request{CapabilityID: removeItem}
		id := w.ask(q, within(time.Second))
		on.advance(time.Minute)
		w.approve(id)
		w.call(q.with(id), within(time.Second)).wantOK(`"removed"`)
	})
}

func TestWaitForIsPartOfTheSurface(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, x, _ := destructive(t, on)
		q := Request{CapabilityID: removeItem}
		id := w.ask(q)
		outcomes := make(chan confirm.Outcome, 1)
		on.Go(func() { outcomes <- w.Confirmations().WaitFor(context.Background(), id) })
		on.settle()
		w.approve(id)
		on.settle()
		want(t, "outcome", <-outcomes, confirm.Approved)
		// A caller that cancels takes its record with it, and a late approval starts nothing.
		other := w.ask(Request{CapabilityID: removeItem, Input: `{"id":1}`})
		cancel := w.Confirmations().Await(other, func(confirm.Outcome) { t.Error("told although cancelled") })
		cancel()
		want(t, "a late approval", w.Confirmations().Resolve(other, true), false)
		want(t, "the executor ran", x.path, "")
	})
}

func TestConfirmationsTellSubscribers(t *testing.T) {
	w, _, _ := destructive(t, onLoop(t))
	told := 0
	stop := w.Confirmations().Subscribe(func() { told++ })
	id := w.ask(Request{CapabilityID: removeItem})
	want(t, "after the request", told, 1)
	w.approve(id)
	want(t, "after the answer", told, 2)
	stop()
	w.ask(Request{CapabilityID: removeItem})
	want(t, "after stop", told, 2)
}

func TestLimitsOfPendingConfirmations(t *testing.T) {
	w, _, _ := destructive(t, onLoop(t))
	asked := 0
	for consumer := range 6 {
		for n := range 9 {
			result := w.call(Request{CapabilityID: removeItem, Input: capability.JSON(fmt.Sprintf(`{"n":%d}`, n))}, as(capability.OtherConsumer, fmt.Sprint(consumer))).result()
			if n < 8 && asked < 32 {
				wantError(t, result, capability.CodeConfirmationRequired)
				asked++
				continue
			}
			wantRetry(t, wantError(t, result, capability.CodeRateLimited, "reason=queue-full"), capability.RetryAfterDelay)
		}
	}
	want(t, "pending", len(w.Confirmations().Pending()), 32)
}
