package webmcp

import (
	"fmt"
	"slices"

	"github.com/pagewarden/pagewarden/confirm"
	"github.com/pagewarden/pagewarden/consent"
)

// prompt asks a person through the Confirm hook, when there is one and a place for its UI. Its answer
// decides the record; without one the host's own UI does.
func (c *call) prompt(w *consent.Wait) {
	a := c.adapter
	if a.options.Confirm == nil || c.options.Client == nil && !a.options.ConfirmWithoutClient {
		return
	}
	confirmations := c.run.registry.Confirmations()
	pending := confirmations.Pending()
	at := slices.IndexFunc(pending, func(p confirm.Pending) bool { return p.ConfirmationID == w.ConfirmationID })
	if at < 0 || pending[at].Held { // a record that only the control of its tool decides
		return
	}
	answered := false
	answer := func(approved bool, err error) {
		a.mu.Lock()
		counts := !answered
		answered = true
		a.mu.Unlock()
		counts = counts && w.Open()
		switch {
		case !counts:
		case err != nil:
			a.log(fmt.Sprintf("the confirm hook failed, so the call waits for the page's confirmation UI: %v", err))
		default:
			confirmations.Resolve(w.ConfirmationID, approved)
		}
	}
	defer func() {
		if cause := recover(); cause != nil {
			answer(false, fmt.Errorf("panicked: %v", cause))
		}
	}()
	a.options.Confirm(ConfirmRequest{Pending: pending[at], Client: c.options.Client, Ticket: c.options.Ticket}, answer)
}
