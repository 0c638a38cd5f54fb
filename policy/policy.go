// Package policy is what decides whether a consumer sees a capability and may call it: the hooks of a
// policy, how the hooks of several compose, and the built-in policies.
package policy

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
)

// Decision is a policy's vote on whether a consumer sees a capability.
type Decision string

// The votes. The zero Decision exposes.
const (
	Expose  Decision = "expose"
	Disable Decision = "disable"
	Hide    Decision = "hide"
)

// Vote is a decision and, for Disable, the reason that the agent is told.
type Vote struct {
	Decision Decision
	Reason   string
}

// Host is the application's context (user, tenant …) as it is now.
type Host interface {
	// Lookup is the value under key; ok is false when there is none.
	Lookup(key string) (value any, ok bool)
}

// HostMap is a Host over a map.
type HostMap map[string]any

// Lookup is the map's.
func (m HostMap) Lookup(key string) (any, bool) {
	value, ok := m[key]
	return value, ok
}

// Context is what a policy is told of a capability and its caller. No agent input is reachable from it.
type Context struct {
	CapabilityID   string
	Plane          capability.Plane
	Kind           capability.Kind
	Effect         capability.Effect
	RegistrationID string
	Consumer       capability.Consumer
	Host           Host
	// ComponentMeta and CapabilityMeta are the authors' meta, JSON objects or absent.
	ComponentMeta, CapabilityMeta capability.JSON
	// Internal is the component's internal value, which no agent sees.
	Internal    any
	Environment capability.Environment
	// Now is the registry's clock.
	Now func() time.Time
	// OnSettle runs f when the call has its result, perhaps before the policy has decided: one that waits
	// for something else should stop then. f must not wait. Nil where no call is being made.
	OnSettle func(f func()) (stop func())
}

// InvokeContext is what a policy is told of one call, after its input was validated.
type InvokeContext struct {
	Context
	InvocationID string
	// EffectiveInput is the input that the handler would get, bound values included.
	EffectiveInput capability.JSON
}

// own is a copy for one hook, so that what a hook does to it changes nothing for the next one.
func (c *Context) own() *Context {
	own := *c
	own.Consumer.Grants = slices.Clone(c.Consumer.Grants)
	return &own
}

func (c *InvokeContext) own() *InvokeContext {
	own := *c
	own.Context = *c.Context.own()
	return &own
}

// Policy is a name and any of the hooks. A policy cannot change input, nor what other policies are told. Hooks may be called from several
// goroutines at once.
type Policy struct {
	Name string

	// OnDiscovery votes on whether the consumer sees the capability. It must not wait. An error hides.
	OnDiscovery func(*Context) (Vote, error)

	// OnAuthorize decides whether the caller may go on, before any input is looked at: it calls next once
	// and returns its error, or refuses with an error of its own. It may wait. Returning nil without
	// having called next refuses.
	OnAuthorize func(ctx *Context, next func() error) error

	// OnInvoke decides the same over the effective input.
	OnInvoke func(ctx *InvokeContext, next func() error) error

	// Raise, when set, raises the confirmation level of calls to required.
	Raise *Raise

	// Tap, when set, records the start and the settlement of calls apart from the registry's own trail.
	Tap *Tap
}

// Raise says when a policy asks for a person's confirmation and what it tells that person.
type Raise struct {
	// If limits the request to some calls; nil means all. A panic counts as true.
	If func(*InvokeContext) bool
	// Summary is the text for the person; nil or "" leaves the standard one.
	Summary func(*InvokeContext) string
}

// Tap is a sink of a policy's own.
type Tap struct {
	// Sink receives the events; nil means the registry's.
	Sink  audit.Sink
	Level capability.AuditLevel
}

// Phases are the names of the phases in which p takes part, as a contract writes them.
func (p *Policy) Phases() []string {
	phases := []string{}
	if p.OnDiscovery != nil {
		phases = append(phases, "discovery")
	}
	if p.OnAuthorize != nil {
		phases = append(phases, "authorize")
	}
	if p.OnInvoke != nil || p.Raise != nil || p.Tap != nil {
		phases = append(phases, "invoke")
	}
	return phases
}

// Ballot is one policy's vote as it was cast.
type Ballot struct {
	Policy string
	Vote   Vote
	// Threw is set when the hook failed, which hides.
	Threw bool
}

// Discover asks every policy, outermost first, and decides: any Hide wins, else the first Disable, else
// Expose.
func Discover(policies []Policy, ctx *Context) Vote {
	decided := Vote{Decision: Expose}
	for i := range policies {
		if policies[i].OnDiscovery == nil {
			continue
		}
		vote, _ := cast(&policies[i], ctx)
		if decided = decided.and(vote); decided.Decision == Hide {
			break
		}
	}
	return decided
}

