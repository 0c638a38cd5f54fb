package schema

type operation uint8

const (
	matchChar   operation = iota // one character of text, an RE2 character or class
	matchNever                   // []
	assertion                    // text, an RE2 assertion
	sequence                     // subs in a row; without subs the empty match
	alternation                  // one of subs
	repetition                   // subs[0], from min to max times
)

const unbounded = -1

// expr is a node of a parsed pattern. Groups leave no node: RE2 only has to say whether there is a match.
type expr struct {
	op       operation
	text     string
	subs     []*expr
	min, max int
	size     programBounds
	consumes bool // whether a match can have any characters
}

// programBounds says how many instructions RE2 needs at least and at most. At least, because it merges
// alternatives with a common start; both stop growing once they are beyond every limit.
type programBounds struct{ least, most int }

const beyondLimits = 1 << 30

func (b programBounds) plus(other programBounds) programBounds {
	return programBounds{min(b.least+other.least, beyondLimits), min(b.most+other.most, beyondLimits)}
}

func (b programBounds) times(n int) programBounds {
	return programBounds{saturate(b.least, n), saturate(b.most, n)}
}

func saturate(a, b int) int {
	if a != 0 && b > beyondLimits/a {
		return beyondLimits
	}
	return a * b
}

func charOf(text string) *expr {
	return &expr{op: matchChar, text: text, size: programBounds{1, 1}, consumes: true}
}

func assertionOf(text string) *expr {
	return &expr{op: assertion, text: text, size: programBounds{0, 1}}
}

func sequenceOf(subs []*expr) *expr {
	if len(subs) == 1 {
		return subs[0]
	}
	e := &expr{op: sequence, subs: subs, size: programBounds{0, 1}}
	for _, sub := range subs {
		e.size = e.size.plus(sub.size)
		e.consumes = e.consumes || sub.consumes
	}
	return e
}

func alternationOf(subs []*expr) *expr {
	if len(subs) == 1 {
		return subs[0]
	}
	e := &expr{op: alternation, subs: subs}
	least := 0
	for _, sub := range subs {
		e.size = e.size.plus(sub.size).plus(programBounds{0, 1})
		e.consumes = e.consumes || sub.consumes
		least = max(least, sub.size.least)
	}
	e.size.least = least
	return e
}

func repetitionOf(sub *expr, least, most int) *expr {
	e := &expr{op: repetition, subs: []*expr{sub}, min: least, max: most, consumes: sub.consumes && most != 0}
	copies := most
	if most == unbounded {
		copies = max(1, least)
	}
	e.size = sub.size.plus(programBounds{0, 1}).times(copies)
	if !sub.consumes {
		e.size = sub.size.plus(programBounds{0, 1})
	}
	return e
}
