package toolset_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/toolset"
)

func TestOptionsThatAreRefused(t *testing.T) {
	p := newPage(t, nil)
	for name, tt := range map[string]struct {
		change func(*toolset.Options)
		option string
	}{
		"no consumer":                {func(o *toolset.Options) { o.Consumer = capability.Consumer{} }, "consumer"},
		"a consumer of no kind":      {func(o *toolset.Options) { o.Consumer.Kind = "robot" }, "consumer"},
		"no topology":                {func(o *toolset.Options) { o.Topology = "" }, "topology"},
		"an unknown topology":        {func(o *toolset.Options) { o.Topology = "cloud" }, "topology"},
		"an unknown topology beside": {func(o *toolset.Options) { o.Topology, o.Confirmations = "cloud", toolset.Wait }, "topology"},
		"unknown confirmations":      {func(o *toolset.Options) { o.Confirmations = "never" }, "confirmations"},
		"an unknown mode":            {func(o *toolset.Options) { o.Mode = "magic" }, "mode"},
		"a budget in direct mode":    {func(o *toolset.Options) { o.Budget = &toolset.Budget{} }, "budget"},
		"a negative budget":          {func(o *toolset.Options) { o.Mode, o.Budget = toolset.Meta, &toolset.Budget{MaxBytes: -1} }, "budget"},
		"an empty prefix":            {func(o *toolset.Options) { o.Scope = []string{"app", ""} }, "scope[1]"},
		"a negative time":            {func(o *toolset.Options) { o.WaitTimeout = -time.Second }, "waitTimeoutMs"},
	} {
		t.Run(name, func(t *testing.T) {
			options := toolset.Options{Consumer: copilot, Topology: toolset.Embedded}
			tt.change(&options)
			set, err := toolset.New(p.Registry(), options)
			var wrong *toolset.OptionError
			if set != nil || !errors.As(err, &wrong) || wrong.Option != tt.option || !strings.Contains(err.Error(), tt.option+": ") {
				t.Errorf("New = %v, %v; want an error about %s", set, err, tt.option)
			}
		})
	}
	if _, err := toolset.New(nil, toolset.Options{Consumer: copilot, Topology: toolset.Embedded}); err == nil {
		t.Error("a toolset of no registry was made")
	}
}

// TestTopologyDecidesConfirmations also when both are given: then the confirmations are as they say.
func TestTopologyDecidesConfirmations(t *testing.T) {
	for name, tt := range map[string]struct {
		topology      toolset.Topology
		confirmations toolset.Confirmations
		waits         bool
	}{
		"embedded":                 {toolset.Embedded, "", true},
		"remote":                   {toolset.Remote, "", false},
		"wait":                     {"", toolset.Wait, true},
		"two-phase":                {"", toolset.TwoPhase, false},
		"remote that waits":        {toolset.Remote, toolset.Wait, true},
		"embedded and two-phase":   {toolset.Embedded, toolset.TwoPhase, false},
		"embedded and said so too": {toolset.Embedded, toolset.Wait, true},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPage(t, func(o *toolset.Options) { o.Topology, o.Confirmations = tt.topology, tt.confirmations })
			p.Register(p.admin())
			call := p.begin(p.tool(purgeTool), `{}`, toolset.Call{})
			if call.waits() != tt.waits {
				t.Errorf("the call waits: %v, want %v", call.waits(), tt.waits)
			}
		})
	}
}

func TestOptionsBelongToTheCaller(t *testing.T) {
	scope, budget := []string{"app.list"}, &toolset.Budget{MaxComponents: 5}
	p := newPage(t, both(meta, func(o *toolset.Options) { o.Scope, o.Budget = scope, budget }))
	p.Register(p.list(""))
	scope[0], budget.MaxComponents = "other", 0
	if out := string(p.call(p.tool("surface_discover"), `{}`).Output); !strings.Contains(out, "app.list") {
		t.Errorf("what was discovered is %s", out)
	}
}

func TestOneConsumerIDForTwoAdapters(t *testing.T) {
	p := newPage(t, nil)
	if p.told("consumer id") {
		t.Fatalf("one toolset alone was warned of: %q", p.logs)
	}
	p.newSet(func(o *toolset.Options) { o.Consumer.ID = "another" })
	if p.told("consumer id") {
		t.Fatalf("another id was warned of: %q", p.logs)
	}
	second := p.newSet(nil)
	if !p.told(`the consumer id "copilot-panel"`) {
		t.Errorf("developers were not told: %q", p.logs)
	}
	p.logs = nil
	second.Dispose()
	p.set.Dispose()
	p.newSet(nil)
	if p.told("consumer id") {
		t.Errorf("a toolset that is gone was counted: %q", p.logs)
	}
}
