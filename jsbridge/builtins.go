package jsbridge

import (
	"fmt"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// builtInKind is a built-in policy as the page makes one.
type builtInKind struct {
	// name is that of the function that makes it.
	name string
	// arguments are the names of what it is called with; none means one object of options, or nothing.
	arguments []string
	build     func(*surface, *fields, int32) (policy.Policy, error)
}

func builtInKinds() []builtInKind {
	return []builtInKind{
		{"authenticated", nil, authenticated},
		{"hasPermission", []string{"name", "check"}, hasPermission},
		{"tenantBoundary", nil, tenantBoundary},
		{"environment", []string{"environments"}, environment},
		{"rateLimit", nil, rateLimit},
		{"requireConfirmation", nil, requireConfirmation},
		{"audit", []string{"sink", "level"}, auditPolicy},
	}
}

// builtIn makes the policy that text describes: { kind, serial, … } with the members of its kind, functions and
// sinks as true. number is the script's, for what has to be asked.
func (s *surface) builtIn(f *fields, number int32) (policy.Policy, error) {
	kind := f.text("kind")
	for _, known := range builtInKinds() {
		if known.name != kind {
			continue
		}
		f.where = kind
		f.raw("serial")
		p, err := known.build(s, f, number)
		if name := f.unknown(); err == nil && f.err == nil && name != "" {
			err = typeError(kind + ": " + name + " is not an option")
		}
		if err == nil {
			err = f.err
		}
		return p, err
	}
	return policy.Policy{}, typeError(fmt.Sprintf("%q is not a built-in policy", kind))
}

// checkPolicy gives the name of the policy that text describes.
func (b *Bridge) checkPolicy(text string) (string, error) {
	f, err := decodeObject("policy", text)
	if err != nil {
		return "", err
	}
	p, err := (&surface{bridge: b}).builtIn(f, 0)
	return p.Name, err
}

func authenticated(_ *surface, f *fields, _ int32) (policy.Policy, error) {
	return policy.Authenticated(f.text("key")), nil
}

func hasPermission(s *surface, f *fields, number int32) (policy.Policy, error) {
	name := f.text("name")
	if name == "" && f.err == nil {
		return policy.Policy{}, typeError("hasPermission: the name of the permission is required")
	}
	var check func(*policy.Context) bool
	if f.boolean("check", false) {
		check = func(ctx *policy.Context) bool { return s.mustAsk("check", number, ctx, nil) == "true" }
	}
	return policy.HasPermission(name, check), nil
}

func tenantBoundary(s *surface, f *fields, number int32) (policy.Policy, error) {
	if !f.boolean("current", false) || !f.boolean("expected", false) {
		return policy.Policy{}, typeError("tenantBoundary: current and expected must be functions")
	}
	tenant := func(function string) func(*policy.Context) string {
		return func(ctx *policy.Context) string { return tenantText(s.mustAsk(function, number, ctx, nil)) }
	}
	return policy.TenantBoundary(policy.Tenancy{Current: tenant("current"), Expected: tenant("expected")}), nil
}

// tenantText is a tenant as a page names it: a string, or a number as it is written.
func tenantText(value capability.JSON) string {
	if text, ok := value.Text(); ok {
		return text
	}
	if value == "null" {
		return ""
	}
	return string(value)
}

func environment(_ *surface, f *fields, _ int32) (policy.Policy, error) {
	names := f.texts("environments")
	if len(names) == 0 && f.err == nil {
		return policy.Policy{}, typeError("environment: want an array of development, production or test")
	}
	only := make([]capability.Environment, len(names))
	for i, name := range names {
		switch only[i] = capability.Environment(name); only[i] {
		case capability.Development, capability.Production, capability.Test:
		default:
			return policy.Policy{}, typeError(fmt.Sprintf("environment: %q is not development, production or test", name))
		}
	}
	return policy.Environment(only...), nil
}

// maxRates bounds the rate limits of a page whose counts are kept.
const maxRates = 1024

// rates are the rate limits of the page by the serial number of their policy object: one object is one limit,
// wherever and however often it is registered.
type rates struct {
	policies map[int]policy.Policy
	order    []int // oldest first
}

func (r *rates) get(serial int, build func() policy.Policy) policy.Policy {
	if p, ok := r.policies[serial]; ok {
		return p
	}
	if r.policies == nil {
		r.policies = map[int]policy.Policy{}
	}
	if len(r.order) == maxRates {
		delete(r.policies, r.order[0])
		r.order = r.order[1:]
	}
	r.policies[serial], r.order = build(), append(r.order, serial)
	return r.policies[serial]
}

func rateLimit(s *surface, f *fields, number int32) (policy.Policy, error) {
	limit, window := f.integer("limit", 0), f.milliseconds("windowMs", 0)
	if (limit < 1 || window < time.Millisecond) && f.err == nil {
		return policy.Policy{}, typeError("rateLimit: want { limit, windowMs }, both at least 1")
	}
	build := func() policy.Policy { return policy.RateLimit(limit, window) }
	if number == 0 {
		return build(), nil // only looked at
	}
	return s.bridge.rates.get(f.integer("serial", 0), build), nil
}

func requireConfirmation(s *surface, f *fields, number int32) (policy.Policy, error) {
	var raise policy.Raise
	if f.boolean("if", false) {
		raise.If = func(ctx *policy.InvokeContext) bool { return truthy(s.mustAsk("if", number, &ctx.Context, ctx)) }
	}
	if f.boolean("summary", false) {
		raise.Summary = func(ctx *policy.InvokeContext) string {
			text, _ := s.mustAsk("summary", number, &ctx.Context, ctx).Text()
			return text
		}
	}
	return policy.RequireConfirmation(raise), nil
}

// truthy is what JavaScript thinks of a value.
func truthy(value capability.JSON) bool {
	switch value {
	case "", "null", "false", "0", `""`:
		return false
	}
	return true
}

func auditPolicy(s *surface, f *fields, number int32) (policy.Policy, error) {
	level := capability.AuditLevel(f.text("level"))
	if level != "" && !level.Valid() && f.err == nil {
		return policy.Policy{}, typeError("audit: the level must be none, metadata or full")
	}
	var sink audit.Sink
	if f.boolean("sink", false) {
		sink = audit.SinkFunc(func(e audit.Event) { s.bridge.page.Tell(TellAudit, s.id, number, string(e.JSON())) })
	}
	return policy.Audit(sink, level), nil
}

// mustAsk calls a function that a built-in policy was made with. A failure of the page's code is a panic, as it
// would be one of the function itself; who composes policies contains it.
func (s *surface) mustAsk(function string, number int32, ctx *policy.Context, invoke *policy.InvokeContext) capability.JSON {
	text := capability.ArrayJSON([]capability.JSON{capability.Quote(function), capability.JSON(contextText(ctx, invoke))})
	answer, err := s.ask(AskPolicy, number, string(text))
	if err != nil {
		panic(fmt.Errorf("asking %s of a policy: %w", function, err))
	}
	return answer
}
