package schema

import (
	"errors"
	"fmt"
	"regexp"
	"regexp/syntax"
	"sync"
)

const (
	// maxMatched is the longest string, in bytes, that a pattern is matched against; longer ones fail it.
	maxMatched = 65536
	// maxProgram is the most instructions of a compiled pattern. Matching takes at most one step for each
	// instruction and character.
	maxProgram = 5000
)

// pattern is an ECMA-262 pattern in its RE2 form.
type pattern struct {
	source     string
	translated string
	size       int // instructions

	once sync.Once
	re   *regexp.Regexp
	err  error
}

// translatePattern reads source as ECMA-262 does with the u flag, else a little more leniently, and writes it
// for RE2. The error says what to write instead.
func translatePattern(source string) (*pattern, error) {
	expression, err := parsePattern(source, false)
	var unsupported *unsupportedError
	if err != nil && !errors.As(err, &unsupported) {
		expression, err = parsePattern(source, true)
	}
	if err != nil {
		return nil, err
	}
	translated, err := writePattern(expression)
	if err != nil {
		return nil, err
	}
	size, err := programSize(translated)
	if err != nil {
		return nil, err
	}
	return &pattern{source: source, translated: translated, size: size}, nil
}

func tooLarge() error {
	return unsupported("it needs more than %d instructions; use smaller repeats, or minLength and maxLength", maxProgram)
}

func programSize(translated string) (int, error) {
	parsed, err := syntax.Parse(translated, syntax.Perl)
	if err != nil {
		return 0, fmt.Errorf("RE2 does not take it (%w); write a simpler pattern", err)
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return 0, fmt.Errorf("RE2 does not compile it (%w); write a simpler pattern", err)
	}
	if len(program.Inst) > maxProgram {
		return 0, tooLarge()
	}
	return len(program.Inst), nil
}

func (p *pattern) compile() error {
	p.once.Do(func() { p.re, p.err = regexp.Compile(p.translated) })
	return p.err
}

// String is the pattern as its author wrote it.
func (p *pattern) String() string { return p.source }

// MatchString reports whether the pattern matches anywhere in s. It needs compile to have been called.
func (p *pattern) MatchString(s string) bool { return len(s) <= maxMatched && p.re.MatchString(s) }

// cost is how many steps of a walk it takes to match s. The largest pattern against the longest string stays
// within what one walk may spend.
func (p *pattern) cost(s string) int {
	if len(s) > maxMatched {
		return 0
	}
	return len(s) * p.size / 20
}
