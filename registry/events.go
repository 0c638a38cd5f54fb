package registry

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/pagewarden/pagewarden/capability"
)

// EventType is what a listener is told of.
type EventType string

// The event types (registry.md, Events).
const (
	SurfaceChanged        EventType = "surface-changed"
	ComponentRegistered   EventType = "component-registered"
	ComponentUnregistered EventType = "component-unregistered"
	ComponentRejected     EventType = "component-rejected"
	AvailabilityChanged   EventType = "availability-changed"
	CollisionSuspected    EventType = "collision-suspected"
	InvocationStarted     EventType = "invocation-started"
	InvocationSettled     EventType = "invocation-settled"
	ConfirmationRequested EventType = "confirmation-requested"
	ConfirmationResolved  EventType = "confirmation-resolved"
)

// Event is something that happened on the surface. The fields that its type does not carry are empty.
type Event struct {
	Type EventType

	SurfaceVersion string

	RegistrationID string
	ComponentType  string
	InstanceID     string
	// Reason is why a component was rejected: duplicate or guard.
	Reason string

	CapabilityID string
	Available    bool

	// ViewCapabilityID and DomainProcedureID are the two that look alike.
	ViewCapabilityID  string
	DomainProcedureID string

	InvocationID string
	ConsumerID   string
	// Status is "ok" or "error"; Code is set with the latter.
	Status   string
	Code     capability.Code
	Duration time.Duration

	ConfirmationID string
	ExpiresAt      time.Time
	// Outcome is how a confirmation ended: approved, denied or expired.
	Outcome string
}

// JSON is the event as an object with the members that its type carries.
func (e Event) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Text("type", string(e.Type))
	switch e.Type {
	case SurfaceChanged:
		o.Text("surfaceVersion", e.SurfaceVersion)
	case ComponentRegistered, ComponentUnregistered:
		o.Text("registrationId", e.RegistrationID)
		o.Text("componentType", e.ComponentType)
		o.Text("instanceId", e.InstanceID)
	case ComponentRejected:
		o.Text("componentType", e.ComponentType)
		o.Text("instanceId", e.InstanceID)
		o.Text("reason", e.Reason)
	case AvailabilityChanged:
		o.Text("registrationId", e.RegistrationID)
		o.Text("capabilityId", e.CapabilityID)
		o.Bool("available", e.Available)
	case CollisionSuspected:
		o.Text("viewCapabilityId", e.ViewCapabilityID)
		o.Text("domainProcedureId", e.DomainProcedureID)
	case InvocationStarted:
		o.Text("invocationId", e.InvocationID)
		o.Text("capabilityId", e.CapabilityID)
		o.Text("consumerId", e.ConsumerID)
	case InvocationSettled:
		o.Text("invocationId", e.InvocationID)
		o.Text("capabilityId", e.CapabilityID)
		o.Text("status", e.Status)
		o.OptionalText("code", string(e.Code))
		o.Int("durationMs", e.Duration.Milliseconds())
	case ConfirmationRequested:
		o.Text("confirmationId", e.ConfirmationID)
		o.Text("capabilityId", e.CapabilityID)
		o.Text("expiresAt", capability.FormatTime(e.ExpiresAt))
	case ConfirmationResolved:
		o.Text("confirmationId", e.ConfirmationID)
		o.Text("outcome", e.Outcome)
	}
	return o.JSON()
}

// events is the queue of what listeners have not been told yet.
type events struct {
	listeners  []*listener
	pending    []delivery
	delivering bool
}

// delivery is an event and those who listened when it happened.
type delivery struct {
	event     Event
	listeners []*listener
}

type listener struct {
	tell    func(Event)
	stopped atomic.Bool
}

// heard reports whether anybody listens; where events are many, one that nobody hears is not even made.
func (e *events) heard() bool { return len(e.listeners) > 0 }

func (e *events) queue(event Event) {
	if len(e.listeners) > 0 {
		e.pending = append(e.pending, delivery{event, e.listeners})
	}
}

// Subscribe calls tell for every event from now on, in the order in which things happened, until stop is
// called. One listener's panic reaches no other. tell must not wait.
func (r *Registry) Subscribe(tell func(Event)) (stop func()) {
	l := &listener{tell: tell}
	r.change(func(s *state) {
		if !s.disposed {
			s.events.listeners = append(s.events.listeners, l)
		}
	})
	return func() {
		l.stopped.Store(true)
		r.change(func(s *state) {
			kept := slices.Clone(s.events.listeners) // queued deliveries hold the list as it was
			s.events.listeners = slices.DeleteFunc(kept, func(other *listener) bool { return other == l })
		})
	}
}

// deliver tells the queued events, each to everybody before the next. While one flow delivers, others only
// queue, so an event that a listener causes comes after the one that it was told.
func (r *Registry) deliver() {
	r.mu.Lock()
	e := &r.state.events
	if e.delivering || len(e.pending) == 0 {
		r.mu.Unlock()
		return
	}
	e.delivering = true
	for len(e.pending) > 0 {
		next := e.pending[0]
		e.pending = e.pending[1:]
		r.mu.Unlock()
		for _, l := range next.listeners {
			r.tell(l, next.event)
		}
		r.mu.Lock()
	}
	e.pending = nil
	e.delivering = false
	r.mu.Unlock()
}

func (r *Registry) tell(l *listener, event Event) {
	if l.stopped.Load() {
		return
	}
	defer func() {
		if cause := recover(); cause != nil {
			r.options.Log(fmt.Sprintf("a listener failed on %s: %v", event.Type, cause))
		}
	}()
	l.tell(event)
}
