package host_test

import (
	"bytes"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagewarden/pagewarden/host"
)

// world is a host and the means to move it: settle runs what can run, advance lets time pass.
type world struct {
	host.Host
	settle  func()
	advance func(time.Duration)
}

// inEachWorld runs test on every implementation of Host that works natively.
func inEachWorld(t *testing.T, test func(t *testing.T, w world)) {
	t.Run("fake", func(t *testing.T) {
		fake := host.NewFake(dawn)
		defer fake.Close()
		test(t, world{Host: fake, settle: func() { fake.Turn(); fake.Advance(0) }, advance: fake.Advance})
	})
	t.Run("native", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			settle := func() {
				synctest.Wait()
				time.Sleep(0) // lets timers that are due start
				synctest.Wait()
			}
			test(t, world{Host: host.Native(), settle: settle, advance: func(d time.Duration) { time.Sleep(d); settle() }})
		})
	})
}

func TestFlowWaitsAndGoesOn(t *testing.T) {
	inEachWorld(t, func(t *testing.T, w world) {
		var ready, done atomic.Bool
		var waiter atomic.Value
		w.Go(func() {
			own := w.Waiter()
			waiter.Store(own)
			for !ready.Load() {
				own.Park()
			}
			done.Store(true)
		})
		w.settle()
		waiter.Load().(host.Waiter).Wake() // needlessly
		w.settle()
		if done.Load() {
			t.Fatal("the flow did not wait")
		}
		ready.Store(true)
		for range 3 {
			waiter.Load().(host.Waiter).Wake()
		}
		w.settle()
		if !done.Load() {
			t.Fatal("the flow does not go on")
		}
		waiter.Load().(host.Waiter).Wake()
		w.settle()
	})
}

func TestWakeBeforeParkIsRemembered(t *testing.T) {
	inEachWorld(t, func(t *testing.T, w world) {
		var done atomic.Bool
		w.Go(func() {
			waiter := w.Waiter()
			waiter.Wake()
			waiter.Wake()
			waiter.Park()
			done.Store(true)
		})
		w.settle()
		if !done.Load() {
			t.Error("the wake was lost")
		}
	})
}

func TestAfter(t *testing.T) {
	inEachWorld(t, func(t *testing.T, w world) {
		start := w.Now()
		var ran, stopped atomic.Int64
		w.After(time.Second, func() { ran.Store(int64(w.Now().Sub(start))) })
		stop := w.After(time.Second, func() { stopped.Add(1) })
		late := w.After(2*time.Second, func() { stopped.Add(1) })
		stop()
		w.advance(time.Second - 1)
		if ran.Load() != 0 {
			t.Fatal("a timer ran too early")
		}
		w.advance(1)
		if got := time.Duration(ran.Load()); got != time.Second {
			t.Fatalf("the timer ran at %v", got)
		}
		late()
		w.advance(time.Hour)
		stop()
		if stopped.Load() != 0 {
			t.Error("a stopped timer ran")
		}
		if got := w.Now().Sub(start); got != time.Hour+time.Second {
			t.Errorf("the clock moved by %v", got)
		}
	})
}

func TestTaskAndSoon(t *testing.T) {
	inEachWorld(t, func(t *testing.T, w world) {
		var tasks, soons atomic.Int32
		for range 3 {
			w.Task(func() { tasks.Add(1) })
			w.Soon(func() { soons.Add(1) })
		}
		w.settle()
		w.advance(time.Second)
		if tasks.Load() != 3 || soons.Load() != 3 {
			t.Errorf("%d tasks, %d microtasks ran", tasks.Load(), soons.Load())
		}
	})
}

func TestTimerWakesAFlow(t *testing.T) {
	inEachWorld(t, func(t *testing.T, w world) {
		var waited atomic.Int64
		w.Go(func() {
			var due atomic.Bool
			start, waiter := w.Now(), w.Waiter()
			w.After(time.Minute, func() { due.Store(true); waiter.Wake() })
			for !due.Load() {
				waiter.Park()
			}
			waited.Store(int64(w.Now().Sub(start)))
		})
		w.advance(time.Minute)
		if got := time.Duration(waited.Load()); got != time.Minute {
			t.Errorf("the flow waited for %v", got)
		}
	})
}

func TestRandomFills(t *testing.T) {
	inEachWorld(t, func(t *testing.T, w world) {
		w.Random(nil)
		one, other := make([]byte, 33), make([]byte, 33)
		w.Random(one)
		w.Random(other)
		if bytes.Equal(one, other) || one[32] == 0 && other[32] == 0 && one[31] == 0 && other[31] == 0 {
			t.Errorf("%x, %x", one, other)
		}
	})
}

// Many flows hand a token round; natively they are goroutines, so this is for the race detector.
func TestTokenGoesRound(t *testing.T) {
	const flows, rounds = 20, 50
	inEachWorld(t, func(t *testing.T, w world) {
		var turn atomic.Int64
		waiters := make([]atomic.Value, flows)
		for i := range flows {
			w.Go(func() {
				own := w.Waiter()
				waiters[i].Store(own)
				for round := range int64(rounds) {
					for turn.Load() != round*flows+int64(i) {
						own.Park()
					}
					turn.Add(1)
					if next, ok := waiters[(i+1)%flows].Load().(host.Waiter); ok {
						next.Wake()
					}
				}
			})
		}
		for turn.Load() < flows*rounds {
			for i := range waiters {
				if waiter, ok := waiters[i].Load().(host.Waiter); ok {
					waiter.Wake() // whoever was not there yet when its turn came
				}
			}
			w.settle()
		}
	})
}
