package consent

import (
	"slices"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
)

// Wait is a call's wait for a person's decision.
type Wait struct {
	// ConfirmationID is the record's.
	ConfirmationID string

	call  *call
	asked registry.Result // CONFIRMATION_REQUIRED, as the registry gave it

	// Under the lock of calls; nil until the wait has begun.
	withdraw func() // leaves the record, which goes when nobody else waits for it
	ends     []func()
}

// Open reports whether the call still waits.
func (w *Wait) Open() bool {
	s := w.call.calls
	s.mu.Lock()
	defer s.mu.Unlock()
	return w.call.wait == w
}

// GiveUp ends the wait without a decision: the call ends with the CONFIRMATION_REQUIRED that it was given, and the record
// stays open, as after the time-out. It reports whether the call still waited.
func (w *Wait) GiveUp() bool {
	if !w.Open() || w.call.leave(false) == nil {
		return false
	}
	w.call.finish(w.asked)
	return true
}

// await waits for the decision on the record that r names.
func (c *call) await(r registry.Result) {
	s := c.calls
	w := &Wait{ConfirmationID: r.Error.Detail("confirmationId"), call: c, asked: r}
	s.mu.Lock()
	stopped := s.stopped
	if !stopped {
		c.wait = w
		s.waiting = append(s.waiting, c)
	}
	s.mu.Unlock()
	withdraw := s.options.Registry.Confirmations().Await(w.ConfirmationID, func(outcome confirm.Outcome) {
		if c.leave(false) != nil {
			c.decided(w, outcome)
		}
	})
	if stopped { // its record goes when nobody else waits for it
		withdraw()
		c.finish(r)
		return
	}
	if !w.keep(withdraw) {
		return
	}
	w.bound()
	if c.asked != nil && w.Open() {
		c.asked(w)
	}
}

// keep notes how to leave the record, or leaves it when the wait is over already.
func (w *Wait) keep(withdraw func()) bool {
	s := w.call.calls
	s.mu.Lock()
	open := w.call.wait == w
	w.withdraw = withdraw
	s.mu.Unlock()
	if !open {
		withdraw()
	}
	return open
}

// bound lets the caller and the clock end the wait.
func (w *Wait) bound() {
	c := w.call
	w.endsBy(host.Watch(c.ctx, func() {
		if c.leave(true) != nil {
			c.fail(w.asked, capability.Cancelled(capability.NotStarted))
		}
	}))
	if limit := c.calls.options.Timeout; limit > 0 {
		w.endsBy(c.calls.options.Host.After(limit, func() {
			if c.leave(false) != nil {
				c.finish(w.asked)
			}
		}))
	}
}

// endsBy notes what to call when the wait ends.
func (w *Wait) endsBy(end func()) {
	s := w.call.calls
	s.mu.Lock()
	open := w.call.wait == w
	w.ends = append(w.ends, end)
	s.mu.Unlock()
	if !open {
		end()
	}
}

// leave ends the call's wait and gives it, nil when there is none. With withdraw the record loses one who waits for
// it.
func (c *call) leave(withdraw bool) *Wait {
	s := c.calls
	s.mu.Lock()
	w := c.wait
	if w == nil {
		s.mu.Unlock()
		return nil
	}
	c.wait = nil
	s.waiting = slices.DeleteFunc(s.waiting, func(other *call) bool { return other == c })
	ends := w.ends
	if withdraw && w.withdraw != nil {
		ends = append(ends, w.withdraw)
	}
	s.mu.Unlock()
	for _, end := range ends {
		end()
	}
	return w
}

// decided goes on after the wait: with the one retry of an approved call, or with why there is none.
func (c *call) decided(w *Wait, outcome confirm.Outcome) {
	switch {
	case outcome == confirm.Approved:
		c.retry(w)
	case outcome == confirm.Denied:
		c.fail(w.asked, capability.ConfirmationInvalid("denied"))
	case c.registrationGone():
		c.retry(w) // the record went with its registration: the registry says what has become of that
	default:
		c.fail(w.asked, capability.ConfirmationInvalid("expired"))
	}
}

// retry repeats the call with its evidence. The version is the present one, so that what else has changed during the
// wait does not spoil the approval; a change of the registration itself does. Who has retried the same call before
// has said under which version it runs.
func (c *call) retry(w *Wait) {
	if !c.calls.recallRetry(c, w.ConfirmationID) {
		c.request.InvocationID = w.asked.InvocationID
		c.request.ConfirmationID = w.ConfirmationID
		c.request.SurfaceVersion = c.calls.options.Registry.Version()
		c.calls.remember(c)
	}
	c.start(c.finish)
}

// registrationGone reports whether the call's registration can no longer be seen.
func (c *call) registrationGone() bool {
	o := &c.calls.options
	snapshot, err := o.Registry.Snapshot(registry.SnapshotOptions{Consumer: o.Consumer})
	if err != nil {
		return true
	}
	id := c.request.RegistrationID
	return !slices.ContainsFunc(snapshot.Components, func(v registry.ComponentView) bool { return v.RegistrationID == id }) &&
		!slices.ContainsFunc(snapshot.Procedures, func(v registry.ProcedureView) bool { return v.RegistrationID == id })
}
