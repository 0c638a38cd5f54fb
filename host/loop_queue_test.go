package host_test

import (
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/host"
	"pgregory.net/rapid"
)

func TestTimersRunInOrder(t *testing.T) {
	loop, d, tr := newLoop(t)
	loop.After(30*time.Millisecond, func() { tr.add("30") })
	loop.After(10*time.Millisecond, func() { tr.add("10a") })
	loop.After(20*time.Millisecond, func() { tr.add("20") })
	loop.After(10*time.Millisecond, func() { tr.add("10b") })
	loop.After(10*time.Millisecond, func() { tr.add("10c") })
	d.now = dawn.Add(20 * time.Millisecond)
	loop.RunTimers()
	tr.want("10a 10b 10c 20")
	loop.RunTimers()
	tr.want("")
	d.now = dawn.Add(time.Hour)
	loop.RunTimers()
	tr.want("30")
}

func TestTimersArmForTheEarliestOnly(t *testing.T) {
	loop, d, tr := newLoop(t)
	second := loop.After(20*time.Millisecond, func() { tr.add("20") })
	d.wantArmed(t, 20*time.Millisecond)
	loop.After(30*time.Millisecond, func() { tr.add("30") })
	d.wantArmed(t)
	first := loop.After(10*time.Millisecond, func() { tr.add("10") })
	d.wantArmed(t, 10*time.Millisecond)
	first()
	second()
	d.wantArmed(t)
	d.now = dawn.Add(10 * time.Millisecond)
	loop.RunTimers() // for the one that was stopped
	tr.want("")
	d.wantArmed(t, 20*time.Millisecond)
	d.now = dawn.Add(31 * time.Millisecond)
	loop.RunTimers()
	tr.want("30")
	d.wantArmed(t)
	loop.After(-time.Second, func() { tr.add("past") })
	d.wantArmed(t, 0)
	loop.RunTimers()
	tr.want("past")
}

func TestStoppedTimers(t *testing.T) {
	loop, d, tr := newLoop(t)
	var stops []func()
	for i := range 5 {
		stops = append(stops, loop.After(time.Duration(i)*time.Millisecond, func() {
			tr.add("%d", i)
			stops[i]() // has no effect in its own run
			if i == 1 {
				stops[2]()
			}
		}))
	}
	stops[3]()
	stops[3]()
	d.now = dawn.Add(time.Second)
	loop.RunTimers()
	tr.want("0 1 4")
	for _, stop := range stops {
		stop()
	}
}

func TestTimersThatSetTimers(t *testing.T) {
	loop, d, tr := newLoop(t)
	rounds := 0
	var again func()
	again = func() {
		rounds++
		loop.After(0, again)
	}
	loop.After(0, again)
	loop.After(0, func() { tr.add("other") })
	d.wantArmed(t, 0)
	loop.RunTimers()
	tr.want("other")
	if rounds != 1 || len(d.armed) == 0 {
		t.Errorf("%d rounds in one turn, armed %v", rounds, d.armed)
	}
	loop.RunTimers()
	if rounds != 2 {
		t.Errorf("%d rounds in two turns", rounds)
	}
}

func TestTimerThatWakesAFlow(t *testing.T) {
	loop, d, tr := newLoop(t)
	waiter := parked(loop, tr, "a")
	loop.After(time.Millisecond, waiter.Wake)
	loop.After(time.Millisecond, func() { tr.add("timer") })
	d.now = dawn.Add(time.Millisecond)
	loop.RunTimers()
	tr.want("a timer a'")
}

func TestTimerThatPanics(t *testing.T) {
	loop, d, tr := newLoop(t)
	loop.After(1*time.Millisecond, func() { panic("timer") })
	loop.After(2*time.Millisecond, func() { tr.add("next") })
	loop.After(9*time.Millisecond, func() { tr.add("later") })
	d.now = dawn.Add(2 * time.Millisecond)
	d.armed = nil
	wantPanic(t, "timer", loop.RunTimers)
	d.wantArmed(t, 0)
	loop.RunTimers()
	tr.want("next")
	d.wantArmed(t, 7*time.Millisecond)
}

func TestTimersInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := &driver{now: dawn}
		loop := host.NewLoop(d)
		type timer struct {
			at      time.Time
			stop    func()
			stopped bool
			ran     int
		}
		var timers []*timer
		var last time.Time
		for _, op := range rapid.SliceOf(rapid.IntRange(-20, 40)).Draw(t, "ops") {
			switch {
			case op >= 0 && op < 20:
				timer := &timer{at: d.now.Add(time.Duration(op))}
				timer.stop = loop.After(time.Duration(op), func() {
					timer.ran++
					if timer.at.Before(last) || timer.at.After(d.now) {
						t.Fatalf("ran at %v after %v, due at %v", d.now, last, timer.at)
					}
					last = timer.at
				})
				timers = append(timers, timer)
			case op >= 20 && len(timers) > 0:
				timer := timers[op%len(timers)]
				timer.stop()
				timer.stopped = timer.ran == 0
			case op < 0:
				d.now = d.now.Add(time.Duration(-op))
				last = time.Time{}
				loop.RunTimers()
			}
		}
		d.now = d.now.Add(time.Hour)
		last = time.Time{}
		loop.RunTimers()
		for _, timer := range timers {
			if want := map[bool]int{true: 0, false: 1}[timer.stopped]; timer.ran != want {
				t.Fatalf("a timer ran %d times, stopped: %v", timer.ran, timer.stopped)
			}
		}
	})
}

// queues are the two queues of a loop, which work alike.
func queues(loop *host.Loop, d *driver) map[string]struct {
	add    func(func())
	run    func()
	posted *int
} {
	return map[string]struct {
		add    func(func())
		run    func()
		posted *int
	}{
		"Task": {loop.Task, loop.RunTasks, &d.tasks},
		"Soon": {loop.Soon, loop.RunSoon, &d.microtasks},
	}
}

func TestQueuesPostOnceAndRunInOrder(t *testing.T) {
	loop, d, tr := newLoop(t)
	for name, queue := range queues(loop, d) {
		t.Run(name, func(t *testing.T) {
			waiter := parked(loop, tr, "flow")
			queue.add(func() {
				tr.add("a")
				waiter.Wake()
				queue.add(func() { tr.add("c") })
				queue.add(func() { tr.add("d") })
			})
			queue.add(func() { tr.add("b") })
			if *queue.posted != 1 {
				t.Errorf("posted %d times for one turn", *queue.posted)
			}
			queue.run()
			tr.want("flow a b flow'")
			if *queue.posted != 2 {
				t.Errorf("posted %d times for two turns", *queue.posted)
			}
			queue.run()
			tr.want("c d")
			queue.run()
			tr.want("")
			if *queue.posted != 2 {
				t.Errorf("posted %d times with nothing to do", *queue.posted)
			}
		})
	}
}

func TestQueuesKeepWhatAPanicLeaves(t *testing.T) {
	loop, d, tr := newLoop(t)
	for name, queue := range queues(loop, d) {
		t.Run(name, func(t *testing.T) {
			queue.add(func() { queue.add(func() { tr.add("newer") }) })
			queue.add(func() { panic("job") })
			queue.add(func() { tr.add("older") })
			wantPanic(t, "job", queue.run)
			if *queue.posted != 2 {
				t.Errorf("posted %d times", *queue.posted)
			}
			queue.run()
			tr.want("older newer")

			queue.add(func() { panic("alone") })
			wantPanic(t, "alone", queue.run)
			queue.add(func() { tr.add("next") })
			if *queue.posted != 4 {
				t.Errorf("posted %d times", *queue.posted)
			}
			queue.run()
			tr.want("next")
		})
	}
}

func TestTasksAndMicrotasksAreApart(t *testing.T) {
	loop, d, tr := newLoop(t)
	loop.Task(func() { tr.add("task") })
	loop.Soon(func() { tr.add("soon") })
	loop.RunSoon()
	tr.want("soon")
	loop.RunTasks()
	tr.want("task")
	if d.tasks != 1 || d.microtasks != 1 {
		t.Errorf("posted %d tasks, %d microtasks", d.tasks, d.microtasks)
	}
}
