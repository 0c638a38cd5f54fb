package webmcp

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
)

// fakeContext is a browser's object that writes down what it is told.
type fakeContext struct {
	kind  Style
	tools []Tool   // what agents see
	log   []string // what was asked, in order

	refuse func(Tool) error // asked before a tool is taken
	// promised makes Add answer only when answer is called; lands makes the tool appear only then, too.
	promised, lands bool
	promises        []*promise
	during          func() // runs inside Add, Remove and Replace

	aborted map[Token]bool
}

type promise struct {
	tool    Tool
	settled func(error)
}

func (f *fakeContext) Style() Style { return f.kind }

func (f *fakeContext) Add(tool Tool, settled func(error)) {
	f.note("add", tool.Name)
	if !f.promised {
		settled(f.take(tool))
		return
	}
	p := &promise{tool, settled}
	if !f.lands {
		if err := f.take(tool); err != nil {
			p.settled = func(error) { settled(err) }
		}
	}
	f.promises = append(f.promises, p)
}

func (f *fakeContext) take(tool Tool) error {
	if f.aborted[tool.Token] {
		return errors.New("AbortError")
	}
	if f.find(tool.Name) != nil {
		return errors.New("InvalidStateError: duplicate name")
	}
	if f.refuse != nil {
		if err := f.refuse(tool); err != nil {
			return err
		}
	}
	f.tools = append(f.tools, tool)
	return nil
}

// answer settles the promises made so far.
func (f *fakeContext) answer() {
	due := f.promises
	f.promises = nil
	for _, p := range due {
		if f.lands {
			p.settled(f.take(p.tool))
		} else {
			p.settled(nil)
		}
	}
}

func (f *fakeContext) Remove(tool Tool) error {
	f.note("remove", tool.Name)
	before := len(f.tools)
	f.tools = slices.DeleteFunc(f.tools, func(t Tool) bool {
		return f.kind == ByName && t.Name == tool.Name || f.kind == BySignal && t.Token == tool.Token
	})
	if f.kind == BySignal {
		if f.aborted == nil {
			f.aborted = map[Token]bool{}
		}
		f.aborted[tool.Token] = true
		return nil
	}
	if len(f.tools) == before {
		return errors.New("InvalidStateError: unknown name")
	}
	return nil
}

func (f *fakeContext) Replace(tools []Tool) error {
	f.note("replace", namesOf(tools)...)
	for _, tool := range tools {
		if f.refuse != nil {
			if err := f.refuse(tool); err != nil {
				f.tools = nil // what an object has after an error is unknown
				return err
			}
		}
	}
	f.tools = slices.Clone(tools)
	return nil
}

func (f *fakeContext) note(verb string, names ...string) {
	f.log = append(f.log, strings.Join(append([]string{verb}, names...), " "))
	if during := f.during; during != nil {
		f.during = nil
		during()
	}
}

// told is what was asked since it was called last.
func (f *fakeContext) told() string {
	text := strings.Join(f.log, ", ")
	f.log = nil
	return text
}

func (f *fakeContext) find(name string) *Tool {
	for i := range f.tools {
		if f.tools[i].Name == name {
			return &f.tools[i]
		}
	}
	return nil
}

func (f *fakeContext) names() string { return strings.Join(namesOf(f.tools), " ") }

func namesOf(tools []Tool) []string {
	names := make([]string, len(tools))
	for i, tool := range tools {
		names[i] = tool.Name
	}
	return names
}

// page is a fake page: a host, a registry, a browser's object and an adapter between them.
type page struct {
	t        *testing.T
	host     *host.Fake
	registry *registry.Registry
	context  *fakeContext
	adapter  *Adapter
	logged   []string
	started  []string // capability ids of the calls that reached the registry
	ran      []string // what handlers were given
}

// newPage makes a page with one empty registry and an adapter that is not started.
func newPage(t *testing.T, kind Style, change ...func(*Options)) *page {
	t.Helper()
	p := &page{t: t, host: host.NewFake(time.Unix(1000, 0)), context: &fakeContext{kind: kind}}
	p.registry = newRegistry(t, p.host)
	p.registry.Subscribe(func(e registry.Event) {
		if e.Type == registry.InvocationStarted {
			p.started = append(p.started, e.CapabilityID)
		}
	})
	options := Options{
		Host: p.host, Find: func() ModelContext { return p.context },
		Log: func(text string) { p.logged = append(p.logged, text) },
	}
	for _, edit := range change {
		edit(&options)
	}
	p.adapter = New(options)
	t.Cleanup(p.host.Close)
	return p
}

