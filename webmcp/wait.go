package webmcp

import (
	"fmt"
	"slices"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
	"github.com/pagewarden/pagewarden/registry"
)

// wait is a call's wait for a person's decision.
type wait struct {
	id    string          // the confirmation's
	asked registry.Result // CONFIRMATION_REQUIRED, as the registry gave it
	stop  func()          // leaves the record; nil until the wait has begun
}

// confirm waits for the decision on the record that r names. A call that was cancelled, or whose adapter
// has stopped, waits for nothing, and its record goes when nobody else waits on it.
func (c *call) confirm(r registry.Result) {
	a := c.adapter
	w := &wait{id: r.Error.Detail("confirmationId"), asked: r}
	a.mu.Lock()
	cancelled, stopped := c.cancelled, a.run != c.run
	if !cancelled && !stopped {
		c.wait = w
		a.waiting = append(a.waiting, c)
	}
	a.mu.Unlock()
	stop := c.run.registry.Confirmations().Await(w.id, func(outcome confirm.Outcome) {
		if left, waiting := c.leave(); waiting {
			c.decided(left, outcome)
		}
	})
	switch {
	case cancelled:
		stop()
		c.fail(capability.Cancelled(capability.NotStarted))
	case stopped:
		stop()
		c.finish(r)
	case c.stays(w, stop):
		c.prompt(w)
	default:
		stop()
	}
}

// stays keeps how to stop the wait, unless it is over already.
func (c *call) stays(w *wait, stop func()) bool {
	c.adapter.mu.Lock()
	defer c.adapter.mu.Unlock()
	w.stop = stop
	return c.wait == w
}

// leave ends the call's wait and reports whether there was one.
func (c *call) leave() (*wait, bool) {
	a := c.adapter
	a.mu.Lock()
	w := c.wait
	c.wait = nil
	a.waiting = slices.DeleteFunc(a.waiting, func(other *call) bool { return other == c })
	var stop func()
	if w != nil {
		stop = w.stop
	}
	a.mu.Unlock()
	if stop != nil {
		stop()
	}
	return w, w != nil
}

// giveUp ends the wait of a call whose adapter stops.
func (c *call) giveUp() {
	if w, waiting := c.leave(); waiting {
		c.finish(w.asked)
	}
}

// decided goes on after the wait: with the one retry of an approved call, or with why there is none.
func (c *call) decided(w *wait, outcome confirm.Outcome) {
	switch {
	case outcome == confirm.Approved:
		c.retry(w)
	case outcome == confirm.Denied:
		c.fail(capability.ConfirmationInvalid("denied"))
	case c.registrationGone():
		c.retry(w) // the record went with its registration: the registry says what has become of that
	default:
		c.fail(capability.ConfirmationInvalid("expired"))
	}
}

// retry repeats the call with its evidence. The version is the present one, so that what else has changed
// during the wait does not spoil the approval; a change of the registration itself does.
func (c *call) retry(w *wait) {
	c.request.InvocationID = w.asked.InvocationID
	c.request.ConfirmationID = w.id
	c.request.SurfaceVersion = c.run.registry.Version()
	c.start(c.finish)
}

// registrationGone reports whether the call's registration can no longer be seen.
func (c *call) registrationGone() bool {
	snapshot, err := c.run.registry.Snapshot(registry.SnapshotOptions{Consumer: c.run.consumer})
	if err != nil {
		return true
	}
	id := c.request.RegistrationID
	return !slices.ContainsFunc(snapshot.Components, func(v registry.ComponentView) bool { return v.RegistrationID == id }) &&
		!slices.ContainsFunc(snapshot.Procedures, func(v registry.ProcedureView) bool { return v.RegistrationID == id })
}

// prompt asks a person through the Confirm hook, when there is one and a place for its UI. Its answer
// decides the record; without one the host's own UI does.
func (c *call) prompt(w *wait) {
	a := c.adapter
	if a.options.Confirm == nil || c.options.Client == nil && !a.options.ConfirmWithoutClient {
		return
	}
	confirmations := c.run.registry.Confirmations()
	pending := confirmations.Pending()
	at := slices.IndexFunc(pending, func(p confirm.Pending) bool { return p.ConfirmationID == w.id })
	if at < 0 {
		return
	}
	answered := false
	answer := func(approved bool, err error) {
		a.mu.Lock()
		counts := !answered && c.wait == w
		answered = true
		a.mu.Unlock()
		switch {
		case !counts:
		case err != nil:
			a.log(fmt.Sprintf("the confirm hook failed, so the call waits for the page's confirmation UI: %v", err))
		default:
			confirmations.Resolve(w.id, approved)
		}
	}
	defer func() {
		if cause := recover(); cause != nil {
			answer(false, fmt.Errorf("panicked: %v", cause))
		}
	}()
	a.options.Confirm(ConfirmRequest{Pending: pending[at], Client: c.options.Client, Ticket: c.options.Ticket}, answer)
}
