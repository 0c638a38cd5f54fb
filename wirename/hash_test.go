package wirename

import (
	"testing"
	"unicode/utf16"
)

func TestFNV(t *testing.T) {
	for text, want := range map[string]uint32{"": 0x811c9dc5, "a": 0xe40c292c, "foobar": 0xbf9cf968} {
		if got := fnv(fnvBasis, utf16.Encode([]rune(text))); got != want {
			t.Errorf("fnv(%q) = %x, want %x", text, got, want)
		}
	}
}

func TestHashGrowsByTwo(t *testing.T) {
	for level, want := range []int{7, 9, 11, 13} {
		if got := hash(Entry{ID: "view:a.b"}, level); len(got) != want {
			t.Errorf("hash at level %d is %q, want %d characters", level, got, want)
		}
	}
}

func TestHashSeparatesItsParts(t *testing.T) {
	seen := map[string]Entry{}
	for _, entry := range []Entry{{"domain:a", "b"}, {"domain:a#b", ""}, {"domain:a", ""}, {"domain:ab", ""}} {
		h := hash(entry, MaxLevel)
		if other, twice := seen[h]; twice {
			t.Errorf("%v and %v have one hash", entry, other)
		}
		seen[h] = entry
	}
}
