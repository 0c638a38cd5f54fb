package adaptertest

import (
	"errors"
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
)

// confirmation: a person denies once and approves once.
func (b *bench) confirmation() error {
	a, _, err := b.standing(b.box("a"))
	if err != nil {
		return err
	}
	defer a.Stop()
	tool, err := b.tool(a, boxAsk)
	if err != nil {
		return err
	}
	if err := b.denied(a, tool); err != nil {
		return fmt.Errorf("a call that a person denies: %w", err)
	}
	if err := b.approved(a, tool); err != nil {
		return fmt.Errorf("a call that a person approves: %w", err)
	}
	return nil
}

func (b *bench) denied(a Adapter, tool Tool) error {
	call, id, err := b.asks(a, tool, `{"word":"no"}`)
	if err != nil {
		return err
	}
	b.Registry.Confirmations().Resolve(id, false)
	if b.subject.TwoPhase {
		call = b.begin(a, tool, `{"word":"no"}`, Call{ConfirmationID: id})
	}
	answer, err := call.answer()
	switch {
	case err != nil:
		return err
	case len(b.runs()) > 0:
		return errors.New("it was carried out")
	case answer.Error == nil || answer.Error.Code != capability.CodeConfirmationInvalid || answer.Error.Detail("reason") != "denied":
		return fmt.Errorf("it ended with %s, want CONFIRMATION_INVALID { reason: denied }", answer.text())
	}
	return nil
}

func (b *bench) approved(a Adapter, tool Tool) error {
	call, id, err := b.asks(a, tool, `{"word":"yes"}`)
	if err != nil {
		return err
	}
	b.Registry.Confirmations().Resolve(id, true)
	b.Settle()
	if b.subject.TwoPhase {
		if len(b.runs()) > 0 {
			return errors.New("it was carried out without the peer's second call")
		}
		call = b.begin(a, tool, `{"word":"yes"}`, Call{ConfirmationID: id})
	}
	answer, err := call.answer()
	switch {
	case err != nil:
		return err
	case answer.Error != nil:
		return fmt.Errorf("it ended with %s", answer.text())
	case len(b.runs()) != 1 || b.runs()[0].input != `{"word":"yes"}`:
		return fmt.Errorf("it was carried out %d times, want once, as it was approved", len(b.runs()))
	}
	return nil
}

// asks makes a call that a person must confirm, and gives the record that waits for them.
func (b *bench) asks(a Adapter, tool Tool, input capability.JSON) (*pending, string, error) {
	call := b.begin(a, tool, input, Call{})
	records := b.Registry.Confirmations().Pending()
	switch {
	case len(b.runs()) > 0:
		return nil, "", errors.New("it was carried out before anybody was asked")
	case len(records) != 1:
		return nil, "", fmt.Errorf("%d records wait for a person, want one", len(records))
	}
	id := records[0].ConfirmationID
	if !b.subject.TwoPhase {
		if !call.waits() {
			return nil, "", fmt.Errorf("it ended with %s, and should wait", call.answers[0].text())
		}
		return call, id, nil
	}
	answer, err := call.answer()
	if err != nil {
		return nil, "", err
	}
	if answer.Error == nil || answer.Error.Code != capability.CodeConfirmationRequired || answer.Error.Detail("confirmationId") != id {
		return nil, "", fmt.Errorf("it ended with %s, want CONFIRMATION_REQUIRED of %s", answer.text(), id)
	}
	return call, id, nil
}

func (a Answer) text() capability.JSON {
	if a.Error != nil {
		return a.Error.JSON()
	}
	return a.Output
}

// stop: everything that an adapter holds on to when it is told to end.
func (b *bench) stop() error {
	a, _, err := b.standing(b.box("a"), b.plant())
	if err != nil {
		return err
	}
	tool, err := b.tool(a, boxTouch)
	if err != nil {
		return err
	}
	ask, err := b.tool(a, boxAsk)
	if err != nil {
		return err
	}
	waiting := b.begin(a, ask, capability.EmptyObject, Call{})
	a.Stop()
	a.Stop()
	b.Settle()
	if err := b.nothingRuns(a, tool, waiting); err != nil {
		return err
	}
	looks := len(b.looks())
	if _, err := b.mount(b.box("b")); err != nil {
		return err
	}
	b.Registry.Invalidate()
	b.Settle()
	if len(b.looks()) > looks {
		return errors.New("it reads the surface after it was stopped")
	}
	return nil
}

// nothingRuns holds an adapter that has stopped to that.
func (b *bench) nothingRuns(a Adapter, tool Tool, waiting *pending) error {
	if tools, err := a.Tools(); err == nil && len(tools) > 0 {
		return fmt.Errorf("it offers %d tools after it was stopped", len(tools))
	}
	if waiting.waits() {
		return errors.New("a call still waits for a person after it was stopped")
	}
	for _, record := range b.Registry.Confirmations().Pending() {
		b.Registry.Confirmations().Resolve(record.ConfirmationID, true)
	}
	b.Settle()
	if len(b.runs()) > 0 {
		return errors.New("a call that waited for a person was carried out after it was stopped")
	}
	_, err := b.wantCode(a, tool, Call{}, capability.CodeNotFound, capability.CodeCancelled)
	return err
}
