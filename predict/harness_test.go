package predict_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/predict"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/testsurface"
)

var dawn = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// page is a registry with a desk, on a clock that stands still.
type page struct {
	*testsurface.Surface
	t     *testing.T
	clock *host.Fake
	desk  *predict.Desk
	trail *audit.Memory
	ran   []string // inputs that were carried out
	logs  []string
}

func newPage(t *testing.T, configure ...func(*registry.Options)) *page {
	t.Helper()
	p := &page{t: t, clock: host.NewFake(dawn), trail: audit.NewMemory(0)}
	t.Cleanup(p.clock.Close)
	p.Surface = testsurface.New(t, testsurface.Options{Clock: p.clock, Configure: func(o *registry.Options) {
		o.Audit = p.trail
		o.Log = func(string) {}
		for _, c := range configure {
			c(o)
		}
	}})
	p.desk = predict.NewDesk(p.Registry(), predict.Options{Host: p.clock, Log: func(text string) { p.logs = append(p.logs, text) }})
	t.Cleanup(p.desk.Dispose)
	return p
}

// rename is a capability whose server is a function of the test.
func (p *page) rename(change func(*predict.Definition)) *predict.Capability {
	p.t.Helper()
	d := predict.Definition{
		Name: "device.rename", Description: "Renames a device",
		Input:  registry.Schema{Document: `{"type":"object","properties":{"name":{"type":"string","maxLength":20}},"required":["name"],"additionalProperties":false}`},
		Output: registry.Schema{Document: `{"type":"object","properties":{"version":{"type":"string"}},"required":["version"],"additionalProperties":false}`},
		Writes: []string{"device"},
		Execute: func(_ context.Context, input capability.JSON, _ *registry.Call) (capability.JSON, error) {
			p.ran = append(p.ran, string(input))
			return `{"version":"v2"}`, nil
		},
	}
	if change != nil {
		change(&d)
	}
	c, err := predict.Define(d)
	if err != nil {
		p.t.Fatal(err)
	}
	return c
}

// foreseen is rename with a predictor.
func foreseen(d *predict.Definition) {
	d.Predict = func(f predict.Foresight) (predict.Prediction, error) {
		patch, err := predict.ParsePatch(`[{"op":"replace","path":"/name","value":` + member(f.Input, "name") + `}]`)
		return predict.Prediction{BaseVersion: f.Version, Patch: patch, ExpiresAt: f.Now.Add(10 * time.Second)}, err
	}
	d.Reconcile = func(_ context.Context, h predict.Hindsight) (predict.State, error) {
		version, _ := member(h.Output, "version").Text()
		return predict.State{State: `{"name":` + member(h.Input, "name") + `}`, Version: version}, nil
	}
}

func member(object capability.JSON, name string) capability.JSON {
	for _, m := range object.Members() {
		if m.Name == name {
			return m.Value
		}
	}
	return ""
}

func (p *page) tool(c *predict.Capability, options predict.ToolOptions) *predict.Tool {
	p.t.Helper()
	tool, err := p.desk.WebMCPTool(c, options)
	if err != nil {
		p.t.Fatal(err)
	}
	return tool
}

// pending is a call on its way.
type pending struct {
	answers []predict.Answer
	cancel  func()
}

func (p *page) start(tool *predict.Tool, input capability.JSON, call predict.Call) *pending {
	scope := host.NewScope(context.Background())
	got := &pending{cancel: func() { scope.Cancel(fmt.Errorf("withdrawn")) }}
	tool.Start(scope, input, call, func(a predict.Answer) { got.answers = append(got.answers, a) })
	p.clock.Settle()
	return got
}

func (p *page) call(tool *predict.Tool, input capability.JSON, call predict.Call) predict.Answer {
	p.t.Helper()
	got := p.start(tool, input, call)
	if len(got.answers) != 1 {
		p.t.Fatalf("the call has %d answers", len(got.answers))
	}
	return got.answers[0]
}

// brief is a receipt in a line: its outcome, its code at a stage, and its evidence.
func brief(r predict.Receipt) string {
	text := string(r.Verdict)
	if r.Error != nil {
		text += fmt.Sprintf(" %s@%s", r.Error.Code, r.Error.Stage)
	}
	for _, e := range r.Evidence {
		mark := " +"
		if !e.OK {
			mark = " -"
		}
		text += mark + string(e.Stage)
	}
	return text
}

func (p *page) store() *predict.Store {
	p.t.Helper()
	s, err := predict.NewStore(predict.State{State: `{"name":"old"}`, Version: "v1"}, p.clock.Now)
	if err != nil {
		p.t.Fatal(err)
	}
	return s
}

// trailOf is what the audit says of the calls, without what tells one call from another.
func (p *page) trailOf() string {
	var lines []string
	for _, e := range p.trail.Events() {
		if e.InvocationID != "" {
			lines = append(lines, fmt.Sprintf("%s %s %s %s", e.Type, e.CapabilityID, e.Status, e.Code))
		}
	}
	return strings.Join(lines, "\n")
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if got != want {
		t.Errorf("%s:\n got %v\nwant %v", what, got, want)
	}
}
