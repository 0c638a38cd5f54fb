// Package audit is the record that pagewarden keeps of what happened on a surface: events, the sinks that
// receive them, and how much of a call they carry.
package audit

import (
	"strings"
	"sync"
	"time"

	"github.com/pagewarden/pagewarden/capability"
)

// Type is what happened.
type Type string

// The event types (registry.md, Audit).
const (
	Registration          Type = "registration"
	Unregistration        Type = "unregistration"
	RegistrationRejected  Type = "registration-rejected"
	InvocationStarted     Type = "invocation-started"
	InvocationSettled     Type = "invocation-settled"
	ConfirmationRequested Type = "confirmation-requested"
	ConfirmationApproved  Type = "confirmation-approved"
	ConfirmationDenied    Type = "confirmation-denied"
	ConfirmationExpired   Type = "confirmation-expired"
	ConfirmationConsumed  Type = "confirmation-consumed"
	LateSettlement        Type = "late-settlement"
	CollisionSuspected    Type = "collision-suspected"
)

// Event is one entry of the trail. Empty fields do not apply to its type.
type Event struct {
	At             time.Time
	Type           Type
	CapabilityID   string
	RegistrationID string
	InvocationID   string
	// ConsumerID is the consumer key, kind ":" id.
	ConsumerID    string
	Status        string
	Code          capability.Code
	Duration      time.Duration
	QueueWait     time.Duration
	Execution     time.Duration
	AuthorityMode string
	ClaimedName   string
	// Input and Output are the payload, present at level full only.
	Input, Output capability.JSON
}

// JSON is the event as an object: times as ISO 8601 UTC, durations in milliseconds.
func (e Event) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Text("at", capability.FormatTime(e.At))
	o.Text("type", string(e.Type))
	o.OptionalText("capabilityId", e.CapabilityID)
	o.OptionalText("registrationId", e.RegistrationID)
	o.OptionalText("invocationId", e.InvocationID)
	o.OptionalText("consumerId", e.ConsumerID)
	o.OptionalText("status", e.Status)
	o.OptionalText("code", string(e.Code))
	if e.Type == InvocationSettled || e.Type == LateSettlement {
		o.Int("durationMs", e.Duration.Milliseconds())
		o.Int("queueWaitMs", e.QueueWait.Milliseconds())
		o.Int("executionMs", e.Execution.Milliseconds())
	}
	o.OptionalText("authorityMode", e.AuthorityMode)
	o.OptionalText("claimedName", e.ClaimedName)
	if !e.Input.Absent() || !e.Output.Absent() {
		var payload capability.ObjectWriter
		payload.Raw("input", e.Input)
		payload.Raw("output", e.Output)
		o.Raw("payload", payload.JSON())
	}
	return o.JSON()
}

// Sink receives events, in the order in which they happened on one surface. Record must not wait; a sink
// that panics is ignored for that event. It may be called from several goroutines at once.
type Sink interface {
	Record(Event)
}

// SinkFunc is a function as a Sink.
type SinkFunc func(Event)

// Record calls f.
func (f SinkFunc) Record(e Event) { f(e) }

// Discard is the Sink that keeps nothing, for a host where nobody could read what is kept.
func Discard() Sink { return discard{} }

type discard struct{}

func (discard) Record(Event) {}

// Redact changes the payload of an event before any sink sees it.
type Redact func(capabilityID string, input, output capability.JSON) (redactedInput, redactedOutput capability.JSON)

// DefaultCapacity is how many events a Memory sink keeps when it is told nothing else.
const DefaultCapacity = 1000

// Memory keeps the newest events. It is safe for concurrent use.
type Memory struct {
	mu       sync.Mutex
	capacity int
	next     int // where the next event goes once the ring is full
	events   []Event
}

// NewMemory makes a sink that keeps the newest capacity events, DefaultCapacity when it is not positive.
func NewMemory(capacity int) *Memory {
	if capacity <= 0 {
		capacity = DefaultCapacity
	}
	return &Memory{capacity: capacity}
}

// Record keeps e, in place of the oldest event when the sink is full.
func (m *Memory) Record(e Event) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.events) < m.capacity {
		m.events = append(m.events, e)
		return
	}
	m.events[m.next] = e
	m.next = (m.next + 1) % m.capacity
}

// Events are the kept events, oldest first. The caller owns the slice.
func (m *Memory) Events() []Event {
	m.mu.Lock()
	defer m.mu.Unlock()
	out := make([]Event, 0, len(m.events))
	out = append(out, m.events[m.next:]...)
	return append(out, m.events[:m.next]...)
}

// Lines is a sink that gives each event to write as one line of JSON.
func Lines(write func(line string)) Sink {
	return SinkFunc(func(e Event) { write("pagewarden audit " + string(e.JSON())) })
}

// String is the event in short, for people: type, capability, status.
func (e Event) String() string {
	parts := []string{string(e.Type)}
	for _, part := range []string{e.CapabilityID, e.ConsumerID, e.Status, string(e.Code)} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	return strings.Join(parts, " ")
}
