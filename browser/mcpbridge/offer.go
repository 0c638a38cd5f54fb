package mcpbridge

import (
	"encoding/json"
	"fmt"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/capability"
)

// The members of a tool's _meta: what a client cannot see otherwise.
const (
	// metaName is the page's own name of the tool, where the client sees another.
	metaName = "pagewarden/name"
	// metaOrigin is the origin of the document that offers the tool.
	metaOrigin = "pagewarden/origin"
	// metaFrame is the iframe that offers it, for tools that the page does not
	// offer itself.
	metaFrame = "pagewarden/frame"
	// metaHints are the page's hints, in its own words.
	metaHints = "pagewarden/hints"
)

// maxDescription is how long a description may be, in characters: a model reads
// those of all tools, and one must not fill what it can read.
const maxDescription = 20_000

// entry is a tool of the page as clients have it.
type entry struct {
	tool  browser.Tool
	offer *mcp.Tool
	// text is the offer in JSON, to notice that it has changed.
	text string
	// remarks say in what it differs from what the page declares.
	remarks []string
}

// entries are the tools of a page by the names that clients see.
func entries(tools []browser.Tool) map[string]entry {
	byName := make(map[string]entry, len(tools))
	for i, name := range outwardNames(tools) {
		byName[name] = newEntry(name, tools[i])
	}
	return byName
}

func newEntry(name string, t browser.Tool) entry {
	e := entry{tool: t}
	schema, rewritten := inputSchema(t.InputSchema)
	meta := mcp.Meta{metaOrigin: origin(t.Frame.URL)}
	if name != t.Name {
		meta[metaName] = t.Name
		e.remark("is called %s here, since its own name is not fit or unique", name)
	}
	if !t.Frame.Main {
		meta[metaFrame] = shown(t.Frame.URL)
	}
	if hints := t.Annotations.Hints(); len(hints) > 0 {
		meta[metaHints] = hints
	}
	if rewritten {
		e.remark("declares a schema that clients may refuse; they get one of a plain object, and the page still checks its own")
	}
	if t.Annotations.ReadOnly && t.Annotations.Consequential {
		e.remark("says that it is read-only and consequential; it counts as consequential")
	}
	title, description := capability.Cut(t.Title, maxMessage), capability.Cut(t.Description, maxDescription)
	if title != t.Title || description != t.Description {
		e.remark("says so much of itself that clients get the beginning only")
	}
	e.offer = &mcp.Tool{
		Meta: meta, Name: name, Title: title, Description: description,
		InputSchema: schema, Annotations: annotations(t.Annotations),
	}
	e.text = textOf(e.offer)
	return e
}

func (e *entry) remark(format string, args ...any) {
	e.remarks = append(e.remarks, fmt.Sprintf(format, args...))
}

// annotations says of a tool no more good than the page does: without a hint, a
// tool is destructive and of an open world, as MCP has it.
func annotations(a browser.Annotations) *mcp.ToolAnnotations {
	hints := &mcp.ToolAnnotations{ReadOnlyHint: a.ReadOnly && !a.Consequential}
	if a.Consequential {
		destructive := true
		hints.DestructiveHint = &destructive
	}
	return hints
}

// textOf is an offer in JSON. One that cannot be written differs from all.
func textOf(offer *mcp.Tool) string {
	text, err := json.Marshal(offer)
	if err != nil {
		return fmt.Sprintf("%p", offer)
	}
	return string(text)
}
