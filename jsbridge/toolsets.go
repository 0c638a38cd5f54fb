package jsbridge

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
)

// kit is one toolset of the page, until that or its registry is disposed of.
type kit struct {
	*toolset.Toolset
	id      int32
	surface *surface
	handed  []toolset.Tool // the catalog that the script has of it; nil for none
	silence func()         // ends the subscription that feeds the script
}

// shown is what the script keeps of the catalog that it was sent last, whichever toolset of the registry that was of,
// so that the next sends only what differs.
type shown struct {
	numbers map[*toolset.Spec]int32
	list    string // the numbers in order
	last    int32
}

// createToolset makes a toolset from the options that the page gave.
func (s *surface) createToolset(text string) (string, error) {
	f, err := decodeObject("createAgentToolset", text)
	if err != nil {
		return "", err
	}
	options := toolset.Options{
		Mode: toolset.Mode(f.text("mode")), Topology: toolset.Topology(f.text("topology")),
		Confirmations: toolset.Confirmations(f.text("confirmations")), Scope: f.texts("scope"),
		WaitTimeout: f.milliseconds("waitTimeoutMs", 0), Host: s.bridge.loop, Log: s.log, Shelf: s.shelf,
	}
	if f.has("consumer") {
		options.Consumer = consumerOf(f)
	}
	if budget := f.object("budget"); budget != nil {
		options.Budget = &toolset.Budget{MaxComponents: budget.integer("maxComponents", 0), MaxBytes: budget.integer("maxBytes", 0)}
		budget.refuseOthers()
		f.absorb(budget)
	}
	if f.refuseOthers(); f.err != nil {
		return "", f.err
	}
	tools, err := toolset.New(s.registry, options)
	if err != nil {
		return "", err
	}
	k := &kit{Toolset: tools, surface: s}
	k.id = s.bridge.kits.add(k)
	return strconv.Itoa(int(k.id)), nil
}

func (b *Bridge) onToolset(op Op, a, n int32, text string) (string, error) {
	k, ok := b.kits.get(a)
	switch {
	case op == OpCallToolset:
		return "", b.callToolset(k, n, text)
	case !ok && op == OpTools:
		return "", toolset.ErrDisposed
	case !ok:
		return "", nil
	}
	switch op {
	case OpTools:
		return k.tools()
	case OpListenToolset:
		k.listen(n == 1)
	case OpDisposeToolset:
		k.dispose()
	}
	return "", nil
}

// tools is nothing when the tools are those that were handed out last. Else it is the version of their surface, and
// then, unless the script has all of it, a line with the list of their numbers and the list of those that it does not
// have: [number, capabilityId, registrationId, whether it takes an object, { name, description, inputSchema, state }].
// Tools that are not in the list are forgotten on both sides.
func (k *kit) tools() (string, error) {
	tools, err := k.Tools()
	if err != nil {
		return "", err
	}
	if k.handed != nil && len(tools) == len(k.handed) && (len(tools) == 0 || &tools[0] == &k.handed[0]) {
		return "", nil
	}
	k.handed = tools
	if tools == nil {
		k.handed = []toolset.Tool{}
	}
	version := ""
	if len(tools) > 0 {
		version = tools[0].SurfaceVersion
	}
	list, fresh := k.surface.shown.show(tools)
	return version + "\n" + list + "\n" + string(fresh), nil
}

// show takes note of what the script will have, and gives what it needs for that: nothing when it has all of it.
func (s *shown) show(tools []toolset.Tool) (list string, fresh capability.JSON) {
	numbers := make(map[*toolset.Spec]int32, len(tools))
	order, news := []byte{'['}, []byte{'['}
	for _, tool := range tools {
		number, known := s.numbers[tool.Spec]
		if !known {
			s.last++
			number = s.last
			news = append(comma(news), freshTool(number, tool.Spec)...)
		}
		numbers[tool.Spec] = number
		order = strconv.AppendInt(comma(order), int64(number), 10)
	}
	list = string(append(order, ']'))
	if list == s.list {
		return "", ""
	}
	s.numbers, s.list = numbers, list
	return list, capability.JSON(append(news, ']'))
}

