package registry

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// SnapshotOptions say for whom a snapshot is and what it leaves out.
type SnapshotOptions struct {
	// Consumer is who looks; the zero Consumer is the anonymous embedded one.
	Consumer capability.Consumer
	// Scope admits component types by prefix, on segment borders; empty admits all.
	Scope []string
	// OnlyAvailable leaves out what cannot be used now.
	OnlyAvailable bool
	// MaxComponents and MaxBytes drop the components of lowest priority when positive.
	MaxComponents, MaxBytes int
}

// Snapshot is the surface as one consumer sees it at one moment. It is plain data.
type Snapshot struct {
	SurfaceID      string
	SurfaceVersion string
	CapturedAt     time.Time
	Route          *Route
	Components     []ComponentView
	Procedures     []ProcedureView
	// DroppedComponents is how many components the budget left out.
	DroppedComponents int
	// RejectedScopes are scope prefixes that were asked for and refused.
	RejectedScopes []string
}

// ComponentView is one component in a snapshot.
type ComponentView struct {
	Type, InstanceID, RegistrationID, Description string
	Parent                                        *ComponentRef
	Meta                                          capability.JSON
	Observations                                  []ObservationView
	Actions                                       []ActionView
}

// State is whether a capability can be used now.
type State struct {
	Available bool
	// UnavailableReason is set when it cannot.
	UnavailableReason string
}

// Texts are what a capability says of itself.
type Texts struct {
	// Title is "" when none is declared.
	Title       string
	Description string
	// UntrustedContent says that outputs hold text that others wrote.
	UntrustedContent bool
}

// ObservationView is one observation in a snapshot.
type ObservationView struct {
	CapabilityID, Name string
	Texts
	OutputSchema capability.JSON
	State
	Meta capability.JSON
}

// ActionView is one action in a snapshot.
type ActionView struct {
	CapabilityID, Name string
	Texts
	InputSchema, OutputSchema capability.JSON
	Effect                    capability.Effect
	Idempotent, Reversible    bool
	Confirmation              capability.Confirmation
	State
	Meta capability.JSON
}

// ProcedureView is one procedure in a snapshot.
type ProcedureView struct {
	ProcedureID string
	Texts
	// ContextualNote is what the page says of the present context; it may change at any time.
	ContextualNote            string
	InputSchema, OutputSchema capability.JSON
	Effect                    capability.Effect
	Idempotent                bool
	Confirmation              capability.Confirmation
	State
	BoundFields    []BoundField
	RegistrationID string
	Context        *ComponentRef
	Meta           capability.JSON
}

// BoundField is an input member that the page supplies from its state.
type BoundField struct {
	Path string
	// Locked says that the agent may not supply it.
	Locked bool
}

// Snapshot shows the surface. It runs no read, waits for nothing and changes nothing. The error is
// ErrDisposed.
func (r *Registry) Snapshot(options SnapshotOptions) (*Snapshot, error) {
	options.Consumer = options.Consumer.OrAnonymous()
	registrations, version, err := r.liveSorted()
	if err != nil {
		return nil, err
	}
	snapshot := &Snapshot{
		SurfaceID: r.surfaceID, SurfaceVersion: version, CapturedAt: r.options.Now(), Route: r.route(),
		Components: []ComponentView{}, Procedures: []ProcedureView{},
	}
	hostContext := r.hostContext()
	for _, reg := range registrations {
		r.show(snapshot, reg, options, hostContext)
	}
	snapshot.applyBudget(options)
	return snapshot, nil
}

// liveSorted are the live registrations: priority high first, then type, then instance, in byte order.
func (r *Registry) liveSorted() ([]*registration, string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.disposed {
		return nil, "", ErrDisposed
	}
	list := make([]*registration, 0, len(r.state.live))
	for _, reg := range r.state.live {
		list = append(list, reg)
	}
	slices.SortFunc(list, func(a, b *registration) int {
		return cmp.Or(
			cmp.Compare(b.priority, a.priority),
			strings.Compare(a.key.componentType, b.key.componentType),
			strings.Compare(a.key.instanceID, b.key.instanceID),
		)
	})
	return list, r.state.versionText(), nil
}

func (r *Registry) route() (route *Route) {
	if r.options.Route == nil {
		return nil
	}
	defer func() {
		if cause := recover(); cause != nil {
			r.options.Log(fmt.Sprintf("route() failed, so the snapshot has none: %v", cause))
			route = nil
		}
	}()
	return r.options.Route()
}

