package capability_test

import (
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
)

// The table of registry.md, under the names of JavaScript.
const defaultLimits = `{"maxComponentDescription":500,"maxCapabilityDescription":300,"maxMetaBytes":2048,"maxOutputBytes":32768,` +
	`"maxSchemaBytes":16384,"maxReason":300,"maxInputBytes":262144,"maxSchemaDepth":8,"maxInputDepth":64,` +
	`"observationTimeoutMs":5000,"actionTimeoutMs":10000,"procedureTimeoutMs":30000,"actionQueueDepth":2,` +
	`"maxConcurrentObservationsPerConsumer":8,"maxConcurrentObservationsTotal":32,"maxQueuedObservationsPerConsumer":8,` +
	`"dedupeCacheSize":200,"dedupeCacheTtlMs":600000,"tombstoneSize":100,"tombstoneTtlMs":300000,` +
	`"confirmationTtlMs":120000,"maxPendingConfirmations":32,"maxPendingConfirmationsPerConsumer":8}`

func TestDefaultLimits(t *testing.T) {
	if got := capability.DefaultLimits().JSON(); got != defaultLimits {
		t.Errorf("got  %s\nwant %s", got, defaultLimits)
	}
}

func TestEveryLimitHasAName(t *testing.T) {
	fields := reflect.TypeFor[capability.Limits]().NumField()
	if named := len(capability.JSON(defaultLimits).Members()); named != fields {
		t.Errorf("%d limits, %d names", fields, named)
	}
}

func TestSetEveryLimit(t *testing.T) {
	for i, member := range capability.JSON(defaultLimits).Members() {
		var limits capability.Limits
		if err := limits.Set(member.Name, 7); err != nil {
			t.Errorf("Set(%s): %v", member.Name, err)
		}
		members := limits.JSON().Members()
		for j, other := range members {
			if want := map[bool]capability.JSON{true: "7", false: "0"}[i == j]; other.Value != want {
				t.Errorf("after Set(%s, 7), %s is %s", member.Name, other.Name, other.Value)
			}
		}
		if err := limits.Set(member.Name, 0); err != nil || limits != (capability.Limits{}) {
			t.Errorf("Set(%s, 0): %v, %+v", member.Name, err, limits)
		}
	}
}

func TestSetDuration(t *testing.T) {
	limits := capability.DefaultLimits()
	if err := limits.Set("confirmationTtlMs", 1500); err != nil || limits.ConfirmationTTL != 1500*time.Millisecond {
		t.Errorf("ConfirmationTTL = %v, %v", limits.ConfirmationTTL, err)
	}
	if err := limits.Set("dedupeCacheTtlMs", 4e9); err != nil || limits.DedupeCacheTTL != 4e9*time.Millisecond {
		t.Errorf("DedupeCacheTTL = %v, %v", limits.DedupeCacheTTL, err)
	}
}

func TestSetRefuses(t *testing.T) {
	tests := []struct {
		name  string
		value float64
		want  string
	}{
		{"maxInputBytes", -1, "whole number"},
		{"maxInputBytes", 1.5, "whole number"},
		{"maxInputBytes", math.NaN(), "whole number"},
		{"maxInputBytes", math.Inf(1), "whole number"},
		{"maxInputBytes", math.Inf(-1), "whole number"},
		{"actionTimeoutMs", 1e19, "whole number"},
		{"actionTimeoutMs", 1 << 53, "whole number"},
		{"actionTimeoutMs", math.MaxInt64, "whole number"},
		{"maxInputDepth", 257, "at most 256"},
		{"maxSchemaDepth", 257, "at most 256"},
		{"maxInputDepth", 4e9, "at most 256"},
		{"MaxInputBytes", 1, "no such limit"},
		{"", 1, "no such limit"},
		{"__proto__", 1, "no such limit"},
	}
	for _, tt := range tests {
		limits := capability.DefaultLimits()
		err := limits.Set(tt.name, tt.value)
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), "limit "+tt.name) {
			t.Errorf("Set(%q, %v) = %v; want an error about %q", tt.name, tt.value, err, tt.want)
		}
		if limits != capability.DefaultLimits() {
			t.Errorf("Set(%q, %v) failed and changed a limit", tt.name, tt.value)
		}
	}
}

func TestDepthsMayReachTheCeiling(t *testing.T) {
	limits := capability.DefaultLimits()
	for _, name := range []string{"maxInputDepth", "maxSchemaDepth"} {
		if err := limits.Set(name, capability.DepthCeiling); err != nil {
			t.Errorf("Set(%s): %v", name, err)
		}
	}
	if limits.MaxInputDepth != capability.DepthCeiling || limits.MaxSchemaDepth != capability.DepthCeiling {
		t.Errorf("depths are %d and %d", limits.MaxInputDepth, limits.MaxSchemaDepth)
	}
}
