package webmcp

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
	"github.com/pagewarden/pagewarden/registry"
)

// asking is a page with the tool domain_purge, which needs a person's yes.
func asking(t *testing.T, change ...func(*Options)) (*page, *registry.Handle) {
	t.Helper()
	p := newPage(t, BySignal, change...)
	handle := p.register(p.purge())
	p.start()
	return p, handle
}

// asked is the only confirmation that is pending.
func (p *page) asked() confirm.Pending {
	p.t.Helper()
	pending := p.registry.Confirmations().Pending()
	if len(pending) != 1 {
		p.t.Fatalf("%d pending confirmations, want one", len(pending))
	}
	return pending[0]
}

func (p *page) decide(approved bool) {
	p.t.Helper()
	if !p.registry.Confirmations().Resolve(p.asked().ConfirmationID, approved) {
		p.t.Fatal("the confirmation could not be resolved")
	}
	p.host.Run()
}

func (p *page) wantRan(want ...string) {
	p.t.Helper()
	if strings.Join(p.ran, "; ") != strings.Join(want, "; ") {
		p.t.Errorf("ran %q, want %q", p.ran, want)
	}
}

func TestWaitEnds(t *testing.T) {
	for name, test := range map[string]struct {
		then   func(*page, *registry.Handle)
		code   capability.Code // "" for the output
		reason string
		asked  int // how often the registry was
	}{
		"approved": {then: func(p *page, _ *registry.Handle) { p.decide(true) }, asked: 2},
		"approved after other changes": {then: func(p *page, _ *registry.Handle) {
			p.register(p.button("w"))
			p.host.Turn()
			p.decide(true)
		}, asked: 2},
		"denied": {then: func(p *page, _ *registry.Handle) { p.decide(false) }, code: capability.CodeConfirmationInvalid, reason: "denied", asked: 1},
		"expired": {then: func(p *page, _ *registry.Handle) { p.host.Advance(p.registry.Limits().ConfirmationTTL) },
			code: capability.CodeConfirmationInvalid, reason: "expired", asked: 1},
		"forced to expire": {then: func(p *page, _ *registry.Handle) { p.registry.Confirmations().ForceExpire(p.asked().ConfirmationID) },
			code: capability.CodeConfirmationInvalid, reason: "expired", asked: 1},
		"stopped":   {then: func(p *page, _ *registry.Handle) { p.adapter.Stop() }, code: capability.CodeConfirmationRequired, reason: "confirmationId", asked: 1},
		"unmounted": {then: func(_ *page, h *registry.Handle) { h.Unregister() }, code: capability.CodeUnmounted, asked: 2},
		"disposed":  {then: func(p *page, _ *registry.Handle) { p.registry.Dispose() }, code: capability.CodeCancelled, asked: 1},
	} {
		t.Run(name, func(t *testing.T) {
			p, handle := asking(t)
			answer := p.call("domain_purge", `{"id":"7"}`)
			wantPending(t, answer)
			record := p.asked()
			test.then(p, handle)
			p.host.Turn()
			if test.code == "" {
				wantOK(t, answer, `{"purged":true}`)
				p.wantRan(`purge {"id":"7"}`)
			} else {
				wantCode(t, answer, test.code, strings.Fields(test.reason)...)
				p.wantRan()
			}
			if len(p.started) != test.asked {
				t.Errorf("the registry was asked %d times, want %d", len(p.started), test.asked)
			}
			if p.registry.Confirmations().Resolve(record.ConfirmationID, true) {
				t.Error("the record can still be approved")
			}
			p.host.Turn()
			if len(answer.results) != 1 {
				t.Errorf("%d results", len(answer.results))
			}
		})
	}
}

func TestRemountDuringTheWaitVoidsTheApproval(t *testing.T) {
	p, handle := asking(t)
	answer := p.call("domain_purge", `{}`)
	handle.Unregister()
	p.register(p.purge())
	p.host.Turn()
	wantCode(t, answer, capability.CodeUnmounted)
	p.wantRan()
	wantPending(t, p.call("domain_purge", `{}`))
}

