package webmcp

import (
	"context"
	_ "embed"
	"strings"
	"syscall/js"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/registry"
)

//go:embed testdata/context.js
var contextSource string

// realPage is an adapter on the page that the test runs in, over an object of one style.
type realPage struct {
	t        *testing.T
	object   js.Value // what testdata/context.js returns
	registry *registry.Registry
	page     *Page
	adapter  *Adapter
	logged   []string
}

func newRealPage(t *testing.T, style string, change ...func(*Options)) *realPage {
	t.Helper()
	p := &realPage{
		t: t, object: js.Global().Get("Function").New("style", contextSource).Invoke(style),
		registry: newRegistry(t, host.Native()), page: NewPage(),
	}
	t.Cleanup(func() { js.Global().Get("Reflect").Call("deleteProperty", js.Global().Get("document"), "modelContext") })
	options := Options{Find: p.page.Find, Log: func(text string) { p.logged = append(p.logged, text) }}
	for _, edit := range change {
		edit(&options)
	}
	p.adapter = New(options)
	if err := p.adapter.Start(Host{Registry: p.registry, Consumer: browserAgent}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.adapter.Stop)
	return p
}

func (p *realPage) register(componentType string, execute registry.ProcedureFunc) *registry.Handle {
	p.t.Helper()
	handle, err := p.registry.Register(&registry.Component{
		Type: componentType, Description: "A widget",
		Actions: []registry.Action{{
			Name: "poke", Description: "Pokes", Effect: capability.LocalState,
			Input: registry.Schema{Document: `{"type":"object","properties":{"n":{"type":"integer"}},"additionalProperties":false}`}, Execute: execute,
		}},
	})
	if err != nil {
		p.t.Fatal(err)
	}
	return handle
}

func echo(_ context.Context, input capability.JSON, _ *registry.Call) (capability.JSON, error) {
	return input, nil
}

// until waits for the page.
func (p *realPage) until(what string, holds func() bool) {
	p.t.Helper()
	waitFor(p.t, what, holds)
}

func (p *realPage) has(names string) {
	p.t.Helper()
	p.until("the tools "+names, func() bool { return p.object.Call("names").String() == names })
}

// answer is what the last call gave, once it has.
func (p *realPage) answer() string {
	p.t.Helper()
	p.until("an answer", func() bool { return p.object.Get("last").Type() == js.TypeString })
	return p.object.Get("last").String()
}

func (p *realPage) call(name string, input any, second any) string {
	p.t.Helper()
	p.object.Call("call", name, input, second)
	return p.answer()
}

func TestPageOfEveryStyle(t *testing.T) {
	for _, style := range []string{"by-name", "by-signal", "by-promise", "whole-set"} {
		t.Run(style, func(t *testing.T) {
			p := newRealPage(t, style)
			handle := p.register("ui", echo)
			p.register("refused", echo)
			p.has("view_ui__poke")
			p.until("the refusal", func() bool { return len(p.adapter.Status().Refused) == 1 })
			if refusal := p.adapter.Status().Refused[0]; refusal.Name != "view_refused__poke" || !strings.Contains(refusal.Error, "that name is taken") {
				t.Errorf("refused: %+v", refusal)
			}
			const good = `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`
			for _, input := range []any{map[string]any{"n": 1}, `{"n":1}`} {
				if got := p.call("view_ui__poke", input, nil); got != good {
					t.Errorf("the call gave %s", got)
				}
			}
			for name, input := range map[string]any{"null": nil, "nothing": js.Undefined()} {
				if got := p.call("view_ui__poke", input, js.Undefined()); !strings.Contains(got, `"structuredContent":{}`) {
					t.Errorf("with %s the call gave %s", name, got)
				}
			}
			if got := p.call("view_ui__poke", map[string]any{"n": "one"}, nil); !strings.Contains(got, `INVALID_INPUT`) || !strings.Contains(got, `"isError":true`) {
				t.Errorf("the call gave %s", got)
			}
			handle.Unregister()
			p.has("")
			if got := p.call("view_ui__poke", nil, nil); !strings.Contains(got, `COMPONENT_UNMOUNTED`) {
				t.Errorf("a tool that the page kept gave %s", got)
			}
			p.adapter.Stop()
			p.has("")
			if got := p.call("view_ui__poke", nil, nil); !strings.Contains(got, `CAPABILITY_NOT_FOUND`) {
				t.Errorf("after the end, a tool that the page kept gave %s", got)
			}
		})
	}
}

