package jsbridge

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/predict"
	"github.com/pagewarden/pagewarden/registry"
)

// guestCapability is what a guest has defined.
type guestCapability struct {
	definition capability.JSON
	on         map[int32]*predict.Capability // by registry
	orphan     bool                          // the page has lost it, and only those registries can still call it
}

// define takes the guest's number and { name, description, input, output, annotations?, capability?, scope?, reads?,
// writes?, reconciliation?, confirmation?, budget?, timeoutMs?, predicts?, keyed?, stored? }, where schemas are
// { document, parses? }. It gives { tool, surface }.
func (g *guest) define(_ *surface, a arguments) (capability.JSON, error) {
	number, definition := int32(a.integer("1", 0)), a.raw("2")
	if _, issue := a.value(2); issue != nil {
		return "", notATool(issue)
	}
	c, err := g.capability(nil, number, definition)
	if err != nil {
		return "", err
	}
	if err := g.bridge.tools.Add(c.Offer()); err != nil {
		return "", notATool(err)
	}
	g.capabilities[number] = &guestCapability{definition: definition, on: map[int32]*predict.Capability{}}
	return c.JSON(), nil
}

// undefine takes a number whose capability the page has lost. It gives true when nothing will ask for it, and otherwise
// the guest is told later.
func (g *guest) undefine(_ *surface, a arguments) (capability.JSON, error) {
	number := int32(a.integer("1", 0))
	k := g.capabilities[number]
	if k != nil && len(k.on) > 0 {
		k.orphan = true
		return "false", nil
	}
	delete(g.capabilities, number)
	return "true", nil
}

// leave forgets a registry that has been disposed of.
func (g *guest) leave(s *surface) {
	for _, number := range slices.Sorted(maps.Keys(g.tools.values)) {
		if g.tools.values[number].surface == s {
			g.tools.remove(number)
		}
	}
	for _, number := range slices.Sorted(maps.Keys(g.capabilities)) {
		k := g.capabilities[number]
		delete(k.on, s.id)
		if k.orphan && len(k.on) == 0 {
			delete(g.capabilities, number)
			o := question("forget")
			o.Int("of", int64(number))
			g.tell(o)
		}
	}
}

// on is a capability as registry s has it.
func (g *guest) on(s *surface, number int32) (*predict.Capability, error) {
	k := g.capabilities[number]
	if k == nil {
		return nil, typeError("there is no such capability")
	}
	if c := k.on[s.id]; c != nil {
		return c, nil
	}
	c, err := g.capability(s, number, k.definition)
	if err == nil {
		k.on[s.id] = c
	}
	return c, err
}

// capability reads a definition for registry s.
func (g *guest) capability(s *surface, number int32, text capability.JSON) (*predict.Capability, error) {
	f, err := objectOf("the definition", text)
	if err != nil {
		return nil, notATool(err)
	}
	f.where = ""
	functions := guestFunctions{g, s, number}
	d := predict.Definition{
		Name: f.text("name"), Description: f.text("description"), Annotations: f.raw("annotations"), Token: f.text("capability"),
		Scope: predict.Scope(f.text("scope")), Reads: f.texts("reads"), Writes: f.texts("writes"),
		Reconciliation: predict.Reconciliation(f.text("reconciliation")), Confirmation: capability.Confirmation(f.text("confirmation")),
		Timeout: f.milliseconds("timeoutMs", 0), Input: functions.schema(f, "input"), Output: functions.schema(f, "output"),
		Execute: functions.execute,
	}
	if f.boolean("predicts", false) {
		d.Predict, d.Reconcile = functions.predict, functions.reconcile
	}
	if f.boolean("keyed", false) {
		d.Idempotency = &predict.Idempotency{Key: functions.key}
		if f.boolean("stored", false) {
			d.Idempotency.Store = functions
		}
	}
	if budget := f.object("budget"); budget != nil {
		d.Budget = &predict.Budget{Calls: budget.integer("calls", 0), Window: budget.milliseconds("windowMs", 0)}
		budget.refuseOthers()
		f.absorb(budget)
	}
	if f.err != nil {
		return nil, notATool(f.err)
	}
	return predict.Define(d)
}

// guestFunctions are those of a capability, which the guest has under its number.
type guestFunctions struct {
	guest   *guest
	surface *surface
	number  int32
}

