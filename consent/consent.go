// Package consent carries the calls of an adapter through a person's decision. Where a call must be confirmed it
// waits, and then repeats it once, under the same identity and with its evidence; so that the agent sees one result.
// (Source: adapters.md, Toolset and WebMCP adapter; policy-confirm.md, Confirmation.)
package consent

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
)

// Registry is what calls need of a registry; *registry.Registry has it.
type Registry interface {
	Start(ctx context.Context, request registry.Request, options registry.InvokeOptions, done func(registry.Result))
	Confirmations() registry.Confirmations
	Snapshot(options registry.SnapshotOptions) (*registry.Snapshot, error)
	Version() string
	Limits() capability.Limits
}

// Options say whose calls they are. Registry and Host are required.
type Options struct {
	Registry Registry
	// Host is the registry's.
	Host     host.Host
	Consumer capability.Consumer
	// Wait makes a call that must be confirmed wait for the decision; without it the agent is told
	// CONFIRMATION_REQUIRED and decides itself when to call again.
	Wait bool
	// Timeout bounds the wait when positive. After it the agent is told CONFIRMATION_REQUIRED, and the record stays
	// open: the agent may come back with its id.
	Timeout time.Duration
}

// Calls are the calls of one adapter, from its start to its stop. They are safe for concurrent use, and hold no lock
// while they call out.
type Calls struct {
	options Options

	mu      sync.Mutex
	stopped bool
	waiting []*call // in the order in which they began to wait
	memory  memory
}

// New makes the calls of an adapter that has none yet.
func New(options Options) *Calls { return &Calls{options: options} }

// Call is what an agent asks.
type Call struct {
	// Request is what the registry is asked.
	Request registry.Request
	// Issued is the request as the agent gave it, where the adapter has added to that: a retry of the same call then
	// asks what was asked before, whatever would be added to it now. The zero Request means that nothing was added.
	Issued registry.Request
	// Asked is told, unless it is nil, that the call waits for a decision. It must not wait itself.
	Asked func(*Wait)
}

// Start makes a call. done gets the result, once, perhaps before Start returns; it must not wait. Cancelling ctx
// withdraws the caller's interest: a call that waits then ends CANCELLED at once, and its record is withdrawn unless
// somebody else waits for it.
func (s *Calls) Start(ctx context.Context, asked Call, done func(registry.Result)) {
	c := &call{calls: s, ctx: ctx, request: asked.Request, issued: asked.Issued, asked: asked.Asked, done: done}
	if c.issued.CapabilityID == "" {
		c.issued = c.request
	}
	s.recall(c)
	c.start(c.answered)
}

// Stop ends the waits: those calls return the CONFIRMATION_REQUIRED that they were given, and nothing runs. Other
// calls complete. It can be called again.
func (s *Calls) Stop() {
	s.mu.Lock()
	s.stopped = true
	waiting := slices.Clone(s.waiting)
	s.mu.Unlock()
	for _, c := range waiting {
		if w := c.leave(true); w != nil {
			c.finish(w.asked)
		}
	}
}

// call is one call on its way.
type call struct {
	calls   *Calls
	ctx     context.Context
	request registry.Request
	issued  registry.Request
	asked   func(*Wait)
	done    func(registry.Result)

	wait *Wait // under the lock of calls; nil when the call is not waiting
}

func (c *call) start(then func(registry.Result)) {
	o := &c.calls.options
	o.Registry.Start(c.ctx, c.request, registry.InvokeOptions{Consumer: o.Consumer}, then)
}

// answered is the first answer: the result, or that a person must confirm. A server that asks for a confirmation has
// its own way to get it.
func (c *call) answered(r registry.Result) {
	mustAsk := r.Error != nil && r.Error.Code == capability.CodeConfirmationRequired && r.Error.Detail("origin") == "client"
	if mustAsk && c.calls.options.Wait {
		c.await(r)
		return
	}
	c.finish(r)
}

func (c *call) finish(r registry.Result) {
	if r.Error != nil && !r.Error.Code.Stored() && r.Error.Code != capability.CodeConflict {
		c.calls.forget(c)
	}
	c.done(r)
}

// fail ends a call that was told r earlier.
func (c *call) fail(r registry.Result, err *capability.Error) {
	version := c.calls.options.Registry.Version()
	r.SurfaceChanged = r.SurfaceChanged || version != r.SurfaceVersion
	r.SurfaceVersion, r.Error = version, err
	c.finish(r)
}
