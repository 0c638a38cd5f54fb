package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"unicode"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/webmcp"
	"github.com/chromedp/chromedp"
)

// devtools reaches tools through the WebMCP domain of the DevTools protocol,
// which Chromium has from 152 on.
//
// The browser announces tools and results as events. Events are handled in the
// order of their arrival, in the loop that reads the connection, so an event is
// known before the reply that follows it. See devtools_session.go for the
// events.
type devtools struct {
	change broadcast
	// children counts the goroutines that look after iframes.
	children group

	mu sync.Mutex
	// ready is set once the domain is on.
	ready bool
	tools map[toolKey]Tool
	// frames holds the address of each document that was seen.
	frames map[frameKey]string
	// headings holds where a frame was last going.
	headings map[frameKey]string
	// loads counts documents per frame, to notice that a frame has navigated
	// between a command and its reply.
	loads map[frameKey]int
	// pending are the calls whose reply has arrived, by invocation id.
	pending map[string]*devtoolsCall
	// starting counts the calls whose reply has not arrived; early keeps the
	// answers that overtake it.
	starting int
	early    map[string]*webmcp.EventToolResponded
}

type frameKey struct {
	session *session
	frame   cdp.FrameID
}

type toolKey struct {
	frameKey
	name string
}

// devtoolsCall is a call and where it runs.
type devtoolsCall struct {
	*invocation
	at frameKey
}

func newDevtools() *devtools {
	return &devtools{
		tools:    map[toolKey]Tool{},
		frames:   map[frameKey]string{},
		headings: map[frameKey]string{},
		loads:    map[frameKey]int{},
		pending:  map[string]*devtoolsCall{},
		early:    map[string]*webmcp.EventToolResponded{},
	}
}

// invokeParams names the tool by frame and name, which every build with the
// domain understands; the generated type has the newer toolId only.
type invokeParams struct {
	FrameID  cdp.FrameID  `json:"frameId"`
	ToolName string       `json:"toolName"`
	Input    jsonv2.Value `json:"input"`
}

// invokeTool is webmcp.InvokeTool with the parameters above.
func invokeTool() cdp.Command[invokeParams, webmcp.InvokeToolResult] {
	return cdp.Command[invokeParams, webmcp.InvokeToolResult]{Method: webmcp.CommandInvokeTool}
}

// available reports that the browser has the domain.
func (d *devtools) available() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ready
}

func (d *devtools) changed() <-chan struct{} { return d.change.wait() }

func (d *devtools) list(context.Context) ([]Tool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	tools := make([]Tool, 0, len(d.tools))
	for key, t := range d.tools {
		t.Frame = d.frame(key.frameKey)
		tools = append(tools, t)
	}
	return tools, nil
}

// frame describes a document. The lock is held.
func (d *devtools) frame(key frameKey) Frame {
	return Frame{ID: string(key.frame), URL: d.frames[key], Main: key.session.isMain(key.frame)}
}

// describe is frame for those who do not hold the lock.
func (d *devtools) describe(key frameKey) Frame {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.frame(key)
}

func (d *devtools) inFlight() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return len(d.pending)
}

func (d *devtools) call(ctx context.Context, t Tool, input json.RawMessage) (*invocation, error) {
	at, loads, ok := d.begin(t)
	if !ok {
		return nil, d.unknown(ctx, t.Name)
	}
	reply, err := d.invoke(ctx, at, invokeParams{FrameID: at.frame, ToolName: t.Name, Input: jsonv2.Value(input)})
	inv := newInvocation(t)
	inv.id = reply.InvocationID
	d.started(&devtoolsCall{inv, at}, loads, err == nil)
	if isNotFound(err) {
		d.forget(toolKey{at, t.Name})
		return nil, d.unknown(ctx, t.Name)
	}
	if err != nil {
		return nil, fmt.Errorf("starting tool %q: %w", t.Name, err)
	}
	return inv, nil
}

// invoke sends the command. A caller who gives up before the reply is not kept
// waiting, and the call is cancelled as soon as it has an id.
func (d *devtools) invoke(ctx context.Context, at frameKey, params invokeParams) (webmcp.InvokeToolResult, error) {
	type answer struct {
		reply webmcp.InvokeToolResult
		err   error
	}
	answers := make(chan answer, 1)
	given := make(chan struct{})
	d.children.Go(func() {
		reply, err := chromedp.Call(at.session.ctx, invokeTool(), params)
		answers <- answer{reply, err}
		select {
		case <-given:
		case <-ctx.Done():
			if err == nil {
				_ = d.cancelID(at.session.ctx, reply.InvocationID) // nobody is left to be told
			}
		case <-at.session.ctx.Done(): // and the call with it
		}
	})
	select {
	case a := <-answers:
		close(given)
		return a.reply, a.err
	case <-ctx.Done():
		return webmcp.InvokeToolResult{}, context.Cause(ctx)
	case <-at.session.ctx.Done():
		return webmcp.InvokeToolResult{}, context.Cause(at.session.ctx)
	}
}

