package capability_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pagewarden/pagewarden/capability"
)

// The closed set of errors.md, in its order.
var published = []string{
	"CAPABILITY_NOT_FOUND", "CAPABILITY_NOT_AVAILABLE", "AMBIGUOUS_INSTANCE", "COMPONENT_UNMOUNTED", "STALE_CAPABILITY",
	"INVOCATION_CONFLICT", "INVALID_INPUT", "NOT_AUTHENTICATED", "NOT_AUTHORIZED", "PRECONDITION_FAILED",
	"CONFIRMATION_REQUIRED", "CONFIRMATION_INVALID", "RATE_LIMITED", "TIMEOUT", "CANCELLED", "EXECUTION_FAILED",
}

func TestCodes(t *testing.T) {
	var codes, throwable, unstored []string
	for _, info := range capability.Codes() {
		codes = append(codes, string(info.Code))
		if info.Throwable {
			throwable = append(throwable, string(info.Code))
		}
		if !info.Stored {
			unstored = append(unstored, string(info.Code))
		}
		if info.Stored != info.Code.Stored() {
			t.Errorf("%s: the table and Stored disagree", info.Code)
		}
		if got, ok := info.Code.Info(); !ok || got.Code != info.Code || info.Phases == "" || info.Details == "" || len(info.Retry) == 0 {
			t.Errorf("%s: incomplete row %+v", info.Code, got)
		}
	}
	if !slices.Equal(codes, published) {
		t.Errorf("codes are %q", codes)
	}
	if want := []string{"INVOCATION_CONFLICT", "CONFIRMATION_REQUIRED", "RATE_LIMITED"}; !slices.Equal(unstored, want) {
		t.Errorf("not stored are %q", unstored)
	}
	want := []string{"CAPABILITY_NOT_AVAILABLE", "INVALID_INPUT", "NOT_AUTHENTICATED", "NOT_AUTHORIZED", "PRECONDITION_FAILED",
		"CONFIRMATION_REQUIRED", "RATE_LIMITED", "EXECUTION_FAILED"}
	if !slices.Equal(throwable, want) {
		t.Errorf("throwable are %q", throwable)
	}
	if _, ok := capability.Code("NOPE").Info(); ok {
		t.Error("the set is not closed")
	}
}

func TestCodesBelongToTheCaller(t *testing.T) {
	capability.Codes()[0].Retry[0] = "spoiled"
	if got := capability.Codes()[0].Retry[0]; got != capability.RetryAfterRefresh {
		t.Errorf("a caller changed the table: %s", got)
	}
}

// everyError calls each constructor in each of its ways, with hostile arguments where it takes any.
func everyError() map[string]*capability.Error {
	hostile := "\"</script>\n\x00\xff\u2028" + strings.Repeat("\U0001f600", 400)
	all := map[string]*capability.Error{
		"NotFound":                         capability.NotFound(),
		"NotAvailable":                     capability.NotAvailable(hostile),
		"AmbiguousInstance":                capability.AmbiguousInstance([]capability.Instance{{hostile, "reg_1", hostile}, {"b", "reg_2", ""}}),
		"AmbiguousInstance of none":        capability.AmbiguousInstance(nil),
		"Unmounted resolving":              capability.Unmounted("resolve", ""),
		"Unmounted in flight":              capability.Unmounted("mid-flight", capability.MayHaveHappened),
		"Stale":                            capability.Stale("registration-replaced", "reg_2"),
		"Stale with none live":             capability.Stale("surface-reloaded", ""),
		"Conflict":                         capability.Conflict(),
		"InvalidInput":                     capability.InvalidInput([]capability.Issue{{Path: `a["` + hostile, Message: hostile}}, hostile),
		"InvalidInput without issues":      capability.InvalidInput(nil),
		"NotAuthenticated":                 capability.NotAuthenticated(),
		"NotAuthorized":                    capability.NotAuthorized("client"),
		"PreconditionFailed":               capability.PreconditionFailed("", ""),
		"PreconditionFailed, the author's": capability.PreconditionFailed(hostile, `{"row":1}`),
		"BindingFailed":                    capability.BindingFailed(),
		"ConfirmationRequired":             capability.ConfirmationRequired("cnf_1", hostile, "2026-01-02T03:04:05.678Z", capability.Destructive),
		"ConfirmationInvalid":              capability.ConfirmationInvalid("denied"),
		"ConfirmationInvalid, expired":     capability.ConfirmationInvalid("expired"),
		"RateLimited":                      capability.RateLimited("rate", 1500*time.Millisecond),
		"RateLimited for no time":          capability.RateLimited("queue-full", 0),
		"Timeout":                          capability.Timeout(time.Second, false),
		"Timeout, idempotent":              capability.Timeout(time.Second, true),
		"Cancelled":                        capability.Cancelled(capability.NotStarted),
		"Disposed":                         capability.Disposed(capability.MayHaveHappened),
		"Transient":                        capability.Transient(2 * time.Second),
	}
	for _, why := range []string{
		capability.ReasonHandlerError, capability.ReasonPolicy, capability.ReasonTransport, capability.ReasonOutputInvalid,
		capability.ReasonOutputTooLarge, capability.ReasonInternal, capability.ReasonRuntimeLost,
	} {
		all["ExecutionFailed "+why] = capability.ExecutionFailed(why)
	}
	return all
}

