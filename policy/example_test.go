package policy_test

import (
	"fmt"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// show prints what the policy decides at discovery and at a call.
func show(p policy.Policy, ctx *policy.Context) {
	ctx.Now = func() time.Time { return time.UnixMilli(0) }
	policies := []policy.Policy{p}
	fmt.Println(policy.Discover(policies, ctx).Decision)
	if err := policy.Authorize(policies, ctx); err != nil {
		fmt.Println(err.(*capability.Error).Code)
	}
}

func ExampleAuthenticated() {
	p := policy.Authenticated("user")
	show(p, &policy.Context{Host: policy.HostMap{"user": "ada"}})
	show(p, &policy.Context{Host: policy.HostMap{}})
	// Output:
	// expose
	// hide
	// NOT_AUTHENTICATED
}

func ExampleHasPermission() {
	p := policy.HasPermission("devices.write", nil) // by the consumer's grants
	fmt.Println(p.Name)
	show(p, &policy.Context{Consumer: capability.Consumer{Grants: []string{"devices.write"}}})
	show(p, &policy.Context{})
	// Output:
	// has-permission(devices.write)
	// expose
	// hide
	// NOT_AUTHORIZED
}

func ExampleTenantBoundary() {
	p := policy.TenantBoundary(policy.Tenancy{
		Current: func(ctx *policy.Context) string {
			tenant, _ := ctx.Host.Lookup("tenant")
			return fmt.Sprint(tenant)
		},
		Expected: func(ctx *policy.Context) string { return ctx.Internal.(string) },
	})
	host := policy.HostMap{"tenant": "north"}
	show(p, &policy.Context{Host: host, Internal: "north"})
	show(p, &policy.Context{Host: host, Internal: "south"})
	// Output:
	// expose
	// hide
	// NOT_AUTHORIZED
}

func ExampleEnvironment() {
	p := policy.Environment(capability.Development)
	show(p, &policy.Context{Environment: capability.Development})
	show(p, &policy.Context{Environment: capability.Production})
	// Output:
	// expose
	// hide
	// CAPABILITY_NOT_FOUND
}

func ExampleRateLimit() {
	p := policy.RateLimit(1, time.Minute)
	show(p, &policy.Context{})
	show(p, &policy.Context{})
	// Output:
	// expose
	// expose
	// RATE_LIMITED
}

func ExampleRequireConfirmation() {
	p := policy.RequireConfirmation(policy.Raise{
		If:      func(ctx *policy.InvokeContext) bool { return len(ctx.EffectiveInput.Elements()) > 2 },
		Summary: func(ctx *policy.InvokeContext) string { return "Change several devices at once" },
	})
	for _, input := range []capability.JSON{`["a"]`, `["a","b","c"]`} {
		ctx := &policy.InvokeContext{EffectiveInput: input}
		fmt.Println(input, p.Raise.Asks(ctx))
	}
	// Output:
	// ["a"] false
	// ["a","b","c"] true
}

func ExampleAudit() {
	trail := audit.NewMemory(100)
	p := policy.Audit(trail, capability.AuditFull) // for a component whose calls are kept apart
	fmt.Println(p.Name, p.Tap.Level)
	// Output: audit full
}

// A policy of one's own: it disables a capability outside working hours and says why.
func Example() {
	hours := policy.Policy{
		Name: "working-hours",
		OnDiscovery: func(ctx *policy.Context) (policy.Vote, error) {
			if hour := ctx.Now().UTC().Hour(); hour < 8 || hour >= 18 {
				return policy.Vote{Decision: policy.Disable, Reason: "Open from 8 to 18 UTC"}, nil
			}
			return policy.Vote{}, nil
		},
	}
	for _, hour := range []int{7, 12} {
		now := time.Date(2026, 1, 2, hour, 0, 0, 0, time.UTC)
		vote := policy.Discover([]policy.Policy{hours}, &policy.Context{Now: func() time.Time { return now }})
		fmt.Println(vote.Decision, vote.Reason)
	}
	// Output:
	// disable Open from 8 to 18 UTC
	// expose
}
