package registry

import (
	"fmt"
	"slices"

	"github.com/pagewarden/pagewarden/capability"
)

// attached is an adapter at work.
type attached struct{ name, consumerID string }

// Attach says that an adapter works for a consumer until detach is called. name is what developers know it by. Two
// adapters with the same consumer id share what is kept by consumer (policies' counts, invocation ids,
// confirmations), which is hardly ever meant: in development they are told.
func (r *Registry) Attach(name string, consumer capability.Consumer) (detach func()) {
	a := &attached{name, consumer.OrAnonymous().ID}
	var other *attached
	r.change(func(s *state) {
		if s.disposed {
			return
		}
		if at := slices.IndexFunc(s.adapters, func(b *attached) bool { return b.consumerID == a.consumerID }); at >= 0 {
			other = s.adapters[at]
		}
		s.adapters = append(s.adapters, a)
	})
	if other != nil && r.options.Environment == capability.Development {
		r.options.Log(fmt.Sprintf("two adapters, %s and %s, have the consumer id %q: give each its own, since policies, "+
			"confirmations and invocation ids are told apart by it", other.name, a.name, a.consumerID))
	}
	return func() {
		r.change(func(s *state) {
			s.adapters = slices.DeleteFunc(s.adapters, func(b *attached) bool { return b == a })
		})
	}
}
