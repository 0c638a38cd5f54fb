package webmcp

import (
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/catalog"
	"github.com/pagewarden/pagewarden/consent"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
)

// ErrStarted is Start's error on an adapter that is started already; nothing has changed then.
var ErrStarted = errors.New("starting the WebMCP adapter: it is started already")

// Options configure an adapter. Every field may be left out.
type Options struct {
	// Host is the registry's port to the outside; nil means host.Native.
	Host host.Host
	// Find looks for the model context; nil never finds one.
	Find Finder
	// Sets is where the adapters of one runtime share the tools of an object that only takes whole sets;
	// nil means that there is no other adapter.
	Sets *Sets
	// Snapshot wins over the snapshot context that Start is given, field by field.
	Snapshot SnapshotContext
	// Expose may skip a capability or replace its description. It is asked at each reconcile and may not
	// wait. An error skips.
	Expose func(Descriptor) (Exposure, error)
	// Confirm asks a person beside the host's confirmation UI.
	Confirm ConfirmFunc
	// ConfirmWithoutClient runs Confirm also when the browser passed no client.
	ConfirmWithoutClient bool
	// ExposedTo are the origins that may see the tools; empty means the browser's default.
	ExposedTo []string
	// Log receives diagnostics for developers, when the registry's environment is development.
	Log func(text string)
}

// Adapter offers one registry's capabilities over WebMCP. It is safe for concurrent use. Hooks, the model
// context and the registry are called with no lock held and may call back.
type Adapter struct {
	// Set once by New.
	options Options
	host    host.Host

	mu  sync.Mutex
	run *run // nil while stopped

	surface surface // nil until a model context is found
	slots   map[string]*slot
	byToken map[Token]*slot
	numbers uint64
	refused map[string]Refusal
	// landing counts, by name, tools that were withdrawn by name before the browser had settled them: until
	// it has, one may still appear, and the name cannot be given out again.
	landing map[string]int
	owed    map[string]struct{} // names that the next pass has to look at
	stray   []Tool              // taken by the browser after they were withdrawn

	queued      bool // a reconcile is queued for the end of the turn
	reconciling bool
	again       bool // something changed during the reconcile
}

// run is what lies between one Start and its Stop.
type run struct {
	key         string // of its tokens
	registry    Registry
	calls       *consent.Calls
	snapshot    registry.SnapshotOptions
	development bool

	wanted map[string]offered // by name; of the flow that reconciles

	// Under the adapter's lock.
	catalog     *catalog.Catalog // nil until there is a surface; only the flow that reconciles sets and reads it
	unsubscribe func()           // ends the run's hold on the registry
	version     string           // of the surface when it was projected last
}

// New makes an adapter that offers nothing until Start.
func New(options Options) *Adapter {
	if options.Host == nil {
		options.Host = host.Native()
	}
	if options.Find == nil {
		options.Find = func() ModelContext { return nil }
	}
	if options.Sets == nil {
		options.Sets = NewSets()
	}
	options.ExposedTo = slices.Clone(options.ExposedTo)
	return &Adapter{
		options: options, host: options.Host,
		slots: map[string]*slot{}, byToken: map[Token]*slot{}, refused: map[string]Refusal{}, landing: map[string]int{}, owed: map[string]struct{}{},
	}
}

// Start offers what h's consumer may call, and keeps the offer up to date until Stop. Where the browser
// answers at once the tools are registered when Start returns. Without a model context it does nothing but
// look again at each later change. The error says what h lacks, or is ErrStarted.
func (a *Adapter) Start(h Host) error {
	r, err := a.newRun(h)
	if err != nil {
		return fmt.Errorf("starting the WebMCP adapter: %w", err)
	}
	a.mu.Lock()
	if a.run != nil {
		a.mu.Unlock()
		return ErrStarted
	}
	a.run = r
	a.owe()
	if len(a.slots) == 0 {
		a.surface = nil
	}
	a.mu.Unlock()
	a.subscribe(r)
	a.reconcile()
	return nil
}

func (a *Adapter) newRun(h Host) (*run, error) {
	if h.Registry == nil {
		return nil, errors.New("a registry is required")
	}
	if !h.Consumer.Valid() {
		return nil, errors.New("a consumer with an id and a known kind is required")
	}
	context := a.options.Snapshot.over(h.Snapshot)
	return &run{
		key: newRunKey(a.host), registry: h.Registry, wanted: map[string]offered{},
		calls:       consent.New(consent.Options{Registry: h.Registry, Host: a.host, Consumer: h.Consumer, Wait: true}),
		development: h.Registry.Environment() == capability.Development,
		snapshot: registry.SnapshotOptions{
			Consumer: h.Consumer, Scope: slices.Clone(context.Scope),
			MaxComponents: context.MaxComponents, MaxBytes: context.MaxBytes,
		},
	}, nil
}

// over is c where it gives something, other elsewhere.
func (c SnapshotContext) over(other SnapshotContext) SnapshotContext {
	if c.Scope == nil {
		c.Scope = other.Scope
	}
	if c.MaxComponents == 0 {
		c.MaxComponents = other.MaxComponents
	}
	if c.MaxBytes == 0 {
		c.MaxBytes = other.MaxBytes
	}
	return c
}

func (a *Adapter) subscribe(r *run) {
	detach := r.registry.Attach("a WebMCP adapter", r.snapshot.Consumer)
	unsubscribe := r.registry.Subscribe(func(e registry.Event) {
		if e.Type == registry.SurfaceChanged {
			a.Refresh()
		}
	})
	stop := func() {
		unsubscribe()
		detach()
	}
	a.mu.Lock()
	current := a.run == r
	r.unsubscribe = stop
	a.mu.Unlock()
	if !current {
		stop()
	}
}

// Stop withdraws every tool, ends the waits for confirmation (those calls return CONFIRMATION_REQUIRED) and
// lets other calls in flight complete; a tool with a call in flight is withdrawn one task after that call.
// It can be called again, and so can Start.
func (a *Adapter) Stop() {
	a.mu.Lock()
	r := a.run
	if r == nil {
		a.mu.Unlock()
		return
	}
	a.run = nil
	stop, followed := r.unsubscribe, r.catalog
	clear(a.refused)
	a.owe()
	a.mu.Unlock()
	if stop != nil {
		stop()
	}
	if followed != nil {
		followed.Stop()
	}
	r.calls.Stop()
	a.reconcile()
}

// Refresh reads the catalog again at the end of the turn: the page became visible, or a model context may
// have appeared.
func (a *Adapter) Refresh() {
	a.mu.Lock()
	needed := a.run != nil && !a.queued
	a.queued = a.queued || needed
	a.mu.Unlock()
	if !needed {
		return
	}
	a.host.Soon(func() {
		a.mu.Lock()
		a.queued = false
		a.mu.Unlock()
		a.reconcile()
	})
}

// log tells developers, in development.
func (a *Adapter) log(text string) {
	a.mu.Lock()
	told := a.options.Log != nil && a.run != nil && a.run.development
	a.mu.Unlock()
	if told {
		a.options.Log("webmcp: " + text)
	}
}