func freshTool(number int32, spec *toolset.Spec) capability.JSON {
	takesObject := capability.JSON("false")
	if spec.TakesObject() {
		takesObject = "true"
	}
	return capability.ArrayJSON([]capability.JSON{
		capability.JSON(strconv.Itoa(int(number))), capability.Quote(spec.CapabilityID), capability.Quote(spec.RegistrationID),
		takesObject, spec.JSON(),
	})
}

// callToolset starts a call of a tool that was handed out, by a toolset that may be gone (k is nil then). The lines of
// text are capabilityId, registrationId, surfaceVersion, invocationId, confirmationId, the input, or ! and the issue of
// an input that is no JSON, whether the tool takes an object and whether the registry is gone (true or false), and
// whether the caller's signal is aborted, nothing where there is none.
func (b *Bridge) callToolset(k *kit, ticket int32, text string) error {
	l := lines{where: "execute", rest: text}
	tool := toolset.Spec{CapabilityID: l.text("capabilityId"), RegistrationID: l.text("registrationId")}
	version := l.text("surfaceVersion")
	call := toolset.Call{InvocationID: l.text("invocationId"), ConfirmationID: l.text("confirmationId")}
	var input capability.JSON
	input, call.InputIssue = l.value("inputIssue")
	tool.InputSchema = capability.EmptyObject
	if l.next() == "true" {
		tool.InputSchema = `{"type":"object"}`
	}
	registryGone := l.next() == "true"
	if l.err != nil {
		return l.err
	}
	tell := func(r registry.Result) {
		b.page.Tell(TellResult, 0, ticket, string(capability.Quote(r.CapabilityID))+"\n"+resultText(&r, false))
	}
	if k == nil {
		gone := capability.NotFound()
		if registryGone {
			gone = capability.Disposed(capability.NotStarted)
		}
		id := cmp.Or(call.Identity(), registry.NewInvocationID(b.loop))
		tell(registry.Result{CapabilityID: tool.CapabilityID, InvocationID: id, SurfaceVersion: version, Error: gone})
		return nil
	}
	k.surface.calls.track(ticket, l.rest, func(ctx context.Context, over func()) {
		k.Restore(tool, version).Start(ctx, input, call, func(r registry.Result) {
			over()
			tell(r)
		})
	})
	return nil
}

func (k *kit) listen(on bool) {
	if k.silence != nil {
		k.silence()
		k.silence = nil
	}
	if on {
		k.silence = k.Subscribe(func() { k.surface.bridge.page.Tell(TellTools, k.surface.id, k.id, "") })
	}
}

func (k *kit) dispose() {
	k.Dispose()
	k.surface.bridge.kits.remove(k.id)
}

// disposeToolsets disposes of the toolsets of a registry.
func (b *Bridge) disposeToolsets(s *surface) {
	for _, id := range slices.Sorted(maps.Keys(b.kits.values)) {
		if k, ok := b.kits.get(id); ok && k.surface == s {
			k.dispose()
		}
	}
}

// capabilityState is CapabilityState of tools that the page has.
func capabilityState(_ *Bridge, given arguments) (capability.JSON, error) {
	var tools []toolset.Tool
	for _, element := range given.first.Elements() {
		f, err := objectOf("capabilityState", element)
		if err != nil {
			return "", err
		}
		spec := &toolset.Spec{Name: f.text("name")}
		if state := f.object("state"); state != nil {
			spec.State = toolset.State{
				Available: state.boolean("available", false), UnavailableReason: state.text("unavailableReason"), Note: state.text("note"),
			}
			f.absorb(state)
		}
		if f.err != nil {
			return "", f.err
		}
		tools = append(tools, toolset.Tool{Spec: spec})
	}
	return capability.Quote(toolset.CapabilityState(tools)), nil
}
