package schema

import (
	"net/url"
	"strings"
)

type visitState uint8

const (
	unvisited     visitState = iota
	beingMeasured            // reaching it again is a cycle
	measured
)

// link resolves every $ref, refuses cycles, and measures the document with every $ref written out: each
// subschema once, however often it is referred to.
func (p *parser) link(root *node) *SubsetError {
	for _, n := range p.nodes {
		if err := p.resolve(n); err != nil {
			return err
		}
	}
	for _, n := range p.nodes {
		if err := measure(n, "", 1); err != nil {
			return err
		}
	}
	if root.size > MaxSubschemas {
		return refuse("", "with every $ref written out, a schema must have at most %d subschemas", MaxSubschemas)
	}
	return nil
}

func (p *parser) resolve(n *node) *SubsetError {
	if n.refPath == "" {
		return nil
	}
	fragment, err := url.PathUnescape(n.reference)
	if err != nil || !strings.HasPrefix(fragment, "#/$defs/") {
		return refuse(n.refPath, "$ref must be #/$defs/ and the name of a schema of this document")
	}
	target, found := p.pointers[fragment]
	if !found {
		return refuse(n.refPath, "$ref names a schema that $defs does not have")
	}
	n.target = target
	return nil
}

// measure sets size and height of n; via is the last $ref that led here, level how many schemas contain n. Sums
// stop growing once they are beyond any limit, so that they cannot overflow.
func measure(n *node, via string, level int) *SubsetError {
	switch n.state {
	case measured:
		return nil
	case beingMeasured:
		return refuse(via, "$ref leads back to a schema that contains it; recursive schemas are not supported")
	}
	if level > maxWrittenOut {
		return tooDeep()
	}
	n.state = beingMeasured
	size, height := 1, 0
	err := n.branches(func(branch *node) *SubsetError {
		from := via
		if branch == n.target {
			from = n.refPath
		}
		if err := measure(branch, from, level+1); err != nil {
			return err
		}
		size = min(size+branch.size, MaxSubschemas+1)
		height = max(height, branch.height)
		return nil
	})
	n.state, n.size, n.height = measured, size, height+1
	if err == nil && n.height > maxWrittenOut {
		return tooDeep()
	}
	return err
}

func tooDeep() *SubsetError {
	return refuse("", "with every $ref written out, schemas must be nested at most %d levels deep", maxWrittenOut)
}
