package testsurface

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"

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
	var out capability.ObjectWriter
	for _, member := range numbered(*snapshot).JSON().Members() {
		switch member.Name {
		case "surfaceId", "capturedAt":
			continue
		case "surfaceVersion":
			if !options.IncludeVersion {
				continue
			}
		}
		out.Raw(member.Name, member.Value)
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(out.JSON()), "", "  "); err != nil {
		return string(out.JSON()) // cannot be: what a snapshot writes is JSON
	}
	return indented.String()
}

// numbered is a copy of a snapshot with numbers in place of registration ids.
func numbered(s registry.Snapshot) *registry.Snapshot {
	names := map[string]string{}
	name := func(id string) string {
		if names[id] == "" {
			names[id] = fmt.Sprintf("<reg#%d>", len(names)+1)
		}
		return names[id]
	}
	s.Components = slices.Clone(s.Components)
	for i := range s.Components {
		s.Components[i].RegistrationID = name(s.Components[i].RegistrationID)
	}
	s.Procedures = slices.Clone(s.Procedures)
	for i := range s.Procedures {
		s.Procedures[i].RegistrationID = name(s.Procedures[i].RegistrationID)
	}
	return &s
}
