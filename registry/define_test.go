package registry

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/policy"
)

// firstAction gives the first action of a component for a change.
func firstAction(change func(*Action)) func(*Component) {
	return func(c *Component) { change(&c.Actions[0]) }
}

func firstProcedure(change func(*ProcedureBinding)) func(*Component) {
	return func(c *Component) { change(&c.Procedures[0]) }
}

func long(n int) string { return strings.Repeat("x", n) }

func TestStructuralDefects(t *testing.T) {
	bound := firstProcedure
	for _, test := range []struct {
		name   string
		code   DefinitionCode
		change func(*Component)
	}{
		{"type in upper case", InvalidID, func(c *Component) { c.Type = "Devices" }},
		{"type with a dot at the end", InvalidID, func(c *Component) { c.Type = "devices." }},
		{"no type", InvalidID, func(c *Component) { c.Type = "" }},
		{"type too long", InvalidID, func(c *Component) { c.Type = long(129) }},
		{"type and name too long together", InvalidID, func(c *Component) { c.Type = long(122) }},
		{"instance with a space", InvalidID, func(c *Component) { c.InstanceID = "a b" }},
		{"parent with a bad type", InvalidID, func(c *Component) { c.Parent = &ComponentRef{Type: "X"} }},
		{"parent with a bad instance", InvalidID, func(c *Component) { c.Parent = &ComponentRef{Type: "x", InstanceID: " "} }},
		{"name in upper case", InvalidID, firstAction(func(a *Action) { a.Name = "Poke" })},
		{"name with a dot", InvalidID, firstAction(func(a *Action) { a.Name = "po.ke" })},
		{"empty path", InvalidID, bound(func(p *ProcedureBinding) { p.Ref.Path = "" })},
		{"path with a control character", InvalidID, bound(func(p *ProcedureBinding) { p.Ref.Path = "a\x00" })},
		{"path too long", InvalidID, bound(func(p *ProcedureBinding) { p.Ref.Path = long(122) })},
		{"no description", InvalidDefinition, func(c *Component) { c.Description = "" }},
		{"blank description", InvalidDefinition, func(c *Component) { c.Description = "  \n" }},
		{"description too long", LimitExceeded, func(c *Component) { c.Description = long(501) }},
		{"action without a description", InvalidDefinition, firstAction(func(a *Action) { a.Description = "" })},
		{"action description too long", LimitExceeded, firstAction(func(a *Action) { a.Description = long(301) })},
		{"title too long", LimitExceeded, firstAction(func(a *Action) { a.Title = long(101) })},
		{"procedure description too long", LimitExceeded, bound(func(p *ProcedureBinding) { p.Ref.Description = long(301) })},
		{"meta too large", LimitExceeded, func(c *Component) { c.Meta = `{"a":"` + capability.JSON(long(2048)) + `"}` }},
		{"meta that is no JSON", InvalidDefinition, func(c *Component) { c.Meta = `{"a":` }},
		{"meta that is no object", InvalidDefinition, func(c *Component) { c.Meta = `[1]` }},
		{"meta with a name twice", InvalidDefinition, func(c *Component) { c.Meta = `{"a":1,"a":2}` }},
		{"capability meta too large", LimitExceeded, firstAction(func(a *Action) { a.Meta = `{"a":"` + capability.JSON(long(2048)) + `"}` })},
		{"policy without a name", InvalidDefinition, func(c *Component) { c.Policies = []policy.Policy{{}} }},
		{"server effect on an action", PlaneViolation, firstAction(func(a *Action) { a.Effect = capability.ServerMutation })},
		{"destructive action", PlaneViolation, firstAction(func(a *Action) { a.Effect = capability.Destructive })},
		{"read effect on an action", InvalidDefinition, firstAction(func(a *Action) { a.Effect = capability.Read })},
		{"no effect", InvalidDefinition, firstAction(func(a *Action) { a.Effect = "" })},
		{"view effect on a procedure", PlaneViolation, bound(func(p *ProcedureBinding) { p.Ref.Effect = capability.LocalState })},
		{"action without an input schema", InvalidDefinition, firstAction(func(a *Action) { a.Input = Schema{} })},
		{"action without execute", InvalidDefinition, firstAction(func(a *Action) { a.Execute = nil })},
		{"observation without an output schema", InvalidDefinition, func(c *Component) { c.Observations[0].Output = Schema{} }},
		{"observation without read", InvalidDefinition, func(c *Component) { c.Observations[0].Read = nil }},
		{"procedure without an input schema", InvalidDefinition, bound(func(p *ProcedureBinding) { p.Ref.Input = Schema{} })},
		{"parse without a document", InvalidDefinition, firstAction(func(a *Action) {
			a.Output = Schema{Parse: func(v capability.JSON) (capability.JSON, []capability.Issue) { return v, nil }}
		})},
		{"schema keyword outside the subset", UnsupportedSchema, firstAction(func(a *Action) { a.Input.Document = `{"not":{}}` })},
		{"schema that is no JSON", UnsupportedSchema, firstAction(func(a *Action) { a.Input.Document = `{` })},
		{"output schema outside the subset", UnsupportedSchema, func(c *Component) { c.Observations[0].Output.Document = `{"oneOf":[]}` }},
		{"unknown confirmation", InvalidDefinition, firstAction(func(a *Action) { a.Confirmation = "maybe" })},
		{"unknown audit level", InvalidDefinition, firstAction(func(a *Action) { a.Audit = "some" })},
		{"negative timeout", InvalidDefinition, firstAction(func(a *Action) { a.Timeout = -1 })},
		{"unknown concurrency", InvalidDefinition, firstAction(func(a *Action) { a.Concurrency.Mode = "all" })},
		{"parallel without max", InvalidDefinition, firstAction(func(a *Action) { a.Concurrency.Mode = Parallel })},
		{"key without a key", InvalidDefinition, firstAction(func(a *Action) { a.Concurrency.Mode = PerKey })},
		{"negative queue depth", InvalidDefinition, firstAction(func(a *Action) { depth := -1; a.Concurrency.QueueDepth = &depth })},
		{"a capability twice", DuplicateCapability, func(c *Component) { c.Actions = append(c.Actions, c.Actions[0]) }},
		{"an observation and an action of one name", DuplicateCapability, func(c *Component) { c.Actions[0].Name = "readState" }},
		{"a procedure twice", DuplicateCapability, func(c *Component) { c.Procedures = append(c.Procedures, c.Procedures[0]) }},
		{"no capability", InvalidDefinition, func(c *Component) { c.Observations, c.Actions, c.Procedures = nil, nil, nil }},
		{"bound keys without bind", InvalidDefinition, bound(func(p *ProcedureBinding) { p.BoundKeys = []string{"a"} })},
		{"a bound key twice", InvalidDefinition, bound(func(p *ProcedureBinding) { p.BoundKeys = []string{"a", "a"}; p.Bind = noBind })},
		{"overridable and not bound", InvalidDefinition, bound(func(p *ProcedureBinding) { p.OverridableKeys = []string{"a"} })},
		{"reduced schema that differs", InvalidDefinition, bound(func(p *ProcedureBinding) { p.ReducedInput = noInput })},
		{"context with a bad type", InvalidID, bound(func(p *ProcedureBinding) { p.Context = &ComponentRef{Type: "X"} })},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, env := range []capability.Environment{capability.Development, capability.Production, capability.Test} {
				w := newWorld(t, onLoop(t), func(o *Options) { o.Environment = env })
				c := widget(observation("readState", gives(`1`)), action("poke", echo), procedure("items.remove", capability.ServerQuery))
				test.change(c)
				_, err := w.Register(c)
				found, ok := IsDefinitionError(err)
				if !ok || found.Code != test.code {
					t.Fatalf("in %s: got %v, want %s", env, err, test.code)
				}
				if !strings.HasPrefix(err.Error(), "["+string(test.code)+"] ") {
					t.Errorf("the text is %q", err)
				}
				if err := w.Validate(c); err == nil || err.Error() != found.Error() {
					t.Errorf("Validate says %v", err)
				}
				want(t, "version", w.Version(), "0")
				w.wantHeard()
			}
		})
	}
}

