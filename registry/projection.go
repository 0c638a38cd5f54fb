package registry

import (
	"slices"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// Projection is a snapshot as JSON, in parts. A part that has not changed is the same pointer as in the last
// projection, and a list of which no part has changed is the same list, so that who keeps what was made of them
// works only for what has changed.
type Projection struct {
	SurfaceID      string
	SurfaceVersion string
	CapturedAt     time.Time
	Route          *Route
	// Parts are in the order of a snapshot. They are shared and must not be changed.
	Parts []*Part
	// DroppedComponents is how many components the budget left out.
	DroppedComponents int
}

// Part is what a reader sees of one registration.
type Part struct {
	// Internal is what the registration was made with.
	Internal any
	// Component is "" when nothing of it is seen, or when the budget left it out.
	Component capability.JSON
	// Procedures are those that it offers.
	Procedures []capability.JSON

	looks []look
}

// projected are the parts of the last projection for which nothing had to be asked.
type projected struct {
	parts   []*Part
	version uint64
}

// Project shows the surface as Snapshot does. The error is ErrDisposed.
func (r *Registry) Project(options SnapshotOptions) (*Projection, error) {
	options.Consumer = options.Consumer.OrAnonymous()
	registrations, version, err := r.liveSorted()
	if err != nil {
		return nil, err
	}
	p := &Projection{SurfaceID: r.surfaceID, SurfaceVersion: version, CapturedAt: r.options.Now(), Route: r.route()}
	if p.Parts = r.partsAgain(options); p.Parts == nil {
		p.Parts = r.parts(registrations, version, options)
	}
	p.applyBudget(options)
	return p, nil
}

// whole reports whether the options leave out nothing of what the consumer may see.
func (options *SnapshotOptions) whole() bool {
	return len(options.Scope) == 0 && !options.OnlyAvailable
}

// partsAgain are the parts of the last projection, nil when something may look different now.
func (r *Registry) partsAgain(options SnapshotOptions) []*Part {
	r.mu.Lock()
	defer r.mu.Unlock()
	s := &r.state
	if !options.whole() || len(s.unsteady) > 0 || s.projected.version != s.version {
		return nil
	}
	return s.projected.parts
}

// parts are those of the registrations that were live at the version before.
func (r *Registry) parts(registrations []*registration, before string, options SnapshotOptions) []*Part {
	hostContext := r.hostContext()
	parts := make([]*Part, 0, len(registrations))
	var looks []look
	for _, reg := range registrations {
		part := r.partAgain(reg, options)
		if part == nil {
			part, looks = r.part(looks, reg, options, hostContext)
		}
		if part.Component != "" || len(part.Procedures) > 0 {
			parts = append(parts, part)
		}
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if s := &r.state; options.whole() && len(s.unsteady) == 0 && s.versionText() == before {
		s.projected = projected{parts, s.version}
	}
	return parts
}

// partAgain is the part of a registration of which nothing has to be asked, nil when it may look different now.
func (r *Registry) partAgain(reg *registration, options SnapshotOptions) *Part {
	if !reg.steady || !options.whole() {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return reg.part
}

// part is how a registration looks now: its last part, if it looks as it did then. scratch is room for the
// comparison.
func (r *Registry) part(scratch []look, reg *registration, options SnapshotOptions, hostContext policy.Host) (*Part, []look) {
	r.mu.Lock()
	changes, last := reg.changes, reg.part
	r.mu.Unlock()
	looks := r.looks(scratch[:0], reg, options, hostContext)
	if last != nil && slices.Equal(last.looks, looks) {
		return last, looks
	}
	part := newPart(reg, looks)
	r.mu.Lock()
	defer r.mu.Unlock()
	if options.whole() && reg.changes == changes {
		reg.part = part
	}
	return part, looks
}

func newPart(reg *registration, looks []look) *Part {
	part := &Part{Internal: reg.internal, looks: slices.Clone(looks)}
	component, shown, procedures := reg.views(looks)
	if shown {
		part.Component = component.JSON()
	}
	for _, procedure := range procedures {
		part.Procedures = append(part.Procedures, procedure.JSON())
	}
	return part
}

// changed says that the registration may look different from now on.
func (reg *registration) changed() {
	reg.changes++
	reg.part = nil
}

// applyBudget leaves out components from the end, which is where the lowest priorities are.
func (p *Projection) applyBudget(options SnapshotOptions) {
	if !options.budgeted() {
		return
	}
	all := 0
	upTo := []int{0} // bytes of the first n components, each with its comma
	bytes := 0
	for _, part := range p.Parts {
		if part.Component != "" {
			all++
			upTo = append(upTo, upTo[all-1]+len(part.Component)+len(","))
		}
		for _, procedure := range part.Procedures {
			bytes += len(procedure) + len(",")
		}
	}
	if bytes > 0 {
		bytes -= len(",")
	}
	n := options.affordable(all, func(n int) int {
		p.DroppedComponents = all - n
		return len(p.JSON("[]", "[]")) + bytes + max(0, upTo[n]-len(","))
	})
	p.DroppedComponents = all - n
	p.Parts = withComponents(p.Parts, n)
}

// withComponents is the parts with their first n components; procedures have no part in the budget.
func withComponents(parts []*Part, n int) []*Part {
	var kept []*Part
	for _, part := range parts {
		switch {
		case part.Component == "" || n > 0:
			kept = append(kept, part)
		case len(part.Procedures) > 0:
			kept = append(kept, &Part{Internal: part.Internal, Procedures: part.Procedures})
		}
		if part.Component != "" {
			n--
		}
	}
	return kept
}

// JSON is the snapshot as an object, with what stands for its components and procedures.
func (p *Projection) JSON(components, procedures capability.JSON) capability.JSON {
	var o capability.ObjectWriter
	o.Text("surfaceId", p.SurfaceID)
	o.Text("surfaceVersion", p.SurfaceVersion)
	o.Text("capturedAt", capability.FormatTime(p.CapturedAt))
	o.Raw("route", p.Route.json())
	o.Raw("components", components)
	o.Raw("procedures", procedures)
	o.Raw("truncated", truncatedJSON(p.DroppedComponents))
	return o.JSON()
}
