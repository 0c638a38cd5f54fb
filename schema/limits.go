package schema

import "github.com/pagewarden/pagewarden/capability"

// Limits bound a schema document. A field that is zero or negative has the default of
// capability.DefaultLimits.
type Limits struct {
	// MaxBytes is the most bytes of UTF-8 that a document may have: MaxSchemaBytes, 16384.
	MaxBytes int
	// MaxDepth is how many levels of subschemas may lie below the root: MaxSchemaDepth, 8.
	MaxDepth int
}

const (
	// MaxSubschemas is the most subschemas that a document may have when every $ref is written out.
	MaxSubschemas = 2000
	// MaxIssues is the most issues that one validation returns.
	MaxIssues = 20

	// maxWrittenOut bounds the nesting with every $ref written out, which is how deep the walk recurses.
	maxWrittenOut = capability.DepthCeiling
	maxCount      = 1 << 53
)

func (l Limits) orDefault() Limits {
	defaults := capability.DefaultLimits()
	if l.MaxBytes <= 0 {
		l.MaxBytes = defaults.MaxSchemaBytes
	}
	if l.MaxDepth <= 0 {
		l.MaxDepth = defaults.MaxSchemaDepth
	}
	return l
}
