package host

import (
	"container/heap"
	"iter"
	"time"
)

// Driver is the page's side of a Loop. Its methods return at once and never call the Loop.
type Driver interface {
	// Now is the wall clock.
	Now() time.Time
	// Random fills b.
	Random(b []byte)
	// ArmTimer asks for one RunTimers, d from now, instead of any asked for before.
	ArmTimer(d time.Duration)
	// PostTask asks for one RunTasks in a later task.
	PostTask()
	// PostMicrotask asks for one RunSoon at the end of the current turn.
	PostMicrotask()
}

// Loop is a Host on one thread. Flows are coroutines: Go runs its function on one until the first Park,
// and a woken flow goes on when whoever drives the loop calls Run, which it does before it gives the
// thread back to the page.
//
// A Wake that reaches a flow while that flow runs (a page's handler that settles its own call before it
// returns) is remembered and not acted on: resuming a running coroutine would destroy it.
type Loop struct {
	driver Driver

	current  *flow   // the innermost running flow
	runnable []*flow // woken, waiting for Run
	idle     []*flow // finished, kept for the next Go

	timers    timerHeap
	lastTimer uint64
	armedFor  time.Time
	tasks     []func()
	soon      []func()
}

// maxIdleFlows bounds the finished coroutines that are kept: creating one costs more than a whole call.
const maxIdleFlows = 16

// NewLoop makes a loop that is driven through d.
func NewLoop(d Driver) *Loop { return &Loop{driver: d} }

var _ Host = (*Loop)(nil)

// flow is one coroutine. It is the Waiter of whatever runs on it.
type flow struct {
	loop    *Loop
	job     func()
	resume  func() (struct{}, bool)
	stop    func()
	yield   func(struct{}) bool
	running bool
	woken   bool
	queued  bool
}

// Go runs f on a coroutine until its first Park.
func (l *Loop) Go(f func()) {
	var next *flow
	if last := len(l.idle) - 1; last >= 0 {
		next = l.idle[last]
		l.idle[last] = nil
		l.idle = l.idle[:last]
	} else {
		next = &flow{loop: l}
		next.resume, next.stop = iter.Pull(next.body)
	}
	next.job = f
	next.run()
}

// body runs one job after another. It yields where a job Parks and, between jobs, to be found idle.
func (f *flow) body(yield func(struct{}) bool) {
	f.yield = yield
	for {
		f.job()
		f.job = nil
		if len(f.loop.idle) >= maxIdleFlows {
			return
		}
		f.woken = false
		f.loop.idle = append(f.loop.idle, f)
		if !yield(struct{}{}) {
			return
		}
	}
}

func (f *flow) run() {
	outer := f.loop.current
	f.loop.current = f
	f.running = true
	defer func() { // a panic of the job passes through to whoever runs the loop
		f.running = false
		f.loop.current = outer
	}()
	f.resume()
}

// Park yields until the flow is woken.
func (f *flow) Park() {
	if f.loop.current != f {
		panic("host: Park outside the flow that the waiter belongs to")
	}
	for !f.woken {
		f.yield(struct{}{})
	}
	f.woken = false
}

// Wake marks the flow runnable.
func (f *flow) Wake() {
	f.woken = true
	if !f.running && !f.queued && f.job != nil {
		f.queued = true
		f.loop.runnable = append(f.loop.runnable, f)
	}
}

// Waiter is the running flow's waiter. It panics outside a flow, where nothing can wait.
func (l *Loop) Waiter() Waiter {
	if l.current == nil {
		panic("host: waiting outside a flow: use Go, or a call that takes a callback")
	}
	return l.current
}

// Run lets every woken flow go on until none can. Flows that are running further out on the stack go on
// by themselves when control returns to them.
func (l *Loop) Run() {
	for len(l.runnable) > 0 {
		next := l.runnable[0]
		l.runnable = l.runnable[1:]
		next.queued = false
		if !next.running {
			next.run()
		}
	}
	l.runnable = nil
}