func TestEveryErrorKeepsTheTable(t *testing.T) {
	seen := map[capability.Code]bool{}
	for name, e := range everyError() {
		info, ok := e.Code.Info()
		if !ok || !slices.Contains(info.Retry, e.Retry) {
			t.Errorf("%s: %s with retry %q is not in the table", name, e.Code, e.Retry)
		}
		seen[e.Code] = true
		if e.Message == "" || capability.Length(e.Message) > 300 {
			t.Errorf("%s: message of %d characters", name, capability.Length(e.Message))
		}
		if !e.Details.Absent() {
			if value, issue := wide.Decode(e.Details); issue != nil {
				t.Errorf("%s: details %s: %v", name, e.Details, issue)
			} else if _, object := value.(map[string]any); !object {
				t.Errorf("%s: details are no object: %s", name, e.Details)
			}
		}
		if (info.Details == "none") != e.Details.Absent() && e.Code != capability.CodePreconditionFailed {
			t.Errorf("%s: details %q, the table has %q", name, e.Details, info.Details)
		}
		checkDetailNames(t, name, info, e)
		checkPayload(t, name, e)
	}
	if len(seen) != len(published) {
		t.Errorf("%d of %d codes have a constructor", len(seen), len(published))
	}
}

// checkDetailNames holds that details have only members that the table announces.
func checkDetailNames(t *testing.T, name string, info capability.CodeInfo, e *capability.Error) {
	t.Helper()
	if e.Code == capability.CodePreconditionFailed {
		return // the author's own
	}
	for _, member := range e.Details.Members() {
		if !strings.Contains(info.Details, member.Name) {
			t.Errorf("%s: details have %s, the table has %q", name, member.Name, info.Details)
		}
	}
}

func checkPayload(t *testing.T, name string, e *capability.Error) {
	t.Helper()
	var payload struct {
		Code    string          `json:"code"`
		Message string          `json:"message"`
		Retry   string          `json:"retry"`
		Details json.RawMessage `json:"details"`
	}
	text := e.JSON()
	if err := json.Unmarshal([]byte(text), &payload); err != nil || !utf8.ValidString(string(text)) {
		t.Errorf("%s: payload %q: %v", name, text, err)
	}
	if payload.Code != string(e.Code) || payload.Retry != string(e.Retry) || string(payload.Details) != string(e.Details) {
		t.Errorf("%s: payload %s", name, text)
	}
}

