package mcpserver_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// door is a component that can be mounted and unmounted, with something that cannot be taken back.
func (h *house) door(description string) *registry.Component {
	h.SetExecutor(registry.Procedures{"house/burn": h.carryOut("")})
	return &registry.Component{
		Type: "house.door", Description: "A door",
		Actions: []registry.Action{{
			Name: "open", Description: description, Effect: capability.LocalState, Input: document(anyObject), Execute: h.carryOut(""),
		}},
		Procedures: []registry.ProcedureBinding{{Ref: registry.ProcedureRef{
			Path: "house/burn", Description: "Burns it down", Effect: capability.ExternalSideEffect, Input: document(anyObject),
		}}},
	}
}

const (
	doorOpen = "view_house__door__open"
)

// TestListChanged: one message for many changes, and none when the list is the same in the end.
func TestListChanged(t *testing.T) {
	h := newHouse(t)
	c := connect(t, h.server(nil), dialling{})
	before := len(c.tools())
	for i := range 50 {
		d := h.door("Opens")
		d.InstanceID = fmt.Sprint("d", i)
		h.mount(d)
	}
	c.changed()
	if got := len(c.tools()) - before; got != 100 {
		t.Errorf("%d tools have come", got)
	}
	if len(c.changes) > 2 {
		t.Errorf("told %d more times", len(c.changes))
	}
}

// TestARemountIsNoChange: what looks the same is the same to the client, and a call means what is there now.
func TestARemountIsNoChange(t *testing.T) {
	h := newHouse(t)
	s := h.server(nil)
	c := connect(t, s, dialling{})
	handle := h.mount(h.door("Opens"))
	c.tools()
	for range 3 {
		handle.Unregister()
		handle = h.mount(h.door("Opens"))
		waitFor(t, "the session to look", func() bool { return !c.call(doorOpen, "").IsError })
	}
	handle.Unregister()
	h.mount(h.door("Opens quickly"))
	c.changed()
	if len(c.changes) > 0 {
		t.Errorf("told %d more times", len(c.changes))
	}
}

// TestAToolThatHasBecomeAnother is not called before the client has seen it.
func TestAToolThatHasBecomeAnother(t *testing.T) {
	h := newHouse(t)
	c := connect(t, h.server(nil), dialling{})
	handle := h.mount(h.door("Opens"))
	c.tools()
	handle.Unregister()
	h.mount(h.door("Opens for ever"))
	c.changed()
	c.want(c.call(doorOpen, ""), capability.CodeStale, "registration-replaced")
	c.tools()
	if r := c.call(doorOpen, ""); r.IsError {
		t.Errorf("after it has been seen: %s", text(r))
	}
	if h.runs() != 1 {
		t.Errorf("it ran %d times", h.runs())
	}
}

// TestAToolThatHasGone says so.
func TestAToolThatHasGone(t *testing.T) {
	h := newHouse(t)
	c := connect(t, h.server(nil), dialling{})
	handle := h.mount(h.door("Opens"))
	c.tools()
	handle.Unregister()
	c.want(c.call(doorOpen, ""), capability.CodeUnmounted)
	c.changed()
	c.want(c.call(doorOpen, ""), capability.CodeUnmounted)
	c.tools()
	c.want(c.call(doorOpen, ""), capability.CodeNotFound)
}

// TestAnUnrelatedChange does not make what cannot be taken back stale for ever: clients do not ask again for a list that
// is the same.
func TestAnUnrelatedChange(t *testing.T) {
	h := newHouse(t)
	c := connect(t, h.server(nil), dialling{})
	h.mount(h.door("Opens"))
	name := ""
	for tool := range c.tools() {
		if strings.HasPrefix(tool, "domain_") {
			name = tool
		}
	}
	h.Invalidate()
	waitFor(t, "the version to be known", func() bool {
		return c.code(c.call(name, "")) == string(capability.CodeConfirmationRequired)
	})
}

// TestAvailabilityIsNews: it is told, and calls still go by what is true.
func TestAvailabilityIsNews(t *testing.T) {
	h := newHouse(t)
	c := connect(t, h.server(nil), dialling{})
	c.tools()
	h.setShut(true)
	c.changed()
	if got := jsonOf(c.tools()[prefix+"gate"].Meta["pagewarden/state"]); got != `{"available":false,"unavailableReason":"it is shut"}` {
		t.Errorf("the state is %s", got)
	}
	h.setShut(false)
	c.changed()
	if r := c.call("gate", ""); r.IsError {
		t.Errorf("got %s", text(r))
	}
}

// TestListeningWithoutASession: who speaks the newest protocol asks to be told.
func TestListeningWithoutASession(t *testing.T) {
	h := newHouse(t)
	told := make(chan struct{}, 10)
	s := h.server(nil)
	ours, theirs := mcp.NewInMemoryTransports()
	served := make(chan error, 1)
	go func() { served <- s.Run(t.Context(), ours) }()
	sdk := mcp.NewClient(&mcp.Implementation{Name: "x"}, &mcp.ClientOptions{
		ToolListChangedHandler: func(context.Context, *mcp.ToolListChangedRequest) { told <- struct{}{} },
	})
	session, err := sdk.Connect(t.Context(), theirs, &mcp.ClientSessionOptions{ProtocolVersion: inResults})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := session.ListTools(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	waitFor(t, "the news", func() bool {
		h.mount(h.door("Opens")).Unregister()
		h.setShut(!h.isShut())
		return len(told) > 0
	})
	session.Close()
	<-served
}
