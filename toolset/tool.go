package toolset

import (
	"context"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/catalog"
	"github.com/pagewarden/pagewarden/consent"
	"github.com/pagewarden/pagewarden/registry"
)

// Tool is one tool of a catalog. It stays what it is when the surface moves on: a call of it says which registration
// and which version of the surface it is about, so that the registry can tell whether that still holds.
type Tool struct {
	*Spec
	// SurfaceVersion is that of the catalog, "" in meta mode, where the model says which one it means.
	SurfaceVersion string

	toolset *Toolset
}

// Spec is what a tool says. It never changes, and catalogs share it as long as nothing in it does.
type Spec struct {
	// Name is 1 to 64 characters of [A-Za-z0-9_-].
	Name string
	// Description is "[plane · effect]" and the authored text. Nothing in it is volatile.
	Description string
	// InputSchema is a JSON Schema, with its properties in the author's order.
	InputSchema capability.JSON
	// State is what may change between turns of the model.
	State State
	// Title, OutputSchema (absent when none is declared), Effect, Idempotent and UntrustedContent are for hosts that tell
	// their peer more than a description; they are those of the declaration.
	Title            string
	OutputSchema     capability.JSON
	Effect           capability.Effect
	Idempotent       bool
	UntrustedContent bool
	// CapabilityID is what the tool stands for; in meta mode the verb.
	CapabilityID string
	// RegistrationID is the registration that the tool belongs to, "" in meta mode.
	RegistrationID string
}

// State is how things stand with a tool now. It belongs behind what a model keeps in its cache.
type State struct {
	Available bool
	// UnavailableReason is set when it is not.
	UnavailableReason string
	// Note is what the page says of a procedure's present context, "" for nothing.
	Note string
}

// JSON is { available, unavailableReason?, note? }.
func (s State) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Bool("available", s.Available)
	o.OptionalText("unavailableReason", s.UnavailableReason)
	o.OptionalText("note", s.Note)
	return o.JSON()
}

// JSON is { name, description, inputSchema, state }.
func (s *Spec) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Text("name", s.Name)
	o.Text("description", s.Description)
	o.Raw("inputSchema", s.InputSchema)
	o.Raw("state", s.State.JSON())
	return o.JSON()
}

func specOf(name string, item *catalog.Item) *Spec {
	return &Spec{
		Name: name, Description: describe(item), InputSchema: item.Input,
		State: State{item.State.Available, item.State.UnavailableReason, item.Note},
		Title: item.Texts.Title, OutputSchema: item.Output, Effect: item.Effect, Idempotent: item.Idempotent,
		UntrustedContent: item.Texts.UntrustedContent,
		CapabilityID:     item.CapabilityID, RegistrationID: item.RegistrationID,
	}
}

// describe is the text of a tool.
func describe(item *catalog.Item) string {
	text := "[" + string(item.Kind.Plane()) + " · " + string(item.Effect)
	if item.Confirmation == capability.Required {
		text += " · requires confirmation"
	}
	return text + "] " + item.Texts.Description
}

// looksLike reports whether an agent sees no difference.
func (s *Spec) looksLike(other *Spec) bool {
	if s == nil || other == nil {
		return s == other
	}
	return s.Means(other) && s.State == other.State
}

// Means reports whether an agent that knows s knows what a call of other would be: all that they say is the same, except
// for how things stand now, and for the registration that they belong to.
func (s *Spec) Means(other *Spec) bool {
	a, b := *s, *other
	a.State, a.RegistrationID = b.State, b.RegistrationID
	return a == b
}

// Restore is a tool of an earlier catalog of the toolset, for a host that kept what a tool says and not the tool itself.
// Of the spec it needs CapabilityID, RegistrationID and InputSchema.
func (t *Toolset) Restore(spec Spec, surfaceVersion string) Tool {
	return Tool{Spec: &spec, SurfaceVersion: surfaceVersion, toolset: t}
}

// TakesObject reports whether the tool's arguments are an object, so that null counts as {}.
func (s *Spec) TakesObject() bool { return takesObject(s.InputSchema) }

// Call is what belongs to one call beside its input. Every field may be left out.
type Call struct {
	// InvocationID is the identity of the call; ToolCallID takes its place when it is empty, and without both one is
	// generated. A repetition under the same identity gives the stored result and does nothing twice; the same
	// identity for something else is INVOCATION_CONFLICT. Many providers count their tool calls anew in each
	// conversation (call_0): a host whose ids are not unique gives an InvocationID of its own.
	InvocationID string
	ToolCallID   string
	// ConfirmationID is the evidence of a person's decision.
	ConfirmationID string
	// InputIssue is what the caller's host found wrong with the input when it made JSON of it.
	InputIssue capability.Issue
	// ByName says that the agent knows the tool by its name only, and the host added the rest: a retry under the same
	// InvocationID asks what was asked before, though the tool may have got other tokens since.
	ByName bool
	// Asked is told, unless it is nil, that the call waits for a person. It must not wait itself.
	Asked func(*consent.Wait)
}

// Identity is what the call is known by, "" when that is still to be generated.
func (c Call) Identity() string {
	if c.InvocationID != "" {
		return c.InvocationID
	}
	return c.ToolCallID
}

// Start calls the tool. input is its arguments; absent counts as {}, and so does null where the tool takes an object,
// since some providers send that for no arguments. done gets the result, once, perhaps
// before Start returns; it must not wait. Cancelling ctx withdraws the call: unless it has ended it ends CANCELLED at
// once, the handler's own signal aborts, and a pending confirmation is withdrawn.
func (tool Tool) Start(ctx context.Context, input capability.JSON, call Call, done func(registry.Result)) {
	t := tool.toolset
	if t.isDisposed() {
		done(t.answer(call.Identity(), tool.CapabilityID, capability.NotFound()))
		return
	}
	if t.options.Mode == Meta {
		t.startVerb(ctx, tool.CapabilityID, input, call, done)
		return
	}
	if tool.TakesObject() {
		input = orEmpty(input)
	}
	asked := consent.Call{Asked: call.Asked, Request: registry.Request{
		InvocationID: call.Identity(), CapabilityID: tool.CapabilityID, RegistrationID: tool.RegistrationID,
		SurfaceVersion: tool.SurfaceVersion, Input: input, ConfirmationID: call.ConfirmationID, InputIssue: call.InputIssue,
	}}
	if call.ByName {
		asked.Issued = asked.Request
		asked.Issued.RegistrationID, asked.Issued.SurfaceVersion, asked.Issued.InstanceID = "", "", tool.Name
	}
	t.calls.Start(ctx, asked, done)
}

// Execute is Start, and waits for the result, which is never a Go error.
func (tool Tool) Execute(ctx context.Context, input capability.JSON, call Call) registry.Result {
	return tool.toolset.wait(func(done func(registry.Result)) { tool.Start(ctx, input, call, done) })
}