// begin finds where the tool lives and notes that a call starts.
func (d *devtools) begin(t Tool) (at frameKey, loads int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key := range d.tools {
		if key.name == t.Name && string(key.frame) == t.Frame.ID {
			d.starting++
			return key.frameKey, d.loads[key.frameKey], true
		}
	}
	return frameKey{}, 0, false
}

// started files a call whose reply has arrived, or settles it with what has
// happened before the reply.
func (d *devtools) started(c *devtoolsCall, loads int, ok bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.starting--
	if ok {
		switch answer := d.early[c.id]; {
		case answer != nil:
			c.settle(answerOf(c.tool.Name, answer))
		case d.loads[c.at] != loads:
			c.settle(nil, gone(c.tool.Name, "it has navigated or was removed"))
		default:
			d.pending[c.id] = c
		}
	}
	if d.starting == 0 {
		clear(d.early)
	}
}

func (d *devtools) cancel(ctx context.Context, inv *invocation) error {
	d.mu.Lock()
	c := d.pending[inv.id]
	delete(d.pending, inv.id)
	d.mu.Unlock()
	if c == nil {
		return nil
	}
	joined, stop := join(c.at.session.ctx, ctx)
	defer stop()
	if err := d.cancelID(joined, inv.id); err != nil {
		return fmt.Errorf("cancelling tool %q: %w", inv.tool.Name, err)
	}
	return nil
}

func (d *devtools) cancelID(ctx context.Context, id string) error {
	_, err := chromedp.Call(ctx, webmcp.CancelInvocation, webmcp.CancelInvocationParams{InvocationID: id})
	return err
}

// forget removes a tool that the browser denies.
func (d *devtools) forget(key toolKey) {
	d.mu.Lock()
	delete(d.tools, key)
	d.mu.Unlock()
	d.change.fire()
}

func (d *devtools) unknown(ctx context.Context, name string) error {
	tools, err := d.list(ctx)
	if err != nil {
		return err
	}
	return unknownTool(tools, name)
}

// isNotFound reports the browser's refusal of a tool or frame that has just
// gone away.
func isNotFound(err error) bool {
	var refusal *cdproto.Error
	return errors.As(err, &refusal) && strings.Contains(strings.ToLower(refusal.Message), "not found")
}

func gone(tool, reason string) *GoneError {
	return &GoneError{What: fmt.Sprintf("the page of tool %q, which may have acted,", tool), Reason: reason}
}

// answerOf translates the browser's answer to a call.
func answerOf(tool string, ev *webmcp.EventToolResponded) (json.RawMessage, error) {
	switch ev.Status {
	case webmcp.InvocationStatusCompleted:
		if len(ev.Output) == 0 {
			return json.RawMessage("null"), nil
		}
		return unparsed(json.RawMessage(ev.Output)), nil
	case webmcp.InvocationStatusCanceled:
		return nil, &CanceledError{Tool: tool}
	default:
		return nil, &ToolError{Tool: tool, Message: faultOf(ev)}
	}
}

// unparsed does what Chromium leaves undone. It hands on the value of a result's
// JSON text, but takes text of one byte per character for UTF-8, so that every
// object with an ü and nothing beyond Latin-1 arrives as a string.
func unparsed(output json.RawMessage) json.RawMessage {
	var text string
	if json.Unmarshal(output, &text) != nil {
		return output
	}
	beyondASCII := false
	for _, r := range text {
		if r > unicode.MaxLatin1 {
			return output
		}
		beyondASCII = beyondASCII || r > unicode.MaxASCII
	}
	if beyondASCII && json.Valid([]byte(text)) {
		return json.RawMessage(text)
	}
	return output
}

// faultOf picks the message of a failed call: the exception's without its
// stack, else the browser's.
func faultOf(ev *webmcp.EventToolResponded) string {
	if ex := ev.Exception; ex != nil {
		if ex.Description != "" {
			text, _, _ := strings.Cut(ex.Description, "\n    at ")
			return text
		}
		if len(ex.Value) > 0 {
			return string(ex.Value)
		}
		return string(ex.Type)
	}
	if ev.ErrorText != "" {
		return ev.ErrorText
	}
	return "no reason given"
}
