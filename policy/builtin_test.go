package policy_test

import (
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// checkBoundary checks both halves of a policy with one question.
func checkBoundary(t *testing.T, p policy.Policy, ctx *policy.Context, admits bool, refusal *capability.Error) {
	t.Helper()
	want := policy.Hide
	if admits {
		want = policy.Expose
	}
	if got := policy.Discover([]policy.Policy{p}, ctx).Decision; got != want {
		t.Errorf("discovery: got %s, want %s", got, want)
	}
	err := policy.Authorize([]policy.Policy{p}, ctx)
	if admits {
		if err != nil {
			t.Errorf("call: got %v", err)
		}
		return
	}
	var payload *capability.Error
	if !errors.As(err, &payload) || *payload != *refusal {
		t.Errorf("call: got %v, want %v", err, refusal)
	}
}

func TestNames(t *testing.T) {
	for want, p := range map[string]policy.Policy{
		"authenticated":              policy.Authenticated(""),
		"has-permission(devices.rw)": policy.HasPermission("devices.rw", nil),
		"tenant-boundary":            policy.TenantBoundary(policy.Tenancy{}),
		"environment":                policy.Environment(),
		"rate-limit":                 policy.RateLimit(1, 1),
		"require-confirmation":       policy.RequireConfirmation(policy.Raise{}),
		"audit":                      policy.Audit(nil, ""),
	} {
		if p.Name != want {
			t.Errorf("got %q, want %q", p.Name, want)
		}
	}
}

func TestAuthenticated(t *testing.T) {
	type user struct{ Name string }
	var nobody *user
	tests := []struct {
		name   string
		host   policy.HostMap
		admits bool
	}{
		{"no context", nil, false},
		{"no user", policy.HostMap{"tenant": "a"}, false},
		{"nil", policy.HostMap{"user": nil}, false},
		{"a typed nil", policy.HostMap{"user": nobody}, false},
		{"false", policy.HostMap{"user": false}, false},
		{"zero", policy.HostMap{"user": 0.0}, false},
		{"an empty text", policy.HostMap{"user": ""}, false},
		{"JSON null", policy.HostMap{"user": capability.JSON("null")}, false},
		{"absent JSON", policy.HostMap{"user": capability.JSON("")}, false},
		{"a name", policy.HostMap{"user": "ada"}, true},
		{"a record", policy.HostMap{"user": user{}}, true},
		{"a pointer to one", policy.HostMap{"user": &user{}}, true},
		{"an empty map", policy.HostMap{"user": map[string]any{}}, true},
		{"a JSON object", policy.HostMap{"user": capability.JSON(`{}`)}, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			checkBoundary(t, policy.Authenticated(""), newContext(test.host), test.admits, capability.NotAuthenticated())
		})
	}
	t.Run("another key", func(t *testing.T) {
		p := policy.Authenticated("session")
		checkBoundary(t, p, newContext(policy.HostMap{"user": "ada"}), false, capability.NotAuthenticated())
		checkBoundary(t, p, newContext(policy.HostMap{"session": "s"}), true, nil)
	})
}

func TestHasPermission(t *testing.T) {
	refusal := capability.NotAuthorized("client")
	ask := policy.HasPermission("write", func(ctx *policy.Context) bool {
		role, _ := ctx.Host.Lookup("role")
		return role == "editor"
	})
	checkBoundary(t, ask, newContext(policy.HostMap{"role": "editor"}), true, nil)
	checkBoundary(t, ask, newContext(policy.HostMap{"role": "reader"}), false, refusal)

	granted := policy.HasPermission("write", nil)
	ctx := newContext(nil)
	checkBoundary(t, granted, ctx, false, refusal)
	ctx.Consumer.Grants = []string{"read", "write"}
	checkBoundary(t, granted, ctx, true, nil)
}

func TestCheckThatPanicsAdmitsNobody(t *testing.T) {
	p := policy.HasPermission("write", func(*policy.Context) bool { panic("broken") })
	if got := policy.Discover([]policy.Policy{p}, newContext(nil)).Decision; got != policy.Hide {
		t.Errorf("discovery: got %s", got)
	}
	if err := policy.Authorize([]policy.Policy{p}, newContext(nil)); err == nil {
		t.Error("the call was admitted")
	}
}

