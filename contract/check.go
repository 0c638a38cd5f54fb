package contract

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/wirename"
)

// check reports every field of e that is not as contract.md has it, whoever wrote the entry. Hashes are not looked
// at, schemas only as far as that they are objects.
func (e *Entry) check(fail func(field, reason string)) {
	if reason := declarationDefect(e.Declaration); reason != "" {
		fail("declaration", reason)
	}
	if reason := originDefect(e.Origin); reason != "" {
		fail("origin", reason)
	}
	e.checkIdentity(fail)
	e.checkText(fail, "title", e.Title, e.Title == "")
	e.checkText(fail, "description", e.Description, false)
	e.checkText(fail, "componentDescription", e.ComponentDescription, e.Kind.Plane() == capability.Domain || e.Kind == KindExternal)
	e.checkSchemas(fail)
	e.checkLevels(fail)
	e.checkLists(fail)
}

// checkIdentity looks at what says what the capability is: id, kind and effect must agree.
func (e *Entry) checkIdentity(fail func(field, reason string)) {
	switch e.Kind {
	case capability.Observation, capability.Action, capability.Procedure:
		id, err := capability.ParseID(e.CapabilityID)
		if err != nil {
			fail("capabilityId", err.Error())
		} else if id.Plane != e.Kind.Plane() {
			fail("capabilityId", fmt.Sprintf("kind %s: want an id that starts with %s:", e.Kind, e.Kind.Plane()))
		}
		if e.Effect.Kind() != e.Kind {
			fail("effect", "want "+effectsOf(e.Kind)+otherwise(e.Kind, e.Effect))
		}
	case KindExternal:
		if !isExternalID(e.CapabilityID) {
			fail("capabilityId", fmt.Sprintf("want external: and one or more of A-Z a-z 0-9 . - _, of which ToolName makes at most %d characters", wirename.MaxLength))
		}
		if !e.Effect.Valid() {
			fail("effect", "want one of the seven effects")
		}
	default:
		fail("kind", "want observation, action, procedure or external")
	}
	if e.Kind != capability.Observation && e.Kind != capability.Action && e.ComponentDescription != "" {
		fail("componentDescription", "is of observations and actions only")
	}
}

func effectsOf(kind capability.Kind) string {
	switch kind {
	case capability.Observation:
		return "read"
	case capability.Action:
		return "local-state or navigation"
	}
	return "server-query, server-mutation, external-side-effect or destructive"
}

// otherwise says how what has the effect is declared, when it is known and of another kind.
func otherwise(kind capability.Kind, effect capability.Effect) string {
	switch {
	case kind == capability.Action && effect.Kind() == capability.Procedure:
		return "; declare what the server does as a procedure"
	case kind == capability.Procedure && effect.Kind() == capability.Action:
		return "; declare what the page does as an action of a component"
	}
	return ""
}

const externalPlane = "external:"

func isExternalID(id string) bool {
	name, ok := strings.CutPrefix(id, externalPlane)
	return ok && name != "" && len(ToolName(id)) <= wirename.MaxLength && !strings.ContainsFunc(name, isOdd)
}

// isOdd reports whether c cannot be in the id of an external tool.
func isOdd(c rune) bool {
	return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '.' || c == '-' || c == '_')
}

// ToolName is what an external tool is called where model providers accept A-Z a-z 0-9 _ - only, written as wire names
// are: external:weather.today is external_weather__today.
func ToolName(id string) string {
	return strings.ReplaceAll(strings.ReplaceAll(id, ":", "_"), ".", "__")
}

func (e *Entry) checkText(fail func(field, reason string), field, text string, mayBeAbsent bool) {
	switch {
	case !utf8.ValidString(text):
		fail(field, "must be valid UTF-8")
	case text == "" && mayBeAbsent:
	case strings.TrimSpace(text) == "":
		fail(field, "a text is required")
	}
}

func (e *Entry) checkSchemas(fail func(field, reason string)) {
	input, output := e.InputSchema.Absent(), e.OutputSchema.Absent()
	switch {
	case e.Kind == capability.Observation && !input:
		fail("inputSchema", "an observation takes no input")
	case e.Kind == capability.Observation && output:
		fail("outputSchema", "an observation needs an output schema")
	case e.Kind != capability.Observation && input:
		fail("inputSchema", "an input schema is required; for no input use one of an empty object")
	}
	if !input && e.InputSchema.Kind() != '{' {
		fail("inputSchema", "must be a JSON object")
	}
	if !output && e.OutputSchema.Kind() != '{' {
		fail("outputSchema", "must be a JSON object")
	}
}

