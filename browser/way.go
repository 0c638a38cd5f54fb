package browser

import (
	"context"
	"encoding/json"
	"sync"
)

// way is one way of reaching a page's tools from outside. Which one a page
// gets depends on what it has, see Page.choose. Implementations are safe for
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
}

// invocation is a call in flight.
type invocation struct {
	id   string
	tool Tool
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
