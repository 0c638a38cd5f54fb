package webtools

import (
	"fmt"
	"maps"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/e2e/internal/person"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// found is what a call would touch.
type found struct {
	Control *string
	Fields  map[string]string
}

func (p *tab) look(definition, args string) found {
	p.T.Helper()
	return see[found](p, fmt.Sprintf("lab.look(%s, %s)", definition, args))
}

func (f found) control() string {
	if f.Control == nil {
		return ""
	}
	return *f.Control
}

// TestControlIsFound: by its accessible name, visible and enabled only, and only when it is the only one.
func TestControlIsFound(t *testing.T) {
	const shadow = `<div id="host"></div>`
	for name, c := range map[string]struct {
		html, definition string
		setup            string
		want             string // the id, "" for none
	}{
		"a button":                         {html: `<button id="a">Clear cart</button><button id="b">Other</button>`, want: "a"},
		"a link":                           {html: `<a id="a" href="#x">Clear cart</a>`, want: "a"},
		"a link that leads nowhere":        {html: `<a id="a">Clear cart</a>`},
		"a role":                           {html: `<div id="a" role="button" tabindex="0">Clear cart</div>`, want: "a"},
		"an input button":                  {html: `<input id="a" type="submit" value="Clear cart">`, want: "a"},
		"a picture":                        {html: `<button id="a"><img alt="Clear cart" src="data:,"></button>`, want: "a"},
		"a label by aria":                  {html: `<button id="a" aria-label="Clear cart">×</button>`, want: "a"},
		"a label elsewhere":                {html: `<span id="l">Clear</span><button id="a" aria-labelledby="l m">×</button><span id="m">cart</span>`, want: "a"},
		"a pseudo-element":                 {html: `<button id="a" class="named">tea</button>`, definition: `{title: "Buy tea"}`, want: "a"},
		"hidden parts":                     {html: `<button id="a">Clear <span class="hidden">the</span> cart</button>`, want: "a"},
		"letters and spaces":               {html: "<button id=\"a\">  CLEAR \n Cart </button>", want: "a"},
		"an image map":                     {html: `<button id="a" title="Clear cart"></button>`, want: "a"},
		"more than the name":               {html: `<button id="a">Clear cart now</button>`},
		"no text that is the name":         {html: `<p>Clear cart</p>`},
		"the id's words":                   {html: `<button id="a">Clear cart</button>`, definition: `{title: "Something else"}`, want: "a"},
		"the id's humps":                   {html: `<button id="a">Clear my cart</button>`, definition: `{id: "clearMyCart", title: undefined}`, want: "a"},
		"the title before the words":       {html: `<button id="a">Clear cart</button><button id="b">Empty it</button>`, definition: `{title: "Empty it"}`, want: "b"},
		"two":                              {html: `<button id="a">Clear cart</button><button id="b">Clear cart</button>`},
		"two of which one is hidden":       {html: `<button id="a" class="hidden">Clear cart</button><button id="b">Clear cart</button>`, want: "b"},
		"two of which one is disabled":     {html: `<button id="a" disabled>Clear cart</button><button id="b">Clear cart</button>`, want: "b"},
		"disabled by its fieldset":         {html: `<fieldset disabled><button id="a">Clear cart</button></fieldset>`},
		"disabled by aria":                 {html: `<button id="a" aria-disabled="true">Clear cart</button>`},
		"invisible":                        {html: `<button id="a" style="visibility: hidden">Clear cart</button>`},
		"transparent":                      {html: `<div style="opacity: 0"><button id="a">Clear cart</button></div>`},
		"inert":                            {html: `<div inert><button id="a">Clear cart</button></div>`},
		"hidden from assistive technology": {html: `<div aria-hidden="true"><button id="a">Clear cart</button></div>`},
		"skipped content":                  {html: `<div style="content-visibility: hidden"><button id="a">Clear cart</button></div>`},
		"behind a dialog":                  {html: `<button id="a">Clear cart</button><dialog id="d">Wait</dialog>`, setup: `document.getElementById("d").showModal()`},
		"in a dialog":                      {html: `<button id="a">Clear cart</button><dialog id="d"><button id="b">Clear cart</button></dialog>`, setup: `document.getElementById("d").showModal()`, want: "b"},
		"in a shadow root":                 {html: shadow, setup: "lab.shadow('#host', '<button id=a>Clear cart</button>')", want: "a"},
		"in a shadow root's shadow root":   {html: shadow, setup: "lab.shadow('#host', '<p id=inner></p>').querySelector('p').attachShadow({ mode: 'open' }).innerHTML = '<button id=a>Clear cart</button>'", want: "a"},
		"in a hidden shadow root":          {html: `<div class="hidden" id="host"></div>`, setup: "lab.shadow('#host', '<button id=a>Clear cart</button>')"},
		"in a closed shadow root":          {html: shadow, setup: "lab.shadow('#host', '<button id=a>Clear cart</button>', 'closed')"},
		"one here and one in a root":       {html: shadow + `<button id="b">Clear cart</button>`, setup: "lab.shadow('#host', '<button id=a>Clear cart</button>')"},
		"a slot":                           {html: `<div id="host"><span>Clear cart</span></div>`, setup: "lab.shadow('#host', '<button id=a><slot></slot></button>')", want: "a"},
		"a selector":                       {html: `<button id="a">One</button><button id="b" class="x">Two</button>`, definition: `{control: ".x"}`, want: "b"},
		"a selector of two":                {html: `<button class="x">One</button><button class="x">Two</button>`, definition: `{control: ".x"}`},
		"a selector of one that is seen":   {html: `<button class="x hidden">One</button><button id="b" class="x">Two</button>`, definition: `{control: ".x"}`, want: "b"},
		"a selector that is none":          {html: `<button id="a">Clear cart</button>`, definition: `{control: "..x"}`},
		"a selector into a shadow root":    {html: shadow, setup: "lab.shadow('#host', '<button id=a class=x>One</button>')", definition: `{control: ".x"}`, want: "a"},
		"an element":                       {html: `<p id="a">Any</p>`, definition: `{control: document.getElementById("a")}`, want: "a"},
		"an element that is hidden":        {html: `<p id="a" class="hidden">Any</p>`, definition: `{control: document.getElementById("a")}`},
		"a function":                       {html: `<p id="a">Any</p>`, definition: `{control: () => document.getElementById("a")}`, want: "a"},
		"a function that finds nothing":    {html: ``, definition: `{control: () => null}`},
		"a function that fails":            {html: ``, definition: `{control: () => { throw new Error("no"); }}`},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, c.html)
			if c.setup != "" {
				p.do("(() => { " + c.setup + " })()")
			}
			definition := c.definition
			if definition == "" {
				definition = "{}"
			}
			if got := p.look(definition, "{}").control(); got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

// TestUnavailableControl: without exactly one, the call fails before anything moves, and says why.
func TestUnavailableControl(t *testing.T) {
	for name, c := range map[string]struct{ html, definition, says string }{
		"none":       {``, `{}`, `There is not a button or link named "Clear cart" that a person can see and press now.`},
		"two":        {`<button>Clear cart</button><button>Clear cart</button>`, `{}`, "2 elements"},
		"no control": {``, `{control: ".x"}`, "the control that this tool names"},
		"failing":    {``, `{control: () => { throw new Error("it is closed"); }}`, "it is closed"},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, c.html+`<input name="n" value="before">`)
			got := p.call(strings.Replace(c.definition, "{", "{params: ['n'], requireConfirmation: true, fill: () => lab.log.push('fill'), ", 1), `{n: "after"}`)
			if got.Error != "unavailable" || !strings.Contains(got.Message, c.says) {
				t.Errorf("got %+v", got)
			}
			if value := see[string](p, `document.querySelector("input").value`); value != "before" {
				t.Errorf("it wrote %q", value)
			}
			if log := see[[]string](p, "lab.log"); len(log) != 0 {
				t.Errorf("it ran %q", log)
			}
		})
	}
}

