package predict

import (
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
)

// Name is the capability's.
func (c *Capability) Name() string { return c.d.Name }

// CapabilityID is the capability's id in a registry.
func (c *Capability) CapabilityID() string { return "domain:" + c.d.Name }

// Token is what a caller must hold.
func (c *Capability) Token() string { return c.d.Token }

// Effect is what calling means.
func (c *Capability) Effect() capability.Effect { return c.effect }

// Annotations is the author's object of hints, {} when there are none.
func (c *Capability) Annotations() capability.JSON {
	if c.d.Annotations.Absent() {
		return capability.EmptyObject
	}
	return c.d.Annotations
}

// Predicts reports whether the capability has a predictor.
func (c *Capability) Predicts() bool { return c.d.Predict != nil }

// JSON is what can be told of the capability: { tool: { name, description, capability, inputSchema, outputSchema,
// annotations }, surface: { scope, reads, writes, reconciliation } }.
func (c *Capability) JSON() capability.JSON {
	var tool, surface, o capability.ObjectWriter
	tool.Text("name", c.d.Name)
	tool.Text("description", c.d.Description)
	tool.Text("capability", c.d.Token)
	tool.Raw("inputSchema", c.d.Input.Document)
	tool.Raw("outputSchema", c.d.Output.Document)
	tool.Raw("annotations", c.Annotations())
	surface.Text("scope", string(c.d.Scope))
	surface.Raw("reads", capability.ArrayOf(c.d.Reads, capability.Quote))
	surface.Raw("writes", capability.ArrayOf(c.d.Writes, capability.Quote))
	surface.Text("reconciliation", string(c.d.Reconciliation))
	o.Raw("tool", tool.JSON())
	o.Raw("surface", surface.JSON())
	return o.JSON()
}

// Offer is the capability as an authority sees it: what a page without a contract notes as defined.
func (c *Capability) Offer() contract.Offer {
	level := c.effect.Defaults().Confirmation
	if level == capability.Required { // the effect's default does not apply
		level = capability.Optional
	}
	return contract.Offer{Confirmation: level.Stronger(c.d.Confirmation), Seen: contract.Seen{
		CapabilityID: c.CapabilityID(), Kind: capability.Procedure, Description: c.d.Description, Effect: c.effect,
		InputSchema: c.d.Input.Document, OutputSchema: c.d.Output.Document,
		UntrustedContent: c.untrusted(), Audit: c.effect.Defaults().Audit,
	}}
}

// untrusted reports whether outputs may hold text that others wrote.
func (c *Capability) untrusted() bool { return hint(c.Annotations(), "untrustedContentHint") }
