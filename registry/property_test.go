package registry

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
)

// smallLimits make every bound reachable within a few steps.
func smallLimits() *capability.Limits {
	limits := capability.DefaultLimits()
	limits.ActionQueueDepth = 1
	limits.MaxConcurrentObservationsPerConsumer, limits.MaxConcurrentObservationsTotal, limits.MaxQueuedObservationsPerConsumer = 2, 3, 1
	limits.DedupeCacheSize, limits.DedupeCacheTTL = 4, 20*time.Second
	limits.TombstoneSize, limits.TombstoneTTL = 2, 10*time.Second
	limits.ConfirmationTTL, limits.MaxPendingConfirmations, limits.MaxPendingConfirmationsPerConsumer = 8*time.Second, 3, 2
	limits.ObservationTimeout, limits.ActionTimeout, limits.ProcedureTimeout = 3*time.Second, 4*time.Second, 5*time.Second
	return &limits
}

// machine drives a registry through any interleaving, and knows what must stay true.
type machine struct {
	t       *rapid.T
	on      *host.Fake
	r       *Registry
	gate    *gate
	limits  *capability.Limits
	handles []*Handle
	calls   []*modelCall
	asked   []*evidence
	version uint64
	started map[string]int // by consumer and invocation id
	settled map[string]int
	used    map[string]bool
	failure string
}

// modelCall is one request, and the results that it got.
type modelCall struct {
	request  Request
	consumer string
	scope    *host.Scope
	results  []Result
}

// evidence is a record that the model knows of, and what it was asked for.
type evidence struct {
	id       string
	request  Request
	consumer string
	approved bool
}

func newMachine(t *rapid.T, on *host.Fake) *machine {
	m := &machine{
		t: t, on: on, gate: newGate(on), limits: smallLimits(),
		started: map[string]int{}, settled: map[string]int{}, used: map[string]bool{},
	}
	r, err := New(Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test, Host: on, Limits: m.limits,
		OnDuplicateInstance: rapid.SampledFrom([]DuplicateRule{RejectDuplicate, ReplaceDuplicate}).Draw(t, "duplicates"),
	})
	if err != nil {
		t.Fatal(err)
	}
	m.r = r
	r.Subscribe(func(e Event) {
		switch e.Type {
		case InvocationStarted:
			m.started[e.InvocationID]++
		case InvocationSettled:
			m.settled[e.InvocationID]++
		}
	})
	r.SetExecutor(ExecutorFunc(m.execute))
	return m
}

// execute is where a procedure runs: nothing that must be confirmed gets here without an approval of
// exactly this, used for the first time.
func (m *machine) execute(ctx context.Context, path string, input capability.JSON, call *Call) (capability.JSON, error) {
	if path == "items.remove" {
		m.checkApproval(input, call)
	}
	return m.gate.run(ctx, input, call)
}

func (m *machine) checkApproval(input capability.JSON, call *Call) {
	if call.Confirmation == nil {
		m.failure = "a handler ran without an approval"
		return
	}
	id := call.Confirmation.ID
	known := slices.IndexFunc(m.asked, func(e *evidence) bool { return e.id == id })
	switch {
	case known < 0 || !m.asked[known].approved:
		m.failure = "a handler ran on a record that nobody approved"
	case m.asked[known].request.Input != input || m.asked[known].consumer != call.Consumer.ID:
		m.failure = "a handler ran on an approval of something else"
	case m.used[id]:
		m.failure = "an approval was used twice"
	}
	m.used[id] = true
}

func (m *machine) component() *Component {
	read := observation("readState", m.gate.read)
	move := navigation("go", m.gate.run)
	again := procedure("items.find", capability.ServerQuery)
	again.Concurrency = Concurrency{Mode: Parallel, Max: 2}
	c := widget(read, action("poke", m.gate.run), move, again, procedure("items.remove", capability.Destructive))
	c.Type = rapid.SampledFrom([]string{"a", "b"}).Draw(m.t, "type")
	c.InstanceID = rapid.SampledFrom([]string{"one", "two"}).Draw(m.t, "instance")
	return c
}

func (m *machine) Register(*rapid.T) {
	handle, err := m.r.Register(m.component())
	if err != nil {
		m.t.Fatal(err)
	}
	m.handles = append(m.handles, handle)
}

func (m *machine) handle() *Handle {
	if len(m.handles) == 0 {
		m.t.Skip("nothing is registered")
	}
	return rapid.SampledFrom(m.handles).Draw(m.t, "handle")
}

