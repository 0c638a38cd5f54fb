package registry

import (
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/policy"
)

// lamp is a declaration that says everything that one can say.
func lamp() contract.Component {
	yes, no := true, false
	return contract.Component{
		Declaration: "ui/lamp.go#lamp", Type: "room.lamp", Description: "The lamp", Meta: `{"m":1}`, Origin: contract.FirstParty, Priority: 3,
		Policies: []contract.PolicyRef{{Name: "authenticated", Phase: "authorize"}}, Tags: []string{"t"},
		Observations: []contract.Observation{{Name: "state", Output: `{"type":"boolean"}`, Common: contract.Common{
			Title: "State", Description: "Whether it is on", UntrustedContent: true, Meta: `{"o":1}`, Timeout: time.Second,
		}}},
		Actions: []contract.Action{{
			Name: "switch", Input: idsInput, Output: `{}`, Effect: capability.LocalState, Idempotent: &yes, Reversible: &no,
			Confirmation: capability.Optional, Audit: capability.AuditFull,
			Common: contract.Common{Title: "Switch", Description: "Switch it", Meta: `{"a":1}`, Timeout: 2 * time.Second, Policies: []contract.PolicyRef{{Name: "rate-limit"}}},
		}},
	}
}

func reads() Reading {
	return Reading{Read: TypedRead(func(context.Context, *Call) (bool, error) { return true, nil })}
}

func acts() Acting {
	return Acting{Execute: TypedProcedure(func(_ context.Context, in struct{ IDs []string }, _ *Call) (int, error) { return len(in.IDs), nil })}
}

// lit binds the lamp.
func lit() Binding {
	return Binding{
		Policies:     []policy.Policy{policy.Authenticated(""), policy.RateLimit(5, time.Minute)},
		Observations: map[string]Reading{"state": reads()}, Actions: map[string]Acting{"switch": acts()},
	}
}

