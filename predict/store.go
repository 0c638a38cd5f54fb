package predict

import (
	"slices"
	"sync"
	"time"

	"github.com/pagewarden/pagewarden/capability"
)

// The bounds of a store.
const (
	// MaxPredictions is how many predictions may be active at once.
	MaxPredictions = 256
	// MaxConflicted is how many conflicted predictions are remembered; the oldest is forgotten first.
	MaxConflicted = 1024
)

// State is an authoritative state and its version: 1 to 128 of A-Z a-z 0-9 . _ : / -
type State struct {
	State   capability.JSON
	Version string
}

// Prediction is what is foreseen of the state with the version BaseVersion.
type Prediction struct {
	BaseVersion string
	Patch       Patch
	// ExpiresAt is when it is not believed any more; the zero time is never.
	ExpiresAt time.Time
}

// JSON is the prediction as an object: { baseVersion, patch, expiresAt? }, the time in milliseconds since 1970.
func (p Prediction) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Text("baseVersion", p.BaseVersion)
	o.Raw("patch", p.Patch.JSON())
	if !p.ExpiresAt.IsZero() {
		o.Int("expiresAt", p.ExpiresAt.UnixMilli())
	}
	return o.JSON()
}

// due reports whether the prediction has had its time at now.
func (p *Prediction) due(now time.Time) bool {
	return !p.ExpiresAt.IsZero() && !now.Before(p.ExpiresAt)
}

// Snapshot is a store as it was at one moment.
type Snapshot struct {
	// State is the authoritative state with the active predictions applied in order.
	State capability.JSON
	// AuthoritativeVersion is the version of what the server said last: the base of a prediction made now.
	AuthoritativeVersion string
	ActivePredictionIDs  []string
}

// JSON is the snapshot as an object: { state, version, authoritativeVersion, activePredictionIds }. Both versions are the
// authoritative one: a predicted state has none of its own, and either does as the base of a prediction.
func (s Snapshot) JSON() capability.JSON {
	var o capability.ObjectWriter
	o.Raw("state", s.State)
	o.Text("version", s.AuthoritativeVersion)
	o.Text("authoritativeVersion", s.AuthoritativeVersion)
	o.Raw("activePredictionIds", capability.ArrayOf(s.ActivePredictionIDs, capability.Quote))
	return o.JSON()
}

// Outcome is how an operation on a store, or a predicted execution, ended.
type Outcome string

// The outcomes.
const (
	Predicted  Outcome = "predicted"
	Committed  Outcome = "committed"
	RolledBack Outcome = "rolled-back"
	Conflicted Outcome = "conflicted"
	Expired    Outcome = "expired"
	Stale      Outcome = "stale"
	Invalid    Outcome = "invalid"
	Missing    Outcome = "missing"
	// Executed is a predicted execution in which nothing was predicted.
	Executed Outcome = "executed"
)

// Reconciliation says what to do about a state that has moved under a prediction.
type Reconciliation string

// The reconciliations.
const (
	// AcceptServerState takes the server's state even so.
	AcceptServerState Reconciliation = "accept-server-state"
	// Reload leaves it to the page to load the state anew.
	Reload Reconciliation = "reload"
	// Manual leaves it to the page altogether.
	Manual Reconciliation = "manual"
)

// Store holds one authoritative state and the predictions over it. It is safe for concurrent use; listeners are called
// with no lock held and may call back.
type Store struct {
	clock func() time.Time

	mu         sync.Mutex
	base       State
	overlays   []*overlay      // active, in order
	view       capability.JSON // base with the overlays
	conflicted memory
	notices    notices
}

// overlay is one active prediction.
type overlay struct {
	id string
	Prediction
	ended Outcome // "" while active; under the store's lock
}

// NewStore makes a store. clock is asked when a call gives no time; nil means the system's. The error is an
// *ArgumentError.
func NewStore(initial State, clock func() time.Time) (*Store, error) {
	if err := initial.check(); err != nil {
		return nil, err
	}
	if clock == nil {
		clock = time.Now
	}
	return &Store{clock: clock, base: initial, view: initial.State, conflicted: newMemory(MaxConflicted)}, nil
}

func (s State) check() error {
	if err := checkVersion("version", s.Version); err != nil {
		return err
	}
	if len(s.State) > MaxStateBytes {
		return tooLarge("state", "has %d bytes of JSON; the most is %d", len(s.State), MaxStateBytes)
	}
	if _, issue := stateLimits().Decode(s.State); issue != nil {
		return wrong("state", "%v", issue)
	}
	return nil
}

const maxVersion = 128

func checkVersion(where, text string) error {
	for _, c := range []byte(text) {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '.', c == '_', c == ':', c == '/', c == '-':
		default:
			return wrong(where, "a version is 1 to %d of A-Z a-z 0-9 . _ : / -", maxVersion)
		}
	}
	if text == "" || len(text) > maxVersion {
		return wrong(where, "a version is 1 to %d of A-Z a-z 0-9 . _ : / -", maxVersion)
	}
	return nil
}

func checkID(id string) error {
	if id == "" || capability.Length(id) > capability.MaxIDLength {
		return wrong("id", "a prediction's id has 1 to %d characters", capability.MaxIDLength)
	}
	return nil
}

// Snapshot is the present state. The caller owns it.
func (s *Store) Snapshot() Snapshot {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.snapshot()
}

// find gives the active prediction of that id, nil when there is none. The lock is held, as for what follows.
func (s *Store) find(id string) *overlay {
	at := slices.IndexFunc(s.overlays, func(o *overlay) bool { return o.id == id })
	if at < 0 {
		return nil
	}
	return s.overlays[at]
}

// end takes an active prediction away. The view is to be made anew afterwards.
func (s *Store) end(o *overlay, how Outcome) {
	s.overlays = slices.DeleteFunc(s.overlays, func(other *overlay) bool { return other == o })
	o.ended = how
	if how == Conflicted {
		s.conflicted.add(o.id)
	}
	s.notices.queue(Event{Type: how, PredictionID: o.id})
}

// refresh makes the view anew. A prediction that does not apply any more, because one that it built on is gone, has
// no effect; it stays active and its commit counts.
func (s *Store) refresh() {
	s.view = s.base.State
	for _, o := range s.overlays {
		if changed, ok := o.Patch.Apply(s.view); ok {
			s.view = changed
		}
	}
}

func (s *Store) at(now time.Time) time.Time {
	if now.IsZero() {
		return s.clock()
	}
	return now
}