// TestNamesAreThoseOfTheBrowser: what the browser tells assistive technology is what a control is found by.
func TestNamesAreThoseOfTheBrowser(t *testing.T) {
	p := open(t, `
		<button>Plain</button>
		<button><b>Bold</b> and <i>not</i></button>
		<button aria-label="By label">x</button>
		<button title="By title"></button>
		<button aria-labelledby="one two">x</button><span id="one">First</span><span id="two">second</span>
		<button><img alt="A picture" src="data:,"> of it</button>
		<button><svg><title>Drawn</title></svg></button>
		<button>Line<br>break</button>
		<button>Some <span style="display:none">hidden </span>words</button>
		<button>Block <div>inside</div></button>
		<button class="named">milk</button>
		<a href="#a">A link</a>
		<a href="#b" aria-label="Another link">x</a>
		<div role="button" tabindex="0">Role <span aria-hidden="true">not this</span></div>
		<input type="submit" value="Send it"><input type="button" value="Press">
		<input type="image" alt="Image button" src="data:,">
		<button aria-describedby="one">Described</button>
		<button>Quoted “text” &amp; more</button>
		<label for="labelled">Its label</label><button id="labelled">x</button>`)
	page, err := p.me.Look(suite.Within(t))
	p.must(err)
	names := map[string]int{}
	for _, role := range []string{"button", "link"} {
		for _, e := range page.All(role) {
			names[e.Name]++
		}
	}
	if len(names) < 18 {
		t.Fatalf("the browser tells of %v", names)
	}
	for name := range maps.Keys(names) {
		got := p.look(fmt.Sprintf("{title: %s}", quoted(name)), "{}")
		if got.Control == nil {
			t.Errorf("%q is not found", name)
		}
	}
}

