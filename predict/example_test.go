package predict_test

import (
	"context"
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/predict"
	"github.com/pagewarden/pagewarden/registry"
)

// addToCart foresees that the item is in the cart, and takes the version from the server's answer.
func addToCart(server func(sku capability.JSON) (version string, err error)) *predict.Capability {
	c, err := predict.Define(predict.Definition{
		Name: "cart.add", Description: "Adds a product to the cart", Writes: []string{"cart"},
		Input:  registry.Schema{Document: `{"type":"object","properties":{"sku":{"type":"string"}},"required":["sku"]}`},
		Output: registry.Schema{Document: `{"type":"object","properties":{"cartVersion":{"type":"string"}},"required":["cartVersion"]}`},
		Execute: func(_ context.Context, input capability.JSON, _ *registry.Call) (capability.JSON, error) {
			version, err := server(member(input, "sku"))
			return `{"cartVersion":` + capability.Quote(version) + `}`, err
		},
		Predict: func(f predict.Foresight) (predict.Prediction, error) {
			patch, err := predict.ParsePatch(`[{"op":"add","path":"/items/-","value":` + member(f.Input, "sku") + `}]`)
			return predict.Prediction{BaseVersion: f.Version, Patch: patch}, err
		},
		Reconcile: func(_ context.Context, h predict.Hindsight) (predict.State, error) {
			items, _ := h.Prediction.Patch.Apply(h.Previous.State)
			version, _ := member(h.Output, "cartVersion").Text()
			return predict.State{State: items, Version: version}, nil
		},
	})
	if err != nil {
		panic(err)
	}
	return c
}

func cartRegistry() *registry.Registry {
	r, err := registry.New(registry.Options{Authority: contract.NewOpenAuthority(contract.OpenOptions{AllowInProduction: true})})
	if err != nil {
		panic(err)
	}
	return r
}

func Example() {
	r := cartRegistry()
	defer r.Dispose()
	desk := predict.NewDesk(r, predict.Options{})
	defer desk.Dispose()
	store, err := predict.NewStore(predict.State{State: `{"items":[]}`, Version: "cart-1"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	add := addToCart(func(sku capability.JSON) (string, error) {
		fmt.Println("while the server works:", store.Snapshot().State)
		if sku == `"sold-out"` {
			return "", registry.Refuse("It is sold out.", "")
		}
		return "cart-2", nil
	})
	for _, input := range []capability.JSON{`{"sku":"sku-1"}`, `{"sku":"sold-out"}`} {
		e, err := desk.ExecutePredicted(context.Background(), add, input, store, predict.PredictedCall{})
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(e.Outcome, e.Snapshot.State, e.Snapshot.AuthoritativeVersion)
	}
	// Output:
	// while the server works: {"items":["sku-1"]}
	// committed {"items":["sku-1"]} cart-2
	// while the server works: {"items":["sku-1","sold-out"]}
	// rolled-back {"items":["sku-1"]} cart-2
}

func ExampleDesk_MCPTool() {
	r := cartRegistry()
	defer r.Dispose()
	desk := predict.NewDesk(r, predict.Options{})
	defer desk.Dispose()
	add := addToCart(func(capability.JSON) (string, error) { return "cart-2", nil })
	for _, tokens := range [][]string{nil, {add.Token()}} {
		tool, err := desk.MCPTool(add, predict.ToolOptions{Capabilities: tokens})
		if err != nil {
			fmt.Println(err)
			return
		}
		answer := tool.Execute(context.Background(), `{"sku":"sku-1"}`, predict.Call{})
		fmt.Println(answer.Receipt.OK, answer.Receipt.Verdict)
	}
	// Output:
	// false denied
	// true committed
}

func ExampleStore() {
	store, err := predict.NewStore(predict.State{State: `{"name":"lamp"}`, Version: "v1"}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	patch, err := predict.ParsePatch(`[{"op":"replace","path":"/name","value":"desk lamp"}]`)
	if err != nil {
		fmt.Println(err)
		return
	}
	at := dawn
	outcome, err := store.Predict("p1", predict.Prediction{BaseVersion: "v1", Patch: patch}, at)
	fmt.Println(outcome, err, store.Snapshot().State)
	fmt.Println(store.Rollback("p1"), store.Snapshot().State)
	// Output:
	// predicted <nil> {"name":"desk lamp"}
	// rolled-back {"name":"lamp"}
}
