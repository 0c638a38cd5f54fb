package mcpbridge

import (
	"time"

	"github.com/pagewarden/pagewarden/browser"
)

const (
	// quiet is how long the tools of a page that has just loaded must stay the
	// same to count as all.
	quiet = 300 * time.Millisecond
	// maxKnown bounds what the bridge remembers of a page that makes up names.
	maxKnown = 10000
)

// errOpening is why there are no tools before the page was open.
const errOpening browser.Error = "it is being opened"

// opened notes the page that there is now. What was published stands until it
// has had time to offer its tools.
func (b *Bridge) opened(page Page) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.page, b.why, b.entries = page, nil, nil
	b.unsettle()
	b.notify()
}

// lost notes that there is no page. One that was there is opened again at once,
// so what was published stands until that has failed.
func (b *Bridge) lost() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.page, b.why, b.entries = nil, errOpening, nil
	b.settled = false
	b.stopTimer()
	b.notify()
}

// failed notes that the page could not be opened.
func (b *Bridge) failed(why error) {
	b.mu.Lock()
	b.page, b.why, b.entries = nil, why, nil
	b.stopTimer()
	round := b.round
	b.mu.Unlock()
	b.settle(round)
}

// show takes what Follow shows.
func (b *Bridge) show(tools []browser.Tool, why error) {
	now := entries(tools)
	b.mu.Lock()
	b.entries, b.why = now, why
	b.remember(now)
	switch {
	case b.settled && len(now) > 0:
		b.notify()
		b.mu.Unlock()
		b.publish()
		return
	case b.settled:
		b.unsettle() // It has navigated, or has no tools any more.
	case len(now) > 0:
		b.settleAfter(min(quiet, time.Until(b.deadline)))
	default:
		b.settleAfter(time.Until(b.deadline))
	}
	b.notify()
	b.mu.Unlock()
}

// remember keeps the names, to tell a tool that has gone from one that never
// was, and logs what there is to say of the tools. The lock is held.
func (b *Bridge) remember(now map[string]entry) {
	if len(b.known)+len(now) > maxKnown {
		clear(b.known)
		clear(b.remarked)
	}
	for name, e := range now {
		b.known[name] = true
		for _, remark := range e.remarks {
			if key := name + " " + remark; !b.remarked[key] {
				b.remarked[key] = true
				b.o.Log.Info("a tool of the page "+remark, "tool", e.tool.Name, "frame", shown(e.tool.Frame.URL))
			}
		}
	}
}

// unsettle gives the page its time. The lock is held.
func (b *Bridge) unsettle() {
	b.settled = false
	b.deadline = time.Now().Add(b.o.Grace)
	b.settleAfter(b.o.Grace)
}

// settleAfter puts off the end of that. The lock is held.
func (b *Bridge) settleAfter(d time.Duration) {
	b.stopTimer()
	round := b.round
	b.timer = time.AfterFunc(max(0, d), func() { b.settle(round) })
}

// stopTimer puts off the end of that for good, also when it is just coming. The
// lock is held.
func (b *Bridge) stopTimer() {
	b.round++
	if b.timer != nil {
		b.timer.Stop()
	}
}

// settle makes the tools of now those that clients see, unless the page has got
// other time since the round began.
func (b *Bridge) settle(round int) {
	b.mu.Lock()
	late := round != b.round
	b.mu.Unlock()
	if late {
		return
	}
	b.publish()
	b.mu.Lock()
	defer b.mu.Unlock()
	if round == b.round {
		b.settled = true
		b.notify()
	}
}

// notify wakes those who wait for a change. The lock is held.
func (b *Bridge) notify() {
	close(b.changed)
	b.changed = make(chan struct{})
}
