package mcpserver

import (
	"slices"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/toolset"
)

// list tells the client what there is, as it is now, in one page.
func (c *session) list(r *mcp.ListToolsRequest) (mcp.Result, error) {
	if r.Params != nil && r.Params.Cursor != "" {
		return nil, refusal(jsonrpc.CodeInvalidParams, "there is no such page: all tools are in the first")
	}
	tools, err := c.catalog(c.open(r.ClientInfo(), elicitsByCall(r.ClientCapabilities(), r.ProtocolVersion())))
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.tell(tools)
	result := &mcp.ListToolsResult{Tools: make([]*mcp.Tool, len(tools)), Cacheable: mcp.Cacheable{CacheScope: "private"}}
	for i, o := range c.told {
		result.Tools[i] = o.mcpTool()
	}
	return result, nil
}

// catalog are the tools as they are now.
func (c *session) catalog(set *toolset.Toolset) ([]toolset.Tool, error) {
	if set == nil {
		return nil, refusal(jsonrpc.CodeInternalError, "this session has no tools")
	}
	tools, err := set.Tools()
	if err != nil {
		return nil, refusal(jsonrpc.CodeInternalError, "the surface is gone")
	}
	return tools, nil
}

// tell makes these tools what the client knows. The session's lock is held.
func (c *session) tell(tools []toolset.Tool) {
	c.listed = true
	c.told = make([]*offer, len(tools))
	before := c.known
	c.known = make(map[string]*known, len(tools))
	for i, tool := range tools {
		o := c.offerAgain(before[tool.Name], tool.Spec)
		c.told[i] = o
		c.known[tool.Name] = &known{o, tool}
	}
}

// offerAgain is the offer of a spec, the last one if nothing of it has changed.
func (c *session) offerAgain(last *known, spec *toolset.Spec) *offer {
	if last != nil && last.spec == spec {
		return last.offer
	}
	o := newOffer(spec)
	for _, what := range o.simplified {
		c.of.options.Log("the tool " + spec.Name + " for " + spec.CapabilityID + ": " + what)
	}
	return o
}

// find is the tool that the client means by a name. A client that has not asked for the tools knows those of now.
func (c *session) find(set *toolset.Toolset, name string) (*known, error) {
	c.mu.Lock()
	listed, found := c.listed, c.known[name]
	c.mu.Unlock()
	if listed {
		return found, nil
	}
	tools, err := c.catalog(set)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.listed {
		c.tell(tools)
	}
	return c.known[name], nil
}

// surfaceChanged has the session look at the surface soon. Many changes at once are one.
func (c *session) surfaceChanged() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.due || c.closed || !c.listed {
		return
	}
	c.due = true
	c.of.options.Host.After(settleDelay, c.look)
}

// look brings what the client knows up to date as far as that makes no difference to it, so that a call of such a tool
// is about the registration and the version of now. Where it does make a difference, what the client knows stays, the
// registry refuses what no longer holds, and the client is told to ask again.
func (c *session) look() {
	c.mu.Lock()
	c.due = false
	closed := c.closed
	c.mu.Unlock()
	if closed {
		return
	}
	tools, err := c.tools.Tools()
	if err != nil {
		tools = nil // the registry is gone, and so are its tools
	}
	c.mu.Lock()
	for _, tool := range tools {
		if k := c.known[tool.Name]; k != nil && k.tool.Means(tool.Spec) {
			c.known[tool.Name] = &known{k.offer, tool}
		}
	}
	same := slices.EqualFunc(c.told, tools, func(o *offer, tool toolset.Tool) bool {
		return o.spec.Means(tool.Spec) && o.spec.State == tool.State
	})
	c.mu.Unlock()
	if !same {
		c.announce()
	}
}
