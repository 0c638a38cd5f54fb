package registry

import (
	"context"
	"fmt"
	"strings"
	"unicode"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
)

// Confirmations is the host's side of confirmation: what waits for a person, and the person's answers.
type Confirmations struct{ registry *Registry }

// Confirmations are the registry's.
func (r *Registry) Confirmations() Confirmations { return Confirmations{r} }

// Pending are the records that wait for a person, oldest first.
func (c Confirmations) Pending() []confirm.Pending { return c.registry.records.Pending() }

// Resolve approves or denies a pending record and reports whether there was one.
func (c Confirmations) Resolve(id string, approved bool) bool {
	return c.registry.records.Resolve(id, approved)
}

// WaitFor waits for the outcome of a record; a cancelled wait counts as expired and, when nobody else
// waits, withdraws the record.
func (c Confirmations) WaitFor(ctx context.Context, id string) confirm.Outcome {
	return c.registry.records.WaitFor(ctx, id)
}

// Await is WaitFor with a callback.
func (c Confirmations) Await(id string, done func(confirm.Outcome)) (cancel func()) {
	return c.registry.records.Await(id, done)
}

// ForceExpire expires a record that is still open, for tests.
func (c Confirmations) ForceExpire(id string) bool { return c.registry.records.ForceExpire(id) }

// Subscribe calls tell whenever the pending records have changed.
func (c Confirmations) Subscribe(tell func()) (stop func()) {
	return c.registry.Subscribe(func(e Event) {
		if e.Type == ConfirmationRequested || e.Type == ConfirmationResolved {
			tell()
		}
	})
}

// confirmationChanged makes events and audit records of the steps of a record.
func (r *Registry) confirmationChanged(change confirm.Change) {
	p := change.Pending
	r.change(func(s *state) {
		switch change.Step {
		case confirm.StepRequested:
			s.events.queue(Event{Type: ConfirmationRequested, ConfirmationID: p.ConfirmationID, CapabilityID: p.CapabilityID, ExpiresAt: p.ExpiresAt})
		case confirm.StepConsumed:
		default:
			s.events.queue(Event{Type: ConfirmationResolved, ConfirmationID: p.ConfirmationID, Outcome: string(change.Step.Outcome())})
		}
	})
	r.record(audit.Event{
		At: r.options.Now(), Type: audit.Type("confirmation-" + string(change.Step)),
		CapabilityID: p.CapabilityID, RegistrationID: p.RegistrationID, ConsumerID: p.ConsumerKey,
	})
}

// confirmationLevel is the level for this call and the policy's text for the person, if one gives it.
func (c *call) confirmationLevel() (level capability.Confirmation, summary string) {
	e := c.entry
	if e.kind == capability.Observation {
		return capability.Never, ""
	}
	level = e.confirmation
	for i := range e.policies {
		raise := e.policies[i].Raise
		if raise == nil || !raise.Asks(c.invokeContext) {
			continue
		}
		level = capability.Required
		if summary == "" {
			summary = raise.Text(c.invokeContext)
		}
	}
	return level, summary
}

const maxSummary = 300

// personSummary is the policy's text, or the standard one.
func personSummary(fromPolicy, standard string) string {
	if fromPolicy == "" {
		return standard
	}
	return cutVisible(fromPolicy, maxSummary)
}

// summary is the standard text: what the capability is, and the input.
func (r *Registry) summary(e *entry, input capability.JSON) string {
	text := cutVisible(e.description, maxSummary)
	if input.Absent() || input == capability.EmptyObject {
		return text
	}
	const lead = " Input: "
	room := maxSummary - capability.Length(text) - len(lead)
	if room < minSummaryInput {
		text = cutVisible(text, maxSummary-minSummaryInput-len(lead))
		room = minSummaryInput
	}
	return text + lead + cutVisible(string(input), room)
}

// minSummaryInput is the room that a summary always leaves for the input.
const minSummaryInput = 80

// cutVisible is text with whatever a person could not see written as an escape, cut to most characters with
// its length stated.
func cutVisible(text string, most int) string {
	text = Visible(text)
	if capability.Length(text) <= most {
		return text
	}
	tail := fmt.Sprintf("… (%d characters)", capability.Length(text))
	return capability.Cut(text, most-capability.Length(tail)) + tail
}

// Visible is text for a person who decides: control, format and bidirectional characters, and others that leave no mark
// on the screen, are written as \u escapes.
func Visible(text string) string {
	var out strings.Builder
	for _, r := range text {
		if unicode.IsPrint(r) && !unicode.In(r, unicode.Other_Default_Ignorable_Code_Point, unicode.Variation_Selector) {
			out.WriteRune(r)
		} else {
			fmt.Fprintf(&out, "\\u{%x}", r)
		}
	}
	return out.String()
}
