package registry

import (
	"errors"
	"fmt"
	"maps"
	"runtime/debug"
	"slices"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
)

// Status is whether a registration is live.
type Status string

// The statuses of a handle.
const (
	Active       Status = "active"
	Rejected     Status = "rejected"
	Unregistered Status = "unregistered"
)

// Handle is what the application that registered a component holds. After Unregister, and on a rejected
// registration, its methods do nothing.
type Handle struct {
	registry *Registry
	reg      *registration
	rejected string
}

// Register makes c live: it is in the next snapshot, the version has moved, and surface-changed is queued.
// The error is a *DefinitionError, or ErrDisposed. A duplicate and a refusal by the guard are no errors but
// a rejected handle.
func (r *Registry) Register(c *Component) (*Handle, error) {
	if r.Disposed() {
		return nil, ErrDisposed
	}
	plan, err := r.define(c)
	if err != nil {
		return nil, err
	}
	return r.Mount(plan, Instance{Internal: c.Internal, Owner: &definitionOwner{c.OnRemoved, c.OnForgotten}})
}

// Mount registers an instance of a blueprint that this registry has prepared, as Register would.
func (r *Registry) Mount(b *Blueprint, as Instance) (*Handle, error) {
	if b.registry != r {
		return nil, defect(InvalidDefinition, "", "was prepared by another registry")
	}
	reg, err := b.mount(as)
	if err != nil {
		return nil, err
	}
	collisions := r.collisions(b)
	if len(collisions) > 0 && r.options.DuplicateSuffix == SuffixError {
		return nil, defect(DuplicateCapability, "", "%s looks like %s: rename one of them", collisions[0].ViewCapabilityID, collisions[0].DomainProcedureID)
	}
	if reason := r.guard(reg); reason != "" {
		return r.reject(reg, "guard", reason), nil
	}
	replaced, err := r.enter(reg, collisions)
	switch {
	case errors.Is(err, errDuplicate):
		return r.reject(reg, "duplicate", "the instance is live already"), nil
	case err != nil:
		return nil, err
	case replaced != nil:
		r.afterRemoval(replaced)
	}
	r.record(audit.Event{At: reg.registeredAt, Type: audit.Registration, RegistrationID: reg.id})
	r.reportCollisions(reg, collisions)
	return &Handle{registry: r, reg: reg}, nil
}

var errDuplicate = errors.New("registry: the instance is live already")

// enter makes reg live, in place of the registration that it gives. The error is ErrDisposed or errDuplicate.
func (r *Registry) enter(reg *registration, collisions []Event) (replaced *registration, err error) {
	now := r.turnTime()
	r.change(func(s *state) {
		if s.disposed {
			err = ErrDisposed
			return
		}
		replaced = s.live[reg.key]
		if replaced != nil && r.options.OnDuplicateInstance == RejectDuplicate {
			err = errDuplicate
			return
		}
		s.turnTime = now
		if replaced != nil {
			r.removeLive(s, replaced, now)
		}
		r.addLive(s, reg, now)
		for _, collision := range collisions {
			s.events.queue(collision)
		}
	})
	return replaced, err
}

// guard asks OnRegister and says why it refuses, "" when it accepts.
func (r *Registry) guard(reg *registration) (reason string) {
	if r.options.OnRegister == nil {
		return ""
	}
	candidate := Candidate{
		ComponentType: reg.key.componentType, InstanceID: reg.key.instanceID, Description: reg.description,
		Origin: reg.origin, Meta: reg.meta, Internal: reg.internal,
	}
	for _, e := range reg.entries {
		candidate.CapabilityIDs = append(candidate.CapabilityIDs, e.idText)
	}
	if r.options.Environment == capability.Development {
		candidate.Stack = string(debug.Stack())
	}
	defer func() {
		if cause := recover(); cause != nil {
			reason = fmt.Sprintf("the guard failed: %v", cause)
		}
	}()
	if err := r.options.OnRegister(candidate); err != nil {
		return "the guard refused: " + err.Error()
	}
	return ""
}

