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

func (native) Task(f func()) { time.AfterFunc(0, f) }

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
