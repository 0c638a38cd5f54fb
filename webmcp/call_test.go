package webmcp

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
)

// latch makes the handler of an action wait until it is opened, or until the call is given up.
type latch struct {
	page      *page
	stubborn  bool // does not end when the call is given up
	opened    bool
	cancelled bool
	waiters   []host.Waiter
}

func (l *latch) action(a *registry.Action) {
	a.Execute = func(ctx context.Context, _ capability.JSON, call *registry.Call) (capability.JSON, error) {
		return l.wait(ctx)
	}
}

func (l *latch) wait(ctx context.Context) (capability.JSON, error) {
	waiter := l.page.host.Waiter()
	l.waiters = append(l.waiters, waiter)
	stop := host.Watch(ctx, waiter.Wake)
	defer stop()
	for !l.opened && (l.stubborn || ctx.Err() == nil) {
		waiter.Park()
	}
	if !l.opened {
		l.cancelled = true
		return "", ctx.Err()
	}
	return `{"done":true}`, nil
}

func (l *latch) open() {
	l.opened = true
	for _, w := range l.waiters {
		w.Wake()
	}
	l.page.host.Run()
}

func TestResults(t *testing.T) {
	for name, test := range map[string]struct {
		output capability.JSON
		err    error
		want   string
	}{
		"object":  {output: `{"b":1,"a":"x"}`, want: `{"content":[{"type":"text","text":"{\"b\":1,\"a\":\"x\"}"}],"structuredContent":{"b":1,"a":"x"}}`},
		"nothing": {want: `{"content":[{"type":"text","text":"null"}]}`},
		"null":    {output: `null`, want: `{"content":[{"type":"text","text":"null"}]}`},
		"number":  {output: `5`, want: `{"content":[{"type":"text","text":"5"}]}`},
		"text":    {output: `"5"`, want: `{"content":[{"type":"text","text":"\"5\""}]}`},
		"list":    {output: `[1]`, want: `{"content":[{"type":"text","text":"[1]"}]}`},
		"failure": {err: errors.New("secret"), want: `{"content":[{"type":"text","text":"{\"code\":\"EXECUTION_FAILED\",\"message\":\"The capability failed while it ran.\",\"retry\":\"no\",\"details\":{\"reason\":\"handler-error\"}}"}],"isError":true}`},
		"not JSON": {output: `{"a":`, want: `{"content":[{"type":"text","text":"{\"code\":\"EXECUTION_FAILED\",\"message\":\"The call was carried out, but its result is not what it declares, so it cannot be shown. Do not repeat it.\",` +
			`\"retry\":\"no\",\"details\":{\"reason\":\"output-invalid\",\"progress\":\"done\"}}"}],"isError":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPage(t, ByName)
			p.register(p.button("w", func(a *registry.Action) {
				a.Execute = func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
					return test.output, test.err
				}
			}))
			p.start()
			if got := p.call("view_w__poke", `{}`).text(); got != test.want {
				t.Errorf("result:\n%s\nwant:\n%s", got, test.want)
			}
		})
	}
}

func TestInputs(t *testing.T) {
	for name, test := range map[string]struct {
		input  capability.JSON
		ran    string          // what the handler got
		reason string          // of INVALID_INPUT
		code   capability.Code // when nothing ran
	}{
		"object":                     {input: `{"a":1}`, ran: `{"a":1}`},
		"absent":                     {input: ``, ran: `{}`},
		"null":                       {input: ` null`, ran: `{}`},
		"text of an object":          {input: `"{\"a\":1,\"z\":\"{}\"}"`, ran: `{"a":1,"z":"{}"}`},
		"text of null":               {input: `"null"`, ran: `{}`},
		"inner text is left alone":   {input: `{"z":"{\"a\":1}"}`, ran: `{"z":"{\"a\":1}"}`},
		"empty text":                 {input: `""`, code: capability.CodeInvalidInput, reason: "must be an object, or the JSON text of one"},
		"list":                       {input: `[]`, code: capability.CodeInvalidInput, reason: "must be an object, or the JSON text of one"},
		"number":                     {input: `5`, code: capability.CodeInvalidInput, reason: "must be an object, or the JSON text of one"},
		"other text":                 {input: `"hello"`, code: capability.CodeInvalidInput, reason: "must be an object, or the JSON text of one"},
		"text of text":               {input: `"\"{}\""`, code: capability.CodeInvalidInput, reason: "must be an object, or the JSON text of one"},
		"half an object":             {input: `"{\"a\":"`, code: capability.CodeInvalidInput},
		"not JSON":                   {input: `"`, code: capability.CodeInvalidInput},
		"wrong type, with its path":  {input: `{"a":"one"}`, code: capability.CodeInvalidInput, reason: "a"},
		"unknown member is refused":  {input: `{"q":1}`, code: capability.CodeInvalidInput},
		"number as text is not read": {input: `{"a":"1"}`, code: capability.CodeInvalidInput},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPage(t, ByName)
			p.register(p.button("w"))
			p.start()
			answer := p.call("view_w__poke", test.input)
			if test.code == "" {
				wantOK(t, answer, test.ran)
				return
			}
			if len(p.ran) != 0 {
				t.Errorf("the handler ran with %v", p.ran)
			}
			wantCode(t, answer, test.code)
			if !strings.Contains(answer.text(), test.reason) {
				t.Errorf("result %s, want it to say %q", answer.text(), test.reason)
			}
		})
	}
}

