package review_test

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/contract/review"
)

const inputSchema = `{"properties":{"ids":{"type":"array"},"reason":{"type":"string"}},"required":["ids"],"type":"object"}`

// disable is a procedure with something in every field.
func disable() contract.Entry {
	return contract.Entry{
		Declaration: "src/devices.ts#disable", CapabilityID: "domain:devices.disable", Kind: capability.Procedure, Title: "Disable",
		Description: "Disable devices", Effect: capability.ExternalSideEffect, InputSchema: inputSchema, OutputSchema: `{"type":"object"}`,
		Confirmation: capability.Required, UntrustedContent: true, Audit: capability.AuditFull,
		BoundFields: []contract.BoundField{{Path: "ids", Locked: true}, {Path: "reason"}},
		Policies:    []contract.PolicyRef{{Name: "signed-in"}, {Name: "tenant", Phase: "invoke"}}, Tags: []string{"devices"}, Origin: contract.FirstParty,
	}
}

// manifest is a contract of these entries, sealed.
func manifest(entries ...contract.Entry) *contract.Manifest {
	m := &contract.Manifest{Compiler: contract.Compiler, Targets: []string{contract.Web}, Capabilities: entries}
	m.Seal()
	return m
}

// changed is what differs when change was applied to disable.
func changed(change func(*contract.Entry)) []review.Change {
	after := disable()
	change(&after)
	return review.Compare(manifest(disable()), manifest(after))
}

// said are the classes and fields of changes.
func said(changes []review.Change) string {
	var list []string
	for _, c := range changes {
		list = append(list, strings.TrimSpace(string(c.Class)+" "+c.Field))
	}
	return strings.Join(list, ", ")
}

func TestClasses(t *testing.T) {
	tests := []struct {
		name    string
		change  func(*contract.Entry)
		want    string
		meaning string
	}{
		{"weaker confirmation", func(e *contract.Entry) { e.Confirmation = capability.Never }, "widening confirmation", "it runs without asking a person"},
		{"no confirmation", func(e *contract.Entry) { e.Confirmation = "" }, "widening confirmation", "without asking"},
		{"stronger effect", func(e *contract.Entry) { e.Effect = capability.Destructive }, "widening effect", "cannot be undone"},
		{"weaker effect", func(e *contract.Entry) { e.Effect = capability.ServerQuery }, "narrowing effect", "asks the server"},
		{"policy removed", func(e *contract.Entry) { e.Policies = e.Policies[:1] }, "widening policies", "need not be present"},
		{"policy added", func(e *contract.Entry) { e.Policies = append(e.Policies, contract.PolicyRef{Name: "x"}) }, "narrowing policies", "must now be present"},
		{"policy without its phase", func(e *contract.Entry) { e.Policies[1].Phase = "" }, "widening policies", ""},
		{"policy with a phase", func(e *contract.Entry) { e.Policies[0].Phase = "invoke" }, "narrowing policies", ""},
		{"policy of another phase", func(e *contract.Entry) { e.Policies[1].Phase = "authorize" }, "widening policies, narrowing policies", ""},
		{"locked field freed", func(e *contract.Entry) { e.BoundFields[0].Locked = false }, "widening boundFields", "may now choose ids"},
		{"field locked", func(e *contract.Entry) { e.BoundFields[1].Locked = true }, "narrowing boundFields", "may no longer choose reason"},
		{"field not bound any more", func(e *contract.Entry) { e.BoundFields = e.BoundFields[:1] }, "widening boundFields", "no longer supplies reason"},
		{"field bound", func(e *contract.Entry) {
			e.BoundFields = append(e.BoundFields, contract.BoundField{Path: "who", Locked: true})
		}, "narrowing boundFields", "now supplies who"},
		{"audit lowered", func(e *contract.Entry) { e.Audit = capability.AuditMetadata }, "widening audit", "without input and output"},
		{"no audit", func(e *contract.Entry) { e.Audit = capability.AuditNone }, "widening audit", "no record"},
		{"mark of untrusted content dropped", func(e *contract.Entry) { e.UntrustedContent = false }, "widening untrustedContent", "no longer warned"},
		{"title", func(e *contract.Entry) { e.Title = "Off" }, "neutral title", ""},
		{"description", func(e *contract.Entry) { e.Description = "Switch off" }, "neutral description", "told something else"},
		{"component's description", func(e *contract.Entry) { e.ComponentDescription = "x" }, "neutral componentDescription", ""},
		{"input", func(e *contract.Entry) {
			e.InputSchema = `{"properties":{"ids":{"type":"string"},"who":{}},"required":["who"],"type":"object"}`
		}, "neutral inputSchema", "~ids, -reason, +who, who is required, ids is optional"},
		{"output", func(e *contract.Entry) { e.OutputSchema = `{"type":"array"}` }, "neutral outputSchema", "the schema as a whole"},
		{"tags", func(e *contract.Entry) { e.Tags = nil }, "neutral tags", ""},
		{"moved", func(e *contract.Entry) { e.Declaration = "src/other.ts#disable" }, "neutral declaration", "it moved"},
		{"moved to a package", func(e *contract.Entry) { e.Origin = "package:acme" }, "neutral origin", "it moved"},
		{"kind", func(e *contract.Entry) { e.Kind = contract.KindExternal }, "neutral kind", ""},
		{"several", func(e *contract.Entry) {
			e.Title, e.Confirmation, e.Effect = "Off", capability.Optional, capability.ServerMutation
		}, "widening confirmation, narrowing effect, neutral title", ""},
		{"nothing", func(*contract.Entry) {}, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			changes := changed(test.change)
			if got := said(changes); got != test.want {
				t.Fatalf("got %q; want %q", got, test.want)
			}
			if len(changes) > 0 && !strings.Contains(changes[0].Meaning, test.meaning) {
				t.Errorf("it means %q; want %q", changes[0].Meaning, test.meaning)
			}
			for _, c := range changes {
				if c.Subject != "domain:devices.disable" {
					t.Errorf("it is about %q", c.Subject)
				}
			}
		})
	}
}

