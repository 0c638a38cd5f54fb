package schema

import "github.com/santhosh-tekuri/jsonschema/v6"

// node is one subschema, read. The walk follows its branches; what it says about a single value is in rules
// until compile has turned that into judge.
type node struct {
	types       kinds // 0 allows every kind
	typeMessage string
	enum        *valueSet
	fixed       *valueSet // const
	unique      bool
	closed      bool // additionalProperties: false

	properties map[string]*node
	names      []string // of properties, sorted
	required   []string
	items      *node
	anyOf      []*node
	target     *node // of $ref
	reference  string
	refPath    string // where the $ref stands in the document
	defs       []*node

	rules   map[string]any // the keywords that the library judges
	judged  kinds          // the kinds of value that rules say something about
	judge   *jsonschema.Schema
	pattern *pattern
	counts  int // required names and properties, all of which every visit of an object looks up

	state  visitState
	size   int // subschemas from here on, every $ref written out
	height int // levels from here down, every $ref written out
}

// rule adds a keyword for the library, which matters to values of the given kinds.
func (n *node) rule(keyword string, value any, judged kinds) {
	if n.rules == nil {
		n.rules = map[string]any{}
	}
	n.rules[keyword] = value
	n.judged |= judged
}

// branches are the subschemas that a value may be checked against because it is checked against n.
func (n *node) branches(visit func(*node) *SubsetError) *SubsetError {
	for _, name := range n.names {
		if err := visit(n.properties[name]); err != nil {
			return err
		}
	}
	for _, branch := range n.anyOf {
		if err := visit(branch); err != nil {
			return err
		}
	}
	for _, single := range [...]*node{n.items, n.target} {
		if single == nil {
			continue
		}
		if err := visit(single); err != nil {
			return err
		}
	}
	return nil
}

// accepts are the kinds that a value may have at all. Integers count as numbers.
func (n *node) accepts() kinds {
	accepted := anyKind
	for ; n != nil; n = n.target {
		if n.types != 0 {
			accepted &= n.types
		}
		for _, set := range [...]*valueSet{n.enum, n.fixed} {
			if set != nil {
				accepted &= set.kinds
			}
		}
		if n.anyOf == nil {
			continue
		}
		branches := kinds(0)
		for _, branch := range n.anyOf {
			branches |= branch.accepts()
		}
		accepted &= branches
	}
	return accepted
}