func newRegistry(t *testing.T, h host.Host) *registry.Registry {
	t.Helper()
	r, err := registry.New(registry.Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Development, Host: h,
		Log: func(string) {},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

var browserAgent = capability.Consumer{ID: "browser-agent", Kind: capability.WebMCPConsumer}

func (p *page) start() {
	p.t.Helper()
	if err := p.adapter.Start(Host{Registry: p.registry, Consumer: browserAgent}); err != nil {
		p.t.Fatal(err)
	}
}

func (p *page) register(c *registry.Component) *registry.Handle {
	p.t.Helper()
	handle, err := p.registry.Register(c)
	if err != nil {
		p.t.Fatal(err)
	}
	if handle.Status() != registry.Active {
		p.t.Fatalf("registering %s: %s", c.Type, handle.Reason())
	}
	return handle
}

// widget is a component of a type with the action poke and the observation look.
func (p *page) widget(componentType, instance string) *registry.Component {
	return &registry.Component{
		Type: componentType, InstanceID: instance, Description: "A widget",
		Observations: []registry.Observation{{
			Name: "look", Description: "Looks", Output: registry.Schema{Document: `{"type":"object"}`},
			Read: func(context.Context, *registry.Call) (capability.JSON, error) { return `{"n":1}`, nil },
		}},
		Actions: []registry.Action{p.poke()},
	}
}

func (p *page) poke() registry.Action {
	return registry.Action{
		Name: "poke", Description: "Pokes", Effect: capability.LocalState,
		Input: registry.Schema{Document: `{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer"}},"additionalProperties":false}`},
		Execute: func(_ context.Context, input capability.JSON, _ *registry.Call) (capability.JSON, error) {
			p.ran = append(p.ran, string(input))
			return input, nil
		},
	}
}

// button is a component of a type with one action.
func (p *page) button(componentType string, edit ...func(*registry.Action)) *registry.Component {
	action := p.poke()
	for _, change := range edit {
		change(&action)
	}
	return &registry.Component{Type: componentType, Description: "A button", Actions: []registry.Action{action}}
}

// purge is a component with the destructive procedure domain:purge.
func (p *page) purge() *registry.Component {
	p.registry.SetExecutor(registry.ExecutorFunc(
		func(_ context.Context, path string, input capability.JSON, call *registry.Call) (capability.JSON, error) {
			p.ran = append(p.ran, path+" "+string(input))
			return `{"purged":true}`, nil
		}))
	return &registry.Component{
		Type: "admin", Description: "Administration",
		Procedures: []registry.ProcedureBinding{{Ref: registry.ProcedureRef{
			Path: "purge", Description: "Purges", Effect: capability.Destructive,
			Input: registry.Schema{Document: `{"type":"object","properties":{"id":{"type":"string"}}}`},
		}}},
	}
}

// answerTo is the result of a call, once it has one.
type answerTo struct {
	results []capability.JSON
	cancel  func()
}

func (a *answerTo) text() string {
	if len(a.results) == 0 {
		return ""
	}
	return string(a.results[0])
}

// call has the browser call the tool that it lists under name.
func (p *page) call(name string, input capability.JSON, options ...CallOptions) *answerTo {
	p.t.Helper()
	tool := p.context.find(name)
	if tool == nil {
		p.t.Fatalf("the browser has no tool %s, only: %s", name, p.context.names())
	}
	return p.callTool(*tool, input, options...)
}

func (p *page) callTool(tool Tool, input capability.JSON, options ...CallOptions) *answerTo {
	var given CallOptions
	if len(options) > 0 {
		given = options[0]
	}
	a := &answerTo{}
	a.cancel = tool.Owner.Call(tool.Token, input, given, func(r capability.JSON) { a.results = append(a.results, r) })
	p.host.Run()
	return a
}

func (p *page) wantTold(want string) {
	p.t.Helper()
	if got := p.context.told(); got != want {
		p.t.Errorf("the browser was told:\n  %s\nwant:\n  %s", got, want)
	}
}

func (p *page) wantTools(want string) {
	p.t.Helper()
	if got := p.context.names(); got != want {
		p.t.Errorf("the browser lists:\n  %s\nwant:\n  %s", got, want)
	}
}

// wantCode checks that a call has ended, once, with an error of that code and, if given, reason.
func wantCode(t *testing.T, a *answerTo, code capability.Code, reason ...string) {
	t.Helper()
	if len(a.results) != 1 {
		t.Fatalf("%d results, want one: %s", len(a.results), a.results)
	}
	text := a.text()
	if !strings.Contains(text, `\"code\":\"`+string(code)+`\"`) || !strings.HasSuffix(text, `"isError":true}`) {
		t.Fatalf("result %s, want an error %s", text, code)
	}
	for _, why := range reason {
		if !strings.Contains(text, fmt.Sprintf(`\"%s\"`, why)) {
			t.Errorf("result %s, want it to say %s", text, why)
		}
	}
}

// wantOK checks that a call has ended, once, with this structured content.
func wantOK(t *testing.T, a *answerTo, structured string) {
	t.Helper()
	if len(a.results) != 1 {
		t.Fatalf("%d results, want one: %s", len(a.results), a.results)
	}
	if text := a.text(); !strings.HasSuffix(text, `,"structuredContent":`+structured+`}`) {
		t.Fatalf("result %s, want the content %s", text, structured)
	}
}

func wantPending(t *testing.T, a *answerTo) {
	t.Helper()
	if len(a.results) != 0 {
		t.Fatalf("the call has ended with %s, want it to wait", a.results)
	}
}
