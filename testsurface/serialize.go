package testsurface

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// SerializeOptions say what a serialized snapshot keeps.
type SerializeOptions struct {
	// IncludeVersion keeps the surface version.
	IncludeVersion bool
}

// Serialize is a snapshot as indented JSON that is the same in every run, for comparison with an expected
// text: registration ids are <reg#1>, <reg#2> … in order of appearance, and surfaceId, capturedAt and, unless
// the options keep it, surfaceVersion are left out.
func Serialize(snapshot *registry.Snapshot, options SerializeOptions) string {
	return SerializeJSON(snapshot.JSON(), options)
}

// SerializeJSON is Serialize for the text of a snapshot. Of what is no snapshot it keeps whatever it does not know.
func SerializeJSON(snapshot capability.JSON, options SerializeOptions) string {
	var out capability.ObjectWriter
	names := numbers{}
	for _, member := range snapshot.Members() {
		switch member.Name {
		case "surfaceId", "capturedAt":
			continue
		case "surfaceVersion":
			if !options.IncludeVersion {
				continue
			}
		case "components", "procedures":
			member.Value = names.elements(member.Value)
		}
		out.Raw(member.Name, member.Value)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(out.JSON()), "", "  "); err != nil {
		return string(out.JSON()) // cannot be: what was JSON is JSON still
	}
	return indented.String()
}

// numbers are what registration ids are called, in order of appearance.
type numbers map[string]string

// elements is a list of objects with numbers in place of their registration ids.
func (n numbers) elements(list capability.JSON) capability.JSON {
	if list.Kind() != '[' {
		return list
	}
	elements := list.Elements()
	for i, element := range elements {
		if element.Kind() == '{' {
			elements[i] = n.element(element)
		}
	}
	return capability.ArrayJSON(elements)
}

func (n numbers) element(object capability.JSON) capability.JSON {
	out := capability.ObjectWriter{}
	for _, member := range object.Members() {
		if id, ok := member.Value.Text(); ok && member.Name == "registrationId" {
			if n[id] == "" {
				n[id] = fmt.Sprintf("<reg#%d>", len(n)+1)
			}
			member.Value = capability.Quote(n[id])
		}
		out.Raw(member.Name, member.Value)
	}
	return out.JSON()
}
