package adaptertest_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/adaptertest"
	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/toolset"
	"github.com/pagewarden/pagewarden/wirename"
)

// broken is a sound adapter with one thing done wrong.
type broken struct {
	adaptertest.Adapter
	place adaptertest.Place
	start func(b *broken, at adaptertest.Place) error
	tools func(b *broken) ([]adaptertest.Tool, error)
	call  func(b *broken, tool adaptertest.Tool, input capability.JSON, call adaptertest.Call, done func(adaptertest.Answer))
	stop  func(b *broken)

	kept []adaptertest.Tool
	ids  int
}

func (b *broken) Start(at adaptertest.Place) error {
	b.place = at
	if b.start != nil {
		return b.start(b, at)
	}
	return b.Adapter.Start(at)
}

func (b *broken) Tools() ([]adaptertest.Tool, error) {
	if b.tools != nil {
		return b.tools(b)
	}
	return b.Adapter.Tools()
}

func (b *broken) Call(tool adaptertest.Tool, input capability.JSON, call adaptertest.Call, done func(adaptertest.Answer)) {
	if b.call != nil {
		b.call(b, tool, input, call, done)
		return
	}
	b.Adapter.Call(tool, input, call, done)
}

func (b *broken) Stop() {
	if b.stop != nil {
		b.stop(b)
		return
	}
	b.Adapter.Stop()
}

// asks is a registry to which every request comes changed.
type asks struct {
	*registry.Registry
	change func(q *registry.Request, options *registry.InvokeOptions)
}

func (a asks) Start(ctx context.Context, q registry.Request, options registry.InvokeOptions, done func(registry.Result)) {
	a.change(&q, &options)
	a.Registry.Start(ctx, q, options, done)
}

// forgets is a toolset that changes what it asks the registry.
func forgets(change func(q *registry.Request, options *registry.InvokeOptions)) func() adaptertest.Adapter {
	return func() adaptertest.Adapter {
		return &direct{confirmations: toolset.Wait, registry: func(r *registry.Registry) toolset.Registry { return asks{r, change} }}
	}
}

// with is a toolset that waits, with something done wrong.
func with(what broken) func() adaptertest.Adapter {
	return func() adaptertest.Adapter {
		b := what
		b.Adapter = &direct{confirmations: toolset.Wait}
		return &b
	}
}

// edited is an adapter that shows its tools changed.
func edited(edit func(b *broken, tool *adaptertest.Tool)) func() adaptertest.Adapter {
	return with(broken{tools: func(b *broken) ([]adaptertest.Tool, error) {
		tools, err := b.Adapter.Tools()
		for i := range tools {
			edit(b, &tools[i])
		}
		return tools, err
	}})
}

// answering is an adapter that changes the errors that its peer gets.
func answering(edit func(*capability.Error)) func() adaptertest.Adapter {
	return with(broken{call: func(b *broken, tool adaptertest.Tool, input capability.JSON, call adaptertest.Call, done func(adaptertest.Answer)) {
		b.Adapter.Call(tool, input, call, func(answer adaptertest.Answer) {
			if answer.Error != nil {
				own := *answer.Error
				edit(&own)
				answer.Error = &own
			}
			done(answer)
		})
	}})
}

// mistake is what an adapter does wrong, and the check that must notice.
type mistake struct {
	check  string
	new    func() adaptertest.Adapter
	traits adaptertest.Traits
}

