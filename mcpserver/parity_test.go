package mcpserver_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/mcpserver"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/predict"
	"github.com/pagewarden/pagewarden/registry"
)

// ending is what a caller and the trail are told of one call.
type ending struct {
	output  capability.JSON
	code    capability.Code
	verdict string // receipt code at a stage, "" for a call that went well
	trail   string
}

// way is one way to call a capability.
type way struct {
	name string
	call func(input capability.JSON, invocationID, confirmationID string) (capability.JSON, *capability.Error, string)
}

// renaming is the capability that is called in every way.
func renaming(change func(*predict.Definition)) predict.Definition {
	d := predict.Definition{
		Name: "device.rename", Description: "Renames a device",
		Input:  registry.Schema{Document: `{"type":"object","properties":{"name":{"type":"string","maxLength":20}},"required":["name"],"additionalProperties":false}`},
		Output: registry.Schema{Document: `{"type":"object","properties":{"version":{"type":"string"}},"required":["version"],"additionalProperties":false}`},
		Execute: func(_ context.Context, input capability.JSON, _ *registry.Call) (capability.JSON, error) {
			switch {
			case strings.Contains(string(input), "burst"):
				panic("secret text")
			case strings.Contains(string(input), "fail"):
				return "", errors.New("secret text")
			case strings.Contains(string(input), "refuse"):
				return "", registry.Refuse("Not this name.", `{"field":"name"}`)
			case strings.Contains(string(input), "lie"):
				return `{"version":7}`, nil
			}
			return `{"version":"v2"}`, nil
		},
	}
	if change != nil {
		change(&d)
	}
	return d
}

// waysTo are: as a tool of WebMCP, as a tool of MCP in the page, and over the wire to a server.
func waysTo(t *testing.T, h *house, d predict.Definition) []way {
	t.Helper()
	const token = "device.rename" // which WebMCP holds by itself
	c, err := predict.Define(d)
	if err != nil {
		t.Fatal(err)
	}
	desk := predict.NewDesk(h.Registry, predict.Options{})
	t.Cleanup(desk.Dispose)
	projected := func(name string, tool *predict.Tool) way {
		return way{name, func(input capability.JSON, invocationID, confirmationID string) (capability.JSON, *capability.Error, string) {
			a := tool.Execute(t.Context(), input, predict.Call{InvocationID: invocationID, ConfirmationID: confirmationID})
			verdict := ""
			if a.Receipt.Error != nil {
				verdict = fmt.Sprintf("%s at %s", a.Receipt.Error.Code, a.Receipt.Error.Stage)
			}
			return a.Result.Output, a.Result.Error, verdict
		}}
	}
	page, err := desk.WebMCPTool(c, predict.ToolOptions{Consumer: capability.Consumer{ID: "page", Kind: capability.WebMCPConsumer}})
	if err != nil {
		t.Fatal(err)
	}
	bridge, err := desk.MCPTool(c, predict.ToolOptions{Capabilities: []string{token}})
	if err != nil {
		t.Fatal(err)
	}
	client := connect(t, h.server(func(o *mcpserver.Options) { o.Grants = []string{token} }), dialling{})
	client.tools()
	return []way{projected("webmcp", page), projected("mcp", bridge.Tool), {"server", func(input capability.JSON, invocationID, confirmationID string) (capability.JSON, *capability.Error, string) {
		meta := []any{mcpserver.InvocationMeta, invocationID}
		if confirmationID != "" {
			meta = append(meta, mcpserver.ConfirmationMeta, confirmationID)
		}
		a := readAnswer(client.call("domain_device__rename", string(input), meta...))
		return a.Output, a.Error, verdictOf(a.Error)
	}}}
}

// verdictOf is what the table of receipts makes of an error.
func verdictOf(e *capability.Error) string {
	if e == nil {
		return ""
	}
	for _, row := range predict.ReceiptRows() {
		output := strings.HasPrefix(e.Detail("reason"), "output-")
		if row.Pipeline == e.Code && (row.When == "" || row.When == "output-*" && output || row.When == e.Detail("phase")) {
			return fmt.Sprintf("%s at %s", row.Code, row.Stage)
		}
	}
	return "nothing"
}

