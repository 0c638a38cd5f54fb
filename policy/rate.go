package policy

import (
	"sync"
	"time"

	"github.com/pagewarden/pagewarden/capability"
)

// MaxRateWindows is how many pairs of consumer and capability one rate limit keeps apart. While that many
// are active, the calls of all others share one more.
const MaxRateWindows = 1024

// RateLimit admits at most limit calls of one consumer to one capability in any stretch of time as long as
// window, and refuses the others with RATE_LIMITED and the time after which one more would be admitted. A
// refused call does not count. A limit below 1 admits nothing.
//
// It keeps at most limit times for each of at most MaxRateWindows pairs. Each RateLimit counts by itself:
// use one policy value in several places for a common limit.
func RateLimit(limit int, window time.Duration) Policy {
	r := &rate{limit: limit, window: window, calls: map[rateKey][]time.Time{}}
	return Policy{
		Name: "rate-limit",
		OnAuthorize: func(ctx *Context, next func() error) error {
			if wait := r.take(rateKey{ctx.Consumer.Key(), ctx.CapabilityID}, ctx.Now()); wait > 0 {
				return capability.RateLimited("rate", wait)
			}
			return next()
		},
	}
}

type rateKey struct{ consumer, capability string }

// rate is the times of the calls that were admitted, oldest first, for each pair.
type rate struct {
	limit  int
	window time.Duration

	mu    sync.Mutex
	calls map[rateKey][]time.Time
}

// take counts a call at now, or says how long to wait when it is one too many.
func (r *rate) take(key rateKey, now time.Time) (wait time.Duration) {
	if r.limit < 1 {
		return max(r.window, time.Millisecond)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	key = r.room(key, now)
	calls := r.recent(r.calls[key], now)
	if len(calls) >= r.limit {
		r.calls[key] = calls
		return roundUp(calls[0].Add(r.window).Sub(now))
	}
	r.calls[key] = append(calls, now)
	return 0
}

// recent drops the calls that the window has left behind. A call from the future is one from before the
// clock was set back, and must not be held against anybody.
func (r *rate) recent(calls []time.Time, now time.Time) []time.Time {
	kept := calls[:0]
	for _, at := range calls {
		if age := now.Sub(at); 0 <= age && age < r.window {
			kept = append(kept, at)
		}
	}
	return kept
}

// room is key, or the key that is shared by those for whom there is no room.
func (r *rate) room(key rateKey, now time.Time) rateKey {
	if _, known := r.calls[key]; known || len(r.calls) < MaxRateWindows {
		return key
	}
	for other, calls := range r.calls {
		if calls = r.recent(calls, now); len(calls) == 0 {
			delete(r.calls, other)
		} else {
			r.calls[other] = calls
		}
	}
	if len(r.calls) < MaxRateWindows {
		return key
	}
	return rateKey{}
}

// roundUp is d in whole milliseconds, so that who waits that long does not come too early.
func roundUp(d time.Duration) time.Duration {
	return (d + time.Millisecond - 1).Truncate(time.Millisecond)
}
