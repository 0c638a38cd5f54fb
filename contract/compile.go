package contract

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/schema"
)

// Compile makes the manifest of the given declarations: checked, sorted and sealed. The same declarations, in
// whatever order, give the same bytes. What is wrong comes as *DeclarationError, all of them joined.
//
// A Go program writes its contract from go generate:
//
//	manifest, err := contract.Compile(Devices, Filters, DisableDevices)
//	…
//	err = os.WriteFile(".pagewarden/contract.json", manifest.File(), 0o644)
//
// Whoever adds dependencies sets External on the result and calls Seal again.
func Compile(declarations ...Declaration) (*Manifest, error) {
	d := &draft{}
	for _, declaration := range declarations {
		declaration.draft(d)
	}
	slices.SortStableFunc(d.entries, func(a, b Entry) int { return cmp.Compare(a.CapabilityID, b.CapabilityID) })
	d.unique()
	if len(d.problems) > 0 {
		return nil, errors.Join(d.problems...)
	}
	m := &Manifest{Compiler: Compiler, Targets: []string{Web}, Capabilities: d.entries, External: []Dependency{}}
	m.Seal()
	return m, nil
}

// draft gathers entries and what is wrong with them.
type draft struct {
	entries  []Entry
	problems []error
}

func (d *draft) fail(declaration, id, field, format string, args ...any) {
	d.problems = append(d.problems, &DeclarationError{declaration, id, field, fmt.Sprintf(format, args...)})
}

// unique finds capabilities and component types that are declared twice; the entries are sorted by id.
func (d *draft) unique() {
	if clash := clashOf(d.entries); clash != nil {
		e := &d.entries[clash.second]
		d.fail(e.Declaration, e.CapabilityID, clash.field, "%s", clash.reason)
	}
}

func (c Component) draft(d *draft) {
	if len(c.Observations)+len(c.Actions) == 0 {
		d.fail(c.Declaration, "", "", "a component needs at least one observation or action")
	}
	if !capability.IsComponentType(c.Type) {
		d.fail(c.Declaration, "", "type", "want lower-case segments [a-z][a-z0-9-]* joined by dots, at most %d characters", capability.MaxIDLength)
		return
	}
	for i := range c.Observations {
		o := &c.Observations[i]
		e := c.entry(o.Name, capability.Observation, &o.Common)
		e.Effect, e.OutputSchema = capability.Read, o.Output
		d.add(e)
	}
	for i := range c.Actions {
		a := &c.Actions[i]
		e := c.entry(a.Name, capability.Action, &a.Common)
		e.Effect, e.InputSchema, e.OutputSchema = a.Effect, a.Input, a.Output
		e.Confirmation, e.Audit = a.Confirmation, a.Audit
		d.add(e)
	}
}

// entry is what the capabilities of a component have in common.
func (c *Component) entry(name string, kind capability.Kind, common *Common) Entry {
	return Entry{
		Declaration: c.Declaration, CapabilityID: "view:" + c.Type + "." + name, Kind: kind, Title: common.Title,
		Description: common.Description, ComponentDescription: c.Description, UntrustedContent: common.UntrustedContent,
		Policies: slices.Concat(c.Policies, common.Policies), Tags: slices.Concat(c.Tags, common.Tags), Origin: c.Origin,
	}
}

func (p Procedure) draft(d *draft) {
	d.add(Entry{
		Declaration: p.Declaration, CapabilityID: p.ID, Kind: capability.Procedure, Title: p.Title, Description: p.Description,
		Effect: p.Effect, InputSchema: p.Input, OutputSchema: p.Output, Confirmation: p.Confirmation, Audit: p.Audit,
		UntrustedContent: p.UntrustedContent, BoundFields: p.BoundFields, Policies: p.Policies, Tags: p.Tags, Origin: p.Origin,
	})
}

func (t ExternalTool) draft(d *draft) {
	d.add(Entry{
		Declaration: t.Declaration, CapabilityID: t.ID, Kind: KindExternal, Title: t.Title, Description: t.Description,
		Effect: t.Effect, InputSchema: t.Input, OutputSchema: t.Output, Confirmation: t.Confirmation,
		UntrustedContent: t.UntrustedContent, Tags: t.Tags, Origin: t.Origin,
	})
}

// add checks e and brings it into the one form that it has in a manifest.
func (d *draft) add(e Entry) {
	e.settle()
	before := len(d.problems)
	fail := func(field, reason string) { d.fail(e.Declaration, e.CapabilityID, field, "%s", reason) }
	e.check(fail)
	e.checkTexts(fail)
	if len(d.problems) > before {
		return
	}
	e.InputSchema = d.schema(&e, "inputSchema", e.InputSchema)
	e.OutputSchema = d.schema(&e, "outputSchema", e.OutputSchema)
	d.entries = append(d.entries, e)
}

// settle fills in the levels in force and sorts what has no order.
func (e *Entry) settle() {
	e.Origin = cmp.Or(e.Origin, FirstParty)
	if e.Kind != capability.Observation && e.Effect.Valid() && e.Confirmation.Rank() >= 0 {
		e.Confirmation = e.effectiveConfirmation()
	}
	if e.Effect.Valid() && e.Audit == "" {
		e.Audit = e.effectiveAudit()
	}
	e.BoundFields = byPath(e.BoundFields)
	e.Policies = sortedSet(e.Policies, func(a, b PolicyRef) int { return cmp.Or(cmp.Compare(a.Name, b.Name), cmp.Compare(a.Phase, b.Phase)) })
	e.Tags = sortedSet(e.Tags, func(a, b string) int { return cmp.Compare(a, b) })
}

func byPath(fields []BoundField) []BoundField {
	return sortedSet(fields, func(a, b BoundField) int { return cmp.Compare(a.Path, b.Path) })
}

// sortedSet is a sorted copy of list without what is equal to another; nil when it is empty.
func sortedSet[T comparable](list []T, compare func(a, b T) int) []T {
	if len(list) == 0 {
		return nil
	}
	list = slices.Clone(list)
	slices.SortStableFunc(list, compare)
	return slices.Compact(list)
}

// checkTexts applies the default limits of a registry, so that what compiles can be registered.
func (e *Entry) checkTexts(fail func(field, reason string)) {
	limits := capability.DefaultLimits()
	for _, text := range []struct {
		field, value string
		most         int
	}{
		{"title", e.Title, maxTitle},
		{"description", e.Description, limits.MaxCapabilityDescription},
		{"componentDescription", e.ComponentDescription, limits.MaxComponentDescription},
	} {
		if capability.Length(text.value) > text.most {
			fail(text.field, fmt.Sprintf("at most %d characters", text.most))
		}
	}
}

const maxTitle = 100

// schema is the canonical form of a JSON Schema that registries accept.
func (d *draft) schema(e *Entry, field string, document capability.JSON) capability.JSON {
	if document.Absent() {
		return ""
	}
	if _, err := schema.Parse(document, schema.Limits{}); err != nil {
		d.fail(e.Declaration, e.CapabilityID, field, "%v", err)
		return document
	}
	text, issue := canonical.Encode(document, manifestLimits())
	if issue != nil {
		d.fail(e.Declaration, e.CapabilityID, field, "%v", issue)
	}
	return text
}
