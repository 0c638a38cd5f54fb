package policy_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

func newContext(host policy.HostMap) *policy.Context {
	return &policy.Context{
		CapabilityID: "view:devices.table.select", Plane: capability.View, Kind: capability.Action,
		Effect: capability.LocalState, RegistrationID: "reg_1", Consumer: capability.AnonymousConsumer(),
		Host: host, Environment: capability.Test, Now: func() time.Time { return time.Unix(0, 0) },
	}
}

// voter votes with a fixed answer.
func voter(name string, decision policy.Decision, reason string) policy.Policy {
	return policy.Policy{Name: name, OnDiscovery: func(*policy.Context) (policy.Vote, error) {
		return policy.Vote{Decision: decision, Reason: reason}, nil
	}}
}

func failing(name string) policy.Policy {
	return policy.Policy{Name: name, OnDiscovery: func(*policy.Context) (policy.Vote, error) {
		return policy.Vote{Decision: policy.Expose}, errors.New("broken")
	}}
}

func panicking(name string) policy.Policy {
	return policy.Policy{Name: name, OnDiscovery: func(*policy.Context) (policy.Vote, error) { panic("broken") }}
}

func TestDiscoverDecides(t *testing.T) {
	expose := voter("e", policy.Expose, "")
	hide := voter("h", policy.Hide, "secret")
	first, second := voter("d1", policy.Disable, "first"), voter("d2", policy.Disable, "second")
	tests := []struct {
		name     string
		policies []policy.Policy
		want     policy.Vote
	}{
		{"no policy exposes", nil, policy.Vote{Decision: policy.Expose}},
		{"exposing gives no reason", []policy.Policy{voter("e", policy.Expose, "why")}, policy.Vote{Decision: policy.Expose}},
		{"no hook exposes", []policy.Policy{{Name: "n"}}, policy.Vote{Decision: policy.Expose}},
		{"the zero vote exposes", []policy.Policy{voter("z", "", "")}, policy.Vote{Decision: policy.Expose}},
		{"hide wins over an earlier disable", []policy.Policy{first, hide}, policy.Vote{Decision: policy.Hide}},
		{"hide wins over a later disable", []policy.Policy{hide, first}, policy.Vote{Decision: policy.Hide}},
		{"the first disable gives the reason", []policy.Policy{expose, first, second}, policy.Vote{Decision: policy.Disable, Reason: "first"}},
		{"disable wins over expose", []policy.Policy{expose, second, expose}, policy.Vote{Decision: policy.Disable, Reason: "second"}},
		{"an unknown decision hides", []policy.Policy{voter("u", "allow", "")}, policy.Vote{Decision: policy.Hide}},
		{"an error hides", []policy.Policy{failing("f")}, policy.Vote{Decision: policy.Hide}},
		{"a panic hides", []policy.Policy{panicking("p")}, policy.Vote{Decision: policy.Hide}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := policy.Discover(test.policies, newContext(nil)); got != test.want {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
			if got := policy.Tally(policy.Ballots(test.policies, newContext(nil))); got != test.want {
				t.Errorf("the tally of the ballots is %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestBallotsShowEachVote(t *testing.T) {
	got := policy.Ballots([]policy.Policy{
		{Name: "silent"}, voter("plain", "", ""), voter("off", policy.Disable, "later"),
		voter("gone", policy.Hide, "not yours"), failing("broken"), panicking("worse"), voter("odd", "maybe", "x"),
	}, newContext(nil))
	want := []policy.Ballot{
		{Policy: "plain", Vote: policy.Vote{Decision: policy.Expose}},
		{Policy: "off", Vote: policy.Vote{Decision: policy.Disable, Reason: "later"}},
		{Policy: "gone", Vote: policy.Vote{Decision: policy.Hide, Reason: "not yours"}},
		{Policy: "broken", Vote: policy.Vote{Decision: policy.Hide}, Threw: true},
		{Policy: "worse", Vote: policy.Vote{Decision: policy.Hide}, Threw: true},
		{Policy: "odd", Vote: policy.Vote{Decision: policy.Hide}},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestDiscoverDoesNotTellWhyItHides(t *testing.T) {
	got := policy.Discover([]policy.Policy{voter("h", policy.Hide, "not yours")}, newContext(nil))
	if got.Reason != "" {
		t.Errorf("the outcome carries the reason %q", got.Reason)
	}
}

// trace makes policies that write their names when they are entered and left.
type trace struct{ steps []string }

func (tr *trace) around(name string) policy.Policy {
	return policy.Policy{Name: name, OnAuthorize: func(_ *policy.Context, next func() error) error {
		tr.steps = append(tr.steps, name+"(")
		defer func() { tr.steps = append(tr.steps, ")"+name) }()
		return next()
	}}
}

func TestAuthorizeNestsOutermostFirst(t *testing.T) {
	var tr trace
	err := policy.Authorize([]policy.Policy{tr.around("registry"), {Name: "none"}, tr.around("component"), tr.around("capability")}, newContext(nil))
	if err != nil {
		t.Fatal(err)
	}
	const want = "registry( component( capability( )capability )component )registry"
	if got := strings.Join(tr.steps, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRefusalStopsThoseInside(t *testing.T) {
	var tr trace
	refusal := errors.New("no")
	refuse := policy.Policy{Name: "refuse", OnAuthorize: func(*policy.Context, func() error) error { return refusal }}
	err := policy.Authorize([]policy.Policy{tr.around("a"), refuse, tr.around("b")}, newContext(nil))
	if !errors.Is(err, refusal) {
		t.Fatalf("got %v", err)
	}
	if got := strings.Join(tr.steps, " "); got != "a( )a" {
		t.Errorf("ran %s", got)
	}
}

// hooks are ways to treat next, and what the whole chain answers when it would be admitted otherwise.
func TestHowAHookMayEnd(t *testing.T) {
	own := errors.New("own")
	tests := []struct {
		name string
		hook func(next func() error) error
		want error
	}{
		{"next once and its result", func(next func() error) error { return next() }, nil},
		{"an error of its own", func(func() error) error { return own }, own},
		{"an error of its own after next", func(next func() error) error { _ = next(); return own }, own},
		{"no next", func(func() error) error { return nil }, policy.ErrNoDecision},
		{"next twice", func(next func() error) error { _ = next(); return next() }, policy.ErrNextTwice},
		{"next twice, the second swallowed", func(next func() error) error { err := next(); _ = next(); return err }, policy.ErrNextTwice},
		{"next twice and an error of its own", func(next func() error) error { _, _ = next(), next(); return own }, policy.ErrNextTwice},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			authorize := policy.Policy{Name: "p", OnAuthorize: func(_ *policy.Context, next func() error) error { return test.hook(next) }}
			if err := policy.Authorize([]policy.Policy{authorize}, newContext(nil)); !errors.Is(err, test.want) {
				t.Errorf("authorize: got %v, want %v", err, test.want)
			}
			invoke := policy.Policy{Name: "p", OnInvoke: func(_ *policy.InvokeContext, next func() error) error { return test.hook(next) }}
			if err := policy.Invoke([]policy.Policy{invoke}, &policy.InvokeContext{Context: *newContext(nil)}); !errors.Is(err, test.want) {
				t.Errorf("invoke: got %v, want %v", err, test.want)
			}
		})
	}
}

func TestSwallowedRefusalStands(t *testing.T) {
	refusal := capability.NotAuthorized("client")
	swallow := policy.Policy{Name: "swallow", OnAuthorize: func(_ *policy.Context, next func() error) error { _ = next(); return nil }}
	refuse := policy.Policy{Name: "refuse", OnAuthorize: func(*policy.Context, func() error) error { return refusal }}
	if err := policy.Authorize([]policy.Policy{swallow, refuse}, newContext(nil)); !errors.Is(err, error(refusal)) {
		t.Errorf("got %v", err)
	}
}

func TestPanicRefusesWithoutItsText(t *testing.T) {
	boom := policy.Policy{Name: "boom", OnInvoke: func(*policy.InvokeContext, func() error) error { panic("secret") }}
	err := policy.Invoke([]policy.Policy{boom}, &policy.InvokeContext{Context: *newContext(nil)})
	var payload *capability.Error
	if err == nil || errors.As(err, &payload) {
		t.Errorf("got %v, want an ordinary error, whose text no agent gets", err)
	}
}

func TestHookMayDecideInAnotherGoroutine(t *testing.T) {
	elsewhere := policy.Policy{Name: "elsewhere", OnAuthorize: func(_ *policy.Context, next func() error) error {
		decided := make(chan error)
		go func() { decided <- next() }()
		return <-decided
	}}
	if err := policy.Authorize([]policy.Policy{elsewhere}, newContext(nil)); err != nil {
		t.Error(err)
	}
}

func TestHookThatEndsBeforeThoseInsideHaveDecidedRefuses(t *testing.T) {
	release, ended := make(chan struct{}), make(chan error, 1)
	entered := make(chan struct{})
	hasty := policy.Policy{Name: "hasty", OnAuthorize: func(_ *policy.Context, next func() error) error {
		go func() { ended <- next() }()
		<-entered
		return nil
	}}
	slow := policy.Policy{Name: "slow", OnAuthorize: func(_ *policy.Context, next func() error) error {
		close(entered)
		<-release
		return next()
	}}
	err := policy.Authorize([]policy.Policy{hasty, slow}, newContext(nil))
	close(release)
	<-ended
	if !errors.Is(err, policy.ErrNoDecision) {
		t.Errorf("got %v, want %v", err, policy.ErrNoDecision)
	}
}

func TestNextAfterTheHookHasEndedRunsNothing(t *testing.T) {
	var kept func() error
	keeps := policy.Policy{Name: "keeps", OnAuthorize: func(_ *policy.Context, next func() error) error { kept = next; return nil }}
	var tr trace
	if err := policy.Authorize([]policy.Policy{keeps, tr.around("inner")}, newContext(nil)); !errors.Is(err, policy.ErrNoDecision) {
		t.Fatalf("got %v", err)
	}
	if err := kept(); !errors.Is(err, policy.ErrNoDecision) || len(tr.steps) > 0 {
		t.Errorf("a late next gave %v and ran %v", err, tr.steps)
	}
}

func TestInvokeSeesTheEffectiveInput(t *testing.T) {
	var seen *policy.InvokeContext
	look := policy.Policy{Name: "look", OnInvoke: func(ctx *policy.InvokeContext, next func() error) error { seen = ctx; return next() }}
	ctx := &policy.InvokeContext{Context: *newContext(nil), InvocationID: "inv_1", EffectiveInput: `{"a":1}`}
	if err := policy.Invoke([]policy.Policy{look}, ctx); err != nil {
		t.Fatal(err)
	}
	if seen.InvocationID != "inv_1" || seen.EffectiveInput != `{"a":1}` || seen.CapabilityID != "view:devices.table.select" {
		t.Errorf("saw %+v", seen)
	}
}

func TestRaiseAsks(t *testing.T) {
	ctx := &policy.InvokeContext{Context: *newContext(nil), EffectiveInput: `{}`}
	tests := []struct {
		name  string
		raise policy.Raise
		want  bool
	}{
		{"always without a condition", policy.Raise{}, true},
		{"when the condition holds", policy.Raise{If: func(*policy.InvokeContext) bool { return true }}, true},
		{"not when it does not", policy.Raise{If: func(*policy.InvokeContext) bool { return false }}, false},
		{"when the condition panics", policy.Raise{If: func(*policy.InvokeContext) bool { panic("broken") }}, true},
	}
	for _, test := range tests {
		if got := test.raise.Asks(ctx); got != test.want {
			t.Errorf("%s: got %v", test.name, got)
		}
	}
}

func TestPhasesAsAContractWritesThem(t *testing.T) {
	tests := []struct {
		policy policy.Policy
		want   string
	}{
		{policy.Policy{}, ""},
		{policy.Authenticated(""), "discovery authorize"},
		{policy.HasPermission("x", nil), "discovery authorize"},
		{policy.TenantBoundary(policy.Tenancy{}), "discovery authorize"},
		{policy.Environment(), "discovery authorize"},
		{policy.RateLimit(1, time.Second), "authorize"},
		{policy.RequireConfirmation(policy.Raise{}), "invoke"},
		{policy.Audit(nil, ""), "invoke"},
		{policy.Policy{OnInvoke: func(*policy.InvokeContext, func() error) error { return nil }}, "invoke"},
	}
	for _, test := range tests {
		if got := strings.Join(test.policy.Phases(), " "); got != test.want {
			t.Errorf("%s: got %q, want %q", test.policy.Name, got, test.want)
		}
	}
}

// TestHooksAreToldOfTheCallAsItIs: what one hook does to its context reaches neither the caller nor the next hook.
func TestHooksAreToldOfTheCallAsItIs(t *testing.T) {
	meddle := func(ctx *policy.Context) { ctx.Consumer.ID, ctx.Consumer.Grants[0], ctx.Host = "root", "admin", nil }
	check := func(where string, ctx *policy.Context) {
		if ctx.Consumer.ID != "anonymous" || ctx.Consumer.Grants[0] != "view" || ctx.Host == nil {
			t.Errorf("%s was told %+v", where, ctx.Consumer)
		}
	}
	policies := []policy.Policy{
		{
			Name:        "meddler",
			OnDiscovery: func(ctx *policy.Context) (policy.Vote, error) { meddle(ctx); return policy.Vote{}, nil },
			OnAuthorize: func(ctx *policy.Context, next func() error) error { meddle(ctx); return next() },
			OnInvoke: func(ctx *policy.InvokeContext, next func() error) error {
				meddle(&ctx.Context)
				ctx.EffectiveInput = "{}"
				return next()
			},
		},
		{
			Name:        "judge",
			OnDiscovery: func(ctx *policy.Context) (policy.Vote, error) { check("discovery", ctx); return policy.Vote{}, nil },
			OnAuthorize: func(ctx *policy.Context, next func() error) error { check("authorize", ctx); return next() },
			OnInvoke:    func(ctx *policy.InvokeContext, next func() error) error { check("invoke", &ctx.Context); return next() },
		},
	}
	ctx := newContext(policy.HostMap{})
	ctx.Consumer.Grants = []string{"view"}
	invoke := &policy.InvokeContext{Context: *ctx, EffectiveInput: "1"}
	raise := policy.Raise{
		If:      func(ctx *policy.InvokeContext) bool { meddle(&ctx.Context); return ctx.EffectiveInput == "1" },
		Summary: func(ctx *policy.InvokeContext) string { return string(ctx.EffectiveInput) },
	}
	policy.Discover(policies, ctx)
	policy.Ballots(policies, ctx)
	if err := errors.Join(policy.Authorize(policies, ctx), policy.Invoke(policies, invoke)); err != nil {
		t.Fatal(err)
	}
	if !raise.Asks(invoke) || raise.Text(invoke) != "1" {
		t.Error("the raise saw another input")
	}
	check("the caller", ctx)
	check("the caller", &invoke.Context)
}

func TestTextOfARaise(t *testing.T) {
	ctx := &policy.InvokeContext{Context: *newContext(nil)}
	fails := policy.Raise{Summary: func(*policy.InvokeContext) string { panic("secret") }}
	if got := fails.Text(ctx) + (&policy.Raise{}).Text(ctx); got != "" {
		t.Errorf("text %q, want none", got)
	}
}
