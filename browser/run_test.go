package browser

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

func TestRun(t *testing.T) {
	p := withTool(t, "plain.html", "instant")
	address, err := Run(within(t, 10*time.Second), p, "asking for the address", chromedp.Location())
	if err != nil || !strings.HasSuffix(address, "/plain.html") {
		t.Errorf("the address is %q, %v", address, err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	if _, err := Run(ended, p, "asking too late", chromedp.Location()); err == nil || !strings.HasPrefix(err.Error(), "asking too late: ") {
		t.Errorf("after the caller's end: %v; want an error that says what was being done", err)
	}
}
