package toolset

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/pagewarden/pagewarden/registry"
)

func TestNarrow(t *testing.T) {
	tests := []struct {
		name                         string
		floor, asked, scope, refused []string
	}{
		{"nothing on either side", nil, nil, nil, nil},
		{"no floor", nil, []string{"a", "b.c", "a"}, []string{"a", "b.c"}, nil},
		{"no wish", []string{"a"}, nil, []string{"a"}, nil},
		{"an empty wish", []string{"a"}, []string{}, []string{"a"}, nil},
		{"narrower", []string{"a"}, []string{"a.b"}, []string{"a.b"}, nil},
		{"wider", []string{"a.b", "a.c", "d"}, []string{"a"}, []string{"a.b", "a.c"}, nil},
		{"the same", []string{"a"}, []string{"a"}, []string{"a"}, nil},
		{"a border", []string{"a"}, []string{"ab"}, nil, []string{"ab"}},
		{"some of each", []string{"a", "b.c"}, []string{"x", "b", "a.b", "x", "y"}, []string{"b.c", "a.b"}, []string{"x", "y"}},
		{"nothing left", []string{"a"}, []string{"x", "x"}, nil, []string{"x"}},
	}
	for _, tt := range tests {
		got := narrow(tt.floor, tt.asked)
		if !slices.Equal(got.scope, tt.scope) || !slices.Equal(got.rejected, tt.refused) || got.nothing != (len(tt.asked) > 0 && len(tt.scope) == 0) {
			t.Errorf("%s: narrow(%q, %q) = %+v", tt.name, tt.floor, tt.asked, got)
		}
	}
}

// TestNarrowIsAnIntersection: what it admits is what both sides admit.
func TestNarrowIsAnIntersection(t *testing.T) {
	prefix := rapid.StringMatching(`[ab](\.[ab]){0,2}`)
	rapid.Check(t, func(t *rapid.T) {
		floor := rapid.SliceOfN(prefix, 0, 3).Draw(t, "floor")
		asked := rapid.SliceOfN(prefix, 0, 3).Draw(t, "asked")
		kind := rapid.StringMatching(`[ab](\.[ab]){0,3}`).Draw(t, "type")
		got := narrow(floor, asked)
		admits := !got.nothing && registry.MatchesScope(kind, got.scope)
		if want := registry.MatchesScope(kind, floor) && registry.MatchesScope(kind, asked); admits != want {
			t.Fatalf("%s is admitted: %v, want %v", kind, admits, want)
		}
		for _, p := range got.rejected {
			if len(floor) == 0 || registry.MatchesScope(p, floor) {
				t.Fatalf("%s was refused", p)
			}
		}
	})
}