func TestPageInputsAndWhatComesWithThem(t *testing.T) {
	p := newRealPage(t, "by-signal")
	p.register("ui", echo)
	p.has("view_ui__poke")
	if got := p.call("view_ui__poke", p.object.Call("cyclic"), nil); !strings.Contains(got, "cannot be written as JSON") {
		t.Errorf("a cycle gave %s", got)
	}
	if got := p.call("view_ui__poke", nil, p.object.Call("hostile")); !strings.Contains(got, `"structuredContent":{}`) {
		t.Errorf("getters that throw gave %s", got)
	}
	aborted := js.Global().Get("AbortSignal").Call("abort")
	if got := p.call("view_ui__poke", nil, map[string]any{"signal": aborted}); !strings.Contains(got, "CANCELLED") {
		t.Errorf("a call that was given up gave %s", got)
	}
}

// TestPageOfEveryType: what a page gives may be of any type, and what it throws too.
func TestPageOfEveryType(t *testing.T) {
	for _, value := range []string{"1n", "Symbol('x')", "null", "undefined", "5", "true", "'text'", "() => 1", "Object.create(null)", "new Proxy(function () {}, {})"} {
		t.Run(value, func(t *testing.T) {
			odd := js.Global().Get("Function").New("return " + value).Invoke()
			p := newRealPage(t, "by-signal")
			p.register("ui", echo)
			p.has("view_ui__poke")
			for _, second := range []any{odd, map[string]any{"signal": odd, "requestUserInteraction": odd}} {
				if got := p.call("view_ui__poke", nil, second); !strings.Contains(got, `"structuredContent":{}`) {
					t.Errorf("beside %s the call gave %s", value, got)
				}
			}
			if got := p.call("view_ui__poke", odd, nil); got == "" || strings.HasPrefix(got, "thrown") {
				t.Errorf("with %s the call gave %q", value, got)
			}
			p.object.Call("throwing", odd)
			p.register("other", echo)
			p.until("the refusal", func() bool { return len(p.adapter.Status().Refused) == 1 })
			js.Global().Get("Function").New("value", "Object.defineProperty(document, 'modelContext', { configurable: true, value })").Invoke(odd)
			if found := NewPage().Find(); found != nil {
				t.Errorf("%s is taken for an object that lists tools", value)
			}
		})
	}
}

func TestPageAbortsTheHandler(t *testing.T) {
	p := newRealPage(t, "by-signal")
	began, aborted := false, false
	p.register("ui", func(ctx context.Context, _ capability.JSON, _ *registry.Call) (capability.JSON, error) {
		began = true
		select {
		case <-ctx.Done():
			aborted = true
		case <-time.After(10 * time.Second):
		}
		return "", ctx.Err()
	})
	p.has("view_ui__poke")
	controller := js.Global().Get("AbortController").New()
	p.object.Call("call", "view_ui__poke", nil, map[string]any{"signal": controller.Get("signal")})
	p.until("the handler", func() bool { return began })
	controller.Call("abort")
	if got := p.answer(); !strings.Contains(got, "CANCELLED") {
		t.Errorf("the call gave %s", got)
	}
	p.until("the handler's own signal", func() bool { return aborted })
}

func TestPageHandsTheClientOn(t *testing.T) {
	asked := 0
	p := newRealPage(t, "by-signal", func(o *Options) {
		o.Confirm = func(request ConfirmRequest, answer func(bool, error)) {
			asked++
			request.Client.(js.Value).Call("requestUserInteraction")
			answer(true, nil)
		}
	})
	handle, err := p.registry.Register(&registry.Component{
		Type: "ui", Description: "A widget",
		Actions: []registry.Action{{
			Name: "poke", Description: "Pokes", Effect: capability.LocalState, Execute: echo,
			Confirmation: capability.Required, Input: registry.Schema{Document: `{"type":"object"}`},
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer handle.Unregister()
	p.has("view_ui__poke")
	interact := js.Global().Get("Function").New("globalThis.interacted = true")
	defer js.Global().Delete("interacted")
	if got := p.call("view_ui__poke", nil, map[string]any{"requestUserInteraction": interact}); asked != 1 || !strings.Contains(got, `"structuredContent":{}`) {
		t.Errorf("asked %d times; the call gave %s", asked, got)
	}
	if !js.Global().Get("interacted").Truthy() {
		t.Error("the client was not asked")
	}
}

func TestPageWithoutAModelContext(t *testing.T) {
	page := NewPage()
	if context := page.Find(); context != nil {
		t.Errorf("found %v", context)
	}
	p := newRealPage(t, "by-name")
	if first, second := p.page.Find(), p.page.Find(); first == nil || first != second {
		t.Errorf("two looks at one object gave %v and %v", first, second)
	}
}
