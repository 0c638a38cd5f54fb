package matrix

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// The tools of the lab's gate.
const (
	enter = "view_zoo__gate__enter"
	ring  = "view_zoo__gate__ring"
	watch = "view_zoo__gate__watch"
)

func itsSurface(w *world) {
	w.do("lab.mountGate()")
	w.Have(ring)
	s := w.status()
	if !s.Supported || s.Surface != w.host.style {
		w.T.Errorf("the adapter says %+v; want the surface %s", s, w.host.style)
	}
	w.do("lab.mountGate()") // a second adapter on the same object cannot have the name
	w.Until("lab.status(1).refused.length === 1 && lab.status(1).registered.length === 0")
	w.do("lab.reset()")
	w.Have()

	if s := see[status](w, "lab.early()"); s.Supported || s.Surface != "none" {
		w.T.Errorf("without an object the adapter says %+v", s)
	}
	w.Have()
	w.do("lab.come()")
	const sing = "view_early__bird__sing"
	w.Have(sing)
	w.gives(w.call(sing, `{}`), `"sung"`)
}

// noInput is the schema of a tool without input.
const noInput = `{"type":"object","properties":{},"additionalProperties":false}`

func everyKind(w *world) {
	w.do("lab.kinds()")
	const act, look, navigate = "view_kinds__all__act", "view_kinds__all__look", "view_kinds__all__go"
	const query, change, erase = "domain_kinds__query", "domain_kinds__change", "domain_kinds__erase"
	w.Have(act, look, navigate, query, change, erase)
	tools, err := w.Tools(suite.Within(w.T))
	if err != nil {
		w.T.Fatal(err)
	}
	item := `{"type":"object","properties":{"item":{"type":"string"}},"required":["item"],"additionalProperties":false}`
	w.describes(tools, look, "Look.", noInput, browser.Annotations{ReadOnly: true, UntrustedContent: true})
	w.describes(tools, act, "Act.", `{"type":"object","properties":{"zulu":{"type":"string"},"alpha":{"type":"integer","minimum":1}},"required":["zulu","alpha"],"additionalProperties":false}`, browser.Annotations{})
	w.describes(tools, navigate, "Go.", `{"type":"object","properties":{},"required":[],"additionalProperties":false}`, browser.Annotations{})
	w.describes(tools, query, "Query.", item, browser.Annotations{ReadOnly: true})
	w.describes(tools, change, "Change.", item, browser.Annotations{})
	w.describes(tools, erase, "Erase.", item, browser.Annotations{Consequential: true})
	if title := toolNamed(w.T, tools, look).Title; w.host.titled && title != "Look at it" {
		w.T.Errorf("the title of %s is %q", look, title)
	}
	w.gives(w.call(look, `{}`), `[1,"two",null]`)
	w.gives(w.call(act, `{"zulu":"ab","alpha":3}`), `{"done":"ababab"}`)
	w.gives(w.call(navigate, `{}`), `null`)
	w.gives(w.call(query, `{"item":"tea"}`), `{"input":{"item":"tea"},"path":"kinds.query"}`)
	w.gives(w.call(change, `{"item":"tea"}`), `{"input":{"item":"tea","tenant":"ours"},"path":"kinds.change"}`)
}

// describes compares what an agent is told of a tool, as far as the host tells it.
func (w *world) describes(tools []browser.Tool, name, description, schema string, hints browser.Annotations) {
	w.T.Helper()
	tool := toolNamed(w.T, tools, name)
	switch w.host.hints {
	case "none":
		hints = browser.Annotations{}
	case "two":
		hints.Consequential = false
	}
	if tool.Description != description || !sameJSON(w.T, string(tool.InputSchema), schema) || tool.Annotations != hints {
		w.T.Errorf("%s is %+v with the schema %s; want %q, %+v and %s", name, tool, tool.InputSchema, description, hints, schema)
	}
}

func toolNamed(t *testing.T, tools []browser.Tool, name string) browser.Tool {
	t.Helper()
	at := slices.IndexFunc(tools, func(tool browser.Tool) bool { return tool.Name == name })
	if at < 0 {
		t.Fatalf("no tool %q in %q", name, suite.NamesOf(tools))
	}
	return tools[at]
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	return fmt.Sprintf("%#v", parsed(t, a)) == fmt.Sprintf("%#v", parsed(t, b))
}

// parsed reads JSON; of equal objects, fmt prints the members in one order.
func parsed(t *testing.T, text string) any {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return value
}

