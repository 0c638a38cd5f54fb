package webtools

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// TestFieldsAreWritten tries each kind of field with what it takes and what it does not.
func TestFieldsAreWritten(t *testing.T) {
	const (
		value   = `q => q.value`
		checked = `() => [...document.querySelectorAll("input")].filter((e) => e.checked).map((e) => e.value)`
		chosen  = `q => [...q.selectedOptions].map((o) => o.value)`
	)
	for name, c := range map[string]struct {
		html, args string
		read       string // a function of the first field
		want       any
		why        string // of what is left alone
	}{
		"text":                             {`<input name="q">`, `"Grüße 🎈"`, value, "Grüße 🎈", ""},
		"no type":                          {`<input name="q" type="nonsense">`, `"a"`, value, "a", ""},
		"empty text":                       {`<input name="q" value="old">`, `""`, value, "", ""},
		"null empties":                     {`<input name="q" value="old">`, `null`, value, "", ""},
		"a number as text":                 {`<input name="q">`, `1.5`, value, "1.5", ""},
		"a flag as text":                   {`<input name="q">`, `true`, value, "true", ""},
		"a list as text":                   {`<input name="q" value="old">`, `["a"]`, value, "old", "the value does not fit"},
		"an object as text":                {`<input name="q" value="old">`, `{}`, value, "old", "the value does not fit"},
		"lines in one line":                {`<input name="q" value="old">`, `"a\nb"`, value, "old", "the value does not fit"},
		"longer than a person could type":  {`<input name="q" maxlength="3" value="old">`, `"abcd"`, value, "old", "the value does not fit"},
		"as long as a person could type":   {`<input name="q" maxlength="3">`, `"abc"`, value, "abc", ""},
		"a password":                       {`<input name="q" type="password">`, `"a"`, value, "a", ""},
		"a search":                         {`<input name="q" type="search">`, `"a"`, value, "a", ""},
		"a telephone":                      {`<input name="q" type="tel">`, `"+49"`, value, "+49", ""},
		"an address":                       {`<input name="q" type="url">`, `" https://a.test/ "`, value, "https://a.test/", ""},
		"a mail address":                   {`<input name="q" type="email">`, `"a@b.test"`, value, "a@b.test", ""},
		"mail addresses":                   {`<input name="q" type="email" multiple>`, `["a@b.test","c@d.test"]`, value, "a@b.test,c@d.test", ""},
		"lines of text":                    {`<textarea name="q"></textarea>`, `"a\r\nb\nc"`, value, "a\nb\nc", ""},
		"too much text":                    {`<textarea name="q" maxlength="1">old</textarea>`, `"ab"`, value, "old", "the value does not fit"},
		"a number":                         {`<input name="q" type="number">`, `12.5`, value, "12.5", ""},
		"a number written out":             {`<input name="q" type="number">`, `"1e3"`, value, "1e3", ""},
		"no number":                        {`<input name="q" type="number" value="7">`, `"many"`, value, "7", "the value does not fit"},
		"no number at all":                 {`<input name="q" type="number" value="7">`, `""`, value, "", ""},
		"a range":                          {`<input name="q" type="range" min="0" max="10" value="5">`, `7`, value, "7", ""},
		"beyond a range":                   {`<input name="q" type="range" min="0" max="10" value="5">`, `70`, value, "5", "the value does not fit"},
		"a date":                           {`<input name="q" type="date">`, `"2026-01-31"`, value, "2026-01-31", ""},
		"a date with a time":               {`<input name="q" type="date">`, `"2026-01-31T10:00"`, value, "2026-01-31", ""},
		"no date":                          {`<input name="q" type="date" value="2020-01-01">`, `"tomorrow"`, value, "2020-01-01", "the value does not fit"},
		"no such date":                     {`<input name="q" type="date" value="2020-01-01">`, `"2026-02-30"`, value, "2020-01-01", "the value does not fit"},
		"no date any more":                 {`<input name="q" type="date" value="2020-01-01">`, `null`, value, "", ""},
		"a month":                          {`<input name="q" type="month">`, `"2026-01"`, value, "2026-01", ""},
		"the month of a date":              {`<input name="q" type="month">`, `"2026-01-31"`, value, "2026-01", ""},
		"a week":                           {`<input name="q" type="week">`, `"2026-W05"`, value, "2026-W05", ""},
		"a time":                           {`<input name="q" type="time">`, `"09:30"`, value, "09:30", ""},
		"the time of a moment":             {`<input name="q" type="time">`, `"2026-01-31T09:30:00"`, value, "09:30:00", ""},
		"a moment":                         {`<input name="q" type="datetime-local">`, `"2026-01-31T09:30:00"`, value, "2026-01-31T09:30", ""},
		"a moment of a time zone":          {`<input name="q" type="datetime-local" step="1">`, `"2026-01-31T09:30:15Z"`, `q => Date.parse(q.value) === Date.parse("2026-01-31T09:30:15Z")`, true, ""},
		"a colour":                         {`<input name="q" type="color">`, `"#FFaa00"`, value, "#ffaa00", ""},
		"no colour":                        {`<input name="q" type="color" value="#112233">`, `"red"`, value, "#112233", "the value does not fit"},
		"a checkbox":                       {`<input name="q" type="checkbox">`, `true`, `q => q.checked`, true, ""},
		"a checkbox, off":                  {`<input name="q" type="checkbox" checked>`, `false`, `q => q.checked`, false, ""},
		"a checkbox in words":              {`<input name="q" type="checkbox">`, `"true"`, `q => q.checked`, true, ""},
		"a checkbox that is so":            {`<input name="q" type="checkbox" checked>`, `true`, `q => q.checked`, true, ""},
		"a checkbox by its value":          {`<input name="q" type="checkbox" value="yes">`, `"yes"`, `q => q.checked`, true, ""},
		"no word for a checkbox":           {`<input name="q" type="checkbox">`, `"maybe"`, `q => q.checked`, false, "the value does not fit"},
		"a checkbox that the page refuses": {`<input name="q" type="checkbox" onclick="return false">`, `true`, `q => q.checked`, false, "the page did not take it"},
		"checkboxes":                       {`<input name="q" type="checkbox" value="a" checked><input name="q" type="checkbox" value="b"><label><input name="q" type="checkbox" value="c">See</label>`, `["b","See"]`, checked, []any{"b", "c"}, ""},
		"none of the checkboxes":           {`<input name="q" type="checkbox" value="a" checked><input name="q" type="checkbox" value="b">`, `[]`, checked, []any{}, ""},
		"no such checkbox":                 {`<input name="q" type="checkbox" value="a" checked><input name="q" type="checkbox" value="b">`, `["b","z"]`, checked, []any{"a"}, "the value does not fit"},
		"radio buttons":                    {`<input name="q" type="radio" value="a" checked><input name="q" type="radio" value="b">`, `"b"`, checked, []any{"b"}, ""},
		"radio buttons by label":           {`<input name="q" type="radio" value="a" checked><label><input name="q" type="radio" value="b"> Large </label>`, `"large"`, checked, []any{"b"}, ""},
		"radio buttons by number":          {`<input name="q" type="radio" value="1"><input name="q" type="radio" value="2">`, `2`, checked, []any{"2"}, ""},
		"no such radio button":             {`<input name="q" type="radio" value="a" checked><input name="q" type="radio" value="b">`, `"z"`, checked, []any{"a"}, "the value does not fit"},
		"a radio button that is disabled":  {`<input name="q" type="radio" value="a" checked><input name="q" type="radio" value="b" disabled>`, `"b"`, checked, []any{"a"}, "the value does not fit"},
		"a choice":                         {`<select name="q"><option>a</option><option value="2">b</option></select>`, `2`, value, "2", ""},
		"a choice by its words":            {`<select name="q"><option>a</option><option value="2">The second</option></select>`, `"the  SECOND"`, value, "2", ""},
		"no such choice":                   {`<select name="q"><option>a</option><option>b</option></select>`, `"z"`, value, "a", "the value does not fit"},
		"a choice that is disabled":        {`<select name="q"><option>a</option><option disabled>b</option></select>`, `"b"`, value, "a", "the value does not fit"},
		"choices":                          {`<select name="q" multiple><option selected>a</option><option>b</option><option>c</option></select>`, `["b","c"]`, chosen, []any{"b", "c"}, ""},
		"one of several choices":           {`<select name="q" multiple><option selected>a</option><option>b</option></select>`, `"b"`, chosen, []any{"b"}, ""},
		"no choices":                       {`<select name="q" multiple><option selected>a</option></select>`, `[]`, chosen, []any{}, ""},
		"choices of which one is none":     {`<select name="q" multiple><option selected>a</option><option>b</option></select>`, `["b","z"]`, chosen, []any{"a"}, "the value does not fit"},
		"what is edited in place":          {`<div id="q" contenteditable>old</div>`, `"new"`, `() => document.getElementById("q").textContent`, "new", ""},
		"plain text edited in place":       {`<div id="q" contenteditable="plaintext-only">old</div>`, `"new"`, `() => document.getElementById("q").textContent`, "new", ""},
		"an editor of the page's":          {`<div id="q" contenteditable onbeforeinput="event.preventDefault(); this.textContent = 'its own ' + event.data">old</div>`, `"new"`, `() => document.getElementById("q").textContent`, "its own new", ""},
		"a file":                           {`<input name="q" type="file">`, `"/etc/passwd"`, value, "", "only a person can choose a file"},
		"missing":                          {`<input name="other">`, `"a"`, value, "", "missing"},
		"ambiguous":                        {`<input name="q"><input name="q">`, `"a"`, value, "", "ambiguous"},
		"disabled":                         {`<input name="q" disabled value="old">`, `"a"`, value, "old", "disabled"},
		"in a disabled fieldset":           {`<fieldset disabled><input name="q" value="old"></fieldset>`, `"a"`, value, "old", "disabled"},
		"read-only":                        {`<input name="q" readonly value="old">`, `"a"`, value, "old", "read-only"},
		"read-only lines":                  {`<textarea name="q" readonly>old</textarea>`, `"a"`, value, "old", "read-only"},
		"read-only by aria":                {`<input name="q" aria-readonly="true" value="old">`, `"a"`, value, "old", "read-only"},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, c.html)
			got := p.call(`{params: ["q"]}`, "{q: "+c.args+"}")
			if got.Error != "" {
				t.Fatalf("the call failed: %+v", got)
			}
			if is := see[any](p, fmt.Sprintf(`(%s)(document.querySelector("input, select, textarea"))`, c.read)); !reflect.DeepEqual(is, c.want) {
				t.Errorf("the field has %v, want %v", is, c.want)
			}
			left := []string{}
			if c.why != "" {
				left = append(left, "q")
			}
			if !slices.Equal(got.Unfilled, left) || got.Reasons["q"] != c.why {
				t.Errorf("unfilled %v because %v, want %q", got.Unfilled, got.Reasons, c.why)
			}
			if focus := see[string](p, "document.activeElement.localName"); focus != "body" {
				t.Errorf("the focus went to %s", focus)
			}
		})
	}
}

