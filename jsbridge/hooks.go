package jsbridge

import (
	"context"
	"fmt"
	"strings"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
)

// hostContext is the application's context. It stays in the page, which reads it anew for every hook.
func (s *surface) hostContext() policy.Host { return pageHost{s} }

type pageHost struct{ surface *surface }

// Lookup reports whether the page's context has a truthy value under key; the value itself stays there.
func (h pageHost) Lookup(key string) (any, bool) {
	answer, err := h.surface.ask(AskHost, h.surface.id, key)
	return answer == "true", err == nil && answer == "true"
}

// hook names a function of a definition.
type hook struct {
	*component
	index int32 // of the capability
}

// asks is which functions of a capability the page has.
type asks struct {
	when, reason                 bool
	reasonText                   string // in place of a function
	precondition, bind, describe bool
	read, execute                bool
	local, prepare, ask          bool // of a procedure that the page carries out itself
}

// functions are those of one registration.
func (a *asks) functions(h hook) registry.Functions {
	var f registry.Functions
	if a.when {
		f.When = h.when
	}
	if a.reason {
		f.UnavailableReason = h.reason
	} else if text := a.reasonText; text != "" {
		f.UnavailableReason = func() string { return text }
	}
	if a.precondition {
		f.Precondition = h.precondition
	}
	if a.bind {
		f.Bind = h.bind
	}
	if a.describe {
		f.Describe = h.describe
	}
	if a.prepare {
		f.Prepare = h.prepare
	}
	if a.ask {
		f.Ask = h.question
	}
	switch {
	case a.read:
		f.Run = h.read
	case a.local:
		f.Run = h.local
	case a.execute:
		f.Run = h.handler
	}
	return f
}

// handler calls execute or read and waits for what it comes to.
func (h hook) handler(ctx context.Context, input capability.JSON, call *registry.Call) (capability.JSON, error) {
	return h.surface.askLong(ctx, AskHandler, h.definition, h.index, "", input, call)
}

// askLong asks a question about a call, after the lines of before, as askText does.
func (s *surface) askLong(ctx context.Context, q Question, a, n int32, before string, input capability.JSON, call *registry.Call) (capability.JSON, error) {
	return s.askText(ctx, q, a, n, before+s.callText(call, input), call)
}

// askText asks a question about a call, whose answer may take its time, and forwards the cancellation of ctx. When the
// call is settled first it stops waiting.
func (s *surface) askText(ctx context.Context, q Question, a, n int32, text string, call *registry.Call) (capability.JSON, error) {
	waiter := s.bridge.loop.Waiter()
	w := &wait{wake: waiter, call: call, surface: s, ctx: ctx}
	w.ticket = s.bridge.waits.add(w)
	if scope, ok := ctx.(*host.Scope); ok {
		scope.Add(w)
		defer scope.Remove(w)
	} else {
		defer host.Watch(ctx, w.ScopeCancelled)()
	}
	answer, back := s.bridge.page.Ask(q, a, n, w.ticket, text)
	if answer == AnswerPending {
		if !s.bridge.await(w, waiter) {
			return "", registry.ErrStillRunning
		}
		answer, back = w.answer, w.text
	} else {
		s.bridge.waits.remove(w.ticket)
	}
	err := answerError(answer, back)
	if bad, ok := err.(unwritable); ok {
		return s.badOutput(call, bad), nil
	}
	if err != nil {
		return "", err
	}
	return capability.JSON(back), nil
}

// badOutput stands for an output that could not be brought here: the registry refuses it for the same reason,
// and says to the agent that the work has been done.
func (s *surface) badOutput(call *registry.Call, bad unwritable) capability.JSON {
	if s.registry.Environment() != capability.Production {
		s.log(fmt.Sprintf("the output of %s cannot be used: %s", call.CapabilityID, bad.issue))
	}
	if bad.tooLong {
		return capability.JSON(strings.Repeat(" ", s.registry.Limits().MaxOutputBytes+1))
	}
	return "undefined"
}

// await waits for the answer; false means that the call was settled first.
func (b *Bridge) await(w *wait, waiter host.Waiter) bool {
	stop := w.call.OnSettle(w.leave)
	defer stop()
	for !w.done && !w.gone {
		waiter.Park()
	}
	if w.done {
		b.waits.remove(w.ticket)
		return true
	}
	b.abandon(w)
	return false
}

