package explain

import (
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// JSON is the report as an object: { surfaceId, surfaceVersion, authorityMode, environment, consumer,
// capabilities: [...] }.
func (r *Report) JSON() capability.JSON {
	var o, consumer capability.ObjectWriter
	consumer.Text("id", r.Consumer.ID)
	consumer.Text("kind", string(r.Consumer.Kind))
	o.Text("surfaceId", r.SurfaceID)
	o.Text("surfaceVersion", r.SurfaceVersion)
	o.Text("authorityMode", string(r.AuthorityMode))
	o.Text("environment", string(r.Environment))
	o.Raw("consumer", consumer.JSON())
	o.Raw("capabilities", capability.ArrayOf(r.Capabilities, Entry.JSON))
	return o.JSON()
}

// JSON is the capability as an object: { capabilityId, registrationId, component: { type, instanceId },
// kind, effect, confirmation, outcome, reason?, available, unavailableReason?, policies: [...] }.
func (e Entry) JSON() capability.JSON {
	var o, component capability.ObjectWriter
	component.Text("type", e.Component.Type)
	component.Text("instanceId", e.Component.InstanceID)
	o.Text("capabilityId", e.CapabilityID)
	o.Text("registrationId", e.RegistrationID)
	o.Raw("component", component.JSON())
	o.Text("kind", string(e.Kind))
	o.Text("effect", string(e.Effect))
	o.Text("confirmation", string(e.Confirmation))
	o.Text("outcome", string(e.Outcome))
	if e.Outcome != policy.Expose {
		o.OptionalText("reason", e.Reason)
	}
	o.Bool("available", e.Availability.Available)
	if !e.Availability.Available {
		o.Text("unavailableReason", e.Availability.UnavailableReason)
	}
	o.Raw("policies", capability.ArrayOf(e.Policies, Policy.JSON))
	return o.JSON()
}

// JSON is the policy as an object: { name, scope, phases, vote?, reason?, threw, raisesConfirmation }.
func (p Policy) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Text("name", p.Name)
	o.Text("scope", string(p.Scope))
	o.Raw("phases", capability.ArrayOf(p.Phases, capability.Quote))
	o.OptionalText("vote", string(p.Vote))
	o.OptionalText("reason", p.Reason)
	o.Bool("threw", p.Threw)
	o.Bool("raisesConfirmation", p.RaisesConfirmation)
	return o.JSON()
}
