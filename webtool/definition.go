package webtool

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/registry"
)

// MaxIDLength is the most characters of a tool's id: the capability id adds "domain:".
const MaxIDLength = capability.MaxIDLength - len("domain:")

// ComponentType is the type of the component that a tool's procedure is registered with. It holds nothing else, so no
// snapshot shows it.
const ComponentType = "web-tool"

// Definition is what an author writes of a tool. ID, Description and Execute are required.
type Definition struct {
	// ID is the tool's name for the browser: 1 to 121 of A-Z a-z 0-9 _ . -
	ID string
	// Title is for people, at most 100 characters.
	Title string
	// Description is for agents, 1 to 300 characters.
	Description string
	// Input is what the tool takes; the zero Schema means no parameters.
	Input registry.Schema
	// Annotations is a JSON object with hints for the browser, or absent. A flag that is given wins over its hint.
	Annotations capability.JSON
	Flags
	// Timeout limits an execution; 0 means that nothing does.
	Timeout time.Duration

	// Execute does the work.
	Execute func(ctx context.Context, input capability.JSON, call *registry.Call) (capability.JSON, error)
	// Prepare and Ask are as in registry.Local; a tool with an Ask requires confirmation.
	Prepare func(ctx context.Context, input capability.JSON, call *registry.Call) (capability.JSON, error)
	Ask     func(registry.Question) (stop func())
}

// Tool is a definition that has been checked. It does not change.
type Tool struct {
	definition  Definition
	effect      capability.Effect
	annotations capability.JSON
}

// Define checks a definition and copies it. The error is a *registry.DefinitionError. What needs a registry's limits to
// be judged, schemas and the lengths of texts, is judged when the tool is registered.
func Define(d Definition) (*Tool, error) {
	if err := d.check(); err != nil {
		return nil, err
	}
	effect, err := d.Flags.Effect()
	if err != nil {
		return nil, err
	}
	annotations, err := d.Flags.annotations(d.Annotations)
	if err != nil {
		return nil, err
	}
	if d.Input.Document.Absent() {
		d.Input.Document = noInput
	}
	return &Tool{definition: d, effect: effect, annotations: annotations}, nil
}

// noInput takes an empty object and nothing else.
const noInput = capability.JSON(`{"type":"object","properties":{},"additionalProperties":false}`)

func (d *Definition) check() error {
	switch {
	case !IsID(d.ID):
		return defect(registry.InvalidID, "id", "a tool's id is 1 to %d of A-Z a-z 0-9 _ . -", MaxIDLength)
	case strings.TrimSpace(d.Description) == "":
		return defect(registry.InvalidDefinition, "description", "agents need one: say what the tool does and when to use it")
	case d.Execute == nil:
		return defect(registry.InvalidDefinition, "execute", "a tool needs an execute function")
	case d.Timeout < 0:
		return defect(registry.InvalidDefinition, "timeoutMs", "must not be negative")
	}
	return nil
}

func defect(code registry.DefinitionCode, where, format string, args ...any) error {
	return &registry.DefinitionError{Code: code, Where: where, Reason: fmt.Sprintf(format, args...)}
}

// IsID reports whether text can be the id of a tool.
func IsID(text string) bool {
	for _, c := range []byte(text) {
		if !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_' || c == '.' || c == '-') {
			return false
		}
	}
	return len(text) >= 1 && len(text) <= MaxIDLength
}

// ID is the tool's name for the browser.
func (t *Tool) ID() string { return t.definition.ID }

// Title is "" when the author gave none.
func (t *Tool) Title() string { return t.definition.Title }

// Description is the author's.
func (t *Tool) Description() string { return t.definition.Description }

// InputSchema is a JSON Schema of an object.
func (t *Tool) InputSchema() capability.JSON { return t.definition.Input.Document }

// Annotations is a JSON object: the author's hints with the flags written over them.
func (t *Tool) Annotations() capability.JSON { return t.annotations }

// Effect is what calling the tool means.
func (t *Tool) Effect() capability.Effect { return t.effect }

// CapabilityID is the tool's id in a registry.
func (t *Tool) CapabilityID() string { return "domain:" + t.definition.ID }

// Offer is the tool as an authority sees it.
func (t *Tool) Offer() contract.Offer {
	level := t.effect.Defaults().Confirmation
	switch {
	case t.definition.Ask != nil:
		level = capability.Required
	case level == capability.Required:
		level = capability.Optional
	}
	return contract.Offer{Confirmation: level, Seen: contract.Seen{
		CapabilityID: t.CapabilityID(), Kind: capability.Procedure, Title: t.definition.Title, Description: t.definition.Description,
		Effect: t.effect, InputSchema: t.definition.Input.Document, UntrustedContent: t.Untrusted(), Audit: t.effect.Defaults().Audit,
	}}
}

// Component is what to register so that the tool can be called. instanceID tells the registrations of a page apart.
func (t *Tool) Component(instanceID string) *registry.Component {
	d := &t.definition
	return &registry.Component{
		Type: ComponentType, InstanceID: instanceID, Description: "A tool beside a control of this page",
		Procedures: []registry.ProcedureBinding{{
			Ref: registry.ProcedureRef{
				Path: d.ID, Title: d.Title, Description: d.Description, Input: d.Input, Effect: t.effect, UntrustedContent: t.Untrusted(),
			},
			Local:  &registry.Local{Execute: d.Execute, Prepare: d.Prepare, Ask: d.Ask},
			Common: registry.Common{Timeout: d.Timeout},
		}},
	}
}