// callText is capabilityId, registrationId, consumer, confirmation, input and invocationId, a line each: what the
// script makes a handler's arguments of. The first three are memos. Ids are bare; only the last may hold a line feed.
// A reader, which has no input, is not told of the last three, and of nothing when the memos are the same.
func (s *surface) callText(call *registry.Call, input capability.JSON) string {
	confirmation := capability.JSON("")
	if call.Confirmation != nil {
		var o capability.ObjectWriter
		o.Text("id", call.Confirmation.ID)
		o.Text("approvedAt", capability.FormatTime(call.Confirmation.ApprovedAt))
		confirmation = o.JSON()
	}
	m := &s.bridge.memos
	id, registration, consumer := m.capability.line(call.CapabilityID), m.registration.line(call.RegistrationID), m.consumer.line(s.caller.text(call.Consumer))
	switch {
	case !input.Absent():
		return id + "\n" + registration + "\n" + consumer + "\n" + string(confirmation) + "\n" + oneLine(input) + "\n" + call.InvocationID
	case id != "" || registration != "" || consumer != "":
		return id + "\n" + registration + "\n" + consumer + "\n"
	}
	return ""
}

func consumerText(c capability.Consumer) capability.JSON {
	var o capability.ObjectWriter
	o.Text("id", c.ID)
	o.Text("kind", string(c.Kind))
	if len(c.Grants) > 0 {
		grants := make([]capability.JSON, len(c.Grants))
		for i, grant := range c.Grants {
			grants[i] = capability.Quote(grant)
		}
		o.Raw("grants", capability.ArrayJSON(grants))
	}
	o.OptionalText("claimedName", c.ClaimedName)
	return o.JSON()
}

func (h hook) read(ctx context.Context, _ capability.JSON, call *registry.Call) (capability.JSON, error) {
	return h.handler(ctx, "", call)
}

func (h hook) ask(q Question, text string) (capability.JSON, error) {
	answer, back := h.surface.bridge.page.Ask(q, h.definition, h.index, 0, text)
	if err := answerError(answer, back); err != nil {
		return "", err
	}
	return capability.JSON(back), nil
}

func (h hook) precondition(input capability.JSON, call *registry.Call) error {
	answer, err := h.ask(AskPrecondition, h.surface.callText(call, input))
	if err != nil || answer.Absent() {
		return err
	}
	f, err := objectOf("precondition", answer)
	if err != nil {
		return err
	}
	return registry.Refuse(f.text("message"), f.raw("details"))
}

func (h hook) when() (bool, error) {
	answer, err := h.ask(AskWhen, "")
	return answer == "true", err
}

func (h hook) reason() string {
	answer, err := h.ask(AskReason, "")
	text, ok := answer.Text()
	if err != nil || !ok {
		return ""
	}
	return text
}

func (h hook) bind() (capability.JSON, error) { return h.ask(AskBind, "") }

func (h hook) describe() (string, error) {
	answer, err := h.ask(AskDescribe, "")
	if err != nil {
		return "", err
	}
	text, ok := answer.Text()
	if !ok {
		return "", errFailed
	}
	return text, nil
}

// parse is the page's own check of a value.
func (s *surface) parse(schema int32) func(capability.JSON) (capability.JSON, []capability.Issue) {
	return func(value capability.JSON) (capability.JSON, []capability.Issue) {
		answer, err := s.ask(AskParse, schema, string(value))
		if err != nil {
			return "", []capability.Issue{{Message: "could not be checked by the page"}}
		}
		return parsed(answer)
	}
}

// parsed reads { value } or { issues }.
func parsed(answer capability.JSON) (capability.JSON, []capability.Issue) {
	f, err := objectOf("parse", answer)
	if err != nil {
		return "", []capability.Issue{{Message: "could not be checked by the page"}}
	}
	if list := f.raw("issues"); !list.Absent() {
		return "", decodeIssues(list)
	}
	return f.raw("value"), nil
}

func decodeIssues(list capability.JSON) []capability.Issue {
	issues := []capability.Issue{}
	for _, element := range list.Elements() {
		if f, err := objectOf("issue", element); err == nil {
			issues = append(issues, capability.Issue{Path: f.text("path"), Message: f.text("message")})
		}
	}
	if len(issues) == 0 {
		issues = append(issues, capability.Issue{Message: "was refused by the page"})
	}
	return issues
}

// setExecutor tells the registry whether the page carries procedures out.
func (s *surface) setExecutor(has bool) {
	if !has {
		s.registry.SetExecutor(nil)
		return
	}
	s.registry.SetExecutor(registry.ExecutorFunc(func(ctx context.Context, path string, input capability.JSON, call *registry.Call) (capability.JSON, error) {
		return s.askLong(ctx, AskExecutor, s.id, 0, path+"\n", input, call)
	}))
}
