package webmcp

import (
	"syscall/js"

	"github.com/pagewarden/pagewarden/capability"
)

// Page is the page that the program itself runs in: a Go program with a wasm of its own, rather than the runtime that a
// page's script loads. A program makes one and gives its Find to every adapter. It needs no other JavaScript than what
// starts the program.
//
// It uses the page's built-ins as they are when NewPage runs, through Go's own loader, which looks others up later: unlike
// the runtime's script it promises nothing against scripts that patch them.
type Page struct {
	built    builtIns
	contexts []*pageContext
	callers  map[*Adapter]js.Func
}

// NewPage looks the built-ins of the page up.
func NewPage() *Page { return &Page{built: newBuiltIns(), callers: map[*Adapter]js.Func{}} }

// Find is a Finder: document.modelContext if tools can be registered there, else navigator.modelContext. (Source:
// adapters.md, WebMCP adapter.)
func (p *Page) Find() ModelContext {
	for _, holder := range []string{"document", "navigator"} {
		object := p.built.get(p.built.get(js.Global(), holder), "modelContext")
		if style := p.built.styleOf(object); style != None {
			return p.contextOf(object, style)
		}
	}
	return nil
}

// contextOf is the one context of an object, whichever adapter asks.
func (p *Page) contextOf(object js.Value, style Style) *pageContext {
	for _, known := range p.contexts {
		if known.object.Equal(object) {
			return known
		}
	}
	c := &pageContext{page: p, object: object, style: style, given: map[Token]js.Value{}, set: map[Token]js.Value{}}
	p.contexts = append(p.contexts, c)
	return c
}

// RefreshWhenVisible has the adapter read its catalog again whenever the page is shown or hidden: things may have changed
// without notice.
func (p *Page) RefreshWhenVisible(a *Adapter) (stop func()) {
	document := p.built.get(js.Global(), "document")
	return p.built.listen(document, "visibilitychange", a.Refresh)
}

// pageContext is one object of the page that lists tools.
type pageContext struct {
	page   *Page
	object js.Value
	style  Style
	given  map[Token]js.Value // the AbortController of each tool
	set    map[Token]js.Value // the tool objects of a whole set
}

func (c *pageContext) Style() Style { return c.style }

func (c *pageContext) Add(tool Tool, settled func(error)) {
	var answer js.Value
	err := attempt(func() {
		controller := c.page.built.abortController.New()
		c.given[tool.Token] = controller
		arguments := []any{c.toolObject(tool)}
		if c.style == BySignal {
			arguments = append(arguments, registrationOptions(tool, controller))
		}
		answer = c.object.Call("registerTool", arguments...)
	})
	settle := func(refusal error) {
		if refusal != nil && c.style == BySignal {
			_ = c.Remove(tool) // if the object has taken it all the same
		}
		settled(refusal)
	}
	if err != nil {
		settle(err)
		return
	}
	c.page.built.follow(answer, settle)
}

// registrationOptions are what registerTool gets beside the tool.
func registrationOptions(tool Tool, controller js.Value) map[string]any {
	options := map[string]any{"signal": controller.Get("signal")}
	if len(tool.ExposedTo) > 0 {
		origins := make([]any, len(tool.ExposedTo))
		for i, origin := range tool.ExposedTo {
			origins[i] = origin
		}
		options["exposedTo"] = origins
	}
	return options
}

func (c *pageContext) Remove(tool Tool) error {
	controller, known := c.given[tool.Token]
	delete(c.given, tool.Token)
	return attempt(func() {
		switch {
		case c.style == ByName:
			c.object.Call("unregisterTool", tool.Name)
		case known:
			controller.Call("abort")
		}
	})
}

func (c *pageContext) Replace(tools []Tool) error {
	known := c.set
	c.set = map[Token]js.Value{}
	return attempt(func() {
		list := make([]any, len(tools))
		for i, tool := range tools {
			object, ok := known[tool.Token]
			if !ok {
				object = c.toolObject(tool)
			}
			c.set[tool.Token], list[i] = object, object
		}
		if len(list) == 0 && c.page.built.has(c.object, "clearContext") && attempt(func() { c.object.Call("clearContext") }) == nil {
			return
		}
		c.object.Call("provideContext", map[string]any{"tools": list})
	})
}

// toolObject is the browser's tool. Its execute holds the token, so that it goes when the browser lets go of it.
func (c *pageContext) toolObject(tool Tool) js.Value {
	object := c.page.built.parse.Invoke(string(tool.JSON()))
	object.Set("execute", c.page.callerOf(tool.Owner).Call("bind", js.Null(), string(tool.Token)))
	return object
}

// callerOf is the function that the tools of an adapter are bound to.
func (p *Page) callerOf(a *Adapter) js.Func {
	caller, ok := p.callers[a]
	if !ok {
		caller = js.FuncOf(func(_ js.Value, arguments []js.Value) any { return p.call(a, arguments) })
		p.callers[a] = caller
	}
	return caller
}

// call is the browser calling a tool: a token, the input, and what a browser gives along with it. It gives a promise.
func (p *Page) call(a *Adapter, arguments []js.Value) js.Value {
	token, input, second := Token(arguments[0].String()), argument(arguments, 1), argument(arguments, 2)
	var options CallOptions
	if p.built.has(second, "requestUserInteraction") {
		options.Client = second
	}
	signal := p.built.get(second, "signal")
	options.Aborted = p.built.aborted(signal)
	text, issue := p.built.inputText(input)
	options.InputIssue = issue

	promise, resolve := p.built.promise()
	over, release := false, func() {}
	cancel := a.Call(token, text, options, func(result capability.JSON) {
		over = true
		release()
		resolve.Invoke(p.built.parse.Invoke(string(result)))
	})
	if !over && p.built.has(signal, "addEventListener") {
		release = p.built.listen(signal, "abort", cancel)
		if p.built.aborted(signal) {
			cancel()
		}
	}
	return promise
}

func argument(arguments []js.Value, at int) js.Value {
	if at < len(arguments) {
		return arguments[at]
	}
	return js.Undefined()
}
