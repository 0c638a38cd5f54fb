package host_test

import (
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/host"
	"pgregory.net/rapid"
)

var dawn = time.UnixMilli(1_000_000)

// driver is a page that does nothing by itself and counts what is asked of it.
type driver struct {
	now               time.Time
	armed             []time.Duration
	tasks, microtasks int
}

func (d *driver) Now() time.Time            { return d.now }
func (d *driver) Random(b []byte)           { clear(b) }
func (d *driver) ArmTimer(in time.Duration) { d.armed = append(d.armed, in) }
func (d *driver) PostTask()                 { d.tasks++ }
func (d *driver) PostMicrotask()            { d.microtasks++ }
func (d *driver) wantArmed(t *testing.T, want ...time.Duration) {
	t.Helper()
	if !slices.Equal(d.armed, want) {
		t.Errorf("armed %v, want %v", d.armed, want)
	}
	d.armed = nil
}

// trace is what happened, in order.
type trace struct {
	t     *testing.T
	steps []string
}

func (tr *trace) add(format string, args ...any) {
	tr.steps = append(tr.steps, fmt.Sprintf(format, args...))
}

// want holds that just these steps have been added since the last want.
func (tr *trace) want(want string) {
	tr.t.Helper()
	if got := strings.Join(tr.steps, " "); got != want {
		tr.t.Errorf("got  %s\nwant %s", got, want)
	}
	tr.steps = nil
}

func newLoop(t *testing.T) (*host.Loop, *driver, *trace) {
	t.Helper()
	d := &driver{now: dawn}
	loop := host.NewLoop(d)
	t.Cleanup(loop.Close)
	return loop, d, &trace{t: t}
}

// parked starts a flow that adds name before and after it waits.
func parked(loop *host.Loop, tr *trace, name string) host.Waiter {
	var waiter host.Waiter
	loop.Go(func() {
		waiter = loop.Waiter()
		tr.add("%s", name)
		waiter.Park()
		tr.add("%s'", name)
	})
	return waiter
}

func wantPanic(t *testing.T, about string, f func()) {
	t.Helper()
	defer func() {
		t.Helper()
		if got := fmt.Sprint(recover()); !strings.Contains(got, about) {
			t.Errorf("panic %q, want one about %q", got, about)
		}
	}()
	f()
}

// TestFarDeadlines: a page's setTimeout takes a delay of more than 24 days for at once.
func TestFarDeadlines(t *testing.T) {
	loop, d, tr := newLoop(t)
	loop.After(30*24*time.Hour, func() { tr.add("due") })
	d.wantArmed(t, 24*time.Hour)
	d.now = d.now.Add(24 * time.Hour)
	loop.RunTimers()
	tr.want("")
	d.wantArmed(t, 24*time.Hour)
	d.now = d.now.Add(29 * 24 * time.Hour)
	loop.RunTimers()
	tr.want("due")
}

func TestGoRunsToTheFirstPark(t *testing.T) {
	loop, _, tr := newLoop(t)
	waiter := parked(loop, tr, "a")
	tr.want("a")
	loop.Run()
	tr.want("")
	waiter.Wake()
	tr.want("")
	loop.Run()
	tr.want("a'")
}

func TestGoWithoutParkEndsBeforeItReturns(t *testing.T) {
	loop, _, tr := newLoop(t)
	loop.Go(func() { tr.add("a") })
	tr.want("a")
}

func TestManyWakesAreOne(t *testing.T) {
	loop, _, tr := newLoop(t)
	var waiter host.Waiter
	loop.Go(func() {
		waiter = loop.Waiter()
		for i := range 3 {
			waiter.Park()
			tr.add("%d", i)
		}
	})
	for range 5 {
		waiter.Wake()
	}
	loop.Run()
	tr.want("0")
	waiter.Wake()
	loop.Run()
	waiter.Wake()
	loop.Run()
	tr.want("1 2")
}

func TestWakeDuringOwnRunIsRemembered(t *testing.T) {
	loop, _, tr := newLoop(t)
	loop.Go(func() {
		waiter := loop.Waiter()
		waiter.Wake()
		loop.Run() // as a page's handler does that settles its own call before it returns
		tr.add("woken")
		waiter.Park()
		tr.add("on")
		waiter.Wake()
		waiter.Wake()
		waiter.Park()
		tr.add("end")
	})
	tr.want("woken on end")
}

