package registry

import (
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
)

func TestInterruptedChangeEndsTheRegistry(t *testing.T) {
	w := newWorld(t, onLoop(t))
	handle := w.mount(plain())
	failure := func(f func()) (cause any) {
		defer func() { cause = recover() }()
		f()
		return nil
	}
	want(t, "the first panic", failure(func() { w.change(func(*state) { panic("half way") }) }), any("half way"))
	for name, use := range map[string]func(){
		"unregister": handle.Unregister, "invalidate": w.Invalidate, "register": func() { _, _ = w.Register(plain()) },
		"invoke": func() { w.call(Request{CapabilityID: poke}) },
	} {
		if text, _ := failure(use).(string); !strings.Contains(text, "nothing here can be trusted") {
			t.Errorf("%s: %q", name, text)
		}
	}
	w.inspect(func(s *state) { s.torn = false }) // so that the test can clean up
}

func TestParseOfTheAuthors(t *testing.T) {
	parse := func(v capability.JSON) (capability.JSON, []capability.Issue) {
		switch {
		case strings.Contains(string(v), "panic"):
			panic("secret")
		case strings.Contains(string(v), "refuse"):
			return "", []capability.Issue{{Path: "v", Message: "is refused"}}
		case strings.Contains(string(v), "garbage"):
			return `{"v":`, nil
		}
		return `{"v":"parsed"}`, nil
	}
	w := newWorld(t, onLoop(t))
	in := action("poke", echo)
	in.Input = Schema{Document: anyObject, Parse: parse}
	out := action("push", echo)
	out.Output = Schema{Document: anyObject, Parse: parse}
	w.mount(widget(in, out))
	const push = "view:bench.widget.push"
	w.invoke(poke, `{}`).wantOutput(t, `{"v":"parsed"}`)
	w.invoke(push, `{}`).wantOutput(t, `{"v":"parsed"}`)
	for _, value := range []capability.JSON{`{"v":"panic"}`, `{"v":"refuse"}`, `{"v":"garbage"}`} {
		wantNoSecret(t, wantError(t, w.invoke(poke, value), capability.CodeInvalidInput))
		wantNoSecret(t, wantError(t, w.invoke(push, value), capability.CodeExecutionFailed, "reason=output-invalid", "progress=done"))
	}
}

func TestParsedInputMustBeWhatIsConfirmed(t *testing.T) {
	w := newWorld(t, onLoop(t))
	var got capability.JSON
	a := action("poke", func(_ contextArg, in capability.JSON, _ *Call) (capability.JSON, error) { got = in; return "", nil })
	a.Confirmation = capability.Required
	a.Input = Schema{Document: anyObject, Parse: func(capability.JSON) (capability.JSON, []capability.Issue) { return ` {"b":1.0,"a":2}`, nil }}
	w.mount(widget(a))
	q := Request{CapabilityID: poke, Input: `{"x":1}`}
	id := w.ask(q)
	want(t, "what the person sees", w.Confirmations().Pending()[0].Input, `{"a":2,"b":1}`)
	w.approve(id)
	w.call(q.with(id)).wantOK("")
	want(t, "what the handler gets", got, `{"a":2,"b":1}`)
}

func TestInternalPanicIsAnErrorWithoutItsText(t *testing.T) {
	w := newWorld(t, onLoop(t))
	w.mount(plain())
	w.inspect(func(s *state) { s.offers[poke].first().input = nil }) // a bug of the runtime's own
	wantNoSecret(t, wantError(t, w.invoke(poke, ""), capability.CodeExecutionFailed, "reason=internal"))
	w.invoke(readState, "").wantOutput(t, `{"n":1}`)
	want(t, "told the developer", w.logged("internal error in "+poke), true)
}
