package matrix

import (
	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/person"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// The web tools of the lab's form.
const (
	keepNote    = "keep_note"
	forgetNotes = "forget_notes"
)

// webTool: a tool beside a control is offered, called with what the page then shows, and taken away.
func webTool(w *world) {
	w.do("lab.notes.mount()")
	w.Have(forgetNotes, keepNote)
	tools, err := w.Tools(suite.Within(w.T))
	if err != nil {
		w.T.Fatal(err)
	}
	note := `{"type":"object","properties":{"note":{"type":"string"}},"required":["note"],"additionalProperties":false}`
	w.describes(tools, keepNote, "Keep a note.", note, browser.Annotations{})
	w.describes(tools, forgetNotes, "Forget all notes.", noInput, browser.Annotations{Consequential: true})
	w.gives(w.call(keepNote, `{"note":"tea, café"}`), `{"kept":1,"shown":"tea, café"}`)
	w.do("lab.notes.remove()")
	w.Have()
}

// webToolPressed: what a person must confirm waits for their press of the page's own control. A script's counts for nothing.
func webToolPressed(w *world) {
	const marked = `document.querySelector("#forget").hasAttribute("data-pagewarden-confirm")`
	w.do("lab.notes.mount()")
	w.Have(forgetNotes, keepNote)
	w.do(`lab.notes.kept.push("tea", "milk")`)
	answers := w.calling(suite.Within(w.T), forgetNotes, `{}`)
	w.Until(marked)
	if kept := see[int](w, "lab.notes.press()"); kept != 2 || !see[bool](w, marked) {
		w.T.Fatalf("after a script's press %d notes are kept; want 2, and that the control still waits", kept)
	}
	select {
	case a := <-answers:
		w.T.Fatalf("a script's press ended the call: %s", a)
	default:
	}
	w.pressForget()
	w.gives(w.wait(answers), `{"forgotten":2}`)
	if see[bool](w, marked) {
		w.T.Error("the control is still marked")
	}
}

func (w *world) pressForget() {
	w.T.Helper()
	box := see[struct{ X, Y, Width, Height float64 }](w, `document.querySelector("#forget").getBoundingClientRect().toJSON()`)
	if err := person.At(w.Page).ClickAt(suite.Within(w.T), person.Point{X: box.X + box.Width/2, Y: box.Y + box.Height/2}); err != nil {
		w.T.Fatal(err)
	}
}
