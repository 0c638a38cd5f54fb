package review

import (
	"cmp"
	"slices"
)

// Class says which way a change goes.
type Class string

// The classes: more than before may be done, or with fewer safeguards; the reverse; neither.
const (
	Widening  Class = "widening"
	Narrowing Class = "narrowing"
	Neutral   Class = "neutral"
)

// Classes are all classes, the most important first.
func Classes() []Class { return []Class{Widening, Narrowing, Neutral} }

// Change is one difference between two contracts.
type Change struct {
	Class Class `json:"class"`
	// Subject is a capability id, "dependency NAME", or "contract" for the file as a whole.
	Subject string `json:"subject"`
	// Field is the manifest's field; "" when the whole subject came or went.
	Field string `json:"field,omitempty"`
	// Before and After are texts, or canonical JSON for schemas; "" for what is absent.
	Before string `json:"before,omitempty"`
	After  string `json:"after,omitempty"`
	// Meaning says what it is to an agent, for a reader who knows neither the project nor this tool.
	Meaning string `json:"meaning"`
}

// sortChanges puts the most important class first, then subjects by name; the fields of one stay in the manifest's order.
func sortChanges(changes []Change) []Change {
	slices.SortStableFunc(changes, func(a, b Change) int {
		return cmp.Or(
			cmp.Compare(slices.Index(Classes(), a.Class), slices.Index(Classes(), b.Class)),
			cmp.Compare(a.Subject, b.Subject),
		)
	})
	return changes
}

// Count is how many changes are of a class.
func Count(changes []Change, class Class) int {
	n := 0
	for _, c := range changes {
		if c.Class == class {
			n++
		}
	}
	return n
}

// Policy chooses the classes of drift that count as findings.
type Policy string

// The policies: every class, one of them, none.
const (
	PolicyAll       Policy = "all"
	PolicyWidening  Policy = "widening"
	PolicyNarrowing Policy = "narrowing"
	PolicyNeutral   Policy = "neutral"
	PolicyNone      Policy = "none"
)

// Policies are all policies.
func Policies() []Policy {
	return []Policy{PolicyAll, PolicyWidening, PolicyNarrowing, PolicyNeutral, PolicyNone}
}

// counts reports whether a change of the class is a finding.
func (p Policy) counts(class Class) bool { return p == PolicyAll || string(p) == string(class) }
