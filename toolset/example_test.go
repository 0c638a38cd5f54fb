package toolset_test

import (
	"context"
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
)

// door is a registry with one component.
func door() *registry.Registry {
	r, err := registry.New(registry.Options{Authority: contract.NewOpenAuthority(contract.OpenOptions{AllowInProduction: true})})
	if err != nil {
		panic(err)
	}
	open := false
	_, err = r.Register(&registry.Component{
		Type: "house.door", Description: "The front door",
		Observations: []registry.Observation{registry.TypedObservation(
			registry.Observation{Name: "state", Description: "Whether it is open", Output: registry.Schema{Document: `{"type":"boolean"}`}},
			func(context.Context, *registry.Call) (bool, error) { return open, nil },
		)},
		Actions: []registry.Action{registry.TypedAction(registry.Action{
			Name: "open", Description: "Opens it", Effect: capability.LocalState,
			Input: registry.Schema{Document: `{"type":"object","properties":{},"additionalProperties":false}`},
			Common: registry.Common{
				When:              func() (bool, error) { return !open, nil },
				UnavailableReason: func() string { return "it is open" },
			},
		}, func(context.Context, registry.None, *registry.Call) (string, error) {
			open = true
			return "opened", nil
		})},
	})
	if err != nil {
		panic(err)
	}
	return r
}

func Example() {
	r := door()
	defer r.Dispose()
	tools, err := toolset.New(r, toolset.Options{
		Consumer: capability.Consumer{ID: "copilot-panel", Kind: capability.EmbeddedConsumer}, Topology: toolset.Embedded,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tools.Dispose()

	list, _ := tools.Tools() // for the model's tool block
	for _, tool := range list {
		fmt.Println(tool.Name, tool.Description)
	}
	// What the model asks for:
	result := tools.Execute(context.Background(), "view_house__door__open", `{}`, toolset.Call{ToolCallID: "call_0"})
	fmt.Println(result.Status(), result.Output)

	list, _ = tools.Tools() // before its next turn
	fmt.Println(toolset.CapabilityState(list))
	// Output:
	// view_house__door__state [view · read] Whether it is open
	// view_house__door__open [view · local-state] Opens it
	// ok "opened"
	// Current capability state:
	// - view_house__door__open: unavailable: it is open
}

func Example_meta() {
	r := door()
	defer r.Dispose()
	tools, err := toolset.New(r, toolset.Options{
		Consumer: capability.Consumer{ID: "planner", Kind: capability.OtherConsumer}, Mode: toolset.Meta, Topology: toolset.Remote,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer tools.Dispose()

	for _, arguments := range []capability.JSON{
		`{"capabilityId":"view:house.door.open","input":{}}`,
		`{"capabilityId":"view:house.door.open","input":{}}`,
		`{"capabilityId":"view:house.door.open","speed":"slow"}`,
	} {
		if r := tools.Execute(context.Background(), "surface_act", arguments, toolset.Call{}); r.OK() {
			fmt.Println(r.Output)
		} else {
			fmt.Println(r.Error.Code, r.Error.Details)
		}
	}
	// Output:
	// "opened"
	// CAPABILITY_NOT_AVAILABLE {"reason":"it is open"}
	// INVALID_INPUT {"issues":[{"path":"speed","message":"is not an argument of surface_act"},{"path":"input","message":"is missing"}]}
}
