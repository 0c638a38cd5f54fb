package predict_test

import (
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/predict"
	"github.com/pagewarden/pagewarden/registry"
)

const guide = "../docs/prediction.md"

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// TestGuideHasTheReceiptTable compares the guide with the rows, and the outcomes with what a call really gives.
func TestGuideHasTheReceiptTable(t *testing.T) {
	var table strings.Builder
	for _, row := range predict.ReceiptRows() {
		when := row.When
		if when != "" {
			when = "`" + when + "`"
		}
		fmt.Fprintf(&table, "| `%s` | %s | `%s` | %s | `%s` |\n", row.Pipeline, when, row.Code, row.Stage, outcomeOf(t, row))
	}
	if !strings.Contains(read(t, guide), "\n"+table.String()) {
		t.Errorf("%s needs this table of receipt codes:\n%s", guide, table.String())
	}
}

// outcomeOf is the outcome in the receipt of a call that ended as the row says.
func outcomeOf(t *testing.T, row predict.ReceiptRow) predict.Verdict {
	t.Helper()
	var details capability.ObjectWriter
	details.OptionalText("phase", row.When)
	details.OptionalText("reason", strings.Replace(row.When, "*", "invalid", 1))
	receipt := predict.ReceiptOf(registry.Result{Error: &capability.Error{Code: row.Pipeline, Details: details.JSON()}})
	if receipt.OK || receipt.Error.Code != row.Code {
		t.Errorf("%s gives %s", row.Pipeline, receipt.JSON())
	}
	return receipt.Verdict
}

// TestGuideShowsWhatRuns finds every piece of Go of the guide in the examples.
func TestGuideShowsWhatRuns(t *testing.T) {
	indent := regexp.MustCompile(`(?m)^\t+`)
	examples := indent.ReplaceAllString(read(t, "example_test.go"), "")
	pieces := regexp.MustCompile("(?s)```go\n(.*?)```").FindAllStringSubmatch(read(t, guide), -1)
	if len(pieces) != 3 {
		t.Errorf("the guide has %d pieces of Go", len(pieces))
	}
	for _, piece := range pieces {
		if !strings.Contains(examples, indent.ReplaceAllString(piece[1], "")) {
			t.Errorf("this is in no example:\n%s", piece[1])
		}
	}
}
