package confirm

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
)

// Options configure a Store. Host is required.
type Options struct {
	Host host.Host
	// Now is the clock; nil means the host's.
	Now func() time.Time
	// TTL, MaxPending and MaxPendingPerConsumer are the registry's limits.
	TTL                   time.Duration
	MaxPending            int
	MaxPendingPerConsumer int
	// OnChange is told every step, in order, after it was taken and with no lock held.
	OnChange func(Change)
	// Log is told of a callback that panicked, which reaches nobody else; nil means no one is told.
	Log func(text string)
}

// maxResolved is how many records that are no longer pending are remembered.
const maxResolved = 200

// Store keeps the records of one surface. It is safe for concurrent use.
type Store struct {
	options Options

	mu        sync.Mutex
	records   map[string]*record
	pending   []*record          // in order of request
	pendingOf map[string]int     // how many of them each consumer has
	byBinding map[string]*record // pending records by what they bind
	resolved  []*record          // oldest first
	nextDue   time.Time          // no open record expires before
	now       time.Time          // the clock, read before the lock was taken
	armedFor  time.Time          // when the timer fires, zero when none is set
	stopTimer func()
	changes   []told // taken, not yet told
	telling   bool
}

// told is a change and the record that it is about, which may be forgotten by the time that it is told.
type told struct {
	Change
	record *record
}

// state is where a record is in its life.
type state string

const (
	statePending  state = "pending"
	stateApproved state = "approved"
	stateDenied   state = "denied"
	stateExpired  state = "expired"
	stateConsumed state = "consumed"
)

type record struct {
	Pending
	bound      string
	state      state
	approvedAt time.Time
	waits      map[int]func(Outcome)
	nextWait   int
	hold       Hold
}

// NewStore makes an empty store.
func NewStore(options Options) *Store {
	if options.Now == nil {
		options.Now = options.Host.Now
	}
	if options.OnChange == nil {
		options.OnChange = func(Change) {}
	}
	if options.Log == nil {
		options.Log = func(string) {}
	}
	return &Store{
		options: options, records: map[string]*record{}, byBinding: map[string]*record{}, pendingOf: map[string]int{},
	}
}

// lock takes the lock and expires what is due. The clock may be an application's function, which may call
// back, so it is read first.
func (s *Store) lock() {
	now := s.options.Now()
	s.mu.Lock()
	s.now = now
	s.expireDue()
}

// Request makes a pending record for b, or finds the one that is already pending for exactly that. Too many
// pending records are RATE_LIMITED and leave no record.
func (s *Store) Request(b Binding, summary string) (Pending, *capability.Error) {
	pending, _, err := s.request(b, summary, nil)
	return pending, err
}

// request reports whether the record is new. With hold only its owner decides it.
func (s *Store) request(b Binding, summary string, hold *Hold) (pending Pending, fresh bool, err *capability.Error) {
	bound := b.text()
	s.lock()
	defer s.unlockAndTell()
	if same := s.byBinding[bound]; same != nil {
		return same.Pending, false, nil
	}
	if wait := s.untilRoom(b.ConsumerKey); wait > 0 {
		return Pending{}, false, capability.RateLimited("queue-full", wait)
	}
	r := s.add(b, bound, summary)
	if hold != nil {
		r.Held, r.hold = true, *hold
	}
	s.took(r, StepRequested)
	return r.Pending, true, nil
}

// add makes a pending record. The lock is held.
func (s *Store) add(b Binding, bound, summary string) *record {
	now := s.now
	r := &record{
		Pending: Pending{
			ConfirmationID: s.newID(), CapabilityID: b.CapabilityID, RegistrationID: b.RegistrationID,
			ConsumerKey: b.ConsumerKey, Effect: b.Effect, Summary: summary, Input: b.Input,
			RequestedAt: now, ExpiresAt: now.Add(s.options.TTL),
		},
		bound: bound, state: statePending, waits: map[int]func(Outcome){},
	}
	s.records[r.ConfirmationID] = r
	s.byBinding[bound] = r
	s.pending = append(s.pending, r)
	s.pendingOf[r.ConsumerKey]++
	if s.nextDue.IsZero() || r.ExpiresAt.Before(s.nextDue) {
		s.nextDue = r.ExpiresAt
	}
	return r
}

func (s *Store) took(r *record, step Step) {
	s.changes = append(s.changes, told{Change{step, r.Pending}, r})
}

func (s *Store) newID() string {
	var random [16]byte
	s.options.Host.Random(random[:])
	return "cnf_" + base64.RawURLEncoding.EncodeToString(random[:])
}

// untilRoom is how long it takes until a record that stands in the way of one more of this consumer expires
// by itself; 0 when nothing stands in the way.
func (s *Store) untilRoom(consumerKey string) time.Duration {
	ownFull := s.pendingOf[consumerKey] >= s.options.MaxPendingPerConsumer
	if !ownFull && len(s.pending) < s.options.MaxPending {
		return 0
	}
	for _, r := range s.pending {
		if !ownFull || r.ConsumerKey == consumerKey {
			return r.ExpiresAt.Sub(s.now)
		}
	}
	return max(s.options.TTL, time.Millisecond) // a limit of 0
}

