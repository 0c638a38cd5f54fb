package webmcp

import (
	"errors"
	"fmt"

	"github.com/pagewarden/pagewarden/catalog"
	"github.com/pagewarden/pagewarden/registry"
)

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

// project brings what a run wants up to date, and gives the names of the tools that may have changed, in order.
// Nothing is wanted once the registry is disposed.
func (a *Adapter) project(r *run) (names []string, version string) {
	if !a.follow(r) {
		return nil, ""
	}
	version, names, err := r.catalog.Update()
	if err != nil {
		if !errors.Is(err, registry.ErrDisposed) {
			a.log(err.Error())
		}
		clear(r.wanted)
		a.mu.Lock()
		a.owe()
		a.mu.Unlock()
		return nil, version
	}
	asked := names
	if a.options.Expose != nil {
		asked = r.catalog.Names() // it may have another opinion now
	}
	for _, name := range names {
		delete(r.wanted, name)
	}
	for _, name := range asked {
		item := r.catalog.Item(name)
		if item == nil || !item.State.Available {
			continue
		}
		if exposure := a.expose(item); exposure.Skip {
			delete(r.wanted, name)
		} else {
			r.wanted[name] = a.tool(name, item, exposure)
		}
	}
	if a.options.Expose != nil {
		names = append(asked, names...)
	}
	return names, version
}

// follow sees to it that a run has its catalog; false means that the run is over.
func (a *Adapter) follow(r *run) bool {
	if r.catalog != nil {
		return true
	}
	c := catalog.New(r.registry, r.snapshot)
	a.mu.Lock()
	current := a.run == r
	if current {
		r.catalog = c
	}
	a.mu.Unlock()
	if !current {
		c.Stop()
	}
	return current
}

func (a *Adapter) tool(name string, item *catalog.Item, exposure Exposure) offered {
	description := item.Texts.Description
	if exposure.Description != "" {
		description = exposure.Description
	}
	return offered{
		registrationID: item.RegistrationID,
		Tool: Tool{
			Name: name, Title: item.Texts.Title, Description: description, InputSchema: item.Input,
			CapabilityID: item.CapabilityID, ExposedTo: a.options.ExposedTo,
			Annotations: Annotations{
				ReadOnly:         item.Effect.OnlyReads(),
				Consequential:    item.Effect.Consequential(),
				UntrustedContent: item.Texts.UntrustedContent,
			},
		},
	}
}

// expose asks the curation hook. A hook that fails leaves the capability out: it was meant to narrow.
func (a *Adapter) expose(item *catalog.Item) (exposure Exposure) {
	if a.options.Expose == nil {
		return Exposure{}
	}
	defer func() {
		if cause := recover(); cause != nil {
			a.log(fmt.Sprintf("exposeCapability failed on %s, which is left out: %v", item.CapabilityID, cause))
			exposure = Exposure{Skip: true}
		}
	}()
	exposure, err := a.options.Expose(Descriptor{
		Kind: item.Kind, CapabilityID: item.CapabilityID, RegistrationID: item.RegistrationID,
		Description: item.Texts.Description, view: item.View,
	})
	if err != nil {
		a.log(fmt.Sprintf("exposeCapability failed on %s, which is left out: %v", item.CapabilityID, err))
		return Exposure{Skip: true}
	}
	return exposure
}
