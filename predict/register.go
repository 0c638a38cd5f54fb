package predict

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
)

// Target is the browser's object that lists tools to agents. Values that are == are the same object, so the type must be
// comparable. No method may wait.
type Target interface {
	// Add offers a tool. settled is called once, with nil when the browser has taken it and with its reason otherwise;
	// perhaps before Add returns, perhaps after Remove.
	Add(tool *Tool, settled func(error))
	// Remove withdraws a tool that Add was called for, settled or not. The error is for developers only.
	Remove(tool *Tool) error
}

// Names are those under which capabilities are registered with the browser's objects. It is safe for concurrent use.
type Names struct {
	mu    sync.Mutex
	taken map[nameKey]bool
}

type nameKey struct {
	target Target
	name   string
}

// NewNames is for the desks of one page.
func NewNames() *Names { return &Names{taken: map[nameKey]bool{}} }

func (n *Names) reserve(target Target, name string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	key := nameKey{target, name}
	if n.taken[key] {
		return false
	}
	n.taken[key] = true
	return true
}

func (n *Names) release(target Target, name string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	delete(n.taken, nameKey{target, name})
}

// MaxFailureText is the most characters of a failure's error.
const MaxFailureText = 256

// Failure is a capability that was not registered, and why.
type Failure struct{ Name, Error string }

// Registration reports what has been registered with the browser.
type Registration struct {
	// Supported is false when there is no object to register with; then nothing else is there.
	Supported  bool
	Registered []string
	Failed     []Failure

	once    sync.Once
	cleanup func()
}

// JSON is the report as an object: { supported, registered: [name], failed: [{ name, error }] }.
func (r *Registration) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Bool("supported", r.Supported)
	o.Raw("registered", capability.ArrayOf(r.Registered, capability.Quote))
	o.Raw("failed", capability.ArrayOf(r.Failed, func(f Failure) capability.JSON {
		var o capability.ObjectWriter
		o.Text("name", f.Name)
		o.Text("error", f.Error)
		return o.JSON()
	}))
	return o.JSON()
}

// Cleanup removes what this registration has registered, the last first. It does so once.
func (r *Registration) Cleanup() { r.once.Do(r.cleanup) }

// offer is a capability on its way to the browser.
type offer struct {
	name    string
	tool    *Tool // nil when it did not come so far
	err     error
	settled bool
}

// registering is one call of RegisterWebMCP.
type registering struct {
	desk   *Desk
	target Target
	waiter host.Waiter

	mu     sync.Mutex
	offers []*offer
}

var errNameTaken = errors.New("a tool with this name is registered already, or about to be")

// RegisterWebMCP offers the capabilities to the agent of a browser, and waits until the browser has answered for each.
// One that fails stops no other. Registration is discovery, not authorization: the server must authorize every write
// again. Without a target nothing happens. Cancelling ctx withdraws what the browser has not answered for.
func (d *Desk) RegisterWebMCP(ctx context.Context, capabilities []*Capability, target Target, options ToolOptions) *Registration {
	if target == nil {
		return &Registration{cleanup: func() {}}
	}
	r := &registering{desk: d, target: target, waiter: d.host.Waiter()}
	for _, c := range capabilities {
		r.offers = append(r.offers, &offer{name: c.d.Name})
	}
	for i, c := range capabilities {
		r.begin(r.offers[i], c, options)
	}
	defer host.Watch(ctx, r.waiter.Wake)()
	for !r.done() && ctx.Err() == nil {
		r.waiter.Park()
	}
	r.withdraw(ctx)
	return r.report()
}

// begin takes the name before the browser is asked.
func (r *registering) begin(o *offer, c *Capability, options ToolOptions) {
	d := r.desk
	if !d.names.reserve(r.target, o.name) {
		r.settle(o, errNameTaken)
		return
	}
	tool, err := d.WebMCPTool(c, options)
	if err != nil {
		d.names.release(r.target, o.name)
		r.settle(o, err)
		return
	}
	o.tool = tool
	defer func() {
		if cause := recover(); cause != nil {
			r.settle(o, fmt.Errorf("registering panicked: %v", cause))
		}
	}()
	r.target.Add(tool, func(err error) { r.settle(o, err) })
}

// settle notes the first answer.
func (r *registering) settle(o *offer, err error) {
	r.mu.Lock()
	first := !o.settled
	if first {
		o.settled, o.err = true, err
	}
	tool := o.tool
	r.mu.Unlock()
	if first && err != nil && tool != nil {
		r.drop(o)
	}
	r.waiter.Wake()
}

// drop lets go of a tool that is not with the browser.
func (r *registering) drop(o *offer) {
	o.tool.Close()
	r.desk.names.release(r.target, o.name)
}

func (r *registering) done() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return !slices.ContainsFunc(r.offers, func(o *offer) bool { return !o.settled })
}

// withdraw takes back what the caller does not wait for any more.
func (r *registering) withdraw(ctx context.Context) {
	for _, o := range slices.Backward(r.offers) {
		r.mu.Lock()
		open := !o.settled
		r.mu.Unlock()
		if open {
			r.remove(o)
			r.settle(o, fmt.Errorf("the browser has not answered: %w", context.Cause(ctx)))
		}
	}
}

func (r *registering) remove(o *offer) {
	defer func() {
		if cause := recover(); cause != nil {
			r.desk.log(fmt.Sprintf("removing the tool %s panicked: %v", o.name, cause))
		}
	}()
	if err := r.target.Remove(o.tool); err != nil {
		r.desk.log(fmt.Sprintf("removing the tool %s: %v", o.name, err))
	}
}

func (r *registering) report() *Registration {
	report := &Registration{Supported: true}
	var registered []*offer
	for _, o := range r.offers {
		if o.err != nil {
			report.Failed = append(report.Failed, Failure{o.name, capability.Cut(o.err.Error(), MaxFailureText)})
			continue
		}
		report.Registered = append(report.Registered, o.name)
		registered = append(registered, o)
	}
	report.cleanup = func() {
		for _, o := range slices.Backward(registered) {
			r.remove(o)
			r.drop(o)
		}
	}
	return report
}
