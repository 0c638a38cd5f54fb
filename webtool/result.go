package webtool

import (
	"errors"
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// ToolResult is what a tool gives for a value, absent for nothing: { content: [{ type: "text", text }],
// structuredContent? }. A text is one block; an object with content, as MCP has results, is passed on after a check; any
// other value is its JSON, and an object besides is the structured content. The error says what is wrong with an MCP
// result.
func ToolResult(value capability.JSON) (capability.JSON, error) {
	switch {
	case value.Absent():
		return `{"content":[]}`, nil
	case isResult(value):
		return value, checkResult(value)
	}
	text, isText := value.Text()
	if !isText {
		text = string(value)
	}
	var o capability.ObjectWriter
	o.Raw("content", textContent(text))
	if value.Kind() == '{' {
		o.Raw("structuredContent", value)
	}
	return o.JSON(), nil
}

// ToolError is a result that is an error: its text is { code, message }.
func ToolError(code, message string) capability.JSON {
	return errorResult((&Error{code, message}).object().JSON())
}

func errorResult(payload capability.JSON) capability.JSON {
	var o capability.ObjectWriter
	o.Raw("content", textContent(string(payload)))
	o.Bool("isError", true)
	return o.JSON()
}

func (e *Error) object() *capability.ObjectWriter {
	var o capability.ObjectWriter
	o.Text("code", e.Code)
	o.Text("message", e.Message)
	return &o
}

// Failed is the result of a tool that failed in a way that no agent is told of.
func Failed() capability.JSON { return ToolError(CodeFailed, messageFailed) }

// FromResult is what whoever called the tool gets for the pipeline's result. A code of the pipeline that web tools have
// no own one for keeps its name, its retry advice and its details.
func FromResult(r registry.Result) capability.JSON {
	if r.Error == nil {
		result, err := ToolResult(r.Output)
		if err != nil {
			return Failed()
		}
		return result
	}
	own, keeps := errorOf(r.Error)
	o := own.object()
	if keeps {
		o.Text("retry", string(r.Error.Retry))
		o.Raw("details", r.Error.Details)
	}
	return errorResult(o.JSON())
}

func textContent(text string) capability.JSON {
	var block capability.ObjectWriter
	block.Text("type", "text")
	block.Text("text", text)
	return capability.ArrayJSON([]capability.JSON{block.JSON()})
}

// isResult reports whether a value has the shape of an MCP result: a list of content, and nothing that is no part of
// one.
func isResult(value capability.JSON) bool {
	listed := false
	for _, member := range value.Members() {
		switch member.Name {
		case "content":
			listed = member.Value.Kind() == '['
		case "structuredContent", "isError", "_meta":
		default:
			return false
		}
	}
	return listed
}

var (
	errStructured = errors.New("structuredContent must be an object")
	errFlag       = errors.New("isError must be true or false")
	errMeta       = errors.New("_meta must be an object")
)

func checkResult(value capability.JSON) error {
	for _, member := range value.Members() {
		switch kind := member.Value.Kind(); {
		case member.Name == "structuredContent" && kind != '{':
			return errStructured
		case member.Name == "isError" && kind != 't' && kind != 'f':
			return errFlag
		case member.Name == "_meta" && kind != '{':
			return errMeta
		case member.Name == "content":
			for i, block := range member.Value.Elements() {
				if err := checkBlock(block); err != nil {
					return fmt.Errorf("content[%d]: %w", i, err)
				}
			}
		}
	}
	return nil
}

// blockMember is something that a kind of content must have: its name, and how its value begins.
type blockMember struct {
	name  string
	begin byte
}

// blockMembers is nil for what is no kind of MCP's.
func blockMembers(kind string) []blockMember {
	switch kind {
	case "text":
		return []blockMember{{"text", '"'}}
	case "image", "audio":
		return []blockMember{{"data", '"'}, {"mimeType", '"'}}
	case "resource":
		return []blockMember{{"resource", '{'}}
	case "resource_link":
		return []blockMember{{"uri", '"'}, {"name", '"'}}
	}
	return nil
}

func checkBlock(block capability.JSON) error {
	members := map[string]capability.JSON{}
	for _, member := range block.Members() {
		members[member.Name] = member.Value
	}
	kind, _ := members["type"].Text()
	must := blockMembers(kind)
	if must == nil {
		return fmt.Errorf("type %q is none of text, image, audio, resource and resource_link", kind)
	}
	for _, part := range must {
		if members[part.name].Kind() != part.begin {
			return fmt.Errorf("%s of type %s is missing or of a wrong kind", part.name, kind)
		}
	}
	return nil
}
