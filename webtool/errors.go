package webtool

import (
	"strings"

	"github.com/pagewarden/pagewarden/capability"
)

// The codes of results that are errors. A tool's own error has whatever code its author gave it, and what the pipeline
// refuses without a code of its own here keeps the pipeline's.
const (
	CodeInvalidInput = "invalid_input"
	CodeUnavailable  = "unavailable"
	CodeDenied       = "denied"
	CodeExpired      = "expired"
	CodeFailed       = "failed"
)

// The fixed messages, written for a model.
const (
	messageFailed  = "The tool failed. Something may have happened: look at the page before you call it again."
	messageDenied  = "The person did not confirm this on the page. Do not try again unless they ask for it."
	messageExpired = "Nobody confirmed this on the page in time. Ask the person before you call again."
)

const (
	maxCode    = 64
	maxMessage = 300
)

// Error is what a tool answers with when it wants the agent to know why: a code and a message of its own. Prepare and
// Execute return it.
type Error struct {
	// Code is 1 to 64 characters.
	Code string
	// Message is for a model; at most 300 characters of it are used.
	Message string
}

// Error is the code and the message.
func (e *Error) Error() string { return e.Code + ": " + e.Message }

// As makes the error one that the pipeline passes on.
func (e *Error) As(target any) bool {
	payload, ok := target.(**capability.Error)
	if ok {
		*payload = e.Payload()
	}
	return ok
}

// Payload is the error as the pipeline carries it, and as whoever calls the tool's capability sees it: the tool's code
// is in the details.
func (e *Error) Payload() *capability.Error {
	code, message := e.Code, capability.Cut(e.Message, maxMessage)
	if code == "" || capability.Length(code) > maxCode {
		code = CodeFailed
	}
	if strings.TrimSpace(message) == "" {
		message = messageFailed
	}
	var details capability.ObjectWriter
	switch code {
	case CodeInvalidInput:
		details.Text("code", code)
		return &capability.Error{Code: capability.CodeInvalidInput, Message: message, Retry: capability.RetryWithChanges, Details: details.JSON()}
	case CodeUnavailable:
		details.Text("reason", message)
		details.Text("code", code)
		return &capability.Error{Code: capability.CodeNotAvailable, Message: message, Retry: capability.RetryAfterRefresh, Details: details.JSON()}
	}
	details.Text("reason", capability.ReasonHandlerError)
	details.Text("code", code)
	return &capability.Error{Code: capability.CodeExecutionFailed, Message: message, Retry: capability.RetryNo, Details: details.JSON()}
}

// errorOf is what a refusal of the pipeline means to whoever called the tool. keeps says that it has no code of its own
// here, so that the whole payload is passed on.
func errorOf(e *capability.Error) (own Error, keeps bool) {
	reason, code := e.Detail("reason"), e.Detail("code")
	switch e.Code {
	case capability.CodeInvalidInput:
		return Error{CodeInvalidInput, invalidMessage(e)}, false
	case capability.CodeNotAvailable:
		if code == CodeUnavailable {
			return Error{code, e.Message}, false
		}
	case capability.CodeConfirmationInvalid:
		switch reason {
		case "denied":
			return Error{CodeDenied, messageDenied}, false
		case "expired":
			return Error{CodeExpired, messageExpired}, false
		}
	case capability.CodeExecutionFailed:
		switch {
		case reason == capability.ReasonHandlerError && code != "":
			return Error{code, e.Message}, false
		case reason == capability.ReasonHandlerError, reason == capability.ReasonOutputInvalid:
			return Error{CodeFailed, messageFailed}, false
		}
	}
	return Error{string(e.Code), e.Message}, true
}

// invalidMessage says what is wrong with an input, as far as that fits.
func invalidMessage(e *capability.Error) string {
	const lead = "The input is not valid: "
	var text strings.Builder
	for _, issue := range issuesOf(e) {
		one := issue.Error()
		if text.Len() == 0 {
			one = lead + one
		} else {
			one = "; " + one
		}
		if capability.Length(text.String()+one) > maxMessage-len(" …") {
			text.WriteString(" …")
			break
		}
		text.WriteString(one)
	}
	if text.Len() == 0 {
		return e.Message
	}
	return capability.Cut(text.String(), maxMessage)
}

func issuesOf(e *capability.Error) []capability.Issue {
	var issues []capability.Issue
	for _, member := range e.Details.Members() {
		if member.Name != "issues" {
			continue
		}
		for _, element := range member.Value.Elements() {
			var issue capability.Issue
			for _, part := range element.Members() {
				switch text, _ := part.Value.Text(); part.Name {
				case "path":
					issue.Path = text
				case "message":
					issue.Message = text
				}
			}
			issues = append(issues, issue)
		}
	}
	return issues
}
