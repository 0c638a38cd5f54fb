package schema

import (
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

func get(t *testing.T, c *Cache, doc string) *Schema {
	t.Helper()
	s, err := c.Get(capability.JSON(doc), Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCacheSharesEqualDocuments(t *testing.T) {
	c := NewCache(0)
	first := get(t, c, `{"type":"string"}`)
	if get(t, c, `{"type":`+`"string"}`) != first {
		t.Error("the same document gave another schema")
	}
	if get(t, c, `{"type":"number"}`) == first {
		t.Error("another document gave the same schema")
	}
}

func TestCacheDoesNotKeepRefusals(t *testing.T) {
	c := NewCache(0)
	for range 2 {
		_, err := c.Get(`{"oneOf":[]}`, Limits{})
		var subset *SubsetError
		if !errors.As(err, &subset) || subset.Path != "oneOf" {
			t.Errorf("%v", err)
		}
	}
	if len(c.young) != 0 {
		t.Errorf("%d documents kept", len(c.young))
	}
}

// TestCacheHoldsToLimits: a document accepted under wide limits is still refused under narrow ones.
func TestCacheHoldsToLimits(t *testing.T) {
	c := NewCache(0)
	const doc = `{"items":{"items":{}}}`
	get(t, c, doc)
	if _, err := c.Get(doc, Limits{MaxDepth: 1}); err == nil {
		t.Error("2 levels accepted where 1 is allowed")
	}
	if _, err := c.Get(doc, Limits{MaxBytes: 5}); err == nil {
		t.Error("accepted beyond the bytes allowed")
	}
	if _, err := c.Get(doc, Limits{MaxDepth: 2}); err != nil {
		t.Error(err)
	}
}

func TestCacheIsBounded(t *testing.T) {
	const size = 10
	c := NewCache(size)
	used := get(t, c, `{"title":"used"}`)
	for i := range 100 {
		get(t, c, fmt.Sprintf(`{"title":"%d"}`, i))
		if i%3 == 0 && get(t, c, `{"title":"used"}`) != used {
			t.Fatalf("what is in use was dropped after %d others", i)
		}
		if total := len(c.young) + len(c.old); total > size {
			t.Fatalf("%d documents kept, want at most %d", total, size)
		}
	}
	if NewCache(1).half != 1 {
		t.Error("a cache of one document holds none")
	}
}

// TestCacheIsConcurrent is for the race detector; every caller gets the same schema.
func TestCacheIsConcurrent(t *testing.T) {
	c := NewCache(0)
	got := make([]*Schema, 8)
	var group sync.WaitGroup
	for i := range got {
		group.Go(func() {
			s, err := c.Get(`{"pattern":"^a$","minLength":1}`, Limits{})
			if err == nil && s.Validate("b") != nil {
				got[i] = s
			}
		})
	}
	group.Wait()
	for i := range got {
		if got[i] == nil || got[i] != got[0] {
			t.Errorf("caller %d got another schema", i)
		}
	}
}
