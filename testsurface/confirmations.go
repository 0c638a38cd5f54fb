package testsurface

import "github.com/pagewarden/pagewarden/confirm"

// Pending are the confirmations that wait for a person, oldest first.
func (s *Surface) Pending() []confirm.Pending { return s.registry.Confirmations().Pending() }

// Approve is a person's yes to a confirmation. Without an id it is the only one that is pending; the test
// fails when there is none or are several, and when the id is not pending.
func (s *Surface) Approve(id ...string) {
	s.t.Helper()
	s.decide("approving", id, func(id string) bool { return s.registry.Confirmations().Resolve(id, true) })
}

// Deny is a person's no, with the rule of Approve.
func (s *Surface) Deny(id ...string) {
	s.t.Helper()
	s.decide("denying", id, func(id string) bool { return s.registry.Confirmations().Resolve(id, false) })
}

// Expire is nobody's answer, with the rule of Approve; an id may also be that of an approval not yet used.
func (s *Surface) Expire(id ...string) {
	s.t.Helper()
	s.decide("expiring", id, s.registry.Confirmations().ForceExpire)
}

func (s *Surface) decide(doing string, id []string, act func(string) bool) {
	s.t.Helper()
	if len(id) == 0 {
		pending := s.Pending()
		if len(pending) != 1 {
			s.t.Fatalf("%s the only confirmation: %d are pending", doing, len(pending))
		}
		id = []string{pending[0].ConfirmationID}
	}
	for _, id := range id {
		if !act(id) {
			s.t.Fatalf("%s %s: it is not open", doing, id)
		}
	}
	if s.clock != nil {
		s.clock.Settle()
	}
}
