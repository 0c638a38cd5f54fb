package registry

import (
	"context"
	"errors"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
	"github.com/pagewarden/pagewarden/policy"
)

// Component is what an application registers: a mounted piece of its user interface, what of it can be read
// and what can be done with it. The registry copies it; changing it after Register has no effect.
type Component struct {
	// Type is the component type, for example "devices.table"; required.
	Type string
	// InstanceID tells instances of one type apart; "" means "default".
	InstanceID string
	// Description is for the agent, 1 to 500 characters; required.
	Description string
	// Parent names the component that this one lies in.
	Parent *ComponentRef
	// Meta is a JSON object that agents see, at most 2 kB, or absent.
	Meta capability.JSON
	// Internal is for policies and sinks only.
	Internal any
	// Policies apply to every capability of the component, inside the registry's.
	Policies []policy.Policy
	// Origin is "first-party" when empty.
	Origin string
	// Priority orders components in snapshots, high first, and decides what a budget drops.
	Priority int
	// Disabled makes every capability unavailable until Handle.Update enables the component.
	Disabled bool

	Observations []Observation
	Actions      []Action
	Procedures   []ProcedureBinding

	// OnRemoved is called once when the component leaves the surface: no handler of it is started any more.
	OnRemoved func()
	// OnForgotten is called once when the registry has let go of the rest, the discovery hooks that its
	// tombstone needed. Neither is called at Dispose, nor for a registration that was rejected.
	OnForgotten func()
}

// ComponentRef names a component.
type ComponentRef struct {
	Type       string
	InstanceID string
}

// Schema declares what values look like. The zero Schema declares nothing.
type Schema struct {
	// Document is a JSON Schema of the subset that package schema describes.
	Document capability.JSON
	// Parse, when set, checks a value in place of the document, and what it returns is what the handler
	// gets. It must not wait.
	Parse func(capability.JSON) (capability.JSON, []capability.Issue)
}

// Common is what observations, actions and procedure bindings share.
type Common struct {
	// When says whether the capability can be used now. It is asked at every snapshot and every call and
	// must not wait. An error makes the capability unavailable. Nil means always.
	When func() (bool, error)
	// UnavailableReason is the text that the agent gets while When says false.
	UnavailableReason func() string
	// Policies apply inside the component's.
	Policies []policy.Policy
	// Meta is a JSON object that agents see, at most 2 kB, or absent.
	Meta capability.JSON
	// Timeout limits one execution; 0 means the limit of the kind.
	Timeout time.Duration
}

// Observation reads state of the component.
type Observation struct {
	Name        string
	Title       string
	Description string
	// UntrustedContent tells agents that the output holds text that others wrote.
	UntrustedContent bool
	Output           Schema
	// Read gives the state. Its context is cancelled when the result is no longer wanted.
	Read func(ctx context.Context, call *Call) (capability.JSON, error)
	Common
}

// Action changes what the user sees.
type Action struct {
	Name             string
	Title            string
	Description      string
	UntrustedContent bool
	Input            Schema
	// Output may be left out: then any JSON is passed on.
	Output Schema
	// Effect is LocalState or Navigation; required.
	Effect capability.Effect
	// Idempotent and Reversible override the defaults of the effect.
	Idempotent, Reversible *bool
	// Confirmation may raise the effect's default.
	Confirmation capability.Confirmation
	// Audit overrides the effect's default level.
	Audit capability.AuditLevel
	// Precondition looks at the validated input just before the action runs and must not wait. An error
	// made by Refuse, or any *capability.Error that may be thrown, is the answer; any other error is
	// PRECONDITION_FAILED with the fixed message.
	Precondition func(input capability.JSON, call *Call) error
	// Execute does it. Its context is cancelled when the result is no longer wanted.
	Execute func(ctx context.Context, input capability.JSON, call *Call) (capability.JSON, error)
	// Concurrency says which calls wait for each other; the zero value means those of one registration.
	Concurrency Concurrency
	Common
}

// Refuse is the error of a precondition that does not hold: message is shown to the agent, details is a JSON
// object or absent.
func Refuse(message string, details capability.JSON) error {
	return capability.PreconditionFailed(message, details)
}

