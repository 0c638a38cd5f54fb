package browser

import (
	"cmp"
	"encoding/json"
	"slices"
)

// Tool is a tool as an agent sees it.
type Tool struct {
	// Name is unique in its frame.
	Name string `json:"name"`
	// Title is a name for people. It is known for tools of the main frame only.
	Title string `json:"title,omitempty"`
	// Description is what the page says about the tool: untrusted text.
	Description string `json:"description"`
	// InputSchema is the JSON Schema of the input in the author's property
	// order; nil when the tool declares none.
	InputSchema json.RawMessage `json:"inputSchema,omitempty"`
	// Annotations are the page's hints.
	Annotations Annotations `json:"annotations"`
	// Frame is the document that registered the tool.
	Frame Frame `json:"frame"`
}

// Annotations are hints of the page about a tool. A page can lie.
type Annotations struct {
	ReadOnly         bool `json:"readOnlyHint"`
	Consequential    bool `json:"consequentialHint"`
	UntrustedContent bool `json:"untrustedContentHint"`
}

// Hints returns the names of the hints that are set, in a fixed order.
func (a Annotations) Hints() []string {
	hints := []string{}
	if a.ReadOnly {
		hints = append(hints, "read-only")
	}
	if a.Consequential {
		hints = append(hints, "consequential")
	}
	if a.UntrustedContent {
		hints = append(hints, "untrusted-content")
	}
	return hints
}

// Frame is a document in a page.
type Frame struct {
	// ID is the browser's id: new for every page, so it is not printed.
	ID string `json:"-"`
	// URL is the document's address.
	URL string `json:"url"`
	// Main reports the page's own document; others are iframes.
	Main bool `json:"main"`
}

// sortTools puts the main frame first, then frames by address, tools by name.
// Frames load in any order, and the list must not change with it.
func sortTools(tools []Tool) {
	slices.SortFunc(tools, func(a, b Tool) int {
		if a.Frame.Main != b.Frame.Main {
			if a.Frame.Main {
				return -1
			}
			return 1
		}
		return cmp.Or(
			cmp.Compare(a.Frame.URL, b.Frame.URL),
			cmp.Compare(a.Name, b.Name),
			cmp.Compare(a.Frame.ID, b.Frame.ID),
		)
	})
}

// Pick returns the tool of that name: the main frame's, else the only one.
// Errors: *UnknownToolError, *AmbiguousToolError.
func Pick(tools []Tool, name string) (Tool, error) {
	var found []Tool
	for _, t := range tools {
		if t.Name != name {
			continue
		}
		if t.Frame.Main {
			return t, nil
		}
		found = append(found, t)
	}
	switch len(found) {
	case 0:
		return Tool{}, unknownTool(tools, name)
	case 1:
		return found[0], nil
	}
	frames := make([]string, len(found))
	for i, t := range found {
		frames[i] = t.Frame.URL
	}
	slices.Sort(frames)
	return Tool{}, &AmbiguousToolError{Name: name, Frames: frames}
}

func unknownTool(tools []Tool, name string) *UnknownToolError {
	names := make([]string, len(tools))
	for i, t := range tools {
		names[i] = t.Name
	}
	return &UnknownToolError{Name: name, Nearest: nearest(name, names), Known: len(tools)}
}
