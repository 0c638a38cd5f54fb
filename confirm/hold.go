package confirm

import "github.com/pagewarden/pagewarden/capability"

// Hold is what the owner of a held record adds to it.
type Hold struct {
	// Note is kept with the record and comes back with its approval.
	Note capability.JSON
	// Ended is called once when the record does not wait any more, whoever or whatever ended that; before those who
	// wait on it are told, and with no lock held. It must not wait. Nil means that the owner does not care.
	Ended func()
}

// Hold is Request for a record that no host UI decides: Resolve leaves it alone, and only its owner, who alone should
// call Decide, says yes or no. It waits, expires, is withdrawn and is consumed as every other. fresh is false when one
// is already pending for exactly that, which then stays as it is.
func (s *Store) Hold(b Binding, summary string, hold Hold) (pending Pending, fresh bool, err *capability.Error) {
	return s.request(b, summary, &hold)
}

// Decide is Resolve for the owner of a held record. It leaves others alone.
func (s *Store) Decide(id string, approved bool) bool { return s.decide(id, approved, true) }
