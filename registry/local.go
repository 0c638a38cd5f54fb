package registry

import (
	"fmt"
	"sync"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
)

// Local makes of a procedure one that the page carries out by itself, beside the control that a person would press for
// it (webtools.md). It runs through the whole pipeline, with these differences: a call has a time limit only if the
// procedure or the caller gives one, and of the effect's defaults the confirmation does not apply: only Ask, the
// binding's own level, the reference and policies make it required.
type Local struct {
	// Execute carries it out; required.
	Execute handler
	// Prepare, when set, brings the effective input before the person. It runs once for each call that every invoke
	// policy has let pass, before the confirmation is decided; a call with the evidence that an earlier one asked for
	// is not prepared again. What it gives, JSON or nothing, is Call.Prepared; an error is the call's, as if Execute had given it.
	Prepare handler
	// Ask, when set, makes confirmation required and is the only one to get it: no host UI can decide its records. It
	// must not wait. stop is called once when the question is over, however it ended; nil if nobody needs to know.
	Ask func(Question) (stop func())
}

// Question is what a Local asks a person. The call that asks gets its CONFIRMATION_REQUIRED when Ask returns.
type Question struct {
	Pending confirm.Pending
	// Call is the call that asks.
	Call *Call
	// Decide brings the person's decision and reports whether it counts: only the first does, and only while the
	// record waits. It may be called from anywhere.
	Decide func(approved bool) bool
}

// local applies what is different about a procedure with a Local.
func (d *definer) local(where string, e *draft, l *Local) {
	if l.Execute == nil {
		d.fail(InvalidDefinition, where+".config.execute", "a procedure that the page carries out needs an execute function")
	}
	e.local = true
	e.Run, e.Prepare, e.Ask = l.Execute, l.Prepare, l.Ask
	switch {
	case l.Ask != nil:
		e.confirmation = capability.Required
	case e.confirmation == capability.Required:
		e.confirmation = capability.Optional
	}
}

// prepare lets the author bring the input before the person. It may take its time.
func (c *call) prepare() *capability.Error {
	if c.entry.Prepare == nil {
		return nil
	}
	prepared, err := c.guardHandler(c.entry.Prepare)
	switch {
	case c.over():
		return nil
	case err != nil:
		return c.handlerError(err)
	case prepared.Absent():
		return nil
	}
	limits := capability.ValueLimits{MaxBytes: c.registry.limits.MaxOutputBytes, MaxDepth: c.registry.limits.MaxInputDepth}
	if issue := limits.Check(prepared); issue != nil {
		return c.handlerError(fmt.Errorf("what it prepared is not JSON that can be kept: %w", issue))
	}
	c.prepared = prepared
	return nil
}

// askFor makes the record that the call waits for, and asks the person where the procedure itself does that.
func (c *call) askFor(b confirm.Binding, summary string) (confirm.Pending, *capability.Error) {
	r := c.registry
	if c.entry.Ask == nil {
		return r.records.Request(b, summary)
	}
	var q asking
	pending, fresh, err := r.records.Hold(b, summary, confirm.Hold{Note: c.prepared, Ended: q.end})
	if err == nil && fresh {
		q.begin(c.ask(pending))
	}
	return pending, err
}

// ask asks; what cannot even ask has been denied.
func (c *call) ask(pending confirm.Pending) (stop func()) {
	decide := func(approved bool) bool { return c.registry.records.Decide(pending.ConfirmationID, approved) }
	defer func() {
		if cause := recover(); cause != nil {
			c.registry.options.Log(fmt.Sprintf("%s cannot ask for its confirmation: %v", c.entry.idText, cause))
			decide(false)
		}
	}()
	return c.entry.Ask(Question{Pending: pending, Call: c.info(), Decide: decide})
}

// asking is a question that is asked until its record ends, which may be before it is known how to stop.
type asking struct {
	mu   sync.Mutex
	over bool
	stop func()
}

func (q *asking) begin(stop func()) {
	q.mu.Lock()
	over := q.over
	q.stop = stop
	q.mu.Unlock()
	if over && stop != nil {
		stop()
	}
}

func (q *asking) end() {
	q.mu.Lock()
	stop := q.stop
	q.over = true
	q.mu.Unlock()
	if stop != nil {
		stop()
	}
}
