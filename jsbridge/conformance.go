package jsbridge

import (
	"cmp"
	"errors"
	"time"

	"github.com/pagewarden/pagewarden/adaptertest"
	"github.com/pagewarden/pagewarden/audit"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/registry"
)

// settleTasks is how many tasks of the page an adapter may take to do what is to be done now.
const settleTasks = 5

// answerTime is how long an adapter may take to answer.
const answerTime = 10 * time.Second

// conformance makes the checks of adaptertest of an adapter that the page has: subject is the script's number for it,
// text its traits, each true. What came of it is told by TellConformance.
func (b *Bridge) conformance(subject int32, text string) error {
	f, err := decodeObject("runAdapterConformance", text)
	if err != nil {
		return err
	}
	traits := adaptertest.Traits{
		TwoPhase: f.boolean("twoPhase", false), OmitsUnavailable: f.boolean("omitsUnavailable", false),
		UnnamedCalls: f.boolean("unnamedCalls", false), ResolvesAtCall: f.boolean("resolvesAtCall", false),
	}
	if f.refuseOthers(); f.err != nil {
		return f.err
	}
	b.loop.Go(func() {
		var results []capability.JSON
		for _, check := range adaptertest.Checks() {
			results = append(results, b.checked(check, subject, traits))
		}
		b.page.Tell(TellConformance, subject, 0, string(capability.ArrayJSON(results)))
	})
	return nil
}

// checked makes one check on a registry of its own: { name, rule, passed, error? }.
func (b *Bridge) checked(check adaptertest.Check, subject int32, traits adaptertest.Traits) capability.JSON {
	err := b.withStage(func(s *surface) error {
		adapters := 0
		return check.Run(adaptertest.Subject{Traits: traits, New: func() adaptertest.Adapter {
			adapters++
			return &pageAdapter{bridge: b, surface: s, subject: subject, number: adapters}
		}}, adaptertest.Stage{Registry: s.registry, Host: b.loop, Settle: b.settle})
	})
	var o capability.ObjectWriter
	o.Text("name", check.Name)
	o.Text("rule", check.Rule)
	o.Bool("passed", err == nil)
	if err != nil {
		o.Text("error", err.Error())
	}
	return o.JSON()
}

// withStage runs something with a registry that is disposed of afterwards.
func (b *Bridge) withStage(run func(*surface) error) error {
	r, err := registry.New(registry.Options{
		Authority: contract.NewOpenAuthority(contract.OpenOptions{}), Environment: capability.Test, Host: b.loop,
		Audit: audit.Discard(), JavaScriptNumbers: true, Log: func(string) {},
	})
	if err != nil {
		return err
	}
	s := b.newSurface()
	s.registry = r
	defer s.dispose()
	return run(s)
}

// settle lets the page do what it has to do now.
func (b *Bridge) settle() {
	waiter := b.loop.Waiter()
	for range settleTasks {
		ran := false
		b.loop.Task(func() {
			ran = true
			waiter.Wake()
		})
		for !ran {
			waiter.Park()
		}
	}
}

// pageAdapter is one instance of the page's adapter. Its methods run in a flow that may wait.
type pageAdapter struct {
	bridge  *Bridge
	surface *surface
	subject int32
	number  int // in its check; a registry has its own
}

func (a *pageAdapter) Start(at adaptertest.Place) error {
	o := a.question("start")
	o.Raw("surface", a.surface.describe())
	o.Raw("consumer", consumerText(at.Consumer))
	o.Raw("scope", capability.ArrayOf(at.Scope, capability.Quote))
	_, err := a.wait(o)
	return err
}

func (a *pageAdapter) Stop() {
	// What it says of stopping does not matter; whether it has stopped is what is looked at.
	_, _ = a.wait(a.question("stop"))
}

