package main

import (
	"cmp"
	"slices"
)

// nameHeight is what the name of a curve needs, in pixels.
const nameHeight = 16

// spread places the names of curves beside their ends, none over another.
func spread(lines []polyline) {
	byEnd := make([]*polyline, len(lines))
	for i := range lines {
		byEnd[i] = &lines[i]
	}
	slices.SortStableFunc(byEnd, func(a, b *polyline) int { return cmp.Compare(a.Y, b.Y) })
	free := 0.0
	for _, l := range byEnd {
		l.At = max(l.Y, free)
		free = l.At + nameHeight
	}
}
