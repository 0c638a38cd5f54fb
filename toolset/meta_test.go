package toolset_test

import (
	"context"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
)

const (
	discoverTool = "surface_discover"
	readTool     = "surface_read"
	actTool      = "surface_act"
)

// metaCatalog is what models have in their caches: a change of one byte is a decision.
const metaCatalog = `surface_discover|Lists what this application offers now: components with their observations and actions, and procedures of the server, each with its description, schemas, effect and state. Call it first, and again when a result says that the surface has changed. truncated and scopeRejected in its result say that something was left out.|{"type":"object","properties":{"scope":{"type":"array","items":{"type":"string","minLength":1},"maxItems":100,"description":"Show only component types under these prefixes, such as devices or devices.table."}},"additionalProperties":false}|{"available":true}
surface_read|Reads one observation that surface_discover lists. It changes nothing.|{"type":"object","properties":{"capabilityId":{"type":"string","minLength":1,"description":"The capabilityId, or procedureId, as surface_discover gives it."},"instanceId":{"type":"string","minLength":1,"description":"Which instance, where several components of the type are there."}},"required":["capabilityId"],"additionalProperties":false}|{"available":true}
surface_act|Carries out one action or procedure that surface_discover lists. Where its effect is destructive or external-side-effect, echo the surfaceVersion that surface_discover gave, so that nothing happens if the surface has moved since. After CONFIRMATION_REQUIRED, repeat the call unchanged with details.confirmationId once the person has decided. To repeat a call whose answer was lost, send it again with the same invocationId.|{"type":"object","properties":{"capabilityId":{"type":"string","minLength":1,"description":"The capabilityId, or procedureId, as surface_discover gives it."},"instanceId":{"type":"string","minLength":1,"description":"Which instance, where several components of the type are there."},"input":{"type":"object","description":"The arguments of the capability, as its inputSchema says; {} for none."},"invocationId":{"type":"string","minLength":1,"description":"Your own id for this call; the same id again means the same call."},"confirmationId":{"type":"string","minLength":1,"description":"details.confirmationId of the CONFIRMATION_REQUIRED that a person has decided."},"surfaceVersion":{"type":"string","minLength":1,"description":"The surfaceVersion that the decision to call is based on."}},"required":["capabilityId","input"],"additionalProperties":false}|{"available":true}`

func TestMetaToolsNeverChange(t *testing.T) {
	p := newPage(t, meta)
	if got := describeAll(p.tools()); got != metaCatalog {
		t.Errorf("the tools are\n%s\nwant\n%s", got, metaCatalog)
	}
	p.Register(p.list("left"))
	p.Register(p.list("right"))
	disable(t, p.Register(p.admin()))
	if got := describeAll(p.tools()); got != metaCatalog {
		t.Error("the tools follow the surface")
	}
	want := map[string]string{discoverTool: "meta:surface.discover", readTool: "meta:surface.read", actTool: "meta:surface.act"}
	for name, id := range p.set.WireNameMap() {
		if want[name] != id {
			t.Errorf("%s stands for %s", name, id)
		}
	}
	p.set.Dispose()
	if _, err := p.set.Tools(); err == nil {
		t.Error("a toolset that is gone has tools")
	}
	wantCode(t, p.call(p.newSetTool(meta, actTool), `{}`), capability.CodeInvalidInput)
}

// newSetTool is one tool of another toolset.
func (p *page) newSetTool(change func(*toolset.Options), name string) toolset.Tool {
	p.t.Helper()
	p.set = p.newSet(change)
	return p.tool(name)
}

func TestDiscover(t *testing.T) {
	p := newPage(t, meta)
	p.Register(p.list("main"))
	p.Register(p.admin())
	r := p.call(p.tool(discoverTool), `{}`, toolset.Call{ToolCallID: "call_0"})
	if want := p.Snapshot().JSON(); r.Output != want {
		t.Errorf("discovered\n%s\nwant the snapshot\n%s", r.Output, want)
	}
	if r.InvocationID != "call_0" || r.CapabilityID != "meta:surface.discover" || r.SurfaceVersion != p.Registry().Version() || r.SurfaceChanged {
		t.Errorf("the result is %s", r.JSON())
	}
	if r := p.call(p.tool(discoverTool), "null"); r.Output.Absent() || !strings.HasPrefix(r.InvocationID, "inv_") {
		t.Errorf("null arguments give %s", r.JSON())
	}
	gone := withdrawn(t, p)
	wantCode(t, gone, capability.CodeCancelled)
	p.Registry().Dispose()
	wantCode(t, p.call(p.tool(discoverTool), `{}`), capability.CodeCancelled)
}

