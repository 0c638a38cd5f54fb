package contract_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
)

const object = `{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string"}}},"required":["ids"],"additionalProperties":false}`

// table declares a component with one observation and one action.
func table() contract.Component {
	return contract.Component{
		Declaration: "src/table.ts#table", Type: "devices.table", Description: "The table of devices",
		Policies: []contract.PolicyRef{{Name: "authenticated"}}, Tags: []string{"devices"},
		Observations: []contract.Observation{{
			Name: "selection", Output: object,
			Common: contract.Common{Title: "Selection", Description: "What is selected", UntrustedContent: true},
		}},
		Actions: []contract.Action{{
			Name: "selectRows", Input: object, Effect: capability.LocalState,
			Common: contract.Common{Description: "Select rows", Policies: []contract.PolicyRef{{Name: "rate-limit", Phase: "authorize"}, {Name: "authenticated"}}},
		}},
	}
}

func disable() contract.Procedure {
	return contract.Procedure{
		Declaration: "src/api.ts#disable", ID: "domain:devices.disable", Description: "Disable devices", Input: object, Output: `{}`,
		Effect: capability.Destructive, BoundFields: []contract.BoundField{{Path: "ids", Locked: true}, {Path: "a"}},
	}
}

func weather() contract.ExternalTool {
	return contract.ExternalTool{
		Declaration: "src/weather.ts#default", ID: "external:weather.today", Description: "The weather of today", Input: `{"type":"object"}`,
		Effect: capability.ServerQuery,
	}
}

