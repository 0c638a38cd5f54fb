package browser

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// maxNearest is how many names an error suggests.
	maxNearest = 3
	// longest is how long a name may be that is compared, in bytes: the work
	// grows with the product of the lengths, and a client may send megabytes.
	longest = 500
)

// nearest returns the names most similar to name, best first, then in
// alphabetical order. A name is similar when it contains the other one, or when
// at most a third of it differs.
func nearest(name string, names []string) []string {
	type scored struct {
		name     string
		distance int
	}
	var similar []scored
	wanted := strings.ToLower(name)
	for _, candidate := range names {
		if len(wanted) > longest || len(candidate) > longest {
			continue
		}
		lower := strings.ToLower(candidate)
		d := editDistance(wanted, lower)
		limit := max(2, max(len(wanted), len(lower))/3)
		if d <= limit || contains(wanted, lower) {
			similar = append(similar, scored{candidate, d})
		}
	}
	slices.SortFunc(similar, func(a, b scored) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.name, b.name))
	})
	found := []string{}
	for _, s := range similar {
		if len(found) < maxNearest && !slices.Contains(found, s.name) {
			found = append(found, s.name)
		}
	}
	return found
}

// contains reports that one name holds the other; very short ones match too
// much to say anything.
func contains(a, b string) bool {
	const shortest = 3
	if len(a) < shortest || len(b) < shortest {
		return false
	}
	return strings.Contains(a, b) || strings.Contains(b, a)
}

// editDistance is the Levenshtein distance between a and b in bytes: tool names
// are ASCII, and for others the order of suggestions is good enough.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			substitute := diagonal
			if a[i] != b[j] {
				substitute++
			}
			diagonal = row[j+1]
			row[j+1] = min(substitute, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
