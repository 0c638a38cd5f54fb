package webmcp

import (
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/wirename"
)

// noInput is the input schema of what takes none.
const noInput capability.JSON = `{"type":"object","properties":{},"additionalProperties":false}`

// candidate is a capability of a snapshot that may become a tool. Except for available it follows from its
// registration alone.
type candidate struct {
	kind           capability.Kind
	id             string
	instanceID     string // what tells several live ones of this id apart
	registrationID string
	texts          registry.Texts
	input          capability.JSON
	effect         capability.Effect
	available      bool
	view           interface{ JSON() capability.JSON }
}

// candidatesOf are the capabilities of a snapshot in its order, and the entries to name them by.
//
// What is unavailable is among them, so that a tool's name does not depend on the availability of others.
func candidatesOf(s *registry.Snapshot) ([]candidate, []wirename.Entry) {
	instances := map[string]int{}
	for i := range s.Components {
		instances[s.Components[i].Type]++
	}
	var list []candidate
	var entries []wirename.Entry
	for i := range s.Components {
		c := &s.Components[i]
		first := len(list)
		list = appendComponent(list, c)
		for _, candidate := range list[first:] {
			entry := wirename.Entry{ID: candidate.id}
			if instances[c.Type] > 1 {
				entry.InstanceID = candidate.instanceID
			}
			entries = append(entries, entry)
		}
	}
	for i := range s.Procedures {
		list = append(list, procedureCandidate(&s.Procedures[i]))
	}
	return list, append(entries, procedureEntries(list[len(entries):])...)
}

func appendComponent(list []candidate, c *registry.ComponentView) []candidate {
	for i := range c.Observations {
		o := &c.Observations[i]
		list = append(list, candidate{
			kind: capability.Observation, id: o.CapabilityID, instanceID: c.InstanceID,
			registrationID: c.RegistrationID, texts: o.Texts, input: noInput, effect: capability.Read,
			available: o.Available, view: o,
		})
	}
	for i := range c.Actions {
		a := &c.Actions[i]
		list = append(list, candidate{
			kind: capability.Action, id: a.CapabilityID, instanceID: c.InstanceID,
			registrationID: c.RegistrationID, texts: a.Texts, input: a.InputSchema, effect: a.Effect,
			available: a.Available, view: a,
		})
	}
	return list
}

func procedureCandidate(p *registry.ProcedureView) candidate {
	c := candidate{
		kind: capability.Procedure, id: p.ProcedureID, registrationID: p.RegistrationID, texts: p.Texts,
		input: p.InputSchema, effect: p.Effect, available: p.Available, view: p,
	}
	if p.Context != nil {
		c.instanceID = p.Context.InstanceID
	}
	return c
}

// procedureEntries qualifies the procedures that are referred to more than once: by their context's
// instance, by their registration where that does not tell them apart.
func procedureEntries(procedures []candidate) []wirename.Entry {
	references := map[string]int{}
	sharing := map[wirename.Entry]int{}
	for _, p := range procedures {
		references[p.id]++
		sharing[wirename.Entry{ID: p.id, InstanceID: p.instanceID}]++
	}
	entries := make([]wirename.Entry, len(procedures))
	for i, p := range procedures {
		entry := wirename.Entry{ID: p.id, InstanceID: p.instanceID}
		switch {
		case references[p.id] == 1:
			entry.InstanceID = ""
		case entry.InstanceID == "" || sharing[entry] > 1:
			entry.InstanceID = p.registrationID
		}
		entries[i] = entry
	}
	return entries
}

// offered is a tool as it should be: everything but its token, which belongs to one registration with the
// browser, and what the token is made of.
type offered struct {
	Tool
	registrationID string
}

// same reports whether the browser need not be told of the difference.
func (o offered) same(other offered) bool {
	return o.registrationID == other.registrationID && o.CapabilityID == other.CapabilityID &&
		o.Name == other.Name && o.Title == other.Title && o.Description == other.Description &&
		o.InputSchema == other.InputSchema && o.Annotations == other.Annotations
}

// catalog is what a snapshot offers over WebMCP, in the snapshot's order.
func (a *Adapter) catalog(s *registry.Snapshot) ([]offered, error) {
	candidates, entries := candidatesOf(s)
	names, _, err := wirename.Assign(entries)
	if err != nil {
		return nil, fmt.Errorf("naming the tools: %w", err)
	}
	tools := make([]offered, 0, len(candidates))
	for i, c := range candidates {
		if !c.available {
			continue
		}
		exposure := a.expose(c)
		if exposure.Skip {
			continue
		}
		tools = append(tools, c.tool(names[i], exposure, a.options.ExposedTo))
	}
	return tools, nil
}

func (c candidate) tool(name string, exposure Exposure, exposedTo []string) offered {
	description := c.texts.Description
	if exposure.Description != "" {
		description = exposure.Description
	}
	return offered{
		registrationID: c.registrationID,
		Tool: Tool{
			Name: name, Title: c.texts.Title, Description: description, InputSchema: c.input,
			CapabilityID: c.id, ExposedTo: exposedTo,
			Annotations: Annotations{
				ReadOnly:         c.effect.OnlyReads(),
				Consequential:    c.effect.Consequential(),
				UntrustedContent: c.texts.UntrustedContent,
			},
		},
	}
}

// expose asks the curation hook. A hook that fails leaves the capability out: it was meant to narrow.
func (a *Adapter) expose(c candidate) (exposure Exposure) {
	if a.options.Expose == nil {
		return Exposure{}
	}
	defer func() {
		if cause := recover(); cause != nil {
			a.log(fmt.Sprintf("exposeCapability failed on %s, which is left out: %v", c.id, cause))
			exposure = Exposure{Skip: true}
		}
	}()
	exposure, err := a.options.Expose(Descriptor{
		Kind: c.kind, CapabilityID: c.id, RegistrationID: c.registrationID, Description: c.texts.Description, view: c.view,
	})
	if err != nil {
		a.log(fmt.Sprintf("exposeCapability failed on %s, which is left out: %v", c.id, err))
		return Exposure{Skip: true}
	}
	return exposure
}
