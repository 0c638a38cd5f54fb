package registry

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

const tenantInput = `{"type":"object","properties":{"tenant":{"type":"string","minLength":2},"page":{"type":"integer"},"q":{"type":"string"}},"required":["tenant","page","q"],"additionalProperties":false}`

// bound is a procedure whose tenant is locked and whose page may be overridden.
func bound(bind func() (capability.JSON, error)) ProcedureBinding {
	p := procedure("items.find", capability.ServerQuery)
	p.Ref.Input.Document = tenantInput
	p.BoundKeys, p.OverridableKeys, p.Bind = []string{"tenant", "page"}, []string{"page"}, bind
	return p
}

// carrying is an executor that remembers what it was given.
type carrying struct {
	path   string
	input  capability.JSON
	output capability.JSON
	err    error
}

func (c *carrying) Execute(_ context.Context, path string, input capability.JSON, _ *Call) (capability.JSON, error) {
	c.path, c.input = path, input
	return c.output, c.err
}

func TestBoundValuesAreMerged(t *testing.T) {
	for _, test := range []struct{ name, agent, bind, effective string }{
		{"bound added", `{"q":"x"}`, `{"tenant":"t1","page":3}`, `{"q":"x","tenant":"t1","page":3}`},
		{"overridden", `{"page":9,"q":"x"}`, `{"tenant":"t1","page":3}`, `{"page":9,"q":"x","tenant":"t1"}`},
		{"what is not bound is not added", `{"q":"x"}`, `{"tenant":"t1","page":3,"q":"y","other":1}`, `{"q":"x","tenant":"t1","page":3}`},
	} {
		t.Run(test.name, func(t *testing.T) {
			onBothHosts(t, func(t *testing.T, on driver) {
				w, x := newWorld(t, on), &carrying{output: `1`}
				w.SetExecutor(x)
				w.mount(widget(bound(func() (capability.JSON, error) { return capability.JSON(test.bind), nil })))
				w.invoke("domain:items.find", capability.JSON(test.agent)).wantOutput(t, `1`)
				want(t, "input of the executor", x.input, capability.JSON(test.effective))
				want(t, "path", x.path, "items.find")
			})
		})
	}
}

func TestLockedFieldsAreRefused(t *testing.T) {
	w := newWorld(t, onLoop(t))
	asked := false
	w.mount(widget(bound(func() (capability.JSON, error) { asked = true; return `{"tenant":"t1","page":3}`, nil })))
	e := wantError(t, w.invoke("domain:items.find", `{"q":1,"tenant":"evil"}`), capability.CodeInvalidInput, `lockedFields=["tenant"]`)
	want(t, "issues", detail(e, "issues"), `[{"path":"tenant","message":"is supplied by the page and must be left out"}]`)
	want(t, "bind ran", asked, false)
}

