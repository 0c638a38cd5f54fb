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

// groupKey names a group of calls that wait for each other.
type groupKey struct {
	mode  ConcurrencyMode
	owner *entry        // modes capability and parallel
	reg   *registration // mode instance
	key   string        // mode key
	plane capability.Plane
}

func (e *entry) groupKey() groupKey {
	switch e.queue.mode {
	case PerKey:
		return groupKey{mode: PerKey, key: e.queue.key}
	case PerInstance:
		return groupKey{mode: PerInstance, reg: e.reg, plane: e.id.Plane}
	}
	return groupKey{mode: e.queue.mode, owner: e}
}

// group exists while a call of it runs.
type group struct {
	running int
	waiting []*call
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
	key, rule := c.entry.groupKey(), c.entry.queue
	g := s.groups[key]
	if g == nil {
		g = &group{}
		s.groups[key] = g
	}
	if g.running < rule.max {
		g.running++
		c.admitted = true
	} else if len(g.waiting) >= rule.depth {
		return capability.RateLimited("queue-full", retrySoon)
	} else {
		g.waiting = append(g.waiting, c)
	}
	c.release = func(s *state) { s.leaveGroup(key, g, c) }
	return nil
}

// leaveGroup takes a call out, waiting or running, and lets the next one run.
func (s *state) leaveGroup(key groupKey, g *group, c *call) {
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
		delete(s.groups, key)
	}
}

func (c *call) letIn() {
	c.admitted = true
	c.waiter.Wake()
}

// readerPool bounds the observations that run at once.
type readerPool struct {
	running    int
	byConsumer map[string]*readerShare
	waiting    []*call // oldest first
}

type readerShare struct{ running, waiting int }

func (p *readerPool) admit(c *call, limits capability.Limits) *capability.Error {
	if p.byConsumer == nil {
		p.byConsumer = map[string]*readerShare{}
	}
	key := c.consumerKey
	share := p.byConsumer[key]
	if share == nil {
		share = &readerShare{}
		p.byConsumer[key] = share
	}
	switch {
	case p.mayRun(share, limits):
		p.start(c, share)
	case share.waiting >= limits.MaxQueuedObservationsPerConsumer, !p.everRuns(limits):
		p.tidy(key, share)
		return capability.RateLimited("queue-full", retrySoon)
	default:
		share.waiting++
		p.waiting = append(p.waiting, c)
	}
	c.release = func(*state) { p.leave(c, key, share, limits) }
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

// leave takes a call out and lets in the oldest waiters whose consumers are under their own cap.
func (p *readerPool) leave(c *call, key string, share *readerShare, limits capability.Limits) {
	if c.admitted {
		p.running--
		share.running--
	} else {
		share.waiting--
		p.waiting = slices.DeleteFunc(p.waiting, func(other *call) bool { return other == c })
	}
	p.tidy(key, share)
	for i := 0; i < len(p.waiting); {
		next := p.waiting[i]
		nextShare := p.byConsumer[next.consumerKey]
		if !p.mayRun(nextShare, limits) {
			i++
			continue
		}
		p.waiting = slices.Delete(p.waiting, i, i+1)
		nextShare.waiting--
		p.start(next, nextShare)
		next.waiter.Wake()
	}
}

func (p *readerPool) tidy(key string, share *readerShare) {
	if share.running == 0 && share.waiting == 0 {
		delete(p.byConsumer, key)
	}
}
