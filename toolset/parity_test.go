package toolset_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
)

// stage is one run of a scenario in one mode. What it writes down must be the same in both.
type stage struct {
	*page
	mode  toolset.Mode
	notes []string
	codes map[capability.Code]bool

	handle *registry.Handle // of the shop
	hidden bool             // the consumer may not see anything any more
}

// ref is a capability as the model saw it when it decided to call.
type ref struct {
	tool        toolset.Tool // in direct mode
	id          string
	instance    string
	version     string // in meta mode, as do the two above
	observation bool
}

// see is what a model knows of a capability that it sees now; instance is for those that there are several of.
func (s *stage) see(id string, instance ...string) ref {
	s.t.Helper()
	r := ref{id: id, instance: strings.Join(instance, ""), observation: id == "view:shop.cart.total"}
	if s.mode == toolset.Meta {
		r.version = s.page.call(s.tool(discoverTool), `{}`).SurfaceVersion
		return r
	}
	for _, tool := range s.tools() {
		if tool.CapabilityID == id && strings.HasSuffix(tool.Name, r.instance) {
			r.tool = tool
			return r
		}
	}
	s.t.Fatalf("there is no tool for %s, only %s", id, names(s.tools()))
	return r
}

// start calls what was seen.
func (s *stage) start(r ref, input capability.JSON, call toolset.Call) *pending {
	if s.mode == toolset.Direct {
		return s.begin(r.tool, input, call)
	}
	var o capability.ObjectWriter
	o.Text("capabilityId", r.id)
	o.OptionalText("instanceId", r.instance)
	if r.observation {
		return s.begin(s.tool(readTool), o.JSON(), call)
	}
	o.Raw("input", input)
	o.Text("surfaceVersion", r.version)
	return s.begin(s.tool(actTool), o.JSON(), call)
}

// note writes down how a call ended.
func (s *stage) note(r registry.Result) registry.Result {
	if r.Error != nil {
		s.codes[r.Error.Code] = true
	}
	s.notes = append(s.notes, string(r.JSON()))
	return r
}

// run calls what was seen and writes down how that ended.
func (s *stage) run(r ref, input capability.JSON, call toolset.Call) registry.Result {
	s.t.Helper()
	return s.note(s.start(r, input, call).result())
}

// shop is a component with a capability for every way in which a call can end.
func (s *stage) shop(instance string) *registry.Component {
	action := func(name string, run func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error), change ...func(*registry.Action)) registry.Action {
		a := registry.Action{
			Name: name, Description: "Does " + name, Effect: capability.LocalState, Execute: run,
			Input: document(`{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`),
		}
		for _, c := range change {
			c(&a)
		}
		return a
	}
	fails := func(err error) func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
		return func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) { return "", err }
	}
	c := &registry.Component{
		Type: "shop.cart", InstanceID: instance, Description: "The cart",
		Observations: []registry.Observation{{
			Name: "total", Description: "The total", Output: document(`{"type":"integer"}`),
			Read: func(context.Context, *registry.Call) (capability.JSON, error) { return "42", nil },
		}},
		Actions: []registry.Action{
			action("add", s.runs("add")),
			action("open", s.runs("open"), func(a *registry.Action) { a.Effect = capability.Navigation }),
			action("confirm", s.runs("confirm"), func(a *registry.Action) { a.Confirmation = capability.Required }),
			action("later", s.runs("later"), func(a *registry.Action) { a.When = func() (bool, error) { return false, nil } }),
			action("refused", s.runs("refused"), func(a *registry.Action) {
				a.Precondition = func(capability.JSON, *registry.Call) error { return registry.Refuse("the cart is empty", `{"rows":0}`) }
			}),
			action("forbidden", s.runs("forbidden"), func(a *registry.Action) {
				a.Policies = []policy.Policy{{Name: "closed", OnAuthorize: func(*policy.Context, func() error) error { return capability.NotAuthorized("client") }}}
			}),
			action("rare", s.runs("rare"), func(a *registry.Action) { a.Policies = []policy.Policy{policy.RateLimit(1, time.Minute)} }),
			action("broken", fails(errors.New("a stack that nobody may see"))),
			action("signedOut", fails(capability.NotAuthenticated())),
			action("slow", func(ctx context.Context, _ capability.JSON, _ *registry.Call) (capability.JSON, error) {
				waiter := s.clock.Waiter()
				defer host.Watch(ctx, waiter.Wake)()
				waiter.Park()
				return "", ctx.Err()
			}),
		},
	}
	for _, effect := range []capability.Effect{capability.ServerQuery, capability.ServerMutation, capability.ExternalSideEffect, capability.Destructive} {
		c.Procedures = append(c.Procedures, registry.ProcedureBinding{
			Ref: registry.ProcedureRef{
				Path: "cart." + string(effect), Description: "Does it", Effect: effect,
				Input: document(`{"type":"object","properties":{"n":{"type":"integer"},"tenant":{"type":"string"}}}`),
			},
			BoundKeys: []string{"tenant"}, Bind: func() (capability.JSON, error) { return `{"tenant":"acme"}`, nil },
		})
	}
	return c
}

