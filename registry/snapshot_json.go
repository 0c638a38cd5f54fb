package registry

import "github.com/pagewarden/pagewarden/capability"

// JSON is the snapshot as an object (model.md, Snapshot).
func (s *Snapshot) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Text("surfaceId", s.SurfaceID)
	o.Text("surfaceVersion", s.SurfaceVersion)
	o.Text("capturedAt", capability.FormatTime(s.CapturedAt))
	o.Raw("route", s.Route.json())
	o.Raw("components", capability.ArrayOf(s.Components, ComponentView.JSON))
	o.Raw("procedures", capability.ArrayOf(s.Procedures, ProcedureView.JSON))
	o.Raw("truncated", truncatedJSON(s.DroppedComponents))
	if len(s.RejectedScopes) > 0 {
		var rejected capability.ObjectWriter
		rejected.Raw("prefixes", capability.ArrayOf(s.RejectedScopes, capability.Quote))
		o.Raw("scopeRejected", rejected.JSON())
	}
	return o.JSON()
}

func (r *Route) json() capability.JSON {
	if r == nil {
		return ""
	}
	var o capability.ObjectWriter
	o.Text("path", r.Path)
	o.Raw("params", r.Params)
	return o.JSON()
}

// truncatedJSON tells of dropped components, "" when there are none.
func truncatedJSON(dropped int) capability.JSON {
	if dropped == 0 {
		return ""
	}
	var o capability.ObjectWriter
	o.Int("droppedComponents", int64(dropped))
	return o.JSON()
}

// JSON is the component as an object.
func (c ComponentView) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Text("type", c.Type)
	o.Text("instanceId", c.InstanceID)
	o.Text("registrationId", c.RegistrationID)
	o.Text("description", c.Description)
	o.Raw("parent", c.Parent.json())
	o.Raw("meta", c.Meta)
	o.Raw("observations", capability.ArrayOf(c.Observations, ObservationView.JSON))
	o.Raw("actions", capability.ArrayOf(c.Actions, ActionView.JSON))
	return o.JSON()
}

func (c *ComponentRef) json() capability.JSON {
	if c == nil {
		return ""
	}
	var o capability.ObjectWriter
	o.Text("type", c.Type)
	o.Text("instanceId", c.InstanceID)
	return o.JSON()
}

func (t Texts) write(o *capability.ObjectWriter) {
	o.OptionalText("title", t.Title)
	o.Text("description", t.Description)
	if t.UntrustedContent {
		o.Bool("untrustedContent", true)
	}
}

func (s State) write(o *capability.ObjectWriter) {
	o.Bool("available", s.Available)
	if !s.Available {
		o.Text("unavailableReason", s.UnavailableReason)
	}
}

// JSON is the observation as an object.
func (v ObservationView) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Text("capabilityId", v.CapabilityID)
	o.Text("name", v.Name)
	v.Texts.write(&o)
	o.Raw("outputSchema", v.OutputSchema)
	v.State.write(&o)
	o.Raw("meta", v.Meta)
	return o.JSON()
}

// JSON is the action as an object.
func (v ActionView) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Text("capabilityId", v.CapabilityID)
	o.Text("name", v.Name)
	v.Texts.write(&o)
	o.Raw("inputSchema", v.InputSchema)
	o.Raw("outputSchema", v.OutputSchema)
	o.Text("effect", string(v.Effect))
	o.Bool("idempotent", v.Idempotent)
	o.Bool("reversible", v.Reversible)
	o.Text("confirmation", string(v.Confirmation))
	v.State.write(&o)
	o.Raw("meta", v.Meta)
	return o.JSON()
}

// JSON is the procedure as an object.
func (v ProcedureView) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Text("procedureId", v.ProcedureID)
	v.Texts.write(&o)
	o.OptionalText("contextualNote", v.ContextualNote)
	o.Raw("inputSchema", v.InputSchema)
	o.Raw("outputSchema", v.OutputSchema)
	o.Text("effect", string(v.Effect))
	o.Text("confirmation", string(v.Confirmation))
	v.State.write(&o)
	o.Raw("boundFields", capability.ArrayOf(v.BoundFields, BoundField.json))
	o.Text("registrationId", v.RegistrationID)
	o.Raw("context", v.Context.json())
	o.Raw("meta", v.Meta)
	return o.JSON()
}

func (f BoundField) json() capability.JSON {
	var o capability.ObjectWriter
	o.Text("path", f.Path)
	o.Bool("locked", f.Locked)
	o.Text("source", "ui-state")
	return o.JSON()
}
