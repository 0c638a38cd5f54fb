package webtools

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
	"github.com/pagewarden/pagewarden/tools/chromium"
)

// TestExampleOfTheSeed: registered by hand, called by the browser's agent, confirmed by a person: on document.modelContext
// in this machine's Chromium, and on navigator.modelContext in 147.
func TestExampleOfTheSeed(t *testing.T) {
	t.Run("document.modelContext", func(t *testing.T) { playSeed(t, fixture.Browser) })
	t.Run("navigator.modelContext", func(t *testing.T) {
		builds := chromium.Builds()
		at := slices.IndexFunc(builds, func(i chromium.Item) bool { return i.Alias == "chromium-147" })
		if err := builds[at].Check(fixture.Root); err != nil {
			t.Fatal(err)
		}
		old, err := browser.Launch(suite.Within(t), browser.Options{Path: builds[at].Path(fixture.Root)})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := old.Close(); err != nil {
				t.Error(err)
			}
		})
		playSeed(t, old)
	})
}

func playSeed(t *testing.T, in *browser.Browser) {
	p := openIn(t, in, "seed.html")
	tools, err := p.WaitForTools(suite.Within(t), func(tools []browser.Tool) bool { return len(tools) == 1 })
	p.must(err)
	if tools[0].Name != "clear_cart" || !strings.HasPrefix(tools[0].Description, "Remove every item") {
		t.Fatalf("the browser has %+v", tools[0])
	}
	type outcome struct {
		result browser.Result
		err    error
	}
	ended := make(chan outcome, 1)
	ctx := suite.Within(t)
	go func() {
		result, err := p.Call(ctx, "clear_cart", json.RawMessage("{}"))
		ended <- outcome{result, err}
	}()
	p.Until(`document.getElementById("clear").hasAttribute("data-pagewarden-confirm")`)
	p.do(`(document.getElementById("clear").click(), null)`)
	select {
	case o := <-ended:
		t.Fatalf("a script's click confirmed it: %v, %v", o.result, o.err)
	default:
	}
	p.click("clear")
	o := <-ended
	p.must(o.err)
	if got := fmt.Sprint(o.result.Value()); got != "The cart is empty." && got != `"The cart is empty."` {
		t.Errorf("the agent got %s", got)
	}
}
