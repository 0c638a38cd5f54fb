package main

import (
	"syscall/js"

	"github.com/pagewarden/pagewarden/registry"
)

// question is where a person decides: it shows what waits, one call after the other, and passes the answer on.
type question struct {
	dialog, summary js.Value
	confirmations   registry.Confirmations
	asked           string // the confirmation that is shown, "" for none
}

func newQuestion(document js.Value, confirmations registry.Confirmations) *question {
	q := &question{
		dialog: document.Call("getElementById", "question"), summary: document.Call("getElementById", "summary"), confirmations: confirmations,
	}
	q.on(document.Call("getElementById", "allow"), "click", true)
	q.on(document.Call("getElementById", "deny"), "click", false)
	q.on(q.dialog, "cancel", false) // Escape
	confirmations.Subscribe(q.show)
	return q
}

// show follows what is pending: calls come, are decided, or expire.
func (q *question) show() {
	pending := q.confirmations.Pending()
	open := q.dialog.Get("open").Bool()
	switch {
	case len(pending) > 0:
		q.asked = pending[0].ConfirmationID
		q.summary.Set("textContent", pending[0].Summary)
		if !open {
			q.dialog.Call("showModal")
		}
	case open:
		q.asked = ""
		q.dialog.Call("close")
	}
}

// on takes an event as the answer. One that a script has made approves nothing.
func (q *question) on(target js.Value, event string, approves bool) {
	target.Call("addEventListener", event, js.FuncOf(func(_ js.Value, arguments []js.Value) any {
		arguments[0].Call("preventDefault")
		if !approves || arguments[0].Get("isTrusted").Bool() {
			q.confirmations.Resolve(q.asked, approves)
		}
		return nil
	}))
}
