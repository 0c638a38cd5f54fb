package predict

import (
	"strings"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// The bounds of the output in a receipt, in bytes of JSON.
const (
	DefaultReceiptBytes = 16384
	MinReceiptBytes     = 256
	MaxReceiptBytes     = 65536
)

// Verdict is how a call ended, in a word.
type Verdict string

// The verdicts.
const (
	CommittedVerdict Verdict = "committed"
	DryRunVerdict    Verdict = "dry-run"
	FailedVerdict    Verdict = "failed"
	DeniedVerdict    Verdict = "denied"
)

// ReceiptCode says why a call did not end well.
type ReceiptCode string

// The receipt codes.
const (
	CapabilityDenied ReceiptCode = "capability_denied"
	InputInvalid     ReceiptCode = "input_invalid"
	PolicyDenied     ReceiptCode = "policy_denied"
	ApprovalRequired ReceiptCode = "approval_required"
	ApprovalDenied   ReceiptCode = "approval_denied"
	Conflict         ReceiptCode = "conflict"
	TimedOut         ReceiptCode = "timeout"
	WasCancelled     ReceiptCode = "cancelled"
	ExecutionFailed  ReceiptCode = "execution_failed"
	OutputInvalid    ReceiptCode = "output_invalid"
)

// denies reports whether the code means that the call was not allowed.
func (c ReceiptCode) denies() bool {
	return c == CapabilityDenied || c == PolicyDenied || c == ApprovalRequired || c == ApprovalDenied
}

// ReceiptRow says which receipt code a code of the pipeline gives, and at which stage.
type ReceiptRow struct {
	Pipeline capability.Code
	// When narrows the row down, "" for every other case of the code.
	When  string
	Code  ReceiptCode
	Stage Stage
}

// The values of ReceiptRow.When.
const (
	whenMidFlight = "mid-flight"
	whenOutput    = "output-*"
)

// ReceiptRows are the table of receipt codes, in the order of the error codes. The caller owns the slice.
func ReceiptRows() []ReceiptRow {
	return []ReceiptRow{
		{capability.CodeNotFound, "", CapabilityDenied, CapabilityStage},
		{capability.CodeNotAvailable, "", CapabilityDenied, CapabilityStage},
		{capability.CodeAmbiguousInstance, "", PolicyDenied, PolicyStage},
		{capability.CodeUnmounted, whenMidFlight, ExecutionFailed, ExecuteStage},
		{capability.CodeUnmounted, "", PolicyDenied, PolicyStage},
		{capability.CodeStale, "", PolicyDenied, PolicyStage},
		{capability.CodeConflict, "", Conflict, IdempotencyStage},
		{capability.CodeInvalidInput, "", InputInvalid, InputStage},
		{capability.CodeNotAuthenticated, "", CapabilityDenied, CapabilityStage},
		{capability.CodeNotAuthorized, "", CapabilityDenied, CapabilityStage},
		{capability.CodePreconditionFailed, "", PolicyDenied, PolicyStage},
		{capability.CodeConfirmationRequired, "", ApprovalRequired, ApprovalStage},
		{capability.CodeConfirmationInvalid, "", ApprovalDenied, ApprovalStage},
		{capability.CodeRateLimited, "", PolicyDenied, PolicyStage},
		{capability.CodeTimeout, "", TimedOut, ExecuteStage},
		{capability.CodeCancelled, "", WasCancelled, ExecuteStage},
		{capability.CodeExecutionFailed, whenOutput, OutputInvalid, OutputStage},
		{capability.CodeExecutionFailed, "", ExecutionFailed, ExecuteStage},
	}
}

// rowOf is the row for an error.
func rowOf(err *capability.Error) ReceiptRow {
	for _, row := range ReceiptRows() {
		if row.Pipeline == err.Code && row.applies(err) {
			return row
		}
	}
	return ReceiptRow{err.Code, "", ExecutionFailed, ExecuteStage}
}

func (r ReceiptRow) applies(err *capability.Error) bool {
	switch r.When {
	case whenMidFlight:
		return err.Detail("phase") == whenMidFlight
	case whenOutput:
		return strings.HasPrefix(err.Detail("reason"), "output-")
	}
	return true
}

// ReceiptError is why a call did not end well, and at which stage.
type ReceiptError struct {
	Code  ReceiptCode
	Stage Stage
}

// Evidence is a stage that a call went through, or ended at.
type Evidence struct {
	Stage Stage
	At    time.Time
	OK    bool
}

// Receipt is what is told of a call. It holds no credentials, no request, and no text of what failed.
type Receipt struct {
	OK      bool
	Verdict Verdict
	DryRun  bool
	// Output is absent when there is none and when it is too large; then OutputTruncated is set. That of a dry run is
	// the prediction, if the capability makes one.
	Output          capability.JSON
	OutputTruncated bool
	// Error is nil when the call ended well.
	Error *ReceiptError
	// Evidence is in the order of the stages, and of what is known only.
	Evidence []Evidence
}

// JSON is the receipt as an object: { ok, outcome, dryRun, output?, outputTruncated?, error?: { code, stage }, evidence:
// [{ stage, at, ok }] }.
func (r Receipt) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Bool("ok", r.OK)
	o.Text("outcome", string(r.Verdict))
	o.Bool("dryRun", r.DryRun)
	o.Raw("output", r.Output)
	if r.OutputTruncated {
		o.Bool("outputTruncated", true)
	}
	if r.Error != nil {
		var e capability.ObjectWriter
		e.Text("code", string(r.Error.Code))
		e.Text("stage", string(r.Error.Stage))
		o.Raw("error", e.JSON())
	}
	o.Raw("evidence", capability.ArrayOf(r.Evidence, Evidence.json))
	return o.JSON()
}