func (e *Entry) checkLevels(fail func(field, reason string)) {
	switch {
	case e.Confirmation.Rank() < 0:
		fail("confirmation", "want never, optional or required")
	case e.Kind == capability.Observation && e.Confirmation != "":
		fail("confirmation", "observations are never confirmed")
	case e.Confirmation != "" && e.Confirmation != e.effectiveConfirmation():
		fail("confirmation", fmt.Sprintf("the effect %s is %s at least", e.Effect, e.effectiveConfirmation()))
	}
	switch {
	case e.Audit == "":
	case e.Kind == capability.Observation || e.Kind == KindExternal:
		fail("audit", "is of actions and procedures only")
	case !e.Audit.Valid():
		fail("audit", "want none, metadata or full")
	}
}

func (e *Entry) checkLists(fail func(field, reason string)) {
	if len(e.BoundFields) > 0 && e.Kind != capability.Procedure {
		fail("boundFields", "are of procedures only")
	}
	for i, bound := range e.BoundFields {
		field := fmt.Sprintf("boundFields[%d].path", i)
		e.checkText(fail, field, bound.Path, false)
		if slices.ContainsFunc(e.BoundFields[:i], func(b BoundField) bool { return b.Path == bound.Path }) {
			fail(field, fmt.Sprintf("%q is bound twice", bound.Path))
		}
	}
	if len(e.Policies) > 0 && e.Kind == KindExternal {
		fail("policies", "no policy is asked about an external tool")
	}
	for i, p := range e.Policies {
		e.checkText(fail, fmt.Sprintf("policies[%d].name", i), p.Name, false)
		switch p.Phase {
		case "", "discovery", "authorize", "invoke":
		default:
			fail(fmt.Sprintf("policies[%d].phase", i), "want discovery, authorize or invoke")
		}
		if slices.Contains(e.Policies[:i], p) {
			fail(fmt.Sprintf("policies[%d]", i), "is given twice")
		}
	}
	for i, tag := range e.Tags {
		e.checkText(fail, fmt.Sprintf("tags[%d]", i), tag, false)
		if slices.Contains(e.Tags[:i], tag) {
			fail(fmt.Sprintf("tags[%d]", i), "is given twice")
		}
	}
}

// declarationDefect says why text is not PATH#NAME, "" when it is.
func declarationDefect(text string) string {
	at := strings.LastIndexByte(text, '#')
	switch {
	case at <= 0 || at == len(text)-1:
		return "want PATH#NAME, for example src/devices.ts#devices"
	case !plainText(text):
		return "must be valid UTF-8 without control characters"
	case isAbsolute(text) || strings.Contains(text[:at], `\`):
		return "the path must be relative to the project, with slashes"
	}
	return ""
}

// isAbsolute reports whether path starts at a root of any system: /, \ or a drive.
func isAbsolute(path string) bool {
	return path[0] == '/' || path[0] == '\\' || len(path) > 1 && path[1] == ':'
}

func plainText(text string) bool {
	return utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return r < 0x20 || r == 0x7F })
}

func originDefect(origin string) string {
	name, ok := strings.CutPrefix(origin, PackageOrigin)
	if origin == FirstParty || ok && name != "" && plainText(name) {
		return ""
	}
	return fmt.Sprintf("want %s, or %sNAME for a dependency", FirstParty, PackageOrigin)
}

// clash is a pair of entries that cannot be in one manifest.
type clash struct {
	second int // of the two
	field  string
	reason string
}

// clashOf finds the first entry that claims what another one has: its capability id, or its component type.
func clashOf(entries []Entry) *clash {
	byID, byType := map[string]*Entry{}, map[string]*Entry{}
	for i := range entries {
		e := &entries[i]
		if first := byID[e.CapabilityID]; first != nil {
			return &clash{i, "capabilityId", fmt.Sprintf("%s is declared twice, in %s and %s", e.CapabilityID, first.Declaration, e.Declaration)}
		}
		byID[e.CapabilityID] = e
		component := e.componentType()
		if component == "" {
			continue
		}
		first := byType[component]
		switch {
		case first == nil:
			byType[component] = e
		case first.Declaration != e.Declaration:
			return &clash{i, "declaration", fmt.Sprintf("the component type %s is claimed by two declarations, %s and %s", component, first.Declaration, e.Declaration)}
		case first.ComponentDescription != e.ComponentDescription:
			return &clash{i, "componentDescription", fmt.Sprintf("differs from that of %s, which is of the same component", first.CapabilityID)}
		}
	}
	return nil
}

// componentType is the component that the capability is of, "" for none.
func (e *Entry) componentType() string {
	if e.Kind != capability.Observation && e.Kind != capability.Action {
		return ""
	}
	id, err := capability.ParseID(e.CapabilityID)
	if err != nil {
		return ""
	}
	return id.ComponentType
}
