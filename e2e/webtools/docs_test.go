package webtools

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

const guide = "docs/webtools.md"

// TestPageOfTheGuide saves the page of docs/webtools.md beside the built runtime, calls its tool and confirms.
func TestPageOfTheGuide(t *testing.T) {
	p := openAt(t, fixture.Browser, fixture.Paste(t, fixture.Snippet(t, guide, "webtools-page"), nil))
	if _, err := p.WaitForTools(suite.Within(t), func(tools []browser.Tool) bool { return len(tools) == 1 }); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	ctx := suite.Within(t)
	go func() {
		result, err := p.Call(ctx, "clear_cart", json.RawMessage("{}"))
		if err == nil && (result.IsError() || !strings.Contains(result.Value(), "The cart is empty.")) {
			err = fmt.Errorf("the agent got %s", result.Value())
		}
		ended <- err
	}()
	p.Until(`document.getElementById("clear").hasAttribute("data-pagewarden-confirm")`)
	if count := see[string](p, `document.getElementById("count").textContent`); count != "3" {
		t.Errorf("before the click there are %s", count)
	}
	p.click("clear")
	p.must(<-ended)
	if count := see[string](p, `document.getElementById("count").textContent`); count != "0" {
		t.Errorf("afterwards there are %s", count)
	}
}

// TestSnippetsOfTheGuide runs the rest of its code in order, and compares what stands after the arrows.
func TestSnippetsOfTheGuide(t *testing.T) {
	text := fixture.Text(t, guide)
	var code strings.Builder
	for _, found := range regexp.MustCompile("(?ms)^```js\n(.*?)^```$").FindAllStringSubmatch(text, -1) {
		code.WriteString(found[1])
	}
	arrow := regexp.MustCompile(`(?m)^(.*); // → (.*)$`)
	arrows := len(arrow.FindAllString(code.String(), -1))
	if blocks := strings.Count(text, "```") / 2; blocks != 3 || arrows != 3 {
		t.Fatalf("the guide has %d pieces of code and %d arrows; this test knows of 3 and 3", blocks, arrows)
	}
	checked := arrow.ReplaceAllString(code.String(), "is(($1), ($2));")
	p := open(t, "")
	got := see[[]string](p, `(async () => {
		const { defineWebTool, toModelContextTool, createCallTracker, WebToolError } = lab;
		const same = [];
		const is = (got, want) => same.push(JSON.stringify(got) === JSON.stringify(want) ? "same" : JSON.stringify(got));
		`+checked+`
		return same;
	})()`)
	if strings.Join(got, " ") != "same same same" {
		t.Errorf("the arrows give %q", got)
	}
}