func typedRefusal(w *world) {
	w.do("lab.kinds()")
	w.Have("view_kinds__all__act", "view_kinds__all__look", "view_kinds__all__go", "domain_kinds__query", "domain_kinds__change", "domain_kinds__erase")
	for input, path := range map[string]string{
		`{"zulu":"a","alpha":"3"}`: "alpha", `{"zulu":"a","alpha":0}`: "alpha", `{"zulu":"a"}`: "", `{"zulu":"a","alpha":1,"more":1}`: "",
	} {
		r := w.refuses(w.call("view_kinds__all__act", input), "INVALID_INPUT")
		issues, _ := json.Marshal(r.Details["issues"])
		if r.Retry != "with-changes" || !strings.Contains(string(issues), path) || string(issues) == "null" {
			w.T.Errorf("%s gives %+v", input, r)
		}
	}
}

func wholeErrorPayload(w *world) {
	w.do("lab.failures()")
	w.Have("view_shop__door__enter", "view_shop__door__break")
	result, err := w.Call(suite.Within(w.T), "view_shop__door__enter", nil)
	if err != nil || !result.IsError() {
		w.T.Fatalf("the call gave %s, %v; want a result that says isError", result.Raw, err)
	}
	const payload = `{"code":"PRECONDITION_FAILED","message":"The shop opens at nine.","retry":"with-changes","details":{"opens":"09:00"}}`
	if !sameJSON(w.T, result.Value(), payload) {
		w.T.Errorf("the payload is %s; want %s", result.Value(), payload)
	}
	r := w.refuses(w.call("view_shop__door__break", `{}`), "EXECUTION_FAILED")
	if r.Details["reason"] != "handler-error" || strings.Contains(fmt.Sprint(r), "secret") {
		w.T.Errorf("the refusal is %+v", r)
	}
}

func comesAndGoes(w *world) {
	w.do("lab.mountGate()")
	w.Have(ring)
	for range 3 {
		for name, open := range map[string]string{enter: "openGate", watch: "letWatch"} {
			w.do("lab." + open + "(true)")
			w.Have(name, ring)
			w.gives(w.call(name, `{}`), map[string]string{enter: `"in"`, watch: `"seen"`}[name])
			w.do("lab." + open + "(false)")
			w.Have(ring)
			if a := w.call(name, `{}`); a.err == nil {
				w.T.Errorf("a tool that has gone gives %s", a)
			}
		}
	}
	w.do("lab.letWatchUntold(true)")
	w.gives(w.call(ring, `{}`), `"rung"`) // after a call the adapter looks by itself
	w.Have(ring, watch)
	w.do("lab.setGateEnabled(false)")
	w.Have()
	w.do("lab.letWatchUntold(false)")
	w.do("lab.setGateEnabled(true)")
	w.Have(ring)
	w.gives(w.call(ring, `{}`), `"rung"`)
}

// ofOthers is what other code's tool of the same name gives.
const ofOthers = `7`

func nameTaken(w *world) {
	w.do(fmt.Sprintf("lab.takeName(%q)", ring))
	w.Have(ring)
	w.do("lab.mountGate()")
	if w.host.style == "whole-set" {
		// The set replaces what other code had, as every caller of provideContext does.
		w.Have(ring)
		w.gives(w.call(ring, `{}`), `"rung"`)
		return
	}
	w.Until("lab.status().refused.length === 1")
	if s := w.status(); s.Refused[0].Name != ring || s.Refused[0].Error == "" || len(s.Registered) != 0 {
		w.T.Errorf("the adapter says %+v", s)
	}
	w.gives(w.call(ring, `{}`), ofOthers)
	w.do("lab.openGate(true)")
	w.Have(enter, ring)
	w.gives(w.call(ring, `{}`), ofOthers)
	w.do("lab.reset()")
	w.Have(ring) // it is not the adapter's to take away
	w.gives(w.call(ring, `{}`), ofOthers)
	w.do("lab.mountGate()")
	w.do(fmt.Sprintf("lab.giveNameUp(%q)", ring))
	w.do("lab.invalidate()")
	w.Until("lab.status().registered.length === 1")
	w.Have(ring)
	w.gives(w.call(ring, `{}`), `"rung"`)
}

func twoRegistries(w *world) {
	const first, second = "view_two__first__tell", "view_two__second__tell"
	w.do("lab.two()")
	w.Have(first, second)
	w.gives(w.call(first, `{}`), `"first"`)
	w.gives(w.call(second, `{}`), `"second"`)
	w.do("lab.surfaces()[0].adapter.stop()")
	w.Have(second)
	w.gives(w.call(second, `{}`), `"second"`)
	w.do("lab.surfaces()[1].registry.dispose()")
	w.Have()
}

