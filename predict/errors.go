package predict

import (
	"fmt"

	"github.com/pagewarden/pagewarden/registry"
)

// ArgumentError is what is wrong with an argument: the caller's mistake, after which nothing has changed.
type ArgumentError struct {
	// Where is the place, for example patch[2].path.
	Where  string
	Reason string
	// Size says that something well-formed is too large: a RangeError in JavaScript, where the rest is a TypeError.
	Size bool
}

// Error is the place and the reason.
func (e *ArgumentError) Error() string { return e.Where + ": " + e.Reason }

func wrong(where, format string, args ...any) *ArgumentError {
	return &ArgumentError{Where: where, Reason: fmt.Sprintf(format, args...)}
}

func tooLarge(where, format string, args ...any) *ArgumentError {
	return &ArgumentError{Where: where, Reason: fmt.Sprintf(format, args...), Size: true}
}

func defect(code registry.DefinitionCode, where, format string, args ...any) error {
	return &registry.DefinitionError{Code: code, Where: where, Reason: fmt.Sprintf(format, args...)}
}
