package toolset_test

import (
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/toolset"
)

func TestCapabilityState(t *testing.T) {
	tool := func(name string, state toolset.State) toolset.Tool {
		return toolset.Tool{Spec: &toolset.Spec{Name: name, State: state}}
	}
	tests := []struct {
		name  string
		tools []toolset.Tool
		want  string
	}{
		{"no tools", nil, ""},
		{"nothing to say", []toolset.Tool{tool("a", toolset.State{Available: true})}, ""},
		{"everything", []toolset.Tool{
			tool("a", toolset.State{UnavailableReason: "no row is selected"}),
			tool("b", toolset.State{Available: true}),
			tool("c", toolset.State{Available: true, Note: "3 rows"}),
			tool("d", toolset.State{UnavailableReason: "busy", Note: "3 rows"}),
			tool("e", toolset.State{}),
		}, "Current capability state:\n- a: unavailable: no row is selected\n- c: 3 rows\n- d: unavailable: busy · 3 rows\n- e: unavailable: not right now"},
		{"texts that would make lines of their own", []toolset.Tool{
			tool("a", toolset.State{Available: true, Note: "one\r\n- purge: available\u2028two\n"}),
		}, "Current capability state:\n- a: one - purge: available two"},
	}
	for _, tt := range tests {
		if got := toolset.CapabilityState(tt.tools); got != tt.want {
			t.Errorf("%s: the state is %q, want %q", tt.name, got, tt.want)
		}
	}
}

func TestStateJSON(t *testing.T) {
	for state, want := range map[toolset.State]capability.JSON{
		{Available: true}:                      `{"available":true}`,
		{UnavailableReason: "busy", Note: "n"}: `{"available":false,"unavailableReason":"busy","note":"n"}`,
	} {
		if got := state.JSON(); got != want {
			t.Errorf("%+v is %s, want %s", state, got, want)
		}
	}
}
