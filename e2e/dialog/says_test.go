package dialog

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/e2e/internal/person"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// TestDialogIsModal looks at it through the protocol, as assistive technology does.
func TestDialogIsModal(t *testing.T) {
	p := open(t, "")
	p.ask(`{ sku: "tea" }`, destructive)
	page := p.page()
	d := page.Find("alertdialog", "Allow this destructive action?")
	if d == nil || !d.Is("modal") {
		t.Fatalf("there is no modal dialog with that name in %q", page.Text())
	}
	if !strings.Contains(d.Description, "Destructive") || !strings.Contains(d.Description, "Carry out an order") {
		t.Errorf("its description is %q", d.Description)
	}
	if focused(d) == nil {
		t.Error("the focus is not in it")
	}
	if page.Find("button", "A button of the page") != nil {
		t.Error("the page behind it can still be reached")
	}
	see[any](p, `document.querySelector("#outside").focus() ?? document.querySelector("#field").focus() ?? true`)
	if focused(p.dialog()) == nil {
		t.Error("a script has moved the focus out of it")
	}
}

// TestFocusStaysInside walks with the Tab key, forwards and back: only the dialog and the browser's own controls get it.
func TestFocusStaysInside(t *testing.T) {
	p := open(t, "")
	p.ask(`{ note: "x".repeat(5000), list: Array(40).fill("more than fits") }`, clearCart)
	seen := map[string]bool{}
	for range 12 {
		p.must(p.me.Tab(suite.Within(t), false))
		if name := see[string](p, "document.activeElement.id"); name != "" {
			t.Fatalf("Tab gives the focus to %s of the page", name)
		}
		if f := focused(p.dialog()); f != nil {
			seen[f.Role+" "+f.Name] = true
		}
	}
	for _, want := range []string{"button Deny", "button Approve", "group Allow this action?"} {
		if !seen[want] {
			t.Errorf("Tab does not reach %s, but %v", want, seen)
		}
	}
	for range 12 {
		p.must(p.me.Tab(suite.Within(t), true))
		if name := see[string](p, "document.activeElement.id"); name != "" {
			t.Fatalf("Shift+Tab gives the focus to %s of the page", name)
		}
	}
}

// TestDialogTellsAll checks what is said about each effect, and about the call.
func TestDialogTellsAll(t *testing.T) {
	for _, c := range []struct {
		capability, title string
		says              []string
	}{
		{clearCart, "Allow this action?", []string{"Changes what this page shows", "Clear the cart", "Remove every article"}},
		{"domain:shop.server-mutation", "Allow this action?", []string{"Changes data on the server", "Carry out an order"}},
		{"domain:shop.external-side-effect", "Allow this action?", []string{"Acts outside this system", "Carry out an order"}},
		{destructive, "Allow this destructive action?", []string{"Destructive: what it changes may be lost", "Carry out an order"}},
	} {
		t.Run(c.capability, func(t *testing.T) {
			p := open(t, "")
			p.ask(`{ sku: "tea" }`, c.capability)
			d := p.dialog()
			if d.Name != c.title {
				t.Errorf("it is called %q; want %q", d.Name, c.title)
			}
			text := d.Text()
			for _, want := range append(c.says, c.capability, "The shopping cart", "shop.cart", "helper", "embedded", "1:5", "Deny", "Approve") {
				if !strings.Contains(text, want) && !(want == "1:5" && strings.Contains(text, "2:00 left")) {
					t.Errorf("it does not say %q: %q", want, text)
				}
			}
		})
	}
}

func TestInstanceIsNamed(t *testing.T) {
	p := open(t, "")
	see[any](p, `(lab.registry.register({ type: "shop.shelf", instanceId: "top-left", description: "A shelf", actions: {
		empty: { description: "Empty the shelf", effect: "local-state", confirmation: "required", input: lab.runtime.emptyObjectSchema, execute() {} } } }), true)`)
	p.ask(`{}`, "view:shop.shelf.empty")
	text := p.dialog().Text()
	for _, want := range []string{"A shelf", "shop.shelf (top-left)", "This action takes no input."} {
		if !strings.Contains(text, want) {
			t.Errorf("it does not say %q: %q", want, text)
		}
	}
}

