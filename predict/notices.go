package predict

import "slices"

// Event is something that happened to a store: a prediction became active or ended, or, with Committed, the
// authoritative state was replaced.
type Event struct {
	// Type is Predicted, Committed, RolledBack, Conflicted or Expired.
	Type         Outcome
	PredictionID string
}

// notices are the events that listeners have not been told yet.
type notices struct {
	listeners []*listener
	pending   []notice
	telling   bool
}

// notice is an event and those who listened when it happened.
type notice struct {
	event     Event
	listeners []*listener
}

type listener struct {
	tell    func(Event)
	stopped bool // under the store's lock
}

func (n *notices) queue(e Event) {
	if len(n.listeners) > 0 {
		n.pending = append(n.pending, notice{e, n.listeners})
	}
}

// Subscribe calls tell for every event from now on, in the order in which things happened, until stop is called. tell
// must not wait; one that panics changes nothing.
func (s *Store) Subscribe(tell func(Event)) (stop func()) {
	l := &listener{tell: tell}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.notices.listeners = append(slices.Clone(s.notices.listeners), l)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		l.stopped = true
		s.notices.listeners = slices.DeleteFunc(slices.Clone(s.notices.listeners), func(other *listener) bool { return other == l })
	}
}

// publish tells what is queued, each event to everybody before the next. While one flow tells, others only queue, so
// that what a listener causes comes after what it was told.
func (s *Store) publish() {
	n := &s.notices
	s.mu.Lock()
	defer s.mu.Unlock()
	if n.telling {
		return
	}
	n.telling = true
	for len(n.pending) > 0 {
		next := n.pending[0]
		n.pending = n.pending[1:]
		for _, l := range next.listeners {
			if !l.stopped {
				s.mu.Unlock()
				l.hear(next.event)
				s.mu.Lock()
			}
		}
	}
	n.pending, n.telling = nil, false
}

// hear contains a listener's panic: what it was told has happened whatever it makes of it.
func (l *listener) hear(e Event) {
	defer func() { _ = recover() }()
	l.tell(e)
}
