package toolset

import (
	"fmt"
	"slices"

	"github.com/pagewarden/pagewarden/registry"
)

type listener struct{ tell func() }

// Subscribe calls tell when the surface has changed and names, texts, schemas or states of the tools differ from the
// catalog that was handed out last; without one, when there are tools. In meta mode it never does. tell must not wait.
func (t *Toolset) Subscribe(tell func()) (stop func()) {
	l := &listener{tell}
	t.mu.Lock()
	if t.disposed || t.options.Mode == Meta {
		t.mu.Unlock()
		return func() {}
	}
	t.listeners = append(t.listeners, l)
	first := len(t.listeners) == 1
	t.mu.Unlock()
	if first {
		t.listen()
	}
	return func() { t.unlisten(l) }
}

// listen begins to hear of changes for as long as somebody listens.
func (t *Toolset) listen() {
	stop := t.registry.Subscribe(func(e registry.Event) {
		if e.Type == registry.SurfaceChanged {
			t.look()
		}
	})
	t.mu.Lock()
	needed := len(t.listeners) > 0 && t.unsubscribe == nil
	if needed {
		t.unsubscribe = stop
	}
	t.mu.Unlock()
	if !needed {
		stop()
	}
}

func (t *Toolset) unlisten(l *listener) {
	t.mu.Lock()
	t.listeners = slices.DeleteFunc(slices.Clone(t.listeners), func(other *listener) bool { return other == l })
	var stop func()
	if len(t.listeners) == 0 {
		stop, t.unsubscribe = t.unsubscribe, nil
	}
	t.mu.Unlock()
	if stop != nil {
		stop()
	}
}

// look tells the listeners when there is something to tell.
func (t *Toolset) look() {
	b, err := t.take()
	if err != nil {
		return
	}
	if err = b.update(); err != nil {
		t.putBack(b)
		return
	}
	t.mu.Lock()
	differs := b.differs(t.handed, t.handedBy)
	listeners := t.listeners
	t.mu.Unlock()
	t.putBack(b)
	if !differs {
		return
	}
	for _, l := range listeners {
		if t.hears(l) {
			t.tell(l)
		}
	}
}

// hears reports whether a listener has not been stopped in the meantime.
func (t *Toolset) hears(l *listener) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.Contains(t.listeners, l)
}

// tell keeps a listener's panic from those who are told after it.
func (t *Toolset) tell(l *listener) {
	defer func() {
		if cause := recover(); cause != nil {
			t.log(fmt.Sprintf("a listener failed: %v", cause))
		}
	}()
	l.tell()
}
