package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
)

// Parse checks doc against the subset of the package and reads it. The error is a *SubsetError. Patterns are
// translated here; the rest is compiled at the first Validate.
func Parse(doc capability.JSON, limits Limits) (*Schema, error) {
	limits = limits.orDefault()
	if len(doc) > limits.MaxBytes {
		return nil, refuse("", "a schema must be at most %d bytes of JSON; write shared parts once under $defs", limits.MaxBytes)
	}
	value, issue := capability.ValueLimits{MaxBytes: limits.MaxBytes, MaxDepth: capability.DepthCeiling}.Decode(doc)
	if issue != nil {
		return nil, textError(issue)
	}
	p := parser{maxDepth: limits.MaxDepth, pointers: map[string]*node{}, patterns: map[string]*pattern{}}
	root, err := p.schema(value, place{})
	if err != nil {
		return nil, err
	}
	if err := p.link(root); err != nil {
		return nil, err
	}
	return &Schema{doc: doc, root: root, nodes: p.nodes, patterns: p.patterns, depth: p.deepest}, nil
}

// textError is for a document that is not JSON, or holds a number that no value can be compared with.
func textError(issue *capability.Issue) *SubsetError {
	if issue.Path == "" {
		return refuse("", "the schema %s", issue.Message)
	}
	return &SubsetError{Path: issue.Path, Message: issue.Message}
}

// place is where a subschema stands: its path for errors, how many levels below the root, and, inside $defs,
// the pointer that a $ref may name it by.
type place struct {
	path    string
	depth   int
	pointer string
}

// below is the place of a subschema; steps are a keyword and perhaps a name or an index.
func (at place) below(path string, steps ...string) place {
	pointer := at.pointer
	if pointer == "" && at.depth == 0 && steps[0] == "$defs" {
		pointer = "#"
	}
	if pointer != "" {
		for _, step := range steps {
			pointer += "/" + escapePointer(step)
		}
	}
	return place{path: path, depth: at.depth + 1, pointer: pointer}
}

func escapePointer(step string) string {
	return strings.ReplaceAll(strings.ReplaceAll(step, "~", "~0"), "/", "~1")
}

type parser struct {
	maxDepth int
	deepest  int
	nodes    []*node
	pointers map[string]*node
	patterns map[string]*pattern
}

// schema reads one subschema.
func (p *parser) schema(value any, at place) (*node, *SubsetError) {
	members, ok := value.(map[string]any)
	if !ok {
		return nil, refuse(at.path, "a schema must be an object, not %s%s", kindOf(value).phrase(), booleanHint(value))
	}
	if at.depth > p.maxDepth {
		return nil, refuse(at.path, "schemas must be nested at most %d levels deep; move inner ones to $defs", p.maxDepth)
	}
	p.deepest = max(p.deepest, at.depth)
	n := &node{}
	p.nodes = append(p.nodes, n)
	if at.pointer != "" {
		p.pointers[at.pointer] = n
	}
	for _, keyword := range slices.Sorted(maps.Keys(members)) {
		k := keywordReader{parser: p, node: n, at: at, name: keyword, path: capability.PathName(at.path, keyword)}
		if err := k.read(members[keyword]); err != nil {
			return nil, err
		}
	}
	return n, nil
}

func booleanHint(value any) string {
	switch value {
	case true:
		return ": write {} for a schema that allows everything"
	case false:
		return ": leave the property out, and write additionalProperties: false, to allow nothing"
	}
	return ""
}
