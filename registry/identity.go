package registry

import (
	"container/list"
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
	byKey map[callKey]*attempt
	// settled are the keys of stored results, oldest first, for eviction.
	settled list.List
	started int
	// replaying are the retries that wait for leave to see a stored result.
	replaying map[*replayed]struct{}
}

func newCallTable() callTable {
	return callTable{byKey: map[callKey]*attempt{}, replaying: map[*replayed]struct{}{}}
}

// attempt is what phase 1 knows under one identity.
type attempt struct {
	key         callKey
	fingerprint fingerprint
	call        *call
	element     *list.Element // in settled, nil while in flight
	settledAt   time.Time
}

// fingerprint tells one request from another. Small inputs are kept and compared by value, large ones by a
// digest of their canonical form, so that two requests cannot be made to look alike and a table full of
// them stays small.
type fingerprint struct {
	request Request // without Input
	input   capability.JSON
	large   bool
	digest  inputDigest // of a large input, which is not kept
}

type inputDigest [sha256.Size]byte

const keptInput = 1024

func fingerprintOf(q Request, limits capability.ValueLimits) fingerprint {
	f := fingerprint{request: q, input: q.Input}
	f.request.Input, f.request.InvocationID = "", ""
	if f.large = len(q.Input) > keptInput; f.large {
		f.input, f.digest = "", digestOf(q.Input, limits)
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

func (f fingerprint) same(other fingerprint, limits capability.ValueLimits) bool {
	switch {
	case f.request != other.request:
		return false
	case f.large && other.large:
		return f.digest == other.digest
	case f.large:
		return f.digest == digestOf(other.input, limits)
	case other.large:
		return other.digest == digestOf(f.input, limits)
	}
	return f.input == other.input || canonical.Equal(f.input, other.input)
}

// begin is phase 1: join a call in flight, replay a settled one, refuse a conflict, or start a new attempt.
func (r *Registry) begin(ctx context.Context, q Request, options InvokeOptions, done func(Result)) {
	limits := r.inputLimits()
	c := r.newCall(ctx, q, options)
	if err := q.longID(); err != nil {
		done(c.answer(err))
		return
	}
	print := fingerprintOf(q, limits)
	who := &caller{done: done}
	var known *attempt
	meeting := startsNew
	r.change(func(s *state) {
		if s.disposed {
			meeting = meetsDisposed
			return
		}
		s.calls.expire(c.startedAt, r.limits)
		if known = s.calls.byKey[c.key()]; known != nil {
			if meeting = known.meet(print, limits); meeting == joins {
				known.call.callers = append(known.call.callers, who)
			}
			return
		}
		s.calls.add(&attempt{key: c.key(), fingerprint: print, call: c})
		c.startVersion = s.version
		c.callers = append(c.callers, who)
		s.events.queue(Event{Type: InvocationStarted, InvocationID: c.id, CapabilityID: q.CapabilityID, ConsumerID: c.consumer.Key()})
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
		known.call.watch(ctx, who)
	case replays:
		r.replay(ctx, c, known.call, done)
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

// meet says what a request under the identity of a means. The registry's lock is held.
func (a *attempt) meet(print fingerprint, limits capability.ValueLimits) meeting {
	switch {
	case !a.fingerprint.same(print, limits):
		return conflicts
	case a.element == nil:
		return joins
	}
	return replays
}

func (r *Registry) newCall(ctx context.Context, q Request, options InvokeOptions) *call {
	id := q.InvocationID
	if id == "" {
		id = r.randomID("inv_")
	}
	return &call{
		registry: r, id: id, request: q, options: options, consumer: options.Consumer.OrAnonymous(), startedAt: r.options.Now(),
		auditLevel: capability.AuditMetadata, signal: host.NewScope(context.WithoutCancel(ctx)),
	}
}

func (c *call) key() callKey { return callKey{c.consumer.Key(), c.id} }

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
	if c.auditLevel != capability.AuditNone {
		r.record(c.base(audit.InvocationStarted, c.startedAt))
	}
}

// watch lets the caller's context withdraw the caller.
func (c *call) watch(ctx context.Context, who *caller) {
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
	if c.settle(outcome{onlyCaller: who, cut: capability.Cancelled}) {
		c.signal.Cancel(ErrCancelled)
		return
	}
	left := false
	var progress capability.Progress
	c.registry.change(func(*state) {
		if left = c.stage != settled && !who.gone; !left {
			return
		}
		progress = c.progress()
		who.gone = true
		c.callers = slices.DeleteFunc(c.callers, func(other *caller) bool { return other == who })
	})
	if left {
		c.registry.tellCaller(who.done, c.answer(capability.Cancelled(progress)))
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
		p.retry.registry.tellCaller(p.done, result)
		p.retry.signal.Cancel(ErrCancelled)
	}
}

func (t *callTable) add(a *attempt) {
	t.started++
	a.call.order = t.started
	t.byKey[a.key] = a
}

// keep stores the result of a call for replay, or forgets the call when its result is not stored.
func (t *callTable) keep(c *call, now time.Time, limits capability.Limits) {
	a := t.byKey[c.key()]
	if a == nil || a.call != c {
		return
	}
	if c.result.Error != nil && !c.result.Error.Code.Stored() {
		delete(t.byKey, a.key)
		return
	}
	a.settledAt = now
	a.element = t.settled.PushBack(a)
	for t.settled.Len() > limits.DedupeCacheSize {
		t.drop(t.settled.Front())
	}
}

// expire forgets results that are too old to be replayed.
func (t *callTable) expire(now time.Time, limits capability.Limits) {
	for oldest := t.settled.Front(); oldest != nil; oldest = t.settled.Front() {
		if now.Sub(oldest.Value.(*attempt).settledAt) < limits.DedupeCacheTTL {
			return
		}
		t.drop(oldest)
	}
}

func (t *callTable) drop(element *list.Element) {
	a := t.settled.Remove(element).(*attempt)
	delete(t.byKey, a.key)
}

// inFlight are the calls without a result, in order of start.
func (t *callTable) inFlight() []*call {
	var calls []*call
	for _, a := range t.byKey {
		if a.element == nil {
			calls = append(calls, a.call)
		}
	}
	sortCalls(calls)
	return calls
}

func (t *callTable) forget() {
	clear(t.byKey)
	t.settled.Init()
}
