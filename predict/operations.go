package predict

import (
	"slices"
	"time"
)

// Predict lays a prediction over the state. All or nothing: the outcome is Predicted; Invalid when the id is active or
// remembered as conflicted, when too many are active, or when the patch does not apply; Stale when the base version is
// not the authoritative one; or Expired. A zero now means the store's clock. The error is an *ArgumentError.
func (s *Store) Predict(id string, p Prediction, now time.Time) (Outcome, error) {
	_, outcome, err := s.predict(id, p, now)
	return outcome, err
}

func (s *Store) predict(id string, p Prediction, now time.Time) (*overlay, Outcome, error) {
	if err := checkID(id); err != nil {
		return nil, "", err
	}
	if err := checkVersion("baseVersion", p.BaseVersion); err != nil {
		return nil, "", err
	}
	now = s.at(now)
	defer s.publish()
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.find(id) != nil || s.conflicted.has(id) || len(s.overlays) >= MaxPredictions:
		return nil, Invalid, nil
	case p.BaseVersion != s.base.Version:
		return nil, Stale, nil
	case p.due(now):
		return nil, Expired, nil
	}
	view, ok := p.Patch.Apply(s.view)
	if !ok {
		return nil, Invalid, nil
	}
	o := &overlay{id: id, Prediction: p}
	s.overlays = append(s.overlays, o)
	s.view = view
	s.notices.queue(Event{Type: Predicted, PredictionID: id})
	return o, Predicted, nil
}

// Commit replaces the authoritative state by what the server answered to the prediction: the outcome is Committed, or
// Missing when no such prediction is active, Expired when it had had its time, which ends it, or Conflicted when the
// base has moved since. A conflicted prediction commits all the same under AcceptServerState, once. Predictions on
// another version than the new one end as conflicted. A zero now means the store's clock. The error is an
// *ArgumentError.
func (s *Store) Commit(id string, server State, now time.Time, rule Reconciliation) (Outcome, error) {
	if err := checkID(id); err != nil {
		return "", err
	}
	if err := server.check(); err != nil {
		return "", err
	}
	if err := rule.check("reconciliation"); err != nil {
		return "", err
	}
	now = s.at(now)
	defer s.publish()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.commit(id, server, now, rule), nil
}

func (s *Store) commit(id string, server State, now time.Time, rule Reconciliation) Outcome {
	o := s.find(id)
	switch {
	case o != nil && o.due(now):
		s.end(o, Expired)
		s.refresh()
		return Expired
	case o != nil:
		s.end(o, Committed)
	case !s.conflicted.has(id):
		return Missing
	case rule != AcceptServerState:
		return Conflicted
	default:
		s.conflicted.forget(id)
		s.notices.queue(Event{Type: Committed, PredictionID: id})
	}
	s.base = server
	for _, other := range slices.Clone(s.overlays) {
		if other.BaseVersion != server.Version {
			s.end(other, Conflicted)
		}
	}
	s.refresh()
	return Committed
}

func (r Reconciliation) check(where string) error {
	switch r {
	case "", AcceptServerState, Reload, Manual:
		return nil
	}
	return wrong(where, "want accept-server-state, reload or manual")
}

// Rollback takes a prediction away: RolledBack, or Missing when it is not active.
func (s *Store) Rollback(id string) Outcome {
	defer s.publish()
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.drop(s.find(id), RolledBack)
}

// rollback is Rollback of that very prediction, whoever has its id by now.
func (s *Store) rollback(o *overlay) {
	defer s.publish()
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.ended == "" {
		s.drop(o, RolledBack)
	}
}

// drop ends one prediction; nil is one that is missing. The lock is held.
func (s *Store) drop(o *overlay, how Outcome) Outcome {
	if o == nil {
		return Missing
	}
	s.end(o, how)
	s.refresh()
	return how
}

// Expire ends the predictions that are due and gives their ids in order. A zero now means the store's clock.
func (s *Store) Expire(now time.Time) []string {
	now = s.at(now)
	defer s.publish()
	s.mu.Lock()
	defer s.mu.Unlock()
	var ids []string
	for _, o := range slices.Clone(s.overlays) {
		if o.due(now) {
			s.end(o, Expired)
			ids = append(ids, o.id)
		}
	}
	if len(ids) > 0 {
		s.refresh()
	}
	return ids
}

// endOf is how a prediction ended, "" while it is active.
func (s *Store) endOf(o *overlay) Outcome {
	s.mu.Lock()
	defer s.mu.Unlock()
	return o.ended
}

// snapshot is Snapshot with the lock held.
func (s *Store) snapshot() Snapshot {
	ids := make([]string, len(s.overlays))
	for i, o := range s.overlays {
		ids[i] = o.id
	}
	return Snapshot{State: s.view, AuthoritativeVersion: s.base.Version, ActivePredictionIDs: ids}
}

// expire ends that very prediction when it is still active.
func (s *Store) expire(o *overlay) {
	defer s.publish()
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.ended == "" {
		s.drop(o, Expired)
	}
}

// settle is Commit of that very prediction, whoever has its id by now. One that has ended gives how.
func (s *Store) settle(o *overlay, server State, now time.Time, rule Reconciliation) Outcome {
	now = s.at(now)
	defer s.publish()
	s.mu.Lock()
	defer s.mu.Unlock()
	if o.ended != "" && !(o.ended == Conflicted && s.conflicted.has(o.id)) {
		return o.ended
	}
	return s.commit(o.id, server, now, rule)
}
