package webmcp

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
)

// slot is one tool that the browser was given.
type slot struct {
	offered
	number  uint64  // in order of registration
	run     *run    // that answers its calls
	offer   offer   // of its tool
	surface surface // that it was offered to
	settled bool    // the browser has answered

	calls int  // in flight, or settled less than one task ago
	late  bool // a change of this tool waits for its calls
}

// offer is a tool and whom to tell what became of it.
type offer struct {
	Tool
	settled func(error)
}

// change is what one reconcile does to the browser's tools.
type change struct {
	removed []Tool
	// doubtful are tools to remove that the browser may not have: it had not answered yet.
	doubtful []Tool
	added    []offer
	// all are the tools after it, in order.
	all []offer
}

func (c change) empty() bool { return len(c.removed)+len(c.doubtful)+len(c.added) == 0 }

// surface is a model context with what is needed to bring changes to it.
type surface interface {
	style() Style
	apply(change)
}

// reconcile makes the browser's tools what they should be. A change that comes in the meantime is
// followed by another pass, by whoever is in the first one.
func (a *Adapter) reconcile() {
	a.mu.Lock()
	if a.reconciling {
		a.again = true
		a.mu.Unlock()
		return
	}
	a.reconciling = true
	a.mu.Unlock()
	finished := false
	defer func() {
		if !finished { // a panic passes through; the next reconcile must not be locked out
			a.finishedReconcile()
		}
	}()
	for !finished {
		a.pass()
		finished = a.finishedReconcile()
	}
}

// finishedReconcile ends the reconcile unless there is more to do.
func (a *Adapter) finishedReconcile() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reconciling = a.again
	a.again = false
	return !a.reconciling
}

func (a *Adapter) pass() {
	r, s := a.present()
	if s == nil {
		return
	}
	var names []string
	version := ""
	if r != nil {
		names, version = a.project(r)
	}
	a.mu.Lock()
	if a.run != r { // stopped or started in the meantime
		a.again = true
		a.mu.Unlock()
		return
	}
	if r != nil && version != "" {
		r.version = version
	}
	c := a.diff(names, s.style())
	a.mu.Unlock()
	if !c.empty() {
		s.apply(c)
	}
}

