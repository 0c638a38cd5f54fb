package webmcp

import (
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
)

// Status is how things stand between an adapter and the browser.
type Status struct {
	// Supported says that a model context was found.
	Supported bool
	// Surface is how that object takes tools away, None without one.
	Surface Style
	// Registered are the tools that the browser has taken, by name. Tools that it still has to answer for
	// are in neither list.
	Registered []RegisteredTool
	// Refused are the tools that it did not take at the last attempt, by name. They are tried again at the
	// next reconcile.
	Refused []Refusal
}

// RegisteredTool is a tool that the browser has.
type RegisteredTool struct{ Name, CapabilityID string }

// Refusal is a tool that the browser did not take, and what it said.
type Refusal struct{ Name, CapabilityID, Error string }

// Status is the present state.
func (a *Adapter) Status() Status {
	a.mu.Lock()
	defer a.mu.Unlock()
	status := Status{Surface: None, Registered: []RegisteredTool{}, Refused: []Refusal{}}
	if a.surface != nil {
		status.Supported, status.Surface = true, a.surface.style()
	}
	for _, s := range a.slots {
		if s.settled {
			status.Registered = append(status.Registered, RegisteredTool{s.Name, s.CapabilityID})
		}
	}
	for _, r := range a.refused {
		status.Refused = append(status.Refused, r)
	}
	slices.SortFunc(status.Registered, func(x, y RegisteredTool) int { return strings.Compare(x.Name, y.Name) })
	slices.SortFunc(status.Refused, func(x, y Refusal) int { return strings.Compare(x.Name, y.Name) })
	return status
}

// JSON is the status as an object: { supported, surface, registered: [{ name, capabilityId }], refused:
// [{ name, capabilityId, error }] }.
func (s Status) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Bool("supported", s.Supported)
	o.Text("surface", string(s.Surface))
	o.Raw("registered", capability.ArrayOf(s.Registered, RegisteredTool.json))
	o.Raw("refused", capability.ArrayOf(s.Refused, Refusal.json))
	return o.JSON()
}

func (t RegisteredTool) json() capability.JSON {
	var o capability.ObjectWriter
	o.Text("name", t.Name)
	o.Text("capabilityId", t.CapabilityID)
	return o.JSON()
}

func (r Refusal) json() capability.JSON {
	var o capability.ObjectWriter
	o.Text("name", r.Name)
	o.Text("capabilityId", r.CapabilityID)
	o.Text("error", r.Error)
	return o.JSON()
}
