package schema

import (
	"errors"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

// accept parses a document that must be accepted.
func accept(t testing.TB, doc string) *Schema {
	t.Helper()
	s, err := Parse(capability.JSON(doc), Limits{})
	if err != nil {
		t.Fatalf("Parse(%s): %v", shorten(doc), err)
	}
	return s
}

// refusal parses a document that must be refused.
func refusal(t testing.TB, doc string) *SubsetError {
	t.Helper()
	_, err := Parse(capability.JSON(doc), Limits{})
	var subset *SubsetError
	if !errors.As(err, &subset) {
		t.Fatalf("Parse(%s) = %v, want a *SubsetError", shorten(doc), err)
	}
	return subset
}

// decode builds a value as the registry does, with room for large ones.
func decode(t testing.TB, text string) any {
	t.Helper()
	value, issue := capability.ValueLimits{MaxBytes: 1 << 20, MaxDepth: 64}.Decode(capability.JSON(text))
	if issue != nil {
		t.Fatalf("decoding %s: %v", shorten(text), issue)
	}
	return value
}

// issueLines are the issues as "path: message".
func issueLines(issues []capability.Issue) string {
	var lines []string
	for i := range issues {
		lines = append(lines, issues[i].Error())
	}
	return strings.Join(lines, "\n")
}

func shorten(s string) string {
	if len(s) > 200 {
		return s[:200] + "…"
	}
	return s
}

// list is count copies of item, with commas between.
func list(item string, count int) string {
	return strings.TrimSuffix(strings.Repeat(item+",", count), ",")
}
