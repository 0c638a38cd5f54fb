package predict

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
)

// PredictedCall is what a caller may say of a predicted execution. Every field may be left out.
type PredictedCall struct {
	Call
	// PredictionID is the prediction's; "" makes one.
	PredictionID string
	// Now is the clock of the prediction; nil means the desk's.
	Now func() time.Time
	// Consumer and Capabilities are as in ToolOptions; the capability's own token is held.
	Consumer     capability.Consumer
	Capabilities []string
	Authorize    Authorize
	// Wait is as in ToolOptions.
	Wait bool
}

// Execution is how a predicted execution ended.
type Execution struct {
	Outcome Outcome
	// PredictionID and Prediction are there if something was predicted.
	PredictionID string
	Prediction   *Prediction
	// Answer is nil when nothing was called.
	Answer   *Answer
	Snapshot Snapshot
}

// JSON is the execution as an object: { outcome, predictionId?, prediction?, tool?, snapshot }, where tool is the receipt.
func (e Execution) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Text("outcome", string(e.Outcome))
	o.OptionalText("predictionId", e.PredictionID)
	if e.Prediction != nil {
		o.Raw("prediction", e.Prediction.JSON())
	}
	if e.Answer != nil {
		o.Raw("tool", e.Answer.Receipt.JSON())
	}
	o.Raw("snapshot", e.Snapshot.JSON())
	return o.JSON()
}

// execution is a predicted execution on its way.
type execution struct {
	tool     *Tool
	store    *Store
	call     PredictedCall
	input    capability.JSON // valid
	before   Snapshot
	foreseen Prediction
	overlay  *overlay
	wanted   *host.Scope // until what the server answers cannot change the store any more
}

// ExecutePredicted shows in store what a call will change, makes the call, and reconciles the store with what came of
// it. It never gives a Go error but for arguments and registration.
//
// Nothing is called when the prediction is Stale, Invalid (it does not apply, or the predictor failed) or Expired from
// the start. Where the capability predicts nothing, or the input is invalid, the call is made and the outcome is
// Executed. A failure, a reconciler that fails and a cancelled ctx roll back, at whatever moment; a prediction that
// expires meanwhile leaves the store at once, and the outcome is Expired.
func (d *Desk) ExecutePredicted(ctx context.Context, c *Capability, input capability.JSON, store *Store, call PredictedCall) (Execution, error) {
	if store == nil {
		return Execution{}, wrong("store", "a prediction store is required")
	}
	e, err := d.executionOf(c, store, call)
	if err != nil {
		return Execution{}, err
	}
	defer e.tool.Close()
	value, valid := e.tool.validated(input)
	if !valid || c.d.Predict == nil || ctx.Err() != nil || call.InputIssue != (capability.Issue{}) {
		answer := e.tool.Execute(ctx, input, call.Call)
		return e.ended(Executed, &answer), nil
	}
	e.input = value
	if outcome := e.predict(); outcome != Predicted {
		return e.ended(outcome, nil), nil
	}
	e.wanted = host.NewScope(ctx)
	defer e.wanted.Release()
	defer e.watch(ctx)()
	answer := e.tool.Execute(ctx, input, call.Call)
	return e.ended(e.reconcile(answer), &answer), nil
}

// StartPredicted is ExecutePredicted in a flow of its own. done gets the outcome, once, perhaps before it returns.
func (d *Desk) StartPredicted(ctx context.Context, c *Capability, input capability.JSON, store *Store, call PredictedCall, done func(Execution, error)) {
	d.host.Go(func() { done(d.ExecutePredicted(ctx, c, input, store, call)) })
}

func (d *Desk) executionOf(c *Capability, store *Store, call PredictedCall) (*execution, error) {
	if call.Consumer.ID == "" {
		call.Consumer.ID, call.Consumer.Kind = "page", capability.EmbeddedConsumer
	}
	if call.Now == nil {
		call.Now = d.host.Now
	}
	if call.PredictionID == "" {
		id := make([]byte, 16)
		d.host.Random(id)
		call.PredictionID = "prd_" + hex.EncodeToString(id)
	}
	if err := checkID(call.PredictionID); err != nil {
		return nil, err
	}
	tool, err := d.WebMCPTool(c, ToolOptions{
		Consumer: call.Consumer, Capabilities: call.Capabilities, Authorize: call.Authorize, Wait: call.Wait,
	})
	if err != nil {
		return nil, err
	}
	return &execution{tool: tool, store: store, call: call}, nil
}

// predict lays the prediction over the state.
func (e *execution) predict() Outcome {
	e.before = e.store.Snapshot()
	now := e.call.Now()
	p, err := e.tool.foresee(e.input, e.before, now)
	if err == nil {
		var outcome Outcome
		if e.overlay, outcome, err = e.store.predict(e.call.PredictionID, p, now); err == nil {
			e.foreseen = p
			return outcome
		}
	}
	e.tool.desk.log(fmt.Sprintf("the prediction of %s: %v", e.tool.d.Name, err))
	return Invalid
}

// foresee asks the predictor. One that panics has failed.
func (m *mount) foresee(input capability.JSON, snapshot Snapshot, now time.Time) (p Prediction, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panicked: %v", cause)
		}
	}()
	return m.d.Predict(Foresight{Input: input, Snapshot: snapshot, Version: snapshot.AuthoritativeVersion, Now: now})
}

// watch takes the prediction away at the moment when the caller withdraws, and when it expires.
func (e *execution) watch(ctx context.Context) (stop func()) {
	stopWatching := host.Watch(ctx, func() { e.store.rollback(e.overlay) })
	stopTimer := func() {}
	if expires := e.foreseen.ExpiresAt; !expires.IsZero() {
		stopTimer = e.tool.desk.host.After(expires.Sub(e.call.Now()), e.expire)
	}
	return func() {
		stopWatching()
		stopTimer()
	}
}

// expire ends the prediction. Who reconciles it is not waited for any more; one that is in conflict may still commit.
func (e *execution) expire() {
	e.store.expire(e.overlay)
	if e.store.endOf(e.overlay) == Expired {
		e.wanted.Cancel(errors.New("the prediction has expired"))
	}
}

// reconcile ends the prediction by what came of the call.
func (e *execution) reconcile(a Answer) Outcome {
	var server State
	err := errors.New("the call has failed")
	if a.Receipt.OK {
		server, err = e.hindsight(e.wanted, a.Result.Output)
	}
	if err == nil {
		err = e.wanted.Err()
	}
	if err == nil {
		err = server.check()
	}
	if err != nil {
		if a.Receipt.OK {
			e.tool.desk.log(fmt.Sprintf("reconciling %s: %v", e.tool.d.Name, err))
		}
		e.store.rollback(e.overlay)
		return e.store.endOf(e.overlay)
	}
	return e.store.settle(e.overlay, server, e.call.Now(), e.tool.d.Reconciliation)
}

func (e *execution) hindsight(ctx context.Context, output capability.JSON) (s State, err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panicked: %v", cause)
		}
	}()
	return e.tool.d.Reconcile(ctx, Hindsight{
		Input: e.input, Output: output, Previous: e.before, Prediction: e.foreseen, Now: e.call.Now(),
	})
}

func (e *execution) ended(outcome Outcome, a *Answer) Execution {
	result := Execution{Outcome: outcome, Answer: a, Snapshot: e.store.Snapshot()}
	if e.overlay != nil {
		result.PredictionID, result.Prediction = e.call.PredictionID, &e.foreseen
	}
	return result
}
