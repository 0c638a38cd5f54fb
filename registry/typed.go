package registry

import (
	"context"
	"fmt"
	"reflect"

	"github.com/pagewarden/pagewarden/capability"
)

// None is the input of a handler that takes nothing, and the output of one that gives nothing.
type None struct{}

// TypedAction is a with execute as its handler, in Go types. What a declares stays as it is; its schemas
// are the author's, or inferred from the types by package schema/infer.
//
// The validated input is decoded as encoding/json does, but member names are compared exactly, members
// that In has no field for are left out, and 1.0 and 1e2 fit integer fields. What does not fit In is
// INVALID_INPUT.
//
// The output is encoded as encoding/json does, but a nil slice is [], a nil map is {}, and an output that
// is a nil pointer or interface, or None, is no output. What JSON cannot carry (NaN, a channel, a function,
// a Go error, a struct of unexported fields, text that is not UTF-8, a cycle) is EXECUTION_FAILED with the
// reason output-invalid: the action has been carried out.
func TypedAction[In, Out any](a Action, execute func(context.Context, In, *Call) (Out, error)) Action {
	if execute != nil {
		a.Execute = TypedProcedure(execute)
	}
	return a
}

// TypedObservation is o with read as its handler, in Go types. The output is encoded as TypedAction says,
// except that an output that is a nil pointer or interface is null: an observation always has one.
func TypedObservation[Out any](o Observation, read func(context.Context, *Call) (Out, error)) Observation {
	if read == nil {
		return o
	}
	o.Read = TypedRead(read)
	return o
}

// TypedRead is read as the Read of an Observation or a Reading, with the encoding of TypedObservation.
func TypedRead[Out any](read func(context.Context, *Call) (Out, error)) func(context.Context, *Call) (capability.JSON, error) {
	return func(ctx context.Context, call *Call) (capability.JSON, error) {
		output, err := read(ctx, call)
		if err != nil {
			return "", err
		}
		text, err := encodeOutput(output)
		if err == nil && text.Absent() {
			text = "null"
		}
		return text, err
	}
}

// TypedPrecondition is check as an Action's Precondition. Input that does not fit In is INVALID_INPUT.
func TypedPrecondition[In any](check func(In, *Call) error) func(capability.JSON, *Call) error {
	names := newFieldNames()
	return func(text capability.JSON, call *Call) error {
		input, err := decodeInput[In](names, text)
		if err != nil {
			return err
		}
		return check(input, call)
	}
}

// TypedBind is bind as a ProcedureBinding's Bind. A value that JSON cannot carry is an error.
func TypedBind[Bound any](bind func() (Bound, error)) func() (capability.JSON, error) {
	return func() (capability.JSON, error) {
		bound, err := bind()
		if err != nil {
			return "", err
		}
		return encodeOutput(bound)
	}
}

// ProcedureFunc carries one procedure out, or executes one action.
type ProcedureFunc = func(ctx context.Context, input capability.JSON, call *Call) (capability.JSON, error)

// TypedProcedure is execute as a ProcedureFunc, with the decoding and encoding of TypedAction.
func TypedProcedure[In, Out any](execute func(context.Context, In, *Call) (Out, error)) ProcedureFunc {
	names := newFieldNames()
	return func(ctx context.Context, text capability.JSON, call *Call) (capability.JSON, error) {
		input, err := decodeInput[In](names, text)
		if err != nil {
			return "", err
		}
		output, err := execute(ctx, input, call)
		if err != nil {
			return "", err
		}
		return encodeOutput(output)
	}
}

// Procedures is an Executor that knows each procedure by its path. Any other path fails as a server that
// cannot be reached does. It must not be changed once a registry has it.
type Procedures map[string]ProcedureFunc

// Execute runs the procedure at path.
func (p Procedures) Execute(ctx context.Context, path string, input capability.JSON, call *Call) (capability.JSON, error) {
	execute := p[path]
	if execute == nil {
		return "", fmt.Errorf("executing %q: no such procedure", path)
	}
	return execute(ctx, input, call)
}

// decodeInput makes an In of a text that has been validated, so its syntax is sound.
func decodeInput[In any](names *fieldNames, text capability.JSON) (In, error) {
	var input In
	if _, none := any(input).(None); none {
		return input, nil
	}
	if text.Absent() {
		text = capability.EmptyObject
	}
	if issue := names.decode(text, &input); issue != nil {
		return input, capability.InvalidInput([]capability.Issue{*issue})
	}
	return input, nil
}

// encodeOutput is the output of a handler that has ended well; absent for None and for nil. The error says
// to the agent that the work is done, and to developers what is wrong with the output.
func encodeOutput[Out any](output Out) (capability.JSON, error) {
	switch known := any(output).(type) {
	case None:
		return "", nil
	case capability.JSON:
		return known, nil
	}
	copied := reflect.New(reflect.TypeFor[Out]()).Elem()
	copied.Set(reflect.ValueOf(&output).Elem())
	text, err := encode(copied)
	if err != nil {
		return "", fmt.Errorf("%w (encoding the output: %w)", capability.ExecutionFailed(capability.ReasonOutputInvalid), err)
	}
	return text, nil
}
