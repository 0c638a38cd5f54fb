package capability

import (
	"slices"
	"time"
)

// Code is a member of the closed set of error codes that an agent can receive.
type Code string

// The closed set (errors.md), in its published order.
const (
	CodeNotFound             Code = "CAPABILITY_NOT_FOUND"
	CodeNotAvailable         Code = "CAPABILITY_NOT_AVAILABLE"
	CodeAmbiguousInstance    Code = "AMBIGUOUS_INSTANCE"
	CodeUnmounted            Code = "COMPONENT_UNMOUNTED"
	CodeStale                Code = "STALE_CAPABILITY"
	CodeConflict             Code = "INVOCATION_CONFLICT"
	CodeInvalidInput         Code = "INVALID_INPUT"
	CodeNotAuthenticated     Code = "NOT_AUTHENTICATED"
	CodeNotAuthorized        Code = "NOT_AUTHORIZED"
	CodePreconditionFailed   Code = "PRECONDITION_FAILED"
	CodeConfirmationRequired Code = "CONFIRMATION_REQUIRED"
	CodeConfirmationInvalid  Code = "CONFIRMATION_INVALID"
	CodeRateLimited          Code = "RATE_LIMITED"
	CodeTimeout              Code = "TIMEOUT"
	CodeCancelled            Code = "CANCELLED"
	CodeExecutionFailed      Code = "EXECUTION_FAILED"
)

// Retry tells an agent whether and how the same wish may be tried again.
type Retry string

// The retry advice.
const (
	RetryNo               Retry = "no"
	RetryYes              Retry = "yes"
	RetryWithChanges      Retry = "with-changes"
	RetryAfterRefresh     Retry = "after-refresh"
	RetryAfterDelay       Retry = "after-delay"
	RetryWithConfirmation Retry = "with-confirmation"
)

// CodeInfo is what errors.md says of one code.
type CodeInfo struct {
	Code Code
	// Phases are the pipeline phases in which the runtime itself gives the code.
	Phases string
	Retry  []Retry
	// Stored reports whether a result with this code is replayed to a retry of the same invocation.
	Stored  bool
	Details string
	// Throwable reports whether a handler, policy or executor may give the code itself.
	Throwable bool
}

// Codes is the closed set, in its published order. The caller owns the slice.
func Codes() []CodeInfo {
	return []CodeInfo{
		{CodeNotFound, "2, 4", []Retry{RetryAfterRefresh}, true, "none", false},
		{CodeNotAvailable, "3, 4", []Retry{RetryAfterRefresh}, true, "reason", true},
		{CodeAmbiguousInstance, "2", []Retry{RetryWithChanges}, true, "instances", false},
		{CodeUnmounted, "2 to 9", []Retry{RetryAfterRefresh}, true, "phase, progress", false},
		{CodeStale, "2", []Retry{RetryAfterRefresh}, true, "reason, liveRegistrationId", false},
		{CodeConflict, "1", []Retry{RetryWithChanges}, false, "reason: id-reused-with-different-request", false},
		{CodeInvalidInput, "5", []Retry{RetryWithChanges}, true, "issues [{ path, message }], lockedFields", true},
		{CodeNotAuthenticated, "4", []Retry{RetryNo}, true, "none", true},
		{CodeNotAuthorized, "4, 9", []Retry{RetryNo}, true, "origin", true},
		{CodePreconditionFailed, "5, 7", []Retry{RetryWithChanges, RetryAfterRefresh}, true, "the author's, or reason", true},
		{CodeConfirmationRequired, "6", []Retry{RetryWithConfirmation}, false, "confirmationId, summary, expiresAt, effect, origin", true},
		{CodeConfirmationInvalid, "6", []Retry{RetryNo, RetryWithConfirmation}, true, "reason", false},
		{CodeRateLimited, "4, 6, 8", []Retry{RetryAfterDelay}, false, "reason: rate or queue-full, retryAfterMs", true},
		{CodeTimeout, "9", []Retry{RetryNo, RetryYes}, true, "timeoutMs, idempotent, progress", false},
		{CodeCancelled, "1 to 9", []Retry{RetryYes, RetryNo}, true, "progress", false},
		{CodeExecutionFailed, "4, 6, 7, 9, 10", []Retry{RetryNo, RetryAfterDelay}, true, "reason, transient, retryAfterMs, progress", true},
	}
}

