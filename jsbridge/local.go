package jsbridge

import (
	"context"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// local carries out a procedure that is the page's own: what it gets as its input is { input, prepared? }.
func (h hook) local(ctx context.Context, input capability.JSON, call *registry.Call) (capability.JSON, error) {
	var both capability.ObjectWriter
	both.Raw("input", input)
	both.Raw("prepared", call.Prepared)
	return h.handler(ctx, both.JSON(), call)
}

// prepare brings the input before the person.
func (h hook) prepare(ctx context.Context, input capability.JSON, call *registry.Call) (capability.JSON, error) {
	return h.surface.askLong(ctx, AskPrepare, h.definition, h.index, "", input, call)
}

// question asks a person by the page's own means. Only an exact true approves.
func (h hook) question(q registry.Question) (stop func()) {
	b := h.surface.bridge
	w := &wait{}
	w.ticket = b.waits.add(w)
	answered := func(answer Answer, text string) {
		b.waits.remove(w.ticket)
		q.Decide(answerError(answer, text) == nil && text == "true")
	}
	w.wake = wakeFunc(func() { answered(w.answer, w.text) })
	if answer, text := b.page.Ask(AskPerson, h.definition, h.index, w.ticket, h.surface.callText(q.Call, q.Pending.JSON())); answer != AnswerPending {
		answered(answer, text)
		return nil
	}
	return func() {
		if _, open := b.waits.get(w.ticket); open {
			b.page.Tell(TellAbort, w.ticket, 0, "the question is over")
			b.giveUp(w.ticket)
		}
	}
}
