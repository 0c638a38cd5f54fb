package predict_test

import (
	"encoding/json"
	"errors"
	"os"
	"testing"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/predict"
)

// TestPatchesOfTheTable applies the patches of testdata, to which web/test/predict-store.test.mjs holds the script.
func TestPatchesOfTheTable(t *testing.T) {
	content, err := os.ReadFile("../testdata/predict/patches.json")
	if err != nil {
		t.Fatal(err)
	}
	var rows []struct {
		Name               string
		State, Patch, Want json.RawMessage
	}
	if err := json.Unmarshal(content, &rows); err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		if got := applied(capability.JSON(row.State), capability.JSON(row.Patch)); !canonical.Equal(got, capability.JSON(row.Want)) {
			t.Errorf("%s: got %s, want %s", row.Name, got, row.Want)
		}
	}
}

// applied is what a patch comes to: the state, "invalid", or what JavaScript would throw.
func applied(state, text capability.JSON) capability.JSON {
	patch, err := predict.ParsePatch(text)
	var argument *predict.ArgumentError
	switch changed, ok := patch.Apply(state); {
	case errors.As(err, &argument) && argument.Size:
		return `"RangeError"`
	case err != nil:
		return `"TypeError"`
	case !ok:
		return `"invalid"`
	default:
		return changed
	}
}
