package audit_test

import (
	"context"
	"testing"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/registry"
)

// settlement makes one call of an action on a registry with the given level and hook, and gives the record
// of its settlement; ok is false when there is none.
func settlement(t *testing.T, level capability.AuditLevel, redact audit.Redact) (record audit.Event, ok bool) {
	t.Helper()
	trail := audit.NewMemory(0)
	r, err := registry.New(registry.Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test, Audit: trail, Redact: redact,
	})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Dispose()
	_, err = r.Register(&registry.Component{Type: "login.form", Description: "The form", Actions: []registry.Action{{
		Name: "fill", Description: "Fills the form", Effect: capability.LocalState, Audit: level,
		Input: registry.Schema{Document: `{"type":"object"}`},
		Execute: func(_ context.Context, input capability.JSON, _ *registry.Call) (capability.JSON, error) {
			return `{"filled":true}`, nil
		},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	request := registry.Request{CapabilityID: "view:login.form.fill", Input: `{"password":"secret"}`}
	if result := r.Invoke(context.Background(), request, registry.InvokeOptions{}); !result.OK() {
		t.Fatal(result.JSON())
	}
	for _, e := range trail.Events() {
		if e.Type == audit.InvocationSettled {
			return e, true
		}
	}
	return audit.Event{}, false
}

func TestLevels(t *testing.T) {
	if e, ok := settlement(t, capability.AuditNone, nil); ok {
		t.Errorf("level none recorded %s", e.JSON())
	}
	if e, _ := settlement(t, capability.AuditMetadata, nil); e.Status != "ok" || e.Input != "" || e.Output != "" {
		t.Errorf("level metadata recorded %s", e.JSON())
	}
	if e, _ := settlement(t, capability.AuditFull, nil); e.Input != `{"password":"secret"}` || e.Output != `{"filled":true}` {
		t.Errorf("level full recorded %s", e.JSON())
	}
}

func TestRedaction(t *testing.T) {
	t.Run("changes the payload", func(t *testing.T) {
		asked := ""
		e, _ := settlement(t, capability.AuditFull, func(id string, input, output capability.JSON) (capability.JSON, capability.JSON) {
			asked = id + " " + string(input) + " " + string(output)
			return `{"password":"***"}`, output
		})
		if want := `view:login.form.fill {"password":"secret"} {"filled":true}`; asked != want {
			t.Errorf("asked about %s", asked)
		}
		if e.Input != `{"password":"***"}` || e.Output != `{"filled":true}` {
			t.Errorf("recorded %s", e.JSON())
		}
	})
	t.Run("that panics leaves the payload out", func(t *testing.T) {
		e, ok := settlement(t, capability.AuditFull, func(string, capability.JSON, capability.JSON) (capability.JSON, capability.JSON) {
			panic("broken")
		})
		if !ok || e.Input != "" || e.Output != "" {
			t.Errorf("recorded %v %s", ok, e.JSON())
		}
	})
	t.Run("is not asked without a payload", func(t *testing.T) {
		e, ok := settlement(t, capability.AuditMetadata, func(string, capability.JSON, capability.JSON) (capability.JSON, capability.JSON) {
			return `"invented"`, `"invented"`
		})
		if !ok || e.Input != "" || e.Output != "" {
			t.Errorf("recorded %v %s", ok, e.JSON())
		}
	})
}
