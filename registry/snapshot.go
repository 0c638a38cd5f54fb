package registry

import (
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

func (o *SnapshotOptions) budgeted() bool { return o.MaxComponents > 0 || o.MaxBytes > 0 }

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
	var looks []look
	for _, reg := range registrations {
		looks = r.looks(looks[:0], reg, options, hostContext)
		component, shown, procedures := reg.views(looks)
		if shown {
			snapshot.Components = append(snapshot.Components, component)
		}
		snapshot.Procedures = append(snapshot.Procedures, procedures...)
	}
	snapshot.applyBudget(options)
	return snapshot, nil
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

// look is how one capability looks to one consumer at one moment.
type look struct {
	view
	note string // a procedure's
}

// looks appends how the capabilities of one registration look.
func (r *Registry) looks(list []look, reg *registration, options SnapshotOptions, hostContext policy.Host) []look {
	for _, e := range reg.entries {
		if !MatchesScope(e.shownWith(), options.Scope) {
			list = append(list, look{view: view{hidden: true}})
			continue
		}
		one := look{view: r.look(e, options.Consumer, hostContext)}
		if one.hidden || options.OnlyAvailable && !one.available {
			one = look{view: view{hidden: true}}
		} else if e.kind == capability.Procedure {
			one.note = r.note(e)
		}
		list = append(list, one)
	}
	return list
}

// views is what the consumer sees of a registration, given how its capabilities look. A component of which nothing
// is seen is not shown.
func (reg *registration) views(looks []look) (component ComponentView, shown bool, procedures []ProcedureView) {
	component = ComponentView{
		Type: reg.key.componentType, InstanceID: reg.key.instanceID, RegistrationID: reg.id,
		Description: reg.description, Parent: reg.parent.copy(), Meta: reg.meta,
		Observations: []ObservationView{}, Actions: []ActionView{},
	}
	for i, e := range reg.entries {
		if looks[i].hidden {
			continue
		}
		switch state := (State{looks[i].available, looks[i].reason}); e.kind {
		case capability.Observation:
			component.Observations = append(component.Observations, e.observationView(state))
			shown = true
		case capability.Action:
			component.Actions = append(component.Actions, e.actionView(state))
			shown = true
		default:
			procedures = append(procedures, e.procedureView(state, looks[i].note))
		}
	}
	return component, shown, procedures
}

// shownWith is the type of the component that e belongs to for a reader, which for a procedure need not be the
// one that registers it.
func (e *entry) shownWith() string {
	return e.context().Type
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

func (e *entry) procedureView(state State, note string) ProcedureView {
	b, context := e.binding, e.context()
	view := ProcedureView{
		ProcedureID: e.idText, Texts: e.texts(), ContextualNote: note,
		InputSchema: b.reduced.text(), OutputSchema: e.outputText(), Effect: e.effect, Idempotent: e.idempotent,
		Confirmation: e.shown, State: state, BoundFields: []BoundField{}, RegistrationID: e.reg.id,
		Context: &context, Meta: e.meta,
	}
	for _, key := range b.bound {
		view.BoundFields = append(view.BoundFields, BoundField{Path: key, Locked: b.locked[key]})
	}
	return view
}

// note is the page's text on the present context, "" when it has none or its function fails.
func (r *Registry) note(e *entry) (note string) {
	if e.Describe == nil {
		return ""
	}
	defer func() {
		if cause := recover(); cause != nil {
			note = ""
		}
	}()
	text, err := e.Describe()
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
	keep(options.affordable(len(all), func(n int) int {
		keep(n)
		return len(s.JSON())
	}))
}

// affordable is how many of count components the budget allows, where bytes is how long the snapshot is with the
// first n of them.
func (options *SnapshotOptions) affordable(count int, bytes func(n int) int) int {
	most := count
	if options.MaxComponents > 0 {
		most = min(most, options.MaxComponents)
	}
	if options.MaxBytes <= 0 || bytes(most) <= options.MaxBytes {
		return most
	}
	tooMany := sort.Search(most, func(n int) bool { // a component is longer than what "truncated" adds
		return bytes(n) > options.MaxBytes
	})
	return max(0, tooMany-1)
}
