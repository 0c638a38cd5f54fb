package predict

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// Scope says where what a capability works on lives.
type Scope string

// The scopes.
const (
	PageScope    Scope = "page"
	SessionScope Scope = "session"
	ServerScope  Scope = "server"
)

// Foresight is what a predictor is told.
type Foresight struct {
	// Input is valid. It and Snapshot are copies.
	Input    capability.JSON
	Snapshot Snapshot
	// Version is the authoritative version, which the prediction is to name as its base.
	Version string
	Now     time.Time
}

// Hindsight is what a reconciler is told.
type Hindsight struct {
	Input  capability.JSON
	Output capability.JSON
	// Previous is the store before the prediction.
	Previous   Snapshot
	Prediction Prediction
	Now        time.Time
}

// Idempotency makes a call its own identity: equal keys are one invocation.
type Idempotency struct {
	// Key is the identity of a call with that valid input; it must not wait. Calls with equal keys are one call, whenever
	// they come, so a key that only names the input makes a wish that can be wished once.
	Key func(input capability.JSON) (string, error)
	// Store, when set, keeps outputs longer than the registry does.
	Store IdempotencyStore
}

// IdempotencyStore keeps the outputs of calls that went well, by key. It is asked after every check of the pipeline. A
// Get that fails ends the call before anything has been done; a Put that fails is told to developers only.
type IdempotencyStore interface {
	Get(ctx context.Context, key string) (output capability.JSON, found bool, err error)
	Put(ctx context.Context, key string, output capability.JSON) error
}

// Budget admits so many calls of one consumer in any stretch of time as long as Window.
type Budget struct {
	Calls  int
	Window time.Duration
}

// Definition is what an author writes of a capability. Name, Description, Input, Output and Execute are required.
type Definition struct {
	// Name is [a-z][A-Za-z0-9._-]{0,120}.
	Name        string
	Description string
	Input       registry.Schema
	Output      registry.Schema
	// Annotations is a JSON object with hints, or absent. readOnlyHint, destructiveHint and openWorldHint decide the
	// effect.
	Annotations capability.JSON
	// Token is what a caller must hold; "" means Name.
	Token string
	// Scope is PageScope when empty.
	Scope Scope
	// Reads and Writes are state paths: [a-z][A-Za-z0-9._:/-]{0,127}. Duplicates are dropped.
	Reads, Writes []string
	// Reconciliation is Manual when empty.
	Reconciliation Reconciliation
	// Execute does the work.
	Execute registry.ProcedureFunc
	// Predict foresees what Execute will change. It is pure and must not wait. It needs Reconcile.
	Predict func(Foresight) (Prediction, error)
	// Reconcile makes the authoritative state of what Execute gave.
	Reconcile func(context.Context, Hindsight) (State, error)
	// Confirmation is Never when empty, whatever the effect.
	Confirmation capability.Confirmation
	Idempotency  *Idempotency
	Budget       *Budget
	// Timeout limits an execution; 0 means that nothing does.
	Timeout time.Duration
}

// Capability is a definition that has been checked. It does not change.
type Capability struct {
	d      Definition
	effect capability.Effect
}

// Define checks a definition and copies it. The error is a *registry.DefinitionError. What needs a registry's limits to
// be judged, schemas and the lengths of texts, is judged when the capability is registered.
func Define(d Definition) (*Capability, error) {
	for _, check := range []func(*Definition) error{
		(*Definition).checkNames, (*Definition).checkParts, (*Definition).checkPaths, (*Definition).checkWays,
	} {
		if err := check(&d); err != nil {
			return nil, err
		}
	}
	effect, err := effectOf(d.Annotations)
	if err != nil {
		return nil, err
	}
	d.copyLimits()
	return &Capability{d: d, effect: effect}, nil
}

// copyLimits lets go of what the author may still change.
func (d *Definition) copyLimits() {
	if d.Idempotency != nil {
		own := *d.Idempotency
		d.Idempotency = &own
	}
	if d.Budget != nil {
		own := *d.Budget
		d.Budget = &own
	}
}

// The most characters of names and paths.
const (
	maxName = 121
	maxPath = 128
)

func (d *Definition) checkNames() error {
	if !isWord(d.Name, maxName, "._-") {
		return defect(registry.InvalidID, "name", "want [a-z][A-Za-z0-9._-]{0,%d}", maxName-1)
	}
	if strings.TrimSpace(d.Description) == "" {
		return defect(registry.InvalidDefinition, "description", "agents need one: say what the capability does and when to use it")
	}
	if d.Token == "" {
		d.Token = d.Name
	}
	if capability.Length(d.Token) > capability.MaxIDLength {
		return defect(registry.InvalidDefinition, "capability", "has more than %d characters", capability.MaxIDLength)
	}
	return nil
}

