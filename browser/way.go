package browser

import (
	"context"
	"encoding/json"
	"sync"
)

// Way names a way of reaching a page's tools.
type Way string

// The ways, in the order in which they are preferred. Which one a page gets
// depends on what it has: see Page.choose.
const (
	// ByDevTools is the domain WebMCP of the DevTools protocol: Chromium from
	// 152 on, for tools that the browser itself keeps.
	ByDevTools Way = "devtools"
	// ByExecuteToolObject is modelContext.executeTool(tool, object): Chromium
	// 156.
	ByExecuteToolObject Way = "executeTool(object)"
	// ByExecuteToolString is modelContext.executeTool(tool, JSON text):
	// Chromium 152 and 153, and polyfills.
	ByExecuteToolString Way = "executeTool(string)"
	// ByTesting is navigator.modelContextTesting: Chromium 147 to 149, and
	// polyfills.
	ByTesting Way = "modelContextTesting"
)

// way is one way of reaching a page's tools. Implementations are safe for
// concurrent use.
type way interface {
	// list returns the page's tools, in any order.
	list(ctx context.Context) ([]Tool, error)
	// call starts a tool and returns once the browser has taken the call. The
	// invocation settles later, or has already settled.
	call(ctx context.Context, t Tool, input json.RawMessage) (*invocation, error)
	// cancel tells the browser that nobody waits for the call any more.
	cancel(ctx context.Context, inv *invocation) error
	// changed returns a channel that is closed at the next change of the list.
	// Take it before list, so that no change falls between the two.
	changed() <-chan struct{}
	// inFlight is the number of calls that the browser has taken and that have
	// not settled.
	inFlight() int
}

// invocation is a call in flight.
type invocation struct {
	id   string
	tool Tool
	// abort tells the page that nobody waits; nil where the browser is told.
	abort func(context.Context) error
	// done is closed by settle, after output and err are set.
	done   chan struct{}
	once   sync.Once
	output json.RawMessage
	err    error
}

func newInvocation(t Tool) *invocation {
	return &invocation{tool: t, done: make(chan struct{})}
}

// settle ends the invocation; only the first call counts.
func (i *invocation) settle(output json.RawMessage, err error) {
	i.once.Do(func() {
		i.output, i.err = output, err
		close(i.done)
	})
}

// broadcast wakes everybody who waits for a change.
type broadcast struct {
	mu sync.Mutex
	ch chan struct{}
}

// wait returns a channel that the next fire closes.
func (b *broadcast) wait() <-chan struct{} {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch == nil {
		b.ch = make(chan struct{})
	}
	return b.ch
}

func (b *broadcast) fire() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ch != nil {
		close(b.ch)
		b.ch = nil
	}
}

// join returns a context with the values of base that ends with either.
func join(base, ctx context.Context) (context.Context, context.CancelFunc) {
	joined, cancel := context.WithCancelCause(base)
	stop := context.AfterFunc(ctx, func() { cancel(context.Cause(ctx)) })
	return joined, func() {
		stop()
		cancel(context.Canceled)
	}
}
