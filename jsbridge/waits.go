package jsbridge

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
)

// wakeFunc is a function to call when there is something to look at.
type wakeFunc func()

func (f wakeFunc) Wake() { f() }

// wait is a question to the page whose answer has not come.
type wait struct {
	ticket int32
	wake   interface{ Wake() } // told when there is something to look at
	done   bool
	answer Answer
	text   string

	// nexts is how often a policy hook has called next.
	nexts int
	// gone is set when the call that asked has its result, and left when its flow does not wait any more: then
	// the call is told of the answer.
	gone, left bool

	// Of a handler.
	call    *registry.Call
	ctx     context.Context // whose cancellation the page is told of
	surface *surface
}

// leave is for when the call has its result.
func (w *wait) leave() {
	w.gone = true
	w.wake.Wake()
}

// ScopeCancelled tells the page that the handler's result is not wanted any more.
func (w *wait) ScopeCancelled() {
	w.surface.bridge.page.Tell(TellAbort, w.ticket, 0, context.Cause(w.ctx).Error())
}

// waits are the open questions by ticket.
type waits struct {
	table[*wait]
	abandoned []int32 // tickets of gone waits, oldest first
}

// maxAbandoned bounds the handlers that never end and whose calls are over.
const maxAbandoned = 1000

// settle brings the answer to a question. A ticket that is not known any more is no error: the answer was
// not needed.
func (ws *waits) settle(ticket int32, answer Answer, text string) {
	w, ok := ws.get(ticket)
	if !ok || w.done {
		return
	}
	answer, text = soundAnswer(answer, text)
	w.done, w.answer, w.text = true, answer, text
	if w.left {
		ws.remove(ticket)
		w.call.Late(answerError(answer, text))
		return
	}
	w.wake.Wake()
}

// next says that a policy hook has called next after it had returned.
func (ws *waits) next(ticket int32) {
	if w, ok := ws.get(ticket); ok && !w.gone {
		w.nexts++
		w.wake.Wake()
	}
}

// abandon keeps a question open only to record its late answer, and gives up the oldest such question when
// there are too many.
func (b *Bridge) abandon(w *wait) {
	w.left = true
	if w.surface.registry.Disposed() {
		b.giveUp(w.ticket)
		return
	}
	ws := &b.waits
	ws.abandoned = append(ws.abandoned, w.ticket)
	if len(ws.abandoned) > maxAbandoned {
		b.giveUp(ws.abandoned[0])
		ws.abandoned = ws.abandoned[1:]
	}
}

// giveUp forgets a question whose answer nobody needs.
func (b *Bridge) giveUp(ticket int32) {
	if _, ok := b.waits.get(ticket); ok {
		b.waits.remove(ticket)
		b.page.Tell(TellHandlerDone, ticket, 0, "")
	}
}

// giveUpAll forgets the abandoned questions of a surface that has been disposed of.
func (b *Bridge) giveUpAll(s *surface) {
	b.waits.abandoned = slices.DeleteFunc(b.waits.abandoned, func(ticket int32) bool {
		w, ok := b.waits.get(ticket)
		if ok && w.surface == s {
			b.giveUp(ticket)
		}
		return !ok || w.surface == s
	})
}

// errFailed stands for whatever a page's code threw; its text stays in the page.
var errFailed = errors.New("the page's code failed")

// transientError is a failure that the page's code called transient.
type transientError struct{ after time.Duration }

func (transientError) Error() string { return "the page's code failed for now" }

func (e transientError) Transient() (time.Duration, bool) { return e.after, true }

// unwritable is a value that the script could not write as JSON; issue says what and where.
type unwritable struct {
	issue   string
	tooLong bool
}

func (e unwritable) Error() string { return "not JSON that can be taken: " + e.issue }

// soundAnswer is an answer as the script gives it, or what is wrong with it. The script escapes a lone surrogate, which
// is text that nothing in here may take for another.
func soundAnswer(answer Answer, text string) (Answer, string) {
	if answer&^(AnswerNext|AnswerNextTwice) != AnswerValue || !strings.Contains(text, `\ud`) {
		return answer, text
	}
	if issue := messageLimits().Check(capability.JSON(text)); issue != nil {
		return answer&(AnswerNext|AnswerNextTwice) | AnswerNotJSON, issue.Error()
	}
	return answer, text
}

// answerError is the error that an answer means, nil for a value.
func answerError(answer Answer, text string) error {
	switch answer &^= AnswerNext | AnswerNextTwice; answer {
	case AnswerValue:
		return nil
	case AnswerThrown:
		if payload := decodeThrown(text); payload != nil {
			return payload
		}
	case AnswerNotJSON, AnswerTooLong:
		return unwritable{issue: text, tooLong: answer == AnswerTooLong}
	case AnswerFailed:
		if after, ok := decodeTransient(text); ok {
			return transientError{after}
		}
	}
	return errFailed
}

// decodeThrown is the payload of a thrown AgentSurfaceError, nil when it is not one.
func decodeThrown(text string) *capability.Error {
	fields, err := decodeObject("payload", text)
	if err != nil {
		return nil
	}
	payload := &capability.Error{
		Code: capability.Code(fields.text("code")), Message: fields.text("message"),
		Retry: capability.Retry(fields.text("retry")), Details: fields.raw("details"),
	}
	if fields.err != nil {
		return nil
	}
	return payload
}

func decodeTransient(text string) (time.Duration, bool) {
	fields, err := decodeObject("failure", text)
	if err != nil || !fields.boolean("transient", false) {
		return 0, false
	}
	return fields.milliseconds("retryAfterMs", time.Second), fields.err == nil
}
