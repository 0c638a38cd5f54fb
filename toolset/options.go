package toolset

import (
	"fmt"
	"slices"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
)

// Mode is how capabilities become tools.
type Mode string

// The modes.
const (
	// Direct makes one tool of each capability.
	Direct Mode = "direct"
	// Meta makes three tools that discover, read and act. It is experimental.
	Meta Mode = "meta"
)

// Topology is where the model's loop runs.
type Topology string

// The topologies.
const (
	// Embedded is a loop in the page or the program itself: calls wait for a person.
	Embedded Topology = "embedded"
	// Remote is a loop at the other end of a transport: calls return CONFIRMATION_REQUIRED.
	Remote Topology = "remote"
)

// Confirmations is what a call does that a person must confirm.
type Confirmations string

// The ways to confirm.
const (
	// Wait keeps the call until the person has decided, and gives one final result.
	Wait Confirmations = "wait"
	// TwoPhase returns CONFIRMATION_REQUIRED. The host calls again with the confirmationId once the person has
	// decided.
	TwoPhase Confirmations = "two-phase"
)

// Budget bounds what surface_discover shows, when positive; components of low priority are left out first, and the
// model is told how many.
type Budget struct{ MaxComponents, MaxBytes int }

// Options configure a toolset. Consumer, and Topology or Confirmations, are required.
type Options struct {
	// Consumer is who calls: stable, and different from that of any other adapter of the registry.
	Consumer capability.Consumer
	// Mode is Direct when empty.
	Mode Mode
	// Topology decides Confirmations where that is empty: Embedded waits, Remote is two-phase.
	Topology      Topology
	Confirmations Confirmations
	// Scope admits component types by prefix, on segment borders; empty admits all. In meta mode it is a floor: the
	// model may narrow it. It limits what is discovered, not what may be called.
	Scope []string
	// Budget is for meta mode only: in direct mode tools would be missing without a sign.
	Budget *Budget
	// WaitTimeout bounds how long a call waits for a person when positive. After it the call ends with
	// CONFIRMATION_REQUIRED and the person may still decide. It has no effect on TwoPhase.
	WaitTimeout time.Duration

	// Host is the registry's port to the outside; nil means host.Native.
	Host host.Host
	// Log receives diagnostics for developers, when the registry's environment is development.
	Log func(text string)
	// Shelf is where toolsets of one registry leave what they know of it for the next; nil means nowhere.
	Shelf *Shelf
}

// OptionError says which option of New is missing or wrong.
type OptionError struct {
	// Option is its name as JavaScript writes it.
	Option string
	// Problem is a sentence about it.
	Problem string
}

// Error is "creating a toolset: " with the option and the problem.
func (e *OptionError) Error() string {
	return "creating a toolset: " + e.Option + ": " + e.Problem
}

// complete is o, checked, with every default filled in.
func (o Options) complete(r Registry) (Options, error) {
	if r == nil {
		return o, &OptionError{"registry", "a registry is required"}
	}
	o.Scope = slices.Clone(o.Scope)
	for _, check := range []func(*Options) *OptionError{
		(*Options).checkConsumer, (*Options).checkMode, (*Options).checkConfirmations, (*Options).checkScope, (*Options).checkBudget,
	} {
		if err := check(&o); err != nil {
			return o, err
		}
	}
	if o.Host == nil {
		o.Host = host.Native()
	}
	return o, nil
}

func (o *Options) checkConsumer() *OptionError {
	if !o.Consumer.Valid() {
		return &OptionError{"consumer", "a consumer with an id and a known kind is required"}
	}
	return nil
}

func (o *Options) checkMode() *OptionError {
	switch o.Mode {
	case "":
		o.Mode = Direct
	case Direct, Meta:
	default:
		return &OptionError{"mode", fmt.Sprintf("%q is not direct or meta", o.Mode)}
	}
	return nil
}

// checkConfirmations insists on a decision by the author: whether a model's call may hang on a person is not a
// default to be surprised by.
func (o *Options) checkConfirmations() *OptionError {
	switch o.Topology {
	case "", Embedded, Remote:
	default:
		return &OptionError{"topology", fmt.Sprintf("%q is not embedded or remote", o.Topology)}
	}
	switch o.Confirmations {
	case Wait, TwoPhase:
		return nil
	case "":
	default:
		return &OptionError{"confirmations", fmt.Sprintf("%q is not wait or two-phase", o.Confirmations)}
	}
	switch o.Topology {
	case Embedded:
		o.Confirmations = Wait
	case Remote:
		o.Confirmations = TwoPhase
	default:
		return &OptionError{"topology", "say where the model runs (embedded or remote), or set confirmations (wait or two-phase)"}
	}
	return nil
}

func (o *Options) checkScope() *OptionError {
	for i, prefix := range o.Scope {
		if prefix == "" {
			return &OptionError{fmt.Sprintf("scope[%d]", i), "a prefix must not be empty; leave scope out to admit everything"}
		}
	}
	return nil
}

func (o *Options) checkBudget() *OptionError {
	switch {
	case o.WaitTimeout < 0:
		return &OptionError{"waitTimeoutMs", "must not be negative"}
	case o.Budget == nil:
		return nil
	case o.Mode == Direct:
		return &OptionError{"budget", "is for meta mode only, since a direct catalog has no place to say what is missing; use scope"}
	case o.Budget.MaxComponents < 0 || o.Budget.MaxBytes < 0:
		return &OptionError{"budget", "must not be negative"}
	}
	budget := *o.Budget
	o.Budget = &budget
	return nil
}
