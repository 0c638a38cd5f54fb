package main

import (
	_ "embed"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/schema/infer"
)

// After changing a declaration: go generate ./examples/go-page
//
//go:generate go run . -contract .pagewarden/contract.json

// manifest is the reviewed contract. The page admits what it says, and nothing else.
//
//go:embed .pagewarden/contract.json
var manifest string

// boardContract declares what the page may expose.
func boardContract() contract.Component {
	return contract.Component{
		Declaration: "contract.go#boardContract", Type: "notes.board", Description: "The notes on this page",
		Observations: []contract.Observation{{
			Name: "list", Output: infer.MustSchema[[]string]().Document,
			Common: contract.Common{Description: "Lists the notes", UntrustedContent: true},
		}},
		Actions: []contract.Action{{
			Name: "add", Effect: capability.LocalState, Input: infer.MustSchema[newNote]().Document,
			Common: contract.Common{Description: "Adds a note"},
		}, {
			Name: "remove", Effect: capability.LocalState, Input: infer.MustSchema[chosen]().Document,
			Common: contract.Common{Description: "Removes a note"},
		}, {
			Name: "clear", Effect: capability.LocalState, Input: infer.MustSchema[registry.None]().Document, Confirmation: capability.Required,
			Common: contract.Common{Description: "Removes every note"},
		}},
	}
}