func noBind() (capability.JSON, error) { return `{}`, nil }

func TestTextsCountAsJavaScriptCounts(t *testing.T) {
	w := newWorld(t, onLoop(t))
	c := plain()
	c.Description = strings.Repeat("\U0001F600", 250)
	if err := w.Validate(c); err != nil {
		t.Errorf("500 units: %v", err)
	}
	c.Description += "x"
	if found, ok := IsDefinitionError(w.Validate(c)); !ok || found.Code != LimitExceeded {
		t.Errorf("501 units: %v", found)
	}
}

func TestDescriptorIsCopied(t *testing.T) {
	w := newWorld(t, onLoop(t))
	hook := always(policy.Disable, "first")
	c := widget(action("poke", echo), hook)
	c.Parent = &ComponentRef{Type: "page"}
	c.Procedures = []ProcedureBinding{procedure("items.find", capability.ServerQuery)}
	c.Procedures[0].BoundKeys, c.Procedures[0].Bind = []string{"a"}, noBind
	w.mount(c)
	before := w.look().JSON()
	c.Type, c.Description, c.Meta, c.Priority = "other", "Other", `{"x":1}`, 9
	c.Parent.Type = "changed"
	c.Actions[0].Name, c.Actions[0].Description, c.Actions[0].Input.Document, c.Actions[0].Effect = "other", "Other", noInput, capability.Navigation
	c.Policies[0] = always(policy.Hide, "")
	c.Procedures[0].BoundKeys[0] = "b"
	want(t, "the snapshot", w.look().JSON(), before)
}