func TestCancelDuringTheWaitWithdrawsTheRecord(t *testing.T) {
	p, _ := asking(t)
	answer := p.call("domain_purge", `{}`)
	record := p.asked()
	answer.cancel()
	wantCode(t, answer, capability.CodeCancelled, "not-started")
	if p.registry.Confirmations().Resolve(record.ConfirmationID, true) {
		t.Error("the record of a cancelled call can be approved")
	}
	p.host.Turn()
	p.wantRan()
}

func TestCancelLeavesTheRecordToOthersWhoWait(t *testing.T) {
	p, _ := asking(t)
	first := p.call("domain_purge", `{}`)
	second := p.call("domain_purge", `{}`)
	first.cancel()
	wantCode(t, first, capability.CodeCancelled)
	p.decide(true)
	p.host.Turn()
	wantOK(t, second, `{"purged":true}`)
	p.wantRan(`purge {}`)
}

func TestOneApprovalIsUsedOnce(t *testing.T) {
	p, _ := asking(t)
	first := p.call("domain_purge", `{}`)
	second := p.call("domain_purge", `{}`)
	p.decide(true)
	p.host.Turn()
	wantOK(t, first, `{"purged":true}`)
	wantCode(t, second, capability.CodeConfirmationInvalid, "consumed")
	p.wantRan(`purge {}`)
}

func TestCancelAfterTheApproval(t *testing.T) {
	p, _ := asking(t)
	p.registry.SetExecutor(registry.ExecutorFunc(
		func(ctx context.Context, _ string, _ capability.JSON, _ *registry.Call) (capability.JSON, error) {
			return (&latch{page: p}).wait(ctx)
		}))
	answer := p.call("domain_purge", `{}`)
	p.decide(true)
	wantPending(t, answer)
	answer.cancel()
	wantCode(t, answer, capability.CodeCancelled, "may-have-happened")
}

func TestServersConfirmationIsNotWaitedFor(t *testing.T) {
	p := newPage(t, BySignal)
	c := p.purge()
	c.Procedures[0].Ref.Effect = capability.ServerMutation
	p.registry.SetExecutor(registry.ExecutorFunc(
		func(context.Context, string, capability.JSON, *registry.Call) (capability.JSON, error) {
			return "", &capability.Error{
				Code: capability.CodeConfirmationRequired, Retry: capability.RetryWithConfirmation,
				Message: "Ask the server's person.", Details: `{"origin":"server"}`,
			}
		}))
	p.register(c)
	p.start()
	wantCode(t, p.call("domain_purge", `{}`), capability.CodeConfirmationRequired, "server")
}

// prompter is a Confirm hook whose person answers when the test says so.
type prompter struct {
	requests []ConfirmRequest
	answers  []func(bool, error)
}

func (q *prompter) confirm(r ConfirmRequest, answer func(bool, error)) {
	q.requests = append(q.requests, r)
	q.answers = append(q.answers, answer)
}

func (q *prompter) options(o *Options) { o.Confirm = q.confirm }

func TestPrompt(t *testing.T) {
	for name, test := range map[string]struct {
		answer func(p *page, answer func(bool, error))
		code   capability.Code
		reason string
	}{
		"approved": {answer: func(_ *page, answer func(bool, error)) { answer(true, nil) }},
		"denied":   {func(_ *page, answer func(bool, error)) { answer(false, nil) }, capability.CodeConfirmationInvalid, "denied"},
		"only the first answer counts": {func(_ *page, answer func(bool, error)) {
			answer(false, nil)
			answer(true, nil)
		}, capability.CodeConfirmationInvalid, "denied"},
		"expired": {func(p *page, answer func(bool, error)) {
			p.host.Advance(2 * time.Minute)
			answer(true, nil)
		}, capability.CodeConfirmationInvalid, "expired"},
		"stopped": {func(p *page, answer func(bool, error)) {
			p.adapter.Stop()
			answer(true, nil)
		}, capability.CodeConfirmationRequired, ""},
		"decided elsewhere": {func(p *page, answer func(bool, error)) {
			p.decide(false)
			answer(true, nil)
		}, capability.CodeConfirmationInvalid, "denied"},
		"failed, then the host's UI": {answer: func(p *page, answer func(bool, error)) {
			answer(true, errors.New("no user activation"))
			p.wantRan()
			p.decide(true)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			q := &prompter{}
			p, _ := asking(t, q.options)
			answer := p.call("domain_purge", `{"id":"7"}`, CallOptions{Client: "the client", Ticket: 4})
			if len(q.requests) != 1 {
				t.Fatalf("%d prompts, want one", len(q.requests))
			}
			if r := q.requests[0]; r.Client != "the client" || r.Ticket != 4 || r.Pending.Input != `{"id":"7"}` || r.Pending.ConfirmationID != p.asked().ConfirmationID {
				t.Errorf("the person was asked %+v", r)
			}
			test.answer(p, q.answers[0])
			p.host.Turn()
			if test.code != "" {
				wantCode(t, answer, test.code, strings.Fields(test.reason)...)
				p.wantRan()
				return
			}
			wantOK(t, answer, `{"purged":true}`)
			p.wantRan(`purge {"id":"7"}`)
		})
	}
}