func (r *Registry) reject(reg *registration, reason, why string) *Handle {
	r.change(func(s *state) {
		s.events.queue(Event{Type: ComponentRejected, ComponentType: reg.key.componentType, InstanceID: reg.key.instanceID, Reason: reason})
	})
	r.record(audit.Event{At: r.options.Now(), Type: audit.RegistrationRejected, RegistrationID: reg.id, Status: reason})
	r.options.Log(fmt.Sprintf("%s (%s) was not registered: %s", reg.key.componentType, reg.key.instanceID, why))
	return &Handle{registry: r, reg: reg, rejected: reason}
}

func (r *Registry) addLive(s *state, reg *registration, now time.Time) {
	s.registered++
	reg.order = s.registered
	reg.active = true
	reg.registeredAt = now
	s.live[reg.key] = reg
	s.byID[reg.id] = reg
	s.order.add(reg)
	s.procedures += reg.procedures
	if !reg.steady {
		s.unsteady[reg] = struct{}{}
	}
	s.touch(reg, true)
	for _, e := range reg.entries {
		list := s.offers[e.idText]
		if list == nil {
			list = &offers{}
			s.offers[e.idText] = list
		}
		list.add(e)
	}
	r.bump(s)
	s.events.queue(Event{Type: ComponentRegistered, RegistrationID: reg.id, ComponentType: reg.key.componentType, InstanceID: reg.key.instanceID})
}

// removeLive takes a registration off the surface and leaves its tombstone. The caller moves the version,
// and calls afterRemoval once the change is made.
func (r *Registry) removeLive(s *state, reg *registration, now time.Time) {
	reg.active = false
	delete(s.live, reg.key)
	delete(s.byID, reg.id)
	s.order.remove()
	s.procedures -= reg.procedures
	delete(s.unsteady, reg)
	s.touch(reg, false)
	for _, e := range reg.entries {
		s.withdraw(e)
	}
	s.tombs.add(newTombstone(reg, now), r.limits)
	s.events.queue(Event{Type: ComponentUnregistered, RegistrationID: reg.id, ComponentType: reg.key.componentType, InstanceID: reg.key.instanceID})
}

// withdraw takes e out of what is offered.
func (s *state) withdraw(e *entry) {
	list := s.offers[e.idText]
	if list.remove(e); list.live == 0 {
		delete(s.offers, e.idText)
	}
}

// afterRemoval tells the calls of a removed registration, voids its confirmations and records its end.
func (r *Registry) afterRemoval(reg *registration) {
	for _, c := range r.callsOf(reg) {
		c.unmounted()
	}
	r.guarded("OnRemoved", "", reg.owner.Removed)
	r.records.VoidRegistration(reg.id)
	if !r.silent {
		r.record(audit.Event{At: r.options.Now(), Type: audit.Unregistration, RegistrationID: reg.id})
	}
}

// callsOf are the calls of a registration that have no result yet.
func (r *Registry) callsOf(reg *registration) []*call {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(reg.calls) == 0 {
		return nil
	}
	calls := slices.Clone(reg.calls)
	sortCalls(calls)
	return calls
}