// TestEventsOfWriting: the page hears what it would hear of a person who is done with the field.
func TestEventsOfWriting(t *testing.T) {
	for name, c := range map[string]struct {
		html, value string
		want        []string
	}{
		"text":                    {`<input name="q">`, `"a"`, []string{"input", "change"}},
		"lines":                   {`<textarea name="q"></textarea>`, `"a"`, []string{"input", "change"}},
		"a choice":                {`<select name="q"><option>a</option><option>b</option></select>`, `"b"`, []string{"input", "change"}},
		"the same choice":         {`<select name="q"><option>a</option><option>b</option></select>`, `"a"`, []string{}},
		"a checkbox":              {`<input name="q" type="checkbox">`, `true`, []string{"click", "input trusted", "change trusted"}},
		"the same":                {`<input name="q" type="checkbox" checked>`, `true`, []string{}},
		"a radio button":          {`<input name="q" type="radio" value="a">`, `"a"`, []string{"click", "input trusted", "change trusted"}},
		"edited in place":         {`<div id="q" contenteditable></div>`, `"a"`, []string{"beforeinput", "input"}},
		"what does not fit":       {`<input name="q" type="number">`, `"a"`, []string{}},
		"what is out of its form": {`<input name="q" type="date">`, `"2026-01-31"`, []string{"input", "change"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, c.html)
			p.do(`(lab.listen("main", "click", "beforeinput", "input", "change", "focusin", "keydown"), null)`)
			p.call(`{params: ["q"], execute: () => ({})}`, "{q: "+c.value+"}")
			if got := see[[]string](p, "lab.log"); !slices.Equal(got, c.want) {
				t.Errorf("heard %q, want %q", got, c.want)
			}
		})
	}
}

