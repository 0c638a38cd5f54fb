package toolset_test

import (
	"os"
	"strings"
	"testing"
)

// TestGuideShowsTheExample: the Go code of docs/toolset.md is the example of this package, which runs.
func TestGuideShowsTheExample(t *testing.T) {
	guide, err := os.ReadFile("../docs/toolset.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, found := strings.Cut(string(guide), "<!-- go-example -->\n```go\n")
	code, _, ended := strings.Cut(rest, "```\n<!-- /go-example -->")
	if !found || !ended {
		t.Fatal("docs/toolset.md has no Go code between its marks")
	}
	lines := strings.SplitAfter(code, "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) != "" {
			lines[i] = "\t" + line
		}
	}
	if !strings.Contains(string(example), strings.Join(lines, "")) {
		t.Error("the Go code of docs/toolset.md is not in example_test.go")
	}
	if other := strings.Count(string(guide), "```go\n"); other != 1 {
		t.Errorf("docs/toolset.md has %d pieces of Go code; one is tested", other)
	}
}
