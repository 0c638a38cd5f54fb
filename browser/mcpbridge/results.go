package mcpbridge

import (
	"encoding/json"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/capability"
)

// resultOf is what a client gets for a page's result. One in the shape of MCP
// goes through as it is, but for members that are not a page's to send, such as
// requests to the client. Of any other, a string is the text; everything else is
// its JSON, and an object the structured content too.
func resultOf(r browser.Result) *mcp.CallToolResult {
	if shaped, ok := shapedResult(r); ok {
		return shaped
	}
	var text string
	if json.Unmarshal(r.Raw, &text) == nil && string(r.Raw) != "null" {
		return textResult(text, false)
	}
	result := textResult(string(r.Raw), false)
	if len(r.Raw) > 0 && r.Raw[0] == '{' && digestible(r.Raw) {
		result.StructuredContent = r.Raw
	}
	return result
}

// shapedResult reads a result in the shape of MCP.
func shapedResult(r browser.Result) (*mcp.CallToolResult, bool) {
	object, ok := r.MCP()
	if !ok || !digestible(object) {
		return nil, false
	}
	var all mcp.CallToolResult
	if err := json.Unmarshal(object, &all); err != nil {
		return nil, false // content of a kind that MCP does not have
	}
	if slices.ContainsFunc(all.Content, misplaced) {
		return nil, false
	}
	result := &mcp.CallToolResult{Content: all.Content, IsError: all.IsError}
	if structured, isObject := all.StructuredContent.(map[string]any); isObject {
		result.StructuredContent = structuredOf(object, structured)
	}
	if result.Content == nil {
		result.Content = []mcp.Content{}
	}
	return result, true
}

// misplaced reports content that a tool's result may not have.
func misplaced(content mcp.Content) bool {
	switch content := content.(type) {
	case *mcp.TextContent, *mcp.ImageContent, *mcp.AudioContent, *mcp.ResourceLink:
		return false
	case *mcp.EmbeddedResource:
		return content.Resource == nil
	}
	return true
}

// maxDepth is how deep a message may nest that every client can read.
const maxDepth = 200

// digestible reports JSON that every client can read. A client that cannot read
// a message takes the connection for broken, and every other tool is lost with
// it; as a text, it is just a strange text.
func digestible(value json.RawMessage) bool {
	return capability.ValueLimits{MaxBytes: len(value), MaxDepth: maxDepth}.Check(capability.JSON(value)) == nil
}

// structuredOf prefers the page's own text, with its order of members and its
// numbers, to what was read of it.
func structuredOf(object json.RawMessage, read any) any {
	var exact struct {
		StructuredContent json.RawMessage `json:"structuredContent"`
	}
	if json.Unmarshal(object, &exact) != nil || len(exact.StructuredContent) == 0 {
		return read
	}
	return exact.StructuredContent
}

func textResult(text string, isError bool) *mcp.CallToolResult {
	return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}, IsError: isError}
}
