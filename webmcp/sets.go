package webmcp

import (
	"errors"
	"fmt"
	"slices"
	"sync"
)

// Sets holds, for each model context that only takes whole sets, the tools of all adapters of one runtime:
// each adapter changes its own part, and the object gets the union. It is safe for concurrent use.
type Sets struct {
	mu   sync.Mutex
	sets map[ModelContext]*wholeSet
}

// NewSets makes sets for the adapters of one runtime.
func NewSets() *Sets { return &Sets{sets: map[ModelContext]*wholeSet{}} }

// sharedSet is one adapter's part of a set.
type sharedSet struct {
	sets    *Sets
	context ModelContext
	owner   *Adapter
}

func (s sharedSet) style() Style { return WholeSet }

func (s sharedSet) apply(c change) {
	if set := s.sets.put(s.context, s.owner, c.all); set != nil {
		set.replace()
	}
	s.sets.drop(s.context)
}

// wholeSet is the set of one object.
type wholeSet struct {
	context ModelContext
	mu      *sync.Mutex // the lock of Sets

	parts     []part         // in the order in which the adapters came
	accepted  map[Token]bool // what the object has
	replacing bool
	again     bool
}

type part struct {
	owner  *Adapter
	offers []offer
}

// put sets an adapter's part. It gives nil when another flow is replacing the set and will do it again.
func (s *Sets) put(context ModelContext, owner *Adapter, offers []offer) *wholeSet {
	s.mu.Lock()
	defer s.mu.Unlock()
	set := s.sets[context]
	if set == nil {
		set = &wholeSet{context: context, mu: &s.mu, accepted: map[Token]bool{}}
		s.sets[context] = set
	}
	at := slices.IndexFunc(set.parts, func(p part) bool { return p.owner == owner })
	switch {
	case at >= 0:
		set.parts[at].offers = offers
	case len(offers) > 0:
		set.parts = append(set.parts, part{owner, offers})
	}
	set.parts = slices.DeleteFunc(set.parts, func(p part) bool { return len(p.offers) == 0 })
	if set.replacing {
		set.again = true
		return nil
	}
	set.replacing = true
	return set
}

// drop forgets a set that nobody uses.
func (s *Sets) drop(context ModelContext) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if set := s.sets[context]; set != nil && len(set.parts) == 0 && !set.replacing {
		delete(s.sets, context)
	}
}

// replace gives the object the union of the parts and tells the adapters what became of their tools.
func (w *wholeSet) replace() {
	for {
		w.mu.Lock()
		w.again = false
		attempt := &replacement{context: w.context, before: w.accepted, accepted: map[Token]bool{}, refused: map[Token]error{}}
		for _, p := range w.parts {
			attempt.all = append(attempt.all, p.offers...)
		}
		w.mu.Unlock()
		attempt.run()
		w.mu.Lock()
		w.accepted = attempt.accepted
		w.forget(attempt.refused)
		done := !w.again
		w.replacing = !done
		w.mu.Unlock()
		attempt.tell()
		if done {
			return
		}
	}
}

// forget takes refused tools out of the parts: their adapters offer them anew. The lock is held.
func (w *wholeSet) forget(refused map[Token]error) {
	for i := range w.parts {
		var kept []offer
		for _, o := range w.parts[i].offers {
			if refused[o.Token] == nil {
				kept = append(kept, o)
			}
		}
		w.parts[i].offers = kept
	}
	w.parts = slices.DeleteFunc(w.parts, func(p part) bool { return len(p.offers) == 0 })
}

// replacement finds the tools of all that the object takes together.
type replacement struct {
	context ModelContext
	all     []offer
	before  map[Token]bool // what the object had

	accepted map[Token]bool
	refused  map[Token]error
	torn     bool // the last Replace failed, so the object must be given the accepted ones again
}

var (
	errTaken = errors.New("another adapter of this page offers a tool of that name")
	errShape = errors.New("a tool needs a name of 1 to 128 characters of A-Z, a-z, 0-9, _, - and ., a description, and an object as its input schema")
)

func (r *replacement) run() {
	sound := r.check()
	var kept, fresh []offer
	for _, o := range sound {
		if r.before[o.Token] {
			kept = append(kept, o)
		} else {
			fresh = append(fresh, o)
		}
	}
	err := r.try(sound)
	switch {
	case err == nil || len(sound) == 0:
	case r.try(nil) != nil: // it takes nothing at all, so there is no culprit to look for
		r.refuse(sound, err)
	default:
		r.halve(kept)
		r.halve(fresh)
	}
	if r.torn {
		_ = r.try(nil)
	}
}

// check refuses what the object would refuse the whole set for.
func (r *replacement) check() (sound []offer) {
	names := map[string]bool{}
	for _, o := range r.all {
		switch {
		case !wellShaped(o.Tool):
			r.refused[o.Token] = errShape
		case names[o.Name]:
			r.refused[o.Token] = errTaken
		default:
			names[o.Name] = true
			sound = append(sound, o)
		}
	}
	return sound
}

// try gives the object what is accepted and more, in the order of all. If it takes them, more is accepted.
func (r *replacement) try(more []offer) error {
	trying := make(map[Token]bool, len(more))
	for _, o := range more {
		trying[o.Token] = true
	}
	var tools []Tool
	for _, o := range r.all {
		if r.accepted[o.Token] || trying[o.Token] {
			tools = append(tools, o.Tool)
		}
	}
	err := r.context.Replace(tools)
	r.torn = err != nil
	if err == nil {
		for token := range trying {
			r.accepted[token] = true
		}
	}
	return err
}

// halve accepts what it can of offers that, with what is accepted, may hold a refused one.
func (r *replacement) halve(offers []offer) {
	if len(offers) == 0 {
		return
	}
	err := r.try(offers)
	switch {
	case err == nil:
	case len(offers) == 1:
		r.refuse(offers, err)
	default:
		middle := len(offers) / 2
		r.halve(offers[:middle])
		r.halve(offers[middle:])
	}
}

func (r *replacement) refuse(offers []offer, err error) {
	for _, o := range offers {
		r.refused[o.Token] = fmt.Errorf("replacing the page's tools: %w", err)
	}
}

// tell tells the adapters of every tool that is new or refused.
func (r *replacement) tell() {
	for _, o := range r.all {
		switch err := r.refused[o.Token]; {
		case err != nil:
			o.settled(err)
		case r.accepted[o.Token] && !r.before[o.Token]:
			o.settled(nil)
		}
	}
}

func wellShaped(t Tool) bool {
	if len(t.Name) == 0 || len(t.Name) > 128 || t.Description == "" || t.InputSchema.Kind() != '{' {
		return false
	}
	for _, c := range []byte(t.Name) {
		if !isNameByte(c) {
			return false
		}
	}
	return true
}

func isNameByte(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '_', c == '-', c == '.':
		return true
	}
	return false
}
