package registry

import (
	"context"
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
)

// callKey is a call's identity: the consumer key and the invocation id.
type callKey struct{ consumer, invocation string }

// callTable holds the calls in flight and the settled ones that a retry may ask for again.
type callTable struct {
	byKey map[callKey]*call
	// settled are the calls whose results are stored, oldest first, for eviction.
	settled callList
	started int
	// replaying are the retries that wait for leave to see a stored result.
	replaying map[*replayed]struct{}
}

func newCallTable() callTable {
	return callTable{byKey: map[callKey]*call{}, replaying: map[*replayed]struct{}{}}
}

// callList is a list of calls that costs no allocation: each call is in one list at most.
type callList struct {
	oldest, newest *call
	length         int
}

func (l *callList) add(c *call) {
	if l.length++; l.newest == nil {
		l.oldest = c
	} else {
		l.newest.next = c
	}
	l.newest = c
}

func (l *callList) takeOldest() *call {
	c := l.oldest
	if l.oldest, c.next = c.next, nil; l.oldest == nil {
		l.newest = nil
	}
	l.length--
	return c
}

// fingerprint tells one request from another. Small inputs are compared by value, large ones by a digest of their
// canonical form, so that two requests cannot be made to look alike.
type fingerprint struct {
	request Request // the one that is told from others
	large   bool
	digest  inputDigest // of a large input
}

type inputDigest [sha256.Size]byte

const keptInput = 1024

func fingerprintOf(q Request, limits capability.ValueLimits) fingerprint {
	f := fingerprint{request: q}
	if f.large = len(q.Input) > keptInput; f.large {
		f.request.Input, f.digest = "", digestOf(q.Input, limits)
	}
	return f
}

// digestOf is over the canonical form, or over the text itself when it has none.
func digestOf(input capability.JSON, limits capability.ValueLimits) inputDigest {
	text, issue := canonical.Encode(input, limits)
	if issue != nil {
		text = input
	}
	return sha256.Sum256([]byte(text))
}

func (f *fingerprint) same(other *fingerprint, limits capability.ValueLimits) bool {
	input, otherInput := f.request.Input, other.request.Input
	switch {
	case f.request.otherwise(&other.request):
		return false
	case f.large && other.large:
		return f.digest == other.digest
	case f.large:
		return f.digest == digestOf(otherInput, limits)
	case other.large:
		return other.digest == digestOf(input, limits)
	}
	return input == otherInput || canonical.Equal(input, otherInput)
}

// otherwise reports whether q and other differ in anything but the input and the invocation id.
func (q *Request) otherwise(other *Request) bool {
	return q.CapabilityID != other.CapabilityID || q.InstanceID != other.InstanceID || q.RegistrationID != other.RegistrationID ||
		q.SurfaceVersion != other.SurfaceVersion || q.ConfirmationID != other.ConfirmationID || q.InputIssue != other.InputIssue
}

// begin is phase 1: join a call in flight, replay a settled one, refuse a conflict, or start a new attempt.
func (r *Registry) begin(ctx context.Context, q Request, options InvokeOptions, done func(Result)) {
	limits := r.inputLimits()
	c := r.newCall(ctx, q, options)
	if err := q.longID(); err != nil {
		done(c.answer(err))
		return
	}
	c.fingerprint = fingerprintOf(q, limits)
	who := &c.first
	who.done = done
	var known *call
	meeting := startsNew
	r.change(func(s *state) {
		if s.disposed {
			meeting = meetsDisposed
			return
		}
		s.calls.expire(c.startedAt, r.limits)
		if known = s.calls.byKey[c.key()]; known != nil {
			if meeting = known.meet(c, limits); meeting == joins {
				known.callers = append(known.callers, who)
			}
			return
		}
		s.calls.add(c)
		c.startVersion = s.version
		c.callers = append(c.room[:0], who)
		if s.events.heard() {
			s.events.queue(Event{Type: InvocationStarted, InvocationID: c.id, CapabilityID: q.CapabilityID, ConsumerID: c.consumerKey})
		}
		if e := s.offers[q.CapabilityID].first(); e != nil {
			c.auditLevel = e.audit
		}
	})
	switch meeting {
	case meetsDisposed:
		done(c.answer(capability.Disposed(capability.NotStarted)))
	case conflicts:
		done(c.answer(capability.Conflict()))
	case joins:
		known.watch(ctx, who)
	case replays:
		r.replay(ctx, c, known, done)
	default:
		r.launch(ctx, c, who)
	}
}

