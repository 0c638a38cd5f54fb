package canonical_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/canonical"
	"github.com/pagewarden/pagewarden/capability"
)

// FuzzEncode holds that Encode takes what ValueLimits.Decode takes, except numbers whose form is out of
// bounds, and that the form is valid, stable and the same value. More seeds are in testdata.
func FuzzEncode(f *testing.F) {
	f.Add(`{"b":[1.0,-0,1e400],"a":"\u0041\ud83d\ude00\/"}`, uint8(3), false)
	f.Add(`{"a":1,"\u0061":2}`, uint8(1), true)
	f.Fuzz(func(t *testing.T, text string, depth uint8, float64Integers bool) {
		limits := capability.ValueLimits{MaxBytes: 1 << 20, MaxDepth: int(depth), Float64Integers: float64Integers}
		form, issue := canonical.Encode(capability.JSON(text), limits)
		value, refused := limits.Decode(capability.JSON(text))
		if issue != nil {
			if refused == nil && !strings.Contains(issue.Message, "must be a number") {
				t.Fatalf("Encode(%q) refuses what Decode takes: %v", text, issue)
			}
			return
		}
		if refused != nil {
			t.Fatalf("Encode(%q) takes what Decode refuses: %v", text, refused)
		}
		checkForm(t, text, form, value)
	})
}

func checkForm(t *testing.T, text string, form capability.JSON, value any) {
	t.Helper()
	again, issue := wide.Decode(form)
	if issue != nil || !equalValues(value, again) {
		t.Fatalf("Encode(%q) = %q, which is another value (%v)", text, form, issue)
	}
	if second := mustEncode(t, string(form)); second != string(form) {
		t.Fatalf("%q encodes to %q", form, second)
	}
	if !json.Valid([]byte(form)) || !canonical.Equal(form, capability.JSON(text)) {
		t.Fatalf("the form of %q is not equal to it: %q", text, form)
	}
}