// Now is the driver's clock.
func (l *Loop) Now() time.Time { return l.driver.Now() }

// Random is the driver's randomness.
func (l *Loop) Random(b []byte) { l.driver.Random(b) }

// Task queues f for a later task.
func (l *Loop) Task(f func()) {
	l.tasks = append(l.tasks, f)
	if len(l.tasks) == 1 {
		l.driver.PostTask()
	}
}

// RunTasks runs what was queued before it was called.
func (l *Loop) RunTasks() { runAll(&l.tasks, l.driver.PostTask); l.Run() }

// Soon queues f for the end of the current turn.
func (l *Loop) Soon(f func()) {
	l.soon = append(l.soon, f)
	if len(l.soon) == 1 {
		l.driver.PostMicrotask()
	}
}

// RunSoon runs what was queued before it was called.
func (l *Loop) RunSoon() { runAll(&l.soon, l.driver.PostMicrotask); l.Run() }

// runAll runs what is in queue now. What a panic leaves undone stays in the queue, ahead of newer work.
func runAll(queue *[]func(), post func()) {
	due := *queue
	*queue = nil
	defer func() {
		if len(due) == 0 {
			return
		}
		if len(*queue) == 0 {
			post()
		}
		*queue = append(due, *queue...)
	}()
	for len(due) > 0 {
		f := due[0]
		due = due[1:]
		f()
	}
}

// After queues f for when d has passed. One timer of the driver serves all of them.
func (l *Loop) After(d time.Duration, f func()) (stop func()) {
	l.lastTimer++
	timer := &loopTimer{at: l.driver.Now().Add(d), order: l.lastTimer, run: f}
	heap.Push(&l.timers, timer)
	l.arm()
	return func() {
		if timer.position >= 0 {
			heap.Remove(&l.timers, timer.position)
		}
	}
}

// longestArm is how far ahead the driver is asked to call: a page's setTimeout takes more than 24 days for at once. Who is
// called too early finds nothing due and arms anew.
const longestArm = 24 * time.Hour

// arm asks the driver for the earliest deadline, unless it is already to call by then. A timer that was
// stopped is not disarmed: the call finds nothing due and arms for what is left.
func (l *Loop) arm() {
	if len(l.timers) == 0 {
		return
	}
	earliest := l.timers[0].at
	if !l.armedFor.IsZero() && !earliest.Before(l.armedFor) {
		return
	}
	l.armedFor = earliest
	l.driver.ArmTimer(min(max(0, earliest.Sub(l.driver.Now())), longestArm))
}

// RunTimers runs the timers that are due, except those that it makes itself: a timer that sets another for
// at once must not keep the page from its turn.
func (l *Loop) RunTimers() {
	l.runTimers()
	l.Run()
}

func (l *Loop) runTimers() {
	l.armedFor = time.Time{}
	defer l.arm() // also when a timer panics
	now, last := l.driver.Now(), l.lastTimer
	for len(l.timers) > 0 && l.timers[0].order <= last && !l.timers[0].at.After(now) {
		due := heap.Pop(&l.timers).(*loopTimer)
		due.run()
	}
}

// Close ends the coroutines that are kept for later. Flows that still wait are left waiting.
func (l *Loop) Close() {
	for _, f := range l.idle {
		f.stop()
	}
	l.idle = nil
}

type loopTimer struct {
	at       time.Time
	order    uint64
	run      func()
	position int
}

// timerHeap orders timers by deadline, and those of one deadline as they were made.
type timerHeap []*loopTimer

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool {
	if !h[i].at.Equal(h[j].at) {
		return h[i].at.Before(h[j].at)
	}
	return h[i].order < h[j].order
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].position, h[j].position = i, j
}

func (h *timerHeap) Push(x any) {
	timer := x.(*loopTimer)
	timer.position = len(*h)
	*h = append(*h, timer)
}

func (h *timerHeap) Pop() any {
	old := *h
	timer := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	timer.position = -1
	return timer
}
