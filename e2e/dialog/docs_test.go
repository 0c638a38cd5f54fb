package dialog

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

const guide = "docs/confirmation.md"

// TestSnippetsAreAllTested: a new one needs a test.
func TestSnippetsAreAllTested(t *testing.T) {
	if count := strings.Count(fixture.Text(t, guide), "```") / 2; count != 3 {
		t.Errorf("there are %d snippets; this file runs three", count)
	}
}

// TestPageOfTheGuide pastes the page of docs/confirmation.md. An agent calls its tool, and a person approves.
func TestPageOfTheGuide(t *testing.T) {
	approvePage(t, fixture.Snippet(t, guide, "confirmation-module"), "Allow this action?", "Approve")
}

// TestWordsOfTheGuide puts the labels of docs/confirmation.md into its script.
func TestWordsOfTheGuide(t *testing.T) {
	script := strings.Replace(fixture.Snippet(t, guide, "confirmation-module"), "mountConfirmationDialog(registry);", fixture.Snippet(t, guide, "confirmation-labels"), 1)
	approvePage(t, script, "Diese Aktion erlauben?", "Erlauben")
}

func approvePage(t *testing.T, script, title, approve string) {
	t.Helper()
	contract, err := site.Contract(suite.Within(t), script)
	if err != nil {
		t.Fatal(err)
	}
	beside := map[string]string{"/cart.js": script, site.ContractPath: string(contract)}
	p := openAt(t, fixture.Paste(t, fixture.Snippet(t, guide, "confirmation-page"), beside))
	_, err = p.WaitForTools(suite.Within(t), func(tools []browser.Tool) bool { return len(tools) == 1 })
	p.must(err)
	type ended struct {
		result browser.Result
		err    error
	}
	end := make(chan ended, 1)
	go func() {
		result, err := p.Call(suite.Within(t), "view_shop__cart__clear", json.RawMessage("{}"))
		end <- ended{result, err}
	}()
	p.Until(`document.querySelector("[data-pagewarden]") !== null`)
	if d := p.dialog(); d.Name != title {
		t.Errorf("the dialog is called %q; want %q", d.Name, title)
	}
	for ctx := suite.Within(t); p.button(approve).Is("disabled"); {
		if ctx.Err() != nil {
			t.Fatal("it never works")
		}
	}
	p.click(approve)
	if got := <-end; got.err != nil || got.result.IsError() {
		t.Errorf("the call gave %s, %v", got.result.Raw, got.err)
	}
	if count := see[string](p, `document.querySelector("#count").textContent`); count != "0" {
		t.Errorf("the page shows %q articles", count)
	}
}