func (m *machine) Update(*rapid.T) {
	enabled := rapid.Bool().Draw(m.t, "enabled")
	update := Update{Enabled: &enabled, Availability: map[string]Availability{"poke": {Available: rapid.Bool().Draw(m.t, "poke")}}}
	if err := m.handle().Update(update); err != nil {
		m.t.Fatal(err)
	}
}

func (m *machine) Unregister(*rapid.T) { m.handle().Unregister() }

func (m *machine) Invoke(*rapid.T) {
	q := Request{
		CapabilityID: rapid.SampledFrom([]string{"view:a.readState", "view:a.poke", "view:b.go", "domain:items.find", "domain:items.remove", "domain:items.remove", "view:no.such"}).Draw(m.t, "capability"),
		InvocationID: rapid.SampledFrom([]string{"", "", "i1", "i2", "i3"}).Draw(m.t, "invocation"),
		InstanceID:   rapid.SampledFrom([]string{"", "one", "two"}).Draw(m.t, "instance"),
		Input:        rapid.SampledFrom([]capability.JSON{`{}`, `{"n":1}`, `[]`}).Draw(m.t, "input"),
	}
	consumer := rapid.SampledFrom([]string{"x", "y"}).Draw(m.t, "consumer")
	m.invoke(q, consumer)
}

// Confirm repeats a call with evidence, mostly of its own.
func (m *machine) Confirm(*rapid.T) {
	if len(m.asked) == 0 {
		m.t.Skip("nothing was asked")
	}
	e := rapid.SampledFrom(m.asked).Draw(m.t, "evidence")
	q := e.request
	q.InvocationID, q.ConfirmationID = "", e.id
	consumer := e.consumer
	switch rapid.IntRange(0, 7).Draw(m.t, "lie") {
	case 0:
		q.Input = `{"n":2}`
	case 1:
		consumer = "y"
	case 2:
		q.CapabilityID = "domain:items.find"
	}
	m.invoke(q, consumer)
}

func (m *machine) invoke(q Request, consumer string) {
	call := &modelCall{request: q, consumer: consumer, scope: host.NewScope(context.Background())}
	m.calls = append(m.calls, call)
	who := capability.Consumer{ID: consumer, Kind: capability.TestConsumer}
	m.r.Start(call.scope, q, InvokeOptions{Consumer: who}, func(result Result) {
		call.results = append(call.results, result)
		if result.Error != nil && result.Error.Code == capability.CodeConfirmationRequired {
			m.learn(call, result.Error.Detail("confirmationId"))
		}
	})
	m.on.Run()
}

// learn remembers a record; one that is asked for again is the same.
func (m *machine) learn(call *modelCall, id string) {
	for _, e := range m.asked {
		if e.id == id {
			return
		}
	}
	q := call.request
	q.InvocationID, q.ConfirmationID = "", ""
	m.asked = append(m.asked, &evidence{id: id, request: q, consumer: call.consumer})
}

func (m *machine) Approve(*rapid.T) { m.resolve(true) }
func (m *machine) Deny(*rapid.T)    { m.resolve(false) }

func (m *machine) resolve(approved bool) {
	if len(m.asked) == 0 {
		m.t.Skip("nothing was asked")
	}
	e := rapid.SampledFrom(m.asked).Draw(m.t, "record")
	if m.r.Confirmations().Resolve(e.id, approved) && approved {
		e.approved = true
	}
}

func (m *machine) Expire(*rapid.T) {
	if len(m.asked) == 0 {
		m.t.Skip("nothing was asked")
	}
	e := rapid.SampledFrom(m.asked).Draw(m.t, "record")
	if m.r.Confirmations().ForceExpire(e.id) {
		e.approved = false
	}
}

func (m *machine) Cancel(*rapid.T) {
	if len(m.calls) == 0 {
		m.t.Skip("nothing was called")
	}
	rapid.SampledFrom(m.calls).Draw(m.t, "call").scope.Cancel(errors.New("not wanted"))
	m.on.Run()
}

func (m *machine) Finish(*rapid.T) {
	if m.gate.started() == 0 {
		m.t.Skip("nothing runs")
	}
	i := rapid.IntRange(0, m.gate.started()-1).Draw(m.t, "handler")
	m.gate.finish(m.gate.passage(i), `1`, rapid.SampledFrom([]error{nil, errAborted}).Draw(m.t, "error"))
	m.on.Run()
}

func (m *machine) Advance(*rapid.T) {
	m.on.Advance(time.Duration(rapid.IntRange(1, 6000).Draw(m.t, "ms")) * time.Millisecond)
}

func (m *machine) Turn(*rapid.T)       { m.on.Turn() }
func (m *machine) Settle(*rapid.T)     { m.on.Settle() }
func (m *machine) Invalidate(*rapid.T) { m.r.Invalidate() }

