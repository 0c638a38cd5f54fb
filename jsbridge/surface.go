package jsbridge

import (
	"strconv"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
	"github.com/pagewarden/pagewarden/predict"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
)

// surface is one registry as the script knows it.
type surface struct {
	bridge   *Bridge
	id       int32
	registry *registry.Registry
	calls    calls
	caller   caller
	subject  subject
	awaits   map[int32]func()
	handles  map[int32]struct{} // by the script's number of the definition
	plans    map[int32]*plan
	lastPlan int32
	readers  readers
	shelf    *toolset.Shelf
	shown    shown
	desk     *predict.Desk // nil until a guest offers a capability
	judged   bool          // the registry has policies
	silence  func()        // ends the subscription that feeds the script
}

// createRegistry makes a registry: text is { options, authority? }, the authority by its number, the options by the names of registry.md and
// with functions as true.
func (b *Bridge) createRegistry(text string) (string, error) {
	f, err := decodeObject("options", text)
	if err != nil {
		return "", err
	}
	s := b.newSurface()
	authority := b.authorities.get(f.integer("authority", 0))
	inner := f.object("options")
	if inner == nil {
		inner = &fields{}
	}
	inner.where = "options"
	options := s.options(inner)
	options.Authority = authority
	inner.refuseOthers()
	f.absorb(inner)
	if err = f.err; err == nil {
		s.registry, err = registry.New(options)
	}
	if err != nil {
		b.surfaces.remove(s.id)
		return "", err
	}
	return string(s.describe()), nil
}

// newSurface is one that has no registry yet.
func (b *Bridge) newSurface() *surface {
	s := &surface{
		bridge: b, calls: calls{}, awaits: map[int32]func(){}, handles: map[int32]struct{}{}, plans: map[int32]*plan{},
		shelf: toolset.NewShelf(),
	}
	s.id = b.surfaces.add(s)
	return s
}

// describe is what the script has to know of a registry.
func (s *surface) describe() capability.JSON {
	var o capability.ObjectWriter
	o.Int("registry", int64(s.id))
	o.Text("surfaceId", s.registry.SurfaceID())
	o.Text("authorityMode", string(s.registry.AuthorityMode()))
	limits := s.registry.Limits()
	o.Int("maxInputBytes", int64(limits.MaxInputBytes))
	o.Int("maxOutputBytes", int64(limits.MaxOutputBytes))
	o.Int("maxInputDepth", int64(limits.MaxInputDepth))
	return o.JSON()
}

func (s *surface) options(f *fields) registry.Options {
	options := registry.Options{
		Host: s.bridge.loop, Environment: capability.Environment(f.text("environment")),
		Policies:            s.policies(f, "policies"),
		OnDuplicateInstance: registry.DuplicateRule(f.text("onDuplicateInstance")),
		DuplicateSuffix:     registry.SuffixRule(f.text("duplicateSuffixPolicy")),
		Limits:              limitsOf(f.object("limits"), f), JavaScriptNumbers: true,
		Context: s.hostContext, Log: s.log,
	}
	s.judged = len(options.Policies) > 0
	if f.boolean("audit", false) {
		options.Audit = audit.SinkFunc(func(e audit.Event) { s.bridge.page.Tell(TellAudit, s.id, 0, string(e.JSON())) })
	} else if options.Environment == capability.Development {
		options.Audit = s.developmentTrail()
	} else {
		options.Audit = audit.Discard() // a page cannot ask what a sink in here has kept
	}
	if f.boolean("onRegister", false) {
		options.OnRegister = s.guard
	}
	if f.boolean("route", false) {
		options.Route = s.route
	}
	if f.boolean("now", false) {
		options.Now = s.now
	}
	return options
}

func limitsOf(inner, f *fields) *capability.Limits {
	limits := capability.DefaultLimits()
	if inner == nil {
		return &limits
	}
	for _, name := range inner.names() {
		if err := limits.Set(name, inner.number(name, -1)); err != nil && f.err == nil {
			f.err = typeError(err.Error())
		}
	}
	f.absorb(inner)
	return &limits
}

// developmentTrail is where the trail goes that the page gives no sink for: a bounded memory, and the console.
func (s *surface) developmentTrail() audit.Sink {
	memory := audit.NewMemory(0)
	return audit.SinkFunc(func(e audit.Event) {
		memory.Record(e)
		s.bridge.page.Tell(TellLog, s.id, 1, "audit "+string(e.JSON()))
	})
}

func (s *surface) log(text string) { s.bridge.page.Tell(TellLog, s.id, 0, text) }

// ask is a question whose answer cannot be waited for.
func (s *surface) ask(q Question, a int32, text string) (capability.JSON, error) {
	answer, back := s.bridge.page.Ask(q, a, s.id, 0, text)
	if err := answerError(answer, back); err != nil {
		return "", err
	}
	return capability.JSON(back), nil
}

func (s *surface) now() time.Time {
	answer, err := s.ask(AskNow, s.id, "")
	ms, parseErr := strconv.ParseFloat(string(answer), 64)
	if err != nil || parseErr != nil {
		return s.bridge.loop.Now()
	}
	return time.UnixMicro(int64(ms * 1000))
}

