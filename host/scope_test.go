package host_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pagewarden/pagewarden/host"
)

var errEnough = errors.New("enough")

func TestCancelRunsHooksInOrderAndOnce(t *testing.T) {
	tr := &trace{t: t}
	s := host.NewScope(context.Background())
	s.OnCancel(func() { tr.add("a:%v", context.Cause(s)) })
	stop := s.OnCancel(func() { tr.add("stopped") })
	s.OnCancel(func() { tr.add("b:%v", s.Cancelled()) })
	stop()
	stop()
	if s.Cancelled() || s.Err() != nil {
		t.Error("cancelled before Cancel")
	}
	s.Cancel(errEnough)
	tr.want("a:enough b:true")
	s.Cancel(errors.New("again"))
	s.Release()
	tr.want("")
	if !s.Cancelled() || !errors.Is(context.Cause(s), errEnough) || !errors.Is(s.Err(), context.Canceled) {
		t.Errorf("cause %v, error %v", context.Cause(s), s.Err())
	}
	stop = s.OnCancel(func() { tr.add("late") })
	tr.want("late")
	stop()
}

func TestHooksThatChangeHooks(t *testing.T) {
	tr := &trace{t: t}
	s := host.NewScope(context.Background())
	var stopLast func()
	s.OnCancel(func() {
		tr.add("first")
		stopLast()
		s.OnCancel(func() { tr.add("at once") })
		s.Cancel(errEnough)
	})
	s.OnCancel(func() { tr.add("second") })
	stopLast = s.OnCancel(func() { tr.add("last") })
	s.Cancel(errEnough)
	tr.want("first at once second")
}

func TestReleaseRunsNoHooks(t *testing.T) {
	tr := &trace{t: t}
	s := host.NewScope(context.Background())
	s.OnCancel(func() { tr.add("hook") })
	s.Release()
	s.Release()
	if s.Cancelled() || s.Err() == nil {
		t.Errorf("Cancelled %v, Err %v; want a context that ended without being cancelled", s.Cancelled(), s.Err())
	}
	s.Cancel(errEnough)
	tr.want("")
}

func TestParentScopeCancelsInTheSameFlow(t *testing.T) {
	type key struct{}
	tr := &trace{t: t}
	parent := host.NewScope(context.Background())
	child := host.NewScope(context.WithValue(parent, key{}, 1))
	grandchild := host.NewScope(child)
	released := host.NewScope(parent)
	for name, s := range map[string]*host.Scope{"grandchild": grandchild, "released": released} {
		s.OnCancel(func() { tr.add("%s:%v", name, context.Cause(s)) })
	}
	host.Watch(context.WithValue(child, key{}, 2), func() { tr.add("watch") })
	released.Release()
	parent.Cancel(errEnough)
	tr.want("grandchild:enough watch")
	if !child.Cancelled() || !grandchild.Cancelled() || grandchild.Value(key{}) != 1 {
		t.Error("the children are not cancelled")
	}
	late := host.NewScope(parent)
	late.OnCancel(func() { tr.add("late:%v", context.Cause(late)) })
	tr.want("late:enough")
}

func TestChildDoesNotCancelItsParent(t *testing.T) {
	tr := &trace{t: t}
	parent := host.NewScope(context.Background())
	parent.OnCancel(func() { tr.add("parent") })
	host.NewScope(parent).Cancel(errEnough)
	if parent.Err() != nil || parent.Cancelled() {
		t.Error("the parent is cancelled")
	}
	parent.Release()
	tr.want("")
}

func TestOrdinaryParentCancels(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		parent, cancel := context.WithCancelCause(context.Background())
		s := host.NewScope(parent)
		var cause atomic.Value
		s.OnCancel(func() { cause.Store(context.Cause(s)) })
		released := host.NewScope(parent)
		released.OnCancel(func() { t.Error("a released scope was cancelled") })
		released.Release()
		cancel(errEnough)
		synctest.Wait()
		if got, _ := cause.Load().(error); !errors.Is(got, errEnough) || !s.Cancelled() {
			t.Errorf("cause %v", got)
		}
	})
}

func TestDerivedContextsEndWithTheScope(t *testing.T) {
	s := host.NewScope(context.Background())
	derived, cancel := context.WithCancel(s)
	defer cancel()
	s.Cancel(errEnough)
	if !errors.Is(context.Cause(derived), errEnough) {
		t.Errorf("cause %v", context.Cause(derived))
	}
}

func TestWatch(t *testing.T) {
	tr := &trace{t: t}
	host.Watch(context.Background(), func() { tr.add("never") })()
	s := host.NewScope(context.Background())
	stop := host.Watch(s, func() { tr.add("stopped") })
	host.Watch(s, func() { tr.add("scope") })
	stop()
	s.Cancel(errEnough)
	tr.want("scope")
	host.Watch(s, func() { tr.add("at once") })
	tr.want("at once")
}

func TestWatchOrdinaryContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := host.NewScope(context.Background())
		defer s.Release()
		ctx, cancel := context.WithCancel(s) // ends before the scope does
		var ran, stopped atomic.Int32
		host.Watch(ctx, func() { ran.Add(1) })
		stop := host.Watch(ctx, func() { stopped.Add(1) })
		stop()
		cancel()
		synctest.Wait()
		if ran.Load() != 1 || stopped.Load() != 0 {
			t.Errorf("ran %d times, after stop %d times", ran.Load(), stopped.Load())
		}
	})
}

func TestWatchOfADoneContextRunsAtOnce(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	ran := 0
	host.Watch(ctx, func() { ran++ })()
	if scope := host.NewScope(ctx); !scope.Cancelled() || ran != 1 {
		t.Errorf("ran %d times, scope cancelled %v; want 1 and true", ran, scope.Cancelled())
	}
}

func TestScopeUnderContention(t *testing.T) {
	for range 200 {
		parent := host.NewScope(context.Background())
		var ran atomic.Int32
		var start, end sync.WaitGroup
		start.Add(1)
		worker := func(f func()) {
			end.Go(func() { start.Wait(); f() })
		}
		for range 4 {
			worker(func() { parent.OnCancel(func() { ran.Add(1) }) })
			worker(func() { parent.OnCancel(func() {})() })
			worker(func() { host.NewScope(parent).OnCancel(func() { ran.Add(1) }) })
			worker(func() { host.NewScope(parent).Release() })
			worker(func() { parent.Cancel(errEnough) })
		}
		start.Done()
		end.Wait()
		if ran.Load() != 8 {
			t.Fatalf("%d of 8 hooks ran", ran.Load())
		}
	}
}

func TestDetachedScopeHasTheValuesAndNotTheEndOfItsParent(t *testing.T) {
	type key struct{}
	tr := &trace{t: t}
	parent, cancel := context.WithTimeout(context.WithValue(context.Background(), key{}, 1), time.Hour)
	var s host.Scope
	s.Detach(parent)
	s.OnCancel(func() { tr.add("hook") })
	cancel()
	if _, has := s.Deadline(); has || s.Err() != nil || s.Value(key{}) != 1 {
		t.Errorf("deadline %v, error %v, value %v", has, s.Err(), s.Value(key{}))
	}
	tr.want("")
	s.Cancel(errEnough)
	tr.want("hook")
	if !errors.Is(context.Cause(&s), errEnough) {
		t.Errorf("cause %v", context.Cause(&s))
	}
}

// The zero scope makes its context only when it is asked for one; the end is the same before and after.
func TestEndBeforeTheContextIsAskedFor(t *testing.T) {
	for name, want := range map[string]error{"cancelled": errEnough, "released": context.Canceled} {
		var early, late host.Scope
		done := late.Done()
		for _, s := range []*host.Scope{&early, &late} {
			if name == "cancelled" {
				s.Cancel(errEnough)
			}
			s.Release()
		}
		<-done
		<-early.Done()
		for _, s := range []*host.Scope{&early, &late} {
			if !errors.Is(context.Cause(s), want) || !errors.Is(s.Err(), context.Canceled) || s.Cancelled() != (name == "cancelled") {
				t.Errorf("%s: cause %v, error %v", name, context.Cause(s), s.Err())
			}
		}
	}
}

type namedHook struct {
	tr   *trace
	name string
}

func (h *namedHook) ScopeCancelled() { h.tr.add("%s", h.name) }

func TestHooksOfTheirOwn(t *testing.T) {
	tr := &trace{t: t}
	var s host.Scope
	hooks := make([]*namedHook, 4)
	for i := range hooks {
		hooks[i] = &namedHook{tr, fmt.Sprint(i)}
		s.Add(hooks[i])
	}
	s.Remove(hooks[1])
	s.Remove(hooks[1])
	s.Cancel(errEnough)
	tr.want("0 2 3")
	s.Add(hooks[1])
	tr.want("1")
}

func TestEndless(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	for want, contexts := range map[bool][]context.Context{
		true:  {context.Background(), context.WithValue(context.Background(), errEnough, 1), context.WithoutCancel(ctx)},
		false: {ctx, host.NewScope(context.Background()), context.WithValue(host.NewScope(ctx), errEnough, 1)},
	} {
		for _, c := range contexts {
			if host.Endless(c) != want {
				t.Errorf("Endless(%v) is %v", c, !want)
			}
		}
	}
}