func TestInputThatIsNoJSON(t *testing.T) {
	p := newPage(t, ByName)
	p.register(p.widget("w", ""))
	p.start()
	for _, tool := range []string{"view_w__poke", "view_w__look"} {
		answer := p.call(tool, `{}`, CallOptions{InputIssue: capability.Issue{Path: "rows[2]", Message: "must be JSON"}})
		wantCode(t, answer, capability.CodeInvalidInput, "rows[2]", "must be JSON")
	}
	if len(p.ran) != 0 {
		t.Errorf("the handler ran with %v", p.ran)
	}
}

func TestObservation(t *testing.T) {
	p := newPage(t, ByName)
	p.register(p.widget("w", ""))
	p.start()
	wantOK(t, p.call("view_w__look", ``), `{"n":1}`)
	wantCode(t, p.call("view_w__look", `[]`), capability.CodeInvalidInput)
}

func TestToolsThatTheBrowserKept(t *testing.T) {
	for name, test := range map[string]struct {
		then   func(*page, *registry.Handle)
		code   capability.Code
		reason string
	}{
		"unmounted": {func(_ *page, h *registry.Handle) { h.Unregister() }, capability.CodeUnmounted, "resolve"},
		"remounted": {func(p *page, h *registry.Handle) {
			h.Unregister()
			p.register(p.button("w"))
		}, capability.CodeStale, "registration-replaced"},
		"unavailable": {func(p *page, h *registry.Handle) {
			disabled := false
			if err := h.Update(registry.Update{Enabled: &disabled}); err != nil {
				p.t.Fatal(err)
			}
		}, capability.CodeNotAvailable, "component-disabled"},
		"long gone": {func(p *page, h *registry.Handle) {
			h.Unregister()
			p.host.Advance(p.registry.Limits().TombstoneTTL)
		}, capability.CodeNotFound, ""},
		"disposed": {func(p *page, _ *registry.Handle) { p.registry.Dispose() }, capability.CodeCancelled, ""},
		"stopped":  {func(p *page, _ *registry.Handle) { p.adapter.Stop() }, capability.CodeNotFound, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPage(t, BySignal)
			handle := p.register(p.button("w"))
			p.start()
			kept := *p.context.find("view_w__poke")
			test.then(p, handle)
			p.host.Turn()
			answer := p.callTool(kept, `{}`)
			wantCode(t, answer, test.code, strings.Fields(test.reason)...)
			if name == "stopped" && len(p.started) != 0 {
				t.Errorf("the registry was asked: %v", p.started)
			}
			if len(p.ran) != 0 {
				t.Errorf("the handler ran: %v", p.ran)
			}
		})
	}
}

func TestForeignTokens(t *testing.T) {
	p := newPage(t, BySignal)
	p.register(p.button("w"))
	p.start()
	for _, token := range []Token{"", "x", "a b c", " view:w.poke ", "1.1 reg view:w.poke"} {
		wantCode(t, p.callTool(Tool{Token: token, Owner: p.adapter}, `{}`), capability.CodeNotFound)
	}
}

