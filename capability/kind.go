package capability

// Kind is what a capability is: something to read, something to do in the view, or a reference to a
// server operation.
type Kind string

// The three kinds.
const (
	Observation Kind = "observation"
	Action      Kind = "action"
	Procedure   Kind = "procedure"
)

// Plane is the only plane on which capabilities of this kind live.
func (k Kind) Plane() Plane {
	if k == Procedure {
		return Domain
	}
	return View
}

// Effect is what running a capability may change.
type Effect string

// The effects, from the weakest to the strongest of each plane.
const (
	Read               Effect = "read"
	LocalState         Effect = "local-state"
	Navigation         Effect = "navigation"
	ServerQuery        Effect = "server-query"
	ServerMutation     Effect = "server-mutation"
	ExternalSideEffect Effect = "external-side-effect"
	Destructive        Effect = "destructive"
)

// Valid reports whether e is one of the effects.
func (e Effect) Valid() bool { return e.Kind() != "" }

// Kind is the only kind of capability that may have this effect, or "" for an unknown effect.
func (e Effect) Kind() Kind {
	switch e {
	case Read:
		return Observation
	case LocalState, Navigation:
		return Action
	case ServerQuery, ServerMutation, ExternalSideEffect, Destructive:
		return Procedure
	}
	return ""
}

// OnlyReads reports whether a capability with this effect changes nothing anywhere.
func (e Effect) OnlyReads() bool { return e == Read || e == ServerQuery }

// Consequential reports whether the effect reaches beyond what the application can take back.
func (e Effect) Consequential() bool { return e == Destructive || e == ExternalSideEffect }

// Confirmation is how much a capability insists on a person's decision: Never, Optional or Required.
type Confirmation string

// The confirmation levels, weakest first. Optional does not ask by itself; a policy may raise it.
const (
	Never    Confirmation = "never"
	Optional Confirmation = "optional"
	Required Confirmation = "required"
)

// Rank orders the levels: 0 for Never (and for an unset level), 1 for Optional, 2 for Required, -1 for
// anything else.
func (c Confirmation) Rank() int {
	switch c {
	case "", Never:
		return 0
	case Optional:
		return 1
	case Required:
		return 2
	}
	return -1
}

// Stronger is the higher of two levels.
func (c Confirmation) Stronger(other Confirmation) Confirmation {
	if other.Rank() > c.Rank() {
		return other
	}
	return c
}

// AuditLevel is how much of an invocation the audit trail records.
type AuditLevel string

// The audit levels: no record, a record without payload, a record with input and output.
const (
	AuditNone     AuditLevel = "none"
	AuditMetadata AuditLevel = "metadata"
	AuditFull     AuditLevel = "full"
)

// Valid reports whether l is one of the levels.
func (l AuditLevel) Valid() bool {
	return l == AuditNone || l == AuditMetadata || l == AuditFull
}

// Traits are what follows from an effect when a declaration says nothing else (model.md, Defaults).
type Traits struct {
	Idempotent   bool
	Reversible   bool
	Confirmation Confirmation
	Audit        AuditLevel
}

// Defaults are the traits of the effect.
func (e Effect) Defaults() Traits {
	switch e {
	case Read:
		return Traits{Idempotent: true, Confirmation: Never, Audit: AuditNone}
	case LocalState, Navigation:
		return Traits{Reversible: true, Confirmation: Never, Audit: AuditMetadata}
	case ServerQuery:
		return Traits{Idempotent: true, Confirmation: Never, Audit: AuditMetadata}
	case ServerMutation:
		return Traits{Confirmation: Optional, Audit: AuditMetadata}
	}
	return Traits{Confirmation: Required, Audit: AuditFull}
}

// Environment is where a registry runs; it decides what developers are told and what is refused.
type Environment string

// The environments.
const (
	Development Environment = "development"
	Production  Environment = "production"
	Test        Environment = "test"
)
