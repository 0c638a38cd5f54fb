package jsbridge

import (
	"fmt"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
)

// policies reads a list of [{ name, policy, discovery, authorize, invoke }] or [{ policy, builtIn }]: policy is
// the script's number for the captured hooks, builtIn what builtins.go reads.
func (s *surface) policies(f *fields, name string) []policy.Policy {
	value := f.raw(name)
	if value.Absent() {
		return nil
	}
	if value.Kind() != '[' {
		f.fail(name, "an array of policies")
		return nil
	}
	list := []policy.Policy{}
	for i, element := range value.Elements() {
		inner, err := objectOf(fmt.Sprintf("%s[%d]", f.place(name), i), element)
		if err != nil {
			f.fail(name, "an array of policies")
			return nil
		}
		list = append(list, s.policy(inner))
		f.absorb(inner)
	}
	return list
}

func (s *surface) policy(f *fields) policy.Policy {
	number := int32(f.integer("policy", 0))
	if inner := f.object("builtIn"); inner != nil {
		p, err := s.builtIn(inner, number)
		if f.err == nil {
			f.err = err
		}
		return p
	}
	p := policy.Policy{Name: f.text("name")}
	if f.boolean("discovery", false) {
		p.OnDiscovery = func(ctx *policy.Context) (policy.Vote, error) { return s.discover(number, ctx) }
	}
	if f.boolean("authorize", false) {
		p.OnAuthorize = func(ctx *policy.Context, next func() error) error {
			return s.around(AskAuthorize, number, ctx, nil, next)
		}
	}
	if f.boolean("invoke", false) {
		p.OnInvoke = func(ctx *policy.InvokeContext, next func() error) error {
			return s.around(AskInvoke, number, &ctx.Context, ctx, next)
		}
	}
	return p
}

func (s *surface) discover(number int32, ctx *policy.Context) (policy.Vote, error) {
	answer, err := s.ask(AskDiscovery, number, s.contextText(ctx, nil))
	if err != nil || answer.Absent() {
		return policy.Vote{}, err
	}
	f, err := objectOf("decision", answer)
	if err != nil {
		return policy.Vote{}, err
	}
	vote := policy.Vote{Decision: policy.Decision(f.text("decision")), Reason: f.text("reason")}
	if vote.Decision == "" {
		vote.Decision = policy.Hide // a decision that says nothing is not a yes
	}
	return vote, f.err
}

// around calls a hook that decides by calling next. The hook may return before it has decided: then its
// later call of next and its end are waited for.
func (s *surface) around(q Question, number int32, ctx *policy.Context, invoke *policy.InvokeContext, next func() error) error {
	b := s.bridge
	waiter := b.loop.Waiter()
	w := &wait{wake: waiter}
	ticket := b.waits.add(w)
	answer, back := b.page.Ask(q, number, s.id, ticket, s.contextText(ctx, invoke))
	w.nexts += nextsIn(answer)
	if answer &^= AnswerNext | AnswerNextTwice; answer != AnswerPending {
		w.done, w.answer, w.text = true, answer, back
	}
	defer func() {
		b.waits.remove(ticket)
		b.page.Tell(TellHandlerDone, ticket, 0, "")
	}()
	stop := onSettle(ctx, w.leave)
	defer stop()
	for answered := 0; ; {
		switch {
		case w.gone:
			return errFailed // the call has its result; nobody reads this
		case w.nexts > answered:
			answered++
			s.tellNext(ticket, next())
		case w.done:
			return answerError(w.answer, w.text)
		default:
			waiter.Park()
		}
	}
}

func onSettle(ctx *policy.Context, f func()) (stop func()) {
	if ctx.OnSettle == nil {
		return func() {}
	}
	return ctx.OnSettle(f)
}

func nextsIn(answer Answer) int {
	switch {
	case answer&AnswerNextTwice != 0:
		return 2
	case answer&AnswerNext != 0:
		return 1
	}
	return 0
}

// tellNext settles the promise that the hook's call of next gave.
func (s *surface) tellNext(ticket int32, err error) {
	if err == nil {
		s.bridge.page.Tell(TellNext, ticket, 0, "")
		return
	}
	text := ""
	if payload, ok := err.(*capability.Error); ok {
		text = string(payload.JSON())
	}
	s.bridge.page.Tell(TellNext, ticket, 1, text)
}

// contextText is what the script makes a hook's context of: what the hook is asked about and the consumer, both memos,
// and the effective input and the invocation id of a call, a line each.
func (s *surface) contextText(ctx *policy.Context, invoke *policy.InvokeContext) string {
	input, id := "", ""
	if invoke != nil {
		input, id = oneLine(invoke.EffectiveInput), invoke.InvocationID
	}
	m := &s.bridge.memos
	return m.subject.line(s.subject.text(ctx)) + "\n" + m.consumer.line(s.caller.text(ctx.Consumer)) + "\n" + input + "\n" + id
}

// subject is what hooks were last asked about, written down. One call asks several hooks about the same.
type subject struct {
	capabilityID, registrationID  string
	componentMeta, capabilityMeta capability.JSON
	internal                      any
	written                       string
}

// text is { definition, about }: the number of the definition and what a hook is told of its capability.
func (s *subject) text(ctx *policy.Context) string {
	if s.written == "" || s.capabilityID != ctx.CapabilityID || s.registrationID != ctx.RegistrationID ||
		s.componentMeta != ctx.ComponentMeta || s.capabilityMeta != ctx.CapabilityMeta || s.internal != ctx.Internal {
		*s = subject{ctx.CapabilityID, ctx.RegistrationID, ctx.ComponentMeta, ctx.CapabilityMeta, ctx.Internal, subjectText(ctx)}
	}
	return s.written
}

func subjectText(ctx *policy.Context) string {
	var o, about, meta capability.ObjectWriter
	about.Text("capabilityId", ctx.CapabilityID)
	about.Text("plane", string(ctx.Plane))
	about.Text("kind", string(ctx.Kind))
	about.Text("effect", string(ctx.Effect))
	about.Text("registrationId", ctx.RegistrationID)
	meta.Raw("component", ctx.ComponentMeta)
	meta.Raw("capability", ctx.CapabilityMeta)
	about.Raw("meta", meta.JSON())
	about.Text("environment", string(ctx.Environment))
	definition := int32(0)
	if c, ok := ctx.Internal.(*component); ok {
		definition = c.definition
	}
	o.Int("definition", int64(definition))
	o.Raw("about", about.JSON())
	return string(o.JSON())
}