func TestTenantBoundary(t *testing.T) {
	host := func(key string) func(*policy.Context) string {
		return func(ctx *policy.Context) string {
			value, _ := ctx.Host.Lookup(key)
			text, _ := value.(string)
			return text
		}
	}
	p := policy.TenantBoundary(policy.Tenancy{Current: host("tenant"), Expected: host("owner")})
	refusal := capability.NotAuthorized("client")
	checkBoundary(t, p, newContext(policy.HostMap{"tenant": "a", "owner": "a"}), true, nil)
	checkBoundary(t, p, newContext(policy.HostMap{"tenant": "a", "owner": "b"}), false, refusal)
	checkBoundary(t, p, newContext(policy.HostMap{"owner": "b"}), false, refusal)
	checkBoundary(t, p, newContext(policy.HostMap{"tenant": "a"}), true, nil)
	checkBoundary(t, p, newContext(nil), true, nil)
}

func TestEnvironment(t *testing.T) {
	list := []capability.Environment{capability.Development, capability.Test}
	p := policy.Environment(list...)
	list[1] = capability.Production // the policy keeps what it was given
	for env, admits := range map[capability.Environment]bool{
		capability.Development: true, capability.Test: true, capability.Production: false,
	} {
		ctx := newContext(nil)
		ctx.Environment = env
		checkBoundary(t, p, ctx, admits, capability.NotFound())
	}
	checkBoundary(t, policy.Environment(), newContext(nil), false, capability.NotFound())
}

// clock is the time that a test sets.
type clock struct{ now time.Time }

func (c *clock) at(ms int) *clock { c.now = time.UnixMilli(int64(ms)); return c }

// call makes one call and gives the wait that it was refused with, 0 when it was admitted.
func (c *clock) call(t *testing.T, p policy.Policy, consumer, capabilityID string) (retryAfter capability.JSON) {
	t.Helper()
	ctx := newContext(nil)
	ctx.Now = func() time.Time { return c.now }
	ctx.Consumer.ID = consumer
	ctx.CapabilityID = capabilityID
	err := policy.Authorize([]policy.Policy{p}, ctx)
	if err == nil {
		return ""
	}
	var payload *capability.Error
	if !errors.As(err, &payload) || payload.Code != capability.CodeRateLimited || payload.Detail("reason") != "rate" {
		t.Fatalf("got %v", err)
	}
	for _, m := range payload.Details.Members() {
		if m.Name == "retryAfterMs" {
			return m.Value
		}
	}
	t.Fatalf("no retryAfterMs in %s", payload.Details)
	return ""
}

func TestRateLimitSlides(t *testing.T) {
	p := policy.RateLimit(2, time.Second)
	var c clock
	for _, step := range []struct {
		at   int
		want capability.JSON
	}{
		{0, ""}, {400, ""}, {500, "500"}, {999, "1"}, // refused calls do not count
		{1000, ""}, {1001, "399"}, {1400, ""}, {1999, "1"}, {2000, ""}, {5000, ""}, {5000, ""}, {5000, "1000"},
	} {
		if got := c.at(step.at).call(t, p, "a", "view:x.y"); got != step.want {
			t.Errorf("at %d ms: retry after %q, want %q", step.at, got, step.want)
		}
	}
}

func TestRateLimitIsPerConsumerAndCapability(t *testing.T) {
	p := policy.RateLimit(1, time.Second)
	var c clock
	for _, who := range []string{"a", "b"} {
		for _, what := range []string{"view:x.y", "view:x.z"} {
			if got := c.call(t, p, who, what); got != "" {
				t.Errorf("%s %s was refused", who, what)
			}
			if got := c.call(t, p, who, what); got != "1000" {
				t.Errorf("%s %s: got %q", who, what, got)
			}
		}
	}
}

func TestRateLimitRoundsTheWaitUp(t *testing.T) {
	p := policy.RateLimit(1, time.Second)
	c := clock{now: time.Unix(0, 0)}
	c.call(t, p, "a", "view:x.y")
	c.now = c.now.Add(999*time.Millisecond + 500*time.Microsecond)
	if got := c.call(t, p, "a", "view:x.y"); got != "1" {
		t.Errorf("got %q", got)
	}
	c.now = c.now.Add(time.Millisecond)
	if got := c.call(t, p, "a", "view:x.y"); got != "" {
		t.Errorf("the call was refused after the wait that it was told: %q", got)
	}
}

