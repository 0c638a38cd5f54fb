package mcpserver_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/confirm"
	"github.com/pagewarden/pagewarden/mcpserver"
)

// replying is a client whose person always gives the same reply; asked gets the forms.
func replying(asked chan *mcp.ElicitParams, reply *mcp.ElicitResult, err error) func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		asked <- r.Params
		return reply, err
	}
}

func yes() *mcp.ElicitResult {
	return &mcp.ElicitResult{Action: "accept", Content: map[string]any{"approve": true}}
}

// TestElicitation: the person sees what runs, and only a yes is one.
func TestElicitation(t *testing.T) {
	versions(t, func(t *testing.T, version string) {
		h := newHouse(t)
		s := h.server(nil)
		asked := make(chan *mcp.ElicitParams, 1)
		c := connect(t, s, dialling{version: version, elicit: replying(asked, yes(), nil)})
		r := c.call("wipe", `{"word":"all\u202e of it"}`)
		if r.IsError || text(r) != "{\"word\":\"all\u202e of it\"}" || h.runs() != 1 {
			t.Errorf("got %s after %d runs", text(r), h.runs())
		}
		form := <-asked
		for _, part := range []string{"Asks first", "view:house.lamp.wipe", "local-state", `Exact input: {"word":"all\u{202e} of it"}`} {
			if !strings.Contains(form.Message, part) {
				t.Errorf("the form does not say %s: %s", part, form.Message)
			}
		}
		if got := h.lastCall().Confirmation; got == nil || got.ID == "" {
			t.Errorf("it ran with the approval %v", got)
		}
		waitFor(t, "the trail", func() bool {
			return h.decisions() == "confirmation-requested confirmation-approved confirmation-consumed"
		})
	})
}

// decisions are the steps of confirmation in the trail.
func (h *house) decisions() string {
	var steps []string
	for _, e := range h.trail.Events() {
		if strings.HasPrefix(string(e.Type), "confirmation-") {
			steps = append(steps, string(e.Type))
		}
	}
	return strings.Join(steps, " ")
}

func TestEverythingElseDenies(t *testing.T) {
	versions(t, func(t *testing.T, version string) {
		for name, reply := range map[string]*mcp.ElicitResult{
			"declined":        {Action: "decline"},
			"dismissed":       {Action: "cancel"},
			"accepted a no":   {Action: "accept", Content: map[string]any{"approve": false}},
			"declined a yes":  {Action: "decline", Content: map[string]any{"approve": true}},
			"something else":  {Action: "perhaps", Content: map[string]any{"approve": true}},
			"accepted, empty": {Action: "accept"},
		} {
			h := newHouse(t)
			asked := make(chan *mcp.ElicitParams, 1)
			c := connect(t, h.server(nil), dialling{version: version, elicit: replying(asked, reply, nil)})
			c.want(c.call("wipe", ""), capability.CodeConfirmationInvalid, `"reason":"denied"`)
			if h.runs() > 0 {
				t.Errorf("%s: it ran", name)
			}
		}
	})
}

// TestAClientThatCannotAsk falls back to two phases: the record stays for the host's own people.
func TestAClientThatCannotAsk(t *testing.T) {
	h := newHouse(t)
	asked := make(chan *mcp.ElicitParams, 1)
	c := connect(t, h.server(nil), dialling{elicit: replying(asked, nil, errors.New("no screen"))})
	first := c.call("wipe", "")
	c.want(first, capability.CodeConfirmationRequired)
	id := first.Meta[mcpserver.ConfirmationMeta]
	h.Confirmations().Resolve(id.(string), true)
	if r := c.call("wipe", "", mcpserver.ConfirmationMeta, id); r.IsError || h.runs() != 1 {
		t.Errorf("got %s after %d runs", text(r), h.runs())
	}
}

