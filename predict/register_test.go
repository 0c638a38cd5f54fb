package predict_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/predict"
	"github.com/pagewarden/pagewarden/registry"
)

// browser is a target that writes down what is asked of it. It answers at once, unless it is slow.
type browser struct {
	log     []string
	refuse  map[string]error
	panics  string
	slow    bool
	waiting []func(error)
	tools   map[string]*predict.Tool
}

func (b *browser) Add(tool *predict.Tool, settled func(error)) {
	b.log = append(b.log, "add "+tool.Name())
	if tool.Name() == b.panics {
		panic("no")
	}
	if b.slow {
		b.waiting = append(b.waiting, settled)
		return
	}
	if b.tools == nil {
		b.tools = map[string]*predict.Tool{}
	}
	b.tools[tool.Name()] = tool
	settled(b.refuse[tool.Name()])
}

func (b *browser) Remove(tool *predict.Tool) error {
	b.log = append(b.log, "remove "+tool.Name())
	return errors.New("removing is not what it was")
}

func (p *page) named(name string) *predict.Capability {
	return p.rename(func(d *predict.Definition) { d.Name = name })
}

// register runs a registration in a flow. The report is nil until the browser has answered.
func (p *page) register(ctx context.Context, target predict.Target, capabilities ...*predict.Capability) **predict.Registration {
	var report *predict.Registration
	p.clock.Go(func() { report = p.desk.RegisterWebMCP(ctx, capabilities, target, predict.ToolOptions{}) })
	p.clock.Settle()
	return &report
}

func TestRegistration(t *testing.T) {
	p, b := newPage(t), &browser{refuse: map[string]error{"b": errors.New(strings.Repeat("x", 300))}, panics: "c"}
	capabilities := []*predict.Capability{p.named("a"), p.named("b"), p.named("c"), p.named("d"), p.named("a")}
	r := *p.register(context.Background(), b, capabilities...)
	same(t, "what is registered", strings.Join(r.Registered, " "), "a d")
	same(t, "support", r.Supported, true)
	same(t, "the failures", len(r.Failed), 3)
	same(t, "the longest error", capability.Length(r.Failed[0].Error), predict.MaxFailureText)
	same(t, "the panic", r.Failed[1].Name, "c")
	same(t, "the second of a name", r.Failed[2].Name+": "+r.Failed[2].Error, "a: a tool with this name is registered already, or about to be")
	same(t, "a tool of the browser", p.call(b.tools["a"], lamp, predict.Call{}).Receipt.OK, true)
	again := *p.register(context.Background(), b, p.named("a"), capabilities[1])
	same(t, "again", string(again.JSON()), fmt.Sprintf(
		`{"supported":true,"registered":[],"failed":[{"name":"a","error":"a tool with this name is registered already, or about to be"},{"name":"b","error":%q}]}`,
		strings.Repeat("x", 256)))
	again.Cleanup()
	r.Cleanup()
	r.Cleanup()
	same(t, "what the browser was asked", strings.Join(b.log, ", "), "add a, add b, add c, add d, add b, remove d, remove a")
	third := *p.register(context.Background(), b, capabilities[0])
	same(t, "after the clean-up", strings.Join(third.Registered, " "), "a")
}

func TestRegistrationWithoutABrowser(t *testing.T) {
	p := newPage(t)
	r := *p.register(context.Background(), nil, p.named("a"))
	same(t, "the report", string(r.JSON()), `{"supported":false,"registered":[],"failed":[]}`)
	r.Cleanup()
	surface, err := p.Registry().Snapshot(registry.SnapshotOptions{Consumer: capability.Consumer{ID: "x", Kind: capability.TestConsumer, Grants: []string{"a"}}})
	if err != nil || len(surface.Procedures) != 0 {
		t.Errorf("the registry has %v, %v", surface.Procedures, err)
	}
}

