package host

import "sync"

// Await starts something that calls back, perhaps before start returns and from anywhere, and parks the calling flow until
// it has; the first answer counts. w must be the calling flow's own.
func Await[T any](w Waiter, start func(done func(T))) T {
	var answer latch[T]
	start(func(value T) {
		answer.set(value)
		w.Wake()
	})
	for {
		if value, ok := answer.get(); ok {
			return value
		}
		w.Park()
	}
}

// latch holds one value, once it is there.
type latch[T any] struct {
	mu    sync.Mutex
	value T
	full  bool
}

func (l *latch[T]) set(value T) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.full {
		l.value, l.full = value, true
	}
}

func (l *latch[T]) get() (T, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.value, l.full
}
