package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// realms are the places in which scripts of a page's documents run, one for
// each document.
type realms struct {
	change broadcast

	mu sync.Mutex
	by map[frameKey]*realm
}

// realm is where the scripts of one document run.
type realm struct {
	at frameKey
	// id is the browser's name for it, which no other realm ever has.
	id string
	// ctx ends with the document.
	ctx context.Context
	end context.CancelFunc

	mu sync.Mutex
	// kits are the objects that scripts of this package have made here, by
	// script.
	kits map[string]runtime.RemoteObjectID
}

func newRealms() *realms { return &realms{by: map[frameKey]*realm{}} }

// all returns the realms of now, in no order.
func (r *realms) all() []*realm {
	r.mu.Lock()
	defer r.mu.Unlock()
	list := make([]*realm, 0, len(r.by))
	for _, one := range r.by {
		list = append(list, one)
	}
	return list
}

// in returns the realm of a frame, nil when it has none now.
func (r *realms) in(frame string) *realm {
	r.mu.Lock()
	defer r.mu.Unlock()
	for key, one := range r.by {
		if string(key.frame) == frame {
			return one
		}
	}
	return nil
}

// created notes a new realm, if it is that of a document: extensions and the
// browser's own scripts have others.
func (r *realms) created(s *session, c *runtime.ExecutionContextDescription) {
	var about struct {
		FrameID   cdp.FrameID `json:"frameId"`
		IsDefault bool        `json:"isDefault"`
	}
	if json.Unmarshal(c.AuxData, &about) != nil || !about.IsDefault {
		return
	}
	ctx, end := context.WithCancel(s.ctx)
	one := &realm{at: frameKey{s, about.FrameID}, id: c.UniqueID, ctx: ctx, end: end, kits: map[string]runtime.RemoteObjectID{}}
	r.drop(func(old *realm) bool { return old.at == one.at })
	r.mu.Lock()
	r.by[one.at] = one
	r.mu.Unlock()
	r.change.fire()
}

// destroyed forgets the realm of that id.
func (r *realms) destroyed(id string) { r.drop(func(one *realm) bool { return one.id == id }) }

// cleared forgets all that a session brought.
func (r *realms) cleared(s *session) { r.drop(func(one *realm) bool { return one.at.session == s }) }

func (r *realms) drop(match func(*realm) bool) {
	r.mu.Lock()
	dropped := false
	for key, one := range r.by {
		if match(one) {
			one.end()
			delete(r.by, key)
			dropped = true
		}
	}
	r.mu.Unlock()
	if dropped {
		r.change.fire()
	}
}

// kit returns the object that the script makes in the realm. It is made once,
// or by each of several callers at once; the last one stays.
func (r *realm) kit(ctx context.Context, script string) (runtime.RemoteObjectID, error) {
	r.mu.Lock()
	id, ok := r.kits[script]
	r.mu.Unlock()
	if ok {
		return id, nil
	}
	joined, stop := join(r.ctx, ctx)
	defer stop()
	made, err := chromedp.Call(joined, runtime.Evaluate, runtime.EvaluateParams{Expression: script, UniqueContextID: r.id})
	if err := fault(made.ExceptionDetails, err); err != nil {
		return "", err
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.kits[script] = made.Result.ObjectID
	return made.Result.ObjectID, nil
}

// eval runs an expression in the realm, waits for its promise, and returns the
// value as JSON.
func (r *realm) eval(ctx context.Context, expression string) (json.RawMessage, error) {
	joined, stop := join(r.ctx, ctx)
	defer stop()
	got, err := chromedp.Call(joined, runtime.Evaluate, runtime.EvaluateParams{
		Expression: expression, UniqueContextID: r.id, AwaitPromise: pointer(true), ReturnByValue: pointer(true),
	})
	if err := fault(got.ExceptionDetails, err); err != nil {
		return nil, err
	}
	return json.RawMessage(got.Result.Value), nil
}

// call calls a method of a remote object and waits for its promise. It returns
// the value as JSON, or a remote object if that is asked for.
func (r *realm) call(ctx context.Context, object runtime.RemoteObjectID, method string, byValue bool, args ...any) (*runtime.RemoteObject, error) {
	joined, stop := join(r.ctx, ctx)
	defer stop()
	params := runtime.CallFunctionOnParams{
		FunctionDeclaration: "function (...args) { return this." + method + "(...args); }",
		ObjectID:            object,
		AwaitPromise:        pointer(true),
		ReturnByValue:       pointer(byValue),
	}
	for _, arg := range args {
		text, err := json.Marshal(arg)
		if err != nil {
			return nil, fmt.Errorf("writing an argument: %w", err)
		}
		params.Arguments = append(params.Arguments, &runtime.CallArgument{Value: jsonv2.Value(text)})
	}
	got, err := chromedp.Call(joined, runtime.CallFunctionOn, params)
	if err := fault(got.ExceptionDetails, err); err != nil {
		return nil, err
	}
	return got.Result, nil
}

// release lets the page forget a remote object. The end of the realm does it
// too, so an error matters to nobody.
func (r *realm) release(object runtime.RemoteObjectID) {
	_, _ = chromedp.Call(r.ctx, runtime.ReleaseObject, runtime.ReleaseObjectParams{ObjectID: object})
}

// fault is the error of a command, or of the script that it ran.
func fault(thrown *runtime.ExceptionDetails, err error) error {
	switch {
	case err != nil:
		return err
	case thrown == nil:
		return nil
	case thrown.Exception != nil && thrown.Exception.Description != "":
		return fmt.Errorf("the page threw %s", thrown.Exception.Description)
	}
	return fmt.Errorf("the page threw: %s", thrown.Text)
}

func pointer[T any](value T) *T { return &value }
