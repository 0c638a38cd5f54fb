package e2e

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/person"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// openExample has examples/serve assemble a page, as its README says, and opens that.
func openExample(t *testing.T, name string) tab {
	t.Helper()
	dir := t.TempDir()
	assemble := exec.CommandContext(suite.Within(t), "go", "run", "./examples/serve", "-out", dir, name)
	assemble.Dir = fixture.Root
	if output, err := assemble.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	server := httptest.NewServer(http.FileServer(http.Dir(dir)))
	t.Cleanup(server.Close)
	return openIn(t, fixture.Browser, server.URL+"/")
}

// gives calls a tool and wants its output.
func (p tab) gives(name, input, value string) {
	p.T.Helper()
	if result := p.call(name, input); result.IsError() || result.Value() != value {
		p.T.Errorf("%s %s gave %s; want %s", name, input, result.Raw, value)
	}
}

func TestPlainExample(t *testing.T) {
	p := openExample(t, "plain-page")
	const add, books, mark, clear = "view_reading__list__add", "view_reading__list__books", "view_reading__list__markRead", "view_reading__list__clear"
	p.Have(add, books, mark, clear)
	p.gives(add, `{"title":"Emma"}`, "null")
	p.gives(mark, `{"title":"Moby-Dick"}`, "null")
	if r := p.refused(mark, `{"title":"Ulysses"}`, "PRECONDITION_FAILED"); r.Message != "No book has that title. Read the list first." {
		t.Errorf("the refusal says %q", r.Message)
	}
	p.gives(books, `{}`, `[{"title":"Moby-Dick","read":true},{"title":"Emma","read":false}]`)
	const shown = `[...document.querySelectorAll("#books li")].map((item) => item.textContent).join()`
	if text := see[string](p, shown); text != "Moby-Dick (read),Emma" {
		t.Errorf("the page shows %q", text)
	}
	results := make(chan browser.Result, 1)
	go func() {
		result, err := p.Call(suite.Within(t), clear, json.RawMessage(`{}`))
		if err != nil {
			t.Error(err)
		}
		results <- result
	}()
	p.approve()
	if result := <-results; result.IsError() {
		t.Errorf("the confirmed call gave %s", result.Raw)
	}
	p.gives(books, `{}`, `[]`)
}

// approve presses the dialog's button as a person does, once it works.
func (p tab) approve() {
	p.T.Helper()
	me := person.At(p.Page)
	for ctx := suite.Within(p.T); ; {
		tree, err := me.Look(ctx)
		if err != nil {
			p.T.Fatalf("waiting for the dialog: %v", err)
		}
		if button := tree.Find("button", "Approve"); button != nil && !button.Is("disabled") {
			if err := me.Click(ctx, button); err != nil {
				p.T.Fatal(err)
			}
			return
		}
	}
}

func TestReactExample(t *testing.T) {
	p := openExample(t, "react-page")
	const add, articles, remove = "view_shop__cart__add", "view_shop__cart__articles", "view_shop__cart__remove"
	p.Have(add, articles, remove)
	p.gives(add, `{"article":"milk"}`, "null")
	p.gives(articles, `{}`, `["tea","milk"]`)
	p.gives(remove, `{"article":"tea"}`, "null")
	p.refused(remove, `{"article":"tea"}`, "PRECONDITION_FAILED")
	p.refused(add, `{"article":""}`, "INVALID_INPUT")
	p.gives(articles, `{}`, `["milk"]`)
	if text := see[string](p, `document.querySelector("ul").textContent`); text != "milk" {
		t.Errorf("the page shows %q", text)
	}
	const press = `document.querySelector("button").click()`
	see[any](p, press+" ?? null")
	p.Have()
	see[any](p, press+" ?? null")
	p.Have(add, articles, remove)
	p.gives(articles, `{}`, `["milk"]`)
}

func TestVueExample(t *testing.T) {
	p := openExample(t, "vue-page")
	const dim, state, turn = "view_lamp__dim", "view_lamp__state", "view_lamp__turn"
	p.Have(state, turn)
	p.gives(turn, `{"on":true}`, "null")
	p.Have(dim, state, turn)
	p.gives(dim, `{"percent":80}`, "null")
	p.refused(dim, `{"percent":0}`, "INVALID_INPUT")
	p.gives(state, `{}`, `{"on":true,"percent":80}`)
	p.Until(`document.getElementById("state").textContent === "on, 80 %"`)
	see[any](p, `document.querySelector("button").click() ?? null`)
	p.Have(state, turn)
	p.gives(state, `{}`, `{"on":false,"percent":80}`)
}
