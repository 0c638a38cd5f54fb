package webmcp

import (
	"context"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
	"github.com/pagewarden/pagewarden/registry"
)

// Style is how a model context takes tools away.
type Style string

// The styles. Which one an object has follows from its methods, in this order.
const (
	// ByName has registerTool and unregisterTool.
	ByName Style = "by-name"
	// WholeSet has provideContext, which replaces every tool of the page.
	WholeSet Style = "whole-set"
	// BySignal has registerTool(tool, { signal }), and removes by aborting.
	BySignal Style = "by-signal"
	// None is the style of an adapter that has found no object.
	None Style = "none"
)

// ModelContext is one object of the browser that lists tools to agents. Values that are == are the same
// object, so the type must be comparable (a pointer, or a small struct).
//
// An adapter makes one call at a time and holds no lock meanwhile; two adapters on one object may call at
// the same time natively. No method may wait, and none may panic: what the browser's object throws is the
// error.
type ModelContext interface {
	// Style is the same at every call, and never None.
	Style() Style

	// Add offers a tool, in the styles ByName and BySignal. settled is called once, with nil when the
	// browser has taken the tool and with its reason otherwise: before Add returns where the browser
	// answers at once, later where it promises to. It may be called after the tool was removed.
	Add(tool Tool, settled func(error))

	// Remove withdraws a tool that Add was called for: ByName by its Name, BySignal by aborting the signal
	// of its Token. It may be called twice, and before Add has settled. The error is for developers only.
	Remove(tool Tool) error

	// Replace makes tools the only ones, in the style WholeSet: those whose Token is known are the ones
	// that the browser was given before. No tools at all is clearContext where there is one. After an
	// error it is unknown which tools the object has, and the caller calls Replace again.
	Replace(tools []Tool) error
}

// Finder looks for the page's model context and gives nil when there is none. It is called at Start and,
// until it has found one, at each reconcile, by one flow at a time; it may not wait.
type Finder func() ModelContext

// Token is the identity of one registration of a tool with the browser. Whoever makes the browser's tool
// object keeps it as long as that object lives, and hands it to Adapter.Call unchanged: a tool that the
// browser or the page kept after its removal then still answers what is true of it. Its text is opaque.
type Token string

// Tool is what the browser is told of one capability.
type Tool struct {
	Token Token
	// Name is 1 to 64 characters of [A-Za-z0-9_-].
	Name string
	// Title is "" when the capability declares none.
	Title       string
	Description string
	// InputSchema is a JSON Schema, with its properties in the author's order.
	InputSchema capability.JSON
	Annotations Annotations
	// ExposedTo are the origins of Options.ExposedTo; the browser's default applies when it is empty. It
	// is shared and must not be changed.
	ExposedTo []string

	// CapabilityID is what the tool stands for, for messages to developers.
	CapabilityID string
	// Owner is the adapter whose Call answers for the tool.
	Owner *Adapter
}

// JSON is the tool as an object: { name, title?, description, inputSchema, annotations }. ExposedTo is an
// option of the registration and not part of it.
func (t Tool) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Text("name", t.Name)
	o.OptionalText("title", t.Title)
	o.Text("description", t.Description)
	o.Raw("inputSchema", t.InputSchema)
	o.Raw("annotations", t.Annotations.JSON())
	return o.JSON()
}

// Annotations are hints on what calling a tool means. They follow from the declaration only.
type Annotations struct {
	// ReadOnly says that nothing changes anywhere.
	ReadOnly bool
	// Consequential says that the effect is destructive or reaches outside of the application.
	Consequential bool
	// UntrustedContent says that results hold text that others wrote.
	UntrustedContent bool
}

// JSON is the hints that are true, under their names in WebMCP; {} when none is.
func (a Annotations) JSON() capability.JSON {
	var o capability.ObjectWriter
	for _, hint := range []struct {
		name string
		set  bool
	}{
		{"readOnlyHint", a.ReadOnly},
		{"consequentialHint", a.Consequential},
		{"untrustedContentHint", a.UntrustedContent},
	} {
		if hint.set {
			o.Bool(hint.name, true)
		}
	}
	return o.JSON()
}

// CallOptions are what the browser gave beside the input of a call.
type CallOptions struct {
	// Client is the browser's client with requestUserInteraction, in whatever form the caller's Confirm
	// knows it; nil when the browser passed none.
	Client any
	// Aborted says that the call's signal was aborted before the call was made: nothing is started, and
	// the result is CANCELLED.
	Aborted bool
	// InputIssue is what is wrong with an input that could not be written as JSON; the result is
	// INVALID_INPUT, which names it. The zero Issue says that there is none.
	InputIssue capability.Issue
	// Ticket is the caller's own name for the call, for Confirm.
	Ticket any
}

// ConfirmRequest is what a person is asked to confirm.
type ConfirmRequest struct {
	Pending confirm.Pending
	// Client is CallOptions.Client. When it is not nil the question belongs inside its
	// requestUserInteraction; it is nil only with Options.ConfirmWithoutClient.
	Client any
	// Ticket is CallOptions.Ticket. Once that call is done, the answer does not matter any more.
	Ticket any
}

// ConfirmFunc asks a person. It returns at once and calls answer when there is an answer: approved only by
// an exact true. An error (the prompt threw, the client refused) leaves the decision to the host's
// confirmation UI. Only the first answer counts, and none counts once the call has ended.
type ConfirmFunc func(request ConfirmRequest, answer func(approved bool, err error))

// Descriptor is one capability as the curation hook sees it.
type Descriptor struct {
	Kind           capability.Kind
	CapabilityID   string
	RegistrationID string
	// Description is the authored text.
	Description string
	view        interface{ JSON() capability.JSON }
}

// JSON is the capability as it stands in a snapshot.
func (d Descriptor) JSON() capability.JSON { return d.view.JSON() }

// Exposure is what the curation hook decides of one capability. The zero Exposure offers it as declared.
type Exposure struct {
	// Skip leaves the capability out.
	Skip bool
	// Description replaces the authored text unless it is empty.
	Description string
}

// Registry is what an adapter needs of a registry; *registry.Registry has it.
type Registry interface {
	Snapshot(options registry.SnapshotOptions) (*registry.Snapshot, error)
	Follow(options registry.SnapshotOptions) *registry.Follower
	Start(ctx context.Context, request registry.Request, options registry.InvokeOptions, done func(registry.Result))
	Subscribe(tell func(registry.Event)) (stop func())
	Attach(name string, consumer capability.Consumer) (detach func())
	Confirmations() registry.Confirmations
	Environment() capability.Environment
	Limits() capability.Limits
	Version() string
}

// SnapshotContext narrows what the adapter offers.
type SnapshotContext struct {
	// Scope admits component types by prefix. Nil means not given; an empty one admits all.
	Scope []string
	// MaxComponents and MaxBytes bound the snapshot when positive; 0 means not given.
	MaxComponents, MaxBytes int
}

// Host is what an adapter is started on.
type Host struct {
	Registry Registry
	// Consumer is who the browser's agent is: stable, and different from that of any other adapter of the
	// registry.
	Consumer capability.Consumer
	// Snapshot applies where Options.Snapshot gives nothing, field by field.
	Snapshot SnapshotContext
}
