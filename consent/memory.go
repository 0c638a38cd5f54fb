package consent

import (
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// memory knows what was asked of the registry for calls to which something was added, so that a retry of one, by an
// agent that lost the answer, asks the very same and gets the stored result instead of a conflict.
type memory struct {
	byID  map[string]*asked
	order []*asked // oldest first, those that were forgotten or replaced included
}

// asked is what one call came to. The inputs are left out: the registry compares them.
type asked struct {
	issued, sent registry.Request
	at           time.Time
}

// tokens is q without its input.
func tokens(q registry.Request) registry.Request {
	q.Input, q.InputIssue = "", capability.Issue{}
	return q
}

// with is q under the tokens of other.
func with(q, other registry.Request) registry.Request {
	other.Input, other.InputIssue = q.Input, q.InputIssue
	return other
}

// recall makes a retry ask what was asked before; the first time it takes note of what is asked.
func (s *Calls) recall(c *call) {
	if c.issued.InvocationID == "" {
		return // nobody can retry what has no name
	}
	if known := s.known(c.issued); known != nil {
		c.request = with(c.request, known.sent)
	} else if tokens(c.request) != tokens(c.issued) {
		s.remember(c)
	}
}

// recallRetry is recall for a call that has been confirmed, which another one under the same identity may have been
// just before. It reports whether that is so.
func (s *Calls) recallRetry(c *call, confirmationID string) bool {
	known := s.known(c.issued)
	if known == nil || known.sent.ConfirmationID != confirmationID {
		return false
	}
	c.request = with(c.request, known.sent)
	return true
}

// known is what was asked for the same call, nil when it has not been or too long ago: the registry keeps results as long.
func (s *Calls) known(issued registry.Request) *asked {
	oldest := s.options.Host.Now().Add(-s.options.Registry.Limits().DedupeCacheTTL)
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.memory.byID[issued.InvocationID]
	if known == nil || known.issued != tokens(issued) || known.at.Before(oldest) {
		return nil
	}
	return known
}

func (s *Calls) remember(c *call) {
	if c.issued.InvocationID == "" || tooLong(c.issued) {
		return
	}
	entry := &asked{issued: tokens(c.issued), sent: tokens(c.request), at: s.options.Host.Now()}
	most := s.options.Registry.Limits().DedupeCacheSize
	s.mu.Lock()
	defer s.mu.Unlock()
	s.memory.add(entry, most)
}

// tooLong reports whether a request has an id that no request may have. The registry refuses it, and remembers nothing
// either.
func tooLong(q registry.Request) bool {
	for _, id := range []string{q.InvocationID, q.CapabilityID, q.InstanceID, q.RegistrationID, q.SurfaceVersion, q.ConfirmationID} {
		if capability.Length(id) > capability.MaxIDLength {
			return true
		}
	}
	return false
}

// forget sees to it that a call whose result is not stored is made anew when it is retried.
func (s *Calls) forget(c *call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if known := s.memory.byID[c.issued.InvocationID]; known != nil && known.issued == tokens(c.issued) {
		delete(s.memory.byID, c.issued.InvocationID)
	}
}

func (m *memory) add(entry *asked, most int) {
	if m.byID == nil {
		m.byID = map[string]*asked{}
	}
	m.byID[entry.issued.InvocationID] = entry
	m.order = append(m.order, entry)
	for len(m.order) > most {
		if oldest := m.order[0]; m.byID[oldest.issued.InvocationID] == oldest {
			delete(m.byID, oldest.issued.InvocationID)
		}
		m.order[0] = nil
		m.order = m.order[1:]
	}
}
