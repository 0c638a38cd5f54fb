package dialog

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// snippet is the code of docs/confirmation.md under a name.
func snippet(t *testing.T, name string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(fixture.Root, "docs", "confirmation.md"))
	if err != nil {
		t.Fatal(err)
	}
	found := regexp.MustCompile("(?s)<!-- " + name + " -->\n```\\w+\n(.*?)```\n<!-- /" + name + " -->").FindStringSubmatch(string(content))
	if found == nil {
		t.Fatalf("docs/confirmation.md has no snippet %s", name)
	}
	return found[1]
}

// TestSnippetsAreAllTested: a new one needs a test.
func TestSnippetsAreAllTested(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(fixture.Root, "docs", "confirmation.md"))
	if err != nil {
		t.Fatal(err)
	}
	if count := strings.Count(string(content), "```") / 2; count != 3 {
		t.Errorf("there are %d snippets; this file runs three", count)
	}
}

// serve opens a page with its script and the script's contract, beside the built runtime.
func serve(t *testing.T, page, script string) *tab {
	t.Helper()
	contract, err := site.Contract(suite.Within(t), script)
	if err != nil {
		t.Fatal(err)
	}
	dist, err := site.Dist(fixture.Root)
	if err != nil {
		t.Fatal(err)
	}
	files := http.FileServerFS(dist)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/":
			w.Header().Set("Content-Type", "text/html; charset=utf-8")
			fmt.Fprint(w, page)
		case "/cart.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, script)
		case site.ContractPath:
			_, _ = w.Write(contract)
		case "/favicon.ico": // the browser asks for one by itself
			w.WriteHeader(http.StatusNoContent)
		default:
			files.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return openAt(t, server.URL+"/")
}

// TestPageOfTheGuide pastes the page of docs/confirmation.md. An agent calls its tool, and a person approves.
func TestPageOfTheGuide(t *testing.T) {
	approvePage(t, snippet(t, "confirmation-module"), "Allow this action?", "Approve")
}

// TestWordsOfTheGuide puts the labels of docs/confirmation.md into its script.
func TestWordsOfTheGuide(t *testing.T) {
	script := strings.Replace(snippet(t, "confirmation-module"), "mountConfirmationDialog(registry);", snippet(t, "confirmation-labels"), 1)
	approvePage(t, script, "Diese Aktion erlauben?", "Erlauben")
}

func approvePage(t *testing.T, script, title, approve string) {
	t.Helper()
	p := serve(t, snippet(t, "confirmation-page"), script)
	_, err := p.WaitForTools(suite.Within(t), func(tools []browser.Tool) bool { return len(tools) == 1 })
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
