package registry

import (
	"errors"
	"fmt"
)

// DefinitionCode says what kind of structural defect a definition has.
type DefinitionCode string

// The structural codes (registry.md, Options).
const (
	InvalidID           DefinitionCode = "INVALID_ID"
	InvalidDefinition   DefinitionCode = "INVALID_DEFINITION"
	UnsupportedSchema   DefinitionCode = "UNSUPPORTED_SCHEMA"
	PlaneViolation      DefinitionCode = "PLANE_VIOLATION"
	DuplicateCapability DefinitionCode = "DUPLICATE_CAPABILITY"
	LimitExceeded       DefinitionCode = "LIMIT_EXCEEDED"
)

// DefinitionError is a structural defect of what was to be registered: the author's mistake, in every
// environment. Where is the place in the definition, for example actions.poke.input.
type DefinitionError struct {
	Code   DefinitionCode
	Where  string
	Reason string

	cause error
}

// Unwrap is what refused the definition when that was its authority, a *contract.AdmissionError.
func (e *DefinitionError) Unwrap() error { return e.cause }

// Error is "[CODE] where: reason".
func (e *DefinitionError) Error() string {
	if e.Where == "" {
		return fmt.Sprintf("[%s] %s", e.Code, e.Reason)
	}
	return fmt.Sprintf("[%s] %s: %s", e.Code, e.Where, e.Reason)
}

func defect(code DefinitionCode, where, format string, args ...any) *DefinitionError {
	return &DefinitionError{Code: code, Where: where, Reason: fmt.Sprintf(format, args...)}
}

// IsDefinitionError reports whether err is a structural defect, and which.
func IsDefinitionError(err error) (*DefinitionError, bool) {
	var defect *DefinitionError
	ok := errors.As(err, &defect)
	return defect, ok
}

// ErrDisposed is what a registry answers after Dispose.
var ErrDisposed = errors.New("registry: disposed")
