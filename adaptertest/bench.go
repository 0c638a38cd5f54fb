package adaptertest

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/registry"
)

// bench is one check at work.
type bench struct {
	Stage
	subject Subject

	// Handlers, hooks and adapters may come from flows of their own.
	mu       sync.Mutex
	ran      []ran                 // what was carried out, in order
	lookedAs []capability.Consumer // who looked, in order
	shut     bool                  // the gate is
	note     string                // on the procedures
}

// runs is what was carried out, in order.
func (b *bench) runs() []ran {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.ran)
}

// looks is who looked, in order.
func (b *bench) looks() []capability.Consumer {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.lookedAs)
}

func (b *bench) forget() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lookedAs, b.ran = nil, nil
}

// tell says how things stand from now on.
func (b *bench) tell(shut bool, note string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.shut, b.note = shut, note
}

// told is how things stand.
func (b *bench) told() (shut bool, note string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.shut, b.note
}

// ran is one thing that was carried out.
type ran struct {
	what       string // the capability and the instance
	input      capability.JSON
	invocation string
	consumer   capability.Consumer
}

func newBench(subject Subject, stage Stage) *bench {
	b := &bench{Stage: stage, subject: subject}
	b.Registry.SetExecutor(registry.ExecutorFunc(
		func(_ context.Context, path string, input capability.JSON, call *registry.Call) (capability.JSON, error) {
			return b.carryOut("", input, call)
		}))
	return b
}

// peer is the consumer that an adapter is started for.
func peer() capability.Consumer {
	return capability.Consumer{ID: "adaptertest-peer", Kind: capability.OtherConsumer, Grants: []string{"kit"}}
}

// start is an adapter that has been started.
func (b *bench) start(consumer capability.Consumer, scope ...string) (Adapter, error) {
	a := b.subject.New()
	if err := a.Start(Place{Registry: b.Registry, Host: b.Host, Consumer: consumer, Scope: scope}); err != nil {
		return nil, fmt.Errorf("starting: %w", err)
	}
	b.Settle()
	return a, nil
}

// carryOut is what all handlers do: take note, and say what they are.
func (b *bench) carryOut(instance string, input capability.JSON, call *registry.Call) (capability.JSON, error) {
	what := call.CapabilityID
	if instance != "" {
		what += " at " + instance
	}
	b.mu.Lock()
	b.ran = append(b.ran, ran{what, input, call.InvocationID, call.Consumer})
	b.mu.Unlock()
	return capability.Quote(what), nil
}

// The kit's capabilities of a component of type kit.box.
const (
	boxLook  = "view:kit.box.look"
	boxTouch = "view:kit.box.touch"
	boxFail  = "view:kit.box.fail"
	boxAsk   = "view:kit.box.ask"
	boxGate  = "view:kit.box.gate"
	purge    = "domain:kit.purge"
)

// failure is what boxFail ends with.
func failure() *capability.Error {
	return &capability.Error{
		Code: capability.CodePreconditionFailed, Retry: capability.RetryAfterRefresh, Message: "The box is empty.",
		Details: `{"reason":"empty","rows":[0,1]}`,
	}
}

// box is a component with an observation and an action of every sort that the checks need.
func (b *bench) box(instance string) *registry.Component {
	action := func(name string, change func(*registry.Action)) registry.Action {
		a := registry.Action{
			Name: name, Description: "Does " + name, Effect: capability.LocalState,
			Input: registry.Schema{Document: `{"type":"object","properties":{"word":{"type":"string"}},"additionalProperties":false}`},
			Execute: func(_ context.Context, input capability.JSON, call *registry.Call) (capability.JSON, error) {
				return b.carryOut(instance, input, call)
			},
		}
		if change != nil {
			change(&a)
		}
		return a
	}
	return &registry.Component{
		Type: "kit.box", InstanceID: instance, Description: "A box", Policies: []policy.Policy{b.spy()},
		Observations: []registry.Observation{{
			Name: "look", Description: "Looks at it", Output: registry.Schema{Document: `{"type":"string"}`},
			Read: func(_ context.Context, call *registry.Call) (capability.JSON, error) {
				return b.carryOut(instance, "", call)
			},
		}},
		Actions: []registry.Action{
			action("touch", nil),
			action("fail", func(a *registry.Action) {
				a.Execute = func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) { return "", failure() }
			}),
			action("ask", func(a *registry.Action) { a.Confirmation = capability.Required }),
			action("gate", func(a *registry.Action) {
				a.When = func() (bool, error) {
					shut, _ := b.told()
					return !shut, nil
				}
				a.UnavailableReason = func() string { return gateReason }
			}),
		},
	}
}

// What is only true of a moment.
const (
	gateReason = "the gate is shut"
	firstNote  = "one row is selected"
	secondNote = "two rows are selected"
)

// plant is a component of another type, with a procedure that cannot be taken back.
func (b *bench) plant() *registry.Component {
	return &registry.Component{
		Type: "kit.plant", Description: "A plant", Policies: []policy.Policy{b.spy()},
		Procedures: []registry.ProcedureBinding{{
			Ref: registry.ProcedureRef{
				Path: "kit.purge", Description: "Purges", Effect: capability.Destructive,
				Input: registry.Schema{Document: `{"type":"object","properties":{"word":{"type":"string"}}}`},
			},
			Describe: func() (string, error) {
				_, note := b.told()
				return note, nil
			},
		}},
	}
}