// ConcurrencyMode says which calls share a queue.
type ConcurrencyMode string

// The concurrency modes.
const (
	// PerInstance runs one call of a registration at a time; the default of actions.
	PerInstance ConcurrencyMode = "instance"
	// PerCapability runs one call of one capability of a registration at a time; the default of procedures.
	PerCapability ConcurrencyMode = "capability"
	// PerKey runs one call at a time among all capabilities that name the same key.
	PerKey ConcurrencyMode = "key"
	// Parallel runs up to Max calls of the capability at a time.
	Parallel ConcurrencyMode = "parallel"
)

// Concurrency is the queueing of an action or procedure.
type Concurrency struct {
	Mode ConcurrencyMode
	Key  string
	Max  int
	// QueueDepth is how many calls may wait; nil means the limit actionQueueDepth.
	QueueDepth *int
}

// ProcedureRef names a server operation and what it takes.
type ProcedureRef struct {
	// Path is what follows "domain:" in the capability id, and what the executor gets.
	Path        string
	Title       string
	Description string
	Input       Schema
	Output      Schema
	Effect      capability.Effect
	// RequiresApproval makes confirmation required.
	RequiresApproval bool
	UntrustedContent bool
	Audit            capability.AuditLevel
}

// ProcedureBinding offers a server operation in the context of a component: the values that the page adds,
// and when.
type ProcedureBinding struct {
	Ref ProcedureRef
	// BoundKeys are the input's top-level members that Bind supplies.
	BoundKeys []string
	// OverridableKeys are those of BoundKeys that the agent may supply instead.
	OverridableKeys []string
	// Bind gives a JSON object with the bound members, from live state. It must not wait.
	Bind func() (capability.JSON, error)
	// Exact makes it a failure of Bind to leave out a bound member or to give another one; without it such members are
	// left to the input schema, or ignored.
	Exact bool
	// Describe gives a note on the present context; an error leaves it out.
	Describe func() (string, error)
	// Confirmation may raise the effect's default.
	Confirmation capability.Confirmation
	// ReducedInput, when given, must equal the input schema without the locked members.
	ReducedInput capability.JSON
	// Context is the component that the procedure is shown with; nil means the one that registers it.
	Context     *ComponentRef
	Concurrency Concurrency
	// Local, when set, carries the procedure out in place of the registry's executor.
	Local *Local
	Common
}

// Executor carries procedures out, usually by asking the server.
type Executor interface {
	// Execute runs the operation at path. Its context is cancelled when the result is no longer wanted.
	// An error that has a method Transient() (retryAfter time.Duration, ok bool) may be tried again.
	Execute(ctx context.Context, path string, input capability.JSON, call *Call) (capability.JSON, error)
}

// ExecutorFunc is a function as an Executor.
type ExecutorFunc func(ctx context.Context, path string, input capability.JSON, call *Call) (capability.JSON, error)

// Execute calls f.
func (f ExecutorFunc) Execute(ctx context.Context, path string, input capability.JSON, call *Call) (capability.JSON, error) {
	return f(ctx, path, input, call)
}

// Call is what a handler is told of the call that it serves.
type Call struct {
	CapabilityID   string
	RegistrationID string
	InvocationID   string
	Consumer       capability.Consumer
	// Host is the application's context, as it was when the call began.
	Host policy.Host
	// Confirmation is the approval that this call used up, or nil.
	Confirmation *Approval
	// Prepared is what Local.Prepare gave for this call, or for the one that asked for its confirmation.
	Prepared capability.JSON

	of interface {
		whenSettled(f func()) (stop func())
		late(err error)
	}
}

// OnSettle runs f once when the call has its result, which may be before its handler ends (a time-out): a
// handler that waits for something else should stop then. f must not wait.
func (c *Call) OnSettle(f func()) (stop func()) { return c.of.whenSettled(f) }

// ErrStillRunning is what a handler returns that stopped waiting because its call had its result already,
// while the work itself goes on elsewhere. It calls Late when that ends.
var ErrStillRunning = errors.New("registry: the call is settled and its work goes on")

// Late records the end of work that outlived its call.
func (c *Call) Late(err error) { c.of.late(err) }

// Approval is a person's decision that a call used up.
type Approval = confirm.Approval
