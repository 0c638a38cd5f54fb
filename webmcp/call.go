package webmcp

import (
	"context"
	"errors"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/consent"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
)

// call is one call of a tool by the browser.
type call struct {
	adapter *Adapter
	run     *run
	slot    *slot // nil when the tool is one that the browser has kept after its removal
	request registry.Request
	options CallOptions
	done    func(capability.JSON)
	scope   *host.Scope

	over bool // under the adapter's lock
}

// errWithdrawn is the cause with which a call is cancelled.
var errWithdrawn = errors.New("the browser's agent has cancelled the call")

// Call is the browser calling the tool of token. input is what it passed: an object, the JSON text of one
// as a string, null or nothing. done gets the result as the tool must return it, once, perhaps before Call
// returns: { content, structuredContent?, isError? }. done must not wait.
//
// cancel withdraws the call (its signal was aborted): unless it has ended, done gets CANCELLED at once, the
// handler's own signal aborts and a pending confirmation is withdrawn.
func (a *Adapter) Call(token Token, input capability.JSON, options CallOptions, done func(result capability.JSON)) (cancel func()) {
	c := a.admit(token)
	if c == nil {
		done(encode(registry.Result{Error: capability.NotFound()}))
		return func() {}
	}
	c.options, c.done = options, done
	c.scope = host.NewScope(context.Background())
	object, refusal := objectInput(input, options.InputIssue, c.run.registry.Limits())
	if refusal != nil {
		c.fail(refusal)
		return func() {}
	}
	if options.Aborted {
		c.scope.Cancel(errWithdrawn)
	}
	c.request.Input = object
	c.run.calls.Start(c.scope, consent.Call{Request: c.request, Asked: c.prompt}, c.finish)
	return func() { c.scope.Cancel(errWithdrawn) }
}

// admit makes a call of a tool of the present run, nil when token is of no such tool. From here on the tool
// is kept where it is.
func (a *Adapter) admit(token Token) *call {
	t, ok := token.parse()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !ok || a.run == nil || a.run.key != t.run {
		return nil
	}
	c := &call{adapter: a, run: a.run, slot: a.byToken[token]}
	c.request = registry.Request{
		CapabilityID: t.capabilityID, RegistrationID: t.registrationID, SurfaceVersion: a.run.version,
	}
	if c.slot != nil {
		c.slot.calls++
	}
	return c
}

func (c *call) fail(err *capability.Error) { c.finish(registry.Result{Error: err}) }

// finish gives the call its result. The tool may go one task later, and not before; the catalog is read
// again because the call may have changed what nobody announced.
func (c *call) finish(r registry.Result) {
	a := c.adapter
	a.mu.Lock()
	first := !c.over
	c.over = true
	a.mu.Unlock()
	if !first {
		return
	}
	c.scope.Release()
	defer func() {
		a.Refresh()
		a.host.Task(c.release)
	}()
	c.done(encode(r))
}

func (c *call) release() {
	if c.slot == nil {
		return
	}
	a := c.adapter
	a.mu.Lock()
	c.slot.calls--
	waited := c.slot.late && c.slot.calls == 0
	a.mu.Unlock()
	if waited {
		a.reconcile()
	}
}
