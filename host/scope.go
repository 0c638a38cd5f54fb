package host

import (
	"context"
	"slices"
	"sync"
)

// Scope is a context that its owner can cancel, and whose cancellation reaches hooks in the same turn:
// context.AfterFunc starts a goroutine, which in a page would not run before the page's call returned.
// It is safe for concurrent use.
type Scope struct {
	context.Context
	cancel  context.CancelCauseFunc
	unwatch func() // ends the watch on the parent

	mu        sync.Mutex
	cancelled bool
	next      int
	hooks     []scopeHook // not run yet, in order of registration
}

type scopeHook struct {
	id  int
	run func()
}

// NewScope makes a scope that is cancelled when parent is or when Cancel is called. The hooks run in the
// flow that cancels the parent where that is a Scope or carries values over one, and otherwise in a
// goroutine of their own. The owner must call Cancel or Release in the end.
func NewScope(parent context.Context) *Scope {
	s := &Scope{}
	s.Context, s.cancel = context.WithCancelCause(parent)
	if parent.Done() == nil {
		return s
	}
	unwatch := Watch(parent, func() { s.Cancel(context.Cause(parent)) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unwatch = unwatch
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
	s.hooks = slices.DeleteFunc(s.hooks, func(hook scopeHook) bool { return hook.id == id })
}

// Cancel cancels the scope with a cause and runs its hooks. Only the first call does anything.
func (s *Scope) Cancel(cause error) {
	s.mu.Lock()
	if s.cancelled {
		s.mu.Unlock()
		return
	}
	s.cancelled = true
	s.mu.Unlock()
	s.cancel(cause)
	for hook := s.nextHook(); hook != nil; hook = s.nextHook() {
		hook()
	}
	s.endWatch()
}

// nextHook takes the hooks one at a time, because one may stop another.
func (s *Scope) nextHook() func() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.hooks) == 0 {
		return nil
	}
	run := s.hooks[0].run
	s.hooks = slices.Delete(s.hooks, 0, 1)
	return run
}

func (s *Scope) endWatch() {
	s.mu.Lock()
	unwatch := s.unwatch
	s.unwatch = nil
	s.mu.Unlock()
	if unwatch != nil {
		unwatch()
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
	s.endWatch()
	s.cancel(context.Canceled)
}

type scopeKey struct{}

// Value finds the scope itself too, so that Watch sees it through contexts that only add values.
func (s *Scope) Value(key any) any {
	if key == (scopeKey{}) {
		return s
	}
	return s.Context.Value(key)
}

// Watch runs f when ctx is cancelled: in the cancelling flow when ctx is a Scope or carries values over one,
// in a goroutine of its own otherwise; at once if it already is. f must not Park.
func Watch(ctx context.Context, f func()) (stop func()) {
	if scope, ok := ctx.Value(scopeKey{}).(*Scope); ok && scope.Done() == ctx.Done() {
		return scope.OnCancel(f)
	}
	if ctx.Done() == nil {
		return func() {}
	}
	if ctx.Err() != nil {
		f()
		return func() {}
	}
	stopped := context.AfterFunc(ctx, f)
	return func() { stopped() }
}
