package mcpserver_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/mcpserver"
	"github.com/pagewarden/pagewarden/registry"
)

// house is a surface under test: a lamp that can be looked at and switched, and some odd tools.
type house struct {
	*registry.Registry
	t     testing.TB
	trail *audit.Memory

	mu      sync.Mutex
	ran     []*registry.Call
	shut    bool
	open    chan struct{} // lets slow handlers go on
	started chan string   // invocation ids of slow handlers
	ended   chan error    // why slow handlers ended
}

func newHouse(t testing.TB, configure ...func(*registry.Options)) *house {
	t.Helper()
	h := &house{t: t, trail: audit.NewMemory(0), open: make(chan struct{}), started: make(chan string, 2000), ended: make(chan error, 2000)}
	options := registry.Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test, Audit: h.trail,
	}
	for _, c := range configure {
		c(&options)
	}
	r, err := registry.New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Dispose)
	h.Registry = r
	h.mount(h.lamp())
	return h
}

func (h *house) mount(c *registry.Component) *registry.Handle {
	h.t.Helper()
	handle, err := h.Register(c)
	if err != nil || handle.Status() != registry.Active {
		h.t.Fatalf("mounting %s: %v", c.Type, err)
	}
	return handle
}

func (h *house) carryOut(output capability.JSON) func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
	return func(_ context.Context, input capability.JSON, call *registry.Call) (capability.JSON, error) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.ran = append(h.ran, call)
		if output == "" {
			return input, nil
		}
		return output, nil
	}
}

// runs is how often something was carried out.
func (h *house) runs() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.ran)
}

func (h *house) lastCall() *registry.Call {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.ran[len(h.ran)-1]
}

func document(text capability.JSON) registry.Schema { return registry.Schema{Document: text} }

// slow waits until the test lets it go on, or nobody wants its result.
func (h *house) slow(ctx context.Context, _ capability.JSON, call *registry.Call) (capability.JSON, error) {
	h.started <- call.InvocationID
	select {
	case <-h.open:
		h.ended <- nil
		return `"done"`, nil
	case <-ctx.Done():
		h.ended <- context.Cause(ctx)
		return "", ctx.Err()
	}
}

// steps reports how far it has come.
func (h *house) steps(ctx context.Context, _ capability.JSON, _ *registry.Call) (capability.JSON, error) {
	for _, p := range []registry.Progress{{Done: 1, Total: 2, Message: "one"}, {Done: 0.5}, {Done: 1}, {Done: 2, Total: 2, Message: "two"}} {
		registry.Report(ctx, p)
	}
	return `"done"`, nil
}

const (
	anyObject = `{"type":"object"}`
	word      = `{"type":"object","properties":{"word":{"type":"string"}},"additionalProperties":false}`
	onOff     = `{"type":"object","properties":{"on":{"type":"boolean"}},"required":["on"],"additionalProperties":false}`
)

// lamp is a component with something of everything.
func (h *house) lamp() *registry.Component {
	return &registry.Component{
		Type: "house.lamp", Description: "A lamp",
		Observations: []registry.Observation{{
			Name: "state", Title: "The lamp", Description: "Whether it is on", Output: document(onOff),
			Read: func(context.Context, *registry.Call) (capability.JSON, error) { return `{"on":true}`, nil },
		}, {
			Name: "lines", Description: "A list", Output: document(`{"type":"array","items":{"type":"string"}}`), UntrustedContent: true,
			Read: registry.TypedRead(func(context.Context, *registry.Call) ([]string, error) { return nil, nil }),
		}},
		Actions: []registry.Action{
			{Name: "switch", Description: "Switches it", Effect: capability.LocalState, Input: document(onOff), Output: document(onOff), Execute: h.carryOut("")},
			{Name: "echo", Description: "Says it again", Effect: capability.LocalState, Input: document(word), Execute: h.carryOut("")},
			{Name: "spell", Description: "Takes a text", Effect: capability.LocalState, Input: document(`{"type":"string"}`), Execute: h.carryOut("")},
			{Name: "silent", Description: "Gives nothing", Effect: capability.LocalState, Input: document(anyObject), Output: document(onOff),
				Execute: func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) { return "", nil }},
			{Name: "wrong", Description: "Gives something else", Effect: capability.LocalState, Input: document(anyObject), Output: document(onOff), Execute: h.carryOut(`{"on":7}`)},
			{Name: "slow", Description: "Takes its time", Effect: capability.LocalState, Input: document(anyObject), Execute: h.slow,
				Concurrency: registry.Concurrency{Mode: registry.Parallel, Max: 100}, Common: registry.Common{Timeout: time.Minute}},
			{Name: "steps", Description: "Says how far it is", Effect: capability.LocalState, Input: document(anyObject), Execute: h.steps},
			{Name: "fall", Description: "Fails", Effect: capability.LocalState, Input: document(anyObject),
				Execute: func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
					return "", registry.Refuse("The lamp is on the floor.", `{"where":"floor"}`)
				}},
			{Name: "burst", Description: "Panics", Effect: capability.LocalState, Input: document(anyObject),
				Execute: func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) { panic("secret text") }},
			{Name: "wipe", Description: "Asks first", Effect: capability.LocalState, Confirmation: capability.Required, Input: document(word), Execute: h.carryOut("")},
			{Name: "gate", Description: "Is not always there", Effect: capability.LocalState, Input: document(anyObject), Execute: h.carryOut(""),
				Common: registry.Common{When: func() (bool, error) { return !h.isShut(), nil }, UnavailableReason: func() string { return "it is shut" }}},
		},
	}
}

