package registry

import (
	"slices"

	"github.com/pagewarden/pagewarden/contract"
)

// admit asks the authority about the copy that was made of a definition. A blueprint is asked about once, however
// often it is mounted (contract.md, Authority).
func (d *definer) admit() {
	authority := d.registry.options.Authority
	if authority.Mode() == contract.ModeOpen {
		return
	}
	offers := make([]contract.Offer, len(d.plan.descriptors))
	for i, descriptor := range d.plan.descriptors {
		offers[i] = d.plan.offer(descriptor)
	}
	if err := authority.Admit(d.plan.componentType, offers); err != nil {
		d.failWith(&DefinitionError{Code: InvalidDefinition, Reason: err.Error(), cause: err})
	}
}

// offer is what the authority gets to see of a capability.
func (b *design) offer(d *descriptor) contract.Offer {
	o := contract.Offer{Confirmation: d.shown, HasPolicy: d.hasPolicy, Seen: contract.Seen{
		CapabilityID: d.idText, Kind: d.kind, Title: d.title, Description: d.description, Effect: d.effect,
		UntrustedContent: d.untrusted, Audit: d.audit,
	}}
	if d.input != nil {
		o.InputSchema = d.input.text()
	}
	if d.output != nil {
		o.OutputSchema = d.output.text()
	}
	if d.binding == nil {
		o.ComponentDescription = b.description
		return o
	}
	for _, path := range d.binding.bound {
		o.BoundFields = append(o.BoundFields, contract.BoundField{Path: path, Locked: d.binding.locked[path]})
	}
	return o
}

// hasPolicy reports whether a policy of that name takes part in that phase, "" for any: one that takes part in none
// is not there.
func (d *descriptor) hasPolicy(name, phase string) bool {
	for i := range d.policies {
		if p := &d.policies[i]; p.Name == name {
			if phases := p.Phases(); phase == "" && len(phases) > 0 || slices.Contains(phases, phase) {
				return true
			}
		}
	}
	return false
}
