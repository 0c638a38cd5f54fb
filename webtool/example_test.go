package webtool_test

import (
	"context"
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/webtool"
)

// A Go page defines a tool, registers it and hands its results to whoever calls it.
func Example() {
	destructive := true
	clear, err := webtool.Define(webtool.Definition{
		ID: "clear_cart", Title: "Clear cart",
		Description: "Remove every item from the cart.",
		Flags:       webtool.Flags{Destructive: &destructive},
		Execute: func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) {
			return `"The cart is empty."`, nil
		},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	r, err := registry.New(registry.Options{Authority: contract.NewOpenAuthority(contract.OpenOptions{AllowInProduction: true})})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer r.Dispose()
	if _, err := r.Register(clear.Component("default")); err != nil {
		fmt.Println(err)
		return
	}
	result := r.Invoke(context.Background(), registry.Request{CapabilityID: clear.CapabilityID()}, registry.InvokeOptions{})
	fmt.Println(webtool.FromResult(result))
	fmt.Println(clear.Annotations())
	// Output:
	// {"content":[{"type":"text","text":"The cart is empty."}]}
	// {"destructiveHint":true,"consequentialHint":true}
}