func TestIDsAreUnguessableAndWellFormed(t *testing.T) {
	w := newWorld(t, onLoop(t))
	if id := w.SurfaceID(); len(id) != 26 || !strings.HasPrefix(id, "srf_") || strings.Trim(id[4:], base62) != "" {
		t.Errorf("surface id %q", id)
	}
	seen := map[string]bool{}
	for range 50 {
		handle := w.mount(plain())
		id := handle.RegistrationID()
		if seen[id] || len(id) != 26 || !strings.HasPrefix(id, "reg_") || strings.Trim(id[4:], base62) != "" {
			t.Fatalf("registration id %q", id)
		}
		seen[id] = true
		handle.Unregister()
	}
}

func TestDefaultsOfEffects(t *testing.T) {
	w := newWorld(t, onLoop(t))
	nav := action("go", echo)
	nav.Effect = capability.Navigation
	w.mount(widget(observation("readState", gives(`1`)), action("poke", echo), nav,
		procedure("q", capability.ServerQuery), procedure("m", capability.ServerMutation),
		procedure("x", capability.ExternalSideEffect), procedure("d", capability.Destructive)))
	type traits struct {
		idempotent, reversible bool
		confirmation           capability.Confirmation
		audit                  capability.AuditLevel
	}
	for id, expected := range map[string]traits{
		readState:              {true, false, capability.Never, capability.AuditNone},
		poke:                   {false, true, capability.Never, capability.AuditMetadata},
		"view:bench.widget.go": {false, true, capability.Never, capability.AuditMetadata},
		"domain:q":             {true, false, capability.Never, capability.AuditMetadata},
		"domain:m":             {false, false, capability.Optional, capability.AuditMetadata},
		"domain:x":             {false, false, capability.Required, capability.AuditFull},
		"domain:d":             {false, false, capability.Required, capability.AuditFull},
	} {
		e := w.state.offers[id].first()
		want(t, id, traits{e.idempotent, e.reversible, e.confirmation, e.audit}, expected)
	}
}

func TestConfirmationLevelIsTheHighest(t *testing.T) {
	raise := policy.Policy{Name: "raise", Raise: &policy.Raise{}}
	sometimes := policy.Policy{Name: "sometimes", Raise: &policy.Raise{If: func(*policy.InvokeContext) bool { return false }}}
	for _, test := range []struct {
		name   string
		parts  []any
		id     string
		shown  capability.Confirmation
		answer capability.Code
	}{
		{"action by default", []any{action("poke", echo)}, poke, capability.Never, ""},
		{"action of its own", []any{action("poke", echo), firstAction(func(a *Action) { a.Confirmation = capability.Required })}, poke, capability.Required, capability.CodeConfirmationRequired},
		{"action by policy", []any{action("poke", echo), raise}, poke, capability.Required, capability.CodeConfirmationRequired},
		{"action by a policy that may", []any{action("poke", echo), sometimes}, poke, capability.Optional, ""},
		{"observation never", []any{observation("readState", gives(`1`)), raise}, readState, capability.Never, ""},
		{"optional does not ask", []any{procedure("items.remove", capability.ServerMutation)}, removeItem, capability.Optional, ""},
		{"binding cannot lower", []any{procedure("items.remove", capability.Destructive), firstProcedure(func(p *ProcedureBinding) { p.Confirmation = capability.Never })}, removeItem, capability.Required, capability.CodeConfirmationRequired},
		{"binding raises", []any{procedure("items.remove", capability.ServerQuery), firstProcedure(func(p *ProcedureBinding) { p.Confirmation = capability.Required })}, removeItem, capability.Required, capability.CodeConfirmationRequired},
		{"requiresApproval", []any{procedure("items.remove", capability.ServerQuery), firstProcedure(func(p *ProcedureBinding) { p.Ref.RequiresApproval = true })}, removeItem, capability.Required, capability.CodeConfirmationRequired},
	} {
		t.Run(test.name, func(t *testing.T) {
			w := newWorld(t, onLoop(t))
			w.SetExecutor(answering(`1`))
			w.mount(widget(test.parts...))
			want(t, "shown", w.state.offers[test.id].first().shown, test.shown)
			result := w.invoke(test.id, "")
			if test.answer == "" {
				want(t, "status", result.Status(), "ok")
			} else {
				wantError(t, result, test.answer)
			}
		})
	}
}

