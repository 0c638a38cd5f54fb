package toolset

import (
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// envelope is what the arguments of a verb say.
type envelope struct {
	scope          []string
	capabilityID   string
	instanceID     string
	input          capability.JSON
	invocationID   string
	confirmationID string
	surfaceVersion string
}

// adopt takes from the host what the model did not say.
func (e *envelope) adopt(call Call) {
	if e.invocationID == "" {
		e.invocationID = call.Identity()
	}
	if e.confirmationID == "" {
		e.confirmationID = call.ConfirmationID
	}
}

// request is the call that the envelope asks for, as the agent issued it.
func (e *envelope) request() registry.Request {
	return registry.Request{
		InvocationID: e.invocationID, CapabilityID: e.capabilityID, InstanceID: e.instanceID,
		SurfaceVersion: e.surfaceVersion, Input: e.input, ConfirmationID: e.confirmationID,
	}
}

// The room that an envelope needs beside the input: its other members, and what a string around the input adds.
const (
	envelopeRoom = 16384
	escapeFactor = 6
)

// read checks the arguments against the verb's schema, and reads them. What input holds is left to fit. The envelope
// has what could be read even where there are issues.
func (v verb) read(arguments capability.JSON, limits capability.Limits) (e envelope, issues []capability.Issue) {
	room := capability.ValueLimits{MaxBytes: escapeFactor*limits.MaxInputBytes + envelopeRoom, MaxDepth: limits.MaxInputDepth + 1}
	if issue := room.Check(arguments); issue != nil {
		return e, []capability.Issue{*issue}
	}
	if arguments.Kind() != '{' {
		return e, []capability.Issue{{Message: "must be an object"}}
	}
	given := map[string]bool{}
	for _, member := range arguments.Members() {
		a, known := v.argument(member.Name)
		problem := ""
		switch {
		case !known:
			problem = "is not an argument of " + v.name
		case given[member.Name]:
			problem = "must not be given twice"
		default:
			problem = e.set(a, member.Value)
		}
		given[member.Name] = true
		if problem != "" {
			issues = append(issues, capability.Issue{Path: capability.PathName("", member.Name), Message: problem})
		}
	}
	for _, a := range v.arguments {
		if a.required && !given[a.name] {
			issues = append(issues, capability.Issue{Path: a.name, Message: "is missing"})
		}
	}
	return e, bounded(issues)
}

func (v verb) argument(name string) (argument, bool) {
	for _, a := range v.arguments {
		if a.name == name {
			return a, true
		}
	}
	return argument{}, false
}

// maxIssues is how many mistakes a model is told of at once.
const maxIssues = 20

func bounded(issues []capability.Issue) []capability.Issue {
	if len(issues) > maxIssues {
		issues = issues[:maxIssues]
	}
	return issues
}

// set takes over one argument, and says what is wrong with it.
func (e *envelope) set(a argument, value capability.JSON) (problem string) {
	switch a.kind {
	case scopeArgument:
		e.scope, problem = readScope(value)
	case inputArgument:
		e.input = value
	default:
		text, isText := value.Text()
		switch {
		case !isText:
			return "must be a string"
		case text == "":
			return "must not be empty; leave it out"
		}
		*e.text(a.name) = text
	}
	return problem
}

// text is where the argument of that name is kept.
func (e *envelope) text(name string) *string {
	switch name {
	case "capabilityId":
		return &e.capabilityID
	case "instanceId":
		return &e.instanceID
	case "invocationId":
		return &e.invocationID
	case "confirmationId":
		return &e.confirmationID
	}
	return &e.surfaceVersion
}

func readScope(value capability.JSON) (scope []string, problem string) {
	if value.Kind() != '[' {
		return nil, "must be an array of prefixes"
	}
	elements := value.Elements()
	if len(elements) > maxScope {
		return nil, fmt.Sprintf("must have at most %d prefixes", maxScope)
	}
	for _, element := range elements {
		prefix, isText := element.Text()
		if !isText || prefix == "" {
			return nil, "must hold strings that are not empty"
		}
		scope = append(scope, prefix)
	}
	return scope, ""
}
