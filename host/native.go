package host

import (
	"crypto/rand"
	"time"
)

// Native is the port of a Go program: flows are goroutines. It works inside a testing/synctest bubble.
func Native() Host { return native{} }

type native struct{}

func (native) Now() time.Time { return time.Now() }

func (native) After(d time.Duration, f func()) (stop func()) {
	timer := time.AfterFunc(d, f)
	return func() { timer.Stop() }
}

// nativeTask is how long a task takes to come. A goroutine has no turn that could end; this is time enough for
// one that is about to return.
const nativeTask = 10 * time.Millisecond

func (native) Task(f func()) { time.AfterFunc(nativeTask, f) }

func (native) Soon(f func()) { go f() }

// Random panics only where crypto/rand does: when the system has no randomness, in which case no id is safe.
func (native) Random(b []byte) { _, _ = rand.Read(b) }

func (native) Go(f func()) { go f() }

func (native) Waiter() Waiter { return make(channelWaiter, 1) }

type channelWaiter chan struct{}

func (w channelWaiter) Park() { <-w }

func (w channelWaiter) Wake() {
	select {
	case w <- struct{}{}:
	default:
	}
}