func TestRegistrationReservesNamesBeforeTheBrowserAnswers(t *testing.T) {
	p, b := newPage(t), &browser{slow: true}
	a := p.named("a")
	first, second := p.register(context.Background(), b, a), p.register(context.Background(), b, a)
	same(t, "the second's failures", len((*second).Failed), 1)
	if *first != nil {
		t.Fatal("the first has a report before the browser has answered")
	}
	b.waiting[0](errors.New("refused"))
	b.waiting[0](nil) // a second answer does not count
	p.clock.Settle()
	same(t, "the first's failures", len((*first).Failed), 1)
	third := p.register(context.Background(), b, a)
	b.waiting[1](nil)
	p.clock.Settle()
	same(t, "the third's", strings.Join((*third).Registered, " "), "a")
}

func TestRegistrationIsWithdrawn(t *testing.T) {
	p, b := newPage(t), &browser{slow: true}
	scope := host.NewScope(context.Background())
	r := p.register(scope, b, p.named("a"), p.named("b"))
	b.waiting[0](nil)
	scope.Cancel(errors.New("the page has gone"))
	p.clock.Settle()
	same(t, "the report", string((*r).JSON()), `{"supported":true,"registered":["a"],"failed":[{"name":"b","error":"the browser has not answered: the page has gone"}]}`)
	b.waiting[1](nil)
	same(t, "what the browser was asked", strings.Join(b.log, ", "), "add a, add b, remove b")
}

func TestConformance(t *testing.T) {
	p, b := newPage(t), &browser{}
	a, bad := p.named("a"), p.rename(func(d *predict.Definition) { d.Name = "bad"; d.Input.Document = `{"type":"nonsense"}` })
	run := func(target predict.Target, cases []predict.Case, capabilities ...*predict.Capability) *predict.ConformanceReport {
		var report *predict.ConformanceReport
		p.clock.Go(func() {
			report = p.desk.RunConformance(context.Background(), capabilities, predict.Conformance{Target: target, Cases: cases})
		})
		p.clock.Settle()
		return report
	}
	verdict := func(r *predict.ConformanceReport) string {
		var bad []string
		for _, c := range r.Checks {
			if !c.OK {
				bad = append(bad, c.Name)
			}
		}
		return strings.Join(bad, ", ")
	}
	good := []predict.Case{
		{Name: "renames", Capability: "a", Input: lamp},
		{Name: "refuses", Capability: "a", Input: `{}`, Verdict: predict.FailedVerdict, Assert: func(a predict.Answer) error {
			if a.Receipt.Error.Code != predict.InputInvalid {
				return errors.New("for another reason")
			}
			return nil
		}},
	}
	r := run(b, good, a)
	same(t, "a good one", verdict(r), "")
	same(t, "its verdict", r.OK(), true)
	same(t, "its report", string(r.JSON()), `{"supported":true,"registered":["a"],"failed":[],"checks":[{"name":"unique descriptors","ok":true},`+
		`{"name":"safe degradation","ok":true},{"name":"registration","ok":true},{"name":"case: renames","ok":true},{"name":"case: refuses","ok":true},{"name":"clean-up","ok":true}]}`)
	same(t, "what the browser was asked", strings.Join(b.log, ", "), "add a, remove a")
	same(t, "without a browser", verdict(run(nil, good, a)), "")
	same(t, "one twice", verdict(run(b, nil, a, a)), "unique descriptors, registration")
	r = run(b, nil, bad)
	same(t, "a bad schema", verdict(r), "registration")
	same(t, "its verdict", r.OK(), false)
	r = run(b, []predict.Case{
		{Name: "another outcome", Capability: "a", Input: `{}`},
		{Name: "asserts", Capability: "a", Input: lamp, Assert: func(predict.Answer) error { return errors.New("no") }},
		{Name: "panics", Capability: "a", Input: lamp, Assert: func(predict.Answer) error { panic("no") }},
		{Name: "nobody", Capability: "z"},
	}, a)
	same(t, "bad cases", verdict(r), "case: another outcome, case: asserts, case: panics, case: nobody")
	same(t, "the last thing that the browser was asked", b.log[len(b.log)-1], "remove a")
}