func (m *machine) Look(*rapid.T) {
	if _, err := m.r.Snapshot(SnapshotOptions{}); err != nil {
		m.t.Fatal(err)
	}
}

// Check runs after every step.
func (m *machine) Check(*rapid.T) {
	if m.failure != "" {
		m.t.Fatal(m.failure)
	}
	if issue := m.r.invariant(); issue != "" {
		m.t.Fatal(issue)
	}
	version, _ := strconv.ParseUint(m.r.Version(), 10, 64)
	if version < m.version {
		m.t.Fatalf("the version went from %d to %d", m.version, version)
	}
	m.version = version
	for id, n := range m.settled {
		if n > m.started[id] {
			m.t.Fatalf("%s settled %d times and started %d times", id, n, m.started[id])
		}
	}
	for i, c := range m.calls {
		if len(c.results) > 1 {
			m.t.Fatalf("call %d has %d results", i, len(c.results))
		}
	}
}

// invariant says what of the registry's state is not as it must always be.
func (r *Registry) invariant() string {
	pending := len(r.Confirmations().Pending())
	r.mu.Lock()
	defer r.mu.Unlock()
	s, limits := &r.state, r.limits
	offered := 0
	for _, list := range s.offers {
		offered += list.live
	}
	for key, reg := range s.live {
		if reg.key != key || !reg.active || s.byID[reg.id] != reg {
			return fmt.Sprintf("the live registration of %v is not itself", key)
		}
		offered -= len(reg.entries)
	}
	inFlight := len(s.calls.byKey) - s.calls.settled.length
	switch {
	case offered != 0 || len(s.live) != len(s.byID):
		return "what is offered and what is live differ"
	case s.calls.settled.length > limits.DedupeCacheSize:
		return "too many results are stored"
	case inFlight != len(s.calls.inFlight()):
		return "a call is neither in flight nor stored"
	case len(s.tombs.list) > limits.TombstoneSize:
		return "too many tombstones"
	case pending > limits.MaxPendingConfirmations:
		return "too many pending confirmations"
	case s.readers.running > limits.MaxConcurrentObservationsTotal:
		return "too many observations run"
	}
	return s.queueInvariant(limits)
}

func (s *state) queueInvariant(limits capability.Limits) string {
	running := 0
	shares := maps.Clone(s.readers.byConsumer)
	if recent := s.readers.recent; recent != nil && recent.inUse() {
		shares[recent.key] = recent
	}
	for key, share := range shares {
		running += share.running
		if share.running > limits.MaxConcurrentObservationsPerConsumer || share.waiting > limits.MaxQueuedObservationsPerConsumer || share.running+share.waiting == 0 {
			return fmt.Sprintf("%s has %d observations running and %d waiting", key, share.running, share.waiting)
		}
	}
	if running != s.readers.running {
		return "the shares of the pool do not add up"
	}
	for g, most := range s.groups() {
		if g.running < 1 || g.running > most || len(g.waiting) > limits.ActionQueueDepth || g.running < most && len(g.waiting) > 0 {
			return fmt.Sprintf("a group has %d running and %d waiting", g.running, len(g.waiting))
		}
	}
	return ""
}

// finish ends everything and looks at what is left.
func (m *machine) finish() {
	m.r.Dispose()
	m.on.Turn()
	for i := range m.gate.started() {
		m.gate.finish(m.gate.passage(i), `1`, nil)
	}
	m.on.Turn()
	m.Check(m.t)
	for i, c := range m.calls {
		if len(c.results) != 1 {
			m.t.Fatalf("call %d has %d results after dispose", i, len(c.results))
		}
	}
	for id, n := range m.started {
		if m.settled[id] != n {
			m.t.Fatalf("%s started %d times and settled %d times", id, n, m.settled[id])
		}
	}
	if left := m.r.leftovers(); left != nil {
		m.t.Fatalf("left after dispose: %v", left)
	}
}

func TestAnyInterleavingKeepsTheInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		on := host.NewFake(dawn)
		defer on.Close()
		m := newMachine(t, on)
		t.Repeat(rapid.StateMachineActions(m))
		m.finish()
	})
}

// op is one step of a worker of the native test.
type op struct{ kind, pick int }