func mistakes() map[string]mistake {
	return map[string]mistake{
		"looks and calls as nobody": {check: "consumer", new: with(broken{start: func(b *broken, at adaptertest.Place) error {
			at.Consumer = capability.AnonymousConsumer()
			return b.Adapter.Start(at)
		}})},
		"calls as another": {check: "consumer", new: forgets(func(_ *registry.Request, o *registry.InvokeOptions) { o.Consumer.ID = "another" })},
		"loses its grants": {check: "consumer", new: forgets(func(_ *registry.Request, o *registry.InvokeOptions) { o.Consumer.Grants = nil })},
		"ignores the scope": {check: "scope", new: with(broken{start: func(b *broken, at adaptertest.Place) error {
			at.Scope = nil
			return b.Adapter.Start(at)
		}})},
		"takes a scope for the start of a name": {check: "scope", new: with(broken{start: func(b *broken, at adaptertest.Place) error {
			if slices.Contains(at.Scope, "kit.bo") {
				at.Scope = append(at.Scope, "kit.box")
			}
			return b.Adapter.Start(at)
		}})},
		"shows what it saw first": {check: "refresh", new: with(broken{tools: func(b *broken) ([]adaptertest.Tool, error) {
			if b.kept != nil {
				return b.kept, nil
			}
			var err error
			b.kept, err = b.Adapter.Tools()
			return b.kept, err
		}})},
		"never lets go": {check: "refresh", new: with(broken{tools: func(b *broken) ([]adaptertest.Tool, error) {
			tools, err := b.Adapter.Tools()
			for _, tool := range tools {
				if !slices.ContainsFunc(b.kept, func(old adaptertest.Tool) bool { return old.Name == tool.Name }) {
					b.kept = append(b.kept, tool)
				}
			}
			return b.kept, err
		}})},
		"drops the registration":           {check: "registration", new: forgets(func(q *registry.Request, _ *registry.InvokeOptions) { q.RegistrationID = "" })},
		"drops the version":                {check: "version", new: forgets(func(q *registry.Request, _ *registry.InvokeOptions) { q.SurfaceVersion = "" })},
		"drops identities":                 {check: "identity", new: forgets(func(q *registry.Request, _ *registry.InvokeOptions) { q.InvocationID = "" })},
		"calls everything by one identity": {check: "identity", new: forgets(func(q *registry.Request, _ *registry.InvokeOptions) { q.InvocationID = "call_0" })},
		"hides a conflict": {check: "identity", new: func() adaptertest.Adapter {
			n := 0
			return &direct{confirmations: toolset.Wait, registry: func(r *registry.Registry) toolset.Registry {
				return asks{r, func(q *registry.Request, _ *registry.InvokeOptions) {
					if q.Input == capability.EmptyObject && q.InvocationID != "" {
						n++
						q.InvocationID = fmt.Sprint(q.InvocationID, "-", n)
					}
				}}
			}}
		}},
		"makes every error one": {check: "errors", new: answering(func(e *capability.Error) { e.Code = capability.CodeExecutionFailed })},
		"advises to try again":  {check: "errors", new: answering(func(e *capability.Error) { e.Retry = capability.RetryYes })},
		"drops the details":     {check: "errors", new: answering(func(e *capability.Error) { e.Details = "" })},
		"decides by itself": {check: "confirmation", new: with(broken{call: func(b *broken, tool adaptertest.Tool, input capability.JSON, call adaptertest.Call, done func(adaptertest.Answer)) {
			b.Adapter.Call(tool, input, call, done)
			for _, record := range b.place.Registry.Confirmations().Pending() {
				b.place.Registry.Confirmations().Resolve(record.ConfirmationID, true)
			}
		}})},
		"does not wait": {check: "confirmation", new: func() adaptertest.Adapter { return &direct{confirmations: toolset.TwoPhase} }},
		"waits though it says otherwise": {
			check: "confirmation", new: func() adaptertest.Adapter { return &direct{confirmations: toolset.Wait} },
			traits: adaptertest.Traits{TwoPhase: true},
		},
		"asks again when it was denied": {check: "confirmation", new: with(broken{call: func(b *broken, tool adaptertest.Tool, input capability.JSON, call adaptertest.Call, done func(adaptertest.Answer)) {
			b.Adapter.Call(tool, input, call, func(answer adaptertest.Answer) {
				if answer.Error != nil && answer.Error.Detail("reason") == "denied" {
					b.Adapter.Call(tool, input, call, done)
					return
				}
				done(answer)
			})
		}})},
		"reads names backwards": {check: "names", new: edited(func(_ *broken, tool *adaptertest.Tool) {
			if tool.CapabilityID, _ = wirename.Decode(tool.Name); tool.CapabilityID == "" {
				tool.CapabilityID = "domain:" + strings.TrimPrefix(tool.Name, "domain_")
			}
		})},
		"uses ids as names":         {check: "names", new: edited(func(_ *broken, tool *adaptertest.Tool) { tool.Name = tool.CapabilityID })},
		"gives one name to several": {check: "names", new: edited(func(_ *broken, tool *adaptertest.Tool) { tool.Name = strings.Map(onlyLetters, tool.CapabilityID)[:10] })},
		"leaves some without names": {check: "names", new: edited(func(_ *broken, tool *adaptertest.Tool) {
			if strings.HasSuffix(tool.CapabilityID, "touch") {
				tool.Name = ""
			}
		})},
		"calls another instance": {check: "names", new: with(broken{call: func(b *broken, tool adaptertest.Tool, input capability.JSON, call adaptertest.Call, done func(adaptertest.Answer)) {
			tools, _ := b.Adapter.Tools()
			at := slices.IndexFunc(tools, func(other adaptertest.Tool) bool { return other.CapabilityID == tool.CapabilityID })
			b.Adapter.Call(tools[max(at, 0)], input, call, done)
		}})},
		"writes the state into the text": {check: "state", new: edited(func(_ *broken, tool *adaptertest.Tool) { tool.Description += " " + tool.State })},
		"writes the version into the text": {check: "state", new: edited(func(b *broken, tool *adaptertest.Tool) {
			tool.Description += " (as of " + b.place.Registry.Version() + ")"
		})},
		"keeps the state to itself": {check: "state", new: edited(func(_ *broken, tool *adaptertest.Tool) { tool.State = "" })},
		"shows what it should omit": {check: "state", new: with(broken{}), traits: adaptertest.Traits{OmitsUnavailable: true}},
		"does not stop":             {check: "stop", new: with(broken{stop: func(*broken) {}})},
		"cannot stop twice": {check: "stop", new: with(broken{stop: func(b *broken) {
			if b.ids++; b.ids > 1 {
				panic("stopped twice")
			}
			b.Adapter.Stop()
		}})},
		"offers nothing any more, and reads on": {check: "stop", new: with(broken{
			start: func(b *broken, at adaptertest.Place) error {
				at.Registry.Subscribe(func(registry.Event) {
					_, _ = at.Registry.Snapshot(registry.SnapshotOptions{Consumer: at.Consumer})
				})
				return b.Adapter.Start(at)
			},
		})},
		"runs what was kept": {check: "stop", new: with(broken{call: func(b *broken, tool adaptertest.Tool, input capability.JSON, call adaptertest.Call, done func(adaptertest.Answer)) {
			q := registry.Request{CapabilityID: tool.CapabilityID, Input: input, InvocationID: call.ID}
			b.place.Registry.Start(context.Background(), q, registry.InvokeOptions{Consumer: b.place.Consumer}, answerTo(done))
		}})},
		"leaves a call waiting": {check: "stop", new: with(broken{call: func(b *broken, tool adaptertest.Tool, input capability.JSON, call adaptertest.Call, done func(adaptertest.Answer)) {
			b.Adapter.Call(tool, input, call, func(answer adaptertest.Answer) {
				if answer.Error == nil || answer.Error.Code != capability.CodeConfirmationRequired {
					done(answer)
				}
			})
		}})},
		"answers twice": {check: "identity", new: with(broken{call: func(b *broken, tool adaptertest.Tool, input capability.JSON, call adaptertest.Call, done func(adaptertest.Answer)) {
			b.Adapter.Call(tool, input, call, func(answer adaptertest.Answer) { done(answer); done(answer) })
		}})},
		"does not start": {check: "refresh", new: with(broken{start: func(*broken, adaptertest.Place) error { return fmt.Errorf("no") }})},
	}
}

