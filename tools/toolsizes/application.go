package main

import (
	"context"
	"fmt"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
)

// perComponent is how many capabilities a component of the application has.
const perComponent = 5

// areas are the parts of the application: the first segments of its component types.
func areas() []string {
	return []string{"orders", "customers", "invoices", "devices", "stock", "reports", "tickets", "settings"}
}

// views are what each area has one component for.
func views() []string { return []string{"table", "detail", "filters", "import", "history"} }

// application is a registry with that many capabilities: what an office program would offer, in texts and schemas of
// ordinary length.
func application(clock *host.Fake, count int) (*registry.Registry, error) {
	r, err := registry.New(registry.Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{AllowInProduction: true}), Host: clock, Audit: audit.Discard(),
	})
	if err != nil {
		return nil, err
	}
	for i := range count / perComponent {
		area, view := areas()[i%len(areas())], views()[i/len(areas())]
		if _, err := r.Register(component(area, view)); err != nil {
			return nil, fmt.Errorf("registering %s.%s: %w", area, view, err)
		}
	}
	return r, nil
}

func component(area, view string) *registry.Component {
	rows := registry.Schema{Document: `{"type":"object","properties":{"rows":{"type":"array","items":{"type":"object",` +
		`"properties":{"id":{"type":"string"},"name":{"type":"string"},"status":{"enum":["open","done"]}}}},"total":{"type":"integer"}}}`}
	return &registry.Component{
		Type: area + "." + view, Description: "The " + view + " of the " + area + " page",
		Observations: []registry.Observation{{
			Name: "visibleRows", Description: "Reads the " + area + " that the " + view + " shows now, with their status", Output: rows,
			Read: func(context.Context, *registry.Call) (capability.JSON, error) { return `{"rows":[],"total":0}`, nil },
		}},
		Actions: []registry.Action{
			action("selectRows", "Selects "+area+" in the "+view+" by their ids; an empty list clears the selection",
				`{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string"},"description":"Ids from visibleRows"}},"required":["ids"],"additionalProperties":false}`),
			action("sortBy", "Sorts the "+view+" by one of its columns",
				`{"type":"object","properties":{"column":{"enum":["name","status","updated"]},"descending":{"type":"boolean"}},"required":["column"],"additionalProperties":false}`),
		},
		Procedures: []registry.ProcedureBinding{
			procedure(area+"."+view+".search", "Searches all "+area+" on the server, not only those that are shown", capability.ServerQuery,
				`{"type":"object","properties":{"text":{"type":"string","minLength":1},"limit":{"type":"integer","minimum":1,"maximum":100}},"required":["text"],"additionalProperties":false}`),
			procedure(area+"."+view+".delete", "Deletes "+area+" for good; they cannot be restored", capability.Destructive,
				`{"type":"object","properties":{"ids":{"type":"array","items":{"type":"string"},"minItems":1}},"required":["ids"],"additionalProperties":false}`),
		},
	}
}

func action(name, description string, input capability.JSON) registry.Action {
	return registry.Action{
		Name: name, Description: description, Effect: capability.LocalState, Input: registry.Schema{Document: input},
		Execute: func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) { return "", nil },
	}
}

func procedure(path, description string, effect capability.Effect, input capability.JSON) registry.ProcedureBinding {
	return registry.ProcedureBinding{Ref: registry.ProcedureRef{
		Path: path, Description: description, Effect: effect, Input: registry.Schema{Document: input},
	}}
}