// TestConcurrentUseKeepsTheInvariants lets several goroutines do anything at once, and looks at the end.
func TestConcurrentUseKeepsTheInvariants(t *testing.T) {
	steps := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) op {
		return op{rapid.IntRange(0, 9).Draw(t, "kind"), rapid.IntRange(0, 1000).Draw(t, "pick")}
	}), 1, 60)
	rapid.Check(t, func(t *rapid.T) {
		h := &hammer{gate: newGate(host.Native())}
		h.gate.obeys = true
		r, err := New(Options{
			Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test, Limits: smallLimits(), Audit: audit.NewMemory(10),
			OnDuplicateInstance: ReplaceDuplicate,
		})
		if err != nil {
			t.Fatal(err)
		}
		h.r = r
		r.SetExecutor(ExecutorFunc(h.execute))
		var workers sync.WaitGroup
		for worker := range 3 {
			list := steps.Draw(t, fmt.Sprintf("worker %d", worker))
			workers.Go(func() {
				for _, step := range list {
					h.step(step)
				}
			})
		}
		workers.Wait()
		r.Dispose()
		h.running.Wait() // every call has its result
		if issue := r.invariant(); issue != "" {
			t.Fatal(issue)
		}
		if h.failure != "" {
			t.Fatal(h.failure)
		}
		if left := r.leftovers(); left != nil {
			t.Fatalf("left after dispose: %v", left)
		}
		for i := range h.gate.started() {
			h.gate.finish(h.gate.passage(i), "", nil)
		}
	})
}

// hammer is what the workers share.
type hammer struct {
	r       *Registry
	gate    *gate
	running sync.WaitGroup

	mu      sync.Mutex
	handles []*Handle
	cancels []func()
	records []string
	used    map[string]bool
	failure string
}

func (h *hammer) execute(ctx context.Context, _ string, input capability.JSON, call *Call) (capability.JSON, error) {
	h.mu.Lock()
	if h.used == nil {
		h.used = map[string]bool{}
	}
	if call.Confirmation == nil || h.used[call.Confirmation.ID] {
		h.failure = "a handler ran without an approval of its own"
	} else {
		h.used[call.Confirmation.ID] = true
	}
	h.mu.Unlock()
	return input, nil
}

func pickOf[T any](h *hammer, list *[]T, pick int) (item T, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(*list) == 0 {
		return item, false
	}
	return (*list)[pick%len(*list)], true
}

func (h *hammer) step(o op) {
	switch o.kind {
	case 0, 1:
		c := widget(observation("readState", h.gate.read), action("poke", h.gate.run), navigation("go", h.gate.run), procedure("items.remove", capability.Destructive))
		c.InstanceID = fmt.Sprint("i", o.pick%2)
		if handle, err := h.r.Register(c); err == nil {
			h.mu.Lock()
			h.handles = append(h.handles, handle)
			h.mu.Unlock()
		}
	case 2:
		if handle, ok := pickOf(h, &h.handles, o.pick); ok {
			handle.Unregister()
		}
	case 3:
		if cancel, ok := pickOf(h, &h.cancels, o.pick); ok {
			cancel()
		}
	case 4:
		if id, ok := pickOf(h, &h.records, o.pick); ok {
			h.r.Confirmations().Resolve(id, o.pick%3 > 0)
		}
	case 5:
		if n := h.gate.started(); n > 0 {
			h.gate.finish(h.gate.passage(o.pick%n), `1`, nil)
		}
	case 6:
		_, _ = h.r.Snapshot(SnapshotOptions{})
	case 7:
		id, _ := pickOf(h, &h.records, o.pick)
		h.invoke(Request{CapabilityID: removeItem, InstanceID: fmt.Sprint("i", o.pick%2), ConfirmationID: id}, o.pick)
	default:
		ids := []string{readState, poke, "view:bench.widget.go", removeItem}
		h.invoke(Request{CapabilityID: ids[o.pick%4], InstanceID: fmt.Sprint("i", o.pick%2), InvocationID: []string{"", "x", "y"}[o.pick%3]}, o.pick)
	}
}

func (h *hammer) invoke(q Request, pick int) {
	var ctx context.Context
	var cancel func()
	if pick%2 == 0 {
		scope := host.NewScope(context.Background())
		ctx, cancel = scope, func() { scope.Cancel(errAborted) }
	} else {
		ctx, cancel = context.WithCancel(context.Background())
	}
	h.mu.Lock()
	h.cancels = append(h.cancels, cancel)
	h.mu.Unlock()
	h.running.Add(1)
	h.r.Start(ctx, q, InvokeOptions{}, func(result Result) {
		defer h.running.Done() // a second result panics
		if result.Error != nil && result.Error.Code == capability.CodeConfirmationRequired {
			h.mu.Lock()
			defer h.mu.Unlock()
			h.records = append(h.records, result.Error.Detail("confirmationId"))
		}
	})
}
