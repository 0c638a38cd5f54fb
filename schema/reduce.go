package schema

import (
	"slices"

	"github.com/pagewarden/pagewarden/capability"
)

// Reduce is the document of s without the members named in removed, and with those named in optional no longer
// required: what is left for an agent to give when somebody else supplies the rest. Only properties and required
// of the root change; the order of everything is kept, and $defs too. A name that the schema does not have
// changes nothing. Other keywords of the root (anyOf, $ref, enum) may still ask for a name.
func Reduce(s *Schema, removed []string, optional ...string) capability.JSON {
	if len(removed) == 0 && len(optional) == 0 {
		return s.doc
	}
	var reduced capability.ObjectWriter
	for _, member := range s.doc.Members() {
		switch member.Name {
		case "properties":
			reduced.Raw(member.Name, withoutMembers(member.Value, removed))
		case "required":
			reduced.Raw(member.Name, withoutTexts(withoutTexts(member.Value, removed), optional))
		default:
			reduced.Raw(member.Name, member.Value)
		}
	}
	return reduced.JSON()
}

func withoutMembers(object capability.JSON, names []string) capability.JSON {
	var kept capability.ObjectWriter
	for _, member := range object.Members() {
		if !slices.Contains(names, member.Name) {
			kept.Raw(member.Name, member.Value)
		}
	}
	return kept.JSON()
}

func withoutTexts(list capability.JSON, names []string) capability.JSON {
	kept := slices.DeleteFunc(list.Elements(), func(element capability.JSON) bool {
		name, _ := element.Text()
		return slices.Contains(names, name)
	})
	return capability.ArrayJSON(kept)
}
