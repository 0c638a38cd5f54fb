package demo

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"
)

// Bounds of a rehearsal.
const (
	// MaxDelayMs is how long a rehearsed request may be made to wait, in milliseconds.
	MaxDelayMs = 10_000
	// MaxRehearsals is how many requests one rehearsal may be for.
	MaxRehearsals = 100
)

// Rehearsal is what the server shall do to the next renames, so that a page can be tried with a server that is slow,
// fails, or has been changed by somebody else meanwhile.
type Rehearsal struct {
	// Times is how many renames it is for. None means that all goes as ever.
	Times int `json:"times"`
	// DelayMs is how long each waits before the server does anything.
	DelayMs int64 `json:"delayMs"`
	// Hold makes each wait until the next rehearsal is given, but no longer than MaxDelayMs.
	Hold bool `json:"hold"`
	// Fail makes the server give up in place of renaming.
	Fail bool `json:"fail"`
	// Conflict has somebody else rename the device first.
	Conflict bool `json:"conflict"`
}

func (r Rehearsal) check() error {
	switch {
	case r.Times < 0 || r.Times > MaxRehearsals:
		return refuse(CodeInvalidInput, "times", "A rehearsal is for 0 to %d requests.", MaxRehearsals)
	case r.DelayMs < 0 || r.DelayMs > MaxDelayMs:
		return refuse(CodeInvalidInput, "delayMs", "A delay is 0 to %d milliseconds.", MaxDelayMs)
	}
	return nil
}

// stage holds what is to be rehearsed.
type stage struct {
	mu   sync.Mutex
	next Rehearsal
	// over is closed when next is for nobody any more; nil before the first one.
	over chan struct{}
}

func (s *stage) set(r Rehearsal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over != nil {
		close(s.over)
	}
	s.next, s.over = r, make(chan struct{})
}

func (s *stage) get() Rehearsal {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.next
}

// take gives what is rehearsed with the present request, and counts it. over is closed by the next rehearsal.
func (s *stage) take() (plan Rehearsal, over <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.next.Times == 0 {
		return Rehearsal{}, nil
	}
	s.next.Times--
	return s.next, s.over
}

type oneRehearsal struct {
	Rehearsal Rehearsal `json:"rehearsal"`
}

func (s *server) rehearsal(_ http.ResponseWriter, _ *http.Request) (any, error) {
	return oneRehearsal{s.stage.get()}, nil
}

func (s *server) setRehearsal(w http.ResponseWriter, r *http.Request) (any, error) {
	var input Rehearsal
	if err := readJSON(w, r, &input); err != nil {
		return nil, err
	}
	if err := input.check(); err != nil {
		return nil, err
	}
	s.stage.set(input)
	s.log.InfoContext(r.Context(), "rehearsal", "times", input.Times, "delayMs", input.DelayMs, "fail", input.Fail, "conflict", input.Conflict)
	return oneRehearsal{input}, nil
}

// wait waits as long as a request shall.
func (r Rehearsal) wait(ctx context.Context, over <-chan struct{}) error {
	delay := r.DelayMs
	if r.Hold {
		delay = MaxDelayMs
	} else {
		over = nil
	}
	if delay == 0 {
		return nil
	}
	timer := time.NewTimer(time.Duration(delay) * time.Millisecond)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-over:
	case <-ctx.Done():
		return fmt.Errorf("waiting as rehearsed: %w", ctx.Err())
	}
	return nil
}

// rehearse does to a rename of the device what has been asked for.
func (s *server) rehearse(ctx context.Context, id string) error {
	plan, over := s.stage.take()
	if err := plan.wait(ctx, over); err != nil {
		return err
	}
	if plan.Conflict {
		device, err := s.store.Get(ctx, id)
		if err != nil {
			return err
		}
		if _, err := s.store.Rename(ctx, id, "Meanwhile "+device.ID, 0); err != nil {
			return err
		}
	}
	if plan.Fail {
		return refuse(CodeUnavailable, "", "The server cannot do that now. Try again later.")
	}
	return nil
}