func mustCompile(t testing.TB, declarations ...contract.Declaration) *contract.Manifest {
	t.Helper()
	m, err := contract.Compile(declarations...)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestCompileGivesTheSameBytes holds the bytes of a manifest: whoever changes them changes every committed contract.
func TestCompileGivesTheSameBytes(t *testing.T) {
	want, err := os.ReadFile("testdata/contract.json")
	if err != nil {
		t.Fatal(err)
	}
	got := mustCompile(t, table(), disable(), weather()).File()
	if !bytes.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if again := mustCompile(t, weather(), disable(), table()).File(); !bytes.Equal(again, got) {
		t.Errorf("another order gives\n%s", again)
	}
}

func TestCompileOfNothingIsAManifest(t *testing.T) {
	m := mustCompile(t)
	if len(m.Capabilities) != 0 || m.Hash == "" || !strings.Contains(string(m.JSON()), `"capabilities":[]`) {
		t.Errorf("got %s", m.JSON())
	}
}

func TestCompileFillsInTheLevelsInForce(t *testing.T) {
	p := disable()
	p.Confirmation, p.Effect = capability.Never, capability.ServerMutation
	for _, test := range []struct {
		declaration  contract.Declaration
		confirmation capability.Confirmation
		audit        capability.AuditLevel
	}{
		{disable(), capability.Required, capability.AuditFull},
		{p, capability.Optional, capability.AuditMetadata},
		{weather(), capability.Never, ""},
	} {
		e := mustCompile(t, test.declaration).Capabilities[0]
		if e.Confirmation != test.confirmation || e.Audit != test.audit || e.Origin != contract.FirstParty {
			t.Errorf("%s: got %s, %q, %s", e.CapabilityID, e.Confirmation, e.Audit, e.Origin)
		}
	}
	view := mustCompile(t, table()).Capabilities
	if view[0].Confirmation != capability.Never || view[0].Audit != capability.AuditMetadata || view[1].Confirmation != "" || view[1].Audit != "" {
		t.Errorf("got %+v", view)
	}
	if got := fmt.Sprint(view[0].Policies, view[0].Tags); got != "[authenticated rate-limit in phase authorize] [devices]" {
		t.Errorf("got %s", got)
	}
}

func TestCompileRefuses(t *testing.T) {
	long := strings.Repeat("x", 501)
	component := func(change func(c *contract.Component)) contract.Declaration {
		c := table()
		change(&c)
		return c
	}
	procedure := func(change func(p *contract.Procedure)) contract.Declaration {
		p := disable()
		change(&p)
		return p
	}
	external := func(change func(p *contract.ExternalTool)) contract.Declaration {
		p := weather()
		change(&p)
		return p
	}
	for _, test := range []struct {
		declaration contract.Declaration
		want        string
	}{
		{component(func(c *contract.Component) { c.Declaration = "table" }), `"table", view:devices.table.selection, declaration: want PATH#NAME`},
		{component(func(c *contract.Component) { c.Declaration = "/src/a.ts#a" }), `declaration: the path must be relative`},
		{component(func(c *contract.Component) { c.Declaration = `src\a.ts#a` }), `declaration: the path must be relative`},
		{component(func(c *contract.Component) { c.Declaration = "C:/a.ts#a" }), `declaration: the path must be relative`},
		{component(func(c *contract.Component) { c.Declaration = "a\n.ts#a" }), `declaration: must be valid UTF-8 without control`},
		{component(func(c *contract.Component) { c.Type = "Table" }), `type: want lower-case`},
		{component(func(c *contract.Component) { c.Description = " " }), `componentDescription: a text is required`},
		{component(func(c *contract.Component) { c.Description = long }), `componentDescription: at most 500`},
		{component(func(c *contract.Component) { c.Origin = "mine" }), `origin: want first-party`},
		{component(func(c *contract.Component) { c.Origin = "package:" }), `origin: want first-party`},
		{component(func(c *contract.Component) { c.Observations, c.Actions = nil, nil }), `needs at least one`},
		{component(func(c *contract.Component) { c.Policies[0].Name = "" }), `policies[0].name: a text is required`},
		{component(func(c *contract.Component) { c.Policies[0].Phase = "later" }), `policies[0].phase: want discovery`},
		{component(func(c *contract.Component) { c.Tags[0] = "\xff" }), `tags[0]: must be valid UTF-8`},
		{component(func(c *contract.Component) { c.Observations[0].Name = "Sel" }), `view:devices.table.Sel, capabilityId: a capability name`},
		{component(func(c *contract.Component) { c.Observations[0].Title = strings.Repeat("x", 101) }), `title: at most 100`},
		{component(func(c *contract.Component) { c.Observations[0].Title = "\xff" }), `title: must be valid UTF-8`},
		{component(func(c *contract.Component) { c.Observations[0].Description = long }), `description: at most 300`},
		{component(func(c *contract.Component) { c.Observations[0].Output = "" }), `outputSchema: an observation needs`},
		{component(func(c *contract.Component) { c.Observations[0].Output = "true" }), `outputSchema: must be a JSON object`},
		{component(func(c *contract.Component) { c.Observations[0].Output = `{"type":"object","patternProperties":{}}` }), `outputSchema: `},
		{component(func(c *contract.Component) { c.Actions[0].Effect = capability.Destructive }), `effect: want local-state or navigation; declare what the server does as a procedure`},
		{component(func(c *contract.Component) { c.Actions[0].Effect = "all" }), `effect: want local-state or navigation`},
		{component(func(c *contract.Component) { c.Actions[0].Confirmation = "maybe" }), `confirmation: want never`},
		{component(func(c *contract.Component) { c.Actions[0].Audit = "some" }), `audit: want none`},
		{component(func(c *contract.Component) { c.Actions[0].Input = "" }), `inputSchema: an input schema is required`},
		{component(func(c *contract.Component) { c.Actions = append(c.Actions, c.Actions[0]) }), `view:devices.table.selectRows is declared twice`},
		{procedure(func(p *contract.Procedure) { p.ID = "devices.disable" }), `capabilityId: a capability id starts`},
		{procedure(func(p *contract.Procedure) { p.ID = "view:devices.disable" }), `capabilityId: kind procedure: want`},
		{procedure(func(p *contract.Procedure) { p.Effect = capability.Navigation }), `or destructive; declare what the page does as an action of a component`},
		{procedure(func(p *contract.Procedure) { p.BoundFields = append(p.BoundFields, contract.BoundField{Path: "ids"}) }), `"ids" is bound twice`},
		{procedure(func(p *contract.Procedure) { p.BoundFields[0].Path = "" }), `boundFields[0].path: a text is required`},
		{external(func(x *contract.ExternalTool) { x.ID = "external:" }), `capabilityId: want external:`},
		{external(func(x *contract.ExternalTool) { x.ID = "external:a b" }), `capabilityId: want external:`},
		{external(func(x *contract.ExternalTool) { x.ID = "view:a.b" }), `capabilityId: want external:`},
		{external(func(x *contract.ExternalTool) { x.Effect = "all" }), `effect: want one of`},
	} {
		_, err := contract.Compile(test.declaration)
		var typed *contract.DeclarationError
		if err == nil || !errors.As(err, &typed) || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v\nwant %s", err, test.want)
		}
	}
}

