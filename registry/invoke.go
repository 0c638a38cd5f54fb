package registry

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
)

// phase is one step of the pipeline. It gives the error that ends the call, or nil to go on.
type phase struct {
	name string
	run  func(*call) *capability.Error
}

// pipeline are the phases of every call after its identity is settled (identity.go), in their order. The
// first that gives an error decides the result; the tenth, settlement, is where every call ends
// (settle.go).
func pipeline() []phase {
	return []phase{
		{"resolution", (*call).resolution},
		{"availability", (*call).availability},
		{"authorization", (*call).authorization},
		{"effective input", (*call).effectiveInput},
		{"invoke policies", (*call).invokePolicies},
		{"confirmation", (*call).confirmation},
		{"precondition", (*call).preconditionHolds},
		{"admission", (*call).admission},
		{"execution", (*call).execution},
	}
}

// run takes the call through the pipeline. It is the body of the call's flow.
func (c *call) run() {
	waiter := c.registry.host.Waiter()
	c.unlessOver(func() { c.waiter = waiter })
	defer c.leaveNothing()
	defer c.contain()
	for i, p := range c.registry.phases {
		if i == 0 {
			c.reach(p.name, c.asked)
		} else {
			c.reach(p.name, nil)
		}
		if err := p.run(c); err != nil {
			c.refuse(err)
			return
		}
		if c.over() {
			return
		}
	}
	c.settle(outcome{output: c.output})
}

// leaveNothing lets go of what only the flow needed: the call itself may be kept for a replay.
func (c *call) leaveNothing() {
	c.signal.Release()
	c.given, c.output, c.prepared, c.invokeContext = "", "", "", nil
	c.registry.mu.Lock()
	defer c.registry.mu.Unlock()
	c.input = ""
}

// refuse ends the call with err. The confirmation that a call asked for while it was cut short is withdrawn,
// unless somebody else waits for it: no one is left to use it.
func (c *call) refuse(err *capability.Error) {
	if c.settle(outcome{err: err}) || err.Code != capability.CodeConfirmationRequired || err.Detail("origin") != "client" {
		return
	}
	withdraw := c.registry.records.Await(err.Detail("confirmationId"), func(confirm.Outcome) {})
	withdraw()
}

// contain turns a panic of the runtime's own code into a result, and gives one to a call whose goroutine an
// application's hook has ended. A panic that interrupted a change of state is not contained: the change would
// be half made.
func (c *call) contain() {
	cause := recover()
	if cause == nil && c.over() {
		return
	}
	c.registry.internalError(c.request.CapabilityID, cause)
	c.settle(outcome{err: capability.ExecutionFailed(capability.ReasonInternal)})
}

// internalError takes note of what ended a flow, and passes on what interrupted a change of state.
func (r *Registry) internalError(capabilityID string, cause any) {
	if cause != nil && r.Torn() {
		panic(cause)
	}
	r.options.Log(fmt.Sprintf("internal error in %s: %v", capabilityID, cause))
}

// Torn reports whether a panic interrupted a change of state. Such a registry panics when it is used: what it
// holds may be half of something.
func (r *Registry) Torn() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state.torn
}

// resolution finds the one live capability that the request means (phase 2).
func (c *call) resolution() *capability.Error {
	hostContext := c.registry.hostContext()
	e := c.registry.named(c.request, c.consumer, hostContext)
	if e == nil {
		var err *capability.Error
		var room [4]*entry
		found := c.registry.visible(c.registry.candidates(c.request, room[:0]), c.consumer, hostContext)
		if e, err = c.pick(found, hostContext); err != nil {
			return err
		}
	}
	c.unlessOver(func() {
		c.entry, c.auditLevel = e, e.audit
		e.reg.calls.add(c)
	})
	if e.effect.Consequential() && c.request.SurfaceVersion != "" && c.request.SurfaceVersion != c.registry.Version() {
		return capability.Stale("surface-version-mismatch", "")
	}
	return nil
}

// availability asks again what discovery was told (phase 3).
func (c *call) availability() *capability.Error {
	switch ok, reason := c.registry.available(c.entry); {
	case ok:
		return nil
	case reason == reasonUnregistered && !c.registry.active(c.entry.reg): // an author may write that reason too
		return capability.Unmounted("resolve", "")
	default:
		return capability.NotAvailable(reason)
	}
}

// authorization runs the policies that see no input (phase 4).
func (c *call) authorization() *capability.Error {
	if len(c.entry.policies) == 0 {
		return nil
	}
	ctx := c.entry.policyContext(c.registry, c.consumer, c.registry.hostContext())
	ctx.OnSettle = c.whenSettled
	return c.registry.authorize(c.entry, ctx)
}

func (r *Registry) authorize(e *entry, ctx *policy.Context) *capability.Error {
	switch vote := policy.Discover(e.policies, ctx); vote.Decision {
	case policy.Hide:
		return capability.NotFound()
	case policy.Disable:
		return capability.NotAvailable(r.disabledReason(vote))
	}
	err := policy.Authorize(e.policies, ctx)
	if errors.Is(err, policy.ErrNoDecision) {
		return capability.NotAuthorized("client")
	}
	return r.refusal(e, err)
}

