package e2e

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// registered is one line of the adapter's status.
type registered struct {
	Name         string `json:"name"`
	CapabilityID string `json:"capabilityId"`
}

type adapterStatus struct {
	Supported  bool         `json:"supported"`
	Surface    string       `json:"surface"`
	Registered []registered `json:"registered"`
	Refused    []struct {
		registered
		Error string `json:"error"`
	} `json:"refused"`
}

// availableCapability is what the registry says of one.
type availableCapability struct {
	CapabilityID string          `json:"capabilityId"`
	Schema       json.RawMessage `json:"schema"`
}

func TestToolsAreTheAvailableCapabilities(t *testing.T) {
	p := openLab(t)
	if states := see[[]string](p, "lab.mountZoo()"); slices.ContainsFunc(states, func(s string) bool { return s != "active" }) {
		t.Fatalf("the components are %q", states)
	}
	closed := []string{
		"view_zoo__cage__feed_at_lion", "view_zoo__cage__read_at_bear", "view_zoo__cage__read_at_lion", "view_zoo__gate__read",
		"view_zoo__gate__ring", "view_zoo__office__call", "view_zoo__vet__call",
	}
	checkTools(p, closed)
	see[any](p, "lab.openZoo(true)")
	checkTools(p, append(slices.Clone(closed), "domain_zoo__treat", "view_zoo__cage__feed_at_bear", "view_zoo__gate__enter", "view_zoo__shop__buy"))
	see[any](p, "lab.openZoo(false)")
	checkTools(p, closed)
}

// checkTools compares, when the page has those tools, what the browser has with what the registry says.
func checkTools(p tab, names []string) {
	p.T.Helper()
	tools := p.Have(names...)
	// The browser lists a tool a moment before the promise of its registration, which the status waits for, resolves.
	p.Until(fmt.Sprintf("lab.adapter.status().registered.length === %d", len(names)))
	status := see[adapterStatus](p, "lab.adapter.status()")
	wanted := see[[]availableCapability](p, "lab.available()")
	if len(status.Refused) > 0 || len(status.Registered) != len(tools) || len(wanted) != len(tools) {
		p.T.Fatalf("%d tools, %d capabilities available, the adapter says %+v", len(tools), len(wanted), status)
	}
	schemas := map[string]json.RawMessage{}
	for _, tool := range tools {
		schemas[tool.Name] = tool.InputSchema
	}
	// Instances of one component have one capability id and differ in their names.
	slices.SortFunc(status.Registered, func(a, b registered) int {
		return strings.Compare(a.CapabilityID+a.Name, b.CapabilityID+b.Name)
	})
	for i, r := range status.Registered {
		if r.CapabilityID != wanted[i].CapabilityID {
			p.T.Errorf("%s stands for %s; the registry has %s in its place", r.Name, r.CapabilityID, wanted[i].CapabilityID)
		}
		if string(schemas[r.Name]) != string(wanted[i].Schema) {
			p.T.Errorf("%s has the schema %s; the registry has %s", r.Name, schemas[r.Name], wanted[i].Schema)
		}
	}
}

func TestValidCall(t *testing.T) {
	p := openLab(t)
	see[any](p, "lab.mountOrders()")
	p.Have("view_shop__orders__place", "view_shop__orders__read")
	result := p.call("view_shop__orders__place", `{"item":"tea","lines":[{"count":2}]}`)
	if result.IsError() || result.Value() != `{"placed":1}` {
		t.Errorf("the call gave %s", result.Raw)
	}
	if read := p.call("view_shop__orders__read", "{}"); read.Value() != `[{"item":"tea","lines":[{"count":2}]}]` {
		t.Errorf("the orders are %s", read.Raw)
	}
}

func TestWrongInputIsRefused(t *testing.T) {
	p := openLab(t)
	see[any](p, "lab.mountOrders()")
	p.Have("view_shop__orders__place", "view_shop__orders__read")
	for name, c := range map[string]struct{ input, path string }{
		"wrong type":         {`{"item":7}`, "item"},
		"null":               {`{"item":null}`, "item"},
		"missing":            {`{}`, "item"},
		"extra":              {`{"item":"tea","colour":"red"}`, "colour"},
		"wrong type inside":  {`{"item":"tea","lines":[{"count":1},{"count":"2"}]}`, "lines[1].count"},
		"missing inside":     {`{"item":"tea","lines":[{}]}`, "lines[0].count"},
		"extra inside":       {`{"item":"tea","lines":[{"count":1,"size":2}]}`, "lines[0].size"},
		"fraction":           {`{"item":"tea","lines":[{"count":1.5}]}`, "lines[0].count"},
		"a prototype's name": {`{"item":"tea","__proto__":{"x":1}}`, "__proto__"},
	} {
		t.Run(name, func(t *testing.T) {
			r := refusalOf(t, p.call("view_shop__orders__place", c.input), "INVALID_INPUT")
			if len(r.Details.Issues) != 1 || r.Details.Issues[0].Path != c.path || r.Details.Issues[0].Message == "" {
				t.Errorf("the issues are %+v; want one at %s", r.Details.Issues, c.path)
			}
			if r.Retry != "with-changes" {
				t.Errorf("retry is %s", r.Retry)
			}
		})
	}
	if orders := see[[]any](p, "lab.orders"); len(orders) != 0 {
		t.Errorf("the handler has run: %v", orders)
	}
}

func TestThrownHandlerTellsNothing(t *testing.T) {
	const secret = "db-password-4711"
	p := openLab(t)
	see[any](p, `lab.mountFailures("`+secret+`")`)
	actions := []string{"throwsError", "throwsText", "throwsObject", "throwsNamed", "rejects", "rejectsThenable", "givesCycle", "read"}
	names := []string{}
	for _, action := range actions {
		names = append(names, "view_shop__failures__"+action)
	}
	p.Have(names...)
	for _, name := range names {
		t.Run(name, func(t *testing.T) {
			result := p.call(name, "{}")
			r := refusalOf(t, result, "EXECUTION_FAILED")
			want := "handler-error"
			if strings.HasSuffix(name, "givesCycle") {
				want = "output-invalid"
			}
			if r.Details.Reason != want {
				t.Errorf("the reason is %q; want %s", r.Details.Reason, want)
			}
			if strings.Contains(string(result.Raw), secret) {
				t.Errorf("the cause reached the agent: %s", result.Raw)
			}
		})
	}
}

// TestDemoThroughTheProtocol is the shortest path through the demo; the main job plays the whole of it.
func TestDemoThroughTheProtocol(t *testing.T) {
	p := openDemo(t, fixture.Browser)
	tools, err := p.WaitForTools(suite.Within(t), func(tools []browser.Tool) bool { return len(tools) == 8 })
	if err != nil {
		t.Fatalf("%v: the page has %q", err, suite.NamesOf(tools))
	}
	result := p.call("view_devices__filters__setFilters", `{"city":"Oslo"}`)
	var got struct{ Matching int }
	if err := json.Unmarshal([]byte(result.Value()), &got); err != nil || got.Matching != 20 {
		t.Errorf("the call gave %s, %v; want 20 devices", result.Raw, err)
	}
}
