package schema

import (
	"sync"

	"github.com/pagewarden/pagewarden/capability"
)

// DefaultCacheSize is how many documents a Cache keeps unless told otherwise.
const DefaultCacheSize = 1024

// Cache parses and compiles equal documents once. It is safe for concurrent use; what it lets go of stays
// valid for those who hold it.
//
// It keeps two generations. A document that is asked for moves to the young one; when that has half of the
// size, the old one is dropped and the young one becomes old. So what is in use stays, at a constant cost.
type Cache struct {
	half int

	mu    sync.Mutex
	young map[capability.JSON]*Schema
	old   map[capability.JSON]*Schema
}

// NewCache makes a cache of at most size documents; 0 or less means DefaultCacheSize.
func NewCache(size int) *Cache {
	if size <= 0 {
		size = DefaultCacheSize
	}
	return &Cache{half: max(1, size/2), young: map[capability.JSON]*Schema{}}
}

// Get is Parse, except that the same document gives the same *Schema. A refused document is not kept.
func (c *Cache) Get(doc capability.JSON, limits Limits) (*Schema, error) {
	limits = limits.orDefault()
	c.mu.Lock()
	defer c.mu.Unlock()
	known, found := c.young[doc]
	if !found {
		known, found = c.old[doc]
	}
	if !found || len(doc) > limits.MaxBytes || known.depth > limits.MaxDepth {
		var err error
		if known, err = Parse(doc, limits); err != nil {
			return nil, err
		}
	}
	c.keep(doc, known)
	return known, nil
}

func (c *Cache) keep(doc capability.JSON, s *Schema) {
	if _, found := c.young[doc]; found {
		return
	}
	if len(c.young) >= c.half {
		c.old, c.young = c.young, map[capability.JSON]*Schema{}
	}
	c.young[doc] = s
}