func TestWhatErrorsSay(t *testing.T) {
	tests := []struct {
		err     *capability.Error
		code    capability.Code
		retry   capability.Retry
		details string
	}{
		{capability.NotFound(), capability.CodeNotFound, capability.RetryAfterRefresh, ""},
		{capability.NotAvailable("no selection"), capability.CodeNotAvailable, capability.RetryAfterRefresh, `{"reason":"no selection"}`},
		{capability.AmbiguousInstance([]capability.Instance{{"a", "reg_1", "Left"}}), capability.CodeAmbiguousInstance, capability.RetryWithChanges,
			`{"instances":[{"instanceId":"a","registrationId":"reg_1","description":"Left"}]}`},
		{capability.Unmounted("resolve", ""), capability.CodeUnmounted, capability.RetryAfterRefresh, `{"phase":"resolve"}`},
		{capability.Unmounted("mid-flight", capability.NotStarted), capability.CodeUnmounted, capability.RetryAfterRefresh, `{"phase":"mid-flight","progress":"not-started"}`},
		{capability.Stale("surface-version-mismatch", ""), capability.CodeStale, capability.RetryAfterRefresh, `{"reason":"surface-version-mismatch"}`},
		{capability.Stale("registration-replaced", "reg_9"), capability.CodeStale, capability.RetryAfterRefresh, `{"reason":"registration-replaced","liveRegistrationId":"reg_9"}`},
		{capability.Conflict(), capability.CodeConflict, capability.RetryWithChanges, `{"reason":"id-reused-with-different-request"}`},
		{capability.InvalidInput([]capability.Issue{{Path: "a", Message: "m"}}, "site", "id"), capability.CodeInvalidInput, capability.RetryWithChanges,
			`{"issues":[{"path":"a","message":"m"}],"lockedFields":["site","id"]}`},
		{capability.NotAuthorized("server"), capability.CodeNotAuthorized, capability.RetryNo, `{"origin":"server"}`},
		{capability.BindingFailed(), capability.CodePreconditionFailed, capability.RetryAfterRefresh, `{"reason":"binding-failed"}`},
		{capability.ConfirmationRequired("cnf_1", "s", "t", capability.Destructive), capability.CodeConfirmationRequired, capability.RetryWithConfirmation,
			`{"confirmationId":"cnf_1","summary":"s","expiresAt":"t","effect":"destructive","origin":"client"}`},
		{capability.ConfirmationInvalid("expired"), capability.CodeConfirmationInvalid, capability.RetryWithConfirmation, `{"reason":"expired"}`},
		{capability.ConfirmationInvalid("consumed"), capability.CodeConfirmationInvalid, capability.RetryNo, `{"reason":"consumed"}`},
		{capability.RateLimited("rate", 1500*time.Millisecond), capability.CodeRateLimited, capability.RetryAfterDelay, `{"reason":"rate","retryAfterMs":1500}`},
		{capability.RateLimited("rate", time.Microsecond), capability.CodeRateLimited, capability.RetryAfterDelay, `{"reason":"rate","retryAfterMs":1}`},
		{capability.Timeout(250*time.Millisecond, true), capability.CodeTimeout, capability.RetryYes, `{"timeoutMs":250,"idempotent":true,"progress":"may-have-happened"}`},
		{capability.Timeout(time.Second, false), capability.CodeTimeout, capability.RetryNo, `{"timeoutMs":1000,"idempotent":false,"progress":"may-have-happened"}`},
		{capability.Cancelled(capability.NotStarted), capability.CodeCancelled, capability.RetryYes, `{"progress":"not-started"}`},
		{capability.Disposed(capability.NotStarted), capability.CodeCancelled, capability.RetryNo, `{"progress":"not-started"}`},
		{capability.ExecutionFailed(capability.ReasonHandlerError), capability.CodeExecutionFailed, capability.RetryNo, `{"reason":"handler-error"}`},
		{capability.ExecutionFailed(capability.ReasonOutputInvalid), capability.CodeExecutionFailed, capability.RetryNo, `{"reason":"output-invalid","progress":"done"}`},
		{capability.Transient(3 * time.Second), capability.CodeExecutionFailed, capability.RetryAfterDelay, `{"reason":"transport","transient":true,"retryAfterMs":3000}`},
	}
	for _, tt := range tests {
		if tt.err.Code != tt.code || tt.err.Retry != tt.retry || string(tt.err.Details) != tt.details {
			t.Errorf("%s %s %s, want %s %s %s", tt.err.Code, tt.err.Retry, tt.err.Details, tt.code, tt.retry, tt.details)
		}
	}
}

