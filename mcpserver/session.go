package mcpserver

import (
	"context"
	"encoding/json"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
)

// session is one client: its connection, who it is, and what it has been told.
type session struct {
	of     *Server
	most   int             // how many sessions there may be for this one to be admitted; 0 for any number
	server *mcp.Server     // the SDK's, for this session alone
	ctx    context.Context // ends with the session
	cancel context.CancelFunc
	header http.Header
	name   string

	opening  sync.Once
	closing  sync.Once
	consumer capability.Consumer
	tools    *toolset.Toolset // nil when it could not be made
	unlisten func()

	mu         sync.Mutex
	connection *mcp.ServerSession
	closed     bool
	listed     bool              // the client has asked for the tools
	told       []*offer          // what it got then
	known      map[string]*known // by name
	due        bool              // a look at the surface is
	asked      map[string]bool   // confirmations that the client was asked for
}

// known is a tool as the client knows it: what it was told, and what a call of it means now.
type known struct {
	*offer
	tool toolset.Tool
}

// anyTool is the one tool that the SDK knows. It stands for all of them: what there is to call is decided by the
// registry at each request, and the SDK's own list is never shown. Adding it again makes the SDK tell the client that
// the list has changed.
const anyTool = "pagewarden"

// settleDelay is how long a session waits for more before it looks at a surface that has changed.
const settleDelay = 10 * time.Millisecond

func (s *Server) newSession(header http.Header, most int) *session {
	c := &session{of: s, most: most, header: header.Clone(), name: newSessionName(), asked: map[string]bool{}}
	c.ctx, c.cancel = context.WithCancel(context.Background())
	o := &s.options
	c.server = mcp.NewServer(&mcp.Implementation{Name: o.Name, Version: o.Version}, &mcp.ServerOptions{
		Instructions: o.Instructions,
		Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{ListChanged: true}},
	})
	c.announce()
	c.server.AddReceivingMiddleware(c.receive)
	return c
}

// announce tells the client, once it is connected, that the list of tools has changed.
func (c *session) announce() {
	c.server.AddTool(&mcp.Tool{Name: anyTool, InputSchema: json.RawMessage(`{"type":"object"}`)}, c.call)
}

type nameKey struct{}

// receive answers what is about tools, and leaves the rest to the SDK.
func (c *session) receive(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, r mcp.Request) (mcp.Result, error) {
		if connection, ok := r.GetSession().(*mcp.ServerSession); ok {
			if err := c.of.admit(c, connection); err != nil {
				return nil, refusal(jsonrpc.CodeInternalError, err.Error())
			}
		}
		switch r := r.(type) {
		case *mcp.ListToolsRequest:
			return c.list(r)
		case *mcp.CallToolRequest:
			ctx = context.WithValue(ctx, nameKey{}, r.Params.Name)
			r.Params.Name = anyTool
			return next(ctx, method, r)
		}
		return next(ctx, method, r)
	}
}

func refusal(code int64, message string) error { return &jsonrpc.Error{Code: code, Message: message} }

// connect notes the connection, the first time.
func (c *session) connect(connection *mcp.ServerSession) (first bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	first = c.connection == nil
	if first {
		c.connection = connection
	}
	return first
}

// close ends the session: what it runs is cancelled, what waits for a person is withdrawn. It waits for that, also when
// another has begun it.
func (c *session) close() { c.closing.Do(c.end) }

func (c *session) end() {
	c.mu.Lock()
	c.closed = true
	connection := c.connection
	c.mu.Unlock()
	c.cancel()
	c.opening.Do(func() {}) // nothing opens any more
	if c.unlisten != nil {
		c.unlisten()
	}
	if c.tools != nil {
		c.tools.Dispose()
	}
	c.of.forget(c)
	if connection != nil {
		_ = connection.Close() // it is no use any more in any case
	}
}

// open says who the client is and begins to follow the surface, at its first request for tools.
func (c *session) open(info *mcp.Implementation, elicits bool) *toolset.Toolset {
	c.opening.Do(func() {
		o := &c.of.options
		c.consumer = c.identify(info)
		confirmations := toolset.TwoPhase
		if o.Confirmations == Wait || o.Confirmations == Elicit && elicits {
			confirmations = toolset.Wait
		}
		tools, err := toolset.New(c.of.registry, toolset.Options{
			Consumer: c.consumer, Confirmations: confirmations, Scope: o.Scope, WaitTimeout: o.WaitTimeout, Host: o.Host, Log: o.Log,
		})
		if err != nil {
			o.Log("an MCP session was refused: " + err.Error())
			return
		}
		c.tools = tools
		c.unlisten = c.of.registry.Subscribe(func(e registry.Event) {
			if e.Type == registry.SurfaceChanged {
				c.surfaceChanged()
			}
		})
	})
	return c.tools
}

// maxClaimedName bounds what is kept of what a client says of itself, in characters.
const maxClaimedName = 100

func (c *session) identify(info *mcp.Implementation) capability.Consumer {
	peer := Peer{Session: c.name, Header: c.header}
	if info != nil {
		peer.ClaimedName = capability.Cut(registry.Visible(info.Name), maxClaimedName)
	}
	if o := &c.of.options; o.Identify == nil {
		return capability.Consumer{
			ID: o.ConsumerID + "/" + c.name, Kind: capability.BridgeConsumer, Grants: o.Grants, ClaimedName: peer.ClaimedName,
		}
	}
	return c.of.options.Identify(peer)
}