func TestCompileRefusesAComponentTypeOfTwoDeclarations(t *testing.T) {
	other := table()
	other.Declaration, other.Observations, other.Actions[0].Name = "src/other.ts#other", nil, "clear"
	_, err := contract.Compile(table(), other)
	if err == nil || !strings.Contains(err.Error(), "devices.table is claimed by two declarations, src/table.ts#table and src/other.ts#other") &&
		!strings.Contains(err.Error(), "devices.table is claimed by two declarations, src/other.ts#other and src/table.ts#table") {
		t.Errorf("got %v", err)
	}
	other.Declaration, other.Description = "src/table.ts#table", "Another"
	if _, err := contract.Compile(table(), other); err == nil || !strings.Contains(err.Error(), "componentDescription: differs") {
		t.Errorf("got %v", err)
	}
}

func TestCompileReportsEverything(t *testing.T) {
	bad := table()
	bad.Observations[0].Output, bad.Actions[0].Input = "", ""
	_, err := contract.Compile(bad, contract.Component{Declaration: "x#y"})
	joined, ok := err.(interface{ Unwrap() []error })
	if !ok || len(joined.Unwrap()) != 4 {
		t.Errorf("got %v", err)
	}
}

func TestSealSortsDependencies(t *testing.T) {
	m := mustCompile(t, weather())
	m.External = []contract.Dependency{{Package: "b", Source: "x"}, {Package: "a", Source: "y"}, {Package: "a", Source: "x"}}
	before := m.Hash
	m.Seal()
	if m.Hash == before {
		t.Error("the hash does not cover the dependencies")
	}
	if got := fmt.Sprint(m.External); got != "[{a x   } {a y   } {b x   }]" {
		t.Errorf("got %s", got)
	}
}

func TestHashesCoverWhatTheySay(t *testing.T) {
	entry := mustCompile(t, table()).Capabilities[0]
	for _, test := range []struct {
		name             string
		change           func(e *contract.Entry)
		admission, whole bool
	}{
		{"declaration", func(e *contract.Entry) { e.Declaration = "a#b" }, false, true},
		{"capabilityId", func(e *contract.Entry) { e.CapabilityID += "x" }, true, true},
		{"kind", func(e *contract.Entry) { e.Kind = capability.Procedure }, true, true},
		{"title", func(e *contract.Entry) { e.Title = "T" }, true, true},
		{"description", func(e *contract.Entry) { e.Description = "D" }, true, true},
		{"componentDescription", func(e *contract.Entry) { e.ComponentDescription = "D" }, true, true},
		{"effect", func(e *contract.Entry) { e.Effect = capability.Navigation }, true, true},
		{"inputSchema", func(e *contract.Entry) { e.InputSchema = "{}" }, true, true},
		{"outputSchema", func(e *contract.Entry) { e.OutputSchema = "{}" }, true, true},
		{"untrustedContent", func(e *contract.Entry) { e.UntrustedContent = true }, true, true},
		{"audit", func(e *contract.Entry) { e.Audit = capability.AuditNone }, true, true},
		{"boundFields", func(e *contract.Entry) { e.BoundFields = []contract.BoundField{{Path: "a"}} }, true, true},
		{"confirmation", func(e *contract.Entry) { e.Confirmation = capability.Required }, false, true},
		{"policies", func(e *contract.Entry) { e.Policies = slices.Clone(e.Policies[1:]) }, false, true},
		{"tags", func(e *contract.Entry) { e.Tags = []string{"t"} }, false, true},
		{"origin", func(e *contract.Entry) { e.Origin = "package:x" }, false, false},
	} {
		changed := entry
		test.change(&changed)
		if got := changed.AdmissionHash() != entry.Admission; got != test.admission {
			t.Errorf("%s changes the admission: %v", test.name, got)
		}
		if got := changed.EntryHash() != entry.Hash; got != test.whole {
			t.Errorf("%s changes the hash: %v", test.name, got)
		}
	}
	absent := entry
	absent.Audit = ""
	if absent.AdmissionHash() != entry.Admission {
		t.Error("an absent audit level is not the effect's default")
	}
}
