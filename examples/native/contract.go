package main

import (
	_ "embed"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/schema/infer"
)

// The contract is written from the declarations below, committed and reviewed; the program admits what it says, and
// nothing else. After changing a declaration: go generate ./examples/native
//
//go:generate go run . -contract .pagewarden/contract.json

// manifest is the reviewed contract.
//
//go:embed .pagewarden/contract.json
var manifest string

// declarations are everything that this program may ever expose.
func declarations() []contract.Declaration {
	return []contract.Declaration{sessionContract(), tableContract(), disableContract()}
}

// sessionContract is the component that everybody sees.
func sessionContract() contract.Component {
	return contract.Component{
		Declaration: "contract.go#sessionContract", Type: "session.panel", Description: "Who is signed in",
		Actions: []contract.Action{{
			Name: "signIn", Effect: capability.LocalState, Input: infer.MustSchema[signIn]().Document,
			Common: contract.Common{Description: "Signs a person in"},
		}},
	}
}

// tableContract is the component that only who is signed in sees: without that policy it is not admitted.
func tableContract() contract.Component {
	return contract.Component{
		Declaration: "contract.go#tableContract", Type: "devices.table", Description: "The devices of the house",
		Policies: []contract.PolicyRef{{Name: "authenticated", Phase: "discovery"}, {Name: "authenticated", Phase: "authorize"}},
		Observations: []contract.Observation{{
			Name: "list", Output: infer.MustSchema[[]device]().Document, Common: contract.Common{Description: "Lists the devices"},
		}},
		Actions: []contract.Action{{
			Name: "select", Effect: capability.LocalState, Input: infer.MustSchema[selection]().Document,
			Common: contract.Common{Description: "Selects devices"},
		}},
	}
}

// disableContract is the server operation. The agent gives the reason; the page adds the rest.
func disableContract() contract.Procedure {
	return contract.Procedure{
		Declaration: "contract.go#disableContract", ID: "domain:devices/disable", Description: "Switches the selected devices off",
		Effect: capability.Destructive, Input: infer.MustSchema[disabling]().Document,
		BoundFields: []contract.BoundField{{Path: "ids", Locked: true}},
		Policies:    []contract.PolicyRef{{Name: "authenticated", Phase: "authorize"}},
	}
}
