package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/runtime"
)

// inPage reaches tools through what the page's own scripts are given, by a
// script that runs in each of the page's documents. A page can deceive it; it is
// for browsers, and for polyfills, that offer nothing better.
//
// The script is an expression that makes an object with the methods list,
// changed and start, see scripts/.
type inPage struct {
	realms *realms
	// docs knows the documents' addresses, and runs what waits for changes.
	docs   *devtools
	script string

	mu      sync.Mutex
	watched map[*realm]bool
	calls   int
}

func newInPage(p *Page, script string) *inPage {
	return &inPage{realms: p.realms, docs: p.devtools, script: script, watched: map[*realm]bool{}}
}

// listed is a tool as the scripts describe it.
type listed struct {
	Name        string      `json:"name"`
	Title       string      `json:"title"`
	Description string      `json:"description"`
	Schema      string      `json:"schema"`
	Annotations Annotations `json:"annotations"`
}

func (w *inPage) changed() <-chan struct{} { return w.realms.change.wait() }

// list asks every document. One that has no tools to list, or that goes away
// meanwhile, has none: its end counts as a change.
func (w *inPage) list(ctx context.Context) ([]Tool, error) {
	tools := []Tool{}
	for _, r := range w.realms.all() {
		found, err := w.listIn(ctx, r)
		if ctx.Err() != nil {
			return nil, err
		}
		frame := w.docs.describe(r.at)
		for _, t := range found {
			tools = append(tools, t.tool(frame))
		}
	}
	return tools, nil
}

func (w *inPage) listIn(ctx context.Context, r *realm) ([]listed, error) {
	kit, err := r.kit(ctx, w.script)
	if err != nil {
		return nil, err
	}
	got, err := r.call(ctx, kit, "list", true)
	if err != nil {
		return nil, err
	}
	var found []listed
	if err := json.Unmarshal(got.Value, &found); err != nil {
		return nil, fmt.Errorf("reading the page's list of tools: %w", err)
	}
	w.watch(r, kit)
	return found, nil
}

// watch has a goroutine wait for the document's next change, unless one does.
func (w *inPage) watch(r *realm, kit runtime.RemoteObjectID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.watched[r] {
		return
	}
	w.watched[r] = true
	w.docs.children.Go(func() {
		// An error is the end of the document, which is a change too.
		_, _ = r.call(r.ctx, kit, "changed", true)
		w.mu.Lock()
		delete(w.watched, r)
		w.mu.Unlock()
		w.realms.change.fire()
	})
}

func (t listed) tool(frame Frame) Tool {
	return Tool{
		Name: t.Name, Title: t.Title, Description: t.Description, InputSchema: schemaOf([]byte(t.Schema)),
		Annotations: t.Annotations, Frame: frame,
	}
}

// started is what a script's start gives: the members of a call in flight.
const (
	startedOutcome = "outcome"
	startedAbort   = "controller.abort"
)

func (w *inPage) call(ctx context.Context, t Tool, input json.RawMessage) (*invocation, error) {
	r := w.realms.in(t.Frame.ID)
	if r == nil {
		return nil, w.unknown(ctx, t.Name)
	}
	kit, err := r.kit(ctx, w.script)
	if err != nil {
		return nil, w.ended(r, t, err)
	}
	handle, err := w.start(ctx, r, kit, t.Name, string(input))
	if err != nil {
		return nil, w.ended(r, t, err)
	}
	if handle.ObjectID == "" {
		return nil, w.unknown(ctx, t.Name)
	}
	inv := newInvocation(t)
	inv.abort = func(ctx context.Context) error {
		_, err := r.call(ctx, handle.ObjectID, startedAbort, true)
		return err
	}
	w.count(1)
	w.docs.children.Go(func() {
		output, err := w.outcome(r, t, handle.ObjectID)
		w.count(-1)
		inv.settle(output, err)
		r.release(handle.ObjectID)
	})
	return inv, nil
}

// start has the script start a call. A caller who gives up before it has is not
// kept waiting, and the call is aborted as soon as there is something to abort.
func (w *inPage) start(ctx context.Context, r *realm, kit runtime.RemoteObjectID, name, input string) (*runtime.RemoteObject, error) {
	type answer struct {
		handle *runtime.RemoteObject
		err    error
	}
	answers := make(chan answer, 1)
	given := make(chan struct{})
	w.docs.children.Go(func() {
		handle, err := r.call(r.ctx, kit, "start", false, name, input)
		answers <- answer{handle, err}
		select {
		case <-given:
		case <-ctx.Done():
			if err == nil && handle.ObjectID != "" {
				_, _ = r.call(r.ctx, handle.ObjectID, startedAbort, true) // nobody is left to be told
			}
		case <-r.ctx.Done(): // and the call with it
		}
	})
	select {
	case a := <-answers:
		close(given)
		return a.handle, a.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-r.ctx.Done():
		return nil, context.Cause(r.ctx)
	}
}

// outcome waits for the end of a call.
func (w *inPage) outcome(r *realm, t Tool, handle runtime.RemoteObjectID) (json.RawMessage, error) {
	got, err := r.call(r.ctx, handle, startedOutcome+".then", true)
	if err != nil {
		return nil, w.ended(r, t, err)
	}
	var outcome struct {
		Value *string `json:"value"`
		Error *struct{ Name, Message string }
	}
	if err := json.Unmarshal(got.Value, &outcome); err != nil {
		return nil, fmt.Errorf("reading the result of tool %q: %w", t.Name, err)
	}
	switch {
	case outcome.Error != nil:
		return nil, &ToolError{Tool: t.Name, Message: outcome.Error.Name + ": " + outcome.Error.Message}
	case outcome.Value == nil:
		return json.RawMessage("null"), nil
	case json.Valid([]byte(*outcome.Value)):
		return json.RawMessage(*outcome.Value), nil
	}
	text, err := json.Marshal(*outcome.Value)
	return text, err
}

// ended prefers the end of a document to what came of it.
func (w *inPage) ended(r *realm, t Tool, err error) error {
	if r.ctx.Err() == nil && !isLost(err) {
		return fmt.Errorf("calling tool %q: %w", t.Name, err)
	}
	return gone(t.Name, w.docs.movedReason(r.at))
}

// isLost reports the browser's words for a document that has gone away before
// the event that says so has arrived.
func isLost(err error) bool {
	text := err.Error()
	for _, lost := range []string{"context was destroyed", "Cannot find context", "navigated or closed", "find object with id"} {
		if strings.Contains(text, lost) {
			return true
		}
	}
	return false
}

func (w *inPage) unknown(ctx context.Context, name string) error {
	tools, err := w.list(ctx)
	if err != nil {
		return err
	}
	return unknownTool(tools, name)
}

func (w *inPage) cancel(ctx context.Context, inv *invocation) error {
	if err := inv.abort(ctx); err != nil {
		return fmt.Errorf("cancelling tool %q: %w", inv.tool.Name, err)
	}
	return nil
}

func (w *inPage) count(by int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.calls += by
}

func (w *inPage) inFlight() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.calls
}
