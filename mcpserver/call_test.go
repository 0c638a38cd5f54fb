package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/mcpserver"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
)

// TestARetryDoesNothingTwice: under the same invocation id, within a session, also when the surface has moved.
func TestARetryDoesNothingTwice(t *testing.T) {
	versions(t, func(t *testing.T, version string) {
		h := newHouse(t)
		c := connect(t, h.server(nil), dialling{version: version})
		c.tools()
		first := c.call("echo", `{"word":"a"}`, mcpserver.InvocationMeta, "one")
		h.mount(&registry.Component{Type: "house.door", Description: "A door", Actions: []registry.Action{{
			Name: "open", Description: "Opens it", Effect: capability.LocalState, Input: document(anyObject), Execute: h.carryOut(""),
		}}})
		c.changed2(version)
		c.tools()
		again := c.call("echo", `{"word":"a"}`, mcpserver.InvocationMeta, "one")
		if text(first) != text(again) || again.IsError || h.runs() != 1 {
			t.Errorf("%d runs, %s and then %s", h.runs(), text(first), text(again))
		}
		if again.Meta[mcpserver.InvocationMeta] != "one" {
			t.Errorf("the invocation id is %v", again.Meta)
		}
		c.want(c.call("echo", `{"word":"b"}`, mcpserver.InvocationMeta, "one"), capability.CodeConflict)
		c.want(c.call("door", ``, mcpserver.InvocationMeta, "one"), capability.CodeNotFound)
		c.call("echo", `{"word":"a"}`)
		c.call("echo", `{"word":"a"}`)
		if h.runs() != 3 {
			t.Errorf("two calls without an id ran %d times", h.runs()-1)
		}
	})
}

// changed2 waits for news where the client gets them without asking to listen.
func (c *client) changed2(version string) {
	if version == withSession {
		c.changed()
	}
}

// TestIdentitiesAreOfOneSession: another client may use the same invocation id for something else.
func TestIdentitiesAreOfOneSession(t *testing.T) {
	h := newHouse(t)
	s := h.server(nil)
	one, two := connect(t, s, dialling{name: "one"}), connect(t, s, dialling{name: "t\u202ewo"})
	one.call("echo", `{"word":"a"}`, mcpserver.InvocationMeta, "id")
	first := h.lastCall().Consumer
	if r := two.call("echo", `{"word":"b"}`, mcpserver.InvocationMeta, "id"); r.IsError {
		t.Errorf("got %s", text(r))
	}
	second := h.lastCall().Consumer
	if first.Key() == second.Key() || first.Kind != capability.BridgeConsumer || !strings.HasPrefix(first.ID, "test/") {
		t.Errorf("the consumers are %+v and %+v", first, second)
	}
	if first.ClaimedName != "one" || second.ClaimedName != `t\u{202e}wo` {
		t.Errorf("they claim to be %q and %q", first.ClaimedName, second.ClaimedName)
	}
	var seen []string
	for _, e := range h.trail.Events() {
		if e.Type == audit.InvocationSettled {
			seen = append(seen, e.ConsumerID+" "+e.ClaimedName)
		}
	}
	if len(seen) != 2 || seen[0] != first.Key()+" one" {
		t.Errorf("the trail says %q", seen)
	}
}

func TestMetaThatIsNoText(t *testing.T) {
	c := connect(t, newHouse(t).server(nil), dialling{})
	for _, name := range []string{mcpserver.InvocationMeta, mcpserver.ConfirmationMeta} {
		c.want(c.call("echo", "", name, 7), capability.CodeInvalidInput, name)
	}
	c.want(c.call("echo", "", mcpserver.InvocationMeta, strings.Repeat("x", 300)), capability.CodeInvalidInput)
}

