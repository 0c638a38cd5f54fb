package webtool_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/webtool"
)

func nothing(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
	return "", nil
}

// clearCart is a sound definition, with what the test changes.
func clearCart(change ...func(*webtool.Definition)) webtool.Definition {
	d := webtool.Definition{ID: "clear_cart", Description: "Remove every item", Execute: nothing}
	for _, c := range change {
		c(&d)
	}
	return d
}

func mustDefine(t testing.TB, d webtool.Definition) *webtool.Tool {
	t.Helper()
	tool, err := webtool.Define(d)
	if err != nil {
		t.Fatal(err)
	}
	return tool
}

func yes() *bool { b := true; return &b }
func no() *bool  { b := false; return &b }

func TestDefineRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*webtool.Definition)
		code   registry.DefinitionCode
		where  string
	}{
		"no id":                  {func(d *webtool.Definition) { d.ID = "" }, registry.InvalidID, "id"},
		"a space in the id":      {func(d *webtool.Definition) { d.ID = "clear cart" }, registry.InvalidID, "id"},
		"a letter of another":    {func(d *webtool.Definition) { d.ID = "clear_caṙt" }, registry.InvalidID, "id"},
		"too long an id":         {func(d *webtool.Definition) { d.ID = strings.Repeat("a", 122) }, registry.InvalidID, "id"},
		"no description":         {func(d *webtool.Definition) { d.Description = " " }, registry.InvalidDefinition, "description"},
		"nothing to execute":     {func(d *webtool.Definition) { d.Execute = nil }, registry.InvalidDefinition, "execute"},
		"a negative limit":       {func(d *webtool.Definition) { d.Timeout = -1 }, registry.InvalidDefinition, "timeoutMs"},
		"destructive reading":    {func(d *webtool.Definition) { d.ReadOnly, d.Destructive = yes(), yes() }, registry.InvalidDefinition, "readOnly"},
		"external reading":       {func(d *webtool.Definition) { d.ReadOnly, d.External = yes(), yes() }, registry.InvalidDefinition, "readOnly"},
		"a list of hints":        {func(d *webtool.Definition) { d.Annotations = `[]` }, registry.InvalidDefinition, "annotations"},
		"hints that are no JSON": {func(d *webtool.Definition) { d.Annotations = `{` }, registry.InvalidDefinition, "annotations"},
		"too many hints": {func(d *webtool.Definition) {
			d.Annotations = capability.JSON(fmt.Sprintf(`{"x":%q}`, strings.Repeat("a", 2048)))
		}, registry.InvalidDefinition, "annotations"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := webtool.Define(clearCart(test.change))
			var defect *registry.DefinitionError
			if !errors.As(err, &defect) || defect.Code != test.code || defect.Where != test.where {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestIDs(t *testing.T) {
	for _, id := range []string{"a", "A.b-c_0", "...", strings.Repeat("a", 121)} {
		tool := mustDefine(t, clearCart(func(d *webtool.Definition) { d.ID = id }))
		if tool.ID() != id || tool.CapabilityID() != "domain:"+id || capability.Length(tool.CapabilityID()) > capability.MaxIDLength {
			t.Errorf("%s becomes %s", id, tool.CapabilityID())
		}
	}
}

func TestEffectFollowsFromTheFlags(t *testing.T) {
	for _, test := range []struct {
		flags webtool.Flags
		want  capability.Effect
	}{
		{webtool.Flags{}, capability.ServerMutation},
		{webtool.Flags{ReadOnly: yes()}, capability.ServerQuery},
		{webtool.Flags{ReadOnly: no()}, capability.ServerMutation},
		{webtool.Flags{External: yes()}, capability.ExternalSideEffect},
		{webtool.Flags{External: yes(), Destructive: yes()}, capability.Destructive},
		{webtool.Flags{Destructive: yes(), ReadOnly: no()}, capability.Destructive},
	} {
		if got := mustDefine(t, clearCart(func(d *webtool.Definition) { d.Flags = test.flags })).Effect(); got != test.want {
			t.Errorf("%+v gives %s, want %s", test.flags, got, test.want)
		}
	}
}

func TestFlagsAreWrittenOverHints(t *testing.T) {
	for name, test := range map[string]struct {
		given capability.JSON
		flags webtool.Flags
		want  capability.JSON
	}{
		"nothing":      {"", webtool.Flags{}, `{}`},
		"every flag":   {"", webtool.Flags{ReadOnly: no(), Destructive: no(), Repeatable: yes(), External: no(), SafeResponse: no()}, `{"readOnlyHint":false,"destructiveHint":false,"idempotentHint":true,"openWorldHint":false,"untrustedContentHint":true}`},
		"reading":      {"", webtool.Flags{ReadOnly: yes(), SafeResponse: yes()}, `{"readOnlyHint":true,"untrustedContentHint":false}`},
		"destructive":  {"", webtool.Flags{Destructive: yes()}, `{"destructiveHint":true,"consequentialHint":true}`},
		"external":     {"", webtool.Flags{External: yes()}, `{"openWorldHint":true,"consequentialHint":true}`},
		"hints alone":  {`{"readOnlyHint":true,"own":[1]}`, webtool.Flags{}, `{"readOnlyHint":true,"own":[1]}`},
		"flag on hint": {`{"own":1,"destructiveHint":false,"idempotentHint":true}`, webtool.Flags{Destructive: yes()}, `{"own":1,"idempotentHint":true,"destructiveHint":true,"consequentialHint":true}`},
	} {
		t.Run(name, func(t *testing.T) {
			tool := mustDefine(t, clearCart(func(d *webtool.Definition) { d.Annotations, d.Flags = test.given, test.flags }))
			if tool.Annotations() != test.want {
				t.Errorf("got %s, want %s", tool.Annotations(), test.want)
			}
		})
	}
}

// TestToolIsAProcedure: what the registry offers is the tool, without the defaults of its effect.
func TestToolIsAProcedure(t *testing.T) {
	for name, test := range map[string]struct {
		change func(*webtool.Definition)
		want   string
	}{
		"plain":        {func(*webtool.Definition) {}, "domain:clear_cart server-mutation optional untrusted=false"},
		"an ask":       {func(d *webtool.Definition) { d.Ask = func(registry.Question) func() { return nil } }, "domain:clear_cart server-mutation required untrusted=false"},
		"no ask":       {func(d *webtool.Definition) { d.Destructive = yes() }, "domain:clear_cart destructive optional untrusted=false"},
		"others' text": {func(d *webtool.Definition) { d.SafeResponse = no() }, "domain:clear_cart server-mutation optional untrusted=true"},
		"hinted text":  {func(d *webtool.Definition) { d.Annotations = `{"untrustedContentHint":true}` }, "domain:clear_cart server-mutation optional untrusted=true"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRegistry(t)
			mount(t, r, mustDefine(t, clearCart(test.change)))
			snapshot, err := r.Snapshot(registry.SnapshotOptions{})
			if err != nil {
				t.Fatal(err)
			}
			if len(snapshot.Components) != 0 {
				t.Errorf("a component is shown: %+v", snapshot.Components)
			}
			p := snapshot.Procedures[0]
			if got := fmt.Sprintf("%s %s %s untrusted=%v", p.ProcedureID, p.Effect, p.Confirmation, p.UntrustedContent); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestTextsAndSchema(t *testing.T) {
	tool := mustDefine(t, clearCart(func(d *webtool.Definition) { d.Title = "Clear cart" }))
	if tool.Title() != "Clear cart" || tool.Description() != "Remove every item" || tool.InputSchema() != `{"type":"object","properties":{},"additionalProperties":false}` {
		t.Errorf("got %q, %q, %s", tool.Title(), tool.Description(), tool.InputSchema())
	}
	const own = capability.JSON(`{"type":"object","properties":{"n":{"type":"integer"}}}`)
	tool = mustDefine(t, clearCart(func(d *webtool.Definition) { d.Input.Document = own }))
	if tool.InputSchema() != own {
		t.Errorf("got %s", tool.InputSchema())
	}
}

func TestTimeLimitOfATool(t *testing.T) {
	tool := mustDefine(t, clearCart(func(d *webtool.Definition) { d.Timeout = time.Second }))
	if got := tool.Component("x").Procedures[0].Timeout; got != time.Second {
		t.Errorf("the limit is %v", got)
	}
}

func newRegistry(t testing.TB) *registry.Registry {
	t.Helper()
	r, err := registry.New(registry.Options{Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.Dispose)
	return r
}

func mount(t testing.TB, r *registry.Registry, tool *webtool.Tool) *registry.Handle {
	t.Helper()
	h, err := r.Register(tool.Component("default"))
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestAuthorityOfDefinedTools: what is defined is what the registry then offers, so that it is admitted and nothing else.
func TestAuthorityOfDefinedTools(t *testing.T) {
	for name, change := range map[string]func(*webtool.Definition){
		"plain":       func(*webtool.Definition) {},
		"titled":      func(d *webtool.Definition) { d.Title = "Clear" },
		"reading":     func(d *webtool.Definition) { d.ReadOnly = yes() },
		"destructive": func(d *webtool.Definition) { d.Destructive, d.SafeResponse = yes(), no() },
		"asking":      func(d *webtool.Definition) { d.External, d.Ask = yes(), func(registry.Question) func() { return nil } },
		"input": func(d *webtool.Definition) {
			d.Input.Document = `{"type":"object","properties":{"n":{"type":"integer"}}}`
		},
	} {
		t.Run(name, func(t *testing.T) {
			tools, authorities := contract.NewTools(), &contract.Authorities{}
			authority, err := authorities.Defining(tools)
			if err != nil {
				t.Fatal(err)
			}
			r, err := registry.New(registry.Options{Authority: authority})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(r.Dispose)
			tool := mustDefine(t, clearCart(change))
			if _, err := r.Register(tool.Component("a")); err == nil {
				t.Error("it was admitted before it was defined")
			}
			if err := tools.Add(tool.Offer()); err != nil {
				t.Fatal(err)
			}
			if _, err := r.Register(tool.Component("a")); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestAReviewedContractHoldsATool: a declared procedure with the tool's texts, input and effect admits it, pinned too.
func TestAReviewedContractHoldsATool(t *testing.T) {
	for name, test := range map[string]struct {
		change   func(*webtool.Definition)
		declared contract.Procedure
		refusal  string
	}{
		"plain":                {func(*webtool.Definition) {}, contract.Procedure{Effect: capability.ServerMutation}, ""},
		"reading":              {func(d *webtool.Definition) { d.ReadOnly = yes() }, contract.Procedure{Effect: capability.ServerQuery}, ""},
		"another effect":       {func(d *webtool.Definition) { d.Destructive = yes() }, contract.Procedure{Effect: capability.ServerMutation}, "effect"},
		"destructive, no ask":  {func(d *webtool.Definition) { d.Destructive = yes() }, contract.Procedure{Effect: capability.Destructive}, "confirmation"},
		"declared as optional": {func(d *webtool.Definition) { d.Destructive = yes() }, contract.Procedure{Effect: capability.Destructive, Confirmation: capability.Optional}, "confirmation"},
		"destructive, and asks": {func(d *webtool.Definition) {
			d.Destructive, d.Ask = yes(), func(registry.Question) func() { return nil }
		}, contract.Procedure{Effect: capability.Destructive}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			tool := mustDefine(t, clearCart(test.change))
			p := test.declared
			p.Declaration, p.ID, p.Description, p.Input = "cart.js#clear", tool.CapabilityID(), "Remove every item", tool.Offer().InputSchema
			compiled, err := contract.Compile(p)
			if err != nil {
				t.Fatal(err)
			}
			authority, err := contract.NewAuthority(compiled.JSON(), contract.PinPrefix+compiled.Hash)
			if err != nil {
				t.Fatal(err)
			}
			r, err := registry.New(registry.Options{Authority: authority})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(r.Dispose)
			_, err = r.Register(tool.Component("a"))
			if refused := err != nil; refused != (test.refusal != "") || refused && !strings.Contains(err.Error(), test.refusal) {
				t.Errorf("got %v", err)
			}
		})
	}
}