func inAnIframe(w *world) {
	w.do("lab.mountGate()")
	w.do(fmt.Sprintf("lab.embed(%q)", w.address+"?auto"))
	tools := w.Have(ring, hold, poke)
	if poke := toolNamed(w.T, tools, poke); poke.Frame.Main || !strings.HasSuffix(poke.Frame.URL, "?auto") {
		w.T.Errorf("the iframe's tool is %+v", poke)
	}
	w.gives(w.call(ring, `{}`), `"rung"`)
	w.gives(w.call(poke, `{}`), `"poked"`)
	w.do("lab.newWidget()") // the page may have tools of the same names
	own := w.Have(ring, hold, hold, poke, poke)
	for _, tool := range own {
		if tool.Name == poke {
			result, err := w.CallTool(suite.Within(w.T), tool, nil)
			w.gives(answerOf(result, err), `"poked"`)
		}
	}
	w.do("lab.removeFrames()")
	w.Have(ring, hold, poke)
	w.tidy()
	w.borrowed()
}

// borrowed offers tools through an iframe's object, which the iframe takes along when it goes. Chromium 149 and later do
// not survive the abort of a tool's signal then.
func (w *world) borrowed() {
	w.T.Helper()
	w.do(fmt.Sprintf("lab.borrow(%q)", w.address))
	w.Have(enter, ring)
	w.gives(w.call(enter, `{}`), `"in"`)
	w.do("lab.openGate(false)")
	w.Have(ring)
	w.do("lab.removeFrames()")
	w.Have()
	w.do("lab.openGate(true)")
	w.do("lab.task()")
	w.do("lab.openGate(false)")
	w.do("lab.task()")
	w.do("lab.surfaces()[0].adapter.stop()")
	if s := w.status(); len(s.Registered) != 0 {
		w.T.Errorf("after its stop the adapter says %+v", s)
	}
}

func fiveHundredTools(w *world) {
	w.do("lab.many(500)")
	tools, err := w.WaitForTools(suite.Within(w.T), func(tools []browser.Tool) bool { return len(tools) == 500 })
	if err != nil {
		w.T.Fatalf("%v; there are %d tools", err, len(tools))
	}
	w.gives(w.call("view_many__part490__tell499", `{}`), `499`)
	w.gives(w.call("view_many__part0__tell0", `{}`), `0`)
	if s := w.status(); len(s.Registered) != 500 || len(s.Refused) != 0 {
		w.T.Errorf("the adapter has %d tools and was refused %+v", len(s.Registered), s.Refused)
	}
	w.do("lab.removeMany()")
	w.Have()
}

func manyChanges(w *world) {
	w.do("lab.mountGate()")
	w.Have(ring)
	counted := see[struct{ Added int }](w, "lab.flutter()")
	if counted.Added != 1 {
		w.T.Errorf("200 changes in one turn made the adapter speak %d times; want once", counted.Added)
	}
	w.Have(enter, ring)
	w.gives(w.call(enter, `{}`), `"in"`)
	w.do("lab.flicker()")
	w.Have(enter, ring)
	w.Until("lab.status().registered.length === 2")
	w.gives(w.call(enter, `{}`), `"in"`)
}

func stopAndStart(w *world) {
	w.do("lab.mountGate()")
	w.Have(ring)
	w.do("[lab.surfaces()[0].adapter.stop(), lab.surfaces()[0].adapter.stop()]")
	w.Have()
	if s := w.status(); len(s.Registered) != 0 || len(s.Refused) != 0 {
		w.T.Errorf("after its stop the adapter says %+v", s)
	}
	w.do("lab.surfaces()[0].adapter.start({ registry: lab.surfaces()[0].registry, consumer: { id: 'again', kind: 'webmcp' } })")
	w.Have(ring)
	w.gives(w.call(ring, `{}`), `"rung"`)
}

func wholeSet(w *world) {
	const first, second = "view_two__first__tell", "view_two__second__tell"
	w.do("lab.twoOnOneSet()")
	w.Have(first, second)
	if s := w.status(); s.Surface != "whole-set" {
		w.T.Errorf("the adapter says %+v", s)
	}
	w.gives(w.call(first, `{}`), `"first"`)
	w.do("lab.surfaces()[0].adapter.stop()")
	w.Have(second)
	w.gives(w.call(second, `{}`), `"second"`)
	w.do("lab.surfaces()[1].adapter.stop()")
	w.Have()
}
