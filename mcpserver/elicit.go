package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
	"github.com/pagewarden/pagewarden/consent"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
)

// inResults is the first version of the protocol in which a server does not call its client: it asks in the result of a
// call, and the client repeats the call with the answer.
const inResults = "2026-07-28"

// elicitsByCall reports whether the server can ask the client for a form while a call waits.
func elicitsByCall(can *mcp.ClientCapabilities, version string) bool {
	return elicits(can) && version < inResults
}

// elicits reports whether the client can show a form. One that says nothing of forms or addresses means forms.
func elicits(can *mcp.ClientCapabilities) bool {
	return can != nil && can.Elicitation != nil && (can.Elicitation.Form != nil || can.Elicitation.URL == nil)
}

// maxShownInput is how long an input may be, in characters, to be shown in a form. A person must see all of what they
// approve; what is longer is for the host's own people.
const maxShownInput = 8000

// approve is the form's one field, and the only one whose exact true is a yes.
const approve = "approve"

const formSchema = `{"type":"object","properties":{"approve":{"type":"boolean","title":"Approve","description":"Let this call run, exactly as shown"}},"required":["approve"]}`

// form is the question about a record; ok is false when it cannot be shown whole, or is not the client's to decide.
func form(p confirm.Pending) (_ *mcp.ElicitParams, ok bool) {
	input := registry.Visible(string(p.Input))
	if p.Held || capability.Length(input) > maxShownInput {
		return nil, false
	}
	var text strings.Builder
	fmt.Fprintf(&text, "May this run?\n\nWhat: %s\nCapability: %s\nEffect: %s\nExact input: %s",
		registry.Visible(p.Summary), registry.Visible(p.CapabilityID), inWords(p.Effect), input)
	return &mcp.ElicitParams{Mode: "form", Message: text.String(), RequestedSchema: json.RawMessage(formSchema)}, true
}

// inWords is an effect as a person reads it.
func inWords(e capability.Effect) string {
	switch e {
	case capability.Destructive:
		return "destructive (what it does may not be possible to take back)"
	case capability.ExternalSideEffect:
		return "external side effect (it reaches beyond this application)"
	case capability.ServerMutation:
		return "server mutation (it changes data on the server)"
	}
	return string(e)
}

// approves reports whether a form came back with a yes: nothing else is one.
func approves(r *mcp.ElicitResult) bool {
	return r != nil && r.Action == "accept" && r.Content[approve] == true
}

// pending is a record that waits for a person.
func (c *session) pending(id string) (confirm.Pending, bool) {
	list := c.of.registry.Confirmations().Pending()
	at := slices.IndexFunc(list, func(p confirm.Pending) bool { return p.ConfirmationID == id })
	if at < 0 {
		return confirm.Pending{}, false
	}
	return list[at], true
}

// ask shows the form for a call that waits, and decides the record by what comes back. The form goes when the record is
// decided elsewhere, or the call ends.
func (c *session) ask(ctx context.Context, connection *mcp.ServerSession, w *consent.Wait) {
	record, open := c.pending(w.ConfirmationID)
	if !open || record.Held {
		return // it was decided meanwhile, or is decided at the control that it is about
	}
	question, ok := form(record)
	if !ok {
		w.GiveUp()
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	confirmations := c.of.registry.Confirmations()
	stop := confirmations.Subscribe(func() {
		if _, open := c.pending(w.ConfirmationID); !open {
			cancel()
		}
	})
	defer stop()
	reply, err := connection.Elicit(ctx, question)
	var unable *jsonrpc.Error
	switch {
	case ctx.Err() != nil:
	case errors.As(err, &unable):
		c.of.options.Log("the client could not ask for a confirmation: " + registry.Visible(err.Error()))
		w.GiveUp()
	default:
		confirmations.Resolve(w.ConfirmationID, err == nil && approves(reply))
	}
}

// state is what the client of a question in a result gives back with the answer. It is a hint and proves nothing.
type state struct {
	InvocationID   string `json:"invocationId"`
	ConfirmationID string `json:"confirmationId"`
}

// question makes of a result that wants a confirmation the result that asks for it, for a client that is asked that way;
// nil when it is another result, or another client.
func (c *session) question(r *mcp.CallToolRequest, result registry.Result) *mcp.CallToolResult {
	e := result.Error
	if e == nil || e.Code != capability.CodeConfirmationRequired || e.Detail("origin") != "client" {
		return nil
	}
	if c.of.options.Confirmations != Elicit || !elicits(r.ClientCapabilities()) || r.ProtocolVersion() < inResults {
		return nil
	}
	record, open := c.pending(e.Detail("confirmationId"))
	if !open {
		return nil
	}
	question, ok := form(record)
	if !ok {
		return nil
	}
	c.noteAsked(record.ConfirmationID)
	text, err := json.Marshal(state{result.InvocationID, record.ConfirmationID})
	if err != nil {
		return nil
	}
	return &mcp.CallToolResult{InputRequests: mcp.InputRequestMap{approve: question}, RequestState: string(text)}
}

// noteAsked remembers that the client was asked for a record, and forgets those that are decided.
func (c *session) noteAsked(id string) {
	c.mu.Lock()
	ids := make([]string, 0, len(c.asked))
	for other := range c.asked {
		ids = append(ids, other)
	}
	c.mu.Unlock()
	for _, other := range ids {
		if _, open := c.pending(other); !open {
			c.takeAsked(other)
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.asked[id] = true
}

// takeAsked reports whether the client was asked for a record and has not answered yet.
func (c *session) takeAsked(id string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	asked := c.asked[id]
	delete(c.asked, id)
	return asked
}

// answered decides a record by the answer that came with a call, if one did, and makes the call the retry. Only what
// this session was asked for can be decided so.
func (c *session) answered(r *mcp.CallToolRequest, call *toolset.Call) *capability.Error {
	if r.Params.RequestState == "" && r.Params.InputResponses == nil {
		return nil
	}
	var given state
	if json.Unmarshal([]byte(r.Params.RequestState), &given) != nil || given.ConfirmationID == "" || !c.takeAsked(given.ConfirmationID) {
		return capability.ConfirmationInvalid("mismatch")
	}
	reply, _ := r.Params.InputResponses[approve].(*mcp.ElicitResult)
	c.of.registry.Confirmations().Resolve(given.ConfirmationID, approves(reply))
	call.InvocationID, call.ConfirmationID = given.InvocationID, given.ConfirmationID
	return nil
}
