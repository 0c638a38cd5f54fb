package jsbridge

import (
	"errors"
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/webmcp"
)

// adapter is one WebMCP adapter of the page.
type adapter struct {
	*webmcp.Adapter
	bridge *Bridge
	id     int32
	calls  map[int32]func() // cancels of tool calls by the script's ticket
}

// pageContext is a model context of the page, by the script's number for the object.
type pageContext struct {
	bridge *Bridge
	object int32
	style  webmcp.Style
}

func (c pageContext) Style() webmcp.Style { return c.style }

// Add hands the tool over with what the script needs to route its calls.
func (c pageContext) Add(tool webmcp.Tool, settled func(error)) {
	ticket := c.bridge.adds.add(settled)
	answer, text := c.bridge.page.Ask(AskAddTool, c.object, c.bridge.numbers[tool.Owner], ticket, string(toolText(tool)))
	if answer != AnswerPending {
		c.bridge.added(ticket, refusalOf(answer, text))
	}
}

func (c pageContext) Remove(tool webmcp.Tool) error {
	answer, text := c.bridge.page.Ask(AskRemoveTool, c.object, 0, 0, string(toolText(tool)))
	return refusalOf(answer, text)
}

func (c pageContext) Replace(tools []webmcp.Tool) error {
	list := make([]capability.JSON, len(tools))
	for i, tool := range tools {
		var o capability.ObjectWriter
		o.Int("adapter", int64(c.bridge.numbers[tool.Owner]))
		o.Raw("tool", toolText(tool))
		list[i] = o.JSON()
	}
	answer, text := c.bridge.page.Ask(AskReplaceTools, c.object, 0, 0, string(capability.ArrayJSON(list)))
	return refusalOf(answer, text)
}

// toolText is { token, tool, exposedTo? }.
func toolText(tool webmcp.Tool) capability.JSON {
	var o capability.ObjectWriter
	o.Text("token", string(tool.Token))
	o.Raw("tool", tool.JSON())
	if len(tool.ExposedTo) > 0 {
		origins := make([]capability.JSON, len(tool.ExposedTo))
		for i, origin := range tool.ExposedTo {
			origins[i] = capability.Quote(origin)
		}
		o.Raw("exposedTo", capability.ArrayJSON(origins))
	}
	return o.JSON()
}

// refusalOf is what the browser threw, in its own words, for developers.
func refusalOf(answer Answer, text string) error {
	if answer == AnswerValue {
		return nil
	}
	return errors.New(text)
}

// added settles the registration of a tool.
func (b *Bridge) added(ticket int32, refusal error) {
	if settled, ok := b.adds.get(ticket); ok {
		b.adds.remove(ticket)
		settled(refusal)
	}
}

func (b *Bridge) onAdapter(op Op, a, n int32, text string) (string, error) {
	switch op {
	case OpCreateAdapter:
		return b.createAdapter(text)
	case OpToolAdded:
		var refusal error
		if text != "" {
			refusal = errors.New(text)
		}
		b.added(a, refusal)
		return "", nil
	}
	ad, ok := b.adapters.get(a)
	if !ok {
		return "", typeError("this is not an adapter of this runtime")
	}
	switch op {
	case OpStartAdapter:
		return "", ad.start(n, text)
	case OpStopAdapter:
		ad.Stop()
	case OpAdapterStatus:
		return string(ad.Status().JSON()), nil
	case OpCallTool:
		return "", ad.call(n, text)
	case OpCancelTool:
		if cancel := ad.calls[n]; cancel != nil {
			cancel()
		}
	case OpRefreshAdapter:
		ad.Refresh()
	}
	return "", nil
}

func (b *Bridge) createAdapter(text string) (string, error) {
	f, err := decodeObject("adapter options", text)
	if err != nil {
		return "", err
	}
	ad := &adapter{bridge: b, calls: map[int32]func(){}}
	options := webmcp.Options{
		Host: b.loop, Find: ad.find, Sets: b.sets, Snapshot: snapshotContext(f, "snapshotContext"),
		ConfirmWithoutClient: f.boolean("confirmWithoutClient", false), ExposedTo: f.texts("exposedTo"),
		Log: func(text string) { b.page.Tell(TellLog, 0, 0, text) },
	}
	if f.boolean("exposeCapability", false) {
		options.Expose = ad.expose
	}
	if f.boolean("confirm", false) {
		options.Confirm = ad.confirm
	}
	if name := f.unknown(); f.err == nil && name != "" {
		f.err = typeError("adapter options." + name + " is not an option")
	}
	if f.err != nil {
		return "", f.err
	}
	ad.Adapter = webmcp.New(options)
	ad.id = b.adapters.add(ad)
	b.numbers[ad.Adapter] = ad.id
	return fmt.Sprint(ad.id), nil
}

