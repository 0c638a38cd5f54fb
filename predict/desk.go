package predict

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/consent"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/schema"
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

// mount is a capability in the registry.
type mount struct {
	*Capability
	desk   *Desk
	input  *schema.Schema
	output *schema.Schema
	handle *registry.Handle // nil until it is registered; under the desk's lock
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
	m.handle = handle
	d.mu.Unlock()
	if err == nil && gone {
		handle.Unregister()
		err = ErrDisposed
	}
	if err != nil {
		return nil, err
	}
	return m, nil
}

// parse reads the schemas, for what is decided before the registry is asked.
func (m *mount) parse(l capability.Limits) (err error) {
	limits := schema.Limits{MaxBytes: l.MaxSchemaBytes, MaxDepth: l.MaxSchemaDepth}
	if m.input, err = schema.Parse(m.d.Input.Document, limits); err != nil {
		return defect(registry.UnsupportedSchema, "input", "%v", err)
	}
	if m.output, err = schema.Parse(m.d.Output.Document, limits); err != nil {
		return defect(registry.UnsupportedSchema, "output", "%v", err)
	}
	return nil
}

func (m *mount) givesObjects() bool { return m.output.RequiresObject() }

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

// component is what is registered. The policies are in their order: authorize is the outermost, and a dry run ends
// inside all of them.
func (m *mount) component() *registry.Component {
	policies := []policy.Policy{m.gate(), policy.HasPermission(m.d.Token, nil)}
	if m.d.Budget != nil {
		policies = append(policies, policy.RateLimit(m.d.Budget.Calls, m.d.Budget.Window))
	}
	policies = append(policies, m.dryEnd())
	return &registry.Component{
		Type: ComponentType, InstanceID: instanceID(m.d.Name), Description: "A capability of this page",
		Procedures: []registry.ProcedureBinding{{
			Ref: registry.ProcedureRef{
				Path: m.d.Name, Description: m.d.Description, Input: m.d.Input, Output: m.d.Output, Effect: m.effect,
				UntrustedContent: m.untrusted(),
			},
			Confirmation: m.d.Confirmation,
			Local:        &registry.Local{Execute: m.execute},
			Common:       registry.Common{Policies: policies, Timeout: m.d.Timeout},
		}},
	}
}

// instanceID is a name as an instance id: each name has its own.
func instanceID(name string) string {
	id := strings.ReplaceAll(strings.ReplaceAll(name, "_", "_u"), ".", "_d") // a Replacer costs 30 kB of wasm
	if len(id) > capability.MaxIDLength {
		return canonical.DigestForm(capability.Quote(name))
	}
	return id
}

// gate asks what the call's projection adds, before every other policy of the capability.
func (m *mount) gate() policy.Policy {
	return policy.Policy{Name: "authorize", OnInvoke: func(ctx *policy.InvokeContext, next func() error) error {
		key := callKey{ctx.Consumer.Key(), ctx.InvocationID}
		m.desk.note(key, (*trace).begin)
		if authorize := m.desk.traces.given(key).authorize; authorize != nil && !authorize.admits(ctx) {
			return capability.NotAuthorized("client")
		}
		err := next()
		if err == nil {
			m.desk.pass(key, PolicyStage)
		}
		return err
	}}
}

// dryEnd ends a dry run once every policy has let it pass, and before anybody is asked to confirm it.
func (m *mount) dryEnd() policy.Policy {
	return policy.Policy{Name: "dry-run", OnInvoke: func(ctx *policy.InvokeContext, next func() error) error {
		key := callKey{ctx.Consumer.Key(), ctx.InvocationID}
		if !m.desk.traces.given(key).dryRun {
			return next()
		}
		m.desk.pass(key, PolicyStage)
		m.desk.traces.note(key, func(t *trace) { t.foretold = true })
		return capability.PreconditionFailed("This was a dry run: nothing has been executed.", "")
	}}
}

// execute is the handler, inside the capability's own store of outputs.
func (m *mount) execute(ctx context.Context, input capability.JSON, call *registry.Call) (capability.JSON, error) {
	key := callKey{call.Consumer.Key(), call.InvocationID}
	m.desk.pass(key, ApprovalStage)
	stored, remember, err := m.recall(ctx, input)
	if err != nil {
		return "", err
	}
	m.desk.pass(key, IdempotencyStage)
	if remember == nil {
		m.desk.traces.note(key, func(t *trace) { t.recalled = true })
		return stored, nil
	}
	output, err := m.d.Execute(ctx, input, call)
	if err != nil {
		return "", err
	}
	m.desk.pass(key, ExecuteStage)
	remember(output)
	return output, nil
}

// recall gives the output that an earlier call with the same key left, or how to leave one.
func (m *mount) recall(ctx context.Context, input capability.JSON) (output capability.JSON, remember func(capability.JSON), err error) {
	i := m.d.Idempotency
	if i == nil || i.Store == nil {
		return "", func(capability.JSON) {}, nil
	}
	key, err := m.key(input)
	if err != nil {
		return "", nil, err
	}
	output, found, err := i.Store.Get(ctx, key)
	if err != nil {
		return "", nil, fmt.Errorf("looking up an earlier output of %s: %w", m.d.Name, err)
	}
	if found {
		return output, nil, nil
	}
	return "", func(output capability.JSON) {
		if err := i.Store.Put(context.Background(), key, output); err != nil {
			m.desk.log(fmt.Sprintf("keeping the output of %s: %v", m.d.Name, err))
		}
	}, nil
}

// key is the identity of a call with that valid input.
func (m *mount) key(input capability.JSON) (key string, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panicked: %v", cause)
		}
		if err == nil && key == "" {
			err = errors.New("must not be empty")
		}
		if err != nil {
			err = fmt.Errorf("making the idempotency key of %s: %w", m.d.Name, err)
		}
	}()
	return m.d.Idempotency.Key(input)
}

// validated is input as the handler would get it; ok is false when the pipeline will refuse it.
func (m *mount) validated(input capability.JSON) (value capability.JSON, ok bool) {
	if input.Absent() {
		input = capability.EmptyObject
	}
	l := m.desk.registry.Limits()
	decoded, issue := capability.ValueLimits{MaxBytes: l.MaxInputBytes, MaxDepth: l.MaxInputDepth}.Decode(input)
	if issue != nil || input.Kind() != '{' {
		return "", false
	}
	if m.d.Input.Parse == nil {
		return input, len(m.input.Validate(decoded)) == 0
	}
	defer func() {
		if recover() != nil {
			value, ok = "", false
		}
	}()
	value, issues := m.d.Input.Parse(input)
	return value, len(issues) == 0
}

func (d *Desk) note(key callKey, change func(*trace, time.Time)) {
	now := d.host.Now()
	d.traces.note(key, func(t *trace) { change(t, now) })
}

func (d *Desk) pass(key callKey, stage Stage) {
	d.note(key, func(t *trace, now time.Time) { t.passed[stage] = now })
}
