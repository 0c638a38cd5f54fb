package schema

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"github.com/pagewarden/pagewarden/capability"
)

const (
	// maxSteps bounds one validation. A step is the work of looking at one node for its type, some 30 ns in a
	// native build; a value of 256 kB against a schema that people write takes a few hundred thousand.
	maxSteps = 20_000_000
	// judgeSteps is what a call of the library costs.
	judgeSteps = 20
)

// walk is one validation.
type walk struct {
	base   string
	path   []step
	issues []capability.Issue
	key    []byte
	// quiet counts the anyOf around: inside, only the verdict matters, and the first mistake ends a branch.
	quiet int
	steps int
	limit int
	spent bool
}

// step is a name in an object or, when name is nil, an index in an array.
type step struct {
	name  *string
	index int
}

// visit checks value against n and what n refers to, and reports whether it found no mistake.
func (w *walk) visit(n *node, value any) bool {
	valid := true
	for ; n != nil; n = n.target {
		if !w.one(n, value) {
			valid = false
			if w.done() {
				break
			}
		}
	}
	return valid
}

// done reports whether there is nothing more to find out after a mistake.
func (w *walk) done() bool { return w.spent || w.quiet > 0 || len(w.issues) >= MaxIssues }

// one checks value against n without its $ref. A value of the wrong type, or outside enum or const, gets no
// further issues.
func (w *walk) one(n *node, value any) bool {
	if !w.spend(1) {
		return false
	}
	if n.types != 0 && !n.types.has(value) {
		return w.fail(n.typeMessage)
	}
	if !w.oneOf(n.enum, value) || !w.oneOf(n.fixed, value) {
		return false
	}
	valid := w.judge(n, value)
	if !valid && w.done() {
		return false
	}
	valid = w.members(n, value) && valid
	if !valid && w.done() {
		return false
	}
	return w.anyOf(n, value) && valid
}

func (w *walk) oneOf(set *valueSet, value any) (found bool) {
	if set == nil {
		return true
	}
	found, w.key = set.has(value, w.key)
	if !w.spend(len(w.key) / 8) {
		return false
	}
	return found || w.fail(set.message)
}

// judge asks the library about the value itself, not about what is in it.
func (w *walk) judge(n *node, value any) bool {
	if n.judge == nil || n.judged&kindOf(value) == 0 {
		return true
	}
	if !w.spend(judgeSteps + n.judgeCost(value)) {
		return false
	}
	err := n.judge.Validate(value)
	if err == nil {
		return true
	}
	if w.quiet == 0 {
		w.explain(err)
	}
	return false
}

// judgeCost is how many steps the size of a value adds to a call of the library.
func (n *node) judgeCost(value any) int {
	switch v := value.(type) {
	case string:
		cost := len(v) / 64
		if n.pattern != nil {
			cost += n.pattern.cost(v)
		}
		return cost
	case json.Number:
		return len(v)
	}
	return 0
}

// members checks what is inside an object or an array.
func (w *walk) members(n *node, value any) bool {
	switch v := value.(type) {
	case map[string]any:
		return w.object(n, v)
	case []any:
		return w.array(n, v)
	}
	return true
}

func (w *walk) object(n *node, members map[string]any) bool {
	if !w.spend(n.counts) {
		return false
	}
	valid := w.required(n, members)
	declared := 0
	for i := range n.names {
		if !valid && w.done() {
			return false
		}
		name := &n.names[i]
		member, present := members[*name]
		if !present {
			continue
		}
		declared++
		w.path = append(w.path, step{name: name})
		valid = w.visit(n.properties[*name], member) && valid
		w.path = w.path[:len(w.path)-1]
	}
	if n.closed && declared < len(members) {
		w.unexpected(n, members)
		return false
	}
	return valid
}

func (w *walk) required(n *node, members map[string]any) bool {
	valid := true
	for i := range n.required {
		if _, present := members[n.required[i]]; !present {
			valid = w.failAt(step{name: &n.required[i]}, "is required")
		}
	}
	return valid
}

// unexpected reports the members that a closed object does not declare.
func (w *walk) unexpected(n *node, members map[string]any) {
	if w.quiet > 0 || !w.spend(len(members)) {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		if _, declared := n.properties[name]; !declared {
			w.failAt(step{name: &name}, "is not a property that the schema allows")
		}
	}
}

func (w *walk) array(n *node, items []any) bool {
	valid := !n.unique || len(items) < 2 || w.unique(items)
	if n.items == nil {
		return valid
	}
	for i, item := range items {
		if !valid && w.done() {
			return false
		}
		w.path = append(w.path, step{index: i})
		valid = w.visit(n.items, item) && valid
		w.path = w.path[:len(w.path)-1]
	}
	return valid
}

func (w *walk) unique(items []any) bool {
	first, second, cost := duplicate(items)
	if !w.spend(len(items) + cost/8) {
		return false
	}
	if first < 0 {
		return true
	}
	return w.fail(fmt.Sprintf("must have elements that all differ; [%d] and [%d] are equal", first, second))
}

// anyOf tries the branches in order and stops at the first that holds.
func (w *walk) anyOf(n *node, value any) bool {
	if n.anyOf == nil {
		return true
	}
	w.quiet++
	matched := slices.ContainsFunc(n.anyOf, func(branch *node) bool { return w.visit(branch, value) })
	w.quiet--
	return matched || w.fail("must match at least one of the schemas of anyOf")
}

// spend counts work and reports whether there is any left. The order of the walk is fixed, so the same value
// always runs out at the same place.
func (w *walk) spend(steps int) bool {
	w.steps += steps
	if w.steps > w.limit {
		w.spent = true
	}
	return !w.spent
}

// fail adds an issue at the current path. It returns false, for the caller to return.
func (w *walk) fail(message string) bool {
	if !w.done() {
		w.issues = append(w.issues, capability.Issue{Path: w.pathText(), Message: message})
	}
	return false
}

// failAt is fail at a member of the value.
func (w *walk) failAt(member step, message string) bool {
	w.path = append(w.path, member)
	defer func() { w.path = w.path[:len(w.path)-1] }()
	return w.fail(message)
}

func (w *walk) pathText() string {
	path := w.base
	for _, s := range w.path {
		if s.name != nil {
			path = capability.PathName(path, *s.name)
		} else {
			path = capability.PathIndex(path, s.index)
		}
	}
	return path
}

// result is what was found, sorted, each issue once.
func (w *walk) result() []capability.Issue {
	if w.spent {
		message := fmt.Sprintf("takes more than %d steps to check against its schema; send a smaller value", w.limit)
		return []capability.Issue{{Path: w.base, Message: message}}
	}
	slices.SortFunc(w.issues, func(a, b capability.Issue) int {
		return cmp.Or(cmp.Compare(a.Path, b.Path), cmp.Compare(a.Message, b.Message))
	})
	return slices.Compact(w.issues)
}