// collisions are the pairs of a view capability and a domain path of the same name that b would complete.
func (r *Registry) collisions(b *Blueprint) []Event {
	if r.options.DuplicateSuffix == SuffixOff {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.procedures+b.procedures == 0 {
		return nil // it takes both planes
	}
	var found []Event
	for _, d := range b.descriptors {
		if r.state.offers[d.twin] == nil && !b.has(d.twin) {
			continue
		}
		pair := Event{Type: CollisionSuspected, ViewCapabilityID: d.idText, DomainProcedureID: d.twin}
		if d.kind == capability.Procedure {
			pair.ViewCapabilityID, pair.DomainProcedureID = d.twin, d.idText
		}
		if !slices.Contains(found, pair) {
			found = append(found, pair)
		}
	}
	return found
}

func (r *Registry) reportCollisions(reg *registration, collisions []Event) {
	for _, c := range collisions {
		r.options.Log(fmt.Sprintf("%s and %s look alike to an agent: rename one of them", c.ViewCapabilityID, c.DomainProcedureID))
		r.record(audit.Event{At: r.options.Now(), Type: audit.CollisionSuspected, RegistrationID: reg.id, CapabilityID: c.ViewCapabilityID})
	}
}

// RegistrationID is the registration's identity, reg_ and 22 characters; a rejected one has it too.
func (h *Handle) RegistrationID() string { return h.reg.id }

// Status is whether the registration is live.
func (h *Handle) Status() Status {
	if h.rejected != "" {
		return Rejected
	}
	h.registry.mu.Lock()
	defer h.registry.mu.Unlock()
	if h.reg.active {
		return Active
	}
	return Unregistered
}

// Reason is why the registration was rejected, duplicate or guard, "" when it was not.
func (h *Handle) Reason() string { return h.rejected }

// Unregister removes the component. Calls in flight are told (invocation.md, phase 9).
func (h *Handle) Unregister() {
	removed := false
	now := h.registry.turnTime()
	h.registry.change(func(s *state) {
		if !h.reg.active {
			return
		}
		s.turnTime = now
		removed = true
		h.registry.removeLive(s, h.reg, now)
		h.registry.bump(s)
	})
	if removed {
		h.registry.afterRemoval(h.reg)
	} else {
		h.ignored("unregister")
	}
}

// Invalidate moves the version: what the component's functions say may have changed.
func (h *Handle) Invalidate() {
	active := false
	h.registry.change(func(s *state) {
		if active = h.reg.active; active {
			h.registry.bump(s)
		}
	})
	if !active {
		h.ignored("invalidate")
	}
}

// Availability is what the application says of one capability, over and above its When.
type Availability struct {
	Available bool
	// Reason is for the agent while it is not available.
	Reason string
}

// Update is a change to a live component. Absent parts stay as they are.
type Update struct {
	// Enabled switches the whole component on or off; nil leaves it.
	Enabled *bool
	// Availability overrides capabilities by name (for procedures, by path).
	Availability map[string]Availability
}

// Update changes a live component. Setting what is set already changes nothing. The error names a
// capability that the component does not have; then nothing is changed.
func (h *Handle) Update(u Update) error {
	r := h.registry
	if !r.active(h.reg) {
		h.ignored("update")
		return nil
	}
	names := slices.Sorted(maps.Keys(u.Availability))
	overrides := make([]Availability, len(names))
	for i, name := range names {
		if h.entry(name) == nil {
			return fmt.Errorf("updating %s: it has no capability %q", h.reg.key.componentType, name)
		}
		overrides[i] = r.override(u.Availability[name])
	}
	r.change(func(s *state) {
		if !h.reg.active {
			return
		}
		changed := false
		if u.Enabled != nil && *u.Enabled != h.reg.enabled {
			h.reg.enabled = *u.Enabled
			changed = true
		}
		for i, name := range names {
			changed = s.push(h.entry(name), overrides[i]) || changed
		}
		if changed {
			s.touch(h.reg, false)
			r.bump(s)
		}
	})
	return nil
}

// override is a as it is kept: what is available needs no reason.
func (r *Registry) override(a Availability) Availability {
	if a.Available {
		return Availability{Available: true}
	}
	a.Reason = r.cutReason(a.Reason)
	return a
}

// push sets the override of e and reports whether that changed anything.
func (s *state) push(e *entry, a Availability) bool {
	if e.pushed != nil && *e.pushed == a || e.pushed == nil && a.Available {
		return false
	}
	e.pushed = &a
	s.events.queue(Event{Type: AvailabilityChanged, RegistrationID: e.reg.id, CapabilityID: e.idText, Available: a.Available})
	return true
}

func (h *Handle) entry(name string) *entry {
	for _, e := range h.reg.entries {
		if e.name == name {
			return e
		}
	}
	return nil
}

func (h *Handle) ignored(method string) {
	h.registry.options.Log(fmt.Sprintf("%s on a registration of %s that is not live does nothing", method, h.reg.key.componentType))
}