func (d *Definition) checkParts() error {
	switch {
	case d.Input.Document.Absent():
		return defect(registry.InvalidDefinition, "input", "a capability needs an input schema; for no input use one of an empty object")
	case d.Output.Document.Absent():
		return defect(registry.InvalidDefinition, "output", "a capability needs an output schema")
	case d.Execute == nil:
		return defect(registry.InvalidDefinition, "execute", "a capability needs an execute function")
	case (d.Predict == nil) != (d.Reconcile == nil):
		return defect(registry.InvalidDefinition, "reconcile", "predict and reconcile come together: what was foreseen must be held against what happened")
	case d.Timeout < 0:
		return defect(registry.InvalidDefinition, "timeoutMs", "must not be negative")
	case d.Idempotency != nil && d.Idempotency.Key == nil:
		return defect(registry.InvalidDefinition, "idempotency.key", "want a function of the input")
	case d.Budget != nil && (d.Budget.Calls < 1 || d.Budget.Window <= 0):
		return defect(registry.InvalidDefinition, "budget", "want calls of at least 1 and a positive windowMs")
	}
	return nil
}

func (d *Definition) checkPaths() error {
	for _, list := range []struct {
		name  string
		paths *[]string
	}{{"reads", &d.Reads}, {"writes", &d.Writes}} {
		var own []string
		for _, path := range *list.paths {
			if !isWord(path, maxPath, "._:/-") {
				return defect(registry.InvalidDefinition, list.name, "a state path is [a-z][A-Za-z0-9._:/-]{0,%d}", maxPath-1)
			}
			if !slices.Contains(own, path) {
				own = append(own, path)
			}
		}
		*list.paths = own
	}
	return nil
}

// checkWays checks what is one of a few, and fills in the defaults.
func (d *Definition) checkWays() error {
	switch d.Scope {
	case "":
		d.Scope = PageScope
	case PageScope, SessionScope, ServerScope:
	default:
		return defect(registry.InvalidDefinition, "scope", "want page, session or server")
	}
	if err := d.Reconciliation.check("reconciliation"); err != nil {
		return defect(registry.InvalidDefinition, "reconciliation", "want accept-server-state, reload or manual")
	}
	if d.Reconciliation == "" {
		d.Reconciliation = Manual
	}
	if d.Confirmation.Rank() < 0 {
		return defect(registry.InvalidDefinition, "confirmation", "want never, optional or required")
	}
	return nil
}

// isWord reports whether text is a lower-case letter and then letters, digits and the other characters, at most most.
func isWord(text string, most int, others string) bool {
	for i, c := range []byte(text) {
		lower := 'a' <= c && c <= 'z'
		if !lower && (i == 0 || !('A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte(others, c) >= 0)) {
			return false
		}
	}
	return text != "" && len(text) <= most
}

// maxAnnotations is how many bytes of JSON the hints may have: as much as the meta of a capability.
const maxAnnotations = 2048

// effectOf is what the hints say that calling means, by the rule of web tools.
func effectOf(annotations capability.JSON) (capability.Effect, error) {
	if annotations.Absent() {
		return capability.ServerMutation, nil
	}
	limits := capability.ValueLimits{MaxBytes: maxAnnotations, MaxDepth: capability.DefaultLimits().MaxInputDepth}
	if _, issue := limits.Decode(annotations); issue != nil {
		return "", defect(registry.InvalidDefinition, "annotations", "%v", issue)
	}
	if annotations.Kind() != '{' {
		return "", defect(registry.InvalidDefinition, "annotations", "must be an object")
	}
	readOnly, destructive, open := hint(annotations, "readOnlyHint"), hint(annotations, "destructiveHint"), hint(annotations, "openWorldHint")
	switch {
	case readOnly && (destructive || open):
		return "", defect(registry.InvalidDefinition, "annotations.readOnlyHint", "what only reads is neither destructive nor reaches outside of the application")
	case destructive:
		return capability.Destructive, nil
	case open:
		return capability.ExternalSideEffect, nil
	case readOnly:
		return capability.ServerQuery, nil
	}
	return capability.ServerMutation, nil
}

func hint(annotations capability.JSON, name string) bool {
	for _, member := range annotations.Members() {
		if member.Name == name {
			return member.Value == "true"
		}
	}
	return false
}
