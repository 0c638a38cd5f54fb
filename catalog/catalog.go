// Package catalog names what a registry offers to one consumer, for adapters that list it as tools, and keeps that up
// to date at the cost of what has changed.
//
// What is unavailable is in it too, so that a tool's name does not depend on the availability of others.
package catalog

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/wirename"
)

// Source is the registry, or something that shows it.
type Source interface {
	Follow(options registry.SnapshotOptions) *registry.Follower
}

// Item is one capability of the catalog. It never changes: when something about the capability does, another item
// takes its place.
type Item struct {
	Kind           capability.Kind
	CapabilityID   string
	RegistrationID string
	Texts          registry.Texts
	// Input is what the agent passes; for observations the schema of an empty object.
	Input        capability.JSON
	Output       capability.JSON // absent when none is declared
	Effect       capability.Effect
	Idempotent   bool
	Confirmation capability.Confirmation
	State        registry.State
	// Note is what the page says of a procedure's present context, "" when it says nothing.
	Note string
	// View is the capability as a snapshot shows it.
	View interface{ JSON() capability.JSON }
}

// Catalog is one consumer's. It is not safe for concurrent use.
type Catalog struct {
	follower *registry.Follower
	sections map[string]*section // by registration

	// What decides how a member's name is qualified.
	types    groups[string, *section]        // components by type
	paths    groups[string, *member]         // procedures by id
	contexts groups[wirename.Entry, *member] // procedures by id and context

	plain  map[string]int // how many members would have a name if no other had it too
	shared int            // such names of several members; then all names are assigned together

	byName  map[string]*member
	touched map[string]struct{} // names that may stand for something else than at the last update
}

// section is what is seen of one registration.
type section struct {
	sight      *registry.Sight
	component  []*member
	procedures []*member
}

// member is an item and its name, which depends on the others.
type member struct {
	Item
	section    *section
	index      int    // in its section
	instanceID string // what tells several live ones of this id apart
	entry      wirename.Entry
	plain      string // the name of the entry when no other has it too
	name       string
}

// New makes a catalog that is empty until its first Update.
func New(source Source, options registry.SnapshotOptions) *Catalog {
	return &Catalog{
		follower: source.Follow(options), sections: map[string]*section{},
		types: groups[string, *section]{}, paths: groups[string, *member]{}, contexts: groups[wirename.Entry, *member]{},
		plain: map[string]int{}, byName: map[string]*member{}, touched: map[string]struct{}{},
	}
}

// Serve makes the catalog another consumer's, from the next Update on. That costs nothing unless discovery hooks decide.
func (c *Catalog) Serve(consumer capability.Consumer) { c.follower.Serve(consumer) }

// Stop lets go of the registry.
func (c *Catalog) Stop() { c.follower.Stop() }

// Item is what a name stands for, nil when it stands for nothing.
func (c *Catalog) Item(name string) *Item {
	if m := c.byName[name]; m != nil {
		return &m.Item
	}
	return nil
}

// Names are all names, in the order of a snapshot, components before procedures.
func (c *Catalog) Names() []string {
	all := make([]*member, 0, len(c.byName))
	for _, m := range c.byName {
		all = append(all, m)
	}
	return namesOf(all)
}

func namesOf(members []*member) []string {
	slices.SortFunc(members, compareMembers)
	names := make([]string, len(members))
	for i, m := range members {
		names[i] = m.name
	}
	return names
}

func compareMembers(a, b *member) int {
	return cmp.Or(a.rank()-b.rank(), a.section.sight.Compare(b.section.sight), a.index-b.index)
}

func (m *member) rank() int {
	if m.Kind == capability.Procedure {
		return 1
	}
	return 0
}

// Update looks at the surface again. It gives its version, and the names that may stand for something else than
// before, or for nothing any more: those that stand for something first, in the order of Names. The error is
// registry.ErrDisposed.
func (c *Catalog) Update() (version string, names []string, err error) {
	changes, err := c.follower.Changes()
	if err != nil {
		return "", nil, fmt.Errorf("updating the catalog: %w", err)
	}
	c.expect(changes.Seen)
	unnamed := members{}
	for _, id := range changes.Gone {
		c.leave(c.sections[id], unnamed)
	}
	for i := range changes.Seen {
		if old := c.sections[changes.Seen[i].RegistrationID]; old != nil {
			c.leave(old, unnamed)
		}
	}
	for i := range changes.Seen {
		c.enter(&changes.Seen[i], unnamed)
	}
	if err := c.name(unnamed); err != nil {
		return "", nil, err
	}
	return changes.SurfaceVersion, c.takeTouched(), nil
}

// expect makes room for a catalog's first members, of which there may be many.
func (c *Catalog) expect(seen []registry.Sight) {
	if len(c.sections) > 0 {
		return
	}
	members := 0
	for i := range seen {
		members += len(seen[i].Procedures)
		if component := seen[i].Component; component != nil {
			members += len(component.Observations) + len(component.Actions)
		}
	}
	c.sections = make(map[string]*section, len(seen))
	c.plain, c.byName, c.touched = make(map[string]int, members), make(map[string]*member, members), make(map[string]struct{}, members)
}

func (c *Catalog) takeTouched() []string {
	standing := make([]*member, 0, len(c.touched))
	var gone []string
	for name := range c.touched {
		if m := c.byName[name]; m != nil {
			standing = append(standing, m)
		} else {
			gone = append(gone, name)
		}
	}
	c.touched = map[string]struct{}{} // clearing one that was large once would take long for ever
	slices.Sort(gone)
	return append(namesOf(standing), gone...)
}
