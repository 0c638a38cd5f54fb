// Package testsurface is a harness for tests of surfaces: a registry, one consumer, and verbs for what a test
// does with them. It uses nothing but the public methods of package registry, so what it can do an agent's
// adapter and a host's user interface can do.
//
// With Options.Clock nothing happens but what the test makes happen: see host.Fake. Without it the registry
// runs natively, also inside a testing/synctest bubble.
package testsurface

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
)

// T is the part of testing.TB that the harness uses. Fatalf must not return.
type T interface {
	Helper()
	Fatalf(format string, args ...any)
	Cleanup(f func())
}

// Options say what the surface under test is. The zero Options make a native registry with an open authority.
type Options struct {
	// Registry is a registry that is there already. The harness does not dispose it, and the fields below
	// but Consumer and Clock must be zero: they are for a registry that the harness makes.
	Registry *registry.Registry
	// Consumer is who calls; the zero Consumer is { id: "test", kind: "test" }.
	Consumer capability.Consumer
	// Clock drives the registry; nil means the native host.
	Clock *host.Fake

	// Authority is what the registry may expose; nil means everything.
	Authority *contract.Authority
	// Host is the application's context.
	Host policy.HostMap
	// Configure changes the other options of the registry before it is made.
	Configure func(*registry.Options)
}

// Surface is a registry as one consumer uses it, with one host context.
type Surface struct {
	t        T
	registry *registry.Registry
	consumer capability.Consumer
	clock    *host.Fake
	context  policy.Host
	own      *own // nil for a registry that the harness did not make
	heard    *heard
}

// own is what the harness knows of a registry that it made.
type own struct {
	trail   *audit.Memory
	context atomic.Pointer[policy.Host]
}

// heard are the events of a registry, until the harness is done with it.
type heard struct {
	mu     sync.Mutex
	events []registry.Event
	stop   func()
	over   bool
}

// trailCapacity is more than any test looks at.
const trailCapacity = 100_000

// New makes a surface and disposes it when the test ends. The test fails at once when the options are wrong.
func New(t T, options Options) *Surface {
	t.Helper()
	s := &Surface{t: t, registry: options.Registry, consumer: options.Consumer, clock: options.Clock}
	if s.consumer.ID == "" && s.consumer.Kind == "" {
		s.consumer = capability.Consumer{ID: "test", Kind: capability.TestConsumer}
	}
	if options.Registry == nil {
		s.make(options)
	} else if options.Authority != nil || options.Host != nil || options.Configure != nil {
		t.Fatalf("testsurface: Authority, Host and Configure are for a registry that the harness makes")
	}
	s.heard = &heard{}
	s.heard.stop = s.registry.Subscribe(s.heard.add)
	t.Cleanup(s.Dispose)
	return s
}

func (s *Surface) make(options Options) {
	s.t.Helper()
	s.own = &own{trail: audit.NewMemory(trailCapacity)}
	s.context = options.Host
	s.own.context.Store(&s.context)
	full := registry.Options{
		Authority: options.Authority, Environment: capability.Test, Audit: s.own.trail,
		Context: func() policy.Host { return *s.own.context.Load() },
	}
	if full.Authority == nil {
		full.Authority = contract.NewOpenAuthority(contract.OpenOptions{})
	}
	if s.clock != nil {
		full.Host = s.clock
	}
	if options.Configure != nil {
		options.Configure(&full)
	}
	var err error
	if s.registry, err = registry.New(full); err != nil {
		s.t.Fatalf("testsurface: %v", err)
	}
}

func (h *heard) add(e registry.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.events = append(h.events, e)
}

// Registry is the registry under test.
func (s *Surface) Registry() *registry.Registry { return s.registry }

// As is the same surface in another host context: somebody else is signed in. The registry is in the context
// of the surface that was used last. Whether adapters look again is the application's matter: see
// registry.Registry.Invalidate.
func (s *Surface) As(host policy.HostMap) *Surface {
	s.t.Helper()
	if s.own == nil {
		s.t.Fatalf("testsurface: As needs a registry that the harness made, since a registry asks its application for the context")
	}
	other := *s
	other.context = host
	return &other
}

// use puts the registry into the surface's context.
func (s *Surface) use() {
	if s.own != nil {
		s.own.context.Store(&s.context)
	}
}

// Register registers a component and fails the test when that is refused.
func (s *Surface) Register(c *registry.Component) *registry.Handle {
	s.t.Helper()
	handle, err := s.registry.Register(c)
	if err != nil {
		s.t.Fatalf("registering %s: %v", c.Type, err)
	}
	if handle.Status() != registry.Active {
		s.t.Fatalf("registering %s: rejected (%s)", c.Type, handle.Reason())
	}
	return handle
}

// Snapshot is what the consumer sees now.
func (s *Surface) Snapshot() *registry.Snapshot {
	s.t.Helper()
	return s.SnapshotWith(registry.SnapshotOptions{})
}

// SnapshotWith is Snapshot with other options; their Consumer is ignored.
func (s *Surface) SnapshotWith(options registry.SnapshotOptions) *registry.Snapshot {
	s.t.Helper()
	s.use()
	options.Consumer = s.consumer
	snapshot, err := s.registry.Snapshot(options)
	if err != nil {
		s.t.Fatalf("taking a snapshot: %v", err)
	}
	return snapshot
}

