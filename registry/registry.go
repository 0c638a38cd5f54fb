// Package registry holds the live surface of a page: the components that are mounted, what of them an agent
// may read and do, and the one pipeline that every call goes through.
//
// New makes a registry under an authority of package contract; Bind makes a component of its declaration and handlers,
// Register puts it on the surface, and Invoke calls what is there, as any adapter does.
//
// A Registry is safe for concurrent use. Handlers, policies, listeners and sinks are called with no lock
// held and may call back into the registry.
package registry

import (
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/schema"
)

// Registry is one surface.
type Registry struct {
	// Set once by New.
	surfaceID string
	options   Options
	limits    capability.Limits
	host      host.Host
	schemas   *schema.Cache
	records   *confirm.Store
	silent    bool // nobody reads the trail
	phases    []phase
	// watcher is what Watch was given.
	watcher atomic.Pointer[func(capability.JSON)]

	// Under mu, and changed only through change.
	mu    sync.Mutex
	state state
}

// state is everything of a registry that changes.
type state struct {
	// torn is set while a change is being made: one that a panic interrupted leaves it set, and the
	// registry answers nothing any more.
	torn     bool
	disposed bool

	version       uint64
	versionAsText string
	textOf        uint64    // the version that versionAsText is of
	versionQueued bool      // a surface-changed event is waiting for the end of the turn
	turnTime      time.Time // when components of this turn came and went, while that event waits

	live   map[instanceKey]*registration
	byID   map[string]*registration
	offers map[string]*offers // by capability id; none is empty
	order  order
	// registered counts the registrations so far.
	registered int
	procedures int                        // live entries of the domain plane
	unsteady   map[*registration]struct{} // live ones of which a reader has to ask something
	followers  map[*Follower]struct{}
	adapters   []*attached // in the order in which they began
	projected  projected
	tombs      tombstones

	executor Executor
	calls    callTable
	keyed    map[string]*group // of calls that queue by key
	spare    *group            // that ended, for the next one
	readers  readerPool

	events events
}

type instanceKey struct{ componentType, instanceID string }

// New makes an empty registry. The error says which option is missing or wrong.
func New(options Options) (*Registry, error) {
	options, err := options.complete()
	if err != nil {
		return nil, err
	}
	r := &Registry{options: options, limits: *options.Limits, host: options.Host, schemas: schema.NewCache(0), phases: pipeline()}
	r.surfaceID = r.randomID("srf_")
	r.silent = options.Audit == audit.Discard()
	r.state = state{
		live:      map[instanceKey]*registration{},
		byID:      map[string]*registration{},
		offers:    map[string]*offers{},
		keyed:     map[string]*group{},
		unsteady:  map[*registration]struct{}{},
		followers: map[*Follower]struct{}{},
		calls:     newCallTable(),
	}
	r.records = confirm.NewStore(confirm.Options{
		Host: r.host, Now: options.Now, TTL: r.limits.ConfirmationTTL,
		MaxPending:            r.limits.MaxPendingConfirmations,
		MaxPendingPerConsumer: r.limits.MaxPendingConfirmationsPerConsumer,
		OnChange:              r.confirmationChanged,
		Log:                   options.Log,
	})
	return r, nil
}

// SurfaceID is the surface's identity, srf_ and 22 base-62 characters.
func (r *Registry) SurfaceID() string { return r.surfaceID }

// AuthorityMode says what kind of authority the registry has.
func (r *Registry) AuthorityMode() contract.Mode { return r.options.Authority.Mode() }

// Environment is where the registry runs.
func (r *Registry) Environment() capability.Environment { return r.options.Environment }

// Limits are the limits in force.
func (r *Registry) Limits() capability.Limits { return r.limits }

// Version is the present surface version, a decimal number.
func (r *Registry) Version() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state.versionText()
}

// versionText is the version in decimal; every result holds it, so it is kept until the version moves.
func (s *state) versionText() string {
	if s.versionAsText == "" || s.textOf != s.version {
		s.versionAsText, s.textOf = strconv.FormatUint(s.version, 10), s.version
	}
	return s.versionAsText
}

// SetExecutor sets what carries procedures out.
func (r *Registry) SetExecutor(e Executor) {
	r.change(func(s *state) { s.executor = e })
}

// Invalidate says that the host's context has changed (a sign-in, another tenant): the version moves, so
// that adapters look again.
func (r *Registry) Invalidate() {
	r.change(func(s *state) {
		if !s.disposed {
			r.bump(s)
		}
	})
}

// Disposed reports whether Dispose has been called.
func (r *Registry) Disposed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state.disposed
}

