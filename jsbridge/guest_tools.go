package jsbridge

import (
	"context"
	"strconv"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/predict"
	"github.com/pagewarden/pagewarden/registry"
)

// guestTool is a capability as one kind of caller has it; mcp is nil for the browser's agent.
type guestTool struct {
	*predict.Tool
	mcp     *predict.MCPTool
	surface *surface
}

// deskOf is where guests offer capabilities in a registry.
func (b *Bridge) deskOf(s *surface) *predict.Desk {
	if s.desk == nil {
		s.desk = predict.NewDesk(s.registry, predict.Options{Host: b.loop, Log: s.log})
	}
	return s.desk
}

// makeTool takes a capability, whether it is for MCP clients, and { consumer?, capabilities?, authorize?, resultMode?,
// maxReceiptBytes?, dryRun?, store?, wait?, waitTimeoutMs? }, with the numbers of authorize and store. It gives { tool,
// mcp? }: its number, and what an MCP server lists.
func (g *guest) makeTool(s *surface, a arguments) (capability.JSON, error) {
	if s == nil {
		return "", typeError("a registry is required")
	}
	options, err := g.toolOptions(a)
	if err != nil {
		return "", err
	}
	c, err := g.on(s, int32(a.integer("1", 0)))
	if err != nil {
		return "", err
	}
	t := &guestTool{surface: s}
	var o capability.ObjectWriter
	if a.boolean("2", false) {
		if t.mcp, err = g.bridge.deskOf(s).MCPTool(c, options); err == nil {
			t.Tool = t.mcp.Tool
			o.Raw("mcp", t.mcp.JSON())
		}
	} else {
		t.Tool, err = g.bridge.deskOf(s).WebMCPTool(c, options)
	}
	if err != nil {
		return "", err
	}
	o.Int("tool", int64(g.tools.add(t)))
	return o.JSON(), nil
}

func (g *guest) toolOptions(a arguments) (predict.ToolOptions, error) {
	f := a.object("3")
	if f == nil {
		return predict.ToolOptions{}, nil
	}
	f.where = "options"
	options := predict.ToolOptions{
		Consumer: guestConsumer(f), Capabilities: f.texts("capabilities"), Authorize: g.authorize(f.integer("authorize", 0)),
		ResultMode: predict.ResultMode(f.text("resultMode")), MaxReceiptBytes: f.integer("maxReceiptBytes", predict.DefaultReceiptBytes),
		DryRun: f.boolean("dryRun", false), Wait: f.boolean("wait", false), WaitTimeout: f.milliseconds("waitTimeoutMs", 0),
	}
	if options.MaxReceiptBytes == 0 {
		options.MaxReceiptBytes = -1 // a page that gives 0 does not mean the default
	}
	if f.has("store") {
		store, err := g.storeOf(f.integer("store", 0))
		if err != nil {
			return options, err
		}
		options.Store = store.Store
	}
	return options, f.err
}

// guestConsumer is who calls; the zero consumer leaves it to the projection.
func guestConsumer(f *fields) capability.Consumer {
	if !f.has("consumer") {
		return capability.Consumer{}
	}
	return consumerOf(f)
}

// closeTool takes a tool that will not be called any more.
func (g *guest) closeTool(_ *surface, a arguments) (capability.JSON, error) {
	number := int32(a.integer("1", 0))
	if t, ok := g.tools.get(number); ok {
		g.tools.remove(number)
		t.Close()
	}
	return "", nil
}

// callTool takes a tool, the guest's ticket, { invocationId?, confirmationId?, aborted? } and the input. The guest is told
// "answered" with { ticket, value }, perhaps before it returns.
func (g *guest) callTool(_ *surface, a arguments) (capability.JSON, error) {
	t, ok := g.tools.get(int32(a.integer("1", 0)))
	if !ok || t.surface.registry.Disposed() {
		return "", registry.ErrDisposed
	}
	call, input, aborted, err := callOf(a, 3)
	if err != nil {
		return "", err
	}
	ticket := int32(a.integer("2", 0))
	g.calls.track(ticket, aborted, func(ctx context.Context, over func()) {
		t.Start(ctx, input, call, func(answer predict.Answer) {
			over()
			value := answer.Value
			if t.mcp != nil {
				value = func() capability.JSON { return t.mcp.Result(answer) }
			}
			g.answered(ticket, "value", value())
		})
	})
	return "", nil
}