func TestErrorIsAnError(t *testing.T) {
	wrapped := fmt.Errorf("calling: %w", capability.PreconditionFailed("Select a row.", ""))
	var e *capability.Error
	if !errors.As(wrapped, &e) || e.Error() != "PRECONDITION_FAILED: Select a row." {
		t.Errorf("got %v", e)
	}
}

func TestDetail(t *testing.T) {
	e := capability.ConfirmationRequired("cnf_1", "s", "t", capability.Destructive)
	if e.Detail("confirmationId") != "cnf_1" || e.Detail("nothing") != "" {
		t.Errorf("Detail = %q, %q", e.Detail("confirmationId"), e.Detail("nothing"))
	}
	if got := capability.RateLimited("rate", time.Second).Detail("retryAfterMs"); got != "" {
		t.Errorf("a number is the text %q", got)
	}
	if got := capability.NotFound().Detail("reason"); got != "" {
		t.Errorf("absent details have a reason: %q", got)
	}
}

func TestNilIsNotThrown(t *testing.T) {
	var none *capability.Error
	if none.Thrown() {
		t.Error("a nil payload counts as one")
	}
}

func TestThrown(t *testing.T) {
	base := capability.Error{Code: capability.CodePreconditionFailed, Retry: capability.RetryWithChanges, Message: "Select a row first."}
	with := func(change func(*capability.Error)) *capability.Error {
		e := base
		change(&e)
		return &e
	}
	details := func(text string) *capability.Error {
		return with(func(e *capability.Error) { e.Details = capability.JSON(text) })
	}
	message := func(text string) *capability.Error {
		return with(func(e *capability.Error) { e.Message = text })
	}
	confirmation := func(text string) *capability.Error {
		return &capability.Error{Code: capability.CodeConfirmationRequired, Retry: capability.RetryWithConfirmation, Message: "m", Details: capability.JSON(text)}
	}
	tests := []struct {
		name string
		err  *capability.Error
		want bool
	}{
		{"plain", &base, true},
		{"the other retry of the table", with(func(e *capability.Error) { e.Retry = capability.RetryAfterRefresh }), true},
		{"a retry of another code", with(func(e *capability.Error) { e.Retry = capability.RetryYes }), false},
		{"no retry", with(func(e *capability.Error) { e.Retry = "" }), false},
		{"unknown code", with(func(e *capability.Error) { e.Code = "MADE_UP" }), false},
		{"no message", message(""), false},
		{"300 characters", message(strings.Repeat("é", 300)), true},
		{"301 characters", message(strings.Repeat("é", 301)), false},
		{"151 pairs", message(strings.Repeat("\U0001f600", 151)), false},
		{"details", details(`{"row":1}`), true},
		{"details of 2048 bytes", details(`{"a":"` + strings.Repeat("x", 2048-8) + `"}`), true},
		{"details of 2049 bytes", details(`{"a":"` + strings.Repeat("x", 2049-8) + `"}`), false},
		{"array", details(`[]`), false},
		{"text", details(`"a"`), false},
		{"null", details("null"), false},
		{"no JSON", details("{"), false},
		{"a name twice", details(`{"a":1,"a":2}`), false},
		{"lone surrogate", details(`{"a":"\ud800"}`), false},
		{"deep", details(`{"a":` + string(nested(100)) + `}`), false},
		{"confirmation of a server", confirmation(`{"origin":"server"}`), true},
		{"confirmation of a client", confirmation(`{"origin":"client"}`), false},
		{"confirmation of nobody", confirmation(""), false},
		{"confirmation in another place", confirmation(`{"a":{"origin":"server"}}`), false},
		{"confirmation, broken", confirmation(`{"origin":"server"`), false},
	}
	for _, tt := range tests {
		if got := tt.err.Thrown(); got != tt.want {
			t.Errorf("%s: Thrown = %v", tt.name, got)
		}
	}
	for name, e := range everyError() {
		info, _ := e.Code.Info()
		if e.Code == capability.CodeConfirmationRequired || len(e.Details) > 2048 {
			continue
		}
		if e.Thrown() != info.Throwable {
			t.Errorf("%s: Thrown = %v, the table has %v", name, e.Thrown(), info.Throwable)
		}
	}
}