func onlyLetters(r rune) rune {
	if r == ':' || r == '.' {
		return -1
	}
	return r
}

// recorder keeps what Test reports.
type recorder struct{ failures []string }

func (*recorder) Helper() {}
func (r *recorder) Errorf(format string, args ...any) {
	r.failures = append(r.failures, fmt.Sprintf(format, args...))
}
func (r *recorder) Fatalf(format string, args ...any) { panic(fmt.Sprintf(format, args...)) }

// TestEveryMistakeIsNoticed by the check that is there for it.
func TestEveryMistakeIsNoticed(t *testing.T) {
	noticed := map[string]bool{}
	for name, m := range mistakes() {
		t.Run(name, func(t *testing.T) {
			var r recorder
			adaptertest.Test(&r, adaptertest.Subject{New: m.new, Traits: m.traits})
			if !slices.ContainsFunc(r.failures, func(text string) bool { return strings.HasPrefix(text, m.check+": ") }) {
				t.Errorf("the check %s noticed nothing; reported: %q", m.check, r.failures)
			}
			t.Logf("%s", strings.Join(r.failures, "\n"))
			noticed[m.check] = true
		})
	}
	for _, check := range adaptertest.Checks() {
		if !noticed[check.Name] {
			t.Errorf("nothing shows that the check %s notices anything", check.Name)
		}
	}
}

// TestChecksAreNamed once each, with a rule that a person can read.
func TestChecksAreNamed(t *testing.T) {
	rules := map[string]string{}
	for _, check := range adaptertest.Checks() {
		if check.Name == "" || rules[check.Name] != "" || !strings.HasSuffix(check.Rule, ".") {
			t.Errorf("the check %q has the rule %q", check.Name, check.Rule)
		}
		rules[check.Name] = check.Rule
	}
	if names := slices.Sorted(maps.Keys(rules)); len(names) != 11 {
		t.Errorf("the checks are %q", names)
	}
}
