package contract

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"unicode/utf8"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
)

// Offer is one capability as a registry, or a gateway, is about to offer it: its own copy of what was given.
type Offer struct {
	Seen
	// Confirmation is the level in force, with what policies always ask.
	Confirmation capability.Confirmation
	// HasPolicy reports whether a policy of that name takes part in that phase, "" for any. Nil means that there are none.
	HasPolicy func(name, phase string) bool
}

// Seen is what admission covers, but for bound fields a comparable value.
type Seen struct {
	CapabilityID                             string
	Kind                                     capability.Kind
	Title, Description, ComponentDescription string
	Effect                                   capability.Effect
	InputSchema, OutputSchema                capability.JSON // in whatever form
	UntrustedContent                         bool
	Audit                                    capability.AuditLevel // the level in force
	BoundFields                              []BoundField
}

// AdmissionError says why an authority does not admit what was offered.
type AdmissionError struct {
	CapabilityID string
	// Field is the field of the manifest that differs, "" when the capability as a whole is too much or too little.
	Field  string
	Reason string
}

// Error names the capability and the field, and what to run.
func (e *AdmissionError) Error() string {
	where := e.CapabilityID
	if e.Field != "" {
		where += ", " + e.Field
	}
	return fmt.Sprintf("%s: %s; if that is meant, run %q and have the contract reviewed", where, e.Reason, SnapshotCommand)
}

// Admit decides whether a component of that type may be registered with just these capabilities. What the manifest
// declares of the type must all be there. The error is an *AdmissionError.
func (a *Authority) Admit(componentType string, offers []Offer) error {
	if a.Mode() == ModeOpen {
		return nil
	}
	for i := range offers {
		if err := a.admit(&offers[i]); err != nil {
			return err
		}
	}
	for _, id := range a.components[componentType] {
		if !slices.ContainsFunc(offers, func(o Offer) bool { return o.CapabilityID == id }) {
			return &AdmissionError{id, "", "the contract declares it, and this component leaves it out"}
		}
	}
	return nil
}

// admit decides on one capability.
func (a *Authority) admit(o *Offer) error {
	if a.tools != nil {
		return a.tools.admit(o)
	}
	admittable := a.entries[o.CapabilityID]
	if admittable == nil {
		return &AdmissionError{o.CapabilityID, "", "is not in the contract"}
	}
	if err := admittable.check(&o.Seen); err != nil {
		return err
	}
	return admittable.entry.checkStrength(o)
}

// admittable is an entry of the manifest, and what was last found to be it.
type admittable struct {
	entry Entry
	last  atomic.Pointer[Seen]
}

// check compares by content. A page that mounts the same component again and again is hashed once.
func (a *admittable) check(s *Seen) error {
	if last := a.last.Load(); last != nil && last.same(s) {
		return nil
	}
	offered, err := s.entry()
	if err != nil {
		return err
	}
	if field, reason := a.entry.difference(&offered); field != "" {
		return &AdmissionError{s.CapabilityID, field, reason}
	}
	if offered.AdmissionHash() != a.entry.Admission {
		return &AdmissionError{s.CapabilityID, "admission", "differs from the contract"}
	}
	kept := *s
	kept.BoundFields = slices.Clone(s.BoundFields)
	a.last.Store(&kept)
	return nil
}

// same compares texts only, so that it costs little; what it takes for different is looked at in full.
func (s *Seen) same(t *Seen) bool {
	return s.CapabilityID == t.CapabilityID && s.Kind == t.Kind && s.Title == t.Title && s.Description == t.Description &&
		s.ComponentDescription == t.ComponentDescription && s.Effect == t.Effect && s.InputSchema == t.InputSchema &&
		s.OutputSchema == t.OutputSchema && s.UntrustedContent == t.UntrustedContent && s.Audit == t.Audit &&
		slices.Equal(s.BoundFields, t.BoundFields)
}