// Info is the table row of the code; ok is false for a code outside the set.
func (c Code) Info() (info CodeInfo, ok bool) {
	for _, info := range Codes() {
		if info.Code == c {
			return info, true
		}
	}
	return CodeInfo{}, false
}

// Stored reports whether a result with this code is kept for replay.
func (c Code) Stored() bool {
	return c != CodeConflict && c != CodeConfirmationRequired && c != CodeRateLimited
}

const (
	maxErrorMessage = 300
	maxErrorDetails = 2048
)

// Error is the payload that reaches an agent: { code, message, retry, details? }. Message is from a fixed
// template or, for a thrown code, the application's; it never holds a stack, a query, a URL or the text of
// an unknown cause. Details is a JSON object or absent.
//
// It implements error so that a handler or policy can return one.
type Error struct {
	Code    Code
	Message string
	Retry   Retry
	Details JSON
}

// Error is the code and the message.
func (e *Error) Error() string { return string(e.Code) + ": " + e.Message }

// JSON is the payload as an object.
func (e *Error) JSON() JSON {
	var object ObjectWriter
	object.Text("code", string(e.Code))
	object.Text("message", e.Message)
	object.Text("retry", string(e.Retry))
	object.Raw("details", e.Details)
	return object.JSON()
}

// Detail is the text member name of the details, "" when there is none.
func (e *Error) Detail(name string) string {
	for _, member := range e.Details.Members() {
		if member.Name == name {
			text, _ := member.Value.Text()
			return text
		}
	}
	return ""
}

// Thrown reports whether e is something that a handler, policy or executor may answer with (invocation.md,
// phase 9): a code that may be thrown, a retry that the table allows for it, a message of 1 to 300
// characters and details of at most 2 kB. CONFIRMATION_REQUIRED must carry origin: server and is for
// executors only, which the caller decides.
func (e *Error) Thrown() bool {
	if e == nil { // a nil pointer that became an error
		return false
	}
	info, ok := e.Code.Info()
	if !ok || !info.Throwable || !slices.Contains(info.Retry, e.Retry) {
		return false
	}
	if e.Message == "" || Length(e.Message) > maxErrorMessage || len(e.Details) > maxErrorDetails {
		return false
	}
	if !e.Details.Absent() {
		limits := ValueLimits{MaxBytes: maxErrorDetails, MaxDepth: DefaultLimits().MaxInputDepth}
		if _, issue := limits.Decode(e.Details); issue != nil || e.Details.Kind() != '{' {
			return false
		}
	}
	return e.Code != CodeConfirmationRequired || e.Detail("origin") == "server"
}

// Progress says what an agent must know before it repeats a call that did not end well.
type Progress string

// The progress of a call that was cut short.
const (
	NotStarted      Progress = "not-started"
	MayHaveHappened Progress = "may-have-happened"
	Done            Progress = "done"
)

func details(build func(*ObjectWriter)) JSON {
	var object ObjectWriter
	build(&object)
	return object.JSON()
}

func reason(text string) JSON {
	return details(func(o *ObjectWriter) { o.Text("reason", text) })
}

// NotFound is the answer for a capability that does not exist and for one that is hidden from the caller.
func NotFound() *Error {
	return &Error{Code: CodeNotFound, Retry: RetryAfterRefresh,
		Message: "No such capability. Read the surface again and use a capability that it lists."}
}

// NotAvailable is the answer for a capability that is there but cannot be used now; why is disclosed.
func NotAvailable(why string) *Error {
	return &Error{Code: CodeNotAvailable, Retry: RetryAfterRefresh, Details: reason(why),
		Message: "This capability is not available now. See details.reason, and read the surface again before retrying."}
}

// Instance is one of several live instances that a request could mean.
type Instance struct {
	InstanceID     string
	RegistrationID string
	Description    string
}

func (i Instance) json() JSON {
	return details(func(o *ObjectWriter) {
		o.Text("instanceId", i.InstanceID)
		o.Text("registrationId", i.RegistrationID)
		o.Text("description", i.Description)
	})
}

// AmbiguousInstance asks the agent to name one of the instances.
func AmbiguousInstance(instances []Instance) *Error {
	return &Error{Code: CodeAmbiguousInstance, Retry: RetryWithChanges,
		Details: details(func(o *ObjectWriter) { o.Raw("instances", ArrayOf(instances, Instance.json)) }),
		Message: "Several instances offer this capability. Repeat the call with the instanceId of one in details.instances."}
}

