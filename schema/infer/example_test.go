package infer_test

import (
	"fmt"
	"reflect"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/schema/infer"
)

func ExampleSchema() {
	type order string
	type filter struct {
		Tags  []string `json:"tags"`
		Limit uint8    `json:"limit,omitempty" jsonschema:"at most so many"`
		Order order    `json:"order,omitempty"`
	}
	schema, err := infer.Schema[filter](&infer.Options{Types: map[reflect.Type]capability.JSON{
		reflect.TypeFor[order](): `{"type":"string","enum":["name","age"]}`,
	}})
	fmt.Println(schema.Document, err)
	_, err = infer.Schema[map[string]int](nil)
	fmt.Println(err)
	// Output:
	// {"type":"object","properties":{"tags":{"type":"array","items":{"type":"string"}},"limit":{"type":"integer","description":"at most so many","minimum":0,"maximum":255},"order":{"type":"string","enum":["name","age"]}},"required":["tags"],"additionalProperties":false} <nil>
	// inferring a schema of map[string]int: a map[string]int has no schema within the subset, which cannot describe the values of a map: use a list of structs, or a map of any
}
