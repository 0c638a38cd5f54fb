package toolset_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/testsurface"
	"github.com/pagewarden/pagewarden/toolset"
)

var copilot = capability.Consumer{ID: "copilot-panel", Kind: capability.EmbeddedConsumer}

var dawn = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// page is a surface under test, on a clock that stands still, and the toolset of one consumer.
type page struct {
	*testsurface.Surface
	t     testing.TB
	clock *host.Fake
	set   *toolset.Toolset
	logs  []string // of registry and toolset
	ran   []string // what was carried out, in order
}

// newPage makes a surface in development and a toolset: direct and embedded unless change says otherwise.
func newPage(t testing.TB, change func(*toolset.Options), configure ...func(*registry.Options)) *page {
	t.Helper()
	p := &page{t: t, clock: host.NewFake(dawn)}
	t.Cleanup(p.clock.Close)
	p.Surface = testsurface.New(t, testsurface.Options{
		Consumer: copilot, Clock: p.clock,
		Configure: func(o *registry.Options) {
			o.Environment = capability.Development
			o.Log = p.log
			for _, c := range configure {
				c(o)
			}
		},
	})
	p.set = p.newSet(change)
	return p
}

func (p *page) log(text string) { p.logs = append(p.logs, text) }

func (p *page) newSet(change func(*toolset.Options)) *toolset.Toolset {
	p.t.Helper()
	options := toolset.Options{Consumer: copilot, Topology: toolset.Embedded, Host: p.clock, Log: p.log}
	if change != nil {
		change(&options)
	}
	set, err := toolset.New(p.Registry(), options)
	if err != nil {
		p.t.Fatal(err)
	}
	p.t.Cleanup(set.Dispose)
	return set
}

// meta makes the toolset one of meta mode.
func meta(o *toolset.Options) { o.Mode = toolset.Meta }

// twoPhase makes calls return CONFIRMATION_REQUIRED.
func twoPhase(o *toolset.Options) { o.Topology = toolset.Remote }

// both are changes one after the other.
func both(changes ...func(*toolset.Options)) func(*toolset.Options) {
	return func(o *toolset.Options) {
		for _, change := range changes {
			change(o)
		}
	}
}

func (p *page) tools() []toolset.Tool {
	p.t.Helper()
	tools, err := p.set.Tools()
	if err != nil {
		p.t.Fatal(err)
	}
	return tools
}

func names(tools []toolset.Tool) string {
	var list []string
	for _, tool := range tools {
		list = append(list, tool.Name)
	}
	return strings.Join(list, " ")
}

func (p *page) wantNames(want string) {
	p.t.Helper()
	if got := names(p.tools()); got != want {
		p.t.Errorf("the tools are\n  %s\nwant\n  %s", got, want)
	}
}

func (p *page) tool(name string) toolset.Tool {
	p.t.Helper()
	tools := p.tools()
	at := slices.IndexFunc(tools, func(tool toolset.Tool) bool { return tool.Name == name })
	if at < 0 {
		p.t.Fatalf("there is no tool %s, only %s", name, names(tools))
	}
	return tools[at]
}

// pending is a call that has begun.
type pending struct {
	t       testing.TB
	clock   *host.Fake
	scope   *host.Scope
	results []registry.Result
}

// begin makes a call and lets everything run that can run without time passing.
func (p *page) begin(tool toolset.Tool, input capability.JSON, call toolset.Call) *pending {
	a := &pending{t: p.t, clock: p.clock, scope: host.NewScope(context.Background())}
	tool.Start(a.scope, input, call, func(r registry.Result) { a.results = append(a.results, r) })
	p.clock.Turn()
	return a
}

func (a *pending) waits() bool { return len(a.results) == 0 }

// result is how the call ended, which it must have, once.
func (a *pending) result() registry.Result {
	a.t.Helper()
	a.clock.Turn()
	if len(a.results) != 1 {
		a.t.Fatalf("%d results, want one", len(a.results))
	}
	return a.results[0]
}

func (p *page) call(tool toolset.Tool, input capability.JSON, call ...toolset.Call) registry.Result {
	p.t.Helper()
	return p.begin(tool, input, append(call, toolset.Call{})[0]).result()
}

// wantOK checks the output of a call.
func wantOK(t testing.TB, r registry.Result, output capability.JSON) {
	t.Helper()
	if r.Error != nil || r.Output != output {
		t.Errorf("the result is %s, want the output %s", r.JSON(), output)
	}
}

// wantCode checks the error of a call and, if given, its reason.
func wantCode(t testing.TB, r registry.Result, code capability.Code, reason ...string) {
	t.Helper()
	switch {
	case r.Error == nil || r.Error.Code != code:
		t.Errorf("the result is %s, want %s", r.JSON(), code)
	case len(reason) > 0 && r.Error.Detail("reason") != reason[0]:
		t.Errorf("the result is %s, want the reason %s", r.JSON(), reason[0])
	}
}

// document is a schema for the page's components.
func document(text string) registry.Schema {
	return registry.Schema{Document: capability.JSON(text)}
}

// list is a component that counts what is done to it.
func (p *page) list(instance string) *registry.Component {
	return &registry.Component{
		Type: "app.list", InstanceID: instance, Description: "A list",
		Observations: []registry.Observation{{
			Name: "rows", Description: "Reads the rows", Output: document(`{"type":"array"}`),
			Read: func(context.Context, *registry.Call) (capability.JSON, error) { return `["a"]`, nil },
		}},
		Actions: []registry.Action{{
			Name: "select", Description: "Selects rows", Effect: capability.LocalState,
			Input: document(`{"type":"object","properties":{"ids":{"type":"array"}}}`), Execute: p.runs("select"),
		}},
	}
}

// runs is a handler that notes that it ran.
func (p *page) runs(what string) func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
	return func(_ context.Context, input capability.JSON, _ *registry.Call) (capability.JSON, error) {
		p.ran = append(p.ran, what+" "+string(input))
		return `"done"`, nil
	}
}

// admin is a component with procedures of every effect, carried out by noting them.
func (p *page) admin() *registry.Component {
	p.Registry().SetExecutor(registry.ExecutorFunc(
		func(_ context.Context, path string, input capability.JSON, _ *registry.Call) (capability.JSON, error) {
			p.ran = append(p.ran, path+" "+string(input))
			return `{"ok":true}`, nil
		}))
	c := &registry.Component{Type: "app.admin", Description: "Administration"}
	for _, effect := range []capability.Effect{capability.ServerQuery, capability.ServerMutation, capability.ExternalSideEffect, capability.Destructive} {
		c.Procedures = append(c.Procedures, registry.ProcedureBinding{Ref: registry.ProcedureRef{
			Path: "items." + string(effect), Description: "Does it", Effect: effect, Input: document(`{"type":"object","properties":{"id":{"type":"string"}}}`),
		}})
	}
	return c
}

const (
	selectTool = "view_app__list__select"
	purgeTool  = "domain_items__destructive"
)

func (p *page) wantRan(want ...string) {
	p.t.Helper()
	if !slices.Equal(p.ran, want) {
		p.t.Errorf("what ran is %q, want %q", p.ran, want)
	}
}

// told reports whether developers were told something with that in it.
func (p *page) told(part string) bool {
	return slices.ContainsFunc(p.logs, func(text string) bool { return strings.Contains(text, part) })
}

func describeAll(tools []toolset.Tool) string {
	var lines []string
	for _, tool := range tools {
		lines = append(lines, fmt.Sprintf("%s|%s|%s|%s", tool.Name, tool.Description, tool.InputSchema, tool.State.JSON()))
	}
	return strings.Join(lines, "\n")
}
