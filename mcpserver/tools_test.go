package mcpserver_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/mcpserver"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
)

// versions runs a test with clients of both kinds.
func versions(t *testing.T, run func(t *testing.T, version string)) {
	for _, version := range []string{withSession, inResults} {
		t.Run(version, func(t *testing.T) { run(t, version) })
	}
}

// TestToolsAreThoseOfADirectToolset: same names, same texts, same order.
func TestToolsAreThoseOfADirectToolset(t *testing.T) {
	versions(t, func(t *testing.T, version string) {
		h := newHouse(t)
		c := connect(t, h.server(nil), dialling{version: version})
		set, err := toolset.New(h.Registry, toolset.Options{Consumer: capability.Consumer{ID: "x", Kind: capability.OtherConsumer}, Topology: toolset.Remote})
		if err != nil {
			t.Fatal(err)
		}
		defer set.Dispose()
		want, err := set.Tools()
		if err != nil {
			t.Fatal(err)
		}
		got, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		if len(got.Tools) != len(want) || got.NextCursor != "" {
			t.Fatalf("got %d tools, want %d", len(got.Tools), len(want))
		}
		for i, tool := range got.Tools {
			if tool.Name != want[i].Name || tool.Description != want[i].Description || tool.Title != want[i].Title {
				t.Errorf("tool %d is %s %q, want %s %q", i, tool.Name, tool.Description, want[i].Name, want[i].Description)
			}
		}
		again, err := c.ListTools(t.Context(), nil)
		if err != nil || jsonOf(again.Tools) != jsonOf(got.Tools) {
			t.Errorf("the second list differs (%v)", err)
		}
	})
}

func TestWhatAToolSays(t *testing.T) {
	c := connect(t, newHouse(t).server(nil), dialling{})
	tools := c.tools()
	for name, want := range map[string]string{
		"state": `{"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,"readOnlyHint":true,"title":"The lamp"}`,
		"lines": `{"destructiveHint":false,"idempotentHint":true,"openWorldHint":true,"readOnlyHint":true}`,
		"wipe":  `{"destructiveHint":false,"idempotentHint":false,"openWorldHint":false,"readOnlyHint":false}`,
	} {
		if got := jsonOf(tools[prefix+name].Annotations); got != want {
			t.Errorf("%s is annotated %s, want %s", name, got, want)
		}
	}
	if got := jsonOf(tools[prefix+"state"].OutputSchema); !strings.Contains(got, `"on":{"type":"boolean"}`) {
		t.Errorf("the output schema is %s", got)
	}
	if got := tools[prefix+"lines"]; got.OutputSchema != nil || !strings.Contains(jsonOf(got.Meta[mcpserver.SimplifiedMeta]), "output schema is not told") {
		t.Errorf("a list is declared as %v, and said of it %v", got.OutputSchema, got.Meta)
	}
	if got := jsonOf(tools[prefix+"spell"].InputSchema); got != `{"additionalProperties":false,"properties":{"input":{"type":"string"}},"required":["input"],"type":"object"}` {
		t.Errorf("a text is taken as %s", got)
	}
	if got := jsonOf(tools[prefix+"gate"].Meta[mcpserver.StateMeta]); got != `{"available":true}` {
		t.Errorf("the state is %s", got)
	}
}

func TestNoToolsAreAnEmptyList(t *testing.T) {
	versions(t, func(t *testing.T, version string) {
		h := newHouse(t)
		c := connect(t, h.server(func(o *mcpserver.Options) { o.Scope = []string{"nothing"} }), dialling{version: version})
		list, err := c.ListTools(t.Context(), nil)
		if err != nil || list.Tools == nil || len(list.Tools) != 0 {
			t.Errorf("got %v, %v", list, err)
		}
		if _, err := c.ListTools(t.Context(), &mcp.ListToolsParams{Cursor: "AAAA"}); err == nil || !strings.Contains(err.Error(), "no such page") {
			t.Errorf("a made-up cursor gives %v", err)
		}
	})
}

