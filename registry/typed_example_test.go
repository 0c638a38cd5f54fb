package registry_test

import (
	"context"
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/schema/infer"
)

// openRegistry is a registry for examples, which admits everything.
func openRegistry() *registry.Registry {
	r, err := registry.New(registry.Options{
		Authority:   contract.NewOpenAuthority(contract.OpenOptions{}),
		Environment: capability.Test,
	})
	if err != nil {
		panic(err)
	}
	return r
}

// invoke makes a call and prints what the agent gets.
func invoke(r *registry.Registry, id string, input capability.JSON) {
	result := r.Invoke(context.Background(), registry.Request{CapabilityID: id, Input: input}, registry.InvokeOptions{})
	if result.OK() {
		fmt.Println(result.Output)
	} else {
		fmt.Println(result.Error.Code, result.Error.Details)
	}
}

func Example() {
	r := openRegistry()
	defer r.Dispose()
	count := 0
	handle, err := r.Register(&registry.Component{
		Type:        "app.counter",
		Description: "A counter",
		Observations: []registry.Observation{registry.TypedObservation(registry.Observation{
			Name: "value", Description: "The present value", Output: infer.MustSchema[int](),
		}, func(context.Context, *registry.Call) (int, error) { return count, nil })},
		Actions: []registry.Action{registry.TypedAction(registry.Action{
			Name: "add", Description: "Adds to the value", Effect: capability.LocalState, Input: infer.MustSchema[addition](),
		}, func(_ context.Context, in addition, _ *registry.Call) (registry.None, error) {
			count += int(in.Amount)
			return registry.None{}, nil
		})},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	invoke(r, "view:app.counter.add", `{"amount":2}`)
	invoke(r, "view:app.counter.add", `{"amount":200}`)
	invoke(r, "view:app.counter.value", "")
	handle.Unregister()
	invoke(r, "view:app.counter.value", "")
	// Output:
	//
	// INVALID_INPUT {"issues":[{"path":"amount","message":"must be at most 127"}]}
	// 2
	// COMPONENT_UNMOUNTED {"phase":"resolve"}
}

type addition struct {
	Amount int8 `json:"amount" jsonschema:"how much to add"`
}

func ExampleTypedAction() {
	type rename struct {
		ID   string `json:"id"`
		Name string `json:"name,omitempty"`
	}
	type renamed struct {
		Old  string   `json:"old"`
		Tags []string `json:"tags"`
	}
	r := openRegistry()
	defer r.Dispose()
	_, err := r.Register(&registry.Component{
		Type: "devices.table", Description: "The devices",
		Actions: []registry.Action{registry.TypedAction(registry.Action{
			Name: "rename", Description: "Renames a device", Effect: capability.LocalState,
			Input: infer.MustSchema[rename](), Output: infer.MustSchema[renamed](),
		}, func(_ context.Context, in rename, _ *registry.Call) (renamed, error) {
			return renamed{Old: "name of " + in.ID}, nil // the nil list is written as []
		})},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	invoke(r, "view:devices.table.rename", `{"id":"d1","name":"Lamp"}`)
	invoke(r, "view:devices.table.rename", `{"ID":"d1"}`)
	// Output:
	// {"old":"name of d1","tags":[]}
	// INVALID_INPUT {"issues":[{"path":"ID","message":"is not a property that the schema allows"},{"path":"id","message":"is required"}]}
}

func ExampleTypedProcedure() {
	type query struct {
		Tenant string `json:"tenant"`
		Text   string `json:"text"`
	}
	r := openRegistry()
	defer r.Dispose()
	r.SetExecutor(registry.Procedures{
		"devices/search": registry.TypedProcedure(func(_ context.Context, q query, _ *registry.Call) ([]string, error) {
			return []string{q.Text + " of " + q.Tenant}, nil
		}),
	})
	_, err := r.Register(&registry.Component{
		Type: "devices.search", Description: "The search field",
		Procedures: []registry.ProcedureBinding{{
			Ref: registry.ProcedureRef{
				Path: "devices/search", Description: "Searches the devices", Effect: capability.ServerQuery, Input: infer.MustSchema[query](),
			},
			BoundKeys: []string{"tenant"},
			Bind:      registry.TypedBind(func() (query, error) { return query{Tenant: "north"}, nil }),
		}},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	invoke(r, "domain:devices/search", `{"text":"lamps"}`)
	invoke(r, "domain:devices/search", `{"text":"lamps","tenant":"south"}`)
	// Output:
	// ["lamps of north"]
	// INVALID_INPUT {"issues":[{"path":"tenant","message":"is supplied by the page and must be left out"}],"lockedFields":["tenant"]}
}