// refusal is what a policy's error means to the agent.
func (r *Registry) refusal(e *entry, err error) *capability.Error {
	if err == nil {
		return nil
	}
	switch thrown := thrownBy(err); {
	case errors.Is(err, policy.ErrNoDecision), errors.Is(err, policy.ErrNextTwice):
		return capability.ExecutionFailed(capability.ReasonPolicy)
	case thrown != nil && thrown.Code == capability.CodeNotFound:
		return capability.NotFound() // as if it did not exist: nothing that the policy says may tell
	case thrown.Thrown() && thrown.Code != capability.CodeConfirmationRequired:
		return thrown
	}
	r.options.Log(fmt.Sprintf("a policy of %s failed: %v", e.idText, err))
	return capability.ExecutionFailed(capability.ReasonHandlerError)
}

// thrownBy is the payload in what an application's code threw, nil when there is none. It is a copy: the
// application may use its own again.
func thrownBy(err error) *capability.Error {
	var thrown *capability.Error
	if !errors.As(err, &thrown) || thrown == nil {
		return nil
	}
	own := *thrown
	return &own
}

// effectiveInput makes the value that policies judge, a person confirms and the handler gets (phase 5).
func (c *call) effectiveInput() *capability.Error {
	limits := c.registry.inputLimits()
	e := c.entry
	if e.kind == capability.Observation {
		c.setInput(capability.EmptyObject)
		return nil
	}
	if c.request.InputIssue != (capability.Issue{}) {
		return capability.InvalidInput([]capability.Issue{c.request.InputIssue})
	}
	given := c.given
	if given.Absent() {
		given = capability.EmptyObject
	}
	if e.binding != nil {
		input, err := e.effectiveInput(given, limits)
		c.setInput(input)
		return err
	}
	input, issues := e.input.check(given, limits)
	if len(issues) > 0 {
		return capability.InvalidInput(issues)
	}
	c.setInput(input)
	return nil
}

func (r *Registry) inputLimits() capability.ValueLimits {
	return capability.ValueLimits{
		MaxBytes: r.limits.MaxInputBytes, MaxDepth: r.limits.MaxInputDepth, Float64Integers: r.options.JavaScriptNumbers,
	}
}

// invokePolicies runs the policies that see the input (phase 6, first half).
func (c *call) invokePolicies() *capability.Error {
	e := c.entry
	if len(e.policies) == 0 {
		return nil
	}
	c.invokeContext = &policy.InvokeContext{
		Context:      *e.policyContext(c.registry, c.consumer, c.registry.hostContext()),
		InvocationID: c.id, EffectiveInput: c.input,
	}
	if c.unlessOver(func() { c.tapped = true }) {
		e := c.base(audit.InvocationStarted, c.registry.options.Now())
		e.Input = c.input
		c.tap(e)
	}
	c.invokeContext.OnSettle = c.whenSettled
	return c.registry.refusal(e, policy.Invoke(e.policies, c.invokeContext))
}

// confirmation asks for a person's decision, or takes the one that the request brings (phase 6, second
// half). What a procedure prepares for the person comes first, once: a call with evidence was prepared when it
// asked for that.
func (c *call) confirmation() *capability.Error {
	evident := c.request.ConfirmationID != ""
	if !evident {
		if err := c.prepare(); err != nil || c.over() {
			return err
		}
	}
	level, summary := c.confirmationLevel()
	if level != capability.Required {
		if evident { // of nothing that was asked
			return c.prepare()
		}
		return nil
	}
	r, e := c.registry, c.entry
	bound, issue := canonical.Encode(c.input, r.inputLimits())
	if issue != nil { // a parse of the author's own may give what is not JSON
		return capability.InvalidInput([]capability.Issue{*issue})
	}
	binding := confirm.Binding{
		SurfaceID: r.surfaceID, RegistrationID: e.reg.id, CapabilityID: e.idText,
		ConsumerKey: c.consumer.Key(), Input: bound, Effect: e.effect,
	}
	agentSummary := r.summary(e, c.given)
	if !evident {
		pending, err := c.askFor(binding, personSummary(summary, r.summary(e, bound)))
		if err != nil {
			return err
		}
		return capability.ConfirmationRequired(pending.ConfirmationID, agentSummary, capability.FormatTime(pending.ExpiresAt), e.effect)
	}
	approval, err := r.records.Consume(c.request.ConfirmationID, binding, agentSummary)
	if err != nil {
		return err
	}
	c.approval, c.prepared = &approval, approval.Note
	c.setInput(bound) // what was bound is what runs
	return nil
}

// preconditionHolds asks the author's last check (phase 7).
func (c *call) preconditionHolds() *capability.Error {
	if c.entry.Precondition == nil {
		return nil
	}
	err := guardPrecondition(c.entry.Precondition, c.input, c.info())
	if err == nil {
		return nil
	}
	thrown := thrownBy(err)
	if thrown.Thrown() && thrown.Code != capability.CodeConfirmationRequired {
		return thrown
	}
	c.registry.options.Log(fmt.Sprintf("the precondition of %s failed: %v", c.entry.idText, err))
	return capability.PreconditionFailed("", "")
}