func TestPromptNeedsAPlaceForItsUI(t *testing.T) {
	for name, test := range map[string]struct {
		client        any
		withoutClient bool
		want          int
	}{
		"no client":                  {want: 0},
		"client":                     {client: 1, want: 1},
		"no client, and none needed": {withoutClient: true, want: 1},
	} {
		t.Run(name, func(t *testing.T) {
			q := &prompter{}
			p, _ := asking(t, q.options, func(o *Options) { o.ConfirmWithoutClient = test.withoutClient })
			answer := p.call("domain_purge", `{}`, CallOptions{Client: test.client})
			if len(q.requests) != test.want {
				t.Errorf("%d prompts, want %d", len(q.requests), test.want)
			}
			p.decide(true)
			wantOK(t, answer, `{"purged":true}`)
		})
	}
}

func TestPromptThatPanicsFallsBackToWaiting(t *testing.T) {
	p, _ := asking(t, func(o *Options) {
		o.Confirm = func(ConfirmRequest, func(bool, error)) { panic("no UI") }
		o.ConfirmWithoutClient = true
	})
	answer := p.call("domain_purge", `{}`)
	wantPending(t, answer)
	if len(p.logged) != 1 || !strings.Contains(p.logged[0], "the confirm hook failed") {
		t.Errorf("log %q", p.logged)
	}
	p.decide(true)
	wantOK(t, answer, `{"purged":true}`)
}

func TestPromptThatAnswersAtOnce(t *testing.T) {
	p, _ := asking(t, func(o *Options) {
		o.Confirm = func(_ ConfirmRequest, answer func(bool, error)) { answer(true, nil) }
		o.ConfirmWithoutClient = true
	})
	answer := p.call("domain_purge", `{}`)
	p.host.Settle()
	wantOK(t, answer, `{"purged":true}`)
	p.wantRan(`purge {}`)
}

func TestConfirmationAskedForAfterStopIsNotWaitedFor(t *testing.T) {
	p := newPage(t, BySignal)
	c := p.purge()
	c.Procedures[0].Bind = func() (capability.JSON, error) { // runs before the decision to ask
		p.adapter.Stop()
		return `{"id":"9"}`, nil
	}
	c.Procedures[0].BoundKeys = []string{"id"}
	p.register(c)
	p.start()
	answer := p.call("domain_purge", `{}`)
	wantCode(t, answer, capability.CodeConfirmationRequired)
	if pending := p.registry.Confirmations().Pending(); len(pending) != 0 {
		t.Errorf("%d records wait for nobody", len(pending))
	}
}

// TestPromptDoesNotDecideForATool: a tool beside a control asks by itself, and an adapter's prompt would change nothing.
func TestPromptDoesNotDecideForATool(t *testing.T) {
	q := &prompter{}
	p := newPage(t, BySignal, q.options, func(o *Options) { o.ConfirmWithoutClient = true })
	c := p.purge()
	var question registry.Question
	c.Procedures[0].Local = &registry.Local{
		Execute: func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
			return `{"clicked":true}`, nil
		},
		Ask: func(asked registry.Question) func() {
			question = asked
			return nil
		},
	}
	p.register(c)
	p.start()
	answer := p.call("domain_purge", `{}`)
	wantPending(t, answer)
	if len(q.requests) != 0 {
		t.Error("the prompt was shown")
	}
	if !question.Decide(true) {
		t.Fatal("the click does not count")
	}
	p.host.Run()
	wantOK(t, answer, `{"clicked":true}`)
}
