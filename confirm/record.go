// Package confirm keeps the records of what a person was asked to confirm: what exactly a record binds, and
// its way from pending to approved, denied, expired or consumed. A dialog represents a decision; the record
// is the decision.
package confirm

import (
	"time"

	"github.com/pagewarden/pagewarden/capability"
)

// Binding is what an approval is good for, and nothing else.
type Binding struct {
	SurfaceID      string
	RegistrationID string
	CapabilityID   string
	ConsumerKey    string
	// Input is the effective input in canonical JSON.
	Input  capability.JSON
	Effect capability.Effect
}

// text is the binding in canonical JSON: its members in byte order.
func (b Binding) text() string {
	var o capability.ObjectWriter
	o.Text("capabilityId", b.CapabilityID)
	o.Text("consumerKey", b.ConsumerKey)
	o.Text("effect", string(b.Effect))
	o.Raw("effectiveInput", b.Input)
	o.Text("registrationId", b.RegistrationID)
	o.Text("surfaceId", b.SurfaceID)
	return string(o.JSON())
}

// Outcome is how a record ended for those who wait on it.
type Outcome string

// The outcomes.
const (
	Approved Outcome = "approved"
	Denied   Outcome = "denied"
	Expired  Outcome = "expired"
)

// Pending is a record that waits for a person, as host UI shows it.
type Pending struct {
	ConfirmationID string
	CapabilityID   string
	RegistrationID string
	ConsumerKey    string
	Effect         capability.Effect
	// Summary is the text for the person.
	Summary string
	// Input is the exact effective value, in canonical JSON.
	Input       capability.JSON
	RequestedAt time.Time
	ExpiresAt   time.Time
	// Held says that only whoever made the record can decide it (Store.Hold).
	Held bool
}

// JSON is the record as an object, as a page's host UI gets it.
func (p Pending) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Text("confirmationId", p.ConfirmationID)
	o.Text("capabilityId", p.CapabilityID)
	o.Text("registrationId", p.RegistrationID)
	o.Text("consumerKey", p.ConsumerKey)
	o.Text("effect", string(p.Effect))
	o.Text("summary", p.Summary)
	o.Raw("input", p.Input)
	o.Text("requestedAt", capability.FormatTime(p.RequestedAt))
	o.Text("expiresAt", capability.FormatTime(p.ExpiresAt))
	if p.Held {
		o.Text("decidedBy", "control")
	}
	return o.JSON()
}

// Approval is a consumed approval.
type Approval struct {
	// ID is the confirmation id.
	ID         string
	ApprovedAt time.Time
	// Note is what a held record was made with; absent for others.
	Note capability.JSON
}

// Change is one step in a record's life, and the record as it was asked for.
type Change struct {
	Step    Step
	Pending Pending
}

// Step is what happened to a record.
type Step string

// The steps.
const (
	StepRequested Step = "requested"
	StepApproved  Step = "approved"
	StepDenied    Step = "denied"
	StepExpired   Step = "expired"
	StepConsumed  Step = "consumed"
)

// Outcome is the outcome that the step gives those who wait, "" when it gives none.
func (s Step) Outcome() Outcome {
	switch s {
	case StepApproved:
		return Approved
	case StepDenied:
		return Denied
	case StepExpired:
		return Expired
	}
	return ""
}
