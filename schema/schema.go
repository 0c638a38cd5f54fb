package schema

import (
	"sync"

	"github.com/pagewarden/pagewarden/capability"
)

// Schema is an accepted document. It is safe for concurrent use.
type Schema struct {
	doc      capability.JSON
	root     *node
	nodes    []*node
	patterns map[string]*pattern
	depth    int

	compiling  sync.Once
	compileErr error
}

// JSON is the document as its author wrote it, property order included.
func (s *Schema) JSON() capability.JSON { return s.doc }

// AcceptsObject reports whether an object may be valid, as far as the types, enums and consts tell.
func (s *Schema) AcceptsObject() bool { return s.root.accepts()&kindObject != 0 }

// RequiresObject reports whether nothing but an object can be valid.
func (s *Schema) RequiresObject() bool { return s.root.accepts() == kindObject }

// Validate checks a value as capability.ValueLimits.Decode builds it and returns what is wrong with it: nil
// when it is valid, else at most MaxIssues issues, sorted by path and message. The first call compiles.
//
// The work is bounded twice: by MaxSubschemas for each node of the value, and by a fixed number of steps, a
// second or two of work, past which the value is refused with one issue that says so.
func (s *Schema) Validate(value any) []capability.Issue { return s.ValidateAt("", value) }

// ValidateAt is Validate for a value that is itself at path, which every issue then begins with.
func (s *Schema) ValidateAt(path string, value any) []capability.Issue {
	s.compiling.Do(func() { s.compileErr = s.compile() })
	if s.compileErr != nil {
		return []capability.Issue{{Path: path, Message: "cannot be checked, because its schema does not compile"}}
	}
	w := walk{base: path, limit: maxSteps}
	w.visit(s.root, value)
	return w.result()
}
