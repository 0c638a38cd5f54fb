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
	// positional is set for a function of several arguments, "0", "1" and so on; the others take one object of
	// options, or nothing.
	positional bool
	build      func(*surface, *fields, maker) (policy.Policy, error)
}

// maker is what made a policy in the page: the script's number for what has to be asked, 0 when the policy is only
// looked at, and the serial number of the object.
type maker struct{ number, serial int32 }

func builtInKinds() []builtInKind {
	return []builtInKind{
		{"authenticated", false, authenticated},
		{"hasPermission", true, hasPermission},
		{"tenantBoundary", false, tenantBoundary},
		{"environment", true, environment},
		{"rateLimit", false, rateLimit},
		{"requireConfirmation", false, requireConfirmation},
		{"audit", true, auditPolicy},
	}
}

func builtInNames() []string {
	var names []string
	for _, kind := range builtInKinds() {
		names = append(names, kind.name)
	}
	return names
}

// builtIn makes the policy that text describes: { kind, serial, "0"?, "1"?, … }, its arguments with functions and
// sinks as true.
func (s *surface) builtIn(f *fields, number int32) (policy.Policy, error) {
	name, from := f.text("kind"), maker{number, int32(f.integer("serial", 0))}
	for _, kind := range builtInKinds() {
		if kind.name == name {
			given := f
			if !kind.positional {
				given = optionsOf(f)
			}
			f.where, given.where = name, name
			return kind.make(s, f, given, from)
		}
	}
	return policy.Policy{}, typeError(fmt.Sprintf("%q is not a built-in policy", name))
}

func (k builtInKind) make(s *surface, f, given *fields, from maker) (policy.Policy, error) {
	p, err := k.build(s, given, from)
	for _, read := range []*fields{given, f} {
		name := read.unknown()
		switch {
		case read.err != nil:
			return p, read.err
		case err != nil:
			return p, err
		case name != "":
			return p, typeError(k.name + ": " + name + " is not an option")
		}
	}
	return p, nil
}

// optionsOf is the first argument, which may be missing.
func optionsOf(f *fields) *fields {
	if inner := f.object("0"); inner != nil {
		return inner
	}
	return &fields{}
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

func authenticated(_ *surface, f *fields, _ maker) (policy.Policy, error) {
	return policy.Authenticated(f.text("key")), nil
}

func hasPermission(s *surface, f *fields, from maker) (policy.Policy, error) {
	name := f.text("0")
	if name == "" && f.err == nil {
		return policy.Policy{}, typeError("hasPermission: the name of the permission is required")
	}
	var check func(*policy.Context) bool
	if f.boolean("1", false) {
		check = func(ctx *policy.Context) bool { return s.mustAsk("1", from, ctx, nil) == "true" }
	}
	return policy.HasPermission(name, check), nil
}

func tenantBoundary(s *surface, f *fields, from maker) (policy.Policy, error) {
	if !f.boolean("current", false) || !f.boolean("expected", false) {
		return policy.Policy{}, typeError("tenantBoundary: current and expected must be functions")
	}
	tenant := func(function string) func(*policy.Context) string {
		return func(ctx *policy.Context) string { return tenantText(s.mustAsk(function, from, ctx, nil)) }
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

func environment(_ *surface, f *fields, _ maker) (policy.Policy, error) {
	names := f.texts("0")
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
	policies map[int32]policy.Policy
	order    []int32 // oldest first
}

func (r *rates) get(serial int32, build func() policy.Policy) policy.Policy {
	if p, ok := r.policies[serial]; ok {
		return p
	}
	if r.policies == nil {
		r.policies = map[int32]policy.Policy{}
	}
	if len(r.order) == maxRates {
		delete(r.policies, r.order[0])
		r.order = r.order[1:]
	}
	r.policies[serial], r.order = build(), append(r.order, serial)
	return r.policies[serial]
}

func rateLimit(s *surface, f *fields, from maker) (policy.Policy, error) {
	limit, window := f.integer("limit", 0), f.milliseconds("windowMs", 0)
	if (limit < 1 || window < time.Millisecond) && f.err == nil {
		return policy.Policy{}, typeError("rateLimit: want { limit, windowMs }, both at least 1")
	}
	build := func() policy.Policy { return policy.RateLimit(limit, window) }
	if from.number == 0 {
		return build(), nil // only looked at
	}
	return s.bridge.rates.get(from.serial, build), nil
}

func requireConfirmation(s *surface, f *fields, from maker) (policy.Policy, error) {
	var raise policy.Raise
	if f.boolean("if", false) {
		raise.If = func(ctx *policy.InvokeContext) bool { return truthy(s.mustAsk("if", from, &ctx.Context, ctx)) }
	}
	if f.boolean("summary", false) {
		raise.Summary = func(ctx *policy.InvokeContext) string {
			text, _ := s.mustAsk("summary", from, &ctx.Context, ctx).Text()
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

func auditPolicy(s *surface, f *fields, from maker) (policy.Policy, error) {
	level := capability.AuditLevel(f.text("1"))
	if level != "" && !level.Valid() && f.err == nil {
		return policy.Policy{}, typeError("audit: the level must be none, metadata or full")
	}
	var sink audit.Sink
	if f.boolean("0", false) {
		sink = audit.SinkFunc(func(e audit.Event) { s.bridge.page.Tell(TellAudit, s.id, from.number, string(e.JSON())) })
	}
	return policy.Audit(sink, level), nil
}

// mustAsk calls a function that a built-in policy was made with. A failure of the page's code is a panic, as it
// would be one of the function itself; who composes policies contains it.
func (s *surface) mustAsk(function string, from maker, ctx *policy.Context, invoke *policy.InvokeContext) capability.JSON {
	answer, err := s.ask(AskPolicy, from.number, function+"\n"+s.contextText(ctx, invoke))
	if err != nil {
		panic(fmt.Errorf("asking %s of a policy: %w", function, err))
	}
	return answer
}