// forbidding is a policy of the registry.
func forbidding(o *registry.Options) {
	o.Policies = []policy.Policy{{Name: "forbidding", OnInvoke: func(ctx *policy.InvokeContext, next func() error) error {
		if strings.Contains(string(ctx.EffectiveInput), "forbidden") {
			return capability.NotAuthorized("client")
		}
		return next()
	}}}
}

// trailSince is what the audit says since an event, without what tells one call from another.
func (h *house) trailSince(n int) string {
	var lines []string
	for _, e := range h.trail.Events()[n:] {
		if e.Type != audit.Registration && e.Type != audit.Unregistration {
			lines = append(lines, fmt.Sprint(e.Type, " ", e.CapabilityID, " ", e.Status, " ", e.Code))
		}
	}
	return strings.Join(lines, "; ")
}

// TestParity: the same call gives the same verdict, the same receipt and the same trail, whichever way it comes.
func TestParity(t *testing.T) {
	required := func(d *predict.Definition) { d.Confirmation = capability.Required }
	for _, tt := range []struct {
		name   string
		change func(*predict.Definition)
		inputs []capability.JSON // one after the other, under the same identity
		want   string            // the last verdict
	}{
		{"it runs", nil, []capability.JSON{`{"name":"x"}`}, ""},
		{"wrong input", nil, []capability.JSON{`{"name":7,"other":1}`}, "input_invalid at input"},
		{"no input", nil, []capability.JSON{`{}`}, "input_invalid at input"},
		{"not allowed", nil, []capability.JSON{`{"name":"forbidden"}`}, "capability_denied at capability"},
		{"it panics", nil, []capability.JSON{`{"name":"burst"}`}, "execution_failed at execute"},
		{"it fails", nil, []capability.JSON{`{"name":"fail"}`}, "execution_failed at execute"},
		{"it refuses", nil, []capability.JSON{`{"name":"refuse"}`}, "policy_denied at policy"},
		{"it lies", nil, []capability.JSON{`{"name":"lie"}`}, "output_invalid at output"},
		{"a retry", nil, []capability.JSON{`{"name":"x"}`, `{"name":"x"}`}, ""},
		{"the same identity", nil, []capability.JSON{`{"name":"x"}`, `{"name":"y"}`}, "conflict at idempotency"},
		{"it asks", required, []capability.JSON{`{"name":"x"}`}, "approval_required at approval"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := newHouse(t, forbidding)
			var first ending
			for i, w := range waysTo(t, h, renaming(tt.change)) {
				before := len(h.trail.Events())
				var got ending
				for _, input := range tt.inputs {
					output, err, verdict := w.call(input, "same", "")
					got = ending{output: output, verdict: verdict}
					if err != nil {
						got.code = err.Code
					}
				}
				waitFor(t, "the trail", func() bool { return strings.Contains(h.trailSince(before), "invocation-settled") })
				got.trail = h.trailSince(before)
				if got.verdict != tt.want {
					t.Errorf("%s: the verdict is %q, want %q", w.name, got.verdict, tt.want)
				}
				if i == 0 {
					first = got
				} else if got != first {
					t.Errorf("%s: %+v\nbut webmcp: %+v", w.name, got, first)
				}
			}
		})
	}
}

// TestParityOfConfirmation: approved and denied.
func TestParityOfConfirmation(t *testing.T) {
	for _, approved := range []bool{true, false} {
		h := newHouse(t)
		var first ending
		for i, w := range waysTo(t, h, renaming(func(d *predict.Definition) { d.Confirmation = capability.Required })) {
			before := len(h.trail.Events())
			_, asked, _ := w.call(`{"name":"x"}`, "same", "")
			id := asked.Detail("confirmationId")
			h.Confirmations().Resolve(id, approved)
			output, err, verdict := w.call(`{"name":"x"}`, "same", id)
			got := ending{output: output, verdict: verdict}
			if err != nil {
				got.code = err.Code
			}
			waitFor(t, "the trail", func() bool { return strings.Count(h.trailSince(before), "invocation-settled") == 2 })
			got.trail = h.trailSince(before)
			if (verdict == "") != approved {
				t.Errorf("approved %v, %s: %s", approved, w.name, verdict)
			}
			if i == 0 {
				first = got
			} else if got != first {
				t.Errorf("%s: %+v\nbut webmcp: %+v", w.name, got, first)
			}
		}
	}
}
