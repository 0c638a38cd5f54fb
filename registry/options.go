package registry

import (
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
)

// DuplicateRule says what happens when a component is registered under a type and instance that are live.
type DuplicateRule string

// The duplicate rules.
const (
	RejectDuplicate  DuplicateRule = "reject"
	ReplaceDuplicate DuplicateRule = "replace"
)

// SuffixRule says what happens when a view capability X.Y is registered beside a domain path X.Y.
type SuffixRule string

// The suffix rules.
const (
	SuffixOff   SuffixRule = "off"
	SuffixWarn  SuffixRule = "warn"
	SuffixError SuffixRule = "error"
)

// Route is where in the application the user is, for snapshots.
type Route struct {
	Path string
	// Params is a JSON object or absent.
	Params capability.JSON
}

// Candidate is what a registration guard judges.
type Candidate struct {
	ComponentType string
	InstanceID    string
	Description   string
	Origin        string
	Meta          capability.JSON
	Internal      any
	CapabilityIDs []string
	// Stack is where the registration came from; in development only.
	Stack string
}

// Options configure a registry. Only Authority is required.
type Options struct {
	// Authority is the reviewed set of capabilities that the surface may not exceed.
	Authority *contract.Authority
	// Host is the port to the outside; nil means host.Native.
	Host host.Host
	// Environment is Production when empty.
	Environment capability.Environment
	// Context gives the application's context whenever policies or handlers run. A panic counts as an
	// empty context.
	Context func() policy.Host
	// Policies are the outermost layer.
	Policies []policy.Policy
	// Audit receives the trail; nil means a bounded memory sink, and in development Log besides.
	Audit audit.Sink
	// Redact changes payloads before any sink sees them.
	Redact audit.Redact
	// OnRegister refuses a registration by an error or a panic.
	OnRegister func(Candidate) error
	// OnDuplicateInstance is RejectDuplicate when empty.
	OnDuplicateInstance DuplicateRule
	// DuplicateSuffix is SuffixWarn when empty.
	DuplicateSuffix SuffixRule
	// Route gives the present route for snapshots; nil, or a nil route, leaves it out.
	Route func() *Route
	// Limits overrides the default limits when not nil.
	Limits *capability.Limits
	// Now is the clock; nil means the host's.
	Now func() time.Time
	// JavaScriptNumbers refuses input integers beyond ±2^53, which a JavaScript host would round.
	JavaScriptNumbers bool
	// Log receives diagnostics for developers, in development and test; nil means standard error in
	// development and nothing in test.
	Log func(text string)
}

// complete is o with every default filled in.
func (o Options) complete() (Options, error) {
	if o.Authority == nil {
		return o, errors.New("creating a registry: an authority is required: make one from the reviewed contract, or an open one to try things out")
	}
	if err := o.completeNames(); err != nil {
		return o, fmt.Errorf("creating a registry: %w", err)
	}
	if err := o.Authority.Use(o.Environment); err != nil {
		return o, fmt.Errorf("creating a registry: %w", err)
	}
	if o.Host == nil {
		o.Host = host.Native()
	}
	if o.Now == nil {
		o.Now = o.Host.Now
	}
	if o.Limits == nil {
		limits := capability.DefaultLimits()
		o.Limits = &limits
	}
	switch {
	case o.Environment == capability.Production, o.Log == nil && o.Environment == capability.Test:
		o.Log = func(string) {}
	case o.Log == nil:
		o.Log = func(text string) { fmt.Fprintln(os.Stderr, "pagewarden:", text) }
	}
	o.Log = unfailing(o.Log)
	if o.Audit == nil {
		o.Audit = defaultSink(o)
	}
	return o, nil
}

// unfailing is log for places that must go on whatever becomes of a diagnostic.
func unfailing(log func(string)) func(string) {
	return func(text string) {
		defer func() { _ = recover() }()
		log(text)
	}
}

// completeNames checks the options that take one of a few names, and fills in those with a default.
func (o *Options) completeNames() error {
	switch o.Environment {
	case "":
		o.Environment = capability.Production
	case capability.Development, capability.Production, capability.Test:
	default:
		return fmt.Errorf("environment %q: want development, production or test", o.Environment)
	}
	switch o.OnDuplicateInstance {
	case "":
		o.OnDuplicateInstance = RejectDuplicate
	case RejectDuplicate, ReplaceDuplicate:
	default:
		return fmt.Errorf("onDuplicateInstance %q: want reject or replace", o.OnDuplicateInstance)
	}
	switch o.DuplicateSuffix {
	case "":
		o.DuplicateSuffix = SuffixWarn
	case SuffixOff, SuffixWarn, SuffixError:
	default:
		return fmt.Errorf("duplicateSuffixPolicy %q: want off, warn or error", o.DuplicateSuffix)
	}
	return nil
}

func defaultSink(o Options) audit.Sink {
	memory := audit.NewMemory(0)
	if o.Environment != capability.Development {
		return memory
	}
	lines := audit.Lines(o.Log)
	return audit.SinkFunc(func(e audit.Event) {
		memory.Record(e)
		lines.Record(e)
	})
}
