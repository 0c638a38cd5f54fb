package demo

import "fmt"

// Code names what is wrong with a request, in the API's JSON and in Go.
type Code string

// The codes that the store and the API give.
const (
	CodeInvalidInput         Code = "invalid_input"
	CodeInvalidJSON          Code = "invalid_json"
	CodeBodyTooLarge         Code = "body_too_large"
	CodeUnsupportedMediaType Code = "unsupported_media_type"
	CodeMethodNotAllowed     Code = "method_not_allowed"
	CodeForbiddenOrigin      Code = "forbidden_origin"
	CodeForbiddenHost        Code = "forbidden_host"
	CodeNotFound             Code = "not_found"
	CodeAlreadyDisabled      Code = "already_disabled"
	CodeAlreadyEnabled       Code = "already_enabled"
	CodeVersionConflict      Code = "version_conflict"
	CodeOutOfStock           Code = "out_of_stock"
	CodeUnavailable          Code = "unavailable"
	CodeBusy                 Code = "busy"
	CodeInternal             Code = "internal"
)

// Error is a refusal that a client can act on. Message is plain text for people. Field, if any, is the path of the
// offending input, such as "ids[2]".
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	Field   string `json:"field,omitempty"`
}

// Error returns the message with its code and field.
func (e *Error) Error() string {
	if e.Field == "" {
		return fmt.Sprintf("%s: %s", e.Code, e.Message)
	}
	return fmt.Sprintf("%s: %s (%s)", e.Code, e.Message, e.Field)
}

// Is reports whether target is an *Error with the same code, so that errors.Is(err, &Error{Code: CodeNotFound}) works.
func (e *Error) Is(target error) bool {
	other, ok := target.(*Error)
	return ok && other.Code == e.Code
}

// refuse builds an *Error. An empty field is left out of the JSON.
func refuse(code Code, field, format string, args ...any) *Error {
	return &Error{Code: code, Field: field, Message: fmt.Sprintf(format, args...)}
}