// TestIdentifyAndGrants: policies see who calls, at discovery and at every call.
func TestIdentifyAndGrants(t *testing.T) {
	h := newHouse(t, func(o *registry.Options) {
		o.Policies = []policy.Policy{policy.HasPermission("house", nil)}
	})
	if got := len(connect(t, h.server(nil), dialling{}).tools()); got != 0 {
		t.Errorf("without a grant there are %d tools", got)
	}
	granted := h.server(func(o *mcpserver.Options) { o.Grants = []string{"house"} })
	if r := connect(t, granted, dialling{}).call("state", ""); r.IsError {
		t.Errorf("with a grant: %s", text(r))
	}
	var peers []mcpserver.Peer
	known := h.server(func(o *mcpserver.Options) {
		o.Identify = func(p mcpserver.Peer) capability.Consumer {
			peers = append(peers, p)
			return capability.Consumer{ID: "ann", Kind: capability.OtherConsumer, Grants: []string{"house"}}
		}
	})
	c := connect(t, known, dialling{name: "an agent"})
	c.call("echo", "")
	if got := h.lastCall().Consumer; got.ID != "ann" || len(peers) != 1 || peers[0].ClaimedName != "an agent" || peers[0].Session == "" || peers[0].Header != nil {
		t.Errorf("called as %+v, of %+v", got, peers)
	}
	nobody := h.server(func(o *mcpserver.Options) {
		o.Identify = func(mcpserver.Peer) capability.Consumer { return capability.Consumer{} }
	})
	if _, err := connect(t, nobody, dialling{}).ListTools(t.Context(), nil); err == nil {
		t.Error("a session of nobody has tools")
	}
}

// TestTheClientCancels: the handler's context ends, and other calls go on.
func TestTheClientCancels(t *testing.T) {
	versions(t, func(t *testing.T, version string) {
		h := newHouse(t)
		c := connect(t, h.server(nil), dialling{version: version})
		ctx, cancel := context.WithCancel(t.Context())
		failed := make(chan error, 1)
		go func() {
			_, err := c.try(ctx, "slow", "")
			failed <- err
		}()
		<-h.started
		cancel()
		if err := <-failed; !errors.Is(err, context.Canceled) {
			t.Errorf("the call ended with %v", err)
		}
		if err := <-h.ended; err == nil {
			t.Error("the handler was not told")
		}
		if r := c.call("echo", ""); r.IsError {
			t.Errorf("another call gives %s", text(r))
		}
		waitFor(t, "the trail", func() bool {
			for _, e := range h.trail.Events() {
				if e.Type == audit.InvocationSettled && e.Code == capability.CodeCancelled {
					return true
				}
			}
			return false
		})
	})
}

// TestTheServerCancels: the client is told how far the call was.
func TestTheServerCancels(t *testing.T) {
	h := newHouse(t)
	c := connect(t, h.server(nil), dialling{})
	ended := make(chan *mcp.CallToolResult, 1)
	go func() { ended <- c.call("slow", "") }()
	<-h.started
	h.Dispose()
	c.want(<-ended, capability.CodeCancelled, `"progress":"may-have-happened"`)
}

// TestTheEndOfTheInputCancels: there is nobody left to get the result.
func TestTheEndOfTheInputCancels(t *testing.T) {
	h := newHouse(t)
	s := h.server(nil)
	in, feed := io.Pipe()
	served := make(chan error, 1)
	var out strings.Builder
	go func() { served <- s.Run(t.Context(), &mcpserver.Lines{In: in, Out: &out}) }()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","method":"notifications/initialized"}`,
		`{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"` + prefix + `slow","arguments":null}}`,
	} {
		if _, err := io.WriteString(feed, line+"\n"); err != nil {
			t.Fatal(err)
		}
	}
	<-h.started
	feed.Close()
	if err := <-h.ended; err == nil {
		t.Error("the handler was not told")
	}
	if err := <-served; err != nil {
		t.Errorf("serving ended with %v", err)
	}
}

