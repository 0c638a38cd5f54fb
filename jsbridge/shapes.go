package jsbridge

import "github.com/pagewarden/pagewarden/capability"

// A shape is what the script writes down of one kind of object that a page gives: the members in the order in
// which they are read, and how. A member that is no part of the shape is passed on as null, so that it can be
// refused by name.
type shape struct {
	name   string
	fields []shapeField
}

// shapeField is a member and how it is written: one of the letters below, with the name of another shape where
// there is one.
type shapeField struct{ name, how string }

// How a member is written.
const (
	asData     = "d"  // as JSON
	asFunction = "f"  // a function, as true
	asText     = "t"  // a text as it is, a function as true
	asSink     = "r"  // a function or an object with a record function, as true
	asSchema   = "s"  // a schema object, as { document, parse? }
	asPolicies = "p"  // a list of policies, as policies.go reads them
	asInternal = "i"  // not at all, but kept for policies
	asKept     = "k"  // not at all, but looked at when it is needed
	asShape    = "o:" // an object of the shape that follows
	asEach     = "e:" // an object whose members are capabilities of the shape that follows
	asList     = "l:" // an array of capabilities of the shape that follows
)

func shapes() []shape {
	common := []shapeField{
		{"description", asData}, {"title", asData}, {"untrustedContent", asData}, {"meta", asData}, {"timeoutMs", asData},
		{"when", asFunction}, {"unavailableReason", asText}, {"policies", asPolicies},
	}
	return []shape{
		{"component", []shapeField{
			{"type", asData}, {"instanceId", asData}, {"description", asData}, {"parent", asData}, {"meta", asData},
			{"origin", asData}, {"priority", asData}, {"enabled", asData}, {"internal", asInternal}, {"policies", asPolicies},
			{"observations", asEach + "observation"}, {"actions", asEach + "action"}, {"procedures", asList + "binding"},
		}},
		{"observation", append([]shapeField{{"read", asFunction}, {"output", asSchema}}, common...)},
		{"action", append([]shapeField{
			{"effect", asData}, {"idempotent", asData}, {"reversible", asData}, {"confirmation", asData}, {"audit", asData},
			{"concurrency", asData}, {"execute", asFunction}, {"precondition", asFunction}, {"input", asSchema}, {"output", asSchema},
		}, common...)},
		{"binding", []shapeField{
			{"kind", asData}, {"ref", asData}, {"boundKeys", asData}, {"lockedKeys", asData}, {"reducedInputSchema", asData},
			{"contextLink", asData}, {"boundFields", asData}, {"config", asShape + "config"},
		}},
		{"config", []shapeField{
			{"overridableFields", asData}, {"confirmation", asData}, {"meta", asData}, {"concurrency", asData}, {"timeoutMs", asData},
			{"when", asFunction}, {"bind", asFunction}, {"describe", asFunction}, {"unavailableReason", asText}, {"policies", asPolicies},
			{"execute", asFunction}, {"prepare", asFunction}, {"ask", asFunction}, {"input", asSchema}, // of a web tool
		}},
		{"options", []shapeField{
			{"environment", asData}, {"onDuplicateInstance", asData}, {"duplicateSuffixPolicy", asData}, {"limits", asData},
			{"onRegister", asFunction}, {"route", asFunction}, {"now", asFunction}, {"audit", asSink},
			{"context", asKept}, {"authority", asKept}, {"policies", asPolicies},
		}},
		{"adapter", []shapeField{
			{"modelContext", asKept}, {"snapshotContext", asShape + "snapshot"}, {"exposeCapability", asFunction},
			{"confirm", asFunction}, {"confirmWithoutClient", asData}, {"exposedTo", asData},
		}},
		{"snapshot", []shapeField{
			{"consumer", asData}, {"scope", asData}, {"includeUnavailable", asData}, {"budget", asData},
		}},
		{"toolset", []shapeField{
			{"consumer", asData}, {"mode", asData}, {"topology", asData}, {"confirmations", asData}, {"scope", asData},
			{"budget", asData}, {"waitTimeoutMs", asData},
		}},
		{"policyContext", []shapeField{
			{"capabilityId", asData}, {"plane", asData}, {"kind", asData}, {"effect", asData}, {"registrationId", asData},
			{"consumer", asData}, {"meta", asData}, {"environment", asData},
		}},
	}
}

// shapesJSON is { shape: { member: how, … }, … }.
func shapesJSON() capability.JSON {
	var o capability.ObjectWriter
	for _, s := range shapes() {
		var fields capability.ObjectWriter
		for _, f := range s.fields {
			fields.Text(f.name, f.how)
		}
		o.Raw(s.name, fields.JSON())
	}
	return o.JSON()
}