func (h guestFunctions) question(do string, input capability.JSON) *capability.ObjectWriter {
	o := question(do)
	o.Int("of", int64(h.number))
	o.Raw("input", input)
	return o
}

// schema is member name, whose parse is the page's own where it says so.
func (h guestFunctions) schema(f *fields, name string) registry.Schema {
	inner := f.object(name)
	if inner == nil {
		return registry.Schema{}
	}
	s := registry.Schema{Document: inner.raw("document")}
	if inner.boolean("parses", false) {
		s.Parse = func(value capability.JSON) (capability.JSON, []capability.Issue) { return h.parse(name, value) }
	}
	f.absorb(inner)
	return s
}

func (h guestFunctions) parse(name string, value capability.JSON) (capability.JSON, []capability.Issue) {
	o := h.question("parse", value)
	o.Text("schema", name)
	answer, err := h.guest.ask(o)
	if err != nil {
		return "", []capability.Issue{{Message: "could not be checked by the page"}}
	}
	return parsed(answer)
}

func (h guestFunctions) execute(ctx context.Context, input capability.JSON, call *registry.Call) (capability.JSON, error) {
	o := h.question("execute", input)
	o.Text("invocationId", call.InvocationID)
	o.Raw("consumer", consumerText(call.Consumer))
	return h.surface.askText(ctx, AskGuest, h.guest.number, 0, string(o.JSON()), call)
}

func (h guestFunctions) predict(f predict.Foresight) (predict.Prediction, error) {
	o := h.question("predict", f.Input)
	o.Raw("snapshot", f.Snapshot.JSON())
	o.Text("version", f.Version)
	o.Int("now", f.Now.UnixMilli())
	answer, err := h.guest.ask(o)
	if err != nil {
		return predict.Prediction{}, err
	}
	return predictionOf(answer)
}

func (h guestFunctions) reconcile(ctx context.Context, d predict.Hindsight) (predict.State, error) {
	o := h.question("reconcile", d.Input)
	o.Raw("output", d.Output)
	o.Raw("previous", d.Previous.JSON())
	o.Raw("prediction", d.Prediction.JSON())
	o.Int("now", d.Now.UnixMilli())
	answer, err := h.guest.await(o, whileWanted(ctx))
	if err != nil {
		return predict.State{}, err
	}
	return stateOf("reconcile", answer)
}

func (h guestFunctions) key(input capability.JSON) (string, error) {
	answer, err := h.guest.ask(h.question("key", input))
	if err != nil {
		return "", err
	}
	key, ok := answer.Text()
	if !ok {
		return "", typeError("idempotency.key must give a string")
	}
	return key, nil
}

// Get asks the page's own store of outputs, which answers { output } or nothing.
func (h guestFunctions) Get(ctx context.Context, key string) (output capability.JSON, found bool, err error) {
	o := h.question("recall", "")
	o.Text("key", key)
	answer, err := h.guest.await(o, whileWanted(ctx))
	if err != nil || answer.Absent() {
		return "", false, err
	}
	f, err := objectOf("idempotency.store.get", answer)
	if err != nil {
		return "", false, err
	}
	return f.raw("output"), true, f.err
}

// keepTime is how long the page may take to keep an output, whose call waits for that.
const keepTime = 10 * time.Second

// Put keeps an output in it. The work has been done, so it goes on when nobody waits for the call any more.
func (h guestFunctions) Put(_ context.Context, key string, output capability.JSON) error {
	o := h.question("remember", "")
	o.Text("key", key)
	o.Raw("output", output)
	_, err := h.guest.await(o, func(leave func()) (stop func()) { return h.guest.bridge.loop.After(keepTime, leave) })
	return err
}

// authorize is the check of one projection, which the guest has under number; 0 is none.
func (g *guest) authorize(number int) predict.Authorize {
	if number == 0 {
		return nil
	}
	return func(ctx *policy.InvokeContext) (bool, error) {
		o := question("authorize")
		o.Int("of", int64(number))
		o.Raw("input", ctx.EffectiveInput)
		answer, err := g.await(o, func(leave func()) (stop func()) { return onSettle(&ctx.Context, leave) })
		return answer == "true", err
	}
}
