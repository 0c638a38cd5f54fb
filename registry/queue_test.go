package registry

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
)

func queueing(change func(*Concurrency)) func(*Component) {
	return func(c *Component) {
		for i := range c.Actions {
			change(&c.Actions[i].Concurrency)
		}
		for i := range c.Procedures {
			change(&c.Procedures[i].Concurrency)
		}
	}
}

// line makes n calls with inputs {"n":0}, {"n":1} …
func (w *world) line(id string, n int, change ...func(*InvokeOptions)) []*pending {
	calls := make([]*pending, n)
	for i := range calls {
		calls[i] = w.call(Request{CapabilityID: id, Input: capability.JSON(fmt.Sprintf(`{"n":%d}`, i))}, change...)
	}
	return calls
}

// order is what the handlers got, in order of start.
func (g *gate) order() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	var out []string
	for _, p := range g.passages {
		out = append(out, string(p.input))
	}
	return strings.Join(out, " ")
}

func TestActionsQueueInOrder(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		w.mount(widget(action("poke", g.run)))
		calls := w.line(poke, 4)
		e := calls[3].wantError(capability.CodeRateLimited, "reason=queue-full")
		want(t, "retryAfterMs", detail(e, "retryAfterMs"), "1000")
		wantRetry(t, e, capability.RetryAfterDelay)
		for i := range 3 {
			want(t, "running", g.started(), i+1)
			for _, call := range calls[i:3] {
				call.wantPending()
			}
			g.release(w, i, "")
			calls[i].wantOK("")
		}
		want(t, "order", g.order(), `{"n":0} {"n":1} {"n":2}`)
		want(t, "groups left", len(w.state.groups()), 0)
	})
}

func TestActionsOfOneRegistrationShareAQueue(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		w.SetExecutor(ExecutorFunc(func(c contextArg, _ string, in capability.JSON, call *Call) (capability.JSON, error) {
			return g.run(c, in, call)
		}))
		w.mount(widget(action("poke", g.run), action("push", g.run), procedure("p", capability.ServerQuery), procedure("q", capability.ServerQuery)))
		w.mount(widget(action("poke", g.run), instance("other")))
		w.call(Request{CapabilityID: poke, InstanceID: "default"})
		second := w.call(Request{CapabilityID: "view:bench.widget.push"})
		want(t, "running", g.started(), 1)
		w.call(Request{CapabilityID: poke, InstanceID: "other"})
		want(t, "running with another instance", g.started(), 2)
		w.call(Request{CapabilityID: "domain:p"})
		w.call(Request{CapabilityID: "domain:q"})
		want(t, "running with two procedures", g.started(), 4)
		w.call(Request{CapabilityID: "domain:p"})
		want(t, "running with a procedure again", g.started(), 4)
		second.wantPending()
		for i := range 6 {
			g.release(w, i, "")
		}
		second.wantOK("")
		want(t, "groups left", len(w.state.groups()), 0)
	})
}

func TestConcurrencyModes(t *testing.T) {
	depth := func(n int) *int { return &n }
	for _, test := range []struct {
		name       string
		set        func(*Concurrency)
		sameAction int // running of four calls to one action
		refused    int
		both       int // running of one call to each of two actions
		instances  int // running of one call to each of two instances
	}{
		{"default", func(*Concurrency) {}, 1, 1, 1, 2},
		{"instance", func(c *Concurrency) { c.Mode = PerInstance }, 1, 1, 1, 2},
		{"capability", func(c *Concurrency) { c.Mode = PerCapability }, 1, 1, 2, 2},
		{"key", func(c *Concurrency) { c.Mode, c.Key = PerKey, "k" }, 1, 1, 1, 1},
		{"parallel", func(c *Concurrency) { c.Mode, c.Max = Parallel, 2 }, 2, 0, 2, 2},
		{"parallel with a depth", func(c *Concurrency) { c.Mode, c.Max, c.QueueDepth = Parallel, 2, depth(0) }, 2, 2, 2, 2},
		{"depth of none", func(c *Concurrency) { c.QueueDepth = depth(0) }, 1, 3, 1, 2},
		{"depth of ten", func(c *Concurrency) { c.QueueDepth = depth(10) }, 1, 0, 1, 2},
	} {
		t.Run(test.name, func(t *testing.T) {
			onBothHosts(t, func(t *testing.T, on driver) {
				running := func(make func(*world)) (int, int) {
					w, g := newWorld(t, on), newGate(on)
					w.mount(widget(action("poke", g.run), action("push", g.run), queueing(test.set), instance("a")))
					w.mount(widget(action("poke", g.run), action("push", g.run), queueing(test.set), instance("b")))
					w.heard()
					make(w)
					refused := strings.Count(strings.Join(w.heard(), "\n"), "RATE_LIMITED")
					started := g.started()
					w.Dispose()
					g.openAll(w)
					return started, refused
				}
				started, refused := running(func(w *world) {
					for range 4 {
						w.call(Request{CapabilityID: poke, InstanceID: "a"})
					}
				})
				want(t, "running of four", started, test.sameAction)
				want(t, "refused of four", refused, test.refused)
				started, _ = running(func(w *world) {
					w.call(Request{CapabilityID: poke, InstanceID: "a"})
					w.call(Request{CapabilityID: "view:bench.widget.push", InstanceID: "a"})
				})
				want(t, "running of two actions", started, test.both)
				started, _ = running(func(w *world) {
					w.call(Request{CapabilityID: poke, InstanceID: "a"})
					w.call(Request{CapabilityID: poke, InstanceID: "b"})
				})
				want(t, "running of two instances", started, test.instances)
			})
		})
	}
}