func snapshotContext(f *fields, name string) webmcp.SnapshotContext {
	inner := f.object(name)
	if inner == nil {
		return webmcp.SnapshotContext{}
	}
	context := webmcp.SnapshotContext{Scope: inner.texts("scope")}
	if budget := inner.object("budget"); budget != nil {
		context.MaxComponents = budget.integer("maxComponents", 0)
		context.MaxBytes = budget.integer("maxBytes", 0)
		inner.absorb(budget)
	}
	f.absorb(inner)
	return context
}

func (ad *adapter) start(registryNumber int32, text string) error {
	s, ok := ad.bridge.surfaces.get(registryNumber)
	if !ok {
		return typeError("start: the registry has been disposed of")
	}
	f, err := decodeObject("start", text)
	if err != nil {
		return err
	}
	h := webmcp.Host{Registry: s.registry, Consumer: consumerOf(f), Snapshot: snapshotContext(f, "snapshotContext")}
	if f.err != nil {
		return f.err
	}
	return ad.Start(h)
}

// find asks the script for the page's model context: { object, style }.
func (ad *adapter) find() webmcp.ModelContext {
	answer, text := ad.bridge.page.Ask(AskFindContext, ad.id, 0, 0, "")
	if answer != AnswerValue || text == "" {
		return nil
	}
	f, err := decodeObject("model context", text)
	if err != nil {
		return nil
	}
	return pageContext{ad.bridge, int32(f.integer("object", 0)), webmcp.Style(f.text("style"))}
}

// expose asks the page's curation hook: null skips, a text (or { description }) replaces the description.
func (ad *adapter) expose(d webmcp.Descriptor) (webmcp.Exposure, error) {
	answer, text := ad.bridge.page.Ask(AskExpose, ad.id, 0, 0, string(d.JSON()))
	if err := answerError(answer, text); err != nil {
		return webmcp.Exposure{}, err
	}
	switch value := capability.JSON(text); value.Kind() {
	case 0:
		return webmcp.Exposure{}, nil
	case 'n':
		return webmcp.Exposure{Skip: true}, nil
	case '"':
		description, _ := value.Text()
		return webmcp.Exposure{Description: description}, nil
	case '{':
		f, err := objectOf("exposure", value)
		if err != nil {
			return webmcp.Exposure{}, err
		}
		return webmcp.Exposure{Description: f.text("description")}, f.err
	}
	return webmcp.Exposure{}, errors.New("exposeCapability must return nothing, null or a description")
}

// confirm runs the page's prompt, within the browser's client when there is one.
func (ad *adapter) confirm(request webmcp.ConfirmRequest, answer func(approved bool, err error)) {
	client, _ := request.Client.(int32)
	settle := func(a Answer, text string) {
		answer(text == "true", answerError(a, text))
	}
	w := &wait{}
	ticket := ad.bridge.waits.add(w)
	w.wake = func() {
		ad.bridge.waits.remove(ticket)
		settle(w.answer, w.text)
	}
	if a, text := ad.bridge.page.Ask(AskConfirm, ad.id, client, ticket, string(request.Pending.JSON())); a != AnswerPending {
		ad.bridge.waits.remove(ticket)
		settle(a, text)
	}
}

// call is the browser calling a tool: text is { token, client, aborted, input? }.
func (ad *adapter) call(ticket int32, text string) error {
	f, err := decodeObject("tool call", text)
	if err != nil {
		return err
	}
	options := webmcp.CallOptions{Aborted: f.boolean("aborted", false)}
	if f.boolean("client", false) {
		options.Client = ticket
	}
	token, input := webmcp.Token(f.text("token")), f.raw("input")
	if f.err != nil {
		return f.err
	}
	over := false
	cancel := ad.Call(token, input, options, func(result capability.JSON) {
		over = true
		delete(ad.calls, ticket)
		ad.bridge.page.Tell(TellToolResult, ad.id, ticket, string(result))
	})
	if !over {
		ad.calls[ticket] = cancel
	}
	return nil
}
