package toolset_test

import (
	"context"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/toolset"
)

// purge begins a call that a person must confirm.
func (p *page) purge(call ...toolset.Call) *pending {
	p.t.Helper()
	return p.begin(p.tool(purgeTool), `{"id":"7"}`, append(call, toolset.Call{})[0])
}

const purged = `items.destructive {"id":"7"}`

func TestEmbeddedCallsWait(t *testing.T) {
	for name, tt := range map[string]struct {
		decide func(*page)
		code   capability.Code
		reason string
	}{
		"denied":  {func(p *page) { p.Deny() }, capability.CodeConfirmationInvalid, "denied"},
		"expired": {func(p *page) { p.clock.Advance(3 * time.Minute) }, capability.CodeConfirmationInvalid, "expired"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPage(t, nil)
			p.Register(p.admin())
			call := p.purge(toolset.Call{ToolCallID: "call_7"})
			if !call.waits() || len(p.Pending()) != 1 {
				t.Fatalf("the call has ended: %v", call.results)
			}
			tt.decide(p)
			r := call.result()
			wantCode(t, r, tt.code, tt.reason)
			if r.InvocationID != "call_7" || r.CapabilityID != "domain:items.destructive" || r.SurfaceVersion != p.Registry().Version() {
				t.Errorf("the result is %s", r.JSON())
			}
			p.wantRan()
		})
	}
}

// TestApprovalSurvivesOtherChanges: what else has changed during the wait does not spoil it, its own remount does.
func TestApprovalSurvivesOtherChanges(t *testing.T) {
	p := newPage(t, nil)
	h := p.Register(p.admin())
	call := p.purge()
	p.Register(p.list(""))
	p.Approve()
	wantOK(t, call.result(), `{"ok":true}`)
	p.wantRan(purged)

	call = p.purge()
	h.Unregister()
	p.Register(p.admin())
	wantCode(t, call.result(), capability.CodeUnmounted)
	p.wantRan(purged)
}

func TestDisposeDuringAWait(t *testing.T) {
	p := newPage(t, nil)
	p.Register(p.admin())
	call := p.purge()
	id := p.Pending()[0].ConfirmationID
	p.set.Dispose()
	r := call.result()
	wantCode(t, r, capability.CodeConfirmationRequired)
	if r.Error.Detail("confirmationId") != id {
		t.Errorf("the result is %s, want the original", r.JSON())
	}
	if len(p.Pending()) != 0 {
		t.Error("the record of a wait that was aborted is still pending")
	}
	p.wantRan()
}

func TestWithdrawnDuringAWait(t *testing.T) {
	p := newPage(t, nil)
	p.Register(p.admin())
	call := p.purge()
	call.scope.Cancel(context.Canceled)
	wantCode(t, call.result(), capability.CodeCancelled)
	if len(p.Pending()) != 0 {
		t.Error("nobody waits, and the record is still pending")
	}
}

// TestWaitTimeout: the model is told that a person must decide, and may come back when they have.
func TestWaitTimeout(t *testing.T) {
	p := newPage(t, func(o *toolset.Options) { o.WaitTimeout = 20 * time.Second })
	p.Register(p.admin())
	call := p.purge(toolset.Call{ToolCallID: "call_7"})
	p.clock.Advance(19 * time.Second)
	if !call.waits() {
		t.Fatal("the call did not wait for as long as it may")
	}
	p.clock.Advance(time.Second)
	r := call.result()
	wantCode(t, r, capability.CodeConfirmationRequired)
	p.Approve()
	p.wantRan()
	id := r.Error.Detail("confirmationId")
	wantOK(t, p.purge(toolset.Call{ToolCallID: "call_8", ConfirmationID: id}).result(), `{"ok":true}`)
	p.wantRan(purged)
}

func TestTwoPhases(t *testing.T) {
	p := newPage(t, twoPhase)
	p.Register(p.admin())
	asked := p.purge(toolset.Call{ToolCallID: "call_7"}).result()
	wantCode(t, asked, capability.CodeConfirmationRequired)
	again := p.purge(toolset.Call{ToolCallID: "call_7", ConfirmationID: asked.Error.Detail("confirmationId")})
	wantCode(t, again.result(), capability.CodeConfirmationRequired)
	p.Approve()
	evidence := toolset.Call{ToolCallID: "call_7", ConfirmationID: asked.Error.Detail("confirmationId")}
	wantOK(t, p.purge(evidence).result(), `{"ok":true}`)
	wantOK(t, p.purge(evidence).result(), `{"ok":true}`) // the answer was lost
	evidence.ToolCallID = "call_8"
	wantCode(t, p.purge(evidence).result(), capability.CodeConfirmationInvalid, "consumed")
	p.wantRan(purged)
}

// TestRetryOfAConfirmedCall: a host that lost the answer to a call repeats it as it was, and gets the answer; though
// the call that ran had evidence that the host never saw.
func TestRetryOfAConfirmedCall(t *testing.T) {
	for _, mode := range []toolset.Mode{toolset.Direct, toolset.Meta} {
		t.Run(string(mode), func(t *testing.T) {
			p := newPage(t, func(o *toolset.Options) { o.Mode = mode })
			p.Register(p.admin())
			tool, input := p.tool, capability.JSON(`{"id":"7"}`)
			name := purgeTool
			if mode == toolset.Meta {
				name, input = "surface_act", `{"capabilityId":"domain:items.destructive","input":{"id":"7"},"surfaceVersion":"1"}`
			}
			held := tool(name)
			first := p.begin(held, input, toolset.Call{InvocationID: "x"})
			during := p.begin(held, input, toolset.Call{InvocationID: "x"})
			p.Register(p.list(""))
			p.Approve()
			p.Register(p.list("other"))
			after := p.begin(held, input, toolset.Call{InvocationID: "x"})
			for _, call := range []*pending{first, during, after} {
				wantOK(t, call.result(), `{"ok":true}`)
			}
			p.wantRan(purged)
		})
	}
}
