package toolset

import (
	"slices"

	"github.com/pagewarden/pagewarden/registry"
)

// narrowed is what a model may discover.
type narrowed struct {
	scope    []string // empty for everything, unless nothing is set
	rejected []string // prefixes that were asked for and lie outside the floor
	nothing  bool     // everything that was asked for was rejected
}

// narrow intersects what the model asks for with the floor: of each related pair the narrower prefix. An empty list on
// either side leaves the other as it is.
func narrow(floor, asked []string) narrowed {
	if len(asked) == 0 {
		return narrowed{scope: floor}
	}
	var n narrowed
	for _, prefix := range asked {
		pairs := meet(floor, prefix)
		if len(pairs) == 0 {
			n.rejected = addOnce(n.rejected, prefix)
		}
		for _, pair := range pairs {
			n.scope = addOnce(n.scope, pair)
		}
	}
	n.nothing = len(n.scope) == 0
	return n
}

// meet is what prefix and the floor have in common.
func meet(floor []string, prefix string) []string {
	if len(floor) == 0 {
		return []string{prefix}
	}
	var pairs []string
	for _, f := range floor {
		switch {
		case registry.MatchesScope(prefix, []string{f}):
			pairs = append(pairs, prefix)
		case registry.MatchesScope(f, []string{prefix}):
			pairs = append(pairs, f)
		}
	}
	return pairs
}

func addOnce(list []string, text string) []string {
	if slices.Contains(list, text) {
		return list
	}
	return append(list, text)
}