func (a *pageAdapter) Tools() ([]adaptertest.Tool, error) {
	list, err := a.wait(a.question("tools"))
	if err != nil {
		return nil, err
	}
	var tools []adaptertest.Tool
	for _, element := range list.Elements() {
		f, err := objectOf("tool", element)
		if err != nil {
			return nil, err
		}
		tool := adaptertest.Tool{
			Name: f.text("name"), CapabilityID: f.text("capabilityId"), Description: f.text("description"),
			InputSchema: f.raw("inputSchema"), State: string(f.raw("state")), Ref: f.integer("number", -1),
		}
		if f.err != nil {
			return nil, f.err
		}
		tools = append(tools, tool)
	}
	return tools, nil
}

// Call does not wait for the answer: a person may have to be asked in the meantime.
func (a *pageAdapter) Call(tool adaptertest.Tool, input capability.JSON, call adaptertest.Call, done func(adaptertest.Answer)) {
	o := a.question("call")
	number, ok := tool.Ref.(int)
	if !ok {
		number = -1 // a tool that the check has made up
	}
	o.Int("tool", int64(number))
	o.Text("name", tool.Name)
	o.Raw("input", input)
	o.OptionalText("invocationId", call.ID)
	o.OptionalText("confirmationId", call.ConfirmationID)
	a.ask(o, func(back capability.JSON, err error) { done(answerOf(back, err)) })
}

// answerOf reads { output } or { error: { code, message, retry, details? } }.
func answerOf(back capability.JSON, err error) adaptertest.Answer {
	if err != nil {
		return adaptertest.Answer{Error: &capability.Error{Code: "THREW", Message: err.Error()}}
	}
	f, err := objectOf("the answer", back)
	if err != nil {
		return answerOf("", err)
	}
	if failure := f.object("error"); failure != nil {
		return adaptertest.Answer{Error: &capability.Error{
			Code: capability.Code(failure.text("code")), Message: failure.text("message"), Retry: capability.Retry(failure.text("retry")),
			Details: failure.raw("details"),
		}}
	}
	return adaptertest.Answer{Output: f.raw("output")}
}

func (a *pageAdapter) question(do string) *capability.ObjectWriter {
	o := &capability.ObjectWriter{}
	o.Text("do", do)
	o.Int("registry", int64(a.surface.id))
	return o
}

// wait asks the adapter and parks until it has answered.
func (a *pageAdapter) wait(o *capability.ObjectWriter) (capability.JSON, error) {
	waiter := a.bridge.loop.Waiter()
	over := false
	var back capability.JSON
	var err error
	a.ask(o, func(answer capability.JSON, failure error) {
		over, back, err = true, answer, failure
		waiter.Wake()
	})
	for !over {
		waiter.Park()
	}
	return back, err
}

// ask asks the adapter. The answer is { value } or { failed } with what was thrown, in the page's words. One that does
// not come in time is a failure, so that a check of an adapter that hangs ends.
func (a *pageAdapter) ask(o *capability.ObjectWriter, then func(capability.JSON, error)) {
	b := a.bridge
	w := &wait{}
	ticket := b.waits.add(w)
	stop := b.loop.After(answerTime, func() {
		b.waits.remove(ticket)
		then("", errors.New("no answer in 10 seconds"))
	})
	settle := func(answer Answer, text string) {
		stop()
		b.waits.remove(ticket)
		then(subjectSaid(answer, text))
	}
	w.wake = wakeFunc(func() { settle(w.answer, w.text) })
	if answer, text := b.page.Ask(AskSubject, a.subject, int32(a.number), ticket, string(o.JSON())); answer != AnswerPending {
		settle(answer, text)
	}
}

func subjectSaid(answer Answer, text string) (capability.JSON, error) {
	if err := answerError(answer, text); err != nil {
		return "", err
	}
	f, err := decodeObject("adapter", text)
	if err != nil {
		return "", err
	}
	if f.has("failed") {
		return "", errors.New(cmp.Or(f.text("failed"), errFailed.Error()))
	}
	return f.raw("value"), f.err
}