// TestFieldsAreFound: by name, id or label, and by the schema's title.
func TestFieldsAreFound(t *testing.T) {
	const titled = `{input: {type: "object", properties: {q: {title: "Search for"}}}}`
	for name, c := range map[string]struct {
		html, definition, args string
		setup                  string
		want                   map[string]string
	}{
		"by name":                       {html: `<input id="a" name="q">`, want: map[string]string{"q": "a"}},
		"by id":                         {html: `<input id="q">`, want: map[string]string{"q": "q"}},
		"by label":                      {html: `<label>Q <input id="a"></label>`, want: map[string]string{"q": "a"}},
		"by the words of a label":       {html: `<label>Unit price <input id="a"></label>`, definition: `{params: ["unitPrice"]}`, args: `{unitPrice: 1}`, want: map[string]string{"unitPrice": "a"}},
		"by the schema's title":         {html: `<label>Search for <input id="a"></label>`, definition: titled, want: map[string]string{"q": "a"}},
		"by aria-label":                 {html: `<input id="a" aria-label="q">`, want: map[string]string{"q": "a"}},
		"by placeholder":                {html: `<input id="a" placeholder="q">`, want: map[string]string{"q": "a"}},
		"name before id":                {html: `<input id="q"><input id="a" name="q">`, want: map[string]string{"q": "a"}},
		"id before label":               {html: `<label>Q <input id="a"></label><input id="q">`, want: map[string]string{"q": "q"}},
		"a select":                      {html: `<select id="a" name="q"><option>1</option></select>`, want: map[string]string{"q": "a"}},
		"a textarea":                    {html: `<textarea id="a" name="q"></textarea>`, want: map[string]string{"q": "a"}},
		"edited in place":               {html: `<div id="q" contenteditable></div>`, want: map[string]string{"q": "q"}},
		"radio buttons":                 {html: `<input type="radio" id="a" name="q" value="1"><input type="radio" id="b" name="q" value="2">`, want: map[string]string{"q": "a"}},
		"radio buttons by their legend": {html: `<fieldset><legend>Q</legend><label><input type="radio" id="a" name="x" value="1">One</label><label><input type="radio" name="x" value="2">Two</label></fieldset>`, want: map[string]string{"q": "a"}},
		"two":                           {html: `<input name="q"><input name="q">`},
		"two in different forms":        {html: `<form><input id="a" name="q"><button>Other</button></form><form><input id="b" name="q"><button>Clear cart</button></form>`, want: map[string]string{"q": "b"}},
		"hidden":                        {html: `<input type="hidden" name="q"><input class="hidden" name="q"><input id="a" name="q">`, want: map[string]string{"q": "a"}},
		"a button":                      {html: `<button name="q">Q</button><input type="submit" name="q">`},
		"in a shadow root":              {html: `<div id="host"></div>`, setup: `lab.shadow("#host", "<input id=a name=q>")`, want: map[string]string{"q": "a"}},
		"by a selector":                 {html: `<input id="a" class="x"><input name="q">`, definition: `{params: ["q"], fields: {q: ".x"}}`, want: map[string]string{"q": "a"}},
		"by an element":                 {html: `<input id="a"><input name="q">`, definition: `{params: ["q"], fields: {q: document.getElementById("a")}}`, want: map[string]string{"q": "a"}},
		"by a function":                 {html: `<input id="a"><input name="q">`, definition: `{params: ["q"], fields: {q: () => document.getElementById("a")}}`, want: map[string]string{"q": "a"}},
		"by a function that fails":      {html: `<input name="q">`, definition: `{params: ["q"], fields: {q: () => { throw new Error("no"); }}}`},
		"by a selector that is none":    {html: `<input name="q">`, definition: `{params: ["q"], fields: {q: "..x"}}`},
		"nothing for what is not given": {html: `<input name="q"><input id="a" name="r">`, definition: `{params: ["q", "r"]}`, args: `{r: 1}`, want: map[string]string{"r": "a"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, c.html)
			if c.setup != "" {
				p.do("(() => { " + c.setup + " })()")
			}
			definition, args := c.definition, c.args
			if definition == "" {
				definition = `{params: ["q"]}`
			}
			if args == "" {
				args = `{q: "x"}`
			}
			if got := p.look(definition, args).Fields; !maps.Equal(got, c.want) {
				t.Errorf("found %v, want %v", got, c.want)
			}
		})
	}
}

// middle is where the person would click on the element with that id.
func (p *tab) middle(id string) person.Point {
	p.T.Helper()
	return see[person.Point](p, fmt.Sprintf(`(() => {
		const find = (root) => root.getElementById(%[1]q) ?? [...root.querySelectorAll("*")].map((e) => e.shadowRoot && find(e.shadowRoot)).find(Boolean);
		const box = find(document).getBoundingClientRect();
		return { X: box.x + box.width / 2, Y: box.y + box.height / 2 };
	})()`, id))
}
