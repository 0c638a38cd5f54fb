package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// Tools returns the tools that the page has now, those of its iframes too: the
// main frame's first, then by frame and name. Without tools the list is empty,
// not nil.
//
// Errors: *NoWebMCPError, *GoneError, ctx's.
func (p *Page) Tools(ctx context.Context) ([]Tool, error) {
	tools, _, err := p.listing(ctx)
	if err != nil {
		return nil, err
	}
	if needsTitles(tools) {
		p.addTitles(ctx, tools)
	}
	return tools, nil
}

// listing returns the sorted tools, and a channel that is closed when they
// change.
func (p *Page) listing(ctx context.Context) ([]Tool, <-chan struct{}, error) {
	w, err := p.choose(ctx)
	if err != nil {
		return nil, nil, err
	}
	if p.ctx.Err() != nil {
		return nil, nil, p.explain(ctx, "listing tools", p.ctx.Err())
	}
	changed := w.changed()
	tools, err := w.list(ctx)
	if err != nil {
		return nil, nil, p.explain(ctx, "listing tools", err)
	}
	sortTools(tools)
	return tools, changed, nil
}

// WaitForTools waits until the page's tools satisfy enough, and returns them.
// It looks again at each change. When ctx ends first, it returns the tools of
// that moment with ctx's error.
func (p *Page) WaitForTools(ctx context.Context, enough func([]Tool) bool) ([]Tool, error) {
	for {
		tools, changed, err := p.listing(ctx)
		if err != nil {
			return nil, err
		}
		if enough(tools) {
			return tools, nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return tools, fmt.Errorf("waiting for tools: %w", context.Cause(ctx))
		case <-p.ctx.Done():
			return nil, p.explain(ctx, "waiting for tools", p.ctx.Err())
		}
	}
}

// SettledTools waits until the page has tools and their list has not changed
// for the time quiet, and returns them. A page that has no tools when ctx's
// deadline passes is no error: the list is what it is then.
func (p *Page) SettledTools(ctx context.Context, quiet time.Duration) ([]Tool, error) {
	for {
		tools, changed, err := p.listing(ctx)
		if err != nil {
			return nil, err
		}
		var settled <-chan time.Time
		if len(tools) > 0 {
			settled = time.After(quiet)
		}
		select {
		case <-changed:
		case <-settled:
			return p.Tools(ctx)
		case <-p.ctx.Done():
			return nil, p.explain(ctx, "waiting for tools", p.ctx.Err())
		case <-ctx.Done():
			if !errors.Is(ctx.Err(), context.DeadlineExceeded) {
				return nil, fmt.Errorf("waiting for tools: %w", context.Cause(ctx))
			}
			return tools, nil
		}
	}
}

// Call calls the tool of that name: the main frame's, else the only one among
// the iframes. input is a JSON object; nil means {}. It waits until the tool
// settles or ctx ends; then the tool is told to stop.
//
// Errors: *InputError, *UnknownToolError, *AmbiguousToolError, *ToolError when
// the tool throws, *TimeoutError at ctx's deadline, *CanceledError, *GoneError
// when the page navigates or closes meanwhile, *NoWebMCPError. A result that
// says isError is a result.
func (p *Page) Call(ctx context.Context, name string, input json.RawMessage) (Result, error) {
	tools, _, err := p.listing(ctx)
	if err != nil {
		return Result{}, err
	}
	tool, err := Pick(tools, name)
	if err != nil {
		return Result{}, err
	}
	return p.CallTool(ctx, tool, input)
}

// CallTool calls a tool that Tools returned, in its own frame. Otherwise it is
// Call.
func (p *Page) CallTool(ctx context.Context, tool Tool, input json.RawMessage) (Result, error) {
	object, err := CheckInput(input)
	if err != nil {
		return Result{}, err
	}
	if lost := p.gone(); lost != nil {
		return Result{}, fmt.Errorf("calling tool %q: %w", tool.Name, &GoneError{What: lost.What, Reason: lost.Reason, Before: true})
	}
	w, err := p.chooseFor(ctx, object)
	if err != nil {
		return Result{}, err
	}
	began := time.Now()
	inv, err := w.call(ctx, tool, object)
	if err != nil {
		return Result{}, p.callFault(ctx, tool, began, err)
	}
	select {
	case <-inv.done:
		return Result{Raw: inv.output}, inv.err
	case <-p.ctx.Done():
		return Result{}, p.callFault(ctx, tool, began, p.ctx.Err())
	case <-ctx.Done():
		p.giveUp(w, inv)
		return Result{}, p.callFault(ctx, tool, began, ctx.Err())
	}
}

// giveUp tells the browser that nobody waits any more. The caller does not wait
// for that, Close does.
func (p *Page) giveUp(w way, inv *invocation) {
	p.work.Go(func() {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(p.ctx), cancelTimeout)
		defer cancel()
		// A call that has just ended cannot be cancelled; nothing is lost.
		_ = w.cancel(ctx, inv)
	})
}

// callFault names the reason why a call has no result.
func (p *Page) callFault(ctx context.Context, tool Tool, began time.Time, err error) error {
	var unknown *UnknownToolError
	if errors.As(err, &unknown) {
		return err
	}
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return &TimeoutError{Tool: tool.Name, After: time.Since(began)}
	}
	return p.explain(ctx, fmt.Sprintf("calling tool %q", tool.Name), err)
}

// titlesScript reads the titles, which the DevTools protocol does not carry.
const titlesScript = `(async () => {
	const own = (await document.modelContext.getTools()).filter((tool) => tool.window === window);
	return Object.fromEntries(own.filter((tool) => tool.title).map((tool) => [tool.name, tool.title]));
})()`

// needsTitles reports tools of the main frame, none of which has a title.
func needsTitles(tools []Tool) bool {
	for _, t := range tools {
		if t.Title != "" {
			return false
		}
	}
	return len(tools) > 0 && tools[0].Frame.Main
}

// addTitles fills in titles of the main frame's tools. A title is an extra: a
// page that cannot answer loses it, and nothing else.
func (p *Page) addTitles(ctx context.Context, tools []Tool) {
	raw, err := p.Eval(ctx, titlesScript)
	if err != nil {
		return
	}
	var titles map[string]string
	if json.Unmarshal(raw, &titles) != nil {
		return
	}
	for i, t := range tools {
		if t.Frame.Main {
			tools[i].Title = titles[t.Name]
		}
	}
}
