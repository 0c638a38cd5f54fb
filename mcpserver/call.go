package mcpserver

import (
	"context"
	"encoding/json"
	"math"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/consent"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
)

// call is the handler of every tool.
func (c *session) call(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	name, _ := ctx.Value(nameKey{}).(string)
	byCall := elicitsByCall(r.ClientCapabilities(), r.ProtocolVersion())
	set := c.open(r.ClientInfo(), byCall)
	tool, err := c.find(set, name)
	if err != nil {
		return nil, err
	}
	identity, refused := identityOf(r.Params)
	if refused != nil {
		return failure(refused), nil
	}
	if tool == nil {
		return answer(registry.Result{InvocationID: identity.InvocationID, Error: capability.NotFound()}, nil), nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()
	if refused := c.answered(r, &identity); refused != nil {
		return failure(refused), nil
	}
	input, issue := tool.unwrap(capability.JSON(r.Params.Arguments))
	identity.InputIssue, identity.ByName = issue, true
	if byCall && c.of.options.Confirmations == Elicit {
		identity.Asked = func(w *consent.Wait) { go c.ask(ctx, r.Session, w) }
	}
	ctx, over := reporting(ctx, r)
	result := tool.tool.Execute(ctx, input, identity)
	over()
	if question := c.question(r, result); question != nil {
		return question, nil
	}
	return answer(result, tool.offer), nil
}

// identityOf is what a client gives with a call beside its arguments.
func identityOf(p *mcp.CallToolParamsRaw) (toolset.Call, *capability.Error) {
	var call toolset.Call
	for _, member := range []struct {
		name string
		into *string
	}{{InvocationMeta, &call.InvocationID}, {ConfirmationMeta, &call.ConfirmationID}} {
		value, given := p.Meta[member.name]
		text, isText := value.(string)
		if given && !isText {
			return call, capability.InvalidInput([]capability.Issue{{Message: `_meta["` + member.name + `"] must be a string`}})
		}
		*member.into = text
	}
	return call, nil
}

// reporting lets the handler of a call tell the client how far it has come, if the client wants to know; over ends that.
func reporting(ctx context.Context, r *mcp.CallToolRequest) (_ context.Context, over func()) {
	token := r.Params.GetProgressToken()
	if token == nil {
		return ctx, func() {}
	}
	p := &reporter{last: math.Inf(-1)}
	tell := func(report registry.Progress) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.over || !(report.Done > p.last) || math.IsInf(report.Done, 0) || !(math.Abs(report.Total) <= math.MaxFloat64) {
			return // MCP wants progress to grow, and JSON has no other numbers
		}
		p.last = report.Done
		// An error means that the client is gone, which the call is told by its context.
		_ = r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{
			ProgressToken: token, Progress: report.Done, Total: report.Total, Message: report.Message,
		})
	}
	return registry.WithProgress(ctx, tell), p.end
}

// reporter is a call's way to report.
type reporter struct {
	mu   sync.Mutex
	over bool
	last float64
}

func (p *reporter) end() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = true
}

// answer is a result as the client gets it. o is nil for a tool that there is not.
func answer(r registry.Result, o *offer) *mcp.CallToolResult {
	if r.OK() && o != nil && o.output != "" && r.Output.Absent() {
		r.Error = capability.ExecutionFailed(capability.ReasonOutputInvalid) // clients insist on what was declared
	}
	if !r.OK() {
		result := failure(r.Error)
		note(result, InvocationMeta, r.InvocationID)
		return result
	}
	text := r.Output
	if text.Absent() {
		text = "null"
	}
	result := &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: string(text)}}}
	if text.Kind() == '{' {
		result.StructuredContent = json.RawMessage(text)
	}
	note(result, InvocationMeta, r.InvocationID)
	return result
}

// failure is an error as the client gets it: its payload as text, and nothing structured, which would have to be what
// the tool declares.
func failure(err *capability.Error) *mcp.CallToolResult {
	result := &mcp.CallToolResult{IsError: true, Content: []mcp.Content{&mcp.TextContent{Text: string(err.JSON())}}}
	if err.Code == capability.CodeConfirmationRequired {
		note(result, ConfirmationMeta, err.Detail("confirmationId"))
	}
	return result
}

func note(result *mcp.CallToolResult, name, value string) {
	if value == "" {
		return
	}
	if result.Meta == nil {
		result.Meta = mcp.Meta{}
	}
	result.Meta[name] = value
}