// Consume takes the approval of record id for exactly b, once. The error says why there is none:
// CONFIRMATION_REQUIRED with the same id while it is pending, CONFIRMATION_INVALID otherwise. agentSummary
// is the text for the agent in the first case.
func (s *Store) Consume(id string, b Binding, agentSummary string) (Approval, *capability.Error) {
	s.lock()
	defer s.unlockAndTell()
	r := s.records[id]
	if r == nil || r.bound != b.text() {
		return Approval{}, capability.ConfirmationInvalid("mismatch")
	}
	switch r.state {
	case statePending:
		return Approval{}, capability.ConfirmationRequired(id, agentSummary, capability.FormatTime(r.ExpiresAt), r.Effect)
	case stateApproved:
		r.state = stateConsumed
		s.took(r, StepConsumed)
		return Approval{ID: id, ApprovedAt: r.approvedAt, Note: r.hold.Note}, nil
	}
	return Approval{}, capability.ConfirmationInvalid(string(r.state))
}

// Pending are the records that wait for a person, oldest first.
func (s *Store) Pending() []Pending {
	s.lock()
	defer s.unlockAndTell()
	out := make([]Pending, len(s.pending))
	for i, r := range s.pending {
		out[i] = r.Pending
	}
	return out
}

// Resolve decides a pending record and reports whether there was one to decide. A held one is not decided here.
func (s *Store) Resolve(id string, approved bool) bool { return s.decide(id, approved, false) }

func (s *Store) decide(id string, approved, byHolder bool) bool {
	s.lock()
	defer s.unlockAndTell()
	r := s.records[id]
	if r == nil || r.state != statePending || r.Held != byHolder {
		return false
	}
	if approved {
		r.approvedAt = s.now
		s.leave(r, stateApproved, StepApproved)
	} else {
		s.leave(r, stateDenied, StepDenied)
	}
	return true
}

// ForceExpire expires a record that is pending, or approved and not yet used.
func (s *Store) ForceExpire(id string) bool {
	s.lock()
	defer s.unlockAndTell()
	r := s.records[id]
	if r == nil {
		return false
	}
	return s.expire(r)
}

// VoidRegistration expires every record of a registration that is gone: an approval belongs to one
// registration.
func (s *Store) VoidRegistration(registrationID string) {
	s.mu.Lock()
	none := len(s.records) == 0
	s.mu.Unlock()
	if none {
		return
	}
	s.expireWhere(func(r *record) bool { return r.RegistrationID == registrationID })
}

// ExpireAll expires every record that is still open.
func (s *Store) ExpireAll() { s.expireWhere(func(*record) bool { return true }) }

func (s *Store) expireWhere(match func(*record) bool) {
	s.lock()
	defer s.unlockAndTell()
	for _, r := range s.open() {
		if match(r) {
			s.expire(r)
		}
	}
}

// open are the records that can still lead to an execution: pending, or approved and not used.
func (s *Store) open() []*record {
	out := slices.Clone(s.pending)
	for _, r := range s.resolved {
		if r.state == stateApproved {
			out = append(out, r)
		}
	}
	return out
}

// expireDue expires what the clock says. It looks at the records only when one of them can be due.
func (s *Store) expireDue() {
	now := s.now
	if s.nextDue.IsZero() || s.nextDue.After(now) {
		return
	}
	s.nextDue = time.Time{}
	for _, r := range s.open() {
		switch {
		case !r.ExpiresAt.After(now):
			s.expire(r)
		case s.nextDue.IsZero() || r.ExpiresAt.Before(s.nextDue):
			s.nextDue = r.ExpiresAt
		}
	}
}

// expire ends a record that is open and reports whether it was.
func (s *Store) expire(r *record) bool {
	switch r.state {
	case statePending:
		s.leave(r, stateExpired, StepExpired)
	case stateApproved:
		r.state = stateExpired
		s.took(r, StepExpired)
	default:
		return false
	}
	return true
}

// leave moves a record from pending to another state.
func (s *Store) leave(r *record, to state, step Step) {
	r.state = to
	delete(s.byBinding, r.bound)
	if s.pendingOf[r.ConsumerKey]--; s.pendingOf[r.ConsumerKey] == 0 {
		delete(s.pendingOf, r.ConsumerKey)
	}
	at := slices.Index(s.pending, r)
	s.pending = slices.Delete(s.pending, at, at+1)
	if len(s.pending) == 0 && s.stopTimer != nil {
		s.stopTimer()
		s.stopTimer, s.armedFor = nil, time.Time{}
	}
	s.took(r, step)
	s.resolved = append(s.resolved, r)
	if len(s.resolved) > maxResolved {
		s.forgetOldest()
	}
}

