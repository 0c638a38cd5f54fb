package browser

import (
	"context"
	"iter"
	"strings"
	"testing"
	"time"

	cdpbrowser "github.com/chromedp/cdproto/browser"
	"github.com/chromedp/chromedp"
)

// A page leaves nothing in the folder of the person who runs the program.
func TestDownloadsAreRefused(t *testing.T) {
	p := opened(t, "plain.html")
	ctx, cancel := context.WithTimeout(p.Protocol(), 30*time.Second)
	defer cancel()
	next, stop := iter.Pull2(chromedp.BrowserEvents(ctx, cdpbrowser.DownloadProgress))
	defer stop()
	_, err := p.Eval(ctx, `{
		const link = document.createElement("a");
		link.href = "data:application/octet-stream,abc";
		link.download = "pagewarden-test-download.txt";
		link.click();
	}`)
	if err != nil {
		t.Fatal(err)
	}
	e, err, _ := next()
	for err == nil && e.State == cdpbrowser.DownloadProgressStateInProgress {
		e, err, _ = next()
	}
	if err != nil || e.State != cdpbrowser.DownloadProgressStateCanceled {
		t.Errorf("the download is %q (%v)", e.State, err)
	}
}

// What is kept of a page that talks without end is little.
func TestStart(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "short": "short", strings.Repeat("x", maxText): strings.Repeat("x", maxText),
		strings.Repeat("x", maxText+1):     strings.Repeat("x", maxText) + "…",
		"x" + strings.Repeat("ü", maxText): "x" + strings.Repeat("ü", maxText/2-1) + "…",
	} {
		if got := start(text); got != want {
			t.Errorf("of %d bytes, %d are kept, want %d", len(text), len(got), len(want))
		}
	}
}
