package host

import (
	"context"
	"sync"
)

// Scope is a context that its owner can cancel, and whose cancellation reaches hooks in the same turn:
// context.AfterFunc starts a goroutine, which in a page would not run before the page's call returned.
// It is safe for concurrent use.
type Scope struct {
	context.Context
	cancel context.CancelCauseFunc

	mu        sync.Mutex
	cancelled bool
	next      int
	hooks     []scopeHook // in order of registration
}

type scopeHook struct {
	id  int
	run func()
}

// NewScope makes a scope that is cancelled when parent is or when Cancel is called. The owner must call
// Cancel or Release in the end.
func NewScope(parent context.Context) *Scope {
	s := &Scope{}
	s.Context, s.cancel = context.WithCancelCause(parent)
	return s
}

// OnCancel runs f once, in the flow that cancels, when the scope is cancelled; at once if it already is.
// f must not Park. After stop, f is not called any more.
func (s *Scope) OnCancel(f func()) (stop func()) {
	s.mu.Lock()
	if s.cancelled {
		s.mu.Unlock()
		f()
		return func() {}
	}
	s.next++
	id := s.next
	s.hooks = append(s.hooks, scopeHook{id, f})
	s.mu.Unlock()
	return func() { s.remove(id) }
}

func (s *Scope) remove(id int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, hook := range s.hooks {
		if hook.id == id {
			s.hooks = append(s.hooks[:i], s.hooks[i+1:]...)
			return
		}
	}
}

// Cancel cancels the scope with a cause and runs its hooks. Only the first call does anything.
func (s *Scope) Cancel(cause error) {
	s.mu.Lock()
	if s.cancelled {
		s.mu.Unlock()
		return
	}
	s.cancelled = true
	hooks := s.hooks
	s.hooks = nil
	s.mu.Unlock()
	s.cancel(cause)
	for _, hook := range hooks {
		hook.run()
	}
}

// Cancelled reports whether Cancel has been called.
func (s *Scope) Cancelled() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.cancelled
}

// Release frees the scope's resources without running hooks: the work that it covered has ended.
func (s *Scope) Release() {
	s.mu.Lock()
	s.hooks = nil
	s.mu.Unlock()
	s.cancel(context.Canceled)
}

// Watch runs f when ctx is cancelled: in the cancelling flow when ctx is a Scope, in a goroutine of its
// own otherwise. f must not Park.
func Watch(ctx context.Context, f func()) (stop func()) {
	if scope, ok := ctx.(*Scope); ok {
		return scope.OnCancel(f)
	}
	if ctx.Done() == nil {
		return func() {}
	}
	stopped := context.AfterFunc(ctx, f)
	return func() { stopped() }
}