func (h *house) isShut() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.shut
}

func (h *house) setShut(shut bool) {
	h.mu.Lock()
	h.shut = shut
	h.mu.Unlock()
	h.Invalidate()
}

func (h *house) server(change func(*mcpserver.Options)) *mcpserver.Server {
	h.t.Helper()
	options := mcpserver.Options{ConsumerID: "test", Name: "house", Version: "1"}
	if change != nil {
		change(&options)
	}
	s, err := mcpserver.New(h.Registry, options)
	if err != nil {
		h.t.Fatal(err)
	}
	h.t.Cleanup(s.Close)
	return s
}

// The protocol versions that clients speak: with a session, and without.
const (
	withSession = "2025-11-25"
	inResults   = "2026-07-28"
)

// client is an agent's.
type client struct {
	*mcp.ClientSession
	t       testing.TB
	changes chan struct{}
	reports chan *mcp.ProgressNotificationParams
}

// dialling is how a client connects.
type dialling struct {
	version string // withSession when empty
	elicit  func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error)
	name    string
}

// connect connects a client in memory.
func connect(t testing.TB, s *mcpserver.Server, d dialling) *client {
	t.Helper()
	ours, theirs := mcp.NewInMemoryTransports()
	served := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() { served <- s.Run(ctx, ours) }()
	t.Cleanup(func() {
		cancel()
		<-served
	})
	return dial(t, theirs, d)
}

func dial(t testing.TB, transport mcp.Transport, d dialling) *client {
	t.Helper()
	c := &client{t: t, changes: make(chan struct{}, 100), reports: make(chan *mcp.ProgressNotificationParams, 100)}
	name := d.name
	if name == "" {
		name = "an agent"
	}
	sdk := mcp.NewClient(&mcp.Implementation{Name: name, Version: "1"}, &mcp.ClientOptions{
		Capabilities:                &mcp.ClientCapabilities{},
		ElicitationHandler:          d.elicit,
		ToolListChangedHandler:      func(context.Context, *mcp.ToolListChangedRequest) { c.changes <- struct{}{} },
		ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) { c.reports <- r.Params },
	})
	version := d.version
	if version == "" {
		version = withSession
	}
	session, err := sdk.Connect(t.Context(), transport, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	c.ClientSession = session
	t.Cleanup(func() { session.Close() })
	return c
}

// tools are what the client is told, by name.
func (c *client) tools() map[string]*mcp.Tool {
	c.t.Helper()
	list, err := c.ListTools(c.t.Context(), nil)
	if err != nil {
		c.t.Fatal(err)
	}
	tools := map[string]*mcp.Tool{}
	for _, tool := range list.Tools {
		tools[tool.Name] = tool
	}
	return tools
}

const prefix = "view_house__lamp__"

// call calls a tool of the lamp; meta is name and value in turn.
func (c *client) call(name, arguments string, meta ...any) *mcp.CallToolResult {
	c.t.Helper()
	r, err := c.try(context.Background(), name, arguments, meta...)
	if err != nil {
		c.t.Fatalf("calling %s: %v", name, err)
	}
	return r
}

func (c *client) try(ctx context.Context, name, arguments string, meta ...any) (*mcp.CallToolResult, error) {
	if !strings.Contains(name, "_") && name != "nothing" {
		name = prefix + name
	}
	params := &mcp.CallToolParams{Name: name}
	if arguments != "" {
		params.Arguments = json.RawMessage(arguments)
	}
	for i := 0; i < len(meta); i += 2 {
		if params.Meta == nil {
			params.Meta = mcp.Meta{}
		}
		params.Meta[meta[i].(string)] = meta[i+1]
	}
	return c.CallTool(ctx, params)
}

func text(r *mcp.CallToolResult) string { return r.Content[0].(*mcp.TextContent).Text }

// code is the error code of a result, "" of one that is none, and checks that an error is as it should be.
func (c *client) code(r *mcp.CallToolResult) string {
	c.t.Helper()
	if !r.IsError {
		return ""
	}
	var payload struct{ Code, Retry, Message string }
	if err := json.Unmarshal([]byte(text(r)), &payload); err != nil || payload.Code == "" || payload.Retry == "" || payload.Message == "" {
		c.t.Errorf("the error is %s (%v)", text(r), err)
	}
	if r.StructuredContent != nil || len(r.Content) != 1 {
		c.t.Errorf("an error has something structured: %v", r.StructuredContent)
	}
	return payload.Code
}

// want checks how a call ended.
func (c *client) want(r *mcp.CallToolResult, code capability.Code, parts ...string) {
	c.t.Helper()
	got := c.code(r)
	if got != string(code) || slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(text(r), part) }) {
		c.t.Errorf("got %s, want %s %q", text(r), code, parts)
	}
}

// changed waits for news of another list.
func (c *client) changed() {
	c.t.Helper()
	select {
	case <-c.changes:
	case <-time.After(10 * time.Second):
		c.t.Fatal("waited in vain for tools/list_changed")
	}
}

// waitFor waits until the condition holds.
func waitFor(t testing.TB, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			t.Fatalf("waited in vain for %s", what)
		case <-tick.C:
		}
	}
}

func jsonOf(value any) string {
	text, err := json.Marshal(value)
	if err != nil {
		return fmt.Sprint(err)
	}
	return string(text)
}