func TestProgress(t *testing.T) {
	versions(t, func(t *testing.T, version string) {
		h := newHouse(t)
		c := connect(t, h.server(nil), dialling{version: version})
		c.call("steps", "", "progressToken", "token")
		for _, want := range []string{
			`{"progressToken":"token","message":"one","progress":1,"total":2}`, `{"progressToken":"token","message":"two","progress":2,"total":2}`,
		} {
			if got := jsonOf(<-c.reports); got != want {
				t.Errorf("reported %s, want %s", got, want)
			}
		}
		c.call("steps", "")
		if len(c.reports) > 0 {
			t.Errorf("reported without a token: %s", jsonOf(<-c.reports))
		}
	})
}

// TestProgressThatCannotBeTold, and that comes too late.
func TestProgressThatCannotBeTold(t *testing.T) {
	h := newHouse(t)
	kept := make(chan context.Context, 1)
	h.mount(&registry.Component{Type: "house.odd", Description: "Odd", Actions: []registry.Action{{
		Name: "report", Description: "Reports oddly", Effect: capability.LocalState, Input: document(anyObject),
		Execute: func(ctx context.Context, _ capability.JSON, _ *registry.Call) (capability.JSON, error) {
			for _, p := range []registry.Progress{{Done: inf()}, {Done: -inf()}, {Done: inf() - inf()}, {Done: 1, Total: inf()}, {Done: 1, Total: inf() - inf()}, {Done: 3}} {
				registry.Report(ctx, p)
			}
			kept <- ctx
			return "", nil
		},
	}}})
	c := connect(t, h.server(nil), dialling{})
	if r := c.call("view_house__odd__report", "", "progressToken", 5); r.IsError {
		t.Errorf("got %s", text(r))
	}
	registry.Report(<-kept, registry.Progress{Done: 9})
	c.call("echo", "")
	if got := jsonOf(<-c.reports); got != `{"progressToken":5,"progress":3}` || len(c.reports) > 0 {
		t.Errorf("reported %s, and %d more", got, len(c.reports))
	}
}

func inf() float64 {
	var zero float64
	return 1 / zero
}

// TestWhatIsNoCall: the SDK answers what is not about tools, and what is malformed.
func TestWhatIsNoCall(t *testing.T) {
	in, feed := io.Pipe()
	answers, out := io.Pipe()
	served := make(chan error, 1)
	s := newHouse(t).server(nil)
	go func() { served <- s.Run(t.Context(), &mcpserver.Lines{In: in, Out: out}) }()
	lines := json.NewDecoder(answers)
	ask := func(line string) (answer struct {
		Result json.RawMessage
		Error  *jsonrpc.Error
	}) {
		go func() { _, _ = io.WriteString(feed, line+"\n") }()
		if err := lines.Decode(&answer); err != nil {
			t.Fatal(err)
		}
		return answer
	}
	if a := ask(`{"jsonrpc":"2.0","id":0,"method":"tools/list"}`); a.Error == nil {
		t.Errorf("before the beginning there are tools: %s", a.Result)
	}
	a := ask(`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2024-11-05","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`)
	if !strings.Contains(string(a.Result), `"tools":{"listChanged":true}`) || strings.Contains(string(a.Result), "logging") {
		t.Errorf("it introduces itself with %s", a.Result)
	}
	for line, code := range map[string]int64{
		`{"jsonrpc":"2.0","id":2,"method":"tools/call"}`:                        jsonrpc.CodeInvalidRequest,
		`{"jsonrpc":"2.0","id":3,"method":"tools/call","params":{"name":7}}`:    jsonrpc.CodeInvalidParams,
		`{"jsonrpc":"2.0","id":4,"method":"prompts/get","params":{"name":"x"}}`: jsonrpc.CodeInvalidParams,
		`{"jsonrpc":"2.0","id":5,"method":"no/such"}`:                           jsonrpc.CodeMethodNotFound,
	} {
		if a := ask(line); a.Error == nil || a.Error.Code != code && code != jsonrpc.CodeInvalidRequest && code != jsonrpc.CodeInvalidParams {
			t.Errorf("%s gives %v, want %d", line, a.Error, code)
		}
	}
	feed.Close()
	if err := <-served; err != nil {
		t.Error(err)
	}
}
