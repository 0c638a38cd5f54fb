package contract

import (
	"time"

	"github.com/pagewarden/pagewarden/capability"
)

// Declaration is a Component, a Procedure or an ExternalTool: what Compile takes.
type Declaration interface {
	// draft adds the entries of the declaration, checked.
	draft(*draft)
}

// Component declares a component and what of it agents may read and do (contract.md, Declaring). It is plain
// data; registry.Bind joins it with its handlers.
type Component struct {
	// Declaration is PATH#NAME, relative to the project: "ui/devices.go#Devices".
	Declaration string
	// Type is the component type; required, and of one declaration only.
	Type string
	// Description is for the agent, 1 to 500 characters; required.
	Description string
	// Meta, Origin and Priority are those of registry.Component. Origin is FirstParty when empty.
	Meta     capability.JSON
	Origin   string
	Priority int
	// Policies and Tags hold for each capability of the component, besides its own.
	Policies []PolicyRef
	Tags     []string

	Observations []Observation
	Actions      []Action
}

// Common is what observations and actions share.
type Common struct {
	// Title is 1 to 100 characters, or "" for none.
	Title string
	// Description is for the agent, 1 to 300 characters; required.
	Description      string
	UntrustedContent bool
	Policies         []PolicyRef
	Tags             []string
	// Meta and Timeout are those of registry.Common.
	Meta    capability.JSON
	Timeout time.Duration
}

// Observation declares state of a component that agents may read.
type Observation struct {
	Name string
	// Output is a JSON Schema; required.
	Output capability.JSON
	Common
}

// Action declares what agents may do with a component.
type Action struct {
	Name string
	// Input is a JSON Schema; required. Output may be absent.
	Input, Output capability.JSON
	// Effect is capability.LocalState or Navigation.
	Effect capability.Effect
	// Idempotent and Reversible override the defaults of the effect.
	Idempotent, Reversible *bool
	// Confirmation may raise the effect's default; the binding may raise it further.
	Confirmation capability.Confirmation
	// Audit overrides the effect's default level.
	Audit capability.AuditLevel
	Common
}

// Procedure declares a server operation that a page may offer.
type Procedure struct {
	// Declaration is PATH#NAME, relative to the project.
	Declaration string
	// ID is "domain:" and the path.
	ID                 string
	Title, Description string
	// Input is a JSON Schema of all that the operation takes; required. Output may be absent.
	Input, Output capability.JSON
	Effect        capability.Effect
	// Confirmation may raise the effect's default.
	Confirmation     capability.Confirmation
	Audit            capability.AuditLevel
	UntrustedContent bool
	// BoundFields are the members of the input that the page supplies.
	BoundFields []BoundField
	// Origin is FirstParty when empty.
	Origin   string
	Policies []PolicyRef
	Tags     []string
}

// ExternalTool declares a tool that no registry backs and that a Gateway may expose.
type ExternalTool struct {
	// Declaration is PATH#NAME, relative to the project.
	Declaration string
	// ID is "external:" and one or more of A-Z a-z 0-9 . - _, of which ToolName makes at most 64 characters.
	ID                 string
	Title, Description string
	// Input is a JSON Schema; required. Output may be absent.
	Input, Output capability.JSON
	// Effect may be any.
	Effect           capability.Effect
	Confirmation     capability.Confirmation
	UntrustedContent bool
	// Origin is FirstParty when empty.
	Origin string
	Tags   []string
}
