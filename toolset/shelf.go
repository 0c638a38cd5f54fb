package toolset

import (
	"slices"
	"sync"
)

// Shelf is where toolsets that were disposed of leave what they knew of a registry, so that a program that makes a
// toolset for each turn does not read the whole surface each time. It is safe for concurrent use; a nil Shelf keeps
// nothing.
type Shelf struct {
	mu   sync.Mutex
	left []shelved // oldest first
}

// shelved is a book and what it is of. Whose it was does not matter: see catalog.Catalog.Serve.
type shelved struct {
	registry Registry
	scope    []string
	book     *book
}

// shelfRoom is more than programs have kinds of toolsets.
const shelfRoom = 2

// NewShelf makes an empty shelf.
func NewShelf() *Shelf { return &Shelf{} }

// take gives a book of the registry for the options, a new one when none was left.
func (s *Shelf) take(r Registry, options Options) *book {
	if s == nil {
		return newBook(r, options)
	}
	s.mu.Lock()
	at := slices.IndexFunc(s.left, func(l shelved) bool { return l.registry == r && slices.Equal(l.scope, options.Scope) })
	if at < 0 {
		s.mu.Unlock()
		return newBook(r, options)
	}
	b := s.left[at].book
	s.left = slices.Delete(s.left, at, at+1)
	s.mu.Unlock()
	b.catalog.Serve(options.Consumer)
	return b
}

// put leaves a book for the next one.
func (s *Shelf) put(r Registry, options Options, b *book) {
	if s == nil {
		b.stop()
		return
	}
	b.handedOut()
	b.moved = true
	s.mu.Lock()
	s.left = append(s.left, shelved{r, options.Scope, b})
	var old *book
	if len(s.left) > shelfRoom {
		old = s.left[0].book
		s.left = slices.Delete(s.left, 0, 1)
	}
	s.mu.Unlock()
	if old != nil {
		old.stop()
	}
}