func mustBind(t testing.TB, c contract.Component, b Binding) *Component {
	t.Helper()
	out, err := Bind(c, b)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestBindCarriesEverythingOver(t *testing.T) {
	parent := &ComponentRef{Type: "room", InstanceID: "default"}
	b := lit()
	b.InstanceID, b.Parent, b.Internal, b.Disabled = "left", parent, 7, true
	b.OnRemoved, b.OnForgotten = func() {}, func() {}
	acting := b.Actions["switch"]
	acting.Confirmation, acting.Concurrency, acting.Policies = capability.Required, Concurrency{Mode: PerCapability}, []policy.Policy{{Name: "own"}}
	acting.When, acting.UnavailableReason = func() (bool, error) { return true, nil }, func() string { return "" }
	acting.Precondition = func(capability.JSON, *Call) error { return nil }
	b.Actions["switch"] = acting
	got := mustBind(t, lamp(), b)
	want(t, "read", got.Observations[0].Read != nil, true)
	want(t, "removed", got.OnRemoved != nil && got.OnForgotten != nil, true)
	a := got.Actions[0]
	want(t, "functions", a.Execute != nil && a.When != nil && a.UnavailableReason != nil && a.Precondition != nil, true)
	got.Observations[0].Read, got.OnRemoved, got.OnForgotten, got.Policies = nil, nil, nil, nil
	got.Actions[0].Execute, got.Actions[0].When, got.Actions[0].UnavailableReason, got.Actions[0].Precondition = nil, nil, nil, nil
	yes, no := true, false
	expected := &Component{
		Type: "room.lamp", InstanceID: "left", Description: "The lamp", Parent: parent, Meta: `{"m":1}`, Internal: 7, Origin: "first-party",
		Priority: 3, Disabled: true,
		Observations: []Observation{{
			Name: "state", Title: "State", Description: "Whether it is on", UntrustedContent: true, Output: Schema{Document: `{"type":"boolean"}`},
			Common: Common{Meta: `{"o":1}`, Timeout: time.Second},
		}},
		Actions: []Action{{
			Name: "switch", Title: "Switch", Description: "Switch it", Input: Schema{Document: idsInput}, Output: Schema{Document: "{}"},
			Effect: capability.LocalState, Idempotent: &yes, Reversible: &no, Confirmation: capability.Required, Audit: capability.AuditFull,
			Concurrency: Concurrency{Mode: PerCapability},
			Common:      Common{Meta: `{"a":1}`, Timeout: 2 * time.Second, Policies: []policy.Policy{{Name: "own"}}},
		}},
	}
	if !reflect.DeepEqual(got, expected) {
		t.Errorf("got  %+v\nwant %+v", got, expected)
	}
}

func TestBindNamesWhatIsMissing(t *testing.T) {
	for _, test := range []struct {
		change func(b *Binding)
		want   string
	}{
		{func(b *Binding) { b.Observations = nil }, "[INVALID_DEFINITION] observations.state: is declared and has no handler"},
		{func(b *Binding) { delete(b.Actions, "switch") }, "[INVALID_DEFINITION] actions.switch: is declared and has no handler"},
		{func(b *Binding) { b.Observations["b"], b.Observations["a"] = reads(), reads() }, "[INVALID_DEFINITION] observations.a: is not declared\n[INVALID_DEFINITION] observations.b: is not declared"},
		{func(b *Binding) { b.Actions["state"] = acts() }, "[INVALID_DEFINITION] actions.state: is not declared"},
		{func(b *Binding) { b.Observations, b.Actions = nil, map[string]Acting{"a": acts()} }, "[INVALID_DEFINITION] actions.a: is not declared\n" +
			"[INVALID_DEFINITION] actions.switch: is declared and has no handler\n[INVALID_DEFINITION] observations.state: is declared and has no handler"},
	} {
		b := lit()
		test.change(&b)
		if out, err := Bind(lamp(), b); out != nil || err == nil || err.Error() != test.want {
			t.Errorf("got %v, %v, want %s", out, err, test.want)
		}
	}
}

// find declares the procedure that bound, in procedure_test.go, binds.
func find() contract.Procedure {
	return contract.Procedure{
		Declaration: "api/items.go#find", ID: "domain:items.find", Title: "Find", Description: "Find items", Input: tenantInput, Output: "{}",
		Effect: capability.ServerMutation, Confirmation: capability.Optional, Audit: capability.AuditNone, UntrustedContent: true,
		BoundFields: []contract.BoundField{{Path: "tenant", Locked: true}, {Path: "page"}},
	}
}

func TestBindProcedure(t *testing.T) {
	got, err := BindProcedure(find(), ProcedureConfig{
		Bind: func() (capability.JSON, error) { return "{}", nil }, Describe: func() (string, error) { return "", nil },
		Confirmation: capability.Required, Context: &ComponentRef{Type: "a"}, Concurrency: Concurrency{Mode: PerCapability}, Common: Common{Timeout: 5},
	})
	if err != nil {
		t.Fatal(err)
	}
	want(t, "functions", got.Bind != nil && got.Describe != nil, true)
	got.Bind, got.Describe = nil, nil
	expected := ProcedureBinding{
		Ref: ProcedureRef{
			Path: "items.find", Title: "Find", Description: "Find items", Input: Schema{Document: tenantInput}, Output: Schema{Document: "{}"},
			Effect: capability.ServerMutation, UntrustedContent: true, Audit: capability.AuditNone,
		},
		BoundKeys: []string{"tenant", "page"}, OverridableKeys: []string{"page"}, Exact: true, Confirmation: capability.Required,
		Context: &ComponentRef{Type: "a"}, Concurrency: Concurrency{Mode: PerCapability}, Common: Common{Timeout: 5},
	}
	if !reflect.DeepEqual(got, expected) {
		t.Errorf("got  %+v\nwant %+v", got, expected)
	}
}

func TestBindProcedureRefuses(t *testing.T) {
	other, free := find(), find()
	other.ID, free.BoundFields = "items.find", nil
	bind := ProcedureConfig{Bind: func() (capability.JSON, error) { return "{}", nil }}
	for _, test := range []struct {
		p      contract.Procedure
		config ProcedureConfig
		want   string
	}{
		{other, bind, "[INVALID_ID] items.find: the id of a procedure starts with domain:"},
		{find(), ProcedureConfig{}, "[INVALID_DEFINITION] config.bind: domain:items.find: a bind function is for the declared bound fields, of which there are 2"},
		{free, bind, "[INVALID_DEFINITION] config.bind: domain:items.find: a bind function is for the declared bound fields, of which there are 0"},
	} {
		if _, err := BindProcedure(test.p, test.config); err == nil || err.Error() != test.want {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// TestADeclaredBindSuppliesExactlyItsFields: no more and no less, whatever the agent supplies.
func TestADeclaredBindSuppliesExactlyItsFields(t *testing.T) {
	for bound, log := range map[string]string{
		`{"tenant":"t1","page":3}`:         "",
		`{"page":3,"tenant":"t1"}`:         "",
		`{"tenant":"t1"}`:                  `bind of domain:items.find: "page" is declared as bound, and missing`,
		`{}`:                               `"tenant" is declared as bound, and missing`,
		`{"tenant":"t1","page":3,"q":"x"}`: `"q" is not a declared bound field`,
	} {
		w := newWorld(t, onLoop(t))
		w.SetExecutor(answering(`1`))
		p, err := BindProcedure(find(), ProcedureConfig{Bind: func() (capability.JSON, error) { return capability.JSON(bound), nil }})
		if err != nil {
			t.Fatal(err)
		}
		w.mount(widget(p))
		result := w.invoke("domain:items.find", `{"q":"x","page":9}`)
		if log == "" {
			wantOK(t, result, `1`)
			continue
		}
		wantError(t, result, capability.CodePreconditionFailed, "reason=binding-failed")
		if !w.logged(log) {
			t.Errorf("%s: logged %q", bound, w.logs)
		}
	}
}

// contracted makes a world whose authority holds just these declarations.
func contracted(t testing.TB, declarations ...contract.Declaration) func(*Options) {
	t.Helper()
	m, err := contract.Compile(declarations...)
	if err != nil {
		t.Fatal(err)
	}
	a, err := contract.NewAuthority(m.JSON(), contract.PinPrefix+m.Hash)
	if err != nil {
		t.Fatal(err)
	}
	return func(o *Options) { o.Authority = a }
}

// TestWhatIsBoundIsAdmitted: declaration, manifest and registration are one thing.
func TestWhatIsBoundIsAdmitted(t *testing.T) {
	w := newWorld(t, onLoop(t), contracted(t, lamp(), find()))
	want(t, "mode", w.AuthorityMode(), contract.ModeContract)
	p, err := BindProcedure(find(), ProcedureConfig{Bind: func() (capability.JSON, error) { return `{"tenant":"t1","page":1}`, nil }})
	if err != nil {
		t.Fatal(err)
	}
	b := lit()
	b.Procedures = []ProcedureBinding{p}
	w.mount(mustBind(t, lamp(), b))
	b.InstanceID = "other"
	w.mount(mustBind(t, lamp(), b))
	for _, e := range w.trail.Events() {
		want(t, "authority mode in audit", e.AuthorityMode, "contract")
	}
}

func TestWhatIsNotInTheContractIsADefinitionError(t *testing.T) {
	for _, test := range []struct {
		change func(c *Component)
		id     string
		field  string
	}{
		{func(c *Component) { c.Type = "room.other" }, "view:room.other.state", ""},
		{func(c *Component) { c.Actions[0].Name = "burn" }, "view:room.lamp.burn", ""},
		{func(c *Component) { c.Actions = nil }, "view:room.lamp.switch", ""},
		{func(c *Component) {
			c.Observations, c.Actions, c.Procedures = nil, nil, []ProcedureBinding{undeclared()}
		}, "domain:items.drop", ""},
		{func(c *Component) { c.Description = "A lamp" }, "view:room.lamp.state", "componentDescription"},
		{func(c *Component) { c.Observations[0].UntrustedContent = false }, "view:room.lamp.state", "untrustedContent"},
		{func(c *Component) { c.Observations[0].Output.Document = "{}" }, "view:room.lamp.state", "outputSchema"},
		{func(c *Component) { c.Actions[0].Title = "Do" }, "view:room.lamp.switch", "title"},
		{func(c *Component) { c.Actions[0].Description = "Do" }, "view:room.lamp.switch", "description"},
		{func(c *Component) { c.Actions[0].Effect = capability.Navigation }, "view:room.lamp.switch", "effect"},
		{func(c *Component) { c.Actions[0].Input.Document = "{}" }, "view:room.lamp.switch", "inputSchema"},
		{func(c *Component) { c.Actions[0].Output.Document = "" }, "view:room.lamp.switch", "outputSchema"},
		{func(c *Component) { c.Actions[0].Audit = capability.AuditNone }, "view:room.lamp.switch", "audit"},
		{func(c *Component) { c.Actions[0].Confirmation = capability.Never }, "view:room.lamp.switch", "confirmation"},
		{func(c *Component) { c.Policies = c.Policies[:1] }, "view:room.lamp.switch", "policies[1]"},
		{func(c *Component) { c.Policies[0].OnAuthorize = nil }, "view:room.lamp.state", "policies[0]"},
		{func(c *Component) { c.Policies[1] = policy.Policy{Name: "rate-limit"} }, "view:room.lamp.switch", "policies[1]"},
		{func(c *Component) { c.Procedures[0].BoundKeys = []string{"tenant", "page", "q"} }, "domain:items.find", "boundFields"},
		{func(c *Component) { c.Procedures[0].OverridableKeys = []string{"page", "tenant"} }, "domain:items.find", "boundFields"},
		{func(c *Component) { c.Procedures[0].Ref.Effect = capability.ServerQuery }, "domain:items.find", "effect"},
	} {
		w := newWorld(t, onLoop(t), contracted(t, lamp(), find()))
		p, err := BindProcedure(find(), ProcedureConfig{Bind: func() (capability.JSON, error) { return "{}", nil }})
		if err != nil {
			t.Fatal(err)
		}
		b := lit()
		b.Procedures = []ProcedureBinding{p}
		c := mustBind(t, lamp(), b)
		test.change(c)
		handle, err := w.Register(c)
		known, isDefect := IsDefinitionError(err)
		var refused *contract.AdmissionError
		if handle != nil || !isDefect || known.Code != InvalidDefinition || !errors.As(err, &refused) ||
			refused.CapabilityID != test.id || refused.Field != test.field || !strings.Contains(err.Error(), "[INVALID_DEFINITION] "+test.id) {
			t.Errorf("%s, %s: got %v", test.id, test.field, err)
		}
		want(t, "same by Validate", w.Validate(c) != nil, true)
		want(t, "version", w.Version(), "0")
	}
}

func undeclared() ProcedureBinding { return procedure("items.drop", capability.Destructive) }

// TestPoliciesOfEveryLayerCount: the registry's own, and one that always asks for confirmation.
func TestPoliciesOfEveryLayerCount(t *testing.T) {
	declared := lamp()
	declared.Actions[0].Confirmation = capability.Required
	w := newWorld(t, onLoop(t), contracted(t, declared), func(o *Options) {
		o.Policies = []policy.Policy{policy.Authenticated(""), policy.RateLimit(5, time.Minute)}
	})
	b := lit()
	b.Policies = []policy.Policy{policy.RequireConfirmation(policy.Raise{})}
	c := mustBind(t, declared, b)
	c.Actions[0].Confirmation = capability.Never
	w.mount(c)
	c.Policies = []policy.Policy{policy.RequireConfirmation(policy.Raise{If: func(*policy.InvokeContext) bool { return true }})}
	c.InstanceID = "other"
	if _, err := w.Register(c); err == nil || !strings.Contains(err.Error(), "confirmation: the contract asks for required, and this is weaker: optional") {
		t.Errorf("a policy that asks sometimes: got %v", err)
	}
}

// TestABlueprintIsAdmittedOnce: what was admitted is mounted without being asked again.
func TestABlueprintIsAdmittedOnce(t *testing.T) {
	w := newWorld(t, onLoop(t), contracted(t, lamp()))
	blueprint, err := w.Prepare(mustBind(t, lamp(), lit()))
	if err != nil {
		t.Fatal(err)
	}
	mounts := testing.AllocsPerRun(20, func() {
		handle, err := w.Mount(blueprint, Instance{ID: "x"})
		if err != nil {
			t.Fatal(err)
		}
		handle.Unregister()
	})
	open := newWorld(t, onLoop(t))
	same, err := open.Prepare(mustBind(t, lamp(), lit()))
	if err != nil {
		t.Fatal(err)
	}
	baseline := testing.AllocsPerRun(20, func() {
		handle, err := open.Mount(same, Instance{ID: "x"})
		if err != nil {
			t.Fatal(err)
		}
		handle.Unregister()
	})
	if mounts > baseline+1 {
		t.Errorf("a mount allocates %v times under a contract, %v times under an open authority", mounts, baseline)
	}
}

func TestTheFirstContractOfProductionIsTheOnlyOne(t *testing.T) {
	home, err := contract.NewAuthorities("", nil)
	if err != nil {
		t.Fatal(err)
	}
	create := func(env capability.Environment, declarations ...contract.Declaration) error {
		m, err := contract.Compile(declarations...)
		if err != nil {
			t.Fatal(err)
		}
		a, err := home.Admitting(m.JSON())
		if err != nil {
			t.Fatal(err)
		}
		r, err := New(Options{Authority: a, Environment: env})
		if err == nil {
			r.Dispose()
		}
		return err
	}
	if err := errors.Join(create(capability.Test, find()), create("", lamp()), create("", lamp())); err != nil {
		t.Fatal(err)
	}
	if err := create(capability.Production, lamp(), find()); err == nil || !strings.Contains(err.Error(), "creating a registry: contract manifest: hash: ") {
		t.Errorf("got %v", err)
	}
}