// Unmounted is the answer when the component that offered the capability is gone. phase is "resolve" or
// "mid-flight"; progress is "" where nothing was under way.
func Unmounted(phase string, progress Progress) *Error {
	return &Error{Code: CodeUnmounted, Retry: RetryAfterRefresh,
		Details: details(func(o *ObjectWriter) {
			o.Text("phase", phase)
			o.OptionalText("progress", string(progress))
		}),
		Message: "The component that offered this capability is gone. Read the surface again."}
}

// Stale is the answer to a request about an earlier state of the surface. why is registration-replaced,
// surface-reloaded or surface-version-mismatch; live is the one registration that now answers, or "".
func Stale(why, live string) *Error {
	return &Error{Code: CodeStale, Retry: RetryAfterRefresh,
		Details: details(func(o *ObjectWriter) {
			o.Text("reason", why)
			o.OptionalText("liveRegistrationId", live)
		}),
		Message: "The surface has moved since you looked. Read it again and decide anew."}
}

// Conflict is the answer when an invocation id is used again for something else.
func Conflict() *Error {
	return &Error{Code: CodeConflict, Retry: RetryWithChanges, Details: reason("id-reused-with-different-request"),
		Message: "This invocationId was used for a different request. Use a new invocationId."}
}

// InvalidInput is the answer to input that breaks the schema or a limit, or that supplies locked fields.
func InvalidInput(issues []Issue, lockedFields ...string) *Error {
	return &Error{Code: CodeInvalidInput, Retry: RetryWithChanges,
		Details: details(func(o *ObjectWriter) {
			o.Raw("issues", IssuesJSON(issues))
			if len(lockedFields) > 0 {
				o.Raw("lockedFields", ArrayOf(lockedFields, Quote))
			}
		}),
		Message: "The input is not valid. Correct what details.issues names and call again."}
}

// InvalidArguments is the answer to arguments of an adapter's own tool that are not what the tool declares. hint is a
// sentence on what to do, "" for none.
func InvalidArguments(tool, hint string, issues []Issue) *Error {
	e := InvalidInput(issues)
	e.Message = "The arguments of " + tool + " itself are not valid. Correct what details.issues names and call again."
	if hint != "" {
		e.Message += " " + hint
	}
	return e
}

// IssuesJSON is the array [{ path, message }].
func IssuesJSON(issues []Issue) JSON {
	return ArrayOf(issues, func(issue Issue) JSON {
		return details(func(o *ObjectWriter) {
			o.Text("path", issue.Path)
			o.Text("message", issue.Message)
		})
	})
}

// NotAuthenticated is the answer when nobody is signed in.
func NotAuthenticated() *Error {
	return &Error{Code: CodeNotAuthenticated, Retry: RetryNo,
		Message: "Nobody is signed in. Ask the person to sign in first."}
}

// NotAuthorized is the answer when the caller may not do this; origin says who decided, "client" or "server".
func NotAuthorized(origin string) *Error {
	return &Error{Code: CodeNotAuthorized, Retry: RetryNo,
		Details: details(func(o *ObjectWriter) { o.Text("origin", origin) }),
		Message: "This is not allowed. Do not try again."}
}

// PreconditionFailed carries the author's message and details; an empty message gets the fixed one.
func PreconditionFailed(message string, why JSON) *Error {
	if message == "" {
		message = "The state of the page does not allow this. Read it again, change the input or the state, and retry."
	}
	return &Error{Code: CodePreconditionFailed, Retry: RetryWithChanges, Message: Cut(message, maxErrorMessage), Details: why}
}

// BindingFailed is the answer when the page could not supply the values that it binds.
func BindingFailed() *Error {
	return &Error{Code: CodePreconditionFailed, Retry: RetryAfterRefresh, Details: reason("binding-failed"),
		Message: "The page could not supply the values that it adds to this call. Read the surface again before retrying."}
}

// ConfirmationRequired asks for a person's decision on the record id. summary is made from the agent's own
// input only.
func ConfirmationRequired(id, summary, expiresAt string, effect Effect) *Error {
	return &Error{Code: CodeConfirmationRequired, Retry: RetryWithConfirmation,
		Details: details(func(o *ObjectWriter) {
			o.Text("confirmationId", id)
			o.Text("summary", summary)
			o.Text("expiresAt", expiresAt)
			o.Text("effect", string(effect))
			o.Text("origin", "client")
		}),
		Message: "A person must confirm this call. Repeat it unchanged with details.confirmationId once they have."}
}

