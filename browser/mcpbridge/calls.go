package mcpbridge

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/capability"
)

// call answers tools/call. What goes wrong with the page or the tool is a result
// with isError, which an agent sees; only a name that never was a tool's is an
// error of the protocol.
func (b *Bridge) call(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name := request.Params.Name
	page, tool, err := b.find(ctx, name)
	if err != nil {
		return nil, err
	}
	if page == nil {
		return b.missing(name)
	}
	calling, cancel := context.WithTimeout(ctx, b.o.CallTimeout)
	defer cancel()
	result, err := page.CallTool(calling, tool, request.Params.Arguments)
	b.reportDialogs(page)
	switch {
	case ctx.Err() != nil:
		// The client does not want to know any more; the page was told.
		return nil, fmt.Errorf("calling tool %q: %w", name, context.Cause(ctx))
	case err != nil:
		return callFault(err), nil
	}
	return resultOf(result), nil
}

// find waits until the page has the tool, or has had its time. page is nil when
// there is none to call.
func (b *Bridge) find(ctx context.Context, name string) (page Page, tool browser.Tool, err error) {
	waiting, cancel := context.WithTimeout(ctx, b.patience())
	defer cancel()
	for {
		b.mu.Lock()
		e, ok := b.entries[name]
		page, settled, changed := b.page, b.settled, b.changed
		b.mu.Unlock()
		if ok && page != nil {
			return page, e.tool, nil
		}
		if settled {
			return nil, browser.Tool{}, nil
		}
		select {
		case <-changed:
		case <-waiting.Done():
			return nil, browser.Tool{}, ctx.Err()
		}
	}
}

// missing is the answer for a tool that is not there.
func (b *Bridge) missing(name string) (*mcp.CallToolResult, error) {
	b.mu.Lock()
	why, known := b.why, b.known[name]
	tools := make([]browser.Tool, 0, len(b.entries))
	for name := range b.entries {
		tools = append(tools, browser.Tool{Name: name, Frame: browser.Frame{Main: true}})
	}
	b.mu.Unlock()
	if why != nil {
		return faultResult(away(why)), nil
	}
	_, unknown := browser.Pick(tools, name)
	if unknown == nil { // It has come back just now.
		unknown = errOpening
	}
	payload := notFound(unknown.Error())
	if known {
		return faultResult(payload), nil
	}
	return nil, protocolError(payload)
}

// protocolError is the payload as an error of JSON-RPC.
func protocolError(payload *capability.Error) error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: payload.Message, Data: json.RawMessage(payload.JSON())}
}

// reportDialogs logs the dialogs of a page that were not logged yet.
func (b *Bridge) reportDialogs(page Page) {
	opened := page.Dialogs()
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dialogsOf != page {
		b.dialogsOf, b.dialogs = page, 0
	}
	for _, d := range opened[min(b.dialogs, len(opened)):] {
		b.o.Log.Warn("the page opened a dialog; it was dismissed, never accepted", "kind", d.Kind, "text", d.Text)
	}
	b.dialogs = max(b.dialogs, len(opened))
}