func TestRateLimitSurvivesAClockThatIsSetBack(t *testing.T) {
	p := policy.RateLimit(1, time.Second)
	var c clock
	c.at(1_000_000).call(t, p, "a", "view:x.y")
	if got := c.at(0).call(t, p, "a", "view:x.y"); got != "" {
		t.Errorf("a call from the future was held against the consumer: %q", got)
	}
}

func TestRateLimitBelowOneAdmitsNothing(t *testing.T) {
	var c clock
	for _, limit := range []int{0, -1} {
		if got := c.call(t, policy.RateLimit(limit, time.Second), "a", "view:x.y"); got != "1000" {
			t.Errorf("limit %d: got %q", limit, got)
		}
	}
}

func TestRateLimitMemoryIsBounded(t *testing.T) {
	p := policy.RateLimit(1, time.Second)
	var c clock
	for i := range policy.MaxRateWindows {
		if got := c.call(t, p, fmt.Sprint("c", i), "view:x.y"); got != "" {
			t.Fatalf("consumer %d was refused", i)
		}
	}
	if got := c.call(t, p, "one more", "view:x.y"); got != "" {
		t.Errorf("the first of those who share was refused")
	}
	if got := c.call(t, p, "yet another", "view:x.y"); got == "" {
		t.Error("those without a window of their own must share one")
	}
	if got := c.call(t, p, "c7", "view:x.y"); got == "" {
		t.Error("a flood of others made the limit forget a consumer")
	}
	if got := c.at(1000).call(t, p, "yet another", "view:x.y"); got != "" {
		t.Errorf("room that has come free was not used: %q", got)
	}
	if got := c.at(1000).call(t, p, "c7", "view:x.y"); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestFullRateLimitKeepsCountingOthersRight(t *testing.T) {
	p := policy.RateLimit(2, time.Second)
	var c clock
	c.at(0).call(t, p, "early", "view:x.y")
	c.at(600).call(t, p, "early", "view:x.y")
	for i := range policy.MaxRateWindows {
		c.call(t, p, fmt.Sprint("c", i), "view:x.y")
	}
	c.at(1000).call(t, p, "new", "view:x.y") // makes the limit look at the windows of all
	if got := c.call(t, p, "early", "view:x.y"); got != "" {
		t.Errorf("one of two calls is in the window, and the next was refused: %q", got)
	}
	if got := c.call(t, p, "early", "view:x.y"); got != "600" {
		t.Errorf("got %q", got)
	}
}

func TestRateLimitFromManyGoroutines(t *testing.T) {
	const limit, callers = 50, 200
	p := policy.RateLimit(limit, time.Hour)
	var admitted sync.Map
	var wait sync.WaitGroup
	for i := range callers {
		wait.Go(func() {
			if policy.Authorize([]policy.Policy{p}, newContext(nil)) == nil {
				admitted.Store(i, true)
			}
		})
	}
	wait.Wait()
	count := 0
	admitted.Range(func(any, any) bool { count++; return true })
	if count != limit {
		t.Errorf("admitted %d calls, want %d", count, limit)
	}
}

func TestRequireConfirmation(t *testing.T) {
	p := policy.RequireConfirmation(policy.Raise{})
	if p.Raise == nil || !p.Raise.Asks(&policy.InvokeContext{}) {
		t.Error("the plain policy must ask for every call")
	}
	p = policy.RequireConfirmation(policy.Raise{
		If:      func(ctx *policy.InvokeContext) bool { return len(ctx.EffectiveInput) > 10 },
		Summary: func(*policy.InvokeContext) string { return "Many devices" },
	})
	if p.Raise.Asks(&policy.InvokeContext{EffectiveInput: "[1]"}) {
		t.Error("a small call was raised")
	}
	if !p.Raise.Asks(&policy.InvokeContext{EffectiveInput: "[1,2,3,4,5,6]"}) {
		t.Error("a large call was not raised")
	}
	if got := p.Raise.Summary(nil); got != "Many devices" {
		t.Errorf("got %q", got)
	}
}

func TestAudit(t *testing.T) {
	sink := audit.NewMemory(1)
	if p := policy.Audit(sink, capability.AuditFull); p.Tap.Sink != sink || p.Tap.Level != capability.AuditFull {
		t.Errorf("got %+v", p.Tap)
	}
	if p := policy.Audit(nil, ""); p.Tap.Sink != nil || p.Tap.Level != capability.AuditMetadata {
		t.Errorf("got %+v", p.Tap)
	}
}