// callOf is what arguments n and n + 1 say of a call, and whether its signal is aborted, "" without one.
func callOf(a arguments, n int) (call predict.Call, input capability.JSON, aborted string, err error) {
	f := a.object(strconv.Itoa(n))
	if f == nil {
		f = &fields{}
	}
	f.where = "call"
	call = predict.Call{InvocationID: f.text("invocationId"), ConfirmationID: f.text("confirmationId")}
	input, issue := a.value(n + 1)
	if issue != nil {
		call.InputIssue = *issue
	}
	return call, input, string(f.raw("aborted")), f.err
}

func (g *guest) answered(ticket int32, name string, value capability.JSON) {
	o := question("answered")
	o.Int("ticket", int64(ticket))
	o.Raw(name, value)
	g.tell(o)
}

// cancel takes the ticket of a call that its caller withdraws.
func (g *guest) cancel(_ *surface, a arguments) (capability.JSON, error) {
	if scope := g.calls[int32(a.integer("1", 0))]; scope != nil {
		scope.Cancel(registry.ErrCancelled)
	}
	return "", nil
}

// executePredicted takes a capability, a store, the guest's ticket, { predictionId?, now?, clock?, consumer?,
// capabilities?, authorize?, wait?, invocationId?, confirmationId?, aborted? } and the input, where clock says that the
// guest answers "now". The guest is told "answered" with { ticket, value } or { ticket, fault }.
func (g *guest) executePredicted(s *surface, a arguments) (capability.JSON, error) {
	if s == nil {
		return "", typeError("a registry is required")
	}
	store, err := g.storeOf(a.integer("2", 0))
	if err != nil {
		return "", err
	}
	c, err := g.on(s, int32(a.integer("1", 0)))
	if err != nil {
		return "", err
	}
	ticket := int32(a.integer("3", 0))
	base, input, aborted, err := callOf(a, 4)
	if err != nil {
		return "", err
	}
	call, err := g.predictedCall(a.object("4"), ticket)
	if err != nil {
		return "", err
	}
	call.Call = base
	g.calls.track(ticket, aborted, func(ctx context.Context, over func()) {
		g.bridge.deskOf(s).StartPredicted(ctx, c, input, store.Store, call, func(e predict.Execution, err error) {
			over()
			if err != nil {
				g.answered(ticket, "fault", faultJSON(err))
				return
			}
			g.answered(ticket, "value", e.JSON())
		})
	})
	return "", nil
}

func (g *guest) predictedCall(f *fields, ticket int32) (predict.PredictedCall, error) {
	if f == nil {
		return predict.PredictedCall{}, nil
	}
	f.where = "options"
	call := predict.PredictedCall{
		PredictionID: f.text("predictionId"), Consumer: guestConsumer(f), Capabilities: f.texts("capabilities"),
		Authorize: g.authorize(f.integer("authorize", 0)), Wait: f.boolean("wait", false),
	}
	if f.has("predictionId") && call.PredictionID == "" {
		f.fail("predictionId", "a text that is not empty")
	}
	if now := momentOf(f, "now"); !now.IsZero() {
		call.Now = func() time.Time { return now }
	}
	if f.boolean("clock", false) {
		call.Now = func() time.Time { return g.clock(ticket) }
	}
	return call, f.err
}

// clock is what the page says of the time of a call; one that fails is none.
func (g *guest) clock(ticket int32) time.Time {
	o := question("now")
	o.Int("ticket", int64(ticket))
	answer, err := g.ask(o)
	if err == nil {
		if now, err := moment(answer); err == nil {
			return now
		}
	}
	return g.bridge.loop.Now()
}
