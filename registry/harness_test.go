package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreAnyFunction("runtime.handleEvent")) // Go's own, in a page
}

// dawn is when a synctest bubble begins; the fake host begins there too, so that both tell the same times.
var dawn = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

// driver is a host together with the power to let time pass.
type driver interface {
	host.Host
	// settle runs everything that can run without time passing or a task ending.
	settle()
	// turn lets one task run.
	turn()
	// advance lets d pass.
	advance(d time.Duration)
}

type loopDriver struct{ *host.Fake }

func (d loopDriver) settle()                 { d.Settle() }
func (d loopDriver) turn()                   { d.Turn() }
func (d loopDriver) advance(t time.Duration) { d.Advance(t) }

// bubbleDriver is the native host inside a synctest bubble. A task comes after all that can run now, which the
// bubble's clock makes exact.
type bubbleDriver struct{ host.Host }

func (bubbleDriver) Task(f func()) { time.AfterFunc(time.Nanosecond, f) }

func (bubbleDriver) settle()                 { synctest.Wait() }
func (bubbleDriver) turn()                   { time.Sleep(2 * time.Nanosecond); synctest.Wait() }
func (bubbleDriver) advance(t time.Duration) { time.Sleep(t); synctest.Wait() }

// onBothHosts runs a test on the page's kind of host and on the native one.
func onBothHosts(t *testing.T, test func(t *testing.T, on driver)) {
	t.Run("loop", func(t *testing.T) {
		fake := host.NewFake(dawn)
		defer fake.Close()
		test(t, loopDriver{fake})
	})
	t.Run("native", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(t, bubbleDriver{host.Native()}) })
	})
}

// onLoop runs a test on the page's kind of host only: for what depends on turns.
func onLoop(t *testing.T) driver {
	fake := host.NewFake(dawn)
	t.Cleanup(fake.Close)
	return loopDriver{fake}
}

// world is a registry under test and all that it told.
type world struct {
	*Registry
	t     testing.TB
	on    driver
	trail *audit.Memory

	mu     sync.Mutex
	events []string
	logs   []string
}

// newWorld makes a registry on a host. The options may be changed before it is made.
func newWorld(t testing.TB, on driver, change ...func(*Options)) *world {
	t.Helper()
	w := &world{t: t, on: on, trail: audit.NewMemory(0)}
	options := Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{AllowInProduction: true}), Environment: capability.Development,
		Host: on, Audit: w.trail, Log: w.log,
	}
	for _, c := range change {
		c(&options)
	}
	r, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	w.Registry = r
	r.Subscribe(w.hear)
	t.Cleanup(r.Dispose)
	return w
}

func limited(set func(*capability.Limits)) func(*Options) {
	return func(o *Options) {
		limits := capability.DefaultLimits()
		set(&limits)
		o.Limits = &limits
	}
}

func (w *world) log(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.logs = append(w.logs, text)
}

func (w *world) hear(e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.events = append(w.events, eventLine(e))
}

// eventLine is an event without what differs from run to run.
func eventLine(e Event) string {
	parts := []string{string(e.Type)}
	for _, part := range []string{e.SurfaceVersion, e.ComponentType, e.Reason, e.CapabilityID, e.ViewCapabilityID, e.Status, string(e.Code), e.Outcome} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if e.Type == AvailabilityChanged {
		parts = append(parts, fmt.Sprint(e.Available))
	}
	return strings.Join(parts, " ")
}

// heard are the events since it was last asked.
func (w *world) heard() []string {
	w.on.settle()
	w.mu.Lock()
	defer w.mu.Unlock()
	events := w.events
	w.events = nil
	return events
}

func (w *world) logged(part string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return strings.Contains(strings.Join(w.logs, "\n"), part)
}

// wantHeard asserts the events since the last question, surface-changed left out.
func (w *world) wantHeard(want ...string) {
	w.t.Helper()
	var got []string
	for _, e := range w.heard() {
		if !strings.HasPrefix(e, string(SurfaceChanged)) {
			got = append(got, e)
		}
	}
	wantLines(w.t, "events", got, want)
}

// wantTrail asserts the audit trail since the beginning, as audit.Event.String writes it.
func (w *world) wantTrail(want ...string) {
	w.t.Helper()
	var got []string
	for _, e := range w.trail.Events() {
		got = append(got, e.String())
	}
	wantLines(w.t, "trail", got, want)
}