func TestIdempotentAndReversibleOverride(t *testing.T) {
	w := newWorld(t, onLoop(t))
	yes, no := true, false
	w.mount(widget(action("poke", echo), firstAction(func(a *Action) { a.Idempotent, a.Reversible = &yes, &no })))
	view := w.look().Components[0].Actions[0]
	want(t, "idempotent", view.Idempotent, true)
	want(t, "reversible", view.Reversible, false)
}

func TestOptionsAreChecked(t *testing.T) {
	open := contract.NewOpenAuthority(contract.OpenOptions{})
	for name, options := range map[string]Options{
		"no authority":                 {},
		"open authority in production": {Authority: open},
		"unknown environment":          {Authority: open, Environment: "staging"},
		"unknown rule for duplicates":  {Authority: open, Environment: capability.Test, OnDuplicateInstance: "keep"},
		"unknown rule for suffixes":    {Authority: open, Environment: capability.Test, DuplicateSuffix: "shout"},
	} {
		if _, err := New(options); err == nil || !strings.HasPrefix(err.Error(), "creating a registry: ") {
			t.Errorf("%s: %v", name, err)
		}
	}
	r, err := New(Options{Authority: contract.NewOpenAuthority(contract.OpenOptions{AllowInProduction: true})})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Dispose()
	want(t, "environment", r.Environment(), capability.Production)
	want(t, "authority mode", r.AuthorityMode(), contract.ModeOpen)
	want(t, "limits", r.Limits(), capability.DefaultLimits())
	want(t, "rule for duplicates", r.options.OnDuplicateInstance, RejectDuplicate)
	want(t, "rule for suffixes", r.options.DuplicateSuffix, SuffixWarn)
}

func TestContextFailureIsAnEmptyContext(t *testing.T) {
	for name, context := range map[string]func() policy.Host{
		"absent": nil, "nil": func() policy.Host { return nil }, "panics": func() policy.Host { panic("secret") },
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, onLoop(t), func(o *Options) { o.Context = context })
			seen := 0
			check := func(h policy.Host) {
				if _, ok := h.Lookup("user"); !ok {
					seen++
				}
			}
			w.mount(widget(action("poke", func(_ contextArg, _ capability.JSON, c *Call) (capability.JSON, error) { check(c.Host); return "", nil }),
				policy.Policy{Name: "p", OnAuthorize: func(c *policy.Context, next func() error) error { check(c.Host); return next() }}))
			w.invoke(poke, "").wantOutput(t, "")
			want(t, "empty contexts", seen, 2)
		})
	}
}

func TestContextIsReadWheneverItIsNeeded(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		user := "ann"
		w := newWorld(t, on, func(o *Options) { o.Context = func() policy.Host { return policy.HostMap{"user": user} } })
		g := newGate(on)
		w.mount(widget(action("poke", func(_ context.Context, _ capability.JSON, c *Call) (capability.JSON, error) {
			name, _ := c.Host.Lookup("user")
			return capability.Quote(name.(string)), nil
		}), waiting(g, func() bool { return true }), policy.Policy{Name: "member", OnInvoke: func(c *policy.InvokeContext, next func() error) error {
			if name, _ := c.Host.Lookup("user"); name == "nobody" {
				return capability.NotAuthenticated()
			}
			return next()
		}}))
		stays, leaves := w.call(Request{CapabilityID: poke}), w.call(Request{CapabilityID: poke})
		user = "bob"
		g.release(w, 0, "")
		stays.wantOK(`"bob"`)
		user = "nobody"
		g.release(w, 1, "")
		leaves.wantError(capability.CodeNotAuthenticated)
	})
}

func TestClockIsTheOptions(t *testing.T) {
	at := time.Date(2031, 5, 6, 7, 8, 9, 123456789, time.UTC)
	w := newWorld(t, onLoop(t), func(o *Options) { o.Now = func() time.Time { return at } })
	w.mount(plain())
	want(t, "captured at", capability.FormatTime(w.look().CapturedAt), "2031-05-06T07:08:09.123Z")
	want(t, "audit time", w.trail.Events()[0].At, at)
}

func TestClockMayCallBack(t *testing.T) {
	var w *world
	w = newWorld(t, onLoop(t), func(o *Options) {
		o.Now = func() time.Time {
			if w != nil {
				w.Version() // would hang if the clock were asked under the lock
			}
			return dawn
		}
	})
	handle := w.mount(plain())
	w.invoke(poke, "").wantOutput(t, `{}`)
	handle.Unregister()
	w.invoke(poke, "").wantCode(t, capability.CodeUnmounted)
}

func TestDefinitionErrorWithoutAPlace(t *testing.T) {
	want(t, "text", defect(InvalidID, "", "why %d", 1).Error(), "[INVALID_ID] why 1")
	if _, ok := IsDefinitionError(errors.New("other")); ok {
		t.Error("another error counts as a defect")
	}
}