// withdrawn is a discovery that was withdrawn before it began.
func withdrawn(t *testing.T, p *page) registry.Result {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var results []registry.Result
	p.tool(discoverTool).Start(ctx, `{}`, toolset.Call{}, func(r registry.Result) { results = append(results, r) })
	return results[0]
}

func TestDiscoverWithinABudget(t *testing.T) {
	p := newPage(t, both(meta, func(o *toolset.Options) { o.Budget = &toolset.Budget{MaxComponents: 1} }))
	p.Register(p.list("a"))
	p.Register(p.list("b"))
	p.Register(p.list("c"))
	out := string(p.call(p.tool(discoverTool), `{}`).Output)
	if !strings.HasSuffix(out, `"truncated":{"droppedComponents":2}}`) || strings.Contains(out, `"instanceId":"b"`) {
		t.Errorf("discovered %s", out)
	}
	p.set = p.newSet(both(meta, func(o *toolset.Options) { o.Budget = &toolset.Budget{MaxBytes: 700} }))
	if out := p.call(p.tool(discoverTool), `{}`).Output; len(out) > 700 || !strings.Contains(string(out), `"truncated"`) {
		t.Errorf("discovered %d bytes: %s", len(out), out)
	}
}

func TestDiscoverWithinAScope(t *testing.T) {
	floor := func(o *toolset.Options) {
		o.Mode, o.Scope, o.Budget = toolset.Meta, []string{"app.list", "shop"}, &toolset.Budget{MaxComponents: 1}
	}
	p := newPage(t, floor)
	p.Register(p.list("main"))
	p.Register(p.admin())
	for _, tt := range []struct{ arguments, has, lacks, end string }{
		{`{}`, `"type":"app.list"`, "admin", `}`},
		{`{"scope":[]}`, `"type":"app.list"`, "admin", `}`},
		{`{"scope":["app"]}`, `"type":"app.list"`, "admin", `}`},
		{`{"scope":["app.list"]}`, `"type":"app.list"`, "admin", `}`},
		{`{"scope":["app.admin","app.list","app.admin"]}`, `"type":"app.list"`, "items.", `"scopeRejected":{"prefixes":["app.admin"]}}`},
		{`{"scope":["shop.cart"]}`, `"components":[],"procedures":[]}`, "app", `}`},
		{`{"scope":["app.admin","bank"]}`, `"components":[],"procedures":[]`, "truncated", `"scopeRejected":{"prefixes":["app.admin","bank"]}}`},
		{`{"scope":["app.li"]}`, `"components":[]`, "app.list", `"scopeRejected":{"prefixes":["app.li"]}}`},
	} {
		r := p.call(p.tool(discoverTool), capability.JSON(tt.arguments))
		out := string(r.Output)
		if r.Error != nil || !strings.Contains(out, tt.has) || strings.Contains(out, tt.lacks) || !strings.HasSuffix(out, tt.end) {
			t.Errorf("%s discovers %s", tt.arguments, r.JSON())
		}
	}
	// The scope limits what is discovered, not what may be called.
	wantOK(t, p.call(p.tool(actTool), `{"capabilityId":"domain:items.server-query","input":{}}`), `{"ok":true}`)
}

func TestRead(t *testing.T) {
	p := newPage(t, meta)
	p.Register(p.list("main"))
	r := p.call(p.tool(readTool), `{"capabilityId":"view:app.list.rows"}`, toolset.Call{InvocationID: "x"})
	wantOK(t, r, `["a"]`)
	if r.CapabilityID != "view:app.list.rows" || r.InvocationID != "x" {
		t.Errorf("the result is %s", r.JSON())
	}
	wantOK(t, p.call(p.tool(readTool), `{"capabilityId":"view:app.list.rows","instanceId":"main"}`), `["a"]`)
	wantCode(t, p.call(p.tool(readTool), `{"capabilityId":"view:app.list.rows","instanceId":"other"}`), capability.CodeNotFound)
	wantCode(t, p.call(p.tool(readTool), `{"capabilityId":"nonsense"}`), capability.CodeNotFound)
	p.Register(p.list("other"))
	wantCode(t, p.call(p.tool(readTool), `{"capabilityId":"view:app.list.rows"}`), capability.CodeAmbiguousInstance)
	wantOK(t, p.call(p.tool(readTool), `{"capabilityId":"view:app.list.rows","instanceId":"other"}`), `["a"]`)
}

// TestReadRunsNothingElse: a host may let a model read without asking anybody.
func TestReadRunsNothingElse(t *testing.T) {
	p := newPage(t, meta)
	p.Register(p.list("main"))
	p.Register(p.admin())
	for _, target := range []string{"view:app.list.select", "domain:items.server-query"} {
		r := p.call(p.tool(readTool), capability.JSON(`{"capabilityId":"`+target+`"}`))
		wantCode(t, r, capability.CodeInvalidInput)
		if r.CapabilityID != target || !strings.Contains(string(r.Error.Details), "must name an observation") {
			t.Errorf("the result is %s", r.JSON())
		}
	}
	p.Register(p.list("other"))
	wantCode(t, p.call(p.tool(readTool), `{"capabilityId":"view:app.list.select"}`), capability.CodeInvalidInput)
	p.wantRan()
}