// scenarios are every kind of capability, and every code of the closed set.
func scenarios() map[string]func(*stage) {
	one := func(id string, input capability.JSON) func(*stage) {
		return func(s *stage) { s.run(s.see(id), input, toolset.Call{}) }
	}
	return map[string]func(*stage){
		"an observation":       one("view:shop.cart.total", `{}`),
		"an action":            one("view:shop.cart.add", `{"n":1}`),
		"a navigation":         one("view:shop.cart.open", `{}`),
		"a query":              one("domain:cart.server-query", `{"n":1}`),
		"a mutation":           one("domain:cart.server-mutation", `{"n":1}`),
		"a confirmed action":   confirmed("view:shop.cart.confirm"),
		"an external effect":   confirmed("domain:cart.external-side-effect"),
		"a destructive effect": confirmed("domain:cart.destructive"),
		"not available":        one("view:shop.cart.later", `{}`),
		"invalid input":        one("view:shop.cart.add", `{"n":"x","m":1}`),
		"input that is no object": func(s *stage) {
			r := s.start(s.see("view:shop.cart.add"), `[1]`, toolset.Call{}).result()
			s.codes[r.Error.Code] = true
			s.notes = append(s.notes, string(r.Error.Code), string(r.Error.Retry)) // each says it in its own words
		},
		"a locked field":    one("domain:cart.server-query", `{"tenant":"other"}`),
		"not authenticated": one("view:shop.cart.signedOut", `{}`),
		"not authorized":    one("view:shop.cart.forbidden", `{}`),
		"a precondition":    one("view:shop.cart.refused", `{}`),
		"a failure":         one("view:shop.cart.broken", `{}`),
		"hidden since":      func(s *stage) { vanish(s, func(*registry.Handle) { s.hidden = true }) },
		"unmounted since":   func(s *stage) { vanish(s, (*registry.Handle).Unregister) },
		"moved since": func(s *stage) {
			r := s.see("domain:cart.destructive")
			s.Registry().Invalidate()
			s.run(r, `{}`, toolset.Call{})
		},
		"moved since, and it does not matter": func(s *stage) {
			r := s.see("view:shop.cart.add")
			s.Registry().Invalidate()
			s.run(r, `{}`, toolset.Call{})
		},
		"one of several": func(s *stage) {
			s.Register(s.shop("second"))
			s.run(s.see("view:shop.cart.add", "second"), `{}`, toolset.Call{})
		},
		"whichever of several": ambiguous,
		"an id used twice": func(s *stage) {
			r := s.see("view:shop.cart.add")
			s.run(r, `{"n":1}`, toolset.Call{ToolCallID: "call_0"})
			s.run(r, `{"n":1}`, toolset.Call{ToolCallID: "call_0"})
			s.run(r, `{"n":2}`, toolset.Call{ToolCallID: "call_0"})
		},
		"unfounded evidence": func(s *stage) {
			s.run(s.see("view:shop.cart.confirm"), `{}`, toolset.Call{ConfirmationID: "cnf_made_up"})
		},
		"denied": func(s *stage) {
			call := s.start(s.see("domain:cart.destructive"), `{}`, toolset.Call{})
			s.Deny()
			s.note(call.result())
		},
		"two phases": func(s *stage) {
			s.set = s.newSet(func(o *toolset.Options) { o.Mode, o.Confirmations = s.mode, toolset.TwoPhase })
			r := s.see("domain:cart.destructive")
			asked := s.run(r, `{"n":1}`, toolset.Call{ToolCallID: "call_0"})
			s.Approve()
			s.run(r, `{"n":1}`, toolset.Call{ToolCallID: "call_0", ConfirmationID: asked.Error.Detail("confirmationId")})
		},
		"too often": func(s *stage) {
			r := s.see("view:shop.cart.rare")
			s.run(r, `{}`, toolset.Call{})
			s.run(r, `{}`, toolset.Call{})
		},
		"too slow": func(s *stage) {
			call := s.start(s.see("view:shop.cart.slow"), `{}`, toolset.Call{})
			s.clock.Advance(time.Minute)
			s.note(call.result())
		},
		"withdrawn": func(s *stage) {
			call := s.start(s.see("view:shop.cart.slow"), `{}`, toolset.Call{})
			call.scope.Cancel(context.Canceled)
			s.note(call.result())
		},
		"a surface that has ended": func(s *stage) {
			r := s.see("view:shop.cart.add")
			s.Registry().Dispose()
			s.run(r, `{}`, toolset.Call{})
		},
	}
}

