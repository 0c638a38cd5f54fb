package predict

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/consent"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
)

// Authorize decides on one call over its valid input, outside every other policy of the capability. False, an error and
// a panic refuse; what it says of why goes nowhere. It may wait.
type Authorize func(ctx *policy.InvokeContext) (bool, error)

func (a Authorize) admits(ctx *policy.InvokeContext) (admitted bool) {
	defer func() {
		if recover() != nil {
			admitted = false
		}
	}()
	admitted, err := a(ctx)
	return admitted && err == nil
}

// ResultMode is what a call of a tool gives.
type ResultMode string

// The result modes.
const (
	// ReceiptResult gives the receipt.
	ReceiptResult ResultMode = "receipt"
	// OutputResult gives the bare output of a call that went well, and the receipt of any other.
	OutputResult ResultMode = "output"
)

// ToolOptions configure one projection of a capability. Every field may be left out.
type ToolOptions struct {
	// Consumer is who calls. Its grants count beside Capabilities.
	Consumer capability.Consumer
	// Capabilities are the tokens that the caller holds.
	Capabilities []string
	Authorize    Authorize
	// ResultMode is ReceiptResult when empty.
	ResultMode ResultMode
	// MaxReceiptBytes is from MinReceiptBytes to MaxReceiptBytes, DefaultReceiptBytes when 0.
	MaxReceiptBytes int
	// DryRun validates, authorizes and predicts, and executes nothing. Nobody is asked to confirm it.
	DryRun bool
	// Store is what a dry run predicts on; without one it predicts nothing.
	Store *Store
	// Wait makes a call that must be confirmed wait for the decision, WaitTimeout at most when that is positive.
	// Without it the receipt says approval_required, and the caller calls again with the confirmation's id.
	Wait        bool
	WaitTimeout time.Duration
}

// Tool is a capability as one kind of caller has it.
type Tool struct {
	*mount
	options ToolOptions
	calls   *consent.Calls
}

// Call is what a caller may say of one call. Every field may be left out.
type Call struct {
	// InvocationID is the identity of a call that is repeated. The capability's own idempotency key wins over it.
	InvocationID   string
	ConfirmationID string
	// InputIssue is what is wrong with an input that could not be written as JSON.
	InputIssue capability.Issue
}

// Answer is how a call of a tool ended.
type Answer struct {
	Receipt Receipt
	// Result is the pipeline's.
	Result registry.Result
	mode   ResultMode
}

// Value is what the caller gets: the receipt, or the bare output.
func (a Answer) Value() capability.JSON {
	if a.mode == OutputResult && a.Receipt.OK && !a.Receipt.DryRun {
		if a.Result.Output.Absent() {
			return "null"
		}
		return a.Result.Output
	}
	return a.Receipt.JSON()
}

// WebMCPTool is the capability for the agent of a browser. Its caller holds the capability's own token. The error is
// that of an option (*ArgumentError) or of the registration.
func (d *Desk) WebMCPTool(c *Capability, options ToolOptions) (*Tool, error) {
	options.Capabilities = append(slices.Clone(options.Capabilities), c.d.Token)
	if options.Consumer.ID == "" {
		options.Consumer.ID, options.Consumer.Kind = "webmcp", capability.WebMCPConsumer
	}
	return d.tool(c, options)
}

func (d *Desk) tool(c *Capability, options ToolOptions) (*Tool, error) {
	if err := options.complete(); err != nil {
		return nil, err
	}
	m, err := d.mount(c)
	if err != nil {
		return nil, err
	}
	t := &Tool{mount: m, options: options}
	t.calls = consent.New(consent.Options{
		Registry: d.registry, Host: d.host, Consumer: options.Consumer, Wait: options.Wait, Timeout: options.WaitTimeout,
	})
	return t, d.keep(t)
}