// forgetOldest forgets a record that is no longer pending. An approval that was not used ends with it.
func (s *Store) forgetOldest() {
	oldest := s.resolved[0]
	s.expire(oldest)
	delete(s.records, oldest.ConfirmationID)
	s.resolved[0] = nil
	s.resolved = s.resolved[1:]
}

// unlockAndTell unlocks and tells the changes: to those who wait on the record, then to OnChange. While one
// flow tells, others only add, so that everybody is told in the order in which it happened.
func (s *Store) unlockAndTell() {
	if s.telling {
		s.mu.Unlock()
		return
	}
	s.telling = true
	for len(s.changes) > 0 {
		change := s.changes[0]
		s.changes = s.changes[1:]
		waits := change.takeWaits()
		s.mu.Unlock()
		s.guard(func() { s.options.OnChange(change.Change) })
		for _, wait := range waits {
			s.guard(func() { wait(change.Step.Outcome()) })
		}
		s.mu.Lock()
	}
	s.changes = nil
	s.telling = false
	wait := s.untilSweep()
	s.mu.Unlock()
	if wait > 0 {
		s.arm(wait)
	}
}

// untilSweep is how long the timer that somebody has to set now must run; 0 when none has to be set.
func (s *Store) untilSweep() time.Duration {
	if len(s.pending) == 0 || !s.armedFor.IsZero() && !s.nextDue.Before(s.armedFor) {
		return 0
	}
	s.armedFor = s.nextDue
	return max(s.nextDue.Sub(s.now), time.Millisecond)
}

// arm looks at the records when one is due, for those who wait. A timer that comes before the clock says so
// is set again.
func (s *Store) arm(wait time.Duration) {
	stop := s.options.Host.After(wait, func() {
		s.lock()
		defer s.unlockAndTell()
		s.stopTimer, s.armedFor = nil, time.Time{}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stopTimer = stop
}

// guard keeps a callback's panic from those who are told after it.
func (s *Store) guard(call func()) {
	defer func() {
		if cause := recover(); cause != nil {
			s.options.Log(fmt.Sprintf("a callback of a confirmation failed: %v", cause))
		}
	}()
	call()
}

// takeWaits are those who wait for the step, in the order in which they came.
func (t told) takeWaits() []func(Outcome) {
	if t.Step.Outcome() == "" {
		return nil
	}
	r := t.record
	waits := make([]func(Outcome), 0, len(r.waits)+1)
	if ended := r.hold.Ended; ended != nil {
		waits = append(waits, func(Outcome) { ended() })
		r.hold.Ended = nil
	}
	for id := range r.nextWait {
		if wait := r.waits[id]; wait != nil {
			waits = append(waits, wait)
		}
	}
	r.waits = nil
	return waits
}

// Await calls done once with the outcome of record id: at once when it is already decided or unknown (which
// counts as expired), else when it is. done must not wait. cancel stops the waiting without a call of done;
// when the last one that waits on a pending record is cancelled, the record is withdrawn and ends expired.
func (s *Store) Await(id string, done func(Outcome)) (cancel func()) {
	s.lock()
	r := s.records[id]
	if r == nil || r.state != statePending {
		outcome := Expired
		if r != nil {
			outcome = r.state.outcome()
		}
		s.unlockAndTell()
		done(outcome)
		return func() {}
	}
	wait := r.nextWait
	r.nextWait++
	r.waits[wait] = done
	s.unlockAndTell()
	return func() { s.stopWaiting(r, wait) }
}

func (s *Store) stopWaiting(r *record, wait int) {
	s.lock()
	defer s.unlockAndTell()
	if _, waiting := r.waits[wait]; !waiting {
		return
	}
	delete(r.waits, wait)
	if len(r.waits) == 0 && r.state == statePending {
		s.expire(r)
	}
}

// outcome is what somebody who asks late is told of a record in this state.
func (st state) outcome() Outcome {
	switch st {
	case stateApproved, stateConsumed:
		return Approved
	case stateDenied:
		return Denied
	}
	return Expired
}

// WaitFor waits for the outcome of record id, or until ctx is done, which withdraws the record when nobody
// else waits for it and counts as expired.
func (s *Store) WaitFor(ctx context.Context, id string) Outcome {
	waiter := s.options.Host.Waiter()
	var mu sync.Mutex
	outcome, decided := Expired, false
	settle := func(o Outcome) {
		mu.Lock()
		if !decided {
			outcome, decided = o, true
		}
		mu.Unlock()
		waiter.Wake()
	}
	cancel := s.Await(id, settle)
	defer cancel()
	defer host.Watch(ctx, func() { settle(Expired) })()
	for {
		mu.Lock()
		if decided {
			defer mu.Unlock()
			return outcome
		}
		mu.Unlock()
		waiter.Park()
	}
}
