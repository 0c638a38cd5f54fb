package review

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
)

// Compare lists what differs from before to after, the most important first. A nil manifest is one without capabilities.
func Compare(before, after *contract.Manifest) []Change {
	c := &comparison{}
	c.capabilities(entriesOf(before), entriesOf(after))
	c.dependencies(dependenciesOf(before), dependenciesOf(after))
	if before != nil && after != nil {
		c.subject = "contract"
		c.text("compiler", before.Compiler, after.Compiler, "another version of the tool wrote it")
		c.text("targets", strings.Join(before.Targets, ", "), strings.Join(after.Targets, ", "), "it is for other surfaces")
	}
	return sortChanges(c.changes)
}

func entriesOf(m *contract.Manifest) map[string]*contract.Entry {
	entries := map[string]*contract.Entry{}
	if m != nil {
		for i := range m.Capabilities {
			entries[m.Capabilities[i].CapabilityID] = &m.Capabilities[i]
		}
	}
	return entries
}

// dependenciesOf is what each package's line says, whatever the number of its files.
func dependenciesOf(m *contract.Manifest) map[string]string {
	lines := map[string]string{}
	if m != nil {
		for _, d := range m.External {
			lines[d.Package] += fmt.Sprintf("%s (%s) %s approved %s; ", d.Source, d.Route, d.Digest, d.ApprovedDigest)
		}
	}
	return lines
}

// comparison collects the changes of one subject after the other.
type comparison struct {
	subject string
	changes []Change
}

func (c *comparison) add(class Class, field, before, after, meaning string) {
	c.changes = append(c.changes, Change{class, c.subject, field, before, after, meaning})
}

func (c *comparison) capabilities(before, after map[string]*contract.Entry) {
	for id, e := range after {
		c.subject = id
		if old := before[id]; old != nil {
			c.entry(old, e)
		} else {
			c.add(Widening, "", "", summary(e), fmt.Sprintf("new %s: %s", e.Kind, power(e)))
		}
	}
	for id, e := range before {
		if after[id] == nil {
			c.subject = id
			c.add(Narrowing, "", summary(e), "", fmt.Sprintf("agents lose this %s, which %s", e.Kind, power(e)))
		}
	}
}

func (c *comparison) dependencies(before, after map[string]string) {
	for name, line := range after {
		c.subject = "dependency " + name
		switch old := before[name]; old {
		case line:
		case "":
			c.add(Widening, "", "", line, "a package may now contribute declarations")
		default:
			c.add(Neutral, "external", old, line, "what it contributes was approved anew")
		}
	}
	for name, line := range before {
		if after[name] == "" {
			c.subject = "dependency " + name
			c.add(Narrowing, "", line, "", "the package contributes nothing any more")
		}
	}
}

// entry compares one capability field by field, in the manifest's order.
func (c *comparison) entry(before, after *contract.Entry) {
	c.text("kind", string(before.Kind), string(after.Kind), "")
	c.ranked("effect", string(before.Effect), string(after.Effect), effectRank(after.Effect)-effectRank(before.Effect), "it now "+deed(after.Effect))
	c.ranked("confirmation", string(before.Confirmation), string(after.Confirmation), before.Confirmation.Rank()-after.Confirmation.Rank(), "it runs "+asking(after.Confirmation))
	c.policies(before.Policies, after.Policies)
	c.boundFields(before.BoundFields, after.BoundFields)
	c.ranked("audit", string(before.Audit), string(after.Audit), auditRank(before.Audit)-auditRank(after.Audit), "calls leave "+trace(after.Audit))
	c.untrusted(before.UntrustedContent, after.UntrustedContent)
	c.text("title", before.Title, after.Title, "")
	c.text("description", before.Description, after.Description, "agents are told something else")
	c.text("componentDescription", before.ComponentDescription, after.ComponentDescription, "agents are told something else")
	c.text("inputSchema", string(before.InputSchema), string(after.InputSchema), schemaMeaning(before.InputSchema, after.InputSchema))
	c.text("outputSchema", string(before.OutputSchema), string(after.OutputSchema), schemaMeaning(before.OutputSchema, after.OutputSchema))
	c.text("tags", strings.Join(before.Tags, ", "), strings.Join(after.Tags, ", "), "")
	c.text("declaration", before.Declaration, after.Declaration, "it moved")
	c.text("origin", before.Origin, after.Origin, "it moved")
}