func TestWakeFromAFlowFurtherIn(t *testing.T) {
	loop, _, tr := newLoop(t)
	loop.Go(func() {
		outer := loop.Waiter()
		loop.Go(func() {
			tr.add("in")
			outer.Wake()
			loop.Run()
			tr.add("out")
		})
		outer.Park()
		tr.add("end")
	})
	tr.want("in out end")
}

func TestNestedThreeDeep(t *testing.T) {
	loop, _, tr := newLoop(t)
	var waiters []host.Waiter
	var level func(depth int)
	level = func(depth int) {
		waiter := loop.Waiter()
		waiters = append(waiters, waiter)
		tr.add("%d", depth)
		if depth < 3 {
			loop.Go(func() { level(depth + 1) })
			tr.add("%d:back", depth)
		}
		waiter.Park()
		tr.add("%d:on", depth)
		if depth > 0 {
			waiters[depth-1].Wake()
		}
	}
	loop.Go(func() { level(0) })
	tr.want("0 1 2 3 2:back 1:back 0:back")
	waiters[3].Wake()
	loop.Run()
	tr.want("3:on 2:on 1:on 0:on")
}

func TestNestedRunLeavesRunningFlowsAlone(t *testing.T) {
	loop, _, tr := newLoop(t)
	other := parked(loop, tr, "other")
	loop.Go(func() {
		outer := loop.Waiter()
		loop.Go(func() {
			inner := loop.Waiter()
			outer.Wake()
			inner.Wake()
			other.Wake()
			loop.Run()
			tr.add("ran")
			inner.Park()
			tr.add("inner")
		})
		outer.Park()
		tr.add("outer")
	})
	tr.want("other other' ran inner outer")
}

func TestRunGoesInOrderOfWaking(t *testing.T) {
	loop, _, tr := newLoop(t)
	a, b, c := parked(loop, tr, "a"), parked(loop, tr, "b"), parked(loop, tr, "c")
	loop.Go(func() {
		waiter := loop.Waiter()
		c.Wake()
		waiter.Wake()
		waiter.Park()
		tr.add("d")
	})
	tr.want("a b c d")
	b.Wake()
	a.Wake()
	c.Wake()
	loop.Run()
	tr.want("c' b' a'")
}

func TestRunTakesWhatIsWokenMeanwhile(t *testing.T) {
	loop, _, tr := newLoop(t)
	last := parked(loop, tr, "last")
	var first host.Waiter
	loop.Go(func() {
		first = loop.Waiter()
		first.Park()
		tr.add("first")
		last.Wake()
		loop.Go(func() { tr.add("new") })
	})
	first.Wake()
	loop.Run()
	tr.want("last first new last'")
}

func TestWaitingNeedsAFlowOfOnesOwn(t *testing.T) {
	loop, _, tr := newLoop(t)
	wantPanic(t, "outside a flow", func() { loop.Waiter() })
	waiter := parked(loop, tr, "a")
	wantPanic(t, "outside the flow", waiter.Park)
	loop.Go(func() { wantPanic(t, "outside the flow", waiter.Park) })
	waiter.Wake()
	loop.Run()
	tr.want("a a'")
	wantPanic(t, "outside a flow", func() { loop.Waiter() })
}

func TestPanicPassesToWhoeverRunsTheLoop(t *testing.T) {
	loop, _, tr := newLoop(t)
	wantPanic(t, "at once", func() { loop.Go(func() { panic("at once") }) })

	var waiter host.Waiter
	loop.Go(func() {
		waiter = loop.Waiter()
		waiter.Park()
		panic("later")
	})
	after := parked(loop, tr, "after")
	waiter.Wake()
	after.Wake()
	wantPanic(t, "later", loop.Run)
	tr.want("after")
	waiter.Wake() // the flow is dead
	loop.Run()
	tr.want("after'")
	wantPanic(t, "outside a flow", func() { loop.Waiter() })
	waiter.Wake()
	loop.Run()
	parked(loop, tr, "again").Wake()
	loop.Run()
	tr.want("again again'")
}

