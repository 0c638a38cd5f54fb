package wirename

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
)

// Entry is what a name stands for: a capability, of one instance or, with InstanceID "", of whichever there is.
type Entry struct {
	ID         string
	InstanceID string
}

func compareEntries(a, b Entry) int {
	return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.InstanceID, b.InstanceID))
}

// Assign gives each entry a name; names[i] is that of entries[i]. Different entries get different names and
// equal entries the same one, so the names depend on the set of entries and not on their order or number.
// Entries whose names are the same all move to the next level, until none are; those that still are after
// MaxLevel end in "_" and their rank, from 1, among the entries with that hash. byName is the way back.
//
// The error names the first entry that EncodeForInstance would refuse.
func Assign(entries []Entry) (names []string, byName map[string]Entry, err error) {
	c := newCatalog(len(entries))
	for _, entry := range entries {
		if err := check(entry.ID, entry.InstanceID); err != nil {
			return nil, nil, fmt.Errorf("assigning wire names: %w", err)
		}
		c.add(entry)
	}
	c.separate()
	names = make([]string, len(entries))
	for i, entry := range entries {
		names[i] = c.slots[entry].name
	}
	byName = make(map[string]Entry, len(c.slots))
	for entry, slot := range c.slots {
		byName[slot.name] = entry
	}
	return names, byName, nil
}

// ranked is the level of a name that ends in a rank.
const ranked = MaxLevel + 1

// slot is one entry and the name that it has so far.
type slot struct {
	entry Entry
	level int
	name  string
}

// catalog separates names in rounds. A round looks only at names that the round before gave out, because a
// hostile set can make as many rounds as it has entries.
type catalog struct {
	slots   map[Entry]*slot
	holders map[string][]*slot // by name
	ranks   map[string][]*slot // the ranked ones, by hash
	touched []string           // names that got a holder in this round
}

func newCatalog(size int) *catalog {
	return &catalog{
		slots:   make(map[Entry]*slot, size),
		holders: make(map[string][]*slot, size),
		ranks:   map[string][]*slot{},
	}
}

func (c *catalog) add(entry Entry) {
	if c.slots[entry] != nil {
		return
	}
	s := &slot{entry: entry}
	c.slots[entry] = s
	c.take(s, encode(entry, 0))
}

func (c *catalog) take(s *slot, name string) {
	s.name = name
	c.holders[name] = append(c.holders[name], s)
	c.touched = append(c.touched, name)
}

func (c *catalog) release(s *slot) {
	holders := c.holders[s.name]
	if at := slices.Index(holders, s); at >= 0 {
		c.holders[s.name] = slices.Delete(holders, at, at+1)
	}
}

// separate raises whoever shares a name until nobody does. It ends because a level only rises, and because
// two ranked names differ in hash or rank.
func (c *catalog) separate() {
	for {
		movers := c.movers()
		if len(movers) == 0 {
			return
		}
		var hashes []string
		for _, s := range movers {
			s.level++
			if s.level < ranked {
				c.take(s, encode(s.entry, s.level))
				continue
			}
			h := hash(s.entry, MaxLevel)
			c.ranks[h] = append(c.ranks[h], s)
			hashes = append(hashes, h)
		}
		for _, h := range slices.Compact(slices.Sorted(slices.Values(hashes))) {
			c.rank(h)
		}
	}
}

// movers takes their names from the entries that share one, except from a ranked one.
func (c *catalog) movers() []*slot {
	var movers []*slot
	for _, name := range c.touched {
		holders := c.holders[name]
		if len(holders) < 2 {
			continue
		}
		var staying []*slot
		for _, s := range holders {
			if s.level == ranked {
				staying = append(staying, s)
			} else {
				movers = append(movers, s)
			}
		}
		c.holders[name] = staying
	}
	c.touched = nil
	return movers
}

// rank names the ranked entries with hash h anew.
func (c *catalog) rank(h string) {
	group := c.ranks[h]
	slices.SortFunc(group, func(a, b *slot) int { return compareEntries(a.entry, b.entry) })
	for _, s := range group {
		c.release(s)
	}
	for i, s := range group {
		raw, _ := raw(s.entry)
		c.take(s, shorten(raw, "_0_"+h+"_"+strconv.Itoa(i+1)))
	}
}