// text is a field that widens and narrows nothing.
func (c *comparison) text(field, before, after, meaning string) {
	if before != after {
		c.add(Neutral, field, before, after, meaning)
	}
}

// ranked is a field whose values have an order; more than 0 is wider than before.
func (c *comparison) ranked(field, before, after string, wider int, meaning string) {
	switch {
	case wider > 0:
		c.add(Widening, field, before, after, meaning)
	case wider < 0:
		c.add(Narrowing, field, before, after, meaning)
	default:
		c.text(field, before, after, meaning)
	}
}

// policies compares what must be present. One that names a phase asks for more than one that does not.
func (c *comparison) policies(before, after []contract.PolicyRef) {
	known := len(c.changes)
	for _, p := range before {
		if !demanded(after, p) {
			c.add(Widening, "policies", p.String(), "", "this policy need not be present any more")
		}
	}
	for _, p := range after {
		if !demanded(before, p) {
			c.add(Narrowing, "policies", "", p.String(), "this policy must now be present")
		}
	}
	if len(c.changes) == known { // one that was asked for twice, or another order
		c.text("policies", policyNames(before), policyNames(after), "it comes to the same")
	}
}

// demanded reports whether list asks for p or for more.
func demanded(list []contract.PolicyRef, p contract.PolicyRef) bool {
	return slices.ContainsFunc(list, func(q contract.PolicyRef) bool { return q == p || p.Phase == "" && q.Name == p.Name })
}

// boundFields compares what the page supplies: an agent may choose what is not bound, or bound and not locked.
func (c *comparison) boundFields(before, after []contract.BoundField) {
	known := len(c.changes)
	for _, b := range before {
		i := slices.IndexFunc(after, func(a contract.BoundField) bool { return a.Path == b.Path })
		switch {
		case i < 0:
			c.add(Widening, "boundFields", bound(b), "", "the page no longer supplies "+b.Path+": the agent does")
		case b.Locked && !after[i].Locked:
			c.add(Widening, "boundFields", bound(b), bound(after[i]), "the agent may now choose "+b.Path)
		case !b.Locked && after[i].Locked:
			c.add(Narrowing, "boundFields", bound(b), bound(after[i]), "the agent may no longer choose "+b.Path)
		}
	}
	for _, a := range after {
		if !slices.ContainsFunc(before, func(b contract.BoundField) bool { return a.Path == b.Path }) {
			c.add(Narrowing, "boundFields", "", bound(a), "the page now supplies "+a.Path)
		}
	}
	if len(c.changes) == known {
		c.text("boundFields", boundNames(before), boundNames(after), "it comes to the same")
	}
}

func boundNames(fields []contract.BoundField) string {
	names := []string{}
	for _, b := range fields {
		names = append(names, bound(b))
	}
	return strings.Join(names, ", ")
}

func bound(b contract.BoundField) string {
	if b.Locked {
		return b.Path + " locked"
	}
	return b.Path + " free"
}

func (c *comparison) untrusted(before, after bool) {
	switch {
	case before && !after:
		c.add(Widening, "untrustedContent", "true", "", "agents are no longer warned that others wrote what it returns")
	case !before && after:
		c.add(Narrowing, "untrustedContent", "", strconv.FormatBool(after), "agents are now warned that others wrote what it returns")
	}
}

func effectRank(e capability.Effect) int { return slices.Index(effects(), e) }

// effects are all effects, the weakest first.
func effects() []capability.Effect {
	return []capability.Effect{
		capability.Read, capability.LocalState, capability.Navigation, capability.ServerQuery, capability.ServerMutation,
		capability.ExternalSideEffect, capability.Destructive,
	}
}

// auditRank orders levels; an absent one is that of what is never audited.
func auditRank(level capability.AuditLevel) int {
	return max(0, slices.Index([]capability.AuditLevel{capability.AuditNone, capability.AuditMetadata, capability.AuditFull}, level))
}