func TestAgentsPartIsCheckedBeforeBind(t *testing.T) {
	for name, agent := range map[string]capability.JSON{
		"missing": `{}`, "wrong type": `{"q":1}`, "unexpected": `{"q":"x","r":1}`, "override of a wrong type": `{"q":"x","page":"1"}`,
		"no object": `[]`, "null": `null`, "text": `"x"`, "a key twice": `{"q":"x","q":"y"}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t, onLoop(t))
			asked := false
			w.mount(widget(bound(func() (capability.JSON, error) { asked = true; return `{}`, nil })))
			wantRetry(t, wantError(t, w.invoke("domain:items.find", agent), capability.CodeInvalidInput), capability.RetryWithChanges)
			want(t, "bind ran", asked, false)
		})
	}
}

func TestBindingFails(t *testing.T) {
	for name, bind := range map[string]func() (capability.JSON, error){
		"error":               func() (capability.JSON, error) { return "", errors.New("secret") },
		"panic":               func() (capability.JSON, error) { panic("secret") },
		"no object":           func() (capability.JSON, error) { return `[]`, nil },
		"no JSON":             func() (capability.JSON, error) { return `{"tenant":`, nil },
		"absent":              func() (capability.JSON, error) { return "", nil },
		"a bound one missing": func() (capability.JSON, error) { return `{"page":1}`, nil },
		"breaks the schema":   func() (capability.JSON, error) { return `{"tenant":"t","page":1}`, nil },
		"of a wrong type":     func() (capability.JSON, error) { return `{"tenant":"t1","page":"1"}`, nil },
		"a key twice":         func() (capability.JSON, error) { return `{"tenant":"t1","tenant":"t2","page":1}`, nil },
		"beyond the size": func() (capability.JSON, error) {
			return `{"tenant":"` + capability.JSON(long(300000)) + `","page":1}`, nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			w, x := newWorld(t, onLoop(t)), &carrying{}
			w.SetExecutor(x)
			w.mount(widget(bound(bind)))
			e := wantError(t, w.invoke("domain:items.find", `{"q":"x"}`), capability.CodePreconditionFailed, "reason=binding-failed")
			wantRetry(t, e, capability.RetryAfterRefresh)
			want(t, "the executor ran", x.path, "")
		})
	}
}

func TestBindIsAskedAtTheCall(t *testing.T) {
	w, x := newWorld(t, onLoop(t)), &carrying{output: `1`}
	w.SetExecutor(x)
	tenant := "t1"
	w.mount(widget(bound(func() (capability.JSON, error) {
		return `{"tenant":` + capability.Quote(tenant) + `,"page":1}`, nil
	})))
	tenant = "t2"
	w.invoke("domain:items.find", `{"q":"x"}`).wantOutput(t, `1`)
	want(t, "input", x.input, `{"q":"x","tenant":"t2","page":1}`)
	want(t, "version", w.Version(), "1")
}

func TestPoliciesSeeTheEffectiveInput(t *testing.T) {
	w, x := newWorld(t, onLoop(t)), &carrying{output: `1`}
	w.SetExecutor(x)
	var seen capability.JSON
	w.mount(widget(bound(func() (capability.JSON, error) { return `{"tenant":"t1","page":3}`, nil }),
		policy.Policy{Name: "p", OnInvoke: func(c *policy.InvokeContext, next func() error) error { seen = c.EffectiveInput; return next() }}))
	w.invoke("domain:items.find", `{"q":"x"}`).wantOutput(t, `1`)
	want(t, "effective input", seen, x.input)
}

func TestReducedSchemaMayBeGiven(t *testing.T) {
	p := bound(noBind)
	p.ReducedInput = `{"required":["q"],"additionalProperties":false,"properties":{"q":{"type":"string"},"page":{"type":"integer"}},"type":"object"}`
	w := newWorld(t, onLoop(t))
	w.mount(widget(p))
	want(t, "shown", w.look().Procedures[0].InputSchema, `{"type":"object","properties":{"page":{"type":"integer"},"q":{"type":"string"}},"required":["q"],"additionalProperties":false}`)
}

type passing struct {
	after time.Duration
	ok    bool
}

func (passing) Error() string                      { return "SELECT secret FROM t" }
func (p passing) Transient() (time.Duration, bool) { return p.after, p.ok }

func TestExecutorErrors(t *testing.T) {
	fromServer := &capability.Error{Code: capability.CodeConfirmationRequired, Retry: capability.RetryWithConfirmation, Message: "Ask again.", Details: `{"origin":"server"}`}
	fromClient := *fromServer
	fromClient.Details = `{"origin":"client"}`
	for _, test := range []struct {
		name    string
		err     error
		code    capability.Code
		details []string
		retry   capability.Retry
	}{
		{"unknown", errors.New("secret"), capability.CodeExecutionFailed, []string{"reason=transport", "transient=", "retryAfterMs="}, capability.RetryNo},
		{"transient", passing{3 * time.Second, true}, capability.CodeExecutionFailed, []string{"reason=transport", "transient=true", "retryAfterMs=3000"}, capability.RetryAfterDelay},
		{"transient at once", passing{0, true}, capability.CodeExecutionFailed, []string{"transient=true", "retryAfterMs=1"}, capability.RetryAfterDelay},
		{"not transient", passing{time.Second, false}, capability.CodeExecutionFailed, []string{"reason=transport", "transient="}, capability.RetryNo},
		{"refused by the server", capability.NotAuthorized("server"), capability.CodeNotAuthorized, []string{"origin=server"}, capability.RetryNo},
		{"confirmation by the server", fromServer, capability.CodeConfirmationRequired, []string{"origin=server"}, capability.RetryWithConfirmation},
		{"confirmation that pretends", &fromClient, capability.CodeExecutionFailed, []string{"reason=transport"}, capability.RetryNo},
		{"a code that none may throw", capability.Stale("x", ""), capability.CodeExecutionFailed, []string{"reason=transport"}, capability.RetryNo},
	} {
		t.Run(test.name, func(t *testing.T) {
			onBothHosts(t, func(t *testing.T, on driver) {
				w := newWorld(t, on)
				w.SetExecutor(&carrying{err: test.err})
				w.mount(widget(procedure("items.find", capability.ServerQuery)))
				e := wantError(t, w.invoke("domain:items.find", ""), test.code, test.details...)
				wantRetry(t, e, test.retry)
				wantNoSecret(t, e)
			})
		})
	}
}

func TestNoExecutor(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.mount(widget(procedure("items.find", capability.ServerQuery)))
	wantError(t, w.invoke("domain:items.find", ""), capability.CodeExecutionFailed, "reason=transport")
	want(t, "told the developer", w.logged("no executor is set"), true)
	w.SetExecutor(answering(`1`))
	w.invoke("domain:items.find", "").wantOutput(t, `1`)
}

func TestExecutorPanicIsATransportFailure(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.SetExecutor(ExecutorFunc(func(context.Context, string, capability.JSON, *Call) (capability.JSON, error) { panic("secret") }))
	w.mount(widget(procedure("items.find", capability.ServerQuery)))
	wantNoSecret(t, wantError(t, w.invoke("domain:items.find", ""), capability.CodeExecutionFailed, "reason=transport"))
}
