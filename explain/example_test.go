package explain_test

import (
	"context"
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/explain"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
)

func Example() {
	r, err := registry.New(registry.Options{Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Dispose()
	_, err = r.Register(&registry.Component{
		Type: "house.door", Description: "The door", Policies: []policy.Policy{policy.Authenticated("user")},
		Actions: []registry.Action{registry.TypedAction(
			registry.Action{Name: "open", Description: "Opens", Effect: capability.LocalState, Input: registry.Schema{Document: `{"type":"object"}`}},
			func(context.Context, registry.None, *registry.Call) (registry.None, error) {
				return registry.None{}, nil
			},
		)},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	report, err := explain.Explain(r, capability.Consumer{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, c := range report.Capabilities {
		fmt.Println(c.CapabilityID, c.Outcome, "-", c.Reason)
		for _, p := range c.Policies {
			fmt.Println(" ", p.Scope, p.Name, p.Phases, p.Vote)
		}
	}
	// Output:
	// view:house.door.open hide - authenticated hides it
	//   component authenticated [discovery authorize] hide
}