func (s *surface) guard(c registry.Candidate) error {
	var o capability.ObjectWriter
	o.Text("type", c.ComponentType)
	o.Text("instanceId", c.InstanceID)
	o.Text("description", c.Description)
	o.Text("origin", c.Origin)
	o.Raw("meta", c.Meta)
	ids := make([]capability.JSON, len(c.CapabilityIDs))
	for i, id := range c.CapabilityIDs {
		ids[i] = capability.Quote(id)
	}
	o.Raw("capabilityIds", capability.ArrayJSON(ids))
	answer, err := s.ask(AskGuard, s.id, string(o.JSON()))
	if err == nil && answer != `"accept"` {
		err = errFailed
	}
	return err
}

func (s *surface) route() *registry.Route {
	answer, err := s.ask(AskRoute, s.id, "")
	if err != nil || answer.Absent() {
		return nil
	}
	f, err := objectOf("route()", answer)
	if err != nil {
		return nil
	}
	route := &registry.Route{Path: f.text("path"), Params: f.raw("params")}
	if f.err != nil {
		return nil
	}
	return route
}

func (s *surface) dispose() {
	s.registry.Dispose()
	s.bridge.stopAdapters(s)
	s.bridge.disposeToolsets(s)
	s.bridge.disposeDesk(s)
	s.bridge.giveUpAll(s)
	s.silence = nil
	for h := range s.handles {
		delete(s.bridge.handles, h)
	}
	s.bridge.surfaces.remove(s.id)
}

func decodeUpdate(text string) (registry.Update, error) {
	f, err := decodeObject("update", text)
	if err != nil {
		return registry.Update{}, err
	}
	var update registry.Update
	if f.has("enabled") {
		enabled := f.boolean("enabled", true)
		update.Enabled = &enabled
	}
	if inner := f.object("availability"); inner != nil {
		update.Availability = map[string]registry.Availability{}
		inner.objects(func(name string, one *fields) {
			update.Availability[name] = registry.Availability{Available: one.boolean("available", true), Reason: one.text("reason")}
			inner.absorb(one)
		})
		f.absorb(inner)
	}
	if name := f.unknown(); f.err == nil && name != "" {
		f.err = typeError("update." + name + " is not something that can be updated")
	}
	return update, f.err
}

func snapshotOptions(f *fields) registry.SnapshotOptions {
	options := registry.SnapshotOptions{
		Consumer: consumerOf(f), Scope: f.texts("scope"), OnlyAvailable: !f.boolean("includeUnavailable", true),
	}
	if budget := f.object("budget"); budget != nil {
		options.MaxComponents = budget.integer("maxComponents", 0)
		options.MaxBytes = budget.integer("maxBytes", 0)
		budget.refuseOthers()
		f.absorb(budget)
	}
	f.refuseOthers()
	return options
}

// consumerOf is the member consumer, the anonymous one when there is none.
func consumerOf(f *fields) capability.Consumer {
	inner := f.object("consumer")
	if inner == nil {
		return capability.AnonymousConsumer()
	}
	consumer := capability.Consumer{
		ID: inner.text("id"), Kind: capability.ConsumerKind(inner.text("kind")),
		Grants: inner.texts("grants"), ClaimedName: inner.text("claimedName"),
	}
	f.absorb(inner)
	if f.err == nil && !consumer.Valid() {
		f.fail("consumer", "{ id, kind } with a kind of embedded, webmcp, mcp-bridge, test or other")
	}
	return consumer
}

func (s *surface) listen(events, steps bool) {
	var watch func(capability.JSON)
	if steps {
		watch = func(step capability.JSON) { s.bridge.page.Tell(TellEvent, s.id, 1, string(step)) }
	}
	registry.Watch(s.registry, watch)
	switch {
	case events == (s.silence != nil): // another subscription would miss what is on its way
	case !events:
		s.silence()
		s.silence = nil
	default:
		s.silence = s.registry.Subscribe(func(e registry.Event) {
			s.bridge.page.Tell(TellEvent, s.id, 0, string(e.JSON()))
		})
	}
}

func (s *surface) onConfirmations(op Op, n int32, text string) string {
	confirmations := s.registry.Confirmations()
	switch op {
	case OpPending:
		list := []capability.JSON{}
		for _, pending := range confirmations.Pending() {
			list = append(list, pending.JSON())
		}
		return string(capability.ArrayJSON(list))
	case OpResolve:
		return strconv.FormatBool(confirmations.Resolve(text, n == 1))
	case OpForceExpire:
		return strconv.FormatBool(confirmations.ForceExpire(text))
	case OpCancelAwait:
		if cancel := s.awaits[n]; cancel != nil {
			delete(s.awaits, n)
			cancel()
		}
	case OpAwaitConfirmation:
		s.await(n, text)
	}
	return ""
}

func (s *surface) await(ticket int32, id string) {
	told := false
	cancel := s.registry.Confirmations().Await(id, func(outcome confirm.Outcome) {
		told = true
		delete(s.awaits, ticket)
		s.bridge.page.Tell(TellOutcome, s.id, ticket, string(outcome))
	})
	if !told {
		s.awaits[ticket] = cancel
	}
}
