// Package adaptertest checks that an adapter keeps what every adapter promises: that it says who calls, that it follows
// the surface, that it passes on the tokens and the errors, that it leaves decisions to people, and that it ends. Any
// adapter can run the checks against itself, through a small port that it writes for the purpose.
//
// The checks look at an adapter only from its two ends: from the registry, and from the peer that it serves. They do
// not need package testing, so that adapters written in JavaScript can be driven through them too. (Source:
// adapters.md.)
package adaptertest

import (
	"fmt"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
)

// Adapter is one instance of an adapter under test, as its peer sees it. A check calls one method at a time.
type Adapter interface {
	// Start connects the adapter to a surface. It is called once.
	Start(at Place) error

	// Tools are what the peer is offered now. An adapter that tells its peer of changes gives what it told last; one
	// that is asked asks. After Stop there are none.
	Tools() ([]Tool, error)

	// Call is the peer calling a tool that it was offered, perhaps some time ago or by an adapter that has stopped. done
	// gets the answer, once.
	Call(tool Tool, input capability.JSON, call Call, done func(Answer))

	// Stop ends the adapter. It may be called again.
	Stop()
}

// Place is what an adapter is started on.
type Place struct {
	Registry *registry.Registry
	// Host is the registry's.
	Host     host.Host
	Consumer capability.Consumer
	// Scope is what the peer may see; empty for everything.
	Scope []string
}

// Tool is something that the peer is offered.
type Tool struct {
	// Name is what the peer calls it by; "" where peers use no names of an adapter's making.
	Name string
	// CapabilityID is what it stands for, as the adapter's map says.
	CapabilityID string
	// Description and InputSchema are what the peer may keep in its cache.
	Description string
	InputSchema capability.JSON
	// State is whatever else the peer is told of how things stand with the tool now, "" for nothing.
	State string
	// Ref is whatever the port needs to call it.
	Ref any
}

// Call is what belongs to a call beside its input.
type Call struct {
	// ID is the identity that the peer gives the call, "" for none.
	ID string
	// ConfirmationID is the evidence of a person's decision.
	ConfirmationID string
}

// Answer is what the peer is told in the end.
type Answer struct {
	// Output is absent when the tool gave nothing.
	Output capability.JSON
	// Error is what the peer can read of an error, nil when there was none.
	Error *capability.Error
}

// Traits are what adapters may do one way or the other. The zero Traits are those of an adapter that lists what is
// unavailable, lets its peer name calls, and whose calls wait for a person.
type Traits struct {
	// TwoPhase says that a call which a person must confirm ends with CONFIRMATION_REQUIRED.
	TwoPhase bool
	// OmitsUnavailable says that there is no tool for what cannot be used now.
	OmitsUnavailable bool
	// UnnamedCalls says that the peer cannot give a call an identity.
	UnnamedCalls bool
	// ResolvesAtCall says that a tool names a capability and no registration.
	ResolvesAtCall bool
}

// Subject is an adapter under test.
type Subject struct {
	// New makes an instance that is not started.
	New func() Adapter
	Traits
}

// Stage is where one check happens: a registry without components, made for it, and the power to let things happen.
type Stage struct {
	Registry *registry.Registry
	// Host is the registry's.
	Host host.Host
	// Settle lets everything happen that can without time passing: turns end and tasks run, a few times over.
	Settle func()
}

// Check is one thing that an adapter promises.
type Check struct {
	// Name is short and stable, and the same in JavaScript.
	Name string
	// Rule is the promise in a sentence.
	Rule string
	run  func(*bench) error
}

// Checks are all of them, in the order of the checklist.
func Checks() []Check {
	return []Check{
		{"consumer", "Every look and every call is made as the consumer that the adapter was started for.", (*bench).consumer},
		{"scope", "The peer is offered nothing outside the scope.", (*bench).scope},
		{"refresh", "The peer sees what comes and what goes.", (*bench).refresh},
		{"registration", "A tool means the registration that it was offered for, or nothing.", (*bench).registration},
		{"version", "A tool that cannot be taken back means the surface that it was offered on, or nothing.", (*bench).version},
		{"identity", "A call that is repeated under its identity runs once; another call does not pass for it.", (*bench).identity},
		{"errors", "The peer gets code, retry and details of an error unchanged.", (*bench).errors},
		{"confirmation", "Nothing runs before a person has said yes, and no decision is made in their place.", (*bench).confirmation},
		{"names", "Names are unique and safe, and each calls what the adapter's map says.", (*bench).names},
		{"state", "What changes from turn to turn is not in names, texts and schemas.", (*bench).state},
		{"stop", "After stopping, which can be done twice, nothing is offered, nothing runs, nobody waits and nothing is read.", (*bench).stop},
	}
}

// Run makes the check. The error says what the adapter did wrong; a panic of the adapter is one too. It must run where
// Settle may be called: on a page's kind of host in a flow that may wait, if Settle does.
func (c Check) Run(subject Subject, stage Stage) (err error) {
	b := newBench(subject, stage)
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("panicked: %v", cause)
		}
	}()
	return c.run(b)
}

// T is the part of testing.TB that Test uses.
type T interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Test makes every check on a fake host, and reports those that fail.
func Test(t T, subject Subject) {
	t.Helper()
	for _, check := range Checks() {
		stage, end := fakeStage(t)
		if err := check.Run(subject, stage); err != nil {
			t.Errorf("%s: %v\n  (%s)", check.Name, err, check.Rule)
		}
		end()
	}
}

// settleTurns is how many turns and tasks an adapter may take to do what is to be done now.
const settleTurns = 5

// fakeStage is a stage on which nothing happens but what the check makes happen.
func fakeStage(t T) (stage Stage, end func()) {
	t.Helper()
	clock := host.NewFake(time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC))
	r, err := registry.New(registry.Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test, Host: clock, Audit: audit.Discard(),
	})
	if err != nil {
		t.Fatalf("making a registry: %v", err)
	}
	settle := func() {
		for range settleTurns {
			clock.Turn()
		}
	}
	return Stage{Registry: r, Host: clock, Settle: settle}, func() {
		r.Dispose()
		clock.Close()
	}
}