func TestResults(t *testing.T) {
	versions(t, func(t *testing.T, version string) {
		h := newHouse(t)
		c := connect(t, h.server(nil), dialling{version: version})
		for _, tt := range []struct{ name, arguments, text, structured string }{
			{"state", "", `{"on":true}`, `{"on":true}`},
			{"lines", "{}", `[]`, "null"},
			{"switch", `{"on":false}`, `{"on":false}`, `{"on":false}`},
			{"echo", `{"word":"<5 & \u2028 \u0000>"}`, `{"word":"<5 & \u2028 \u0000>"}`, `{"word":"\u003c5 \u0026 \u2028 \u0000\u003e"}`},
			{"spell", `{"input":"5"}`, `"5"`, "null"},
			{"steps", "", `"done"`, "null"},
		} {
			r := c.call(tt.name, tt.arguments)
			if r.IsError || text(r) != tt.text || jsonOf(r.StructuredContent) != tt.structured {
				t.Errorf("%s gives %s and %s", tt.name, text(r), jsonOf(r.StructuredContent))
			}
			if id, _ := r.Meta[mcpserver.InvocationMeta].(string); id == "" {
				t.Errorf("%s has no invocation id", tt.name)
			}
		}
	})
}

// TestErrorsAreToolErrors: the payload as text, and nothing structured.
func TestErrorsAreToolErrors(t *testing.T) {
	versions(t, func(t *testing.T, version string) {
		h := newHouse(t)
		c := connect(t, h.server(nil), dialling{version: version})
		c.tools()
		for _, tt := range []struct {
			name, arguments string
			code            capability.Code
			part            string
		}{
			{"switch", `{"on":"yes"}`, capability.CodeInvalidInput, `"path":"on"`},
			{"switch", ``, capability.CodeInvalidInput, `"path":"on"`},
			{"echo", `[]`, capability.CodeInvalidInput, "object"},
			{"echo", `"{}"`, capability.CodeInvalidInput, "object"},
			{"spell", `{"input":5}`, capability.CodeInvalidInput, ""},
			{"spell", ``, capability.CodeInvalidInput, `"path":"input"`},
			{"spell", `{"input":"x","other":1}`, capability.CodeInvalidInput, `"path":"other"`},
			{"spell", `{"input":5,"\u0069nput":"x"}`, capability.CodeInvalidInput, `"path":"input"`},
			{"spell", `"x"`, capability.CodeInvalidInput, `member \"input\"`},
			{"wrong", ``, capability.CodeExecutionFailed, `"progress":"done"`},
			{"silent", ``, capability.CodeExecutionFailed, `"progress":"done"`},
			{"fall", ``, capability.CodePreconditionFailed, `"where":"floor"`},
			{"burst", ``, capability.CodeExecutionFailed, "handler-error"},
			{"nothing", ``, capability.CodeNotFound, ""},
			{"pagewarden__", ``, capability.CodeNotFound, ""},
		} {
			r := c.call(tt.name, tt.arguments)
			c.want(r, tt.code, tt.part)
			if strings.Contains(text(r), "secret text") {
				t.Errorf("%s tells what nobody may know: %s", tt.name, text(r))
			}
		}
		h.setShut(true)
		c.want(c.call("gate", ""), capability.CodeNotAvailable, "it is shut")
	})
}

// TestNoArguments: absent and null are {}.
func TestNoArguments(t *testing.T) {
	c := connect(t, newHouse(t).server(nil), dialling{})
	for _, arguments := range []string{"", "null", "{}"} {
		if r := c.call("echo", arguments); r.IsError || text(r) != "{}" {
			t.Errorf("with %q: %s", arguments, text(r))
		}
	}
}

func TestTheSDKKnowsNoOtherTool(t *testing.T) {
	c := connect(t, newHouse(t).server(nil), dialling{})
	c.want(c.call("pagewarden", ""), capability.CodeNotFound)
	r, err := c.CallTool(t.Context(), &mcp.CallToolParams{Name: "pagewarden"})
	if err != nil || c.code(r) != string(capability.CodeNotFound) {
		t.Errorf("got %v, %v", r, err)
	}
}