// Tally is what Discover decides when the ballots are cast.
func Tally(ballots []Ballot) Vote {
	decided := Vote{Decision: Expose}
	for _, ballot := range ballots {
		decided = decided.and(ballot.Vote)
	}
	return decided
}

// and is what the votes so far and the next one come to.
func (v Vote) and(next Vote) Vote {
	switch {
	case v.Decision == Hide || next.Decision == Hide:
		return Vote{Decision: Hide}
	case v.Decision == Expose && next.Decision == Disable:
		return next
	}
	return v
}

// Ballots are the votes of the policies that have a discovery hook, outermost first. They are for people:
// an agent gets nothing but the outcome.
func Ballots(policies []Policy, ctx *Context) []Ballot {
	var ballots []Ballot
	for i := range policies {
		if policies[i].OnDiscovery == nil {
			continue
		}
		vote, threw := cast(&policies[i], ctx)
		ballots = append(ballots, Ballot{Policy: policies[i].Name, Vote: vote, Threw: threw})
	}
	return ballots
}

// cast asks one policy. Whatever is not a clear vote hides.
func cast(p *Policy, ctx *Context) (vote Vote, threw bool) {
	defer func() {
		if recover() != nil {
			vote, threw = Vote{Decision: Hide}, true
		}
	}()
	vote, err := p.OnDiscovery(ctx.own())
	switch {
	case err != nil:
		return Vote{Decision: Hide}, true
	case vote.Decision == "":
		vote.Decision = Expose
	case vote.Decision != Expose && vote.Decision != Disable && vote.Decision != Hide:
		vote = Vote{Decision: Hide}
	}
	return vote, false
}

// ErrNoDecision is the refusal by a policy that ended without calling next.
var ErrNoDecision = errors.New("policy: ended without calling next")

// ErrNextTwice is the failure of a policy that called next more than once.
var ErrNextTwice = errors.New("policy: called next twice")

// Authorize runs the OnAuthorize hooks, outermost first, each around those inside it.
func Authorize(policies []Policy, ctx *Context) error {
	return run(policies, func(p *Policy) hook {
		if p.OnAuthorize == nil {
			return nil
		}
		return func(next func() error) error { return p.OnAuthorize(ctx.own(), next) }
	})
}

// Invoke runs the OnInvoke hooks in the same way.
func Invoke(policies []Policy, ctx *InvokeContext) error {
	return run(policies, func(p *Policy) hook {
		if p.OnInvoke == nil {
			return nil
		}
		return func(next func() error) error { return p.OnInvoke(ctx.own(), next) }
	})
}

type hook func(next func() error) error

// run calls the hook of the first policy that has one, around the rest. The error of an inner policy stands
// even when an outer one swallows it.
func run(policies []Policy, pick func(*Policy) hook) error {
	for i := range policies {
		call := pick(&policies[i])
		if call == nil {
			continue
		}
		t := &turn{inner: func() error { return run(policies[i+1:], pick) }}
		err := guard(policies[i].Name, func() error { return call(t.next) })
		return t.end(err)
	}
	return nil
}

// turn is one call of one hook: what it made of its next.
type turn struct {
	inner func() error

	mu      sync.Mutex // not held while inner runs; a hook may call next from another goroutine
	calls   int
	ended   bool
	decided bool // inner has returned
	result  error
}

// next lets the inner policies decide. A hook that has ended, or has called it already, gets nothing from it.
func (t *turn) next() error {
	t.mu.Lock()
	late := t.ended
	t.calls++
	again := t.calls > 1
	t.mu.Unlock()
	switch {
	case late:
		return ErrNoDecision
	case again:
		return ErrNextTwice
	}
	err := t.inner()
	t.mu.Lock()
	defer t.mu.Unlock()
	t.decided, t.result = true, err
	return err
}

// end is what the hook's decision comes to, given what it returned.
func (t *turn) end(err error) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.ended = true
	switch {
	case t.calls > 1:
		return ErrNextTwice
	case err != nil:
		return err
	case !t.decided:
		return ErrNoDecision
	}
	return t.result
}

// guard turns a panic of an application's hook into an error, whose text reaches no agent.
func guard(name string, call func() error) (err error) {
	defer func() {
		if cause := recover(); cause != nil {
			err = fmt.Errorf("policy %q panicked: %v", name, cause)
		}
	}()
	return call()
}

// Asks reports whether the policy raises confirmation for this call.
func (r *Raise) Asks(ctx *InvokeContext) (asks bool) {
	if r.If == nil {
		return true
	}
	defer func() {
		if recover() != nil {
			asks = true
		}
	}()
	return r.If(ctx.own())
}

// Text is what the policy tells the person of this call, "" when it says nothing or fails.
func (r *Raise) Text(ctx *InvokeContext) (text string) {
	if r.Summary == nil {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = ""
		}
	}()
	return r.Summary(ctx.own())
}