func wantLines(t testing.TB, what string, got, want []string) {
	t.Helper()
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("%s:\n  %s\nwant:\n  %s", what, strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
}

func want[T comparable](t testing.TB, what string, got, want T) {
	t.Helper()
	if got != want {
		t.Errorf("%s is %v, want %v", what, got, want)
	}
}

// mount registers a component that must become live.
func (w *world) mount(c *Component) *Handle {
	w.t.Helper()
	handle, err := w.Register(c)
	if err != nil {
		w.t.Fatal(err)
	}
	if handle.Status() != Active {
		w.t.Fatalf("%s is %s (%s)", c.Type, handle.Status(), handle.Reason())
	}
	return handle
}

// look is the snapshot for a consumer.
func (w *world) look(change ...func(*SnapshotOptions)) *Snapshot {
	w.t.Helper()
	var options SnapshotOptions
	for _, c := range change {
		c(&options)
	}
	snapshot, err := w.Snapshot(options)
	if err != nil {
		w.t.Fatal(err)
	}
	return snapshot
}

// pending is a call that was made.
type pending struct {
	w     *world
	scope *host.Scope
	mu    sync.Mutex
	got   []Result
}

// call begins a call and lets run what can.
func (w *world) call(q Request, change ...func(*InvokeOptions)) *pending {
	var options InvokeOptions
	for _, c := range change {
		c(&options)
	}
	p := &pending{w: w, scope: host.NewScope(context.Background())}
	w.Start(p.scope, q, options, func(result Result) {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.got = append(p.got, result)
	})
	w.on.settle()
	return p
}

// invoke makes a call that ends without time passing.
func (w *world) invoke(id string, input capability.JSON, change ...func(*InvokeOptions)) Result {
	w.t.Helper()
	return w.call(Request{CapabilityID: id, Input: input}, change...).result()
}

func as(kind capability.ConsumerKind, id string, grants ...string) func(*InvokeOptions) {
	return func(o *InvokeOptions) { o.Consumer = capability.Consumer{ID: id, Kind: kind, Grants: grants} }
}

func within(d time.Duration) func(*InvokeOptions) {
	return func(o *InvokeOptions) { o.Timeout = d }
}

func (p *pending) cancel() {
	p.scope.Cancel(errors.New("not wanted any more"))
	p.w.on.settle()
}

func (p *pending) over() bool {
	p.w.on.settle()
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.got) > 0
}

// result is the one result of a call that must be over.
func (p *pending) result() Result {
	p.w.t.Helper()
	p.w.on.settle()
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.got) != 1 {
		p.w.t.Fatalf("the call has %d results, want 1: %v", len(p.got), p.got)
	}
	return p.got[0]
}

func (p *pending) wantPending() {
	p.w.t.Helper()
	if p.over() {
		p.w.t.Fatalf("the call is over: %s", p.result().JSON())
	}
}

func (p *pending) wantOK(output capability.JSON) { p.w.t.Helper(); wantOK(p.w.t, p.result(), output) }

func (p *pending) wantError(code capability.Code, details ...string) *capability.Error {
	p.w.t.Helper()
	return wantError(p.w.t, p.result(), code, details...)
}

func wantOK(t testing.TB, r Result, output capability.JSON) {
	t.Helper()
	if !r.OK() || r.Output != output {
		t.Fatalf("got %s, want ok with %q", r.JSON(), output)
	}
}

// wantError asserts the code, that the retry is one of the code's, and details given as name=value.
func wantError(t testing.TB, r Result, code capability.Code, details ...string) *capability.Error {
	t.Helper()
	if r.OK() || r.Error.Code != code {
		t.Fatalf("got %s, want %s", r.JSON(), code)
	}
	if info, _ := code.Info(); !strings.Contains(fmt.Sprint(info.Retry), string(r.Error.Retry)) {
		t.Errorf("%s has retry %s, want one of %v", code, r.Error.Retry, info.Retry)
	}
	if !r.Error.Details.Absent() && !json.Valid([]byte(r.Error.Details)) {
		t.Errorf("details are not JSON: %s", r.Error.Details)
	}
	for _, d := range details {
		name, value, _ := strings.Cut(d, "=")
		if got := detail(r.Error, name); got != value {
			t.Errorf("details.%s is %q, want %q in %s", name, got, value, r.Error.Details)
		}
	}
	return r.Error
}

// detail is a member of the details: a text as itself, everything else as JSON.
func detail(e *capability.Error, name string) string {
	for _, member := range e.Details.Members() {
		if member.Name == name {
			if text, ok := member.Value.Text(); ok {
				return text
			}
			return string(member.Value)
		}
	}
	return ""
}

// wantRetry asserts the advice that an error gives.
func wantRetry(t testing.TB, e *capability.Error, retry capability.Retry) {
	t.Helper()
	want(t, "retry of "+string(e.Code), e.Retry, retry)
}

// gate is a handler that waits until the test lets it go.
type gate struct {
	on host.Host
	// obeys makes the handler end with an error when its signal is aborted.
	obeys bool

	mu       sync.Mutex
	passages []*passage
}

type passage struct {
	input  capability.JSON
	call   *Call
	signal context.Context
	output capability.JSON
	err    error
	done   bool
	waiter host.Waiter
}

func newGate(on host.Host) *gate { return &gate{on: on} }

var errAborted = errors.New("aborted: the secret path /etc/shadow")

func (g *gate) run(ctx context.Context, input capability.JSON, call *Call) (capability.JSON, error) {
	p := &passage{input: input, call: call, signal: ctx, waiter: g.on.Waiter()}
	g.mu.Lock()
	g.passages = append(g.passages, p)
	obeys := g.obeys
	g.mu.Unlock()
	if obeys {
		defer host.Watch(ctx, func() { g.finish(p, "", errAborted) })()
	}
	defer call.OnSettle(func() {})()
	for {
		g.mu.Lock()
		done, output, err := p.done, p.output, p.err
		g.mu.Unlock()
		if done {
			return output, err
		}
		p.waiter.Park()
	}
}