// longID refuses a request with an id that is longer than any id can be. It is not looked at and not
// remembered, so that what the registry remembers is bounded in bytes too.
func (q Request) longID() *capability.Error {
	if capability.Length(q.CapabilityID) > capability.MaxIDLength {
		return capability.NotFound()
	}
	var issues []capability.Issue
	for _, id := range []struct{ name, text string }{
		{"confirmationId", q.ConfirmationID}, {"instanceId", q.InstanceID}, {"invocationId", q.InvocationID},
		{"registrationId", q.RegistrationID}, {"surfaceVersion", q.SurfaceVersion},
	} {
		if capability.Length(id.text) > capability.MaxIDLength {
			message := fmt.Sprintf("must be at most %d characters", capability.MaxIDLength)
			issues = append(issues, capability.Issue{Path: id.name, Message: message})
		}
	}
	if len(issues) > 0 {
		return capability.InvalidInput(issues)
	}
	return nil
}

// meeting is what phase 1 comes to.
type meeting int

const (
	startsNew meeting = iota
	joins
	replays
	conflicts
	meetsDisposed
)

// meet says what retry means, a request under the identity of c. The registry's lock is held.
func (c *call) meet(retry *call, limits capability.ValueLimits) meeting {
	switch {
	case !c.same(&retry.fingerprint, limits):
		return conflicts
	case c.stage != settled:
		return joins
	}
	return replays
}

func (r *Registry) newCall(ctx context.Context, q Request, options InvokeOptions) *call {
	c := &call{
		fingerprint: fingerprint{request: q}, given: q.Input, registry: r, id: q.InvocationID, timeout: options.Timeout,
		consumer: options.Consumer.OrAnonymous(), startedAt: r.options.Now(), auditLevel: capability.AuditMetadata,
	}
	if c.id == "" {
		c.id = r.randomID("inv_")
	}
	c.consumerKey = c.consumer.Key()
	c.signal.Detach(ctx)
	return c
}

func (c *call) key() callKey { return callKey{c.consumerKey, c.id} }

// launch starts the flow of a new attempt.
func (r *Registry) launch(ctx context.Context, c *call, who *caller) {
	r.auditStart(c)
	c.watch(ctx, who)
	if !c.over() {
		r.host.Go(c.run)
	}
}

// auditStart records the start of a call unless its capability asks for no record. Resolution has not run,
// so the level is that of the first live capability of that id.
func (r *Registry) auditStart(c *call) {
	if r.audits(c.auditLevel) {
		r.record(c.base(audit.InvocationStarted, c.startedAt))
	}
}

// watch lets the caller's context withdraw the caller.
func (c *call) watch(ctx context.Context, who *caller) {
	if host.Endless(ctx) {
		return
	}
	stop := host.Watch(ctx, func() { c.leave(who) })
	over := false
	c.registry.change(func(*state) {
		if over = c.stage == settled || who.gone; !over {
			who.stop = stop
		}
	})
	if over {
		stop()
	}
}

