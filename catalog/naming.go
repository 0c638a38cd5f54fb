package catalog

import (
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/wirename"
)

// noInput is the input schema of what takes none.
const noInput capability.JSON = `{"type":"object","properties":{},"additionalProperties":false}`

// enter adds what is seen of a registration. unnamed collects the members whose names have to be looked at.
func (c *Catalog) enter(sight *registry.Sight, unnamed members) {
	s := &section{sight: sight}
	c.sections[sight.RegistrationID] = s
	if sight.Component != nil {
		s.readComponent(sight.Component)
		unnamed.add(s.component...)
		for other := range lonely(c.types.add(sight.Component.Type, s)) {
			unnamed.add(other.component...)
		}
	}
	for i := range sight.Procedures {
		m := s.readProcedure(&sight.Procedures[i])
		unnamed.add(m)
		for other := range lonely(c.paths.add(m.CapabilityID, m)) {
			unnamed.add(other)
		}
		for other := range lonely(c.contexts.add(m.context(), m)) {
			unnamed.add(other)
		}
	}
}

// leave takes a registration out.
func (c *Catalog) leave(s *section, unnamed members) {
	delete(c.sections, s.sight.RegistrationID)
	if s.sight.Component != nil {
		for other := range lonely(c.types.remove(s.sight.Component.Type, s)) {
			unnamed.add(other.component...)
		}
	}
	for _, m := range s.procedures {
		for other := range lonely(c.paths.remove(m.CapabilityID, m)) {
			unnamed.add(other)
		}
		for other := range lonely(c.contexts.remove(m.context(), m)) {
			unnamed.add(other)
		}
	}
	for _, list := range [][]*member{s.component, s.procedures} {
		for _, m := range list {
			c.rename(m, "")
			c.setPlain(m, "")
			delete(unnamed, m)
		}
	}
}

func (s *section) readComponent(c *registry.ComponentView) {
	add := func(item Item) {
		item.RegistrationID = c.RegistrationID
		s.component = append(s.component, &member{Item: item, section: s, index: len(s.component), instanceID: c.InstanceID})
	}
	for i := range c.Observations {
		o := &c.Observations[i]
		add(Item{Kind: capability.Observation, CapabilityID: o.CapabilityID, Texts: o.Texts, Input: noInput, Output: o.OutputSchema, Effect: capability.Read, Idempotent: true, State: o.State, View: o})
	}
	for i := range c.Actions {
		a := &c.Actions[i]
		add(Item{Kind: capability.Action, CapabilityID: a.CapabilityID, Texts: a.Texts, Input: a.InputSchema, Output: a.OutputSchema, Effect: a.Effect, Idempotent: a.Idempotent,
			Confirmation: a.Confirmation, State: a.State, View: a})
	}
}

func (s *section) readProcedure(p *registry.ProcedureView) *member {
	m := &member{section: s, index: len(s.procedures), Item: Item{
		Kind: capability.Procedure, CapabilityID: p.ProcedureID, RegistrationID: p.RegistrationID, Texts: p.Texts,
		Input: p.InputSchema, Output: p.OutputSchema, Effect: p.Effect, Idempotent: p.Idempotent, Confirmation: p.Confirmation,
		State: p.State, Note: p.ContextualNote, View: p,
	}}
	if p.Context != nil {
		m.instanceID = p.Context.InstanceID
	}
	s.procedures = append(s.procedures, m)
	return m
}

func (m *member) context() wirename.Entry {
	return wirename.Entry{ID: m.CapabilityID, InstanceID: m.instanceID}
}

// entryOf qualifies a member where its id alone does not tell it apart: a component's by its instance, a procedure's
// by its context's instance, or by its registration where that does not do either.
func (c *Catalog) entryOf(m *member) wirename.Entry {
	entry := m.context()
	switch {
	case m.Kind != capability.Procedure:
		if len(c.types[m.section.sight.Component.Type]) == 1 {
			entry.InstanceID = ""
		}
	case len(c.paths[m.CapabilityID]) == 1:
		entry.InstanceID = ""
	case entry.InstanceID == "" || len(c.contexts[entry]) > 1:
		entry.InstanceID = m.RegistrationID
	}
	return entry
}

// name names members anew, and every member when names have to be told apart.
func (c *Catalog) name(unnamed members) error {
	together := c.shared > 0
	for m := range unnamed {
		m.entry = c.entryOf(m)
		plain, err := wirename.EncodeForInstance(m.entry.ID, m.entry.InstanceID, 0)
		if err != nil {
			return fmt.Errorf("naming %s: %w", m.CapabilityID, err)
		}
		c.setPlain(m, plain)
	}
	if together || c.shared > 0 {
		return c.nameAll()
	}
	for m := range unnamed {
		if m.name != m.plain {
			c.rename(m, "") // somebody else may take it
		}
	}
	for m := range unnamed {
		c.rename(m, m.plain)
	}
	return nil
}

// nameAll tells the names of all members apart.
func (c *Catalog) nameAll() error {
	var all []*member
	var entries []wirename.Entry
	for _, s := range c.sections {
		for _, list := range [][]*member{s.component, s.procedures} {
			for _, m := range list {
				all = append(all, m)
				entries = append(entries, m.entry)
			}
		}
	}
	names, _, err := wirename.Assign(entries)
	if err != nil {
		return fmt.Errorf("naming the tools: %w", err)
	}
	for i, m := range all {
		if m.name != names[i] {
			c.rename(m, "")
		}
	}
	for i, m := range all {
		c.rename(m, names[i])
	}
	return nil
}

// rename gives a member its name, "" for none. What the old name and the new stand for has changed.
func (c *Catalog) rename(m *member, name string) {
	if m.name == name {
		return
	}
	if m.name != "" {
		delete(c.byName, m.name)
		c.touched[m.name] = struct{}{}
	}
	if m.name = name; name != "" {
		c.byName[name] = m
		c.touched[name] = struct{}{}
	}
}

// setPlain keeps count of the names that several members would have.
func (c *Catalog) setPlain(m *member, plain string) {
	if m.plain == plain {
		return
	}
	if m.plain != "" {
		switch c.plain[m.plain]--; c.plain[m.plain] {
		case 0:
			delete(c.plain, m.plain)
		case 1:
			c.shared--
		}
	}
	if m.plain = plain; plain != "" {
		if c.plain[plain]++; c.plain[plain] == 2 {
			c.shared++
		}
	}
}
