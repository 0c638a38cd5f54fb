package jsbridge

import "github.com/pagewarden/pagewarden/capability"

// scriptTexts is what the script says, by the names that it uses: payloads of its own answers and texts of its
// exceptions. They are here because a byte of the script costs a page more than one of the module.
func scriptTexts() capability.JSON {
	var o capability.ObjectWriter
	o.Raw("lost", capability.ExecutionFailed(capability.ReasonRuntimeLost).JSON())
	o.Raw("internal", capability.ExecutionFailed(capability.ReasonInternal).JSON())
	o.Raw("malformed", capability.InvalidInput(nil).JSON())
	o.Raw("unstarted", capability.JSON(`{"supported":false,"surface":"none","registered":[],"refused":[]}`))
	for _, text := range []struct{ name, text string }{
		{"open", "an open authority admits every capability; use a reviewed contract before others use this page"},
		{"external", "expose: want an array of external tools"},
		{"authority", "authority must come from createOpenAuthority or createCapabilityAuthority of this runtime"},
		{"registry", "registry must come from createAgentSurfaceRegistry of this runtime"},
		{"executor", "setProcedureExecutor: want an object with an execute function"},
		{"context", "context() failed, so policies and handlers see an empty one"},
		{"sink", "must be a sink: a function, or an object with a record function"},
		{"schema", "must be a schema object: use fromJsonSchema"},
		{"copy", "a built-in policy works only where it is registered itself, not as a copy"},
		{"capacity", "memoryAuditSink: capacity must be a number of at least 1"},
		{"standard", "fromStandardSchema: want a Standard Schema and { jsonSchema }"},
		{"asynchronous", "cannot be checked: its schema is asynchronous"},
		{"start", "start: want { registry, consumer, snapshotContext? }"},
		{"confirmation", "there is not exactly one open confirmation that is meant; see how many are pending"},
		{"moved", "the surface moved while it was read"},
		{"trail", "the trail of a registry that the harness did not make is in that registry's own sink"},
		{"failed", "a listener or sink of the page failed"},
		{"threw", "could not be read: a getter or a proxy of the page threw"},
		{"neither", "must be a plain object or an array, and is neither"},
		{"closed", "this registry has been disposed of"},
		{"request", "invoke: request must be an object"},
		{"unreadable", "the request could not be read"},
		{"tools", "want an array of tools, as tools() gives it"},
		{"subject", "runAdapterConformance: want { create, traits? }"},
		{"listener", "subscribe: listener must be a function"},
		{"signal", "signal must be an AbortSignal"},
		{"id", "a confirmation id must be a string"},
		{"refused", "an inner policy refused"},
		{"gone", "the component is gone"},
		{"late", "the call is over"},
		{"twice", "next was called twice"},
		{"ended", "the runtime has ended"},
		{"unfit", "the value does not fit its schema"},
	} {
		o.Text(text.name, text.text)
	}
	return o.JSON()
}
