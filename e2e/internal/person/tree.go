package person

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
)

// Element is something on the page as assistive technology is told of it.
type Element struct {
	Role        string
	Name        string
	Description string
	// Properties are the further ones, such as "focused" and "modal", with their values as JSON.
	Properties map[string]string
	Children   []*Element

	node cdp.BackendNodeID
}

// String says what it is.
func (e *Element) String() string { return fmt.Sprintf("%s %q", e.Role, e.Name) }

// Is reports whether a property is true.
func (e *Element) Is(property string) bool { return e.Properties[property] == "true" }

// Text is all that can be read in the element, in its order.
func (e *Element) Text() string {
	if len(e.Children) == 0 {
		return e.Name
	}
	var parts []string
	for _, child := range e.Children {
		if text := child.Text(); text != "" {
			parts = append(parts, text)
		}
	}
	return strings.Join(parts, "\n")
}

// Each visits the element and everything in it.
func (e *Element) Each(visit func(*Element)) {
	visit(e)
	for _, child := range e.Children {
		child.Each(visit)
	}
}

// All are the elements in it of that role.
func (e *Element) All(role string) []*Element {
	var found []*Element
	e.Each(func(in *Element) {
		if in.Role == role {
			found = append(found, in)
		}
	})
	return found
}

// Find is the first element in it of that role and name, nil without one. An empty name means any.
func (e *Element) Find(role, name string) *Element {
	for _, found := range e.All(role) {
		if name == "" || found.Name == name {
			return found
		}
	}
	return nil
}

// Look returns the page, with everything in it that is not hidden from assistive technology.
func (p *Person) Look(ctx context.Context) (*Element, error) {
	got, err := call(ctx, p, "looking at the page", accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil {
		return nil, err
	}
	if len(got.Nodes) == 0 {
		return &Element{}, nil
	}
	byID := make(map[accessibility.NodeID]*accessibility.Node, len(got.Nodes))
	for _, node := range got.Nodes {
		byID[node.NodeID] = node
	}
	return seen(byID, got.Nodes[0])[0], nil
}

// seen is what is left of a node: itself, or in its place its children.
func seen(byID map[accessibility.NodeID]*accessibility.Node, node *accessibility.Node) []*Element {
	e := &Element{Role: text(node.Role), Name: text(node.Name), Description: text(node.Description), node: node.BackendDOMNodeID}
	for _, id := range node.ChildIDs {
		// Pieces of a line say again what their text says.
		if child := byID[id]; child != nil && text(child.Role) != "InlineTextBox" {
			e.Children = append(e.Children, seen(byID, child)...)
		}
	}
	if node.Ignored && node.ParentID != "" {
		return e.Children
	}
	e.Properties = map[string]string{}
	for _, property := range node.Properties {
		e.Properties[string(property.Name)] = string(property.Value.Value)
	}
	return []*Element{e}
}

// text reads a value that is a string.
func text(value *accessibility.Value) string {
	var s string
	if value != nil {
		_ = json.Unmarshal(value.Value, &s) // anything else has no text
	}
	return s
}
