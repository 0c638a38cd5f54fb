// Package host is the core's one port to the outside: time, timers, later turns, randomness and waiting.
//
// Native is the port of an ordinary Go program: goroutines, channels, the system's clock. Loop is the port
// of a page: one thread, where a flow that waits is a coroutine that yields. Fake is a Loop that a test
// turns by hand. The core is written once, top to bottom, for all of them.
package host

import "time"

// Host is what the core needs from the world outside. All methods may be called from any flow.
type Host interface {
	// Now is the wall clock.
	Now() time.Time

	// After runs f once, in a flow that must not Park, when d has passed, unless stop is called first.
	After(d time.Duration, f func()) (stop func())

	// Task runs f in a later task: in a page after everything that is runnable now, timers of the
	// page's test framework notwithstanding. f must not Park.
	Task(f func())

	// Soon runs f at the end of the current turn (a microtask in a page). f must not Park.
	Soon(f func())

	// Random fills b with bytes that nobody can guess.
	Random(b []byte)

	// Go runs f in a flow of its own, which may Park. In a page f has run to its first Park when Go returns.
	Go(f func())

	// Waiter is a waiter for the calling flow.
	Waiter() Waiter
}

// Waiter lets one flow wait. It remembers one Wake: a Park after it returns at once. A Park may return
// without a Wake of this cause, so callers wait in a loop over the condition that they wait for.
type Waiter interface {
	// Park returns when Wake has been called since the last Park returned. Only the flow that made the
	// waiter may call it.
	Park()

	// Wake lets the flow go on. It returns at once and may be called from anywhere, any number of times.
	Wake()
}