// inputs are the exact inputs of TestEveryLeafIsShown, in JSON.
func inputs() map[string]string {
	return map[string]string{
		"flat":     `{"sku":"tea","count":2,"gift":true,"note":null}`,
		"nested":   `{"order":{"lines":[{"sku":"tea","count":1},{"sku":"milk","options":{"cold":true,"tags":["a","b"]}}],"to":{"street":"Hauptstraße 1","zip":"01099"}},"a":[[1,[2]],[]],"b":{}}`,
		"numbers":  `{"n":[0,1.5,-7,1e21,1e-7,9007199254740991]}`,
		"texts":    `{"t":["5","true","null","","  ","<b>","漢字","🙂","a\"b","c\\d"]}`,
		"names":    `{"":1,"a b":2,"a.b":3,"a[0]":4,"ü":5,"__proto__":6,"constructor":7,"toString":8,"quote\"":9}`,
		"no names": `{"deep":{"deep":{"deep":{"deep":{"deep":{"deep":{"deep":{"deep":1}}}}}}}}`,
		"many":     manyJSON(),
	}
}

func manyJSON() string {
	lines := make([]string, 400)
	for i := range lines {
		lines[i] = fmt.Sprintf(`{"id":"dev-%03d","count":%d}`, i, i)
	}
	return `{"lines":[` + strings.Join(lines, ",") + `]}`
}

// TestEveryLeafIsShown compares the rows of the table, as assistive technology is told of them, with a walk of its own
// through the input.
func TestEveryLeafIsShown(t *testing.T) {
	p := open(t, "")
	for name, input := range inputs() {
		t.Run(name, func(t *testing.T) {
			p.ask(fmt.Sprintf("JSON.parse(%q)", input), clearCart)
			defer func() {
				see[any](p, "lab.registry.confirmations.forceExpire(lab.pending()[0])")
				p.gone()
			}()
			var value any
			if err := json.Unmarshal([]byte(input), &value); err != nil {
				t.Fatal(err)
			}
			want := leaves("", value)
			got := rows(p.dialog())
			slices.Sort(want)
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("the table has\n%q\nwant\n%q", got, want)
			}
			if title := fmt.Sprintf("Exact input: %d values", len(want)); len(want) > 1 && p.dialog().Find("heading", title) == nil {
				t.Errorf("it does not say %q", title)
			}
		})
	}
}

// rows are the rows of the table of the input, as NAME = VALUE.
func rows(d *person.Element) []string {
	var all []string
	for _, row := range d.All("row") {
		if head, cell := row.Find("rowheader", ""), row.Find("cell", ""); head != nil && cell != nil {
			all = append(all, head.Name+" = "+cell.Name)
		}
	}
	return all
}

// leaves writes down a value as rows does.
func leaves(path string, value any) []string {
	var all []string
	switch value := value.(type) {
	case map[string]any:
		for name, member := range value {
			all = append(all, leaves(pathTo(path, name), member)...)
		}
		if len(value) == 0 {
			all = append(all, path+" = empty object")
		}
	case []any:
		for i, element := range value {
			all = append(all, leaves(fmt.Sprintf("%s[%d]", path, i), element)...)
		}
		if len(value) == 0 {
			all = append(all, path+" = empty list")
		}
	case string:
		if value == "" {
			value = "empty text"
		}
		all = append(all, path+" = "+value)
	default:
		text, _ := json.Marshal(value) // what came from JSON
		all = append(all, path+" = "+strings.ReplaceAll(string(text), "e-07", "e-7"))
	}
	return all
}

func pathTo(path, name string) string {
	plain := name != "" && strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_") == ""
	if !plain {
		quoted, _ := json.Marshal(name) // a string
		return path + "[" + string(quoted) + "]"
	}
	if path == "" {
		return name
	}
	return path + "." + name
}
