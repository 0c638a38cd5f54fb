package mcpbridge

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/capability"
)

const (
	// maxAttempts is how often a call is tried that has not been started.
	maxAttempts = 3
	// noticed is how long the bridge may take to notice that a page is not what
	// it was when a call finds out.
	noticed = 2 * time.Second
	// standstill is how long a page does not answer that is given up.
	standstill = 10 * time.Second
)

// call answers tools/call. What goes wrong with the page or the tool is a result
// with isError, which an agent sees; only a name that never was a tool's is an
// error of the protocol.
func (b *Bridge) call(ctx context.Context, request *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name := request.Params.Name
	for attempt := 1; ; attempt++ {
		at, err := b.find(ctx, name)
		if err != nil {
			return nil, err
		}
		if at.page == nil {
			return b.missing(name)
		}
		result, err := b.callTool(ctx, at, request.Params.Arguments)
		switch {
		case ctx.Err() != nil:
			// The client does not want to know any more; the page was told.
			return nil, fmt.Errorf("calling tool %q: %w", name, context.Cause(ctx))
		case err == nil:
			return resultOf(result), nil
		case !notStarted(err) || attempt == maxAttempts || !at.changes(ctx):
			return callFault(err), nil
		}
	}
}

// notStarted reports that a call found its page or its tool gone before it
// began: the bridge is about to notice, and then it can be tried again.
func notStarted(err error) bool {
	var gone *browser.GoneError
	var unknown *browser.UnknownToolError
	return errors.As(err, &gone) && gone.Before || errors.As(err, &unknown)
}

func (b *Bridge) callTool(ctx context.Context, at place, input json.RawMessage) (browser.Result, error) {
	calling, cancel := context.WithTimeout(ctx, b.o.CallTimeout)
	defer cancel()
	defer b.reportDialogs(at.page)
	result, err := at.page.CallTool(calling, at.tool, input)
	if calling.Err() != nil {
		go b.check(at.page)
	}
	return result, err
}

// check ends a page that has come to a standstill, such as in a loop without
// end, so that it is opened again: every other call would take its full time
// and fail. A call that was given up is the reason to look.
func (b *Bridge) check(page Page) {
	b.mu.Lock()
	busy := b.checked == page || b.page != page
	if !busy {
		b.checked = page
	}
	b.mu.Unlock()
	if busy {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), standstill)
	defer cancel()
	_, err := page.Eval(ctx, "0")
	b.mu.Lock()
	b.checked = nil
	b.mu.Unlock()
	if errors.Is(err, context.DeadlineExceeded) {
		b.o.Log.Warn("the page does not answer any more, and is closed")
		_ = page.Close() // Follow says so if it is gone.
	}
}

// place is where a tool is, and a channel that is closed when that may change.
type place struct {
	page    Page
	tool    browser.Tool
	changed <-chan struct{}
}

// changes waits a little for a change, and reports that there was one.
func (p place) changes(ctx context.Context) bool {
	select {
	case <-p.changed:
		return true
	case <-time.After(noticed):
	case <-ctx.Done():
	}
	return false
}

// find waits until the page has the tool, or has had its time. The place has no
// page when there is nothing to call.
func (b *Bridge) find(ctx context.Context, name string) (place, error) {
	waiting, cancel := context.WithTimeout(ctx, b.patience())
	defer cancel()
	for {
		b.mu.Lock()
		e, ok := b.entries[name]
		at, settled := place{b.page, e.tool, b.changed}, b.settled
		b.mu.Unlock()
		if ok && at.page != nil {
			return at, nil
		}
		if settled {
			return place{}, nil
		}
		select {
		case <-at.changed:
		case <-waiting.Done():
			return place{}, ctx.Err()
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
		b.o.Log.Warn("the page opened a dialog; it was dismissed, never accepted", "kind", d.Kind, "text", capability.Cut(d.Text, maxMessage))
	}
	b.dialogs = max(b.dialogs, len(opened))
}