func TestPanicOfAnInnerFlowReachesTheOuter(t *testing.T) {
	loop, _, tr := newLoop(t)
	loop.Go(func() {
		waiter := loop.Waiter()
		wantPanic(t, "inner", func() { loop.Go(func() { panic("inner") }) })
		waiter.Wake()
		waiter.Park()
		tr.add("outer")
	})
	tr.want("outer")
}

func TestIdleFlowsAreBoundedAndUsedAgain(t *testing.T) {
	loop, _, _ := newLoop(t)
	before := runtime.NumGoroutine()
	var waiters []host.Waiter
	ended := 0
	for range 100 {
		loop.Go(func() {
			waiter := loop.Waiter()
			waiters = append(waiters, waiter)
			waiter.Park()
			ended++
		})
	}
	for _, waiter := range waiters {
		waiter.Wake()
	}
	loop.Run()
	const kept = 16
	wantGoroutines(t, before+kept)
	for range 10_000 {
		loop.Go(func() { loop.Go(func() { loop.Go(func() { ended++ }) }) })
	}
	wantGoroutines(t, before+kept)
	if ended != 10_100 {
		t.Errorf("%d of 10100 ended", ended)
	}
	loop.Close()
	wantGoroutines(t, before)
	loop.Go(func() { ended++ })
	if ended != 10_101 {
		t.Error("a closed loop runs nothing")
	}
}

// wantGoroutines waits until there are at most most goroutines: one that has ended is counted for a moment.
func wantGoroutines(t *testing.T, most int) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); runtime.NumGoroutine() > most; runtime.Gosched() {
		if time.Now().After(deadline) {
			t.Fatalf("%d goroutines, want at most %d", runtime.NumGoroutine(), most)
		}
	}
}

// A late Wake through the waiter of a job that has ended may cause a needless return from Park, never a
// lost or doubled run.
func TestLateWakes(t *testing.T) {
	loop, _, tr := newLoop(t)
	first := parked(loop, tr, "a")
	first.Wake()
	loop.Run()
	first.Wake()
	loop.Run()
	ready := false
	var second host.Waiter
	loop.Go(func() {
		second = loop.Waiter()
		for !ready {
			second.Park()
		}
		tr.add("b")
	})
	first.Wake()
	loop.Run()
	tr.want("a a'")
	ready = true
	second.Wake()
	first.Wake()
	loop.Run()
	tr.want("b")
}

// Any order of waking and running keeps the promise of Waiter: one Wake or more since the last return, one
// return.
func TestWakingInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		loop := host.NewLoop(&driver{now: dawn})
		defer loop.Close()
		count := rapid.IntRange(1, 6).Draw(t, "flows")
		waiters, returned, want := make([]host.Waiter, count), make([]int, count), make([]int, count)
		stopping := false
		for i := range count {
			loop.Go(func() {
				waiters[i] = loop.Waiter()
				for !stopping {
					waiters[i].Park()
					returned[i]++
				}
			})
		}
		woken := map[int]bool{}
		for _, op := range rapid.SliceOf(rapid.IntRange(-1, count-1)).Draw(t, "ops") {
			if op >= 0 {
				waiters[op].Wake()
				woken[op] = true
				continue
			}
			loop.Run()
			for i := range woken {
				want[i]++
			}
			clear(woken)
			if !slices.Equal(returned, want) {
				t.Fatalf("returns %v, want %v", returned, want)
			}
		}
		stopping = true
		for _, waiter := range waiters {
			waiter.Wake()
		}
		loop.Run()
	})
}

func BenchmarkGo(b *testing.B) {
	loop := host.NewLoop(&driver{now: dawn})
	defer loop.Close()
	b.ReportAllocs()
	for b.Loop() {
		loop.Go(func() {})
	}
}

func BenchmarkParkAndWake(b *testing.B) {
	loop := host.NewLoop(&driver{now: dawn})
	defer loop.Close()
	b.ReportAllocs()
	for b.Loop() {
		var waiter host.Waiter
		loop.Go(func() {
			waiter = loop.Waiter()
			waiter.Park()
		})
		waiter.Wake()
		loop.Run()
	}
}