// keep notes the tool, so that the end of the desk ends its waits.
func (d *Desk) keep(t *Tool) error {
	if !t.options.Wait {
		return nil
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.disposed {
		return ErrDisposed
	}
	d.tools = append(d.tools, t)
	return nil
}

// Close ends the calls of the tool that wait for a person. The capability stays registered.
func (t *Tool) Close() {
	d := t.desk
	d.mu.Lock()
	d.tools = slices.DeleteFunc(d.tools, func(other *Tool) bool { return other == t })
	d.mu.Unlock()
	t.calls.Stop()
}

func (o *ToolOptions) complete() error {
	if o.MaxReceiptBytes == 0 {
		o.MaxReceiptBytes = DefaultReceiptBytes
	}
	if o.ResultMode == "" {
		o.ResultMode = ReceiptResult
	}
	switch {
	case !o.Consumer.Valid():
		return wrong("consumer", "want a consumer with an id and a known kind")
	case o.MaxReceiptBytes < MinReceiptBytes || o.MaxReceiptBytes > MaxReceiptBytes:
		return tooLarge("maxReceiptBytes", "want %d to %d", MinReceiptBytes, MaxReceiptBytes)
	case o.ResultMode != ReceiptResult && o.ResultMode != OutputResult:
		return wrong("resultMode", "want receipt or output")
	case o.WaitTimeout < 0:
		return wrong("waitTimeoutMs", "must not be negative")
	}
	o.Consumer.Grants = slices.Concat(o.Consumer.Grants, o.Capabilities)
	return nil
}

// Start makes a call. input is a JSON object or absent. done gets the answer, once, perhaps before Start returns; it
// must not wait. Cancelling ctx withdraws the caller's interest.
func (t *Tool) Start(ctx context.Context, input capability.JSON, call Call, done func(Answer)) {
	t.whenKnown(func() { t.start(ctx, input, call, done) })
}

func (t *Tool) start(ctx context.Context, input capability.JSON, call Call, done func(Answer)) {
	d := t.desk
	id, err := t.identity(input, call)
	if err != nil {
		d.log(err.Error())
		done(t.answer(input, registry.Result{
			InvocationID: d.registry.NewInvocationID(), CapabilityID: t.CapabilityID(), SurfaceVersion: d.registry.Version(),
			Error: capability.ExecutionFailed(capability.ReasonHandlerError),
		}, trace{settled: d.host.Now()}))
		return
	}
	key := callKey{t.options.Consumer.Key(), id}
	d.traces.enter(key, given{t.options.Authorize, t.options.DryRun})
	request := registry.Request{
		InvocationID: id, CapabilityID: t.CapabilityID(), Input: input, ConfirmationID: call.ConfirmationID, InputIssue: call.InputIssue,
	}
	t.calls.Start(ctx, consent.Call{Request: request}, func(r registry.Result) {
		stored := r.OK() || r.Error.Code.Stored()
		done(t.answer(input, r, d.traces.leave(key, d.host.Now(), stored)))
	})
}

// identity is the id of the invocation. A dry run is never an attempt at the call that it foretells.
func (t *Tool) identity(input capability.JSON, call Call) (string, error) {
	if t.d.Idempotency != nil && !t.options.DryRun && call.InputIssue == (capability.Issue{}) {
		if value, ok := t.validated(input); ok {
			return t.key(value)
		}
	}
	if call.InvocationID == "" || t.options.DryRun {
		return t.desk.registry.NewInvocationID(), nil
	}
	return call.InvocationID, nil
}

// answer is what the caller is told of a result.
func (t *Tool) answer(input capability.JSON, r registry.Result, seen trace) Answer {
	if seen.foretold = seen.foretold && r.Error != nil && r.Error.Code == capability.CodePreconditionFailed; seen.foretold {
		r = t.foretell(input, r) // unless a policy outside has made something else of it
		seen.foretold = r.OK()
	}
	receipt := receiptOf(r, seen, t.options.MaxReceiptBytes)
	receipt.DryRun = t.options.DryRun
	return Answer{Receipt: receipt, Result: r, mode: t.options.ResultMode}
}

// foretell turns the end of a dry run into its result: the prediction, where there is one.
func (t *Tool) foretell(input capability.JSON, r registry.Result) registry.Result {
	input, _ = t.validated(input) // which the pipeline has found valid
	r.Error, r.Output = nil, ""
	if t.d.Predict == nil || t.options.Store == nil {
		return r
	}
	snapshot := t.options.Store.Snapshot()
	p, err := t.foresee(input, snapshot, t.desk.host.Now())
	if err == nil {
		if _, ok := p.Patch.Apply(snapshot.State); !ok {
			err = fmt.Errorf("the prediction of %s does not apply", t.d.Name)
		}
	}
	if err != nil {
		t.desk.log(err.Error())
		r.Error = capability.ExecutionFailed(capability.ReasonHandlerError)
		return r
	}
	r.Output = p.JSON()
	return r
}

// Execute is Start, and waits for the answer: in a page it needs a flow that may.
func (t *Tool) Execute(ctx context.Context, input capability.JSON, call Call) Answer {
	return host.Await(t.desk.host.Waiter(), func(done func(Answer)) { t.Start(ctx, input, call, done) })
}
