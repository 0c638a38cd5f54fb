package mcpserver

import (
	"encoding/json"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/toolset"
)

// offer is a tool as clients are told of it. It never changes.
type offer struct {
	spec          *toolset.Spec
	input, output capability.JSON // output is "" when none is told
	wrapped       bool            // the input is the member "input" of the arguments
	simplified    []string
	tool          *mcp.Tool
}

func newOffer(spec *toolset.Spec) *offer {
	o := &offer{spec: spec}
	o.input, o.wrapped, o.simplified = strictInput(spec.InputSchema)
	if !spec.OutputSchema.Absent() {
		var notes []string
		o.output, notes = strictOutput(spec.OutputSchema)
		o.simplified = append(o.simplified, notes...)
	}
	o.tool = o.make()
	return o
}

func (o *offer) mcpTool() *mcp.Tool { return o.tool }

func (o *offer) make() *mcp.Tool {
	s := o.spec
	consequential, open := s.Effect.Consequential(), s.Effect == capability.ExternalSideEffect || s.UntrustedContent
	tool := &mcp.Tool{
		Name: s.Name, Title: s.Title, Description: s.Description, InputSchema: json.RawMessage(o.input),
		Annotations: &mcp.ToolAnnotations{
			Title: s.Title, ReadOnlyHint: s.Effect.OnlyReads(), DestructiveHint: &consequential, IdempotentHint: s.Idempotent, OpenWorldHint: &open,
		},
		Meta: mcp.Meta{StateMeta: json.RawMessage(s.State.JSON())},
	}
	if o.output != "" {
		tool.OutputSchema = json.RawMessage(o.output)
	}
	if len(o.simplified) > 0 {
		tool.Meta[SimplifiedMeta] = o.simplified
	}
	return tool
}

// unwrap is the input that a client means by its arguments; issue says what is wrong with them. None, and null, are {}.
func (o *offer) unwrap(arguments capability.JSON) (input capability.JSON, issue capability.Issue) {
	if arguments.Absent() || strings.TrimSpace(string(arguments)) == "null" {
		arguments = capability.EmptyObject
	}
	if !o.wrapped {
		return arguments, capability.Issue{}
	}
	if arguments.Kind() != '{' {
		return "", capability.Issue{Message: `must be an object with the member "input"`}
	}
	for _, member := range arguments.Members() {
		switch {
		case member.Name != wrapper:
			return "", capability.Issue{Path: capability.PathName("", member.Name), Message: `must be left out: what the tool takes goes into "input"`}
		case !input.Absent():
			return "", capability.Issue{Path: wrapper, Message: "must not be given twice in one object"}
		}
		input = member.Value
	}
	if input.Absent() {
		return "", capability.Issue{Path: wrapper, Message: "is required"}
	}
	return input, capability.Issue{}
}