func (g *gate) read(ctx context.Context, call *Call) (capability.JSON, error) {
	return g.run(ctx, "", call)
}

func (g *gate) finish(p *passage, output capability.JSON, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !p.done {
		p.done, p.output, p.err = true, output, err
		p.waiter.Wake()
	}
}

// started is how many handlers have begun.
func (g *gate) started() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.passages)
}

func (g *gate) passage(i int) *passage {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.passages[i]
}

func (g *gate) release(w *world, i int, output capability.JSON) {
	g.finish(g.passage(i), output, nil)
	w.on.settle()
}

func (g *gate) fail(w *world, i int, err error) {
	g.finish(g.passage(i), "", err)
	w.on.settle()
}

// openAll lets every handler go, at the end of a test.
func (g *gate) openAll(w *world) {
	for i := range g.started() {
		g.release(w, i, "")
	}
}

const (
	anyObject  = capability.JSON(`{"type":"object"}`)
	anyValue   = capability.JSON(`{}`)
	noInput    = capability.JSON(`{"type":"object","properties":{},"additionalProperties":false}`)
	idsInput   = capability.JSON(`{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string"}}},"required":["ids"],"additionalProperties":false}`)
	readState  = "view:bench.widget.readState"
	poke       = "view:bench.widget.poke"
	removeItem = "domain:items.remove"
)

// widget is a component of type bench.widget with the given parts.
func widget(parts ...any) *Component {
	c := &Component{Type: "bench.widget", Description: "A widget"}
	for _, part := range parts {
		switch part := part.(type) {
		case Observation:
			c.Observations = append(c.Observations, part)
		case Action:
			c.Actions = append(c.Actions, part)
		case ProcedureBinding:
			c.Procedures = append(c.Procedures, part)
		case policy.Policy:
			c.Policies = append(c.Policies, part)
		case func(*Component):
			part(c)
		default:
			panic(fmt.Sprintf("a widget has no part %T", part))
		}
	}
	return c
}

func instance(id string) func(*Component) { return func(c *Component) { c.InstanceID = id } }
func ofType(t string) func(*Component)    { return func(c *Component) { c.Type = t } }

type (
	runFunc  = func(context.Context, capability.JSON, *Call) (capability.JSON, error)
	readFunc = func(context.Context, *Call) (capability.JSON, error)
)

func observation(name string, read readFunc) Observation {
	return Observation{Name: name, Description: "Reads " + name, Output: Schema{Document: anyValue}, Read: read}
}

func action(name string, run runFunc) Action {
	return Action{Name: name, Description: "Does " + name, Effect: capability.LocalState, Input: Schema{Document: anyObject}, Execute: run}
}

func procedure(path string, effect capability.Effect) ProcedureBinding {
	return ProcedureBinding{Ref: ProcedureRef{Path: path, Description: "Calls " + path, Effect: effect, Input: Schema{Document: anyObject}}}
}

func echo(_ context.Context, input capability.JSON, _ *Call) (capability.JSON, error) {
	return input, nil
}

func gives(value capability.JSON) readFunc {
	return func(context.Context, *Call) (capability.JSON, error) { return value, nil }
}

// plain is a widget with one observation and one action that end at once.
func plain() *Component {
	return widget(observation("readState", gives(`{"n":1}`)), action("poke", echo))
}

// always is a policy whose discovery votes the same every time.
func always(decision policy.Decision, reason string) policy.Policy {
	return policy.Policy{Name: "always-" + string(decision), OnDiscovery: func(*policy.Context) (policy.Vote, error) {
		return policy.Vote{Decision: decision, Reason: reason}, nil
	}}
}

// onlyFor hides from everybody but one consumer.
func onlyFor(consumerID string) policy.Policy {
	return policy.Policy{Name: "only-for", OnDiscovery: func(c *policy.Context) (policy.Vote, error) {
		if c.Consumer.ID != consumerID {
			return policy.Vote{Decision: policy.Hide}, nil
		}
		return policy.Vote{}, nil
	}}
}

type contextArg = context.Context

func (r Result) wantCode(t testing.TB, code capability.Code) { t.Helper(); wantError(t, r, code) }

// answering is an executor that gives output at once.
func answering(output capability.JSON) Executor {
	return ExecutorFunc(func(context.Context, string, capability.JSON, *Call) (capability.JSON, error) { return output, nil })
}

// wantNoSecret asserts that no text of an unknown cause reached the agent.
func wantNoSecret(t testing.TB, e *capability.Error) {
	t.Helper()
	for _, secret := range []string{"secret", "/etc/shadow", "panicked", "goroutine", "SELECT"} {
		if strings.Contains(string(e.JSON()), secret) {
			t.Errorf("the error tells of its cause: %s", e.JSON())
		}
	}
}

func newScope() *host.Scope { return host.NewScope(context.Background()) }

func newCancelledScope() *host.Scope {
	scope := newScope()
	scope.Cancel(errors.New("not wanted"))
	return scope
}
