package registry

import (
	"sync/atomic"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
)

// Request is what a consumer asks. Only CapabilityID is required.
type Request struct {
	InvocationID   string
	CapabilityID   string
	InstanceID     string
	RegistrationID string
	SurfaceVersion string
	// Input is JSON; absent counts as {}.
	Input          capability.JSON
	ConfirmationID string
	// InputIssue is what the caller's host found wrong with the input when it made JSON of it: then the
	// call ends INVALID_INPUT in the phase that validates.
	InputIssue capability.Issue
}

// InvokeOptions say who calls and for how long.
type InvokeOptions struct {
	// Consumer is who calls; the zero Consumer is the anonymous embedded one.
	Consumer capability.Consumer
	// Timeout limits the execution instead of the capability's limit when positive.
	Timeout time.Duration
}

// Result is how a call ended: Error is nil when it went well.
type Result struct {
	InvocationID string
	CapabilityID string
	// Output is absent when the handler gave nothing.
	Output capability.JSON
	Error  *capability.Error
	// SurfaceVersion is the version at settlement; SurfaceChanged is set when it moved during the call.
	SurfaceVersion string
	SurfaceChanged bool
}

// OK reports whether the call went well.
func (r Result) OK() bool { return r.Error == nil }

// Status is "ok" or "error".
func (r Result) Status() string {
	if r.OK() {
		return "ok"
	}
	return "error"
}

// JSON is the result as an object (invocation.md).
func (r Result) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Text("status", r.Status())
	o.Text("invocationId", r.InvocationID)
	o.Text("capabilityId", r.CapabilityID)
	o.Raw("output", r.Output)
	if r.Error != nil {
		o.Raw("error", r.Error.JSON())
	}
	o.Text("surfaceVersion", r.SurfaceVersion)
	if r.SurfaceChanged {
		o.Bool("surfaceChanged", true)
	}
	return o.JSON()
}

// stage is how far a call has come, as far as others must know.
type stage int

const (
	preparing stage = iota
	queued
	executing
	settled
)

// call is one attempt: what was asked, by whom, and where it stands.
type call struct {
	registry *Registry
	fingerprint
	id           string
	timeout      time.Duration // InvokeOptions.Timeout
	consumer     capability.Consumer
	consumerKey  string
	startedAt    time.Time
	startVersion uint64
	signal       host.Scope // what the handler sees

	// Of the call's own flow.
	given         capability.JSON // the input of the request; let go of when the flow ends
	invokeContext *policy.InvokeContext
	approval      *Approval
	prepared      capability.JSON // what Local.Prepare gave
	output        capability.JSON

	// Set by the call's own flow under the registry's lock and not changed after settlement, since whoever
	// cuts the call short settles it from another flow.
	waiter     host.Waiter
	entry      *entry
	auditLevel capability.AuditLevel
	tapped     bool // the taps of its policies have recorded its start
	input      capability.JSON
	queueWait  time.Duration
	executedAt time.Time

	// Under the registry's lock, but for a look at whether the call is over.
	stage    stage
	ended    atomic.Bool // stage is settled
	place    int         // in its registration's calls
	order    int         // in order of start, for whatever must be told in order
	admitted bool
	slot     slot
	unmount  bool // its registration went while it ran
	callers  []*caller
	first    caller     // who began it
	room     [1]*caller // for callers, which are seldom more
	result   Result
	onSettle []*hook

	// Of the call table, under the registry's lock.
	known     bool // under its key
	settledAt time.Time
	next      *call // settled after it
}

// caller is one who waits for the result; joined calls have several.
type caller struct {
	done func(Result)
	stop func() // stops watching the caller's context
	gone bool
}

// callSet are calls in no order.
type callSet []*call

func (s *callSet) add(c *call) {
	c.place = len(*s)
	*s = append(*s, c)
}

// remove takes c out, which is in the set or was in it.
func (s *callSet) remove(c *call) {
	list := *s
	last := len(list) - 1
	if c.place > last || list[c.place] != c {
		return
	}
	list[c.place] = list[last]
	list[c.place].place = c.place
	list[last] = nil
	*s = list[:last]
}

// hook is a function to run at settlement, nil once stopped.
type hook struct{ run func() }

// over reports whether the call has its result.
func (c *call) over() bool { return c.ended.Load() }

func (c *call) admittedOrOver() bool {
	c.registry.mu.Lock()
	defer c.registry.mu.Unlock()
	return c.admitted || c.stage == settled
}

func (c *call) unmountedInFlight() bool {
	c.registry.mu.Lock()
	defer c.registry.mu.Unlock()
	return c.unmount
}

// unlessOver lets the call's flow change what others read, unless the call has its result. It reports
// whether it did.
func (c *call) unlessOver(mutate func()) bool {
	c.registry.mu.Lock()
	defer c.registry.mu.Unlock()
	if c.stage == settled {
		return false
	}
	mutate()
	return true
}

// startExecuting marks the handler as started, unless the call is over or its registration has gone: that is
// decided here, since a slot may come free before the call is told.
func (c *call) startExecuting() (started bool, gone *capability.Error) {
	now := c.registry.options.Now()
	c.unlessOver(func() {
		switch {
		case c.registry.state.disposed:
			gone = capability.Disposed(capability.NotStarted)
		case !c.entry.reg.active:
			gone = capability.Unmounted("mid-flight", capability.NotStarted)
		default:
			started = true
			c.stage, c.executedAt = executing, now
		}
	})
	return started, gone
}

func (c *call) setInput(input capability.JSON) { c.unlessOver(func() { c.input = input }) }

// progress is what a caller must know before it repeats a call that is cut short now. The registry's lock
// is held.
func (c *call) progress() capability.Progress {
	if c.stage >= executing {
		return capability.MayHaveHappened
	}
	return capability.NotStarted
}

// info is what handlers and preconditions are told.
func (c *call) info() *Call {
	return &Call{
		CapabilityID: c.entry.idText, RegistrationID: c.entry.reg.id, InvocationID: c.id,
		Consumer: c.consumer, Host: c.registry.hostContext(), Confirmation: c.approval, Prepared: c.prepared, of: c,
	}
}

func (c *call) whenSettled(f func()) (stop func()) {
	h := &hook{run: f}
	over := false
	c.registry.change(func(*state) {
		if over = c.stage == settled; !over {
			c.onSettle = append(c.onSettle, h)
		}
	})
	if over {
		f()
	}
	return func() { c.registry.change(func(*state) { h.run = nil }) }
}

// base is an audit event about the call. It is for the call's own flow, or for after settlement.
func (c *call) base(t audit.Type, now time.Time) audit.Event {
	e := audit.Event{
		At: now, Type: t, CapabilityID: c.request.CapabilityID, InvocationID: c.id,
		ConsumerID: c.consumerKey, ClaimedName: c.consumer.ClaimedName,
		Duration: now.Sub(c.startedAt), QueueWait: c.queueWait,
	}
	if !c.executedAt.IsZero() {
		e.Execution = e.At.Sub(c.executedAt)
	}
	if c.entry != nil {
		e.RegistrationID = c.entry.reg.id
	}
	return e
}
