package host

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Scope is a context that its owner can cancel, and whose cancellation reaches hooks in the same turn:
// context.AfterFunc starts a goroutine, which in a page would not run before the page's call returned.
// It is safe for concurrent use. The zero Scope is one without a parent; it must not be copied once used.
type Scope struct {
	// Set once, before the scope is used.
	parent   context.Context // nil means context.Background()
	detached bool            // the parent's end is not the scope's

	mu        sync.Mutex
	cancelled bool
	over      bool   // cancelled or released
	cause     error  // of the end
	unwatch   func() // ends the watch on the parent
	hooks     []Hook // not run yet, in order of registration
	room      [2]Hook

	// inner is what the standard library makes of the scope, nil until somebody asks for a channel, an error or a
	// value: most calls in a page never do.
	inner  context.Context
	cancel context.CancelCauseFunc
}

// Hook is what a Scope tells of its cancellation.
type Hook interface {
	// ScopeCancelled must not Park.
	ScopeCancelled()
}

// NewScope makes a scope that is cancelled when parent is or when Cancel is called. The hooks run in the
// flow that cancels the parent where that is a Scope or carries values over one, and otherwise in a
// goroutine of their own. The owner must call Cancel or Release in the end.
func NewScope(parent context.Context) *Scope {
	s := &Scope{parent: parent}
	if parent.Done() == nil {
		return s
	}
	unwatch := Watch(parent, func() { s.Cancel(context.Cause(parent)) })
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unwatch = unwatch
	return s
}

// Detach gives a zero Scope the values of ctx, but not its cancellation.
func (s *Scope) Detach(ctx context.Context) { s.parent, s.detached = ctx, true }

// context is the scope as the standard library has it.
func (s *Scope) context() context.Context {
	s.mu.Lock()
	if s.inner == nil {
		parent := s.parent
		switch {
		case parent == nil:
			parent = context.Background()
		case s.detached:
			parent = context.WithoutCancel(parent)
		}
		s.inner, s.cancel = context.WithCancelCause(parent)
	}
	inner, cancel, over, cause := s.inner, s.cancel, s.over, s.cause
	s.mu.Unlock()
	if over {
		cancel(cause)
	}
	return inner
}

// Deadline is the parent's.
func (s *Scope) Deadline() (deadline time.Time, ok bool) { return s.context().Deadline() }

// Done is closed when the scope has been cancelled or released.
func (s *Scope) Done() <-chan struct{} { return s.context().Done() }

// Err is nil before that and context.Canceled after.
func (s *Scope) Err() error { return s.context().Err() }

// OnCancel runs f once, in the flow that cancels, when the scope is cancelled; at once if it already is.
// f must not Park. After stop, f is not called any more.
func (s *Scope) OnCancel(f func()) (stop func()) {
	hook := &funcHook{f}
	s.Add(hook)
	return func() { s.Remove(hook) }
}

type funcHook struct{ run func() }

func (h *funcHook) ScopeCancelled() { h.run() }

// Add tells hook once, in the flow that cancels, when the scope is cancelled; at once if it already is. The hook
// is told from one place by its identity: a pointer that is added once.
func (s *Scope) Add(hook Hook) {
	s.mu.Lock()
	if s.cancelled {
		s.mu.Unlock()
		hook.ScopeCancelled()
		return
	}
	if s.hooks == nil {
		s.hooks = s.room[:0]
	}
	s.hooks = append(s.hooks, hook)
	s.mu.Unlock()
}

// Remove sees to it that hook is not told any more.
func (s *Scope) Remove(hook Hook) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if at := slices.Index(s.hooks, hook); at >= 0 {
		s.hooks = slices.Delete(s.hooks, at, at+1)
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
	cancel := s.end(cause)
	s.mu.Unlock()
	cancel()
	for hook := s.nextHook(); hook != nil; hook = s.nextHook() {
		hook.ScopeCancelled()
	}
	s.endWatch()
}

// end notes why the context ends, the first time, and gives what ends it for the standard library. s.mu is held.
func (s *Scope) end(cause error) (cancel func()) {
	if !s.over {
		s.over, s.cause = true, cause
	}
	if s.cancel == nil {
		return func() {}
	}
	inner, first := s.cancel, s.cause
	return func() { inner(first) }
}

// nextHook takes the hooks one at a time, because one may stop another.
func (s *Scope) nextHook() Hook {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.hooks) == 0 {
		return nil
	}
	next := s.hooks[0]
	s.hooks = slices.Delete(s.hooks, 0, 1)
	return next
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
	cancel := s.end(context.Canceled)
	s.mu.Unlock()
	s.endWatch()
	cancel()
}

type scopeKey struct{}

// Value finds the scope itself too, so that Watch sees it through contexts that only add values.
func (s *Scope) Value(key any) any {
	if key == (scopeKey{}) {
		return s
	}
	return s.context().Value(key)
}

// Watch runs f when ctx is cancelled: in the cancelling flow when ctx is a Scope or carries values over one,
// in a goroutine of its own otherwise; at once if it already is. f must not Park.
func Watch(ctx context.Context, f func()) (stop func()) {
	if scope, ok := ctx.(*Scope); ok {
		return scope.OnCancel(f)
	}
	if scope, ok := ctx.Value(scopeKey{}).(*Scope); ok && scope.Done() == ctx.Done() {
		return scope.OnCancel(f)
	}
	if Endless(ctx) {
		return func() {}
	}
	if ctx.Err() != nil {
		f()
		return func() {}
	}
	stopped := context.AfterFunc(ctx, f)
	return func() { stopped() }
}

// Endless reports whether ctx can never be cancelled, so that nothing needs to watch it.
func Endless(ctx context.Context) bool {
	_, scoped := ctx.(*Scope)
	return !scoped && ctx.Done() == nil
}
