package units_test

import (
	"testing"

	"github.com/pagewarden/pagewarden/tools/internal/units"
)

func TestBytes(t *testing.T) {
	tests := map[int]string{
		0: "0 B", 999: "999 B", 1_000: "1.0 kB", 13_960: "14.0 kB", 420_000: "0.42 MB", 1_254_000: "1.25 MB",
	}
	for n, want := range tests {
		if got := units.Bytes(n); got != want {
			t.Errorf("Bytes(%d) = %q; want %q", n, got, want)
		}
	}
}