// TestTwoPhases: for clients without forms, and where the host wants it.
func TestTwoPhases(t *testing.T) {
	versions(t, func(t *testing.T, version string) {
		asked := make(chan *mcp.ElicitParams, 1)
		for name, d := range map[string]dialling{"no forms": {version: version}, "not wanted": {version: version, elicit: replying(asked, yes(), nil)}} {
			h := newHouse(t)
			s := h.server(func(o *mcpserver.Options) {
				if name == "not wanted" {
					o.Confirmations = mcpserver.TwoPhase
				}
			})
			c := connect(t, s, d)
			first := c.call("wipe", `{"word":"x"}`, mcpserver.InvocationMeta, "w")
			c.want(first, capability.CodeConfirmationRequired, `"origin":"client"`)
			id := first.Meta[mcpserver.ConfirmationMeta]
			again := c.call("wipe", `{"word":"x"}`, mcpserver.InvocationMeta, "w", mcpserver.ConfirmationMeta, id)
			c.want(again, capability.CodeConfirmationRequired)
			h.Confirmations().Resolve(id.(string), true)
			c.want(c.call("wipe", `{"word":"y"}`, mcpserver.ConfirmationMeta, id), capability.CodeConfirmationInvalid, "mismatch")
			if r := c.call("wipe", `{"word":"x"}`, mcpserver.InvocationMeta, "w", mcpserver.ConfirmationMeta, id); r.IsError || h.runs() != 1 {
				t.Errorf("%s: got %s after %d runs", name, text(r), h.runs())
			}
			c.want(c.call("wipe", `{"word":"x"}`, mcpserver.ConfirmationMeta, id), capability.CodeConfirmationInvalid, "consumed")
			if len(asked) > 0 {
				t.Errorf("%s: the client was asked", name)
			}
		}
	})
}

// TestWaiting: the host's own people decide while the call waits, and the client is not asked.
func TestWaiting(t *testing.T) {
	versions(t, func(t *testing.T, version string) {
		h := newHouse(t)
		asked := make(chan *mcp.ElicitParams, 1)
		s := h.server(func(o *mcpserver.Options) { o.Confirmations = mcpserver.Wait })
		c := connect(t, s, dialling{version: version, elicit: replying(asked, yes(), nil)})
		ended := make(chan *mcp.CallToolResult, 1)
		go func() { ended <- c.call("wipe", "") }()
		h.Confirmations().Resolve(h.onePending().ConfirmationID, true)
		if r := <-ended; r.IsError || len(asked) > 0 {
			t.Errorf("got %s, and the client was asked %d times", text(r), len(asked))
		}
	})
}

func (h *house) onePending() confirm.Pending {
	h.t.Helper()
	waitFor(h.t, "a record", func() bool { return len(h.Confirmations().Pending()) == 1 })
	return h.Confirmations().Pending()[0]
}

// waiting is a client whose person does not reply; gone is closed when the form is taken away.
func waiting(asked chan *mcp.ElicitParams, gone chan struct{}) func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
	return func(ctx context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		asked <- r.Params
		<-ctx.Done()
		close(gone)
		return nil, ctx.Err()
	}
}

// TestSomebodyElseDecides: the form is taken away.
func TestSomebodyElseDecides(t *testing.T) {
	for _, approved := range []bool{true, false} {
		h := newHouse(t)
		asked, gone := make(chan *mcp.ElicitParams, 1), make(chan struct{})
		c := connect(t, h.server(nil), dialling{elicit: waiting(asked, gone)})
		ended := make(chan *mcp.CallToolResult, 1)
		go func() { ended <- c.call("wipe", "") }()
		<-asked
		h.Confirmations().Resolve(h.onePending().ConfirmationID, approved)
		if r := <-ended; r.IsError == approved {
			t.Errorf("approved %v: got %s", approved, text(r))
		}
		<-gone
	}
}

// TestACallThatIsWithdrawn takes its form and its record with it.
func TestACallThatIsWithdrawn(t *testing.T) {
	h := newHouse(t)
	asked, gone := make(chan *mcp.ElicitParams, 1), make(chan struct{})
	c := connect(t, h.server(nil), dialling{elicit: waiting(asked, gone)})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := c.try(ctx, "wipe", "")
		ended <- err
	}()
	<-asked
	id := h.onePending().ConfirmationID
	cancel()
	<-ended
	<-gone
	waitFor(t, "the record to go", func() bool { return len(h.Confirmations().Pending()) == 0 })
	if h.Confirmations().Resolve(id, true) || h.runs() > 0 {
		t.Error("it can still be approved")
	}
}

// TestAnInputThatIsTooLongToShow is not for a form.
func TestAnInputThatIsTooLongToShow(t *testing.T) {
	versions(t, func(t *testing.T, version string) {
		h := newHouse(t)
		asked := make(chan *mcp.ElicitParams, 1)
		c := connect(t, h.server(nil), dialling{version: version, elicit: replying(asked, yes(), nil)})
		c.want(c.call("wipe", `{"word":"`+strings.Repeat("x", 9000)+`"}`), capability.CodeConfirmationRequired)
		if len(asked) > 0 || h.runs() > 0 {
			t.Error("it was asked, or ran")
		}
	})
}

