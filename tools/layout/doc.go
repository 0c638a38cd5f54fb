// Package layout checks that the repository keeps the shape that its architecture gives it: who imports whom, what the
// wasm consists of, how long files and functions are, what the bridge must never do. The checks run as ordinary tests;
// each finding says where it is and how to put it right. The table of floors is in floors.go.
package layout

import (
	"cmp"
	"slices"
)

// Problem is one finding.
type Problem struct {
	Where string // a package path or a file with its line
	What  string // what is wrong
	Fix   string // what to do about it
}

// String puts the finding on one line.
func (p Problem) String() string {
	return p.Where + ": " + p.What + "; " + p.Fix
}

// sorted orders findings by place, so that a report reads the same each time.
func sorted(problems []Problem) []Problem {
	slices.SortStableFunc(problems, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.Where, b.Where), cmp.Compare(a.What, b.What))
	})
	return problems
}
