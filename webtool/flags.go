package webtool

import (
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// Flags say what calling a tool means. One that is nil says nothing.
type Flags struct {
	// ReadOnly says that nothing changes anywhere.
	ReadOnly *bool
	// Destructive says that something is lost for good.
	Destructive *bool
	// Repeatable says that a second call with the same input changes nothing more.
	Repeatable *bool
	// External says that the effect reaches outside of the application.
	External *bool
	// SafeResponse says that results hold no text that others wrote.
	SafeResponse *bool
}

func set(flag *bool) bool { return flag != nil && *flag }

// Effect is the effect of the tool's procedure. What is read-only cannot be destructive or external.
func (f Flags) Effect() (capability.Effect, error) {
	switch {
	case set(f.ReadOnly) && set(f.Destructive):
		return "", defect(registry.InvalidDefinition, "readOnly", "a destructive tool is not read-only")
	case set(f.ReadOnly) && set(f.External):
		return "", defect(registry.InvalidDefinition, "readOnly", "a tool with an effect outside of the application is not read-only")
	case set(f.Destructive):
		return capability.Destructive, nil
	case set(f.External):
		return capability.ExternalSideEffect, nil
	case set(f.ReadOnly):
		return capability.ServerQuery, nil
	}
	return capability.ServerMutation, nil
}

const untrustedHint = "untrustedContentHint"

// maxAnnotations is how many bytes of JSON the hints of a tool may have: as much as the meta of a capability.
const maxAnnotations = 2048

// hint is a flag as browsers know it; value is nil when there is nothing to say.
type hint struct {
	name  string
	value *bool
}

func (f Flags) hints() []hint {
	yes := true
	consequential, untrusted := (*bool)(nil), (*bool)(nil)
	if set(f.Destructive) || set(f.External) {
		consequential = &yes
	}
	if f.SafeResponse != nil {
		unsafe := !*f.SafeResponse
		untrusted = &unsafe
	}
	return []hint{
		{"readOnlyHint", f.ReadOnly}, {"destructiveHint", f.Destructive}, {"idempotentHint", f.Repeatable},
		{"openWorldHint", f.External}, {untrustedHint, untrusted}, {"consequentialHint", consequential},
	}
}

// annotations are the author's hints, in their order, with the flags written over them.
func (f Flags) annotations(given capability.JSON) (capability.JSON, error) {
	limits := capability.ValueLimits{MaxBytes: maxAnnotations, MaxDepth: capability.DefaultLimits().MaxInputDepth}
	if !given.Absent() {
		if issue := limits.Check(given); issue != nil {
			return "", defect(registry.InvalidDefinition, "annotations", "%v", issue)
		}
		if given.Kind() != '{' {
			return "", defect(registry.InvalidDefinition, "annotations", "must be an object")
		}
	}
	flags := map[string]*bool{}
	for _, h := range f.hints() {
		flags[h.name] = h.value
	}
	var o capability.ObjectWriter
	for _, member := range given.Members() {
		if flags[member.Name] == nil {
			o.Raw(member.Name, member.Value)
		}
	}
	for _, h := range f.hints() {
		if h.value != nil {
			o.Bool(h.name, *h.value)
		}
	}
	return o.JSON(), nil
}

// Untrusted reports whether results may hold text that others wrote.
func (t *Tool) Untrusted() bool {
	for _, member := range t.annotations.Members() {
		if member.Name == untrustedHint {
			return member.Value == "true"
		}
	}
	return false
}