// TestAnswersThatWereNotAskedFor: who speaks the newest protocol gives the server's own words back, and may lie.
func TestAnswersThatWereNotAskedFor(t *testing.T) {
	h := newHouse(t)
	s := h.server(nil)
	victim := connect(t, s, dialling{})
	first := victim.call("wipe", "")
	id := first.Meta[mcpserver.ConfirmationMeta].(string)
	liar := connect(t, s, dialling{version: inResults})
	for _, state := range []string{`{"confirmationId":"` + id + `"}`, `{"confirmationId":""}`, `{`, ""} {
		r, err := liar.CallTool(t.Context(), &mcp.CallToolParams{
			Name: prefix + "wipe", RequestState: state, InputResponses: mcp.InputResponseMap{"approve": yes()},
		})
		if err != nil {
			t.Fatal(err)
		}
		liar.want(r, capability.CodeConfirmationInvalid, "mismatch")
	}
	if len(h.Confirmations().Pending()) != 1 || h.runs() > 0 {
		t.Error("somebody else's record was decided")
	}
	for _, e := range h.trail.Events() {
		if e.Type == audit.ConfirmationApproved {
			t.Error("the trail has an approval")
		}
	}
}

// TestAnAnswerCountsOnce: a client of the newest protocol that repeats its answer repeats nothing else.
func TestAnAnswerCountsOnce(t *testing.T) {
	h := newHouse(t)
	s := h.server(nil)
	ours, theirs := mcp.NewInMemoryTransports()
	served := make(chan error, 1)
	go func() { served <- s.Run(t.Context(), ours) }()
	sdk := mcp.NewClient(&mcp.Implementation{Name: "x"}, &mcp.ClientOptions{
		Capabilities:   &mcp.ClientCapabilities{Elicitation: &mcp.ElicitationCapabilities{}},
		MultiRoundTrip: &mcp.MultiRoundTripOptions{Disabled: true},
	})
	session, err := sdk.Connect(t.Context(), theirs, &mcp.ClientSessionOptions{ProtocolVersion: inResults})
	if err != nil {
		t.Fatal(err)
	}
	c := &client{ClientSession: session, t: t}
	first := c.call("wipe", "")
	if len(first.InputRequests) != 1 || first.RequestState == "" || h.runs() > 0 {
		t.Fatalf("got %s", jsonOf(first))
	}
	answer := &mcp.CallToolParams{Name: prefix + "wipe", RequestState: first.RequestState, InputResponses: mcp.InputResponseMap{"approve": yes()}}
	for i, code := range []capability.Code{"", capability.CodeConfirmationInvalid} {
		r, err := session.CallTool(t.Context(), answer)
		if err != nil {
			t.Fatal(err)
		}
		if got := c.code(r); got != string(code) {
			t.Errorf("answer %d gives %s", i+1, jsonOf(r))
		}
	}
	if h.runs() != 1 {
		t.Errorf("it ran %d times", h.runs())
	}
	session.Close()
	<-served
}

// TestAFormThatIsNotAnswered: the call ends after the time that the host gives, and the record stays.
func TestAFormThatIsNotAnswered(t *testing.T) {
	h := newHouse(t)
	asked, gone := make(chan *mcp.ElicitParams, 1), make(chan struct{})
	s := h.server(func(o *mcpserver.Options) { o.WaitTimeout = 1 })
	c := connect(t, s, dialling{elicit: waiting(asked, gone)})
	c.want(c.call("wipe", ""), capability.CodeConfirmationRequired)
	if len(h.Confirmations().Pending()) != 1 {
		t.Error("the record has gone")
	}
}

// TestTheApprovalIsOfWhatWasShown: a registration that was replaced meanwhile is not called.
func TestTheApprovalIsOfWhatWasShown(t *testing.T) {
	h := newHouse(t)
	door := h.door("Opens")
	door.Actions[0].Confirmation = capability.Required
	handle := h.mount(door)
	s := h.server(nil)
	c := connect(t, s, dialling{elicit: func(context.Context, *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
		handle.Unregister()
		h.mount(door)
		return yes(), nil
	}})
	r := c.call(doorOpen, "")
	if !r.IsError || h.runs() > 0 {
		t.Errorf("got %s after %d runs", text(r), h.runs())
	}
}