func TestScopeLimitsWhatIsDiscovered(t *testing.T) {
	h := newHouse(t)
	h.mount(&registry.Component{Type: "garden.tap", Description: "A tap", Actions: []registry.Action{{
		Name: "open", Description: "Opens it", Effect: capability.LocalState, Input: document(anyObject), Execute: h.carryOut(""),
	}}})
	c := connect(t, h.server(func(o *mcpserver.Options) { o.Scope = []string{"garden"} }), dialling{})
	var names []string
	for name := range c.tools() {
		names = append(names, name)
	}
	if !slices.Equal(names, []string{"view_garden__tap__open"}) {
		t.Errorf("got %q", names)
	}
}

func TestOptionsThatAreWrong(t *testing.T) {
	h := newHouse(t)
	for option, o := range map[string]mcpserver.Options{
		"ConsumerID":    {},
		"Confirmations": {ConsumerID: "x", Confirmations: "perhaps"},
		"Scope":         {ConsumerID: "x", Scope: []string{"a", ""}},
		"WaitTimeout":   {ConsumerID: "x", WaitTimeout: -1},
	} {
		_, err := mcpserver.New(h.Registry, o)
		var wrong *mcpserver.OptionError
		if !errors.As(err, &wrong) || wrong.Option != option {
			t.Errorf("%s: got %v", option, err)
		}
	}
	if _, err := mcpserver.New(h.Registry, mcpserver.Options{ConsumerID: strings.Repeat("x", 200)}); err == nil {
		t.Error("an endless consumer id is taken")
	}
	if _, err := mcpserver.New(nil, mcpserver.Options{ConsumerID: "x"}); err == nil {
		t.Error("a server without a registry is made")
	}
}

func TestAfterClosing(t *testing.T) {
	h := newHouse(t)
	s := h.server(nil)
	c := connect(t, s, dialling{})
	c.tools()
	s.Close()
	s.Close()
	if _, err := c.try(t.Context(), "echo", ""); err == nil {
		t.Error("a closed server answers")
	}
	if s.Sessions() != 0 {
		t.Errorf("%d sessions are left", s.Sessions())
	}
	ours, _ := mcp.NewInMemoryTransports()
	if err := s.Run(t.Context(), ours); !errors.Is(err, mcpserver.ErrClosed) {
		t.Errorf("a closed server runs: %v", err)
	}
}

// TestADisposedRegistry: the client is told that its tools have gone, and calls say so.
func TestADisposedRegistry(t *testing.T) {
	h := newHouse(t)
	c := connect(t, h.server(nil), dialling{})
	c.tools()
	h.Dispose()
	r, err := c.try(t.Context(), "echo", "")
	if err != nil || c.code(r) != string(capability.CodeCancelled) {
		t.Errorf("a call gives %v, %v", r, err)
	}
	var wire *jsonrpc.Error
	if _, err := c.ListTools(t.Context(), nil); !errors.As(err, &wire) {
		t.Errorf("the list is %v", err)
	}
}

// TestRunEndsWithItsContext and with its client.
func TestRunEndsWithItsContext(t *testing.T) {
	h := newHouse(t)
	s := h.server(nil)
	ours, theirs := mcp.NewInMemoryTransports()
	ctx, cancel := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Run(ctx, ours) }()
	c := dial(t, theirs, dialling{})
	ended := make(chan error, 1)
	go func() {
		_, err := c.try(context.Background(), "slow", "")
		ended <- err
	}()
	<-h.started
	cancel()
	select {
	case err := <-served:
		if !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	case <-time.After(10 * time.Second):
		t.Error("it waits for a call that nobody cancels")
	}
	close(h.open)
	<-ended
	ours, theirs = mcp.NewInMemoryTransports()
	go func() { served <- s.Run(t.Context(), ours) }()
	dial(t, theirs, dialling{}).Close()
	if err := <-served; err != nil {
		t.Errorf("ended with %v", err)
	}
	if s.Sessions() != 0 {
		t.Errorf("%d sessions are left", s.Sessions())
	}
}