// Dispose ends the surface: calls in flight settle CANCELLED, pending confirmations expire, listeners are
// dropped. It can be called again.
func (r *Registry) Dispose() {
	var inFlight []*call
	var replaying []*replayed
	r.change(func(s *state) {
		if s.disposed {
			return
		}
		s.disposed = true
		inFlight = s.calls.inFlight()
		for p := range s.calls.replaying {
			replaying = append(replaying, p)
		}
		for _, reg := range s.live {
			reg.active = false
		}
		clear(s.live)
		clear(s.byID)
		clear(s.offers)
		s.order, s.projected, s.procedures = order{}, projected{}, 0
		clear(s.unsteady)
		clear(s.followers)
		s.tombs = tombstones{}
		s.adapters = nil
		s.executor = nil
	})
	for _, c := range inFlight {
		c.abandon()
	}
	for _, p := range replaying {
		p.finish(p.retry.answer(capability.Disposed(capability.NotStarted)))
	}
	r.records.ExpireAll()
	r.change(func(s *state) { s.events.listeners = nil; s.calls.forget() })
}

// change is the only way in which state changes. Events that the change queued are delivered after it, with
// no lock held.
func (r *Registry) change(mutate func(*state)) {
	forgotten, told := r.mutate(mutate)
	for _, owner := range forgotten {
		r.guarded("OnForgotten", "", owner.Forgotten)
	}
	if told {
		r.deliver()
	}
}

// mutate makes the change under the lock, which a panic of it does not leave locked.
func (r *Registry) mutate(mutate func(*state)) (forgotten []Owner, told bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.state.torn {
		panic("registry: a panic interrupted an earlier change, so nothing here can be trusted any more")
	}
	r.state.torn = true
	mutate(&r.state)
	r.state.torn = false
	forgotten, r.state.tombs.forgotten = r.state.tombs.forgotten, nil
	return forgotten, len(r.state.events.pending) > 0
}

// guarded calls a function of the application's, whose panic must not reach those whose turn is next. A panic
// that interrupted a change of state goes on: see Torn.
func (r *Registry) guarded(what, of string, call func()) {
	defer func() {
		cause := recover()
		switch {
		case cause == nil:
		case r.Torn():
			panic(cause)
		default:
			r.options.Log(fmt.Sprintf("%s%s failed: %v", what, of, cause))
		}
	}()
	call()
}

// bump moves the version and sees to it that one surface-changed event leaves at the end of the turn.
func (r *Registry) bump(s *state) {
	s.version++
	if s.versionQueued {
		return
	}
	s.versionQueued = true
	r.host.Soon(r.announceVersion)
}

// turnTime is when components come and go: the clock is read once a turn, however many there are.
func (r *Registry) turnTime() time.Time {
	r.mu.Lock()
	waiting, at := r.state.versionQueued, r.state.turnTime
	r.mu.Unlock()
	if waiting && !at.IsZero() {
		return at
	}
	return r.options.Now()
}

func (r *Registry) announceVersion() {
	r.change(func(s *state) {
		s.versionQueued, s.turnTime = false, time.Time{}
		if !s.disposed {
			s.events.queue(Event{Type: SurfaceChanged, SurfaceVersion: s.versionText()})
		}
	})
}

// hostContext is the application's context now.
func (r *Registry) hostContext() (ctx policy.Host) {
	if r.options.Context == nil {
		return policy.HostMap(nil)
	}
	defer func() {
		if cause := recover(); cause != nil {
			r.options.Log(fmt.Sprintf("context() failed, so policies and handlers see an empty one: %v", cause))
			ctx = policy.HostMap(nil)
		}
	}()
	if ctx = r.options.Context(); ctx == nil {
		ctx = policy.HostMap(nil)
	}
	return ctx
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

// randomLength is how many base-62 characters hold at least 128 bits.
const randomLength = 22

// randomID is prefix and 22 base-62 characters, at least 128 bits that nobody can guess.
func (r *Registry) randomID(prefix string) string { return randomID(r.host, prefix) }

func randomID(h host.Host, prefix string) string {
	text := make([]byte, len(prefix)+randomLength)
	copy(text, prefix)
	for rest := text[len(prefix):]; len(rest) > 0; {
		h.Random(rest)
		filled := 0
		for _, b := range rest {
			if b &= 63; int(b) < len(base62) { // reject 62 and 63, so that none is favoured
				rest[filled] = base62[b]
				filled++
			}
		}
		rest = rest[filled:]
	}
	return string(text)
}

// record gives an event to the audit sink, whose failure changes nothing.
func (r *Registry) record(e audit.Event) {
	if !r.silent {
		r.recordTo(r.options.Audit, e)
	}
}

func (r *Registry) recordTo(sink audit.Sink, e audit.Event) {
	e.AuthorityMode = string(r.AuthorityMode())
	if r.options.Redact != nil && (!e.Input.Absent() || !e.Output.Absent()) {
		e.Input, e.Output = r.redact(e)
	}
	defer func() {
		if cause := recover(); cause != nil {
			r.options.Log(fmt.Sprintf("the audit sink failed: %v", cause))
		}
	}()
	sink.Record(e)
}

// redact applies the hook; one that fails redacts everything.
func (r *Registry) redact(e audit.Event) (input, output capability.JSON) {
	defer func() {
		if cause := recover(); cause != nil {
			r.options.Log(fmt.Sprintf("the redaction hook failed, so the payload is left out: %v", cause))
			input, output = "", ""
		}
	}()
	return r.options.Redact(e.CapabilityID, e.Input, e.Output)
}
