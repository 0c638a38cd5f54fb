package toolset

import (
	"context"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// The names of the three tools.
const (
	discoverName = "surface_discover"
	readName     = "surface_read"
	actName      = "surface_act"
)

// verb is one of the three tools of meta mode.
type verb struct {
	name         string
	capabilityID string // of results that are about no target
	text         string
	hint         string // what a model that got the arguments wrong should know
	arguments    []argument
	run          func(t *Toolset, ctx context.Context, v verb, e envelope, done func(registry.Result))
}

// argument is one argument of a verb. Its schema is that of its kind with the text.
type argument struct {
	name     string
	kind     argumentKind
	required bool
	text     string
}

type argumentKind int

const (
	textArgument argumentKind = iota
	scopeArgument
	inputArgument
)

// maxScope is how many prefixes a model may ask for at once: each is compared with every component.
const maxScope = 100

// verbs are the three, in the order of the catalog. Nothing in them depends on the surface: a model may keep them in
// its cache for ever.
func verbs() []verb {
	target := argument{"capabilityId", textArgument, true, "The capabilityId, or procedureId, as surface_discover gives it."}
	instance := argument{"instanceId", textArgument, false, "Which instance, where several components of the type are there."}
	return []verb{
		{
			name: discoverName, capabilityID: "meta:surface.discover",
			text: "Lists what this application offers now: components with their observations and actions, and procedures of the " +
				"server, each with its description, schemas, effect and state. Call it first, and again when a result says that the " +
				"surface has changed. truncated and scopeRejected in its result say that something was left out.",
			arguments: []argument{
				{"scope", scopeArgument, false, "Show only component types under these prefixes, such as devices or devices.table."},
			},
			run: (*Toolset).discover,
		},
		{
			name: readName, capabilityID: "meta:surface.read",
			text:      "Reads one observation that surface_discover lists. It changes nothing.",
			arguments: []argument{target, instance},
			run:       (*Toolset).read,
		},
		{
			name: actName, capabilityID: "meta:surface.act",
			text: "Carries out one action or procedure that surface_discover lists. Where its effect is destructive or " +
				"external-side-effect, echo the surfaceVersion that surface_discover gave, so that nothing happens if the surface has " +
				"moved since. After CONFIRMATION_REQUIRED, repeat the call unchanged with details.confirmationId once the person has " +
				"decided. To repeat a call whose answer was lost, send it again with the same invocationId.",
			hint: "Arguments of the capability belong inside input.",
			arguments: []argument{
				target, instance,
				{"input", inputArgument, true, "The arguments of the capability, as its inputSchema says; {} for none."},
				{"invocationId", textArgument, false, "Your own id for this call; the same id again means the same call."},
				{"confirmationId", textArgument, false, "details.confirmationId of the CONFIRMATION_REQUIRED that a person has decided."},
				{"surfaceVersion", textArgument, false, "The surfaceVersion that the decision to call is based on."},
			},
			run: (*Toolset).act,
		},
	}
}

// schema is the schema of the verb's arguments.
func (v verb) schema() capability.JSON {
	var properties, o capability.ObjectWriter
	var required []string
	for _, a := range v.arguments {
		properties.Raw(a.name, a.schema())
		if a.required {
			required = append(required, a.name)
		}
	}
	o.Text("type", "object")
	o.Raw("properties", properties.JSON())
	if len(required) > 0 {
		o.Raw("required", capability.ArrayOf(required, capability.Quote))
	}
	o.Bool("additionalProperties", false)
	return o.JSON()
}

func (a argument) schema() capability.JSON {
	var o capability.ObjectWriter
	switch a.kind {
	case textArgument:
		o.Text("type", "string")
		o.Int("minLength", 1)
	case scopeArgument:
		o.Text("type", "array")
		o.Raw("items", `{"type":"string","minLength":1}`)
		o.Int("maxItems", maxScope)
	case inputArgument:
		o.Text("type", "object")
	}
	o.Text("description", a.text)
	return o.JSON()
}
