package registry

import "github.com/pagewarden/pagewarden/capability"

// Watch tells developers of each call of r as it runs: once when a phase of the pipeline begins, under the phase's
// name, and once at settlement. Each step is an object { phase, invocationId, capabilityId, consumerId }; the first
// phase adds what was asked for, { request: { instanceId?, registrationId?, surfaceVersion?, confirmationId?, input? } },
// and settlement what came of it, { registrationId?, queueWaitMs, effectiveInput?, result }. A request that repeats
// another, and gets its result, is no call of its own. tell is called at once and must not wait; it may be called from
// several goroutines. There is one watcher at a time, and nil is none.
//
// It is a function, and not a method of Registry, for the reason that Inspect is one.
func Watch(r *Registry, tell func(step capability.JSON)) {
	if tell == nil {
		r.watcher.Store(nil)
		return
	}
	r.watcher.Store(&tell)
}

// reach tells the watcher, if there is one, of a step of the call; add writes what only this one has.
func (c *call) reach(phase string, add func(*capability.ObjectWriter)) {
	tell := c.registry.watcher.Load()
	if tell == nil {
		return
	}
	var o capability.ObjectWriter
	o.Text("phase", phase)
	o.Text("invocationId", c.id)
	o.Text("capabilityId", c.request.CapabilityID)
	o.Text("consumerId", c.consumerKey)
	if add != nil {
		add(&o)
	}
	c.registry.guarded("a watcher of ", c.request.CapabilityID, func() { (*tell)(o.JSON()) })
}

// asked writes what the caller asked for. It is for the call's own flow.
func (c *call) asked(o *capability.ObjectWriter) {
	var request capability.ObjectWriter
	request.OptionalText("instanceId", c.request.InstanceID)
	request.OptionalText("registrationId", c.request.RegistrationID)
	request.OptionalText("surfaceVersion", c.request.SurfaceVersion)
	request.OptionalText("confirmationId", c.request.ConfirmationID)
	request.Raw("input", c.given)
	o.Raw("request", request.JSON())
}

// came writes what came of the call, which is over; input is what its handler would have got.
func (c *call) came(o *capability.ObjectWriter, input capability.JSON) {
	if c.entry != nil {
		o.Text("registrationId", c.entry.reg.id)
	}
	o.Int("queueWaitMs", c.queueWait.Milliseconds())
	o.Raw("effectiveInput", input)
	o.Raw("result", c.result.JSON())
}