// TestOrderOfACall: fields first, then fill, then the work; what fill throws stops it.
func TestOrderOfACall(t *testing.T) {
	p := open(t, `<input name="a"><input name="b">`)
	p.do(`(lab.listen("main", "input"), null)`)
	p.call(`{params: ["a", "b", "c"], fill: (input, { fields, unfilled }) => lab.log.push("fill " + Object.keys(fields).map((name) => name + "=" + fields[name].value) + " left " + unfilled)}`, `{a: 1, b: 2, c: 3}`)
	if got, want := see[[]string](p, "lab.log"), []string{"input", "input", "fill a=1,b=2 left c", "execute"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestFillThatThrows: a fill that throws at once, after a field was written, fails the call and runs once, whatever cursor
// the page has; the tool can be taken away then.
func TestFillThatThrows(t *testing.T) {
	for name, cursor := range map[string]string{
		"no cursor":                     `undefined`,
		"a cursor that answers at once": `() => {}`,
		"a cursor that throws":          `() => { throw new Error("the cursor's own"); }`,
		"a cursor that answers later":   `() => Promise.resolve()`,
	} {
		t.Run(name, func(t *testing.T) {
			p := open(t, `<input id="q" name="q">`)
			p.do(`(document[Symbol.for("pagewarden.cursor")] = ` + cursor + `, null)`)
			p.do(`(() => {
				const input = { type: "object", properties: { q: {} } }, fill = () => { lab.log.push("fill"); throw new lab.WebToolError("sold_out", "None is left."); };
				const modelContext = { registerTool(tool) { lab.begin(tool, { q: "a" }); }, unregisterTool() {} };
				lab.handle = lab.registerWebTool(lab.defineWebTool({ id: "send", description: "Send.", input, fill, execute: () => ({}) }), { modelContext });
			})()`)
			p.came("sold_out")
			p.wantRan("fill")
			if value := see[string](p, `document.getElementById("q").value`); value != "a" {
				t.Errorf("the field has %q", value)
			}
			p.do("lab.handle.unregister()")
		})
	}
}

// TestPagesThatFail: what a handler of the page throws is the page's matter, and the call goes on.
func TestPagesThatFail(t *testing.T) {
	p := open(t, `<input name="q">`)
	p.Expected = append(p.Expected, "the page's own")
	p.do(`document.querySelector("input").addEventListener("input", () => { throw new Error("the page's own"); })`)
	if got := p.call(`{params: ["q"]}`, `{q: "a"}`); got.Error != "" || len(got.Unfilled) != 0 {
		t.Errorf("got %+v", got)
	}
}

// TestWritersAreTheBrowsers: a page that has put accessors of its own on an element, as frameworks do, or a script that
// has changed prototypes since, does not get what is written.
func TestWritersAreTheBrowsers(t *testing.T) {
	p := open(t, `<input name="q">`)
	p.do(`(() => {
		const field = document.querySelector("input");
		Object.defineProperty(field, "value", { set() { lab.log.push("own setter"); }, get: () => "own getter", configurable: true });
		const native = Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value");
		Object.defineProperty(HTMLInputElement.prototype, "value", { ...native, set(text) { lab.log.push("patched setter"); } });
		EventTarget.prototype.dispatchEvent = () => lab.log.push("patched dispatch");
		lab.read = () => native.get.call(field);
	})()`)
	p.call(`{params: ["q"], execute: () => ({})}`, `{q: "a"}`)
	if value := see[string](p, "lab.read()"); value != "a" {
		t.Errorf("the field has %q", value)
	}
	if log := see[[]string](p, "lab.log"); len(log) != 0 {
		t.Errorf("the page got %q", log)
	}
}