func TestAct(t *testing.T) {
	p := newPage(t, both(meta, twoPhase))
	p.Register(p.list("main"))
	p.Register(p.admin())
	act := func(arguments string, call ...toolset.Call) registry.Result {
		return p.call(p.tool(actTool), capability.JSON(arguments), call...)
	}
	wantOK(t, act(`{"capabilityId":"view:app.list.select","input":{"ids":["a"]}}`), `"done"`)
	wantOK(t, act(`{"capabilityId":"view:app.list.rows","input":{}}`), `["a"]`)
	wantCode(t, act(`{"capabilityId":"view:app.list.select","input":{"ids":7}}`), capability.CodeInvalidInput)

	asked := act(`{"capabilityId":"domain:items.destructive","input":{"id":"7"},"surfaceVersion":"2","invocationId":"x"}`)
	wantCode(t, asked, capability.CodeConfirmationRequired)
	p.Approve()
	id := asked.Error.Detail("confirmationId")
	wantCode(t, act(`{"capabilityId":"domain:items.destructive","input":{"id":"7"},"surfaceVersion":"1","confirmationId":"`+id+`"}`), capability.CodeStale)
	wantOK(t, act(`{"capabilityId":"domain:items.destructive","input":{"id":"7"},"surfaceVersion":"2","confirmationId":"`+id+`"}`), `{"ok":true}`)
	p.wantRan(`select {"ids":["a"]}`, purged)
}

// TestWhoNamesACall: what the model says of a call's identity wins over what the host says.
func TestWhoNamesACall(t *testing.T) {
	p := newPage(t, both(meta, twoPhase))
	p.Register(p.list(""))
	p.Register(p.admin())
	call := toolset.Call{ToolCallID: "call_0", ConfirmationID: "cnf_of_the_host"}
	r := p.call(p.tool(actTool), `{"capabilityId":"view:app.list.select","input":{},"invocationId":"model"}`, call)
	if r.InvocationID != "model" {
		t.Errorf("the result is %s", r.JSON())
	}
	if r := p.call(p.tool(actTool), `{"capabilityId":"view:app.list.select","input":{}}`, call); r.InvocationID != "call_0" {
		t.Errorf("the result is %s", r.JSON())
	}
	call.ToolCallID = "call_1"
	r = p.call(p.tool(actTool), `{"capabilityId":"domain:items.destructive","input":{}}`, call)
	wantCode(t, r, capability.CodeConfirmationInvalid, "mismatch")
	r = p.call(p.tool(actTool), `{}`, call)
	if r.InvocationID != "call_1" || r.CapabilityID != "meta:surface.act" {
		t.Errorf("the result is %s", r.JSON())
	}
}

// TestProcedureByItsContext: a snapshot shows a procedure with its context's instance, and that finds it.
func TestProcedureByItsContext(t *testing.T) {
	p := newPage(t, meta)
	c := p.admin()
	c.InstanceID = "own"
	c.Procedures[0].Context = &registry.ComponentRef{Type: "app.list", InstanceID: "shown"}
	p.Register(c)
	for _, instance := range []string{"own", "shown"} {
		wantOK(t, p.call(p.tool(actTool), capability.JSON(`{"capabilityId":"domain:items.server-query","input":{},"instanceId":"`+instance+`"}`)), `{"ok":true}`)
	}
	wantCode(t, p.call(p.tool(actTool), `{"capabilityId":"domain:items.server-query","input":{},"instanceId":"third"}`), capability.CodeNotFound)
}

// TestRetryAfterTheTargetWent gets the stored result: it is the same call, though it could not be resolved the same
// way any more.
func TestRetryAfterTheTargetWent(t *testing.T) {
	p := newPage(t, meta)
	h := p.Register(p.list("main"))
	arguments := capability.JSON(`{"capabilityId":"view:app.list.select","input":"{\"ids\":[]}","invocationId":"x"}`)
	wantOK(t, p.call(p.tool(actTool), arguments), `"done"`)
	h.Unregister()
	p.Register(p.list("main"))
	wantOK(t, p.call(p.tool(actTool), arguments), `"done"`)
	p.wantRan(`select {"ids":[]}`)
	wantCode(t, p.call(p.tool(actTool), `{"capabilityId":"view:app.list.select","input":{"ids":["b"]},"invocationId":"x"}`), capability.CodeConflict)
}
