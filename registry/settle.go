package registry

import (
	"errors"
	"slices"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
)

// outcome is what a call comes to: an error, or an output that may be absent.
type outcome struct {
	output capability.JSON
	err    *capability.Error
	// cut, when set, makes the error of a call that is cut short, from how far it had come.
	cut func(capability.Progress) *capability.Error
	// unlessRunning leaves a call alone whose handler has started.
	unlessRunning bool
	// onlyCaller leaves a call alone that somebody else waits for as well.
	onlyCaller *caller
}

// concerns reports whether o may settle the call now. The registry's lock is held.
func (o outcome) concerns(c *call) bool {
	switch {
	case c.stage == settled, o.unlessRunning && c.stage == executing:
		return false
	case o.onlyCaller != nil:
		return len(c.callers) == 1 && c.callers[0] == o.onlyCaller
	}
	return true
}

// settle is phase 10: the first outcome is the call's result, later ones are ignored. It reports whether
// this one was the first.
func (c *call) settle(o outcome) bool {
	r := c.registry
	now := r.options.Now()
	first := false
	var callers []*caller
	var hooks []func()
	var input capability.JSON
	r.change(func(s *state) {
		if first = o.concerns(c); !first {
			return
		}
		if o.cut != nil {
			o.err = o.cut(c.progress())
		}
		c.end(s, o, now)
		input = c.input // the call's own flow lets go of it
		callers, c.callers = c.callers, nil
		hooks, c.onSettle = runnable(c.onSettle), nil
	})
	if !first {
		return false
	}
	r.auditSettlement(c, input, now)
	c.reach("settlement", func(o *capability.ObjectWriter) { c.came(o, input) })
	for _, run := range hooks {
		r.guarded("a hook on the settlement of ", c.request.CapabilityID, run)
	}
	if c.waiter != nil {
		c.waiter.Wake()
	}
	for _, who := range callers {
		if who.stop != nil {
			who.stop()
		}
		r.tellCaller(who.done, &c.result)
	}
	return true
}

// end gives the call its result and takes it out of whatever held it.
func (c *call) end(s *state, o outcome, now time.Time) {
	c.stage = settled
	c.ended.Store(true)
	c.result = c.resultNow(s, o)
	if c.slot != nil {
		c.slot.leave(s, c)
		c.slot = nil
	}
	if c.entry != nil {
		c.entry.reg.calls.remove(c)
	}
	s.calls.keep(c, now, c.registry.limits)
	if s.events.heard() {
		s.events.queue(Event{
			Type: InvocationSettled, InvocationID: c.id, CapabilityID: c.request.CapabilityID,
			Status: c.result.Status(), Code: c.code(), Duration: now.Sub(c.startedAt),
		})
	}
}

// runnable are the hooks that have not been stopped.
func runnable(hooks []*hook) []func() {
	var run []func()
	for _, h := range hooks {
		if h.run != nil {
			run = append(run, h.run)
		}
	}
	return run
}

// tellCaller gives a result to one caller, whose panic is no other caller's matter.
func (r *Registry) tellCaller(done func(Result), result *Result) {
	r.guarded("the callback of a call of ", result.CapabilityID, func() { done(*result) })
}

// answer is a failure that is not stored and belongs to no attempt.
func (c *call) answer(err *capability.Error) Result {
	c.registry.mu.Lock()
	defer c.registry.mu.Unlock()
	result := c.resultNow(&c.registry.state, outcome{err: err})
	result.SurfaceChanged = false
	return result
}

func (c *call) resultNow(s *state, o outcome) Result {
	return Result{
		InvocationID: c.id, CapabilityID: c.request.CapabilityID, Output: o.output, Error: o.err,
		SurfaceVersion: s.versionText(), SurfaceChanged: s.version != c.startVersion,
	}
}

func (c *call) code() capability.Code {
	if c.result.Error == nil {
		return ""
	}
	return c.result.Error.Code
}

func (r *Registry) auditSettlement(c *call, input capability.JSON, now time.Time) {
	if !r.audits(c.auditLevel) && !c.tapped {
		return
	}
	e := c.base(audit.InvocationSettled, now)
	e.Status, e.Code = c.result.Status(), c.code()
	e.Input, e.Output = input, c.result.Output
	if r.audits(c.auditLevel) {
		r.record(atLevel(e, c.auditLevel))
	}
	if c.tapped {
		c.tap(e)
	}
}

// audits reports whether anybody keeps a record at this level.
func (r *Registry) audits(level capability.AuditLevel) bool {
	return level != capability.AuditNone && r.options.Audit != audit.Discard()
}

// atLevel leaves out the payload below the level full.
func atLevel(e audit.Event, level capability.AuditLevel) audit.Event {
	if level == capability.AuditFull {
		return e
	}
	e.Input, e.Output = "", ""
	return e
}

// tap gives an event to the sinks of the policies that record calls by themselves.
func (c *call) tap(e audit.Event) {
	r := c.registry
	for i := range c.entry.policies {
		tap := c.entry.policies[i].Tap
		if tap == nil || tap.Level == capability.AuditNone {
			continue
		}
		sink := tap.Sink
		if sink == nil {
			sink = r.options.Audit
		}
		r.recordTo(sink, atLevel(e, tap.Level))
	}
}

// The causes with which a handler's context is cancelled.
var (
	ErrTimedOut     = errors.New("the call did not end in time")
	ErrCancelled    = errors.New("the call was cancelled")
	ErrUnregistered = errors.New("the component was unregistered")
)

// timedOut settles a call whose handler has not ended.
func (c *call) timedOut(limit time.Duration) {
	if c.settle(outcome{err: capability.Timeout(limit, c.entry.idempotent)}) {
		c.signal.Cancel(ErrTimedOut)
	}
}

// abandon settles a call whose registry has ended.
func (c *call) abandon() {
	if c.settle(outcome{cut: capability.Disposed}) {
		c.signal.Cancel(ErrCancelled)
	}
}

// unmounted tells a call that its registration is gone. One that has not started ends at once. One that
// runs has its signal aborted and one more task to settle by itself, so that an action which removes its
// own component still delivers its result; a navigation has all its time.
func (c *call) unmounted() {
	gone := outcome{unlessRunning: true, cut: func(p capability.Progress) *capability.Error {
		return capability.Unmounted("mid-flight", p)
	}}
	c.registry.change(func(*state) { c.unmount = true })
	c.settle(gone)
	c.signal.Cancel(ErrUnregistered)
	if c.entry.effect != capability.Navigation {
		gone.unlessRunning = false
		c.registry.host.Task(func() { c.settle(gone) })
	}
}

func sortCalls(calls []*call) {
	slices.SortFunc(calls, func(a, b *call) int { return a.order - b.order })
}
