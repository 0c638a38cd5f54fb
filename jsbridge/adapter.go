package jsbridge

import (
	"errors"
	"maps"
	"slices"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/webmcp"
)

// adapter is one WebMCP adapter of the page, from its start until it has stopped and nothing of it is left.
type adapter struct {
	*webmcp.Adapter
	bridge  *Bridge
	id      int32            // the script's number
	surface *surface         // that it is started on, nil while stopped
	calls   map[int32]func() // cancels of tool calls by the script's ticket
	prompts map[int32]int32  // tickets of the waits for the page's confirm, by that of the call
	adding  int              // tools that the browser has not answered for
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
	owner := c.bridge.adapters[c.bridge.numbers[tool.Owner]]
	owner.adding++
	ticket := c.bridge.adds.add(func(refusal error) {
		owner.adding--
		settled(refusal)
	})
	answer, text := c.bridge.page.Ask(AskAddTool, c.object, owner.id, ticket, string(toolText(tool)))
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
	case OpCheckAdapter:
		_, err := b.newAdapter(0, capability.JSON(text))
		return "", err
	case OpStartAdapter:
		return "", b.startAdapter(a, n, text)
	case OpToolAdded:
		var refusal error
		if text != "" {
			refusal = errors.New(text)
		}
		b.added(a, refusal)
		return "", nil
	}
	ad, ok := b.adapters[a]
	switch {
	case op == OpCallTool && !ok: // a tool that was kept after its adapter has stopped
		return "", (&adapter{Adapter: webmcp.New(webmcp.Options{Host: b.loop}), bridge: b, id: a}).call(n, text)
	case !ok:
		return "", typeError("this adapter is not started")
	}
	switch op {
	case OpStopAdapter:
		ad.stop()
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

// newAdapter makes an adapter from the options that the page gave.
func (b *Bridge) newAdapter(id int32, text capability.JSON) (*adapter, error) {
	f, err := decodeObject("adapter options", string(text))
	if err != nil {
		return nil, err
	}
	ad := &adapter{bridge: b, id: id, calls: map[int32]func(){}, prompts: map[int32]int32{}}
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
	f.refuseOthers()
	ad.Adapter = webmcp.New(options)
	return ad, f.err
}

// startAdapter starts adapter number id, which it makes unless it is there still.
func (b *Bridge) startAdapter(id, registryNumber int32, text string) error {
	s, ok := b.surfaces.get(registryNumber)
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
	ad := b.adapters[id]
	if ad == nil {
		if ad, err = b.newAdapter(id, f.raw("options")); err != nil {
			return err
		}
		b.adapters[id], b.numbers[ad.Adapter] = ad, id
	}
	if ad.surface != nil {
		return webmcp.ErrStarted
	}
	ad.surface = s
	if err := ad.Start(h); err != nil {
		ad.surface = nil
		return err
	}
	return nil
}

func (ad *adapter) stop() {
	ad.surface = nil
	ad.Stop()
}

// stopAdapters stops those that are started on s.
func (b *Bridge) stopAdapters(s *surface) {
	for _, id := range slices.Sorted(maps.Keys(b.adapters)) {
		if ad := b.adapters[id]; ad != nil && ad.surface == s {
			ad.stop()
		}
	}
}

// freeAdapters lets go of the adapters that have stopped and of which nothing is left: a tool with a call in
// flight outlives its adapter's stop.
func (b *Bridge) freeAdapters() {
	for id, ad := range b.adapters {
		if ad.surface != nil || ad.adding > 0 || len(ad.calls) > 0 {
			continue
		}
		if status := ad.Status(); len(status.Registered) == 0 {
			delete(b.adapters, id)
			delete(b.numbers, ad.Adapter)
			b.page.Tell(TellAdapterIdle, id, 0, string(status.JSON()))
		}
	}
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
		budget.refuseOthers()
		inner.absorb(budget)
	}
	inner.refuseOthers()
	f.absorb(inner)
	return context
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
		description := f.text("description")
		if name := f.unknown(); f.err == nil && name != "" {
			f.err = errors.New("exposeCapability can only give a description, not " + name)
		}
		return webmcp.Exposure{Description: description}, f.err
	}
	return webmcp.Exposure{}, errors.New("exposeCapability must return nothing, null or a description")
}

// confirm runs the page's prompt, within the browser's client when there is one. What it answers after the call has
// ended is not waited for.
func (ad *adapter) confirm(request webmcp.ConfirmRequest, answer func(approved bool, err error)) {
	client, _ := request.Client.(int32)
	call, _ := request.Ticket.(int32)
	settle := func(a Answer, text string) {
		answer(text == "true", answerError(a, text))
	}
	w := &wait{}
	ticket := ad.bridge.waits.add(w)
	ad.prompts[call] = ticket
	w.wake = wakeFunc(func() {
		ad.forgetPrompt(call)
		settle(w.answer, w.text)
	})
	if a, text := ad.bridge.page.Ask(AskConfirm, ad.id, client, ticket, string(request.Pending.JSON())); a != AnswerPending {
		ad.forgetPrompt(call)
		settle(a, text)
	}
}

func (ad *adapter) forgetPrompt(call int32) {
	ad.bridge.waits.remove(ad.prompts[call])
	delete(ad.prompts, call)
}

// call is the browser calling a tool. The lines of text are the tool's token, whether there is a client, whether the
// call's signal is aborted, and the input, or ! and the issue of an input that is no JSON, or nothing.
func (ad *adapter) call(ticket int32, text string) error {
	l := lines{where: "tool call", rest: text}
	token := webmcp.Token(l.text("token"))
	options := webmcp.CallOptions{Ticket: ticket}
	if l.next() == "true" {
		options.Client = ticket
	}
	options.Aborted = l.next() == "true"
	var input capability.JSON
	input, options.InputIssue = l.value("input")
	if l.err != nil {
		return l.err
	}
	over := false
	cancel := ad.Call(token, input, options, func(result capability.JSON) {
		over = true
		delete(ad.calls, ticket)
		ad.forgetPrompt(ticket)
		ad.bridge.page.Tell(TellToolResult, ad.id, ticket, string(result))
	})
	if !over {
		ad.calls[ticket] = cancel
	}
	return nil
}
