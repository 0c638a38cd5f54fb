package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"
)

// defaultCalls is how often each way of calling is tried.
const defaultCalls = 100_000

// calls is $PAGEWARDEN_CALLS, or defaultCalls.
func calls(t *testing.T) int {
	t.Helper()
	text := os.Getenv("PAGEWARDEN_CALLS")
	if text == "" {
		return defaultCalls
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 {
		t.Fatalf("PAGEWARDEN_CALLS is %q; want a number of calls", text)
	}
	return n
}

// TestScheduling runs web/test/scheduling.js: nothing that can be reached from an export waits. The timers of its page
// throw from before the script loads.
func TestScheduling(t *testing.T) {
	n := calls(t)
	t.Run("calls", func(t *testing.T) { runScheduling(t, fmt.Sprintf("{ calls: %d }", n)) })
	t.Run("while the collector runs all the time", func(t *testing.T) {
		runScheduling(t, fmt.Sprintf("{ calls: %d, gcPercent: 5 }", (n+9)/10))
	})
}

func runScheduling(t *testing.T, setup string) {
	t.Helper()
	p := open(t, "scheduling.html")
	ctx, cancel := context.WithTimeout(context.Background(), 15*time.Minute)
	defer cancel()
	raw, err := p.Eval(ctx, "run("+setup+")")
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	if err := json.Unmarshal(raw, &lines); err != nil {
		t.Fatalf("the suite gave %s: %v", raw, err)
	}
	if len(lines) != 9 {
		t.Errorf("the suite has %d parts; want 9", len(lines))
	}
	for _, line := range lines {
		t.Log(line)
	}
}