// entry is what the manifest would say of s: schemas in canonical form, bound fields in order.
func (s *Seen) entry() (Entry, error) {
	e := Entry{
		CapabilityID: s.CapabilityID, Kind: s.Kind, Title: s.Title, Description: s.Description, ComponentDescription: s.ComponentDescription,
		Effect: s.Effect, UntrustedContent: s.UntrustedContent, Audit: s.Audit,
		BoundFields: byPath(s.BoundFields),
	}
	var issue *capability.Issue
	if e.InputSchema, issue = canonicalSchema(s.InputSchema); issue != nil {
		return e, &AdmissionError{s.CapabilityID, "inputSchema", issue.Error()}
	}
	if e.OutputSchema, issue = canonicalSchema(s.OutputSchema); issue != nil {
		return e, &AdmissionError{s.CapabilityID, "outputSchema", issue.Error()}
	}
	return e, nil
}

func canonicalSchema(document capability.JSON) (capability.JSON, *capability.Issue) {
	if document.Absent() {
		return "", nil
	}
	return canonical.Encode(document, manifestLimits())
}

// difference is the first field in which what is offered is not what e says, and how; "" for none. Texts are compared
// as they are: two that look alike and have other code points differ.
func (e *Entry) difference(offered *Entry) (field, reason string) {
	for _, f := range []struct{ field, declared, offered string }{
		{"kind", string(e.Kind), string(offered.Kind)},
		{"effect", string(e.Effect), string(offered.Effect)},
		{"title", e.Title, offered.Title},
		{"description", e.Description, offered.Description},
		{"componentDescription", e.ComponentDescription, offered.ComponentDescription},
		{"inputSchema", string(e.InputSchema), string(offered.InputSchema)},
		{"outputSchema", string(e.OutputSchema), string(offered.OutputSchema)},
		{"untrustedContent", fmt.Sprint(e.UntrustedContent), fmt.Sprint(offered.UntrustedContent)},
		{"audit", string(e.effectiveAudit()), string(offered.effectiveAudit())},
		{"boundFields", boundText(e.BoundFields), boundText(offered.BoundFields)},
	} {
		switch {
		case !utf8.ValidString(f.offered):
			return f.field, "must be valid UTF-8"
		case f.declared != f.offered:
			return f.field, unlike(f.declared, f.offered)
		}
	}
	return "", ""
}

// boundText lists bound fields; the manifest may have them in any order.
func boundText(fields []BoundField) string {
	text := ""
	for i, bound := range byPath(fields) {
		if i > 0 {
			text += ", "
		}
		text += string(capability.Quote(bound.Path))
		if bound.Locked {
			text += " locked"
		}
	}
	return text
}

// unlike says how offered differs from declared: each from a little before the first difference, in ASCII, so that
// texts that only look alike are told apart.
func unlike(declared, offered string) string {
	at := 0
	for at < len(declared) && at < len(offered) && declared[at] == offered[at] {
		at++
	}
	return "the contract says " + excerpt(declared, at) + ", and this is " + excerpt(offered, at)
}

// excerpt is the part of text around byte at.
func excerpt(text string, at int) string {
	const before, most = 20, 80
	if text == "" {
		return "nothing"
	}
	start, end, tail := 0, len(text), ""
	if at > before {
		start = at - before
	}
	if end-start > most {
		end, tail = start+most, "…"
	}
	head := ""
	if start > 0 {
		head = "…"
	}
	quoted := strconv.QuoteToASCII(strings.ToValidUTF8(text[start:end], ""))
	inner := strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`) // a schema is easier to read so
	return head + "'" + inner + "'" + tail
}

// checkStrength looks at what may be stronger than the contract says, but not weaker.
func (e *Entry) checkStrength(o *Offer) error {
	if least := e.effectiveConfirmation(); e.Kind != capability.Observation && o.Confirmation.Rank() < least.Rank() {
		return &AdmissionError{o.CapabilityID, "confirmation", fmt.Sprintf("the contract asks for %s, and this is weaker: %s", least, cmp.Or(o.Confirmation, capability.Never))}
	}
	for i, p := range e.Policies {
		if o.HasPolicy == nil || !o.HasPolicy(p.Name, p.Phase) {
			return &AdmissionError{o.CapabilityID, fmt.Sprintf("policies[%d]", i), "the contract asks for the policy " + p.String() + ", and there is none"}
		}
	}
	return nil
}