func (e Evidence) json() capability.JSON {
	var o capability.ObjectWriter
	o.Text("stage", string(e.Stage))
	o.Text("at", capability.FormatTime(e.At))
	o.Bool("ok", e.OK)
	return o.JSON()
}

// receiptOf is the receipt of a call with that result; most bounds the output.
func receiptOf(r registry.Result, t trace, most int) Receipt {
	receipt := Receipt{OK: r.OK(), Verdict: CommittedVerdict, DryRun: t.foretold}
	switch {
	case !r.OK():
		row := rowOf(r.Error)
		if row.Code == WasCancelled {
			row.Stage = t.cutAt(r.Error)
		}
		receipt.Verdict = FailedVerdict
		if row.Code.denies() {
			receipt.Verdict = DeniedVerdict
		}
		receipt.Error = &ReceiptError{row.Code, row.Stage}
	case t.foretold:
		receipt.Verdict = DryRunVerdict
	}
	if len(r.Output) > most {
		receipt.OutputTruncated = true
	} else {
		receipt.Output = r.Output
	}
	receipt.Evidence = t.evidence(receipt.Error)
	return receipt
}

// cutAt is the stage at which a call was withdrawn.
func (t trace) cutAt(err *capability.Error) Stage {
	if err.Detail("progress") != string(capability.NotStarted) {
		return ExecuteStage
	}
	for _, stage := range Stages() {
		if t.passed[stage].IsZero() {
			return stage
		}
	}
	return OutputStage
}

// evidence is what is known to have passed, and the stage that ended the call unless err is nil.
func (t trace) evidence(err *ReceiptError) []Evidence {
	var list []Evidence
	for _, stage := range Stages() {
		at := t.passed[stage]
		switch {
		case err != nil && stage == err.Stage:
			return append(list, Evidence{stage, t.settled, false})
		case err != nil && err.Code == Conflict: // decided before anything else
		case !at.IsZero():
			list = append(list, Evidence{stage, at, true})
		case err == nil && t.implies(stage), err != nil && err.Code == InputInvalid:
			list = append(list, Evidence{stage, t.settled, true})
		}
	}
	return list
}

// implies reports whether a call that ended well must have passed the stage, although nobody noted it: the desk may
// have forgotten what it saw.
func (t trace) implies(stage Stage) bool {
	return !t.foretold && !(t.recalled && stage == ExecuteStage)
}