// TestEveryFieldIsCompared changes each field of an entry and of a manifest by reflection: a field that is added one day
// and not compared fails here.
func TestEveryFieldIsCompared(t *testing.T) {
	without := []string{"CapabilityID", "Admission", "Hash"} // the subject, and what follows from the rest
	for _, field := range reflect.VisibleFields(reflect.TypeFor[contract.Entry]()) {
		if slices.Contains(without, field.Name) {
			continue
		}
		changes := changed(func(e *contract.Entry) { reflect.ValueOf(e).Elem().FieldByIndex(field.Index).SetZero() })
		if field.Name == "ComponentDescription" {
			changes = changed(func(e *contract.Entry) { e.ComponentDescription = "x" })
		}
		if len(changes) == 0 {
			t.Errorf("nobody notices that %s changed", field.Name)
		}
	}
	for name, change := range map[string]func(*contract.Manifest){
		"compiler": func(m *contract.Manifest) { m.Compiler = "pagewarden/9" },
		"targets":  func(m *contract.Manifest) { m.Targets = []string{"web", "tv"} },
		"external": func(m *contract.Manifest) { m.External = []contract.Dependency{{Package: "acme"}} },
	} {
		m := manifest(disable())
		change(m)
		if changes := review.Compare(manifest(disable()), m); len(changes) != 1 {
			t.Errorf("%s: changes %v", name, changes)
		}
	}
}

func TestComingAndGoing(t *testing.T) {
	added := review.Compare(nil, manifest(disable()))
	if said(added) != "widening" || added[0].Meaning != "new procedure: acts outside the application, only after a person confirmed it" {
		t.Errorf("added: %+v", added)
	}
	if want := "procedure, external-side-effect, confirmation required, policies signed-in, tenant in phase invoke: Disable devices"; added[0].After != want {
		t.Errorf("after %q; want %q", added[0].After, want)
	}
	gone := review.Compare(manifest(disable()), manifest())
	if said(gone) != "narrowing" || !strings.Contains(gone[0].Meaning, "agents lose this procedure") {
		t.Errorf("gone: %+v", gone)
	}
}

func TestDependenciesAreCompared(t *testing.T) {
	with := func(digest string) *contract.Manifest {
		m := manifest()
		m.External = []contract.Dependency{{Package: "acme", Source: "acme/a.js", Route: contract.RouteSource, Digest: digest, ApprovedDigest: digest}}
		return m
	}
	for _, test := range []struct {
		before, after *contract.Manifest
		want          string
	}{
		{manifest(), with("1"), "widening"}, {with("1"), manifest(), "narrowing"}, {with("1"), with("2"), "neutral external"}, {with("1"), with("1"), ""},
	} {
		changes := review.Compare(test.before, test.after)
		if said(changes) != test.want || len(changes) > 0 && changes[0].Subject != "dependency acme" {
			t.Errorf("got %+v; want %q", changes, test.want)
		}
	}
}

