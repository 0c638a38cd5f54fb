package review

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
)

// deed says in words what running a capability may do.
func deed(e capability.Effect) string {
	switch e {
	case capability.Read:
		return "reads what the page holds"
	case capability.LocalState:
		return "changes what the page shows"
	case capability.Navigation:
		return "takes the page somewhere else"
	case capability.ServerQuery:
		return "asks the server"
	case capability.ServerMutation:
		return "changes data on the server"
	case capability.ExternalSideEffect:
		return "acts outside the application"
	case capability.Destructive:
		return "does what cannot be undone"
	}
	return "does something unknown"
}

func asking(level capability.Confirmation) string {
	switch level {
	case capability.Required:
		return "only after a person confirmed it"
	case capability.Optional:
		return "without asking a person, unless a policy asks"
	}
	return "without asking a person"
}

func trace(level capability.AuditLevel) string {
	switch level {
	case capability.AuditFull:
		return "a record with input and output"
	case capability.AuditMetadata:
		return "a record without input and output"
	}
	return "no record"
}

// power is what an agent can do with a capability, in one line.
func power(e *contract.Entry) string {
	text := deed(e.Effect)
	if e.Kind != capability.Observation {
		text += ", " + asking(e.Confirmation)
	}
	return text
}

// summary is a capability in one line of the manifest's own words.
func summary(e *contract.Entry) string {
	parts := []string{string(e.Kind), string(e.Effect)}
	if e.Confirmation != "" {
		parts = append(parts, "confirmation "+string(e.Confirmation))
	}
	if len(e.Policies) > 0 {
		parts = append(parts, "policies "+policyNames(e.Policies))
	}
	return strings.Join(parts, ", ") + ": " + e.Description
}

func policyNames(policies []contract.PolicyRef) string {
	names := []string{}
	for _, p := range policies {
		names = append(names, p.String())
	}
	return strings.Join(names, ", ")
}

// schemaMeaning names the top-level members that came (+), went (-) or changed (~), and those that became required or
// optional.
func schemaMeaning(before, after capability.JSON) string {
	old, fresh := partsOf(before), partsOf(after)
	var parts []string
	for _, name := range union(old.Properties, fresh.Properties) {
		was, isOld := old.Properties[name]
		is, isNew := fresh.Properties[name]
		switch {
		case !isOld:
			parts = append(parts, "+"+name)
		case !isNew:
			parts = append(parts, "-"+name)
		case !bytes.Equal(was, is):
			parts = append(parts, "~"+name)
		}
	}
	for _, name := range fresh.Required {
		if !slices.Contains(old.Required, name) {
			parts = append(parts, name+" is required")
		}
	}
	for _, name := range old.Required {
		if _, still := fresh.Properties[name]; still && !slices.Contains(fresh.Required, name) {
			parts = append(parts, name+" is optional")
		}
	}
	return cmp.Or(strings.Join(parts, ", "), "the schema as a whole")
}

// parts are what schemaMeaning looks at.
type parts struct {
	Properties map[string]json.RawMessage
	Required   []string
}

// partsOf reads a schema that is canonical, so that equal parts have equal bytes. One of another shape has no parts.
func partsOf(document capability.JSON) parts {
	var p parts
	if json.Unmarshal([]byte(document), &p) != nil {
		return parts{}
	}
	return p
}

func union(a, b map[string]json.RawMessage) []string {
	names := maps.Clone(a)
	if names == nil {
		names = map[string]json.RawMessage{}
	}
	maps.Copy(names, b)
	return slices.Sorted(maps.Keys(names))
}

// counted is "1 change" or "2 changes".
func counted(n int, one, several string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, several)
}
