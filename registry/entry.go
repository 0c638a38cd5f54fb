package registry

import (
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/schema"
)

// registration is one live component. What is not under the registry's lock never changes.
type registration struct {
	*design
	id           string
	key          instanceKey
	internal     any
	entries      []*entry // by descriptor
	registeredAt time.Time
	order        int // among all registrations
	owner        Owner

	// Under the registry's lock.
	active  bool
	enabled bool
	calls   callSet
	changes int   // how often it may have come to look different
	part    *Part // what readers last saw of it, nil when it may look different now
	// The groups of its calls that queue by instance, nil while none runs.
	viewGroup, domainGroup *group
}

// entry is one capability of a registration: its frozen descriptor and its handlers.
type entry struct {
	*descriptor
	Functions
	reg *registration

	// Under the registry's lock.
	pushed  *Availability // what Handle.Update said, nil for nothing
	offered int           // where it is among the offers
	group   *group        // of its calls where they do not queue with others, nil while none runs
}

// context is the component that e is shown with.
func (e *entry) context() ComponentRef {
	if e.binding != nil && e.binding.context != nil {
		return *e.binding.context
	}
	return ComponentRef{e.reg.key.componentType, e.reg.key.instanceID}
}

// valueSchema checks values: by the document, or by the author's own parse.
type valueSchema struct {
	document *schema.Schema
	parse    func(capability.JSON) (capability.JSON, []capability.Issue)
}

// text is the JSON Schema as the author wrote it.
func (v *valueSchema) text() capability.JSON { return v.document.JSON() }

// check gives the value that a handler may get, or what is wrong with it.
func (v *valueSchema) check(value capability.JSON, limits capability.ValueLimits) (capability.JSON, []capability.Issue) {
	if v.parse == nil && v.document.Accepts(value, limits) {
		return value, nil
	}
	decoded, issue := limits.Decode(value)
	if issue != nil {
		return "", []capability.Issue{*issue}
	}
	if v.parse == nil {
		return value, v.document.Validate(decoded)
	}
	parsed, issues := v.guardParse(value)
	if len(issues) > 0 {
		return "", issues
	}
	if _, issue := limits.Decode(parsed); issue != nil {
		return "", []capability.Issue{*issue}
	}
	return parsed, nil
}

// guardParse is the author's parse; one that panics refuses the value.
func (v *valueSchema) guardParse(value capability.JSON) (parsed capability.JSON, issues []capability.Issue) {
	defer func() {
		if recover() != nil {
			parsed, issues = "", []capability.Issue{{Message: "cannot be checked, because its check failed"}}
		}
	}()
	return v.parse(value)
}

// policyContext is what the entry's policies are told.
func (e *entry) policyContext(r *Registry, consumer capability.Consumer, hostContext policy.Host) *policy.Context {
	return &policy.Context{
		CapabilityID: e.idText, Plane: e.id.Plane, Kind: e.kind, Effect: e.effect,
		RegistrationID: e.reg.id, Consumer: consumer, Host: hostContext,
		ComponentMeta: e.reg.meta, CapabilityMeta: e.meta, Internal: e.reg.internal,
		Environment: r.options.Environment, Now: r.options.Now,
	}
}
