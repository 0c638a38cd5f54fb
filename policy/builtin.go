package policy

import (
	"reflect"
	"slices"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
)

// Authenticated hides capabilities from everybody, and refuses calls with NOT_AUTHENTICATED, while the host
// context has nothing under key: no value, nil, false, 0 or "". An empty key means "user".
func Authenticated(key string) Policy {
	if key == "" {
		key = "user"
	}
	return boundary("authenticated", func(ctx *Context) bool {
		value, ok := ctx.Host.Lookup(key)
		return ok && present(value)
	}, capability.NotAuthenticated)
}

// HasPermission hides capabilities from those whom check does not admit and refuses their calls with
// NOT_AUTHORIZED. A nil check admits the consumers whose grants hold name. A check that panics admits
// nobody. The policy's name is has-permission(NAME).
func HasPermission(name string, check func(*Context) bool) Policy {
	if check == nil {
		check = func(ctx *Context) bool { return slices.Contains(ctx.Consumer.Grants, name) }
	}
	return boundary("has-permission("+name+")", check, notAuthorized)
}

// Tenancy says whose data a capability works on.
type Tenancy struct {
	// Current is the tenant of the person who is signed in.
	Current func(*Context) string
	// Expected is the tenant that the capability belongs to; "" belongs to everybody.
	Expected func(*Context) string
}

// TenantBoundary hides capabilities of another tenant and refuses calls of them with NOT_AUTHORIZED.
func TenantBoundary(t Tenancy) Policy {
	return boundary("tenant-boundary", func(ctx *Context) bool {
		expected := t.Expected(ctx)
		return expected == "" || expected == t.Current(ctx)
	}, notAuthorized)
}

// Environment hides capabilities in every environment that is not listed: there they do not exist, and a
// call is CAPABILITY_NOT_FOUND.
func Environment(only ...capability.Environment) Policy {
	only = slices.Clone(only)
	return boundary("environment", func(ctx *Context) bool {
		return slices.Contains(only, ctx.Environment)
	}, capability.NotFound)
}

// RequireConfirmation raises the confirmation of calls to required, of all calls when raise is zero. An If
// that panics counts as true, so that a fault never lets a call pass without a person.
func RequireConfirmation(raise Raise) Policy {
	return Policy{Name: "require-confirmation", Raise: &raise}
}

// Audit records the start and the settlement of calls in sink, apart from the registry's own trail: with
// their payload at level full, without it otherwise. A nil sink means the registry's, an empty level
// metadata.
func Audit(sink audit.Sink, level capability.AuditLevel) Policy {
	if level == "" {
		level = capability.AuditMetadata
	}
	return Policy{Name: "audit", Tap: &Tap{Sink: sink, Level: level}}
}

// boundary is a policy with one question, which it asks at discovery and again at the call: who is not
// admitted does not see the capability.
func boundary(name string, admits func(*Context) bool, refusal func() *capability.Error) Policy {
	return Policy{
		Name: name,
		OnDiscovery: func(ctx *Context) (Vote, error) {
			if admits(ctx) {
				return Vote{Decision: Expose}, nil
			}
			return Vote{Decision: Hide}, nil
		},
		OnAuthorize: func(ctx *Context, next func() error) error {
			if !admits(ctx) {
				return refusal()
			}
			return next()
		},
	}
}

func notAuthorized() *capability.Error { return capability.NotAuthorized("client") }

// present reports whether a value of the host context says that something is there, as JavaScript would
// judge it.
func present(value any) bool {
	if text, ok := value.(capability.JSON); ok {
		switch text {
		case "", "null", "false", "0", `""`:
			return false
		}
		return true
	}
	v := reflect.ValueOf(value)
	switch v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Func, reflect.Chan:
		return !v.IsNil()
	case reflect.Struct, reflect.Array:
		return true
	}
	return !v.IsZero()
}