func TestWaiterLeavesTheQueueAtOnce(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		w.mount(widget(action("poke", g.run)))
		calls := w.line(poke, 3)
		calls[1].cancel()
		wantRetry(t, calls[1].wantError(capability.CodeCancelled, "progress=not-started"), capability.RetryYes)
		late := w.call(Request{CapabilityID: poke, Input: `{"n":9}`})
		late.wantPending() // its place is free again
		for i := range 3 {
			g.release(w, i, "")
		}
		calls[2].wantOK("")
		late.wantOK("")
		want(t, "order", g.order(), `{"n":0} {"n":2} {"n":9}`)
	})
}

func TestTimeOutFreesTheSlot(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		w.mount(widget(action("poke", g.run)))
		calls := w.line(poke, 2, within(time.Second))
		on.advance(time.Second)
		calls[0].wantError(capability.CodeTimeout, "timeoutMs=1000")
		want(t, "running", g.started(), 2) // although the first handler goes on
		g.release(w, 1, `2`)
		calls[1].wantOK(`2`)
		g.release(w, 0, `1`)
	})
}

func TestObservationPool(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on, limited(func(l *capability.Limits) {
			l.MaxConcurrentObservationsPerConsumer, l.MaxConcurrentObservationsTotal, l.MaxQueuedObservationsPerConsumer = 2, 3, 1
		})), newGate(on)
		w.mount(widget(observation("readState", g.read)))
		a, b := as(capability.EmbeddedConsumer, "a"), as(capability.EmbeddedConsumer, "b")
		ofA := w.line(readState, 4, a)
		ofA[3].wantError(capability.CodeRateLimited, "reason=queue-full")
		want(t, "running of one consumer", g.started(), 2)
		ofB := w.line(readState, 2, b)
		want(t, "running in all", g.started(), 3)
		ofB[1].wantPending()
		// The oldest waiter is of a, but a is at its own cap when b's call ends: b's waiter goes first.
		g.release(w, 2, `"b0"`)
		ofB[0].wantOK(`"b0"`)
		want(t, "running after b's release", g.started(), 4)
		want(t, "who was let in", g.passage(3).call.Consumer.ID, "b")
		g.release(w, 0, `"a0"`)
		want(t, "running after a's release", g.started(), 5)
		want(t, "who was let in", g.passage(4).call.Consumer.ID, "a")
		for i := range 5 {
			g.release(w, i, "1")
		}
		ofA[2].wantOK("1")
		ofB[1].wantOK("1")
		want(t, "shares left", len(w.state.readers.byConsumer), 0)
		want(t, "running left", w.state.readers.running, 0)
	})
}

func TestObservationPoolDefaults(t *testing.T) {
	w := newWorld(t, onLoop(t))
	g := newGate(w.on)
	w.mount(widget(observation("readState", g.read)))
	for i := range 5 {
		calls := w.line(readState, 17, as(capability.OtherConsumer, fmt.Sprint(i)))
		for n, call := range calls {
			if n < 16 {
				call.wantPending()
			} else {
				call.wantError(capability.CodeRateLimited, "reason=queue-full")
			}
		}
		if i == 0 {
			want(t, "running of one consumer", g.started(), 8)
		}
		if i == 4 {
			want(t, "running in all", g.started(), 32)
		}
		if i == 3 {
			want(t, "running of four consumers", g.started(), 32)
			break // the fifth has none running and eight waiting
		}
	}
	last := w.line(readState, 9, as(capability.OtherConsumer, "last"))
	want(t, "running in all", g.started(), 32)
	last[7].wantPending()
	last[8].wantError(capability.CodeRateLimited)
	w.Dispose()
	wantRetry(t, last[0].wantError(capability.CodeCancelled, "progress=not-started"), capability.RetryNo)
	g.openAll(w)
}

func TestCancelledObservationLeavesThePool(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on, limited(func(l *capability.Limits) { l.MaxConcurrentObservationsTotal = 1 })), newGate(on)
		w.mount(widget(observation("readState", g.read)))
		calls := w.line(readState, 3)
		calls[1].cancel()
		calls[1].wantError(capability.CodeCancelled, "progress=not-started")
		calls[0].cancel()
		calls[0].wantError(capability.CodeCancelled, "progress=may-have-happened")
		want(t, "running", g.started(), 2)
		g.release(w, 1, `1`)
		calls[2].wantOK(`1`)
		want(t, "shares left", len(w.state.readers.byConsumer), 0)
		g.openAll(w)
	})
}

func TestObservationsDoNotWaitForActions(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		w.mount(widget(action("poke", g.run), observation("readState", gives(`1`))))
		stuck := w.call(Request{CapabilityID: poke})
		w.invoke(readState, "").wantOutput(t, `1`)
		stuck.wantPending()
		g.openAll(w)
	})
}

func TestQueueWaitAndExecutionAreRecordedApart(t *testing.T) {
	onBothHosts(t, func(t *testing.T, on driver) {
		w, g := newWorld(t, on), newGate(on)
		w.mount(widget(action("poke", g.run)))
		calls := w.line(poke, 2)
		on.advance(3 * time.Second)
		g.release(w, 0, "")
		on.advance(2 * time.Second)
		g.release(w, 1, "")
		calls[1].wantOK("")
		events := w.trail.Events()
		last := events[len(events)-1]
		want(t, "queue wait", last.QueueWait, 3*time.Second)
		want(t, "execution", last.Execution, 2*time.Second)
		want(t, "duration", last.Duration, 5*time.Second)
	})
}