func guardPrecondition(check func(capability.JSON, *Call) error, input capability.JSON, info *Call) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panicked: %v", cause)
		}
	}()
	return check(input, info)
}

// admission waits until the capability may run (phase 8).
func (c *call) admission() *capability.Error {
	admitted, err := c.registry.admit(c)
	if admitted || err != nil {
		return err
	}
	began := c.registry.options.Now()
	for !c.admittedOrOver() {
		c.waiter.Park()
	}
	wait := c.registry.options.Now().Sub(began)
	c.unlessOver(func() { c.queueWait = wait })
	return nil
}

// execution runs the handler under its time limit (phase 9).
func (c *call) execution() *capability.Error {
	limit := c.entry.timeout
	if c.timeout > 0 {
		limit = c.timeout
	}
	if started, gone := c.startExecuting(); !started {
		return gone
	}
	stop := func() {}
	if limit > 0 {
		stop = c.registry.host.After(limit, func() { c.timedOut(limit) })
	}
	output, err := c.guardHandler(c.entry.Run)
	stop()
	if c.over() {
		if !errors.Is(err, ErrStillRunning) {
			c.late(err)
		}
		return nil
	}
	if err != nil {
		return c.handlerError(err)
	}
	return c.acceptOutput(output)
}

// guardHandler runs an author's function with the effective input. One that panics has failed.
func (c *call) guardHandler(run handler) (output capability.JSON, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			if c.registry.Torn() {
				panic(cause)
			}
			err = fmt.Errorf("panicked: %v", cause)
		}
	}()
	return run(&c.signal, c.input, c.info())
}

// handlerError is what a handler's error means to the agent.
func (c *call) handlerError(err error) *capability.Error {
	e := c.entry
	if e.effect == capability.Navigation && c.unmountedInFlight() {
		return capability.Cancelled(capability.MayHaveHappened)
	}
	thrown := thrownBy(err)
	if thrown.Thrown() && (e.kind == capability.Procedure || thrown.Code != capability.CodeConfirmationRequired) {
		if _, bare := err.(*capability.Error); !bare { // what is around the payload is for developers
			c.registry.options.Log(fmt.Sprintf("the handler of %s answered with an error: %v", e.idText, err))
		}
		return thrown
	}
	c.registry.options.Log(fmt.Sprintf("the handler of %s failed: %v", e.idText, err))
	if e.kind != capability.Procedure || e.local {
		return capability.ExecutionFailed(capability.ReasonHandlerError)
	}
	var transient TransientError
	if errors.As(err, &transient) {
		if after, ok := transient.Transient(); ok {
			return capability.Transient(max(after, time.Millisecond))
		}
	}
	return capability.ExecutionFailed(capability.ReasonTransport)
}

// acceptOutput checks what the handler gave (the first half of phase 10).
func (c *call) acceptOutput(output capability.JSON) *capability.Error {
	r := c.registry
	if output.Absent() {
		if c.entry.output != nil && c.entry.kind == capability.Observation {
			return capability.ExecutionFailed(capability.ReasonOutputInvalid)
		}
		return nil
	}
	if len(output) > r.limits.MaxOutputBytes {
		r.options.Log(fmt.Sprintf("the output of %s has %d bytes; the limit is %d", c.entry.idText, len(output), r.limits.MaxOutputBytes))
		return capability.ExecutionFailed(capability.ReasonOutputTooLarge)
	}
	limits := capability.ValueLimits{MaxBytes: r.limits.MaxOutputBytes, MaxDepth: r.limits.MaxInputDepth}
	issues := []capability.Issue(nil)
	if c.entry.output != nil {
		output, issues = c.entry.output.check(output, limits)
	} else if issue := limits.Check(output); issue != nil {
		issues = []capability.Issue{*issue}
	}
	if len(issues) > 0 {
		r.options.Log(fmt.Sprintf("the output of %s is not what it declares: %v", c.entry.idText, issues[0].Error()))
		return capability.ExecutionFailed(capability.ReasonOutputInvalid)
	}
	c.output = output
	return nil
}

// late records what a handler did after its call had its result.
func (c *call) late(err error) {
	status := "ok"
	if err != nil {
		status = "error"
	}
	if !c.registry.audits(c.auditLevel) {
		return
	}
	e := c.base(audit.LateSettlement, c.registry.options.Now())
	e.Status = status
	c.registry.record(e)
}

// Start begins a call and returns; done gets the result, once, perhaps before Start returns. done must not
// wait. Cancelling ctx withdraws the caller's interest in the call.
func (r *Registry) Start(ctx context.Context, request Request, options InvokeOptions, done func(Result)) {
	r.begin(ctx, request, options, done)
}

// Invoke makes a call and waits for its result, which is never a Go error. After Dispose the result is
// CANCELLED.
func (r *Registry) Invoke(ctx context.Context, request Request, options InvokeOptions) Result {
	return host.Await(r.host.Waiter(), func(done func(Result)) { r.begin(ctx, request, options, done) })
}
