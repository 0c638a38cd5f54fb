package toolset_test

import (
	"context"
	"testing"
	"testing/synctest"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/testsurface"
	"github.com/pagewarden/pagewarden/toolset"
)

func TestCalls(t *testing.T) {
	p := newPage(t, nil)
	p.Register(p.list(""))
	p.Register(p.admin())
	wantOK(t, p.call(p.tool("view_app__list__rows"), `{}`), `["a"]`)
	wantOK(t, p.call(p.tool(selectTool), `{"ids":["x"]}`), `"done"`)
	wantOK(t, p.call(p.tool("domain_items__server-query"), `{"id":"x"}`), `{"ok":true}`)
	p.wantRan(`select {"ids":["x"]}`, `items.server-query {"id":"x"}`)
}

// TestInputThatSaysNothing: some providers send null, or nothing, for no arguments.
func TestInputThatSaysNothing(t *testing.T) {
	p := newPage(t, nil)
	c := p.list("")
	c.Actions = append(c.Actions, registry.Action{
		Name: "note", Description: "Notes anything", Effect: capability.LocalState, Input: document(`{}`), Execute: p.runs("note"),
	})
	p.Register(c)
	for _, input := range []capability.JSON{"", "null", " null\n", "{}"} {
		wantOK(t, p.call(p.tool(selectTool), input), `"done"`)
	}
	wantOK(t, p.call(p.tool("view_app__list__note"), "null"), `"done"`)
	p.wantRan("select {}", "select {}", "select {}", "select {}", "note null")
}

func TestIdentityOfACall(t *testing.T) {
	p := newPage(t, nil)
	p.Register(p.list(""))
	tool := p.tool(selectTool)
	if got := p.call(tool, `{}`, toolset.Call{ToolCallID: "call_0"}).InvocationID; got != "call_0" {
		t.Errorf("the identity is %s", got)
	}
	if got := p.call(tool, `{}`, toolset.Call{ToolCallID: "call_0", InvocationID: "mine"}).InvocationID; got != "mine" {
		t.Errorf("the identity is %s", got)
	}
	first, second := p.call(tool, `{}`).InvocationID, p.call(tool, `{}`).InvocationID
	if first == second || first == "" {
		t.Errorf("the identities are %q and %q", first, second)
	}
	if len(p.ran) != 4 {
		t.Fatalf("what ran is %q", p.ran)
	}
	again := p.call(tool, `{}`, toolset.Call{ToolCallID: "call_0"})
	wantOK(t, again, `"done"`)
	wantCode(t, p.call(tool, `{"ids":[]}`, toolset.Call{ToolCallID: "call_0"}), capability.CodeConflict)
	if len(p.ran) != 4 {
		t.Errorf("a repetition ran: %q", p.ran)
	}
}

// TestTokensOfACatalog: a call says what its tool was about, so that it cannot land on something else.
func TestTokensOfACatalog(t *testing.T) {
	p := newPage(t, nil)
	h := p.Register(p.list("main"))
	old := p.tool(selectTool)
	h.Unregister()
	wantCode(t, p.call(old, `{}`), capability.CodeUnmounted)
	p.Register(p.list("main"))
	wantCode(t, p.call(old, `{}`), capability.CodeStale, "registration-replaced")
	wantOK(t, p.call(p.tool(selectTool), `{}`), `"done"`)

	p.Register(p.admin())
	purge := p.tool(purgeTool)
	p.Registry().Invalidate()
	p.tools() // the next catalog does not change the tool that is held
	wantCode(t, p.call(purge, `{}`), capability.CodeStale, "surface-version-mismatch")
	if p.begin(p.tool(purgeTool), `{}`, toolset.Call{}).waits() != true {
		t.Error("the tool of the next catalog does not get as far as the confirmation")
	}
}