// present is the current run, and the surface, for which it looks while there is none.
func (a *Adapter) present() (*run, surface) {
	a.mu.Lock()
	r, s := a.run, a.surface
	a.mu.Unlock()
	if s != nil || r == nil {
		return r, s
	}
	found := a.options.Find()
	if found == nil {
		return r, nil
	}
	if found.Style() == WholeSet {
		s = sharedSet{sets: a.options.Sets, context: found, owner: a}
	} else {
		s = direct{context: found, kind: found.Style(), log: a.log}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.surface = s
	return r, s
}

// diff moves the slots of those names to what is wanted, as far as calls in flight allow, and says what the browser
// must be told. What it could not do it owes. The lock is held.
func (a *Adapter) diff(names []string, style Style) change {
	c := change{doubtful: a.stray}
	a.stray = nil
	done := map[string]bool{}
	for _, name := range append(names, a.takeOwed()...) {
		if !done[name] {
			done[name] = true
			a.settle(name, &c)
		}
	}
	if style == WholeSet && !c.empty() {
		c.all = a.all()
	}
	return c
}

// settle is diff for one name. The lock is held.
func (a *Adapter) settle(name string, c *change) {
	var wanted offered
	isWanted := false
	if a.run != nil {
		wanted, isWanted = a.run.wanted[name]
	}
	if !isWanted {
		delete(a.refused, name)
	}
	s := a.slots[name]
	if s != nil && !a.giveWay(s, isWanted && s.run == a.run && s.same(wanted), c) {
		if s.late {
			a.owed[name] = struct{}{}
		}
		return
	}
	switch {
	case !isWanted:
	case a.landing[name] > 0:
		a.owed[name] = struct{}{}
	default:
		c.added = append(c.added, a.newSlot(wanted).offer)
	}
}

// takeOwed is what earlier passes could not do: tools with calls in flight, names that the browser still has to
// answer for, refused tools, and everything of an earlier run. It is in order, and forgotten. The lock is held.
func (a *Adapter) takeOwed() []string {
	for name := range a.refused {
		a.owed[name] = struct{}{}
	}
	owed := slices.Sorted(maps.Keys(a.owed))
	a.owed = map[string]struct{}{}
	return owed
}

// owe makes the next pass look at every tool that the browser has. The lock is held.
func (a *Adapter) owe() {
	for name := range a.slots {
		a.owed[name] = struct{}{}
	}
}

// all are the tools that there should be, in the order of the catalog, and then those that wait for their calls. The
// lock is held.
func (a *Adapter) all() []offer {
	var list []offer
	listed := map[*slot]bool{}
	if a.run != nil && a.run.catalog != nil {
		for _, name := range a.run.catalog.Names() {
			if s := a.slots[name]; s != nil && !listed[s] {
				listed[s] = true
				list = append(list, s.offer)
			}
		}
	}
	for _, s := range slices.SortedFunc(maps.Values(a.slots), func(x, y *slot) int { return cmp.Compare(x.number, y.number) }) {
		if !listed[s] {
			list = append(list, s.offer)
		}
	}
	return list
}

// giveWay withdraws a slot that is not as it should be, and reports whether it is gone. One with a call in
// flight stays: a browser may drop the result of a call whose tool goes away (webmcp-drift.md, Chromium 152).
func (a *Adapter) giveWay(s *slot, asItShouldBe bool, c *change) bool {
	s.late = !asItShouldBe && s.calls > 0
	if asItShouldBe || s.late {
		return false
	}
	delete(a.slots, s.Name)
	delete(a.byToken, s.Token)
	if !s.settled && s.surface.style() == ByName {
		a.landing[s.Name]++
		c.doubtful = append(c.doubtful, s.Tool)
		return true
	}
	c.removed = append(c.removed, s.Tool)
	return true
}

func (a *Adapter) newSlot(w offered) *slot {
	a.numbers++
	s := &slot{offered: w, number: a.numbers, run: a.run, surface: a.surface}
	s.Token, s.Owner = newToken(a.run.key, s.number, w.registrationID, w.CapabilityID), a
	s.offer = offer{s.Tool, func(err error) { a.settled(s, err) }}
	a.slots[s.Name] = s
	a.byToken[s.Token] = s
	return s
}

// settled is the browser's answer to a tool, which may come when the tool is no longer ours.
func (a *Adapter) settled(s *slot, err error) {
	a.mu.Lock()
	first := !s.settled
	s.settled = true
	switch {
	case a.slots[s.Name] != s:
		landed := first && a.landed(s, err)
		a.mu.Unlock()
		if landed {
			a.reconcile()
		}
	case err == nil:
		delete(a.refused, s.Name)
		a.mu.Unlock()
	default:
		refusal := Refusal{Name: s.Name, CapabilityID: s.CapabilityID, Error: err.Error()}
		news := a.refused[s.Name] != refusal
		a.refuse(s, refusal)
		a.mu.Unlock()
		if news {
			a.log(fmt.Sprintf("the browser refused the tool %s of %s: %s", refusal.Name, refusal.CapabilityID, refusal.Error))
		}
	}
}

// refuse takes note of a refusal. The lock is held.
func (a *Adapter) refuse(s *slot, refusal Refusal) {
	delete(a.slots, s.Name)
	delete(a.byToken, s.Token)
	a.refused[s.Name] = refusal
}

// landed takes note of the answer to a tool that was withdrawn by name before it came, and reports whether
// there is something to do: the name is free for a successor, and if the browser took the tool after all,
// it must go once more. The lock is held.
func (a *Adapter) landed(s *slot, err error) bool {
	if a.landing[s.Name] == 0 {
		return false
	}
	if a.landing[s.Name]--; a.landing[s.Name] == 0 {
		delete(a.landing, s.Name)
	}
	if err == nil {
		a.stray = append(a.stray, s.Tool)
	}
	return true
}
