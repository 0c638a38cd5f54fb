package mcppage

import (
	"context"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/browser/mcpbridge"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// TestClosedTab plays the person who closes the tab in the browser's window.
func TestClosedTab(t *testing.T) {
	h := served(t, "")
	ctx, cancel := context.WithCancel(t.Context())
	pages := make(chan *browser.Page, 10)
	bridge := mcpbridge.New(mcpbridge.Options{Address: h.page(), Open: func(ctx context.Context) (mcpbridge.Page, error) {
		page, err := fixture.Browser.Open(ctx, h.page())
		if err != nil {
			return nil, err
		}
		pages <- page
		return page, nil
	}})
	done := make(chan error, 1)
	go func() { done <- bridge.Run(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
	here, there := mcp.NewInMemoryTransports()
	if _, err := bridge.Server().Connect(ctx, there, nil); err != nil {
		t.Fatal(err)
	}
	c := connect(t, here)
	waiting := c.calling(suite.Within(t), "waits", `{}`)
	h.hears(t, "waiting")
	if _, err := chromedp.Call((<-pages).Protocol(), cdppage.Close, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	if got := c.refusal(c.awaits(waiting), "COMPONENT_UNMOUNTED"); got.Details.Progress != "may-have-happened" {
		t.Errorf("the error is %+v", got)
	}
	c.gives("text", `{"zulu":"in a new tab"}`, "in a new tab")
	if len(pages) != 1 {
		t.Errorf("%d tabs were opened since", len(pages))
	}
}