func TestCallsByName(t *testing.T) {
	p := newPage(t, nil)
	h := p.Register(p.list(""))
	call := func(name string) registry.Result {
		var results []registry.Result
		p.set.Start(context.Background(), name, `{}`, toolset.Call{InvocationID: "id-" + name}, func(r registry.Result) { results = append(results, r) })
		p.clock.Turn()
		if len(results) != 1 {
			t.Fatalf("%d results", len(results))
		}
		return results[0]
	}
	wantOK(t, call(selectTool), `"done"`) // without a catalog one is made
	unknown := call("view_app__list__destroy")
	wantCode(t, unknown, capability.CodeNotFound)
	if unknown.InvocationID != "id-view_app__list__destroy" || unknown.SurfaceVersion != p.Registry().Version() {
		t.Errorf("the result is %s", unknown.JSON())
	}
	h.Unregister()
	if tool, ok := p.set.Tool("view_app__list__rows"); !ok || tool.CapabilityID != "view:app.list.rows" {
		t.Errorf("the last catalog has %v, %v", tool.Spec, ok)
	}
	p.tools()
	if tool, ok := p.set.Tool("view_app__list__rows"); ok {
		t.Errorf("the last catalog has %v", tool.Spec)
	}
}

// TestRestoredTool is as good as the one that was handed out, and as stale.
func TestRestoredTool(t *testing.T) {
	p := newPage(t, nil)
	p.Register(p.list(""))
	p.Register(p.admin())
	restore := func(name string) toolset.Tool {
		tool := p.tool(name)
		return p.set.Restore(toolset.Spec{
			CapabilityID: tool.CapabilityID, RegistrationID: tool.RegistrationID, InputSchema: tool.InputSchema,
		}, tool.SurfaceVersion)
	}
	wantOK(t, p.call(restore(selectTool), "null"), `"done"`)
	purge := restore(purgeTool)
	p.Registry().Invalidate()
	wantCode(t, p.call(purge, `{}`), capability.CodeStale, "surface-version-mismatch")
	p.wantRan("select {}")
}

// TestRestoredToolOfNothing ends too, in both modes.
func TestRestoredToolOfNothing(t *testing.T) {
	for _, mode := range []func(*toolset.Options){nil, meta} {
		p := newPage(t, mode)
		tool := p.set.Restore(toolset.Spec{CapabilityID: "meta:surface.other"}, "1")
		if r := p.call(tool, `{}`); r.OK() {
			t.Errorf("the result is %s", r.JSON())
		}
	}
}

func TestCallThatIsWithdrawn(t *testing.T) {
	p := newPage(t, nil)
	c := p.list("")
	var signal context.Context
	c.Actions[0].Execute = func(ctx context.Context, _ capability.JSON, call *registry.Call) (capability.JSON, error) {
		signal = ctx
		waiter := p.clock.Waiter()
		defer host.Watch(ctx, waiter.Wake)()
		waiter.Park()
		return "", ctx.Err()
	}
	p.Register(c)
	call := p.begin(p.tool(selectTool), `{}`, toolset.Call{})
	call.scope.Cancel(context.Canceled)
	wantCode(t, call.result(), capability.CodeCancelled)
	if signal.Err() == nil {
		t.Error("the handler was not told")
	}
}

// TestInputThatTheHostCouldNotWrite is refused where the registry refuses input.
func TestInputThatTheHostCouldNotWrite(t *testing.T) {
	p := newPage(t, nil)
	p.Register(p.list(""))
	call := toolset.Call{InputIssue: capability.Issue{Path: "ids[0]", Message: "is a function"}}
	wantCode(t, p.call(p.tool(selectTool), "", call), capability.CodeInvalidInput)
	p.set = p.newSet(meta)
	wantCode(t, p.call(p.tool("surface_act"), "", call), capability.CodeInvalidInput)
	p.wantRan()
}

// TestExecuteInAGoProgram waits in the caller's goroutine.
func TestExecuteInAGoProgram(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testsurface.New(t, testsurface.Options{Consumer: copilot})
		page := &page{t: t, Surface: s}
		s.Register(page.list(""))
		s.Register(page.admin())
		set, err := toolset.New(s.Registry(), toolset.Options{Consumer: copilot, Topology: toolset.Embedded, Host: host.Native()})
		if err != nil {
			t.Fatal(err)
		}
		defer set.Dispose()
		wantOK(t, set.Execute(t.Context(), selectTool, `{}`, toolset.Call{}), `"done"`)
		wantCode(t, set.Execute(t.Context(), "nothing", `{}`, toolset.Call{}), capability.CodeNotFound)

		purge, _ := set.Tool(purgeTool)
		go func() {
			synctest.Wait()
			s.Approve()
		}()
		wantOK(t, purge.Execute(t.Context(), `{"id":"x"}`, toolset.Call{}), `{"ok":true}`)
		page.wantRan("select {}", `items.destructive {"id":"x"}`)
	})
}
