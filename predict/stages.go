package predict

import (
	"sync"
	"time"
)

// Stage is a step of a call that a receipt gives evidence of.
type Stage string

// The stages, in their order.
const (
	CapabilityStage  Stage = "capability"
	InputStage       Stage = "input"
	PolicyStage      Stage = "policy"
	ApprovalStage    Stage = "approval"
	IdempotencyStage Stage = "idempotency"
	ExecuteStage     Stage = "execute"
	OutputStage      Stage = "output"
)

// Stages are all stages in their order. The caller owns the slice.
func Stages() []Stage {
	return []Stage{CapabilityStage, InputStage, PolicyStage, ApprovalStage, IdempotencyStage, ExecuteStage, OutputStage}
}

// trace is what a desk knows of one invocation while it goes through the pipeline, and for a replay after that.
type trace struct {
	calls    int // that wait for it
	given    given
	passed   map[Stage]time.Time
	settled  time.Time
	foretold bool // a dry run has passed every policy
	recalled bool // the output came from the capability's own store
}

// given is what the projection through which a call came adds to it.
type given struct {
	authorize Authorize
	dryRun    bool
}

// callKey is an invocation's identity.
type callKey struct{ consumer, invocation string }

// maxTraces is how many traces a desk keeps beside those of calls in flight.
const maxTraces = 1024

// traces are those of one desk.
type traces struct {
	mu    sync.Mutex
	known map[callKey]*trace
	idle  []callKey // oldest first; may hold what is in use again, or gone
}

func newTraces() *traces { return &traces{known: map[callKey]*trace{}} }

// enter begins a call. Calls that share an identity share the trace, and what the first of them brought.
func (s *traces) enter(key callKey, g given) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.known[key]
	if t == nil {
		t = &trace{passed: map[Stage]time.Time{}}
		s.known[key] = t
	}
	if t.calls == 0 {
		t.given = g
	}
	t.calls++
}

// leave ends a call and gives what its trace says. A result that is stored for replay keeps the time that it had.
func (s *traces) leave(key callKey, now time.Time, stored bool) trace {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.known[key]
	if t.settled.IsZero() || !stored {
		t.settled = now
	}
	seen := *t
	seen.passed = make(map[Stage]time.Time, len(t.passed))
	for stage, at := range t.passed {
		seen.passed[stage] = at
	}
	if t.calls--; t.calls == 0 {
		t.given = given{}
		s.idle = append(s.idle, key)
		s.tidy()
	}
	return seen
}

// tidy forgets the oldest traces that no call is in. The lock is held.
func (s *traces) tidy() {
	for len(s.idle) > maxTraces {
		key := s.idle[0]
		s.idle = s.idle[1:]
		if t := s.known[key]; t != nil && t.calls == 0 {
			delete(s.known, key)
		}
	}
}

// given is what the call's projection adds; nothing for calls that came to the registry by another way.
func (s *traces) given(key callKey) given {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.known[key]; t != nil {
		return t.given
	}
	return given{}
}

// note changes the trace, if there is one.
func (s *traces) note(key callKey, change func(*trace)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.known[key]; t != nil {
		change(t)
	}
}

// begin notes that the input is valid, and with it that an attempt has come so far: what an earlier one left is gone.
func (t *trace) begin(now time.Time) {
	t.passed = map[Stage]time.Time{CapabilityStage: now, InputStage: now}
	t.settled, t.foretold, t.recalled = time.Time{}, false, false
}