// resolve names the registration of a request that names none, when the consumer sees exactly one.
func (s *Surface) resolve(q registry.Request) registry.Request {
	if q.RegistrationID != "" || s.registry.Disposed() {
		return q
	}
	if ids := Offering(s.Snapshot(), q.CapabilityID, q.InstanceID); len(ids) == 1 {
		q.RegistrationID = ids[0]
	}
	return q
}

// Offering are the ids of the registrations that offer a capability, those of one instance when it is given, in
// the order of the snapshot.
func Offering(snapshot *registry.Snapshot, capabilityID, instanceID string) []string {
	var ids []string
	for _, c := range snapshot.Components {
		offers := slices.ContainsFunc(c.Observations, func(o registry.ObservationView) bool { return o.CapabilityID == capabilityID }) ||
			slices.ContainsFunc(c.Actions, func(a registry.ActionView) bool { return a.CapabilityID == capabilityID })
		if offers && (instanceID == "" || c.InstanceID == instanceID) {
			ids = append(ids, c.RegistrationID)
		}
	}
	for _, p := range snapshot.Procedures {
		if p.ProcedureID == capabilityID && (instanceID == "" || p.Context != nil && p.Context.InstanceID == instanceID) {
			ids = append(ids, p.RegistrationID)
		}
	}
	return ids
}

// CaptureRef is a request for a capability as the consumer sees it now: with its registration and the surface
// version. It is for tests that use it after the surface has moved. The test fails when the consumer does
// not see exactly one such capability.
func (s *Surface) CaptureRef(capabilityID string) registry.Request {
	s.t.Helper()
	snapshot := s.Snapshot()
	ids := Offering(snapshot, capabilityID, "")
	if len(ids) != 1 {
		s.t.Fatalf("capturing %s: the consumer sees %d of it", capabilityID, len(ids))
	}
	return registry.Request{CapabilityID: capabilityID, RegistrationID: ids[0], SurfaceVersion: snapshot.SurfaceVersion}
}

// Events are the registry's events since the surface was made; natively the last ones may follow a moment
// after what caused them. The caller owns the slice.
func (s *Surface) Events() []registry.Event {
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	return slices.Clone(s.heard.events)
}

// AuditLog is the registry's trail. The test fails when the registry has a sink of its own.
func (s *Surface) AuditLog() []audit.Event {
	s.t.Helper()
	if s.own == nil {
		s.t.Fatalf("testsurface: the trail of a registry that the harness did not make is in that registry's own sink")
	}
	return s.own.trail.Events()
}

// Dispose ends the surface, and the registry when the harness made it: later calls are CANCELLED. It can be called again.
func (s *Surface) Dispose() {
	s.heard.mu.Lock()
	s.heard.over = true
	s.heard.mu.Unlock()
	s.heard.stop()
	if s.own != nil {
		s.registry.Dispose()
	}
}

func (s *Surface) disposed() bool {
	s.heard.mu.Lock()
	defer s.heard.mu.Unlock()
	return s.heard.over
}

// Call is a call that has begun.
type Call struct {
	surface *Surface
	request registry.Request
	mu      sync.Mutex
	result  *registry.Result
	done    chan struct{}
}

// Start begins a call and returns without waiting for its end. Cancelling ctx withdraws the caller's interest.
func (s *Surface) Start(ctx context.Context, q registry.Request) *Call {
	s.t.Helper()
	c := &Call{surface: s, request: q, done: make(chan struct{})}
	if s.disposed() {
		c.settle(registry.Result{
			InvocationID: q.InvocationID, CapabilityID: q.CapabilityID, SurfaceVersion: s.registry.Version(),
			Error: capability.Disposed(capability.NotStarted),
		})
		return c
	}
	q = s.resolve(q)
	c.request = q
	s.use()
	s.registry.Start(ctx, q, registry.InvokeOptions{Consumer: s.consumer}, c.settle)
	if s.clock != nil {
		s.clock.Settle()
	}
	return c
}

func (c *Call) settle(result registry.Result) {
	c.mu.Lock()
	c.result = &result
	c.mu.Unlock()
	close(c.done)
}

// Settled is the result, nil while there is none.
func (c *Call) Settled() *registry.Result {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.result
}

// Result waits for the result. With a Clock it lets turns and tasks run but no time pass, and fails the test
// when the call still waits then.
func (c *Call) Result() registry.Result {
	t := c.surface.t
	t.Helper()
	if clock := c.surface.clock; clock != nil {
		clock.Turn()
		if c.Settled() == nil {
			t.Fatalf("%s still waits: advance the clock, or let its handler end", c.request.CapabilityID)
		}
	}
	<-c.done
	return *c.Settled()
}

// Invoke makes a call and waits for its result. A request without a registration goes to the only one that
// the consumer sees; when there are none or several, the registry says so.
func (s *Surface) Invoke(q registry.Request) registry.Result {
	s.t.Helper()
	return s.Start(context.Background(), q).Result()
}

// Observe is the output of an observation. The test fails when the call does, and when the surface moved
// while it ran: a read that changes what it reads is no observation.
func (s *Surface) Observe(capabilityID string) capability.JSON {
	s.t.Helper()
	result := s.Invoke(registry.Request{CapabilityID: capabilityID})
	switch {
	case !result.OK():
		s.t.Fatalf("observing %s: %v", capabilityID, describe(result.Error))
	case result.SurfaceChanged:
		s.t.Fatalf("observing %s: the surface moved while it was read", capabilityID)
	}
	return result.Output
}

func describe(e *capability.Error) string { return fmt.Sprintf("%s %s", e.Code, e.Details) }