// confirmed is a call that a person approves.
func confirmed(id string) func(*stage) {
	return func(s *stage) {
		call := s.start(s.see(id), `{"n":1}`, toolset.Call{ToolCallID: "call_0"})
		s.notes = append(s.notes, "asked: "+s.Pending()[0].Summary)
		s.Approve()
		s.note(call.result())
	}
}

// vanish calls what the model saw and what is no longer there.
func vanish(s *stage, hide func(*registry.Handle)) {
	r := s.see("view:shop.cart.add")
	hide(s.handle)
	s.run(r, `{}`, toolset.Call{})
}

// ambiguous is a call that does not say which of two instances it means. A tool of direct mode always does, so there
// the registry is one that is not told.
func ambiguous(s *stage) {
	s.Register(s.shop("second"))
	if s.mode == toolset.Meta {
		s.run(s.see("view:shop.cart.add"), `{}`, toolset.Call{})
		return
	}
	set, err := toolset.New(forgetful{s.Registry()}, toolset.Options{Consumer: copilot, Topology: toolset.Embedded, Host: s.clock})
	if err != nil {
		s.t.Fatal(err)
	}
	s.set = set
	s.run(s.see("view:shop.cart.add", "second"), `{}`, toolset.Call{})
}

// forgetful is a registry that does not hear which registration a call is about.
type forgetful struct{ *registry.Registry }

func (f forgetful) Start(ctx context.Context, q registry.Request, options registry.InvokeOptions, done func(registry.Result)) {
	q.RegistrationID = ""
	f.Registry.Start(ctx, q, options, done)
}

// play runs a scenario in one mode.
func play(t *testing.T, mode toolset.Mode, scenario func(*stage)) *stage {
	s := &stage{mode: mode, codes: map[capability.Code]bool{}}
	s.page = newPage(t, func(o *toolset.Options) { o.Mode = mode }, func(o *registry.Options) {
		o.Policies = []policy.Policy{{Name: "curtain", OnDiscovery: func(*policy.Context) (policy.Vote, error) {
			if s.hidden {
				return policy.Vote{Decision: policy.Hide}, nil
			}
			return policy.Vote{}, nil
		}}}
	})
	s.Registry().SetExecutor(registry.ExecutorFunc(
		func(_ context.Context, path string, input capability.JSON, _ *registry.Call) (capability.JSON, error) {
			s.ran = append(s.ran, path+" "+string(input))
			return `{"ok":true}`, nil
		}))
	s.handle = s.Register(s.shop("main"))
	scenario(s)
	return s
}

var generated = regexp.MustCompile(`\b(inv|reg|cnf)_[A-Za-z0-9_-]{22}`)

// record is what happened, without what differs from run to run.
func (s *stage) record() string {
	ids := map[string]string{}
	text := strings.Join(append(s.notes, s.ran...), "\n")
	return generated.ReplaceAllStringFunc(text, func(id string) string {
		if ids[id] == "" {
			ids[id] = id[:3] + "#" + strconv.Itoa(len(ids)+1)
		}
		return ids[id]
	})
}

// TestDirectAndMetaComeToTheSame for every kind of capability and every code of the closed set.
func TestDirectAndMetaComeToTheSame(t *testing.T) {
	codes := map[toolset.Mode]map[capability.Code]bool{toolset.Direct: {}, toolset.Meta: {}}
	for name, scenario := range scenarios() {
		t.Run(name, func(t *testing.T) {
			records := map[toolset.Mode]string{}
			for mode := range codes {
				s := play(t, mode, scenario)
				records[mode] = s.record()
				for code := range s.codes {
					codes[mode][code] = true
				}
			}
			if records[toolset.Direct] != records[toolset.Meta] {
				t.Errorf("direct mode:\n%s\nmeta mode:\n%s", records[toolset.Direct], records[toolset.Meta])
			}
			if records[toolset.Direct] == "" {
				t.Error("nothing was written down")
			}
		})
	}
	for mode, seen := range codes {
		for _, info := range capability.Codes() {
			if !seen[info.Code] {
				t.Errorf("no call in %s mode ended with %s", mode, info.Code)
			}
		}
	}
}

// TestScenariosCoverEveryKind and every effect.
func TestScenariosCoverEveryKind(t *testing.T) {
	s := play(t, toolset.Direct, func(*stage) {})
	var effects []string
	for _, tool := range s.tools() {
		bracket, _, _ := strings.Cut(tool.Description, "]")
		if !slices.Contains(effects, bracket) {
			effects = append(effects, bracket)
		}
	}
	if len(effects) != 8 {
		t.Errorf("the shop has %q", effects)
	}
}