// leave tells a caller that has lost interest, at once, and cancels the call when nobody is left.
func (c *call) leave(who *caller) {
	left, last := false, true
	var progress capability.Progress
	for last && !left {
		if c.settle(outcome{onlyCaller: who, cut: capability.Cancelled}) {
			c.signal.Cancel(ErrCancelled)
			return
		}
		c.registry.change(func(*state) {
			live := c.stage != settled && !who.gone
			if last = live && len(c.callers) == 1; !live || last { // the others have left just now
				return
			}
			left = true
			progress = c.progress()
			who.gone = true
			c.callers = slices.DeleteFunc(c.callers, func(other *caller) bool { return other == who })
		})
	}
	if left {
		result := c.answer(capability.Cancelled(progress))
		c.registry.tellCaller(who.done, &result)
	}
}

// replay answers a retry with the stored result. What only reads is shown again only to somebody who may
// still see it.
func (r *Registry) replay(ctx context.Context, retry, stored *call, done func(Result)) {
	e := stored.entry
	if !stored.result.OK() || e == nil || !e.effect.OnlyReads() {
		done(stored.result)
		return
	}
	p := &replayed{retry: retry, done: done}
	disposed := false
	r.change(func(s *state) {
		if disposed = s.disposed; !disposed {
			s.calls.replaying[p] = struct{}{}
		}
	})
	if disposed {
		done(retry.answer(capability.Disposed(capability.NotStarted)))
		return
	}
	stop := host.Watch(ctx, func() { p.finish(retry.answer(capability.Cancelled(capability.NotStarted))) })
	r.host.Go(func() {
		defer stop()
		defer p.contain()
		about := e.policyContext(r, retry.consumer, r.hostContext())
		about.OnSettle = retry.signal.OnCancel
		if err := r.authorize(e, about); err != nil {
			p.finish(retry.answer(err))
			return
		}
		p.finish(stored.result)
	})
}

// replayed is a retry that waits for leave to see a stored result.
type replayed struct {
	retry *call
	done  func(Result)
}

// contain answers a retry that a panic, or the end of its goroutine, has left without an answer.
func (p *replayed) contain() {
	r := p.retry.registry
	if cause := recover(); cause != nil {
		r.internalError(p.retry.request.CapabilityID, cause)
	}
	p.finish(p.retry.answer(capability.ExecutionFailed(capability.ReasonInternal)))
}

// finish answers the retry; only the first answer counts.
func (p *replayed) finish(result Result) {
	first := false
	p.retry.registry.change(func(s *state) {
		_, first = s.calls.replaying[p]
		delete(s.calls.replaying, p)
	})
	if first {
		p.retry.registry.tellCaller(p.done, &result)
		p.retry.signal.Cancel(ErrCancelled)
	}
}

func (t *callTable) add(c *call) {
	t.started++
	c.order = t.started
	c.known = true
	t.byKey[c.key()] = c
}

// keep stores the result of a call for replay, or forgets the call when its result is not stored.
func (t *callTable) keep(c *call, now time.Time, limits capability.Limits) {
	if !c.known {
		return
	}
	if c.result.Error != nil && !c.result.Error.Code.Stored() {
		t.drop(c)
		return
	}
	c.settledAt = now
	t.settled.add(c)
	for t.settled.length > limits.DedupeCacheSize {
		t.drop(t.settled.takeOldest())
	}
}

// expire forgets results that are too old to be replayed.
func (t *callTable) expire(now time.Time, limits capability.Limits) {
	for oldest := t.settled.oldest; oldest != nil; oldest = t.settled.oldest {
		if now.Sub(oldest.settledAt) < limits.DedupeCacheTTL {
			return
		}
		t.drop(t.settled.takeOldest())
	}
}

func (t *callTable) drop(c *call) {
	c.known = false
	delete(t.byKey, c.key())
}

// inFlight are the calls without a result, in order of start.
func (t *callTable) inFlight() []*call {
	var calls []*call
	for _, c := range t.byKey {
		if c.stage != settled {
			calls = append(calls, c)
		}
	}
	sortCalls(calls)
	return calls
}

func (t *callTable) forget() {
	for _, c := range t.byKey {
		c.known, c.next = false, nil
	}
	clear(t.byKey)
	t.settled = callList{}
}
