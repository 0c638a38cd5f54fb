// Package toolset offers a registry's capabilities to any model: as one tool for each capability (direct mode), or
// as three tools that never change (meta mode). It knows no provider; a tool is a name, a text, a JSON Schema and
// something to call.
//
// A toolset decides nothing. It names what a snapshot shows and hands every call to the registry, with the tokens of
// the catalog that the tool was handed out in. (Source: adapters.md, Toolset.)
package toolset

import (
	"context"
	"errors"
	"sync"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/consent"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
)

// ErrDisposed is the error of a toolset that has been disposed of.
var ErrDisposed = errors.New("this toolset has been disposed of")

// Registry is what a toolset needs of a registry; *registry.Registry has it.
type Registry interface {
	consent.Registry
	Follow(options registry.SnapshotOptions) *registry.Follower
	Targets(consumer capability.Consumer, capabilityID, instanceID string) []registry.Target
	Subscribe(tell func(registry.Event)) (stop func())
	Attach(name string, consumer capability.Consumer) (detach func())
	NewInvocationID() string
	Environment() capability.Environment
}

// Toolset is one consumer's tools. It is safe for concurrent use. The registry and listeners are called with no lock
// held and may call back.
type Toolset struct {
	// Set once by New.
	registry Registry
	options  Options
	calls    *consent.Calls
	verbs    []Tool // of meta mode
	detach   func()

	mu          sync.Mutex
	disposed    bool
	book        *book  // what the tools are made from; nil while a flow uses it, and in meta mode
	handed      []Tool // the last catalog; shared, and never changed
	handedBy    *book
	byName      map[string]Tool // of handed, made when it is asked for
	listeners   []*listener
	unsubscribe func() // of the registry's events; nil while nobody listens
}

// New makes a toolset. The error says which option is missing or wrong; it is a *OptionError.
func New(r Registry, options Options) (*Toolset, error) {
	options, err := options.complete(r)
	if err != nil {
		return nil, err
	}
	t := &Toolset{registry: r, options: options}
	t.calls = consent.New(consent.Options{
		Registry: r, Host: options.Host, Consumer: options.Consumer,
		Wait: options.Confirmations == Wait, Timeout: options.WaitTimeout,
	})
	if options.Mode == Meta {
		t.verbs = t.metaTools()
	}
	t.detach = r.Attach("a toolset", options.Consumer)
	return t, nil
}

// Tools are the tools as they are now, in a fixed order. In direct mode that is what the consumer may see, with what
// cannot be used now; in meta mode it is always the same three. The list is shared and must not be changed. The error
// is ErrDisposed or registry.ErrDisposed.
func (t *Toolset) Tools() ([]Tool, error) {
	if t.options.Mode == Meta {
		t.mu.Lock()
		defer t.mu.Unlock()
		if t.disposed {
			return nil, ErrDisposed
		}
		return t.verbs, nil
	}
	b, err := t.take()
	if err != nil {
		return nil, err
	}
	defer func() { t.putBack(b) }()
	if err := b.update(); err != nil {
		return nil, err
	}
	return t.hand(b), nil
}

// hand makes what the book says the last catalog.
func (t *Toolset) hand(b *book) []Tool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if same := t.handedBy == b && len(b.differing) == 0 && !b.moved; !same {
		t.handed = b.tools(t)
		t.byName = nil
	}
	t.handedBy = b
	b.handedOut()
	return t.handed
}

// WireNameMap says which capability each tool of the last catalog stands for. It is the authority on what a name
// means. The caller owns the map.
func (t *Toolset) WireNameMap() map[string]string {
	names := map[string]string{}
	for _, tool := range t.last() {
		names[tool.Name] = tool.CapabilityID
	}
	return names
}

// last is the last catalog, or a new one when none was handed out.
func (t *Toolset) last() []Tool {
	if t.options.Mode == Meta {
		return t.verbs
	}
	t.mu.Lock()
	handed, none := t.handed, t.handedBy == nil
	t.mu.Unlock()
	if none {
		handed, _ = t.Tools() // without a registry there are none
	}
	return handed
}

// Tool is the tool of that name in the last catalog.
func (t *Toolset) Tool(name string) (tool Tool, ok bool) {
	tools := t.last()
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byName == nil {
		if t.handedBy != nil {
			tools = t.handed // which another flow may have replaced since
		}
		t.byName = make(map[string]Tool, len(tools))
		for _, tool := range tools {
			t.byName[tool.Name] = tool
		}
	}
	tool, ok = t.byName[name]
	return tool, ok
}

// Start calls the tool of that name in the last catalog: see Tool.Start. A name that is not in it is
// CAPABILITY_NOT_FOUND.
func (t *Toolset) Start(ctx context.Context, name string, input capability.JSON, call Call, done func(registry.Result)) {
	tool, ok := t.Tool(name)
	if !ok {
		done(t.answer(call.Identity(), "", capability.NotFound()))
		return
	}
	tool.Start(ctx, input, call, done)
}

// Execute is Start, and waits for the result.
func (t *Toolset) Execute(ctx context.Context, name string, input capability.JSON, call Call) registry.Result {
	return t.wait(func(done func(registry.Result)) { t.Start(ctx, name, input, call, done) })
}

// Dispose ends the toolset. Calls that wait for a person end with the CONFIRMATION_REQUIRED that they were given;
// other calls in flight complete; later ones are CAPABILITY_NOT_FOUND. It can be called again.
func (t *Toolset) Dispose() {
	t.mu.Lock()
	if t.disposed {
		t.mu.Unlock()
		return
	}
	t.disposed = true
	b, stop := t.book, t.unsubscribe
	t.book, t.unsubscribe, t.listeners = nil, nil, nil
	t.mu.Unlock()
	if stop != nil {
		stop()
	}
	t.calls.Stop()
	t.detach()
	t.leave(b)
}

// take gives the caller the book alone. While another flow has it, that is a new one: nobody may wait for what the
// page's hooks do.
func (t *Toolset) take() (*book, error) {
	t.mu.Lock()
	b, disposed := t.book, t.disposed
	t.book = nil
	t.mu.Unlock()
	switch {
	case disposed:
		return nil, ErrDisposed
	case b == nil:
		b = t.options.Shelf.take(t.registry, t.options)
	}
	return b, nil
}

// putBack ends take.
func (t *Toolset) putBack(b *book) {
	t.mu.Lock()
	kept := !t.disposed && t.book == nil
	if kept {
		t.book = b
	}
	t.mu.Unlock()
	if !kept {
		t.leave(b)
	}
}

// leave lets go of a book.
func (t *Toolset) leave(b *book) {
	if b != nil {
		t.options.Shelf.put(t.registry, t.options, b)
	}
}

func (t *Toolset) isDisposed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.disposed
}

// log tells developers, in development.
func (t *Toolset) log(text string) {
	if t.options.Log != nil && t.registry.Environment() == capability.Development {
		t.options.Log("toolset: " + text)
	}
}

// answer is a result that the toolset gives by itself.
func (t *Toolset) answer(invocationID, capabilityID string, err *capability.Error) registry.Result {
	if invocationID == "" {
		invocationID = t.registry.NewInvocationID()
	}
	return registry.Result{
		InvocationID: invocationID, CapabilityID: capabilityID, Error: err, SurfaceVersion: t.registry.Version(),
	}
}

// wait makes a call and waits for its result.
func (t *Toolset) wait(start func(done func(registry.Result))) registry.Result {
	return host.Await(t.options.Host.Waiter(), start)
}
