package predict

import (
	"errors"
	"sync"
	"time"

	"github.com/pagewarden/pagewarden/consent"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
)

// ErrDisposed is the error of a desk that has been disposed of.
var ErrDisposed = errors.New("predict: the desk has been disposed of")

// ComponentType is the type of the components that hold the capabilities of a desk, one each.
const ComponentType = "capability"

// Registry is what a desk needs of a registry; *registry.Registry has it.
type Registry interface {
	consent.Registry
	Register(c *registry.Component) (*registry.Handle, error)
	NewInvocationID() string
}

// Options configure a desk. Every field may be left out.
type Options struct {
	// Host is the registry's port to the outside; nil means host.Native.
	Host host.Host
	// Log receives diagnostics for developers.
	Log func(text string)
	// Names is where the desks of one page share what they register with the browser; nil means that there is no other.
	Names *Names
}

// Desk offers capabilities through one registry. A registry has one desk. It is safe for concurrent use; the registry
// and what authors wrote are called with no lock held and may call back.
type Desk struct {
	registry Registry
	host     host.Host
	log      func(text string)
	traces   *traces
	names    *Names

	mu       sync.Mutex
	disposed bool
	mounts   map[string]*mount // by name
	tools    []*Tool
}

// NewDesk makes a desk of a registry.
func NewDesk(r Registry, options Options) *Desk {
	d := &Desk{registry: r, host: options.Host, log: options.Log, traces: newTraces(), mounts: map[string]*mount{}}
	if d.host == nil {
		d.host = host.Native()
	}
	if d.log == nil {
		d.log = func(string) {}
	}
	if d.names = options.Names; d.names == nil {
		d.names = NewNames()
	}
	return d
}

// Dispose takes every capability out of the registry. Calls in flight are told as at any unregistration; those that
// wait for a person end. It can be called again.
func (d *Desk) Dispose() {
	d.mu.Lock()
	tools := d.tools
	var handles []*registry.Handle
	for _, m := range d.mounts {
		if m.handle != nil { // else whoever registers it takes it back
			handles = append(handles, m.handle)
		}
	}
	d.disposed, d.tools, d.mounts = true, nil, map[string]*mount{}
	d.mu.Unlock()
	for _, tool := range tools {
		tool.calls.Stop()
	}
	for _, handle := range handles {
		handle.Unregister()
	}
}

// mount registers a capability, unless it is registered already. The error is ErrDisposed, the registry's, or a
// *registry.DefinitionError.
func (d *Desk) mount(c *Capability) (*mount, error) {
	if m := d.mounted(c); m != nil {
		return m, nil
	}
	m := &mount{Capability: c, desk: d}
	if err := m.parse(d.registry.Limits()); err != nil {
		return nil, err
	}
	m, fresh, err := d.reserve(m)
	if err != nil || !fresh {
		return m, err
	}
	handle, err := d.registry.Register(m.component())
	if err == nil && handle.Status() == registry.Rejected {
		err = defect(registry.DuplicateCapability, "name", "the registry has rejected %s: %s", c.d.Name, handle.Reason())
	}
	d.mu.Lock()
	gone := d.disposed
	if err != nil {
		delete(d.mounts, c.d.Name)
	}
	m.handle, m.known = handle, true
	d.mu.Unlock()
	defer m.runEarly()
	if err == nil && gone {
		handle.Unregister()
		err = ErrDisposed
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// mounted is what there is of a capability already, nil for nothing.
func (d *Desk) mounted(c *Capability) *mount {
	d.mu.Lock()
	defer d.mu.Unlock()
	if m := d.mounts[c.d.Name]; m != nil && m.Capability == c {
		return m
	}
	return nil
}

// reserve takes the name before the registry is asked, so that two callers at once cannot both register it.
func (d *Desk) reserve(m *mount) (known *mount, fresh bool, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	name := m.d.Name
	known = d.mounts[name]
	switch {
	case d.disposed:
		return nil, false, ErrDisposed
	case known == nil:
		d.mounts[name] = m
		return m, true, nil
	case known.Capability != m.Capability:
		return nil, false, defect(registry.DuplicateCapability, "name", "%s is another capability already", name)
	}
	return known, false, nil
}

func (d *Desk) note(key callKey, change func(*trace, time.Time)) {
	now := d.host.Now()
	d.traces.note(key, func(t *trace) { change(t, now) })
}

func (d *Desk) pass(key callKey, stage Stage) {
	d.note(key, func(t *trace, now time.Time) { t.passed[stage] = now })
}