// entry is one of a few entries of one capability, so that two of them often differ in a few fields.
func entry() *rapid.Generator[contract.Entry] {
	return rapid.Custom(func(t *rapid.T) contract.Entry {
		e := disable()
		e.CapabilityID = "domain:" + rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "id")
		e.Effect = rapid.SampledFrom([]capability.Effect{capability.ServerQuery, capability.ServerMutation, capability.Destructive}).Draw(t, "effect")
		e.Confirmation = rapid.SampledFrom([]capability.Confirmation{"", capability.Never, capability.Optional, capability.Required}).Draw(t, "confirmation")
		e.Audit = rapid.SampledFrom([]capability.AuditLevel{"", capability.AuditNone, capability.AuditMetadata, capability.AuditFull}).Draw(t, "audit")
		e.UntrustedContent = rapid.Bool().Draw(t, "untrusted")
		e.Title = rapid.SampledFrom([]string{"", "A"}).Draw(t, "title")
		e.BoundFields = rapid.SliceOfNDistinct(rapid.Custom(func(t *rapid.T) contract.BoundField {
			return contract.BoundField{Path: rapid.SampledFrom([]string{"x", "y"}).Draw(t, "path"), Locked: rapid.Bool().Draw(t, "locked")}
		}), 0, 2, func(b contract.BoundField) string { return b.Path }).Draw(t, "bound")
		e.Policies = rapid.SliceOfDistinct(rapid.Custom(func(t *rapid.T) contract.PolicyRef {
			return contract.PolicyRef{Name: rapid.SampledFrom([]string{"p", "q"}).Draw(t, "name"), Phase: rapid.SampledFrom([]string{"", "invoke"}).Draw(t, "phase")}
		}), func(p contract.PolicyRef) contract.PolicyRef { return p }).Draw(t, "policies")
		return e
	})
}

// TestTheReverseIsTheOpposite compares two contracts both ways: what widens one way narrows the other, and what is
// neutral stays so; and equal contracts are the only ones without a change.
func TestTheReverseIsTheOpposite(t *testing.T) {
	entries := rapid.SliceOfNDistinct(entry(), 0, 3, func(e contract.Entry) string { return e.CapabilityID })
	opposite := map[review.Class]review.Class{review.Widening: review.Narrowing, review.Narrowing: review.Widening, review.Neutral: review.Neutral}
	keys := func(changes []review.Change, turned bool) []string {
		var list []string
		for _, c := range changes {
			if turned {
				c.Class, c.Before, c.After = opposite[c.Class], c.After, c.Before
			}
			list = append(list, fmt.Sprint(c.Class, c.Subject, c.Field, c.Before, c.After))
		}
		slices.Sort(list)
		return list
	}
	rapid.Check(t, func(t *rapid.T) {
		a, b := manifest(entries.Draw(t, "a")...), manifest(entries.Draw(t, "b")...)
		there, back := keys(review.Compare(a, b), false), keys(review.Compare(b, a), true)
		if !slices.Equal(there, back) {
			t.Errorf("there %q\nback  %q", there, back)
		}
		byID := func(m *contract.Manifest) string {
			list := slices.Clone(m.Capabilities)
			slices.SortFunc(list, func(a, b contract.Entry) int { return strings.Compare(a.CapabilityID, b.CapabilityID) })
			return fmt.Sprint(manifest(list...).JSON())
		}
		if same := byID(a) == byID(b); same != (len(there) == 0) {
			t.Errorf("equal %v, and changes %q", same, there)
		}
	})
}

func TestReach(t *testing.T) {
	for effect, want := range map[capability.Effect]review.Reach{
		capability.Read: review.Low, capability.LocalState: review.Low, capability.Navigation: review.Low,
		capability.ServerQuery: review.Medium, capability.ServerMutation: review.Medium,
		capability.ExternalSideEffect: review.High, capability.Destructive: review.High,
	} {
		if got := review.ReachOf(effect); got != want {
			t.Errorf("%s has reach %s; want %s", effect, got, want)
		}
	}
}