// ConfirmationInvalid is the answer to evidence that does not hold: expired, denied, consumed or mismatch.
func ConfirmationInvalid(why string) *Error {
	retry := RetryNo
	message := "The confirmation does not hold for this call. Do not try again without a person's request."
	if why == "expired" {
		retry = RetryWithConfirmation
		message = "The confirmation expired before it was given. Call again without a confirmationId to ask once more."
	}
	return &Error{Code: CodeConfirmationInvalid, Retry: retry, Details: reason(why), Message: message}
}

// RateLimited is the answer when too much is asked at once; why is rate or queue-full.
func RateLimited(why string, retryAfter time.Duration) *Error {
	return &Error{Code: CodeRateLimited, Retry: RetryAfterDelay,
		Details: details(func(o *ObjectWriter) {
			o.Text("reason", why)
			o.Int("retryAfterMs", max(1, retryAfter.Milliseconds()))
		}),
		Message: "Too many calls. Wait for details.retryAfterMs milliseconds and call again."}
}

// Timeout is the answer when the handler did not end in time.
func Timeout(limit time.Duration, idempotent bool) *Error {
	retry := RetryNo
	if idempotent {
		retry = RetryYes
	}
	return &Error{Code: CodeTimeout, Retry: retry,
		Details: details(func(o *ObjectWriter) {
			o.Int("timeoutMs", limit.Milliseconds())
			o.Bool("idempotent", idempotent)
			o.Text("progress", string(MayHaveHappened))
		}),
		Message: "The call did not end in time; it may still have an effect. Read the state before you decide to repeat it."}
}

// Cancelled is the answer to a call that its caller withdrew.
func Cancelled(progress Progress) *Error {
	return cancelled(progress, RetryYes, "The call was cancelled. See details.progress before you repeat it.")
}

// Disposed is the answer to calls that the end of the registry cut short.
func Disposed(progress Progress) *Error {
	return cancelled(progress, RetryNo, "The page has closed its surface. Nothing can be called here any more.")
}

func cancelled(progress Progress, retry Retry, message string) *Error {
	return &Error{Code: CodeCancelled, Retry: retry, Message: message,
		Details: details(func(o *ObjectWriter) { o.Text("progress", string(progress)) })}
}

// The reasons of EXECUTION_FAILED.
const (
	ReasonHandlerError   = "handler-error"
	ReasonPolicy         = "policy"
	ReasonTransport      = "transport"
	ReasonOutputInvalid  = "output-invalid"
	ReasonOutputTooLarge = "output-too-large"
	ReasonInternal       = "internal"
	ReasonRuntimeLost    = "runtime-lost"
)

// ExecutionFailed is the answer when the capability's own code failed. The message is fixed for each
// reason, so no text of the cause reaches the agent.
func ExecutionFailed(why string) *Error {
	e := &Error{Code: CodeExecutionFailed, Retry: RetryNo, Details: reason(why), Message: failureMessage(why)}
	if why == ReasonOutputInvalid || why == ReasonOutputTooLarge {
		e.Details = details(func(o *ObjectWriter) {
			o.Text("reason", why)
			o.Text("progress", string(Done))
		})
	}
	return e
}

func failureMessage(why string) string {
	switch why {
	case ReasonOutputInvalid:
		return "The call was carried out, but its result is not what it declares, so it cannot be shown. Do not repeat it."
	case ReasonOutputTooLarge:
		return "The call was carried out, but its result is too large to show. Do not repeat it."
	case ReasonPolicy:
		return "A policy of this page ended without a decision, so the call was not made."
	case ReasonTransport:
		return "The server operation failed."
	case ReasonInternal, ReasonRuntimeLost:
		return "The page's runtime failed while it handled this call."
	}
	return "The capability failed while it ran."
}

// Transient is a transport failure that may pass.
func Transient(retryAfter time.Duration) *Error {
	return &Error{Code: CodeExecutionFailed, Retry: RetryAfterDelay,
		Details: details(func(o *ObjectWriter) {
			o.Text("reason", ReasonTransport)
			o.Bool("transient", true)
			o.Int("retryAfterMs", retryAfter.Milliseconds())
		}),
		Message: "The server operation failed for now. Wait for details.retryAfterMs milliseconds and call again."}
}
