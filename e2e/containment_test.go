package e2e

import (
	"fmt"
	"maps"
	"slices"
	"testing"
)

// TestWhateverThePageThrows throws every kind of value in every place in which the runtime calls a function of the page.
// All values have one outcome in one place; nothing reaches an agent, nothing is left uncaught, and nothing is kept.
func TestWhateverThePageThrows(t *testing.T) {
	const failed = "EXECUTION_FAILED handler-error"
	want := map[string]string{
		"execute":                      failed,
		"execute, rejecting":           failed,
		"execute, a thenable":          failed,
		"execute, a then that throws":  failed,
		"when":                         "CAPABILITY_NOT_AVAILABLE when-error",
		"unavailableReason":            "CAPABILITY_NOT_AVAILABLE Currently unavailable",
		"precondition":                 "PRECONDITION_FAILED",
		"parse":                        "INVALID_INPUT",
		"a Standard Schema":            "INVALID_INPUT",
		"read":                         failed,
		"read, rejecting":              failed,
		"onDiscovery":                  "CAPABILITY_NOT_FOUND",
		"onAuthorize":                  failed,
		"onAuthorize, rejecting":       failed,
		"onAuthorize, after next":      failed,
		"onInvoke":                     failed,
		"onInvoke, rejecting":          failed,
		"onInvoke, a thenable":         failed,
		"hasPermission":                "CAPABILITY_NOT_FOUND",
		"tenantBoundary":               "CAPABILITY_NOT_FOUND",
		"requireConfirmation, if":      "CONFIRMATION_REQUIRED client",
		"requireConfirmation, summary": "CONFIRMATION_REQUIRED client",
		"bind":                         "PRECONDITION_FAILED binding-failed",
		"describe":                     `ok "ran"`,
		"the executor":                 "EXECUTION_FAILED transport",
		"the executor, rejecting":      "EXECUTION_FAILED transport",
		"context":                      `ok "ran", active`,
		"route":                        `ok "ran", active`,
		"now":                          `ok "ran", active`,
		"audit":                        `ok "ran", active`,
		"onRegister":                   "CAPABILITY_NOT_FOUND, rejected",
		"a listener":                   "ok 1, others are told",
		"a listener of confirmations":  "CONFIRMATION_REQUIRED client, others are told",
		"exposeCapability":             "0 registered, 0 refused",
		"confirm":                      `1 registered, 0 refused, "ran"`,
		"registerTool":                 "0 registered, 1 refused",
		"registerTool, rejecting":      "0 registered, 1 refused",
		"unregisterTool":               `1 registered, 0 refused, "ran"`,
	}
	p := open(t, "containment/page.html")
	p.Until("globalThis.containment !== undefined")
	p.Expected = []string{"pagewarden: "} // what developers are told of their own failures
	before := tablesOf(p)
	values := see[int](p, "containment.values")
	if places := see[[]string](p, "containment.places.sort()"); !slices.Equal(places, slices.Sorted(maps.Keys(want))) {
		t.Fatalf("the page has the places %q", places)
	}
	for _, environment := range []string{"test", "development"} {
		for place, outcome := range want {
			t.Run(environment+"/"+place, func(t *testing.T) {
				got := see[map[string][]string](p, fmt.Sprintf("containment.tryPlace(%q, %q)", place, environment))
				if len(got) != 1 || len(got[outcome]) != values {
					t.Errorf("%d values lead to %q; want %s for each", values, got, outcome)
				}
			})
		}
	}
	if uncaught := see[[]string](p, "containment.uncaught"); len(uncaught) > 0 {
		t.Errorf("nobody caught %q", uncaught)
	}
	if after := tablesOf(p); !maps.Equal(before, after) {
		t.Errorf("the tables were %v and are %v", before, after)
	}
}

// tablesOf are the sizes of what could be kept; Go's own goroutines come and go.
func tablesOf(p tab) map[string]int {
	p.T.Helper()
	tables := see[map[string]int](p, "containment.tables()")
	delete(tables, "goroutines")
	return tables
}
