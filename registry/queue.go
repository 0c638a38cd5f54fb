package registry

import (
	"slices"
	"time"

	"github.com/pagewarden/pagewarden/capability"
)

// queueRule says which group a capability's calls queue in.
type queueRule struct {
	mode  ConcurrencyMode
	key   string
	max   int
	depth int
}

// slot is what a call holds while it runs, or waits for.
type slot interface {
	// leave takes the call out, waiting or running, and lets in whoever may run now.
	leave(s *state, c *call)
}

// group is of calls that wait for each other. It exists while one of them runs.
type group struct {
	running int
	waiting []*call
	home    **group // where it is found, nil in mode key
	key     string  // by which it is found in mode key
}

// home is where the group of a capability's calls is found; nil in mode key, whose groups have names.
func (e *entry) home() **group {
	switch {
	case e.queue.mode == PerKey:
		return nil
	case e.queue.mode != PerInstance:
		return &e.group
	case e.id.Plane == capability.Domain:
		return &e.reg.domainGroup
	}
	return &e.reg.viewGroup
}

// group finds the group of a capability's calls, or makes it.
func (s *state) group(e *entry) *group {
	home, key := e.home(), e.queue.key
	if home == nil && s.keyed[key] == nil {
		s.keyed[key] = &group{key: key}
	}
	if home == nil {
		return s.keyed[key]
	}
	if *home == nil {
		g := s.spare
		if s.spare = nil; g == nil {
			g = &group{}
		}
		g.home, *home = home, g
	}
	return *home
}

// end takes away a group of which no call is left. The next one may have its memory.
func (s *state) end(g *group) {
	if g.home == nil {
		delete(s.keyed, g.key)
		return
	}
	*g.home = nil
	g.home, s.spare = nil, g
}

// retrySoon is when a full queue is worth another try.
const retrySoon = time.Second

// admit gives the call a slot, a place in the queue, or RATE_LIMITED. It reports whether the call has the slot.
func (r *Registry) admit(c *call) (admitted bool, err *capability.Error) {
	r.change(func(s *state) {
		if c.stage == settled {
			return
		}
		c.stage = queued
		if c.entry.kind == capability.Observation {
			err = s.readers.admit(c, r.limits)
		} else {
			err = s.admitToGroup(c)
		}
		admitted = c.admitted
	})
	return admitted, err
}

func (s *state) admitToGroup(c *call) *capability.Error {
	g, rule := s.group(c.entry), c.entry.queue
	if g.running < rule.max {
		g.running++
		c.admitted = true
	} else if len(g.waiting) >= rule.depth {
		return capability.RateLimited("queue-full", retrySoon)
	} else {
		g.waiting = append(g.waiting, c)
	}
	c.slot = g
	return nil
}

func (g *group) leave(s *state, c *call) {
	if !c.admitted {
		g.waiting = slices.DeleteFunc(g.waiting, func(other *call) bool { return other == c })
		return
	}
	g.running--
	if len(g.waiting) > 0 {
		next := g.waiting[0]
		g.waiting = slices.Delete(g.waiting, 0, 1)
		g.running++
		next.letIn()
	}
	if g.running == 0 {
		s.end(g)
	}
}

func (c *call) letIn() {
	c.admitted = true
	c.waiter.Wake()
}

// readerPool bounds the observations that run at once.
type readerPool struct {
	running int
	// recent is the share of the consumer that was the last to call, in use or not. The others are in byConsumer
	// while they are in use.
	recent     *readerShare
	byConsumer map[string]*readerShare
	waiting    []*call // oldest first
}

// readerShare is what one consumer has of the pool.
type readerShare struct {
	key              string
	running, waiting int
}

func (h *readerShare) inUse() bool { return h.running > 0 || h.waiting > 0 }

func (p *readerPool) share(key string) *readerShare {
	if p.recent != nil && p.recent.key == key {
		return p.recent
	}
	if p.byConsumer == nil {
		p.byConsumer = map[string]*readerShare{}
	}
	if p.recent != nil && p.recent.inUse() {
		p.byConsumer[p.recent.key] = p.recent
	}
	p.recent = p.byConsumer[key]
	if p.recent == nil {
		p.recent = &readerShare{key: key}
	}
	delete(p.byConsumer, key)
	return p.recent
}

func (p *readerPool) admit(c *call, limits capability.Limits) *capability.Error {
	share := p.share(c.consumerKey)
	switch {
	case p.mayRun(share, limits):
		p.start(c, share)
	case share.waiting >= limits.MaxQueuedObservationsPerConsumer, !p.everRuns(limits):
		return capability.RateLimited("queue-full", retrySoon)
	default:
		share.waiting++
		p.waiting = append(p.waiting, c)
	}
	c.slot = share
	return nil
}

func (p *readerPool) mayRun(share *readerShare, limits capability.Limits) bool {
	return p.running < limits.MaxConcurrentObservationsTotal && share.running < limits.MaxConcurrentObservationsPerConsumer
}

// everRuns reports whether there is a slot to wait for.
func (p *readerPool) everRuns(limits capability.Limits) bool {
	return limits.MaxConcurrentObservationsTotal > 0 && limits.MaxConcurrentObservationsPerConsumer > 0
}

func (p *readerPool) start(c *call, share *readerShare) {
	p.running++
	share.running++
	c.admitted = true
}

// leave lets in the oldest waiters whose consumers are under their own cap.
func (h *readerShare) leave(s *state, c *call) {
	p := &s.readers
	if c.admitted {
		p.running--
		h.running--
	} else {
		h.waiting--
		p.waiting = slices.DeleteFunc(p.waiting, func(other *call) bool { return other == c })
	}
	if !h.inUse() && h != p.recent {
		delete(p.byConsumer, h.key)
	}
	for i := 0; i < len(p.waiting); {
		next := p.waiting[i]
		share := next.slot.(*readerShare)
		if !p.mayRun(share, c.registry.limits) {
			i++
			continue
		}
		p.waiting = slices.Delete(p.waiting, i, i+1)
		share.waiting--
		p.start(next, share)
		next.waiter.Wake()
	}
}
