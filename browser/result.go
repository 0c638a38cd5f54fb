package browser

import (
	"encoding/json"
	"strings"
)

// Result is what a tool gave back.
type Result struct {
	// Raw is the value as the browser hands it to an agent, in JSON. Chromium
	// parses a string that holds JSON, so the text 5 and the number 5 both
	// arrive as 5; it gives "undefined" for undefined and "Operation succeeded"
	// for the empty string.
	Raw json.RawMessage
}

// mcpResult is the shape that MCP gives to results:
// {content:[{type:"text",text}], structuredContent?, isError?}.
type mcpResult struct {
	Content           []mcpContent    `json:"content"`
	StructuredContent json.RawMessage `json:"structuredContent"`
	IsError           bool            `json:"isError"`
}

type mcpContent struct {
	Type string `json:"type"`
	Text string `json:"text"`
}

// IsError reports an MCP-shaped result that says isError.
func (r Result) IsError() bool {
	m, ok := r.mcp()
	return ok && m.IsError
}

// MCP returns the result as the JSON of an MCP result, if the page gave it that
// shape; ok is false for any other.
func (r Result) MCP() (object json.RawMessage, ok bool) {
	if _, ok := r.mcp(); !ok {
		return nil, false
	}
	return r.object(), true
}

// Value returns what matters of the result: the structured content of an
// MCP-shaped one, else its texts joined by newlines, else the raw JSON. Content
// that is not text is never dropped: then the raw JSON is the value.
func (r Result) Value() string {
	m, ok := r.mcp()
	if !ok {
		return string(r.Raw)
	}
	if len(m.StructuredContent) > 0 && string(m.StructuredContent) != "null" {
		return string(m.StructuredContent)
	}
	texts := make([]string, len(m.Content))
	for i, c := range m.Content {
		if c.Type != "text" {
			return string(r.Raw)
		}
		texts[i] = c.Text
	}
	return strings.Join(texts, "\n")
}

// mcp reads the result as MCP has it; a content array with typed entries is
// what tells it from an ordinary object.
func (r Result) mcp() (mcpResult, bool) {
	var m mcpResult
	if err := json.Unmarshal(r.object(), &m); err != nil || m.Content == nil {
		return mcpResult{}, false
	}
	if len(m.Content) == 0 && len(m.StructuredContent) == 0 && !m.IsError {
		return mcpResult{}, false
	}
	for _, c := range m.Content {
		if c.Type == "" {
			return mcpResult{}, false
		}
	}
	return m, true
}

// object unwraps an object that arrived as JSON text, as some builds have it.
func (r Result) object() []byte {
	var text string
	if err := json.Unmarshal(r.Raw, &text); err == nil && strings.HasPrefix(text, "{") {
		return []byte(text)
	}
	return r.Raw
}