// spy sees who looks.
func (b *bench) spy() policy.Policy {
	return policy.Policy{Name: "spy", OnDiscovery: func(ctx *policy.Context) (policy.Vote, error) {
		b.mu.Lock()
		b.lookedAs = append(b.lookedAs, ctx.Consumer)
		b.mu.Unlock()
		return policy.Vote{}, nil
	}}
}

// mount registers components.
func (b *bench) mount(components ...*registry.Component) ([]*registry.Handle, error) {
	var handles []*registry.Handle
	for _, c := range components {
		handle, err := b.Registry.Register(c)
		if err != nil {
			return nil, fmt.Errorf("registering %s: %w", c.Type, err)
		}
		if handle.Status() != registry.Active {
			return nil, fmt.Errorf("registering %s: rejected (%s)", c.Type, handle.Reason())
		}
		handles = append(handles, handle)
	}
	return handles, nil
}

// standing is an adapter on a surface with those components.
func (b *bench) standing(components ...*registry.Component) (Adapter, []*registry.Handle, error) {
	handles, err := b.mount(components...)
	if err != nil {
		return nil, nil, err
	}
	b.Settle()
	a, err := b.start(peer())
	return a, handles, err
}

// tools are what the peer is offered.
func (b *bench) tools(a Adapter) ([]Tool, error) {
	tools, err := a.Tools()
	if err != nil {
		return nil, fmt.Errorf("listing the tools: %w", err)
	}
	b.Settle()
	return tools, nil
}

// tool is the only one that stands for the capability.
func (b *bench) tool(a Adapter, capabilityID string) (Tool, error) {
	tools, err := b.tools(a)
	if err != nil {
		return Tool{}, err
	}
	found := slices.DeleteFunc(slices.Clone(tools), func(tool Tool) bool { return tool.CapabilityID != capabilityID })
	if len(found) != 1 {
		return Tool{}, fmt.Errorf("%d of %d tools stand for %s, want one", len(found), len(tools), capabilityID)
	}
	return found[0], nil
}

// offers reports whether a tool stands for the capability.
func offers(tools []Tool, capabilityID string) bool {
	return slices.ContainsFunc(tools, func(tool Tool) bool { return tool.CapabilityID == capabilityID })
}

// pending is a call on its way.
type pending struct {
	bench   *bench
	tool    Tool
	answers []Answer
}

// begin makes a call, and settles.
func (b *bench) begin(a Adapter, tool Tool, input capability.JSON, call Call) *pending {
	p := &pending{bench: b, tool: tool}
	a.Call(tool, input, call, p.add)
	b.Settle()
	return p
}

func (p *pending) add(answer Answer) {
	p.bench.mu.Lock()
	defer p.bench.mu.Unlock()
	p.answers = append(p.answers, answer)
}

func (p *pending) all() []Answer {
	p.bench.mu.Lock()
	defer p.bench.mu.Unlock()
	return slices.Clone(p.answers)
}

func (p *pending) waits() bool { return len(p.all()) == 0 }

// answer is the only one.
func (p *pending) answer() (Answer, error) {
	p.bench.Settle()
	answers := p.all()
	if len(answers) != 1 {
		return Answer{}, fmt.Errorf("a call of %s has %d answers, want one", p.tool.CapabilityID, len(answers))
	}
	return answers[0], nil
}

// call makes a call that ends without time passing.
func (b *bench) call(a Adapter, tool Tool, input capability.JSON, call Call) (Answer, error) {
	return b.begin(a, tool, input, call).answer()
}

// wantOutput makes a call that must end well.
func (b *bench) wantOutput(a Adapter, tool Tool, input capability.JSON, call Call) (capability.JSON, error) {
	answer, err := b.call(a, tool, input, call)
	if err == nil && answer.Error != nil {
		err = fmt.Errorf("a call of %s ended with %s, want its output", tool.CapabilityID, answer.Error.JSON())
	}
	return answer.Output, err
}

// wantCode makes a call that must end with one of those codes, without anything having been carried out.
func (b *bench) wantCode(a Adapter, tool Tool, call Call, codes ...capability.Code) (*capability.Error, error) {
	before := len(b.runs())
	answer, err := b.call(a, tool, capability.EmptyObject, call)
	switch {
	case err != nil:
		return nil, err
	case len(b.runs()) > before:
		return nil, fmt.Errorf("a call of %s was carried out, want %v", tool.CapabilityID, codes)
	case answer.Error == nil:
		return nil, fmt.Errorf("a call of %s ended with the output %s, want %v", tool.CapabilityID, answer.Output, codes)
	case !slices.Contains(codes, answer.Error.Code):
		return nil, fmt.Errorf("a call of %s ended with %s, want %v", tool.CapabilityID, answer.Error.JSON(), codes)
	}
	return answer.Error, nil
}
