package contract

import (
	"context"
	"errors"
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
)

// Tool is an external tool with what executes it; only ExternalTool.Bind makes one, and nothing changes it.
type Tool struct {
	offer   Offer
	execute Execute
}

// Execute carries an external tool out. Nothing has checked its input, nobody has been asked, and no registry records
// it: a tool that needs any of that belongs into a registry.
type Execute func(ctx context.Context, input capability.JSON) (capability.JSON, error)

// Bind joins the declaration with what executes it. The error is a *DeclarationError.
func (t ExternalTool) Bind(execute Execute) (*Tool, error) {
	d := &draft{}
	t.draft(d)
	if execute == nil {
		d.fail(t.Declaration, t.ID, "execute", "a function is required")
	}
	if len(d.problems) > 0 {
		return nil, errors.Join(d.problems...)
	}
	return &Tool{offer: d.entries[0].offer(), execute: execute}, nil
}

// offer is what a tool that is just as declared offers.
func (e *Entry) offer() Offer {
	return Offer{Confirmation: e.effectiveConfirmation(), Seen: Seen{
		CapabilityID: e.CapabilityID, Kind: e.Kind, Title: e.Title, Description: e.Description, Effect: e.Effect,
		InputSchema: e.InputSchema, OutputSchema: e.OutputSchema, UntrustedContent: e.UntrustedContent,
	}}
}

// ID is the tool's id, external:….
func (t *Tool) ID() string { return t.offer.CapabilityID }

// Name is what a model provider may call it: ToolName of its id.
func (t *Tool) Name() string { return ToolName(t.offer.CapabilityID) }

// Description is for the agent.
func (t *Tool) Description() string { return t.offer.Description }

// InputSchema is the JSON Schema of the input, in canonical form.
func (t *Tool) InputSchema() capability.JSON { return t.offer.InputSchema }

// Execute runs the tool.
func (t *Tool) Execute(ctx context.Context, input capability.JSON) (capability.JSON, error) {
	return t.execute(ctx, input)
}

// Gateway exposes provider tools that no registry backs (contract.md, Gateway).
type Gateway struct{ authority *Authority }

// NewGateway makes one; env is "" for production. The error is that of Authority.Use.
func NewGateway(a *Authority, env capability.Environment) (*Gateway, error) {
	if a == nil {
		return nil, errors.New("creating a gateway: an authority is required")
	}
	if err := a.Use(env); err != nil {
		return nil, fmt.Errorf("creating a gateway: %w", err)
	}
	return &Gateway{a}, nil
}

// Expose gives the tools back, in order, if the authority admits every one by its content. The error says which it
// does not: an *AdmissionError, or a tool that Bind did not make, or a name that two have.
func (g *Gateway) Expose(tools ...*Tool) ([]*Tool, error) {
	names := map[string]bool{}
	exposed := make([]*Tool, len(tools))
	for i, t := range tools {
		if t == nil || t.execute == nil {
			return nil, fmt.Errorf("exposing tool %d: was not made by the bind of a declared external tool", i)
		}
		if names[t.Name()] {
			return nil, fmt.Errorf("exposing tool %d: %s is the name of another one", i, t.Name())
		}
		names[t.Name()] = true
		if err := g.authority.admitTool(&t.offer); err != nil {
			return nil, fmt.Errorf("exposing tool %d: %w", i, err)
		}
		exposed[i] = t
	}
	return exposed, nil
}

func (a *Authority) admitTool(o *Offer) error {
	if a.Mode() == ModeOpen {
		return nil
	}
	return a.admit(o)
}
