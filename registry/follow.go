package registry

import (
	"maps"
	"slices"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// Follower tells what has changed of the surface, as one consumer sees it, since it was asked before. What has not
// changed costs it nothing, except that When, Describe and discovery hooks are asked each time, and that a budget
// makes every component matter to every other.
//
// One flow at a time may ask it.
type Follower struct {
	registry *Registry
	options  SnapshotOptions
	seen     map[*registration][]look

	// Under the registry's lock: what has to be looked at, and whether it is new.
	dirty map[*registration]bool
}

// Sight is what is seen of one registration.
type Sight struct {
	RegistrationID string
	// Component is nil when nothing of it is seen.
	Component  *ComponentView
	Procedures []ProcedureView

	reg *registration
}

// Compare is negative when a snapshot shows s before other, 0 when they are of one registration.
func (s *Sight) Compare(other *Sight) int { return compareForReaders(s.reg, other.reg) }

// Changes are what a Follower has to tell.
type Changes struct {
	SurfaceVersion string
	// Seen are new registrations and those that look different, in the order of a snapshot.
	Seen []Sight
	// Gone are the ids of registrations of which nothing is seen any more, in no order.
	Gone []string
}

// Follow begins with everything as new.
func (r *Registry) Follow(options SnapshotOptions) *Follower {
	options.Consumer = options.Consumer.OrAnonymous()
	f := &Follower{registry: r, options: options, seen: map[*registration][]look{}, dirty: map[*registration]bool{}}
	r.mu.Lock()
	defer r.mu.Unlock()
	if !r.state.disposed {
		r.state.followers[f] = struct{}{}
		for _, reg := range r.state.live {
			f.dirty[reg] = true
		}
	}
	return f
}

// Serve makes it look as another consumer from the next Changes on. What no discovery hook decides looks the same to
// everybody; the rest is asked each time anyway.
func (f *Follower) Serve(consumer capability.Consumer) { f.options.Consumer = consumer.OrAnonymous() }

// Stop lets the registry forget the follower.
func (f *Follower) Stop() {
	f.registry.mu.Lock()
	defer f.registry.mu.Unlock()
	delete(f.registry.state.followers, f)
}

// touch says that a registration is new, is gone, or may look different.
func (s *state) touch(reg *registration, isNew bool) {
	reg.changed()
	for f := range s.followers {
		if !reg.active && f.dirty[reg] {
			delete(f.dirty, reg) // it came and went while the follower did not ask
			continue
		}
		f.dirty[reg] = f.dirty[reg] || isNew
	}
}

// Changes looks at the surface. The error is ErrDisposed.
func (f *Follower) Changes() (*Changes, error) {
	list, version, err := f.take()
	if err != nil {
		return nil, err
	}
	changes := &Changes{SurfaceVersion: version}
	if len(list) == 0 {
		return changes, nil
	}
	affordable, err := f.affordable()
	if err != nil {
		return nil, err
	}
	hostContext := f.registry.hostContext()
	var looks []look
	for _, reg := range list {
		before, known := f.seen[reg]
		looks = f.look(looks[:0], reg, hostContext)
		if affordable != nil && !affordable[reg.id] {
			reg.hideComponent(looks)
		}
		switch visible := slices.ContainsFunc(looks, func(l look) bool { return !l.hidden }); {
		case !visible && known:
			delete(f.seen, reg)
			changes.Gone = append(changes.Gone, reg.id)
		case visible && !(known && slices.Equal(before, looks)):
			f.seen[reg] = slices.Clone(looks)
			changes.Seen = append(changes.Seen, reg.sight(looks))
		}
	}
	return changes, nil
}

// take is what has to be looked at, in the order of a snapshot.
func (f *Follower) take() ([]*registration, string, error) {
	r := f.registry
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.disposed {
		return nil, "", ErrDisposed
	}
	for reg := range r.state.unsteady {
		f.dirty[reg] = true
	}
	if f.options.budgeted() {
		for _, reg := range r.state.live {
			f.dirty[reg] = true
		}
	}
	list := slices.SortedFunc(maps.Keys(f.dirty), compareForReaders)
	f.dirty = map[*registration]bool{} // clearing one that was large once would take long for ever
	return list, r.state.versionText(), nil
}

// look is how a registration looks now; nothing is seen of one that is gone.
func (f *Follower) look(list []look, reg *registration, hostContext policy.Host) []look {
	if !f.registry.active(reg) {
		return list
	}
	return f.registry.looks(list, reg, f.options, hostContext)
}

// affordable are the registrations whose component the budget allows, nil without a budget.
func (f *Follower) affordable() (map[string]bool, error) {
	if !f.options.budgeted() {
		return nil, nil
	}
	snapshot, err := f.registry.Snapshot(f.options)
	if err != nil {
		return nil, err
	}
	ids := map[string]bool{}
	for i := range snapshot.Components {
		ids[snapshot.Components[i].RegistrationID] = true
	}
	return ids, nil
}

// hideComponent leaves of the looks those of procedures, which have no part in a budget.
func (reg *registration) hideComponent(looks []look) {
	for i := range looks {
		if reg.entries[i].kind != capability.Procedure {
			looks[i] = look{view: view{hidden: true}}
		}
	}
}

func (reg *registration) sight(looks []look) Sight {
	s := Sight{RegistrationID: reg.id, reg: reg}
	component, shown, procedures := reg.views(looks)
	if s.Procedures = procedures; shown {
		s.Component = &component
	}
	return s
}