// show adds what the consumer may see of one registration.
func (r *Registry) show(snapshot *Snapshot, reg *registration, options SnapshotOptions, hostContext policy.Host) {
	component := ComponentView{
		Type: reg.key.componentType, InstanceID: reg.key.instanceID, RegistrationID: reg.id,
		Description: reg.description, Parent: reg.parent.copy(), Meta: reg.meta,
		Observations: []ObservationView{}, Actions: []ActionView{},
	}
	shown := false
	for _, e := range reg.entries {
		if !MatchesScope(e.shownWith(), options.Scope) {
			continue
		}
		look := r.look(e, options.Consumer, hostContext)
		if look.hidden || options.OnlyAvailable && !look.available {
			continue
		}
		switch state := (State{look.available, look.reason}); e.kind {
		case capability.Observation:
			component.Observations = append(component.Observations, e.observationView(state))
			shown = true
		case capability.Action:
			component.Actions = append(component.Actions, e.actionView(state))
			shown = true
		default:
			snapshot.Procedures = append(snapshot.Procedures, r.procedureView(e, state))
		}
	}
	if shown {
		snapshot.Components = append(snapshot.Components, component)
	}
}

// shownWith is the type of the component that e belongs to for a reader, which for a procedure need not be the
// one that registers it.
func (e *entry) shownWith() string {
	if e.binding != nil {
		return e.binding.context.Type
	}
	return e.reg.key.componentType
}

// copy is ref for a reader, who may change what is theirs.
func (ref *ComponentRef) copy() *ComponentRef {
	if ref == nil {
		return nil
	}
	own := *ref
	return &own
}

func (e *entry) texts() Texts {
	return Texts{Title: e.title, Description: e.description, UntrustedContent: e.untrusted}
}

func (e *entry) outputText() capability.JSON {
	if e.output == nil {
		return ""
	}
	return e.output.text()
}

func (e *entry) observationView(state State) ObservationView {
	return ObservationView{
		CapabilityID: e.idText, Name: e.name, Texts: e.texts(), OutputSchema: e.outputText(), State: state, Meta: e.meta,
	}
}

func (e *entry) actionView(state State) ActionView {
	return ActionView{
		CapabilityID: e.idText, Name: e.name, Texts: e.texts(),
		InputSchema: e.input.text(), OutputSchema: e.outputText(), Effect: e.effect,
		Idempotent: e.idempotent, Reversible: e.reversible, Confirmation: e.shown, State: state, Meta: e.meta,
	}
}

func (r *Registry) procedureView(e *entry, state State) ProcedureView {
	b := e.binding
	view := ProcedureView{
		ProcedureID: e.idText, Texts: e.texts(), ContextualNote: r.note(e),
		InputSchema: b.reduced.text(), OutputSchema: e.outputText(), Effect: e.effect, Idempotent: e.idempotent,
		Confirmation: e.shown, State: state, BoundFields: []BoundField{}, RegistrationID: e.reg.id,
		Context: b.context.copy(), Meta: e.meta,
	}
	for _, key := range b.bound {
		view.BoundFields = append(view.BoundFields, BoundField{Path: key, Locked: b.locked[key]})
	}
	return view
}

// note is the page's text on the present context, "" when it has none or its function fails.
func (r *Registry) note(e *entry) (note string) {
	if e.binding.describe == nil {
		return ""
	}
	defer func() {
		if cause := recover(); cause != nil {
			note = ""
		}
	}()
	text, err := e.binding.describe()
	if err != nil {
		return ""
	}
	return r.cutReason(text)
}

// MatchesScope reports whether a component type lies under one of the prefixes, on segment borders; an empty
// scope admits everything.
func MatchesScope(componentType string, scope []string) bool {
	if len(scope) == 0 {
		return true
	}
	return slices.ContainsFunc(scope, func(prefix string) bool {
		return componentType == prefix || strings.HasPrefix(componentType, prefix+".")
	})
}

// applyBudget drops components from the end, which is where the lowest priorities are.
func (s *Snapshot) applyBudget(options SnapshotOptions) {
	all := s.Components
	keep := func(n int) { s.Components, s.DroppedComponents = all[:n], len(all)-n }
	most := len(all)
	if options.MaxComponents > 0 {
		most = min(most, options.MaxComponents)
	}
	keep(most)
	if options.MaxBytes <= 0 || len(s.JSON()) <= options.MaxBytes {
		return
	}
	tooMany := sort.Search(most, func(n int) bool { // a component is longer than what "truncated" adds
		keep(n)
		return len(s.JSON()) > options.MaxBytes
	})
	keep(max(0, tooMany-1))
}
