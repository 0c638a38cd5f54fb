package main

import (
	"context"
	"syscall/js"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/webmcp"
)

func main() {
	if err := start(js.Global().Get("document")); err != nil {
		js.Global().Get("console").Call("error", "go-page: "+err.Error())
		return
	}
	select {} // from here on the page calls
}

// start shows the board and offers it to the browser's agent.
func start(document js.Value) error {
	b := &board{notes: []string{"Water the plants"}}
	b.show = func() { draw(document, b.notes) }
	surface, err := newSurface(b)
	if err != nil {
		return err
	}
	b.show()
	onSubmit(document, func(text string) {
		_, _ = b.add(context.Background(), newNote{text}, nil) // never fails
		surface.Invalidate()
	})
	newQuestion(document, surface.Confirmations())
	page := webmcp.NewPage()
	adapter := webmcp.New(webmcp.Options{Find: page.Find})
	page.RefreshWhenVisible(adapter)
	return adapter.Start(webmcp.Host{
		Registry: surface, Consumer: capability.Consumer{ID: "browser-agent", Kind: capability.WebMCPConsumer},
	})
}

func draw(document js.Value, notes []string) {
	list := document.Call("getElementById", "notes")
	list.Call("replaceChildren")
	for _, note := range notes {
		item := document.Call("createElement", "li")
		item.Set("textContent", note) // never as markup: agents write notes too
		list.Call("append", item)
	}
}

// onSubmit gives what a person enters.
func onSubmit(document js.Value, enter func(text string)) {
	form, field := document.Call("getElementById", "new"), document.Call("getElementById", "text")
	form.Call("addEventListener", "submit", js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		arguments[0].Call("preventDefault")
		enter(field.Get("value").String())
		form.Call("reset")
		return nil
	}))
}