func TestTokenOfAPathWithSpaces(t *testing.T) {
	token := newToken("k", 7, "reg_1", "domain:a b  c")
	if got, ok := token.parse(); !ok || got != (target{"k", "reg_1", "domain:a b  c"}) {
		t.Errorf("parsed %+v, %t", got, ok)
	}
}

func TestSurvivingToolUsesTheLatestVersion(t *testing.T) {
	p := newPage(t, ByName)
	p.register(p.purge())
	p.start()
	tool := *p.context.find("domain_purge")
	p.register(p.button("w")) // moves the version
	wantCode(t, p.callTool(tool, `{}`), capability.CodeStale, "surface-version-mismatch")
	p.host.Settle()
	if p.context.find("domain_purge").Token != tool.Token {
		t.Fatal("the tool was registered again")
	}
	waiting := p.callTool(tool, `{}`)
	wantPending(t, waiting)
	if pending := p.registry.Confirmations().Pending(); len(pending) != 1 {
		t.Errorf("%d pending confirmations, want the call to have come that far", len(pending))
	}
}

func TestCatalogIsReadAgainAfterACall(t *testing.T) {
	p := newPage(t, ByName)
	open := true
	c := p.widget("w", "")
	c.Observations[0].When = func() (bool, error) { return open, nil }
	c.Actions[0].When = func() (bool, error) { return open, nil }
	c.Actions[0].Execute = func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
		open = false // and nobody is told
		return `{"closed":true}`, nil
	}
	p.register(c)
	p.start()
	p.host.Settle() // the registration is announced: nothing but the call makes the adapter look again
	wantOK(t, p.call("view_w__poke", `{}`), `{"closed":true}`)
	p.host.Settle()
	p.wantTools("view_w__poke")
	p.host.Turn()
	p.wantTools("")
}

func TestCancel(t *testing.T) {
	p := newPage(t, BySignal)
	waits := &latch{page: p}
	p.register(p.button("w", waits.action))
	p.start()
	answer := p.call("view_w__poke", `{}`)
	wantPending(t, answer)
	answer.cancel()
	wantCode(t, answer, capability.CodeCancelled, "may-have-happened")
	p.host.Run()
	if !waits.cancelled {
		t.Error("the handler's own context was not cancelled")
	}
	answer.cancel()
	p.host.Turn()
	wantCode(t, answer, capability.CodeCancelled)
}

func TestCallThatWasAbortedBeforeItBegan(t *testing.T) {
	p := newPage(t, BySignal)
	p.register(p.button("w"))
	p.start()
	wantCode(t, p.call("view_w__poke", `{}`, CallOptions{Aborted: true}), capability.CodeCancelled, "not-started")
	if len(p.ran) != 0 {
		t.Errorf("the handler ran: %v", p.ran)
	}
}

func TestCancelAfterTheEndDoesNothing(t *testing.T) {
	p := newPage(t, BySignal)
	p.register(p.button("w"))
	p.start()
	answer := p.call("view_w__poke", `{}`)
	answer.cancel()
	p.host.Turn()
	wantOK(t, answer, `{}`)
}

func TestCallInFlightAtStopCompletes(t *testing.T) {
	p := newPage(t, ByName)
	waits := &latch{page: p}
	p.register(p.button("w", waits.action))
	p.start()
	tool := *p.context.find("view_w__poke")
	answer := p.call("view_w__poke", `{}`)
	p.adapter.Stop()
	wantCode(t, p.callTool(tool, `{}`), capability.CodeNotFound)
	waits.open()
	wantOK(t, answer, `{"done":true}`)
	p.host.Turn()
	p.wantTools("")
}

func TestActionThatStopsItsAdapterDeliversItsResult(t *testing.T) {
	p := newPage(t, ByName)
	p.register(p.button("w", func(a *registry.Action) {
		a.Execute = func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
			p.adapter.Stop()
			return `{"stopped":true}`, nil
		}
	}))
	p.start()
	wantOK(t, p.call("view_w__poke", `{}`), `{"stopped":true}`)
	p.host.Turn()
	p.wantTools("")
}
