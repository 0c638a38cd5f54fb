package predict_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/policy"
	"github.com/pagewarden/pagewarden/predict"
	"github.com/pagewarden/pagewarden/registry"
)

const (
	allStages = " +capability +input +policy +approval +idempotency +execute +output"
	lamp      = capability.JSON(`{"name":"lamp"}`)
)

// answers makes the server answer with an error.
func answers(err error) func(*predict.Definition) {
	return func(d *predict.Definition) {
		d.Execute = func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) { return "", err }
	}
}

func refuses(err error) policy.Policy {
	return policy.Policy{Name: "refuses", OnInvoke: func(*policy.InvokeContext, func() error) error { return err }}
}

// situation is a call whose receipt is known, by every projection.
type situation struct {
	name     string
	policies []policy.Policy
	define   func(*predict.Definition)
	options  predict.ToolOptions
	input    capability.JSON
	call     predict.Call
	twice    bool // the receipt is that of the second call
	want     string
}

func situations() []situation {
	limited := func(d *predict.Definition) { d.Budget = &predict.Budget{Calls: 1, Window: time.Minute} }
	confirmed := func(d *predict.Definition) { d.Confirmation = capability.Required }
	return []situation{
		{name: "well", input: lamp, want: "committed" + allStages},
		{name: "no input at all", want: "failed input_invalid@input +capability -input"},
		{name: "bad input", input: `{"name":7}`, want: "failed input_invalid@input +capability -input"},
		{name: "input that is no JSON", call: predict.Call{InputIssue: capability.Issue{Message: "is a function"}}, want: "failed input_invalid@input +capability -input"},
		{name: "hidden", policies: []policy.Policy{policy.Authenticated("")}, input: lamp, want: "denied capability_denied@capability -capability"},
		{name: "not authorized", input: lamp,
			options: predict.ToolOptions{Authorize: func(*policy.InvokeContext) (bool, error) { return false, nil }},
			want:    "denied capability_denied@capability -capability"},
		{name: "an authorize that fails", input: lamp,
			options: predict.ToolOptions{Authorize: func(*policy.InvokeContext) (bool, error) { return true, errors.New("secret") }},
			want:    "denied capability_denied@capability -capability"},
		{name: "an authorize that panics", input: lamp,
			options: predict.ToolOptions{Authorize: func(*policy.InvokeContext) (bool, error) { panic("secret") }},
			want:    "denied capability_denied@capability -capability"},
		{name: "authorized", input: lamp,
			options: predict.ToolOptions{Authorize: func(ctx *policy.InvokeContext) (bool, error) { return ctx.EffectiveInput == lamp, nil }},
			want:    "committed" + allStages},
		{name: "a policy", policies: []policy.Policy{refuses(registry.Refuse("Not now.", ""))}, input: lamp, want: "denied policy_denied@policy -policy"},
		{name: "over the budget", define: limited, input: lamp, twice: true, want: "denied policy_denied@policy -policy"},
		{name: "to be confirmed", define: confirmed, input: lamp, want: "denied approval_required@approval +capability +input +policy -approval"},
		{name: "with evidence of nothing", define: confirmed, input: lamp, call: predict.Call{ConfirmationID: "cnf_made_up"},
			want: "denied approval_denied@approval +capability +input +policy -approval"},
		{name: "an id used for something else", input: `{"name":"tv"}`, call: predict.Call{InvocationID: "once"}, twice: true, want: "failed conflict@idempotency -idempotency"},
		{name: "a failure", define: answers(errors.New("secret")), input: lamp, want: "failed execution_failed@execute +capability +input +policy +approval +idempotency -execute"},
		{name: "a server that knows better", define: answers(capability.NotAuthorized("server")), input: lamp, want: "denied capability_denied@capability -capability"},
		{name: "bad output", input: lamp, want: "failed output_invalid@output +capability +input +policy +approval +idempotency +execute -output",
			define: func(d *predict.Definition) {
				d.Output.Document = `{"type":"object","properties":{"version":{"type":"integer"}}}`
			}},
	}
}

// play makes the call of a situation, through one projection.
func (s situation) play(t *testing.T, project func(p *page, c *predict.Capability, o predict.ToolOptions) *predict.Tool) (*page, *predict.Tool, predict.Answer) {
	t.Helper()
	p := newPage(t, func(o *registry.Options) { o.Policies = s.policies })
	c := p.rename(s.define)
	tool := project(p, c, s.options)
	if s.twice {
		p.call(tool, lamp, s.call)
	}
	return p, tool, p.call(tool, s.input, s.call)
}

func byWebMCP(p *page, c *predict.Capability, o predict.ToolOptions) *predict.Tool {
	return p.tool(c, o)
}

func byMCP(p *page, c *predict.Capability, o predict.ToolOptions) *predict.Tool {
	p.t.Helper()
	o.Capabilities = append(o.Capabilities, c.Token())
	tool, err := p.desk.MCPTool(c, o)
	if err != nil {
		p.t.Fatal(err)
	}
	return tool.Tool
}

func TestProjectionsAgree(t *testing.T) {
	for _, s := range situations() {
		t.Run(s.name, func(t *testing.T) {
			web, _, byBrowser := s.play(t, byWebMCP)
			remote, _, byClient := s.play(t, byMCP)
			same(t, "the receipt", brief(byBrowser.Receipt), s.want)
			same(t, "the receipts", byBrowser.Receipt.JSON(), byClient.Receipt.JSON())
			same(t, "what ran", strings.Join(web.ran, " "), strings.Join(remote.ran, " "))
			same(t, "the audit", web.trailOf(), remote.trailOf())
			if web.trailOf() == "" {
				t.Error("the audit is empty")
			}
			same(t, "a secret in the receipt", strings.Contains(string(byBrowser.Receipt.JSON()), "secret"), false)
			code := func(a predict.Answer) string {
				if a.Result.Error == nil {
					return "ok"
				}
				return string(a.Result.Error.Code) + string(a.Result.Error.Retry)
			}
			same(t, "the verdict", code(byBrowser), code(byClient))
		})
	}
}

func TestReceiptShape(t *testing.T) {
	p := newPage(t)
	a := p.call(p.tool(p.rename(nil), predict.ToolOptions{}), lamp, predict.Call{})
	at := `"at":"2026-03-04T05:06:07.000Z","ok":true}`
	want := `{"ok":true,"outcome":"committed","dryRun":false,"output":{"version":"v2"},"evidence":[` +
		`{"stage":"capability",` + at + `,{"stage":"input",` + at + `,{"stage":"policy",` + at + `,{"stage":"approval",` + at +
		`,{"stage":"idempotency",` + at + `,{"stage":"execute",` + at + `,{"stage":"output",` + at + `]}`
	same(t, "the receipt", string(a.Receipt.JSON()), want)
	same(t, "what the caller gets", a.Value(), a.Receipt.JSON())
}

func TestReceiptRowsCoverTheCodes(t *testing.T) {
	rows := map[capability.Code]int{}
	for _, row := range predict.ReceiptRows() {
		rows[row.Pipeline]++
	}
	for _, info := range capability.Codes() {
		if rows[info.Code] == 0 {
			t.Errorf("%s has no row", info.Code)
		}
	}
	same(t, "the codes with a row", len(rows), len(capability.Codes()))
}

func TestOutputInTheReceiptIsBounded(t *testing.T) {
	long := capability.JSON(`{"version":"` + strings.Repeat("x", 300) + `"}`)
	p := newPage(t)
	c := p.rename(func(d *predict.Definition) {
		d.Execute = func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) { return long, nil }
	})
	for _, test := range []struct {
		most      int
		truncated bool
	}{{256, true}, {len(long) - 1, true}, {len(long), false}, {0, false}} {
		a := p.call(p.tool(c, predict.ToolOptions{MaxReceiptBytes: test.most}), lamp, predict.Call{})
		if a.Receipt.OutputTruncated != test.truncated || a.Receipt.Output.Absent() != test.truncated || !a.Receipt.OK {
			t.Errorf("with %d bytes the receipt is %s", test.most, a.Receipt.JSON())
		}
	}
	a := p.call(p.tool(c, predict.ToolOptions{MaxReceiptBytes: 256, ResultMode: predict.OutputResult}), lamp, predict.Call{})
	same(t, "the bare output", a.Value(), long)
	a = p.call(p.tool(c, predict.ToolOptions{ResultMode: predict.OutputResult}), `{}`, predict.Call{})
	same(t, "the receipt of a failure", a.Value(), a.Receipt.JSON())
}

func TestToolOptionsAreChecked(t *testing.T) {
	p := newPage(t)
	for where, options := range map[string]predict.ToolOptions{
		"maxReceiptBytes": {MaxReceiptBytes: 255}, "resultMode": {ResultMode: "both"},
		"consumer": {Consumer: capability.Consumer{ID: "x"}}, "waitTimeoutMs": {WaitTimeout: -1},
	} {
		_, err := p.desk.WebMCPTool(p.rename(nil), options)
		var argument *predict.ArgumentError
		if !errors.As(err, &argument) || argument.Where != where {
			t.Errorf("got %v; want an error of %s", err, where)
		}
	}
}

func TestTokens(t *testing.T) {
	p := newPage(t)
	c := p.rename(func(d *predict.Definition) { d.Token = "devices:write" })
	remote := func(tokens ...string) predict.Receipt {
		tool, err := p.desk.MCPTool(c, predict.ToolOptions{Capabilities: tokens})
		if err != nil {
			t.Fatal(err)
		}
		return p.call(tool.Tool, lamp, predict.Call{}).Receipt
	}
	same(t, "the browser's agent", p.call(p.tool(c, predict.ToolOptions{}), lamp, predict.Call{}).Receipt.OK, true)
	same(t, "a client without tokens", brief(remote()), "denied capability_denied@capability -capability")
	same(t, "a client with the name for a token", remote("device.rename").OK, false)
	same(t, "a client with the token", remote("other", "devices:write").OK, true)
}

func TestConfirmationIsTheDefinitionsOnly(t *testing.T) {
	p := newPage(t)
	c := p.rename(func(d *predict.Definition) { d.Annotations = `{"destructiveHint":true}` })
	same(t, "the effect", c.Effect(), capability.Destructive)
	same(t, "a destructive one", p.call(p.tool(c, predict.ToolOptions{}), lamp, predict.Call{}).Receipt.OK, true)
}

func TestConfirmationInTwoPhases(t *testing.T) {
	p := newPage(t)
	c := p.rename(func(d *predict.Definition) { d.Confirmation = capability.Required })
	tool := p.tool(c, predict.ToolOptions{})
	asked := p.call(tool, lamp, predict.Call{})
	id := asked.Result.Error.Detail("confirmationId")
	same(t, "what ran", len(p.ran), 0)
	p.Registry().Confirmations().Resolve(id, true)
	done := p.call(tool, lamp, predict.Call{InvocationID: asked.Result.InvocationID, ConfirmationID: id})
	same(t, "the receipt", brief(done.Receipt), "committed"+allStages)
	same(t, "what ran", len(p.ran), 1)
}

func TestConfirmationThatIsWaitedFor(t *testing.T) {
	for _, approved := range []bool{true, false} {
		p := newPage(t)
		c := p.rename(func(d *predict.Definition) { d.Confirmation = capability.Required })
		got := p.start(p.tool(c, predict.ToolOptions{Wait: true}), lamp, predict.Call{})
		waiting := p.Registry().Confirmations().Pending()
		if len(waiting) != 1 || len(got.answers) != 0 {
			t.Fatalf("%d records and %d answers", len(waiting), len(got.answers))
		}
		p.clock.Advance(time.Second)
		p.Registry().Confirmations().Resolve(waiting[0].ConfirmationID, approved)
		p.clock.Settle()
		want := "denied approval_denied@approval +capability +input +policy -approval"
		if approved {
			want = "committed" + allStages
		}
		same(t, "the receipt", brief(got.answers[0].Receipt), want)
	}
}

func TestDisposeEndsTheWaits(t *testing.T) {
	p := newPage(t)
	c := p.rename(func(d *predict.Definition) { d.Confirmation = capability.Required })
	tool := p.tool(c, predict.ToolOptions{Wait: true})
	got := p.start(tool, lamp, predict.Call{})
	p.desk.Dispose()
	p.clock.Settle()
	same(t, "the receipt", brief(got.answers[0].Receipt), "denied approval_required@approval +capability +input +policy -approval")
	same(t, "a later call", brief(p.call(tool, lamp, predict.Call{}).Receipt), "denied policy_denied@policy -policy")
	if _, err := p.desk.WebMCPTool(c, predict.ToolOptions{}); !errors.Is(err, predict.ErrDisposed) {
		t.Errorf("a later tool: %v", err)
	}
}

func TestTimeoutAndCancellation(t *testing.T) {
	p := newPage(t)
	slow := p.rename(func(d *predict.Definition) {
		d.Timeout = time.Second
		d.Execute = func(ctx context.Context, _ capability.JSON, call *registry.Call) (capability.JSON, error) {
			waiter := p.clock.Waiter()
			call.OnSettle(waiter.Wake)
			waiter.Park()
			return "", registry.ErrStillRunning
		}
	})
	tool := p.tool(slow, predict.ToolOptions{})
	until := " +capability +input +policy +approval +idempotency -execute"
	got := p.start(tool, lamp, predict.Call{})
	p.clock.Advance(time.Second)
	same(t, "a slow one", brief(got.answers[0].Receipt), "failed timeout@execute"+until)
	got = p.start(tool, lamp, predict.Call{})
	got.cancel()
	p.clock.Settle()
	same(t, "a cancelled one", brief(got.answers[0].Receipt), "failed cancelled@execute"+until)
	scope, cancel := context.WithCancel(context.Background())
	cancel()
	var early []predict.Answer
	tool.Start(scope, lamp, predict.Call{}, func(a predict.Answer) { early = append(early, a) })
	p.clock.Settle()
	same(t, "one that nobody wants", brief(early[0].Receipt), "failed cancelled@capability -capability")
}

func TestReplayGivesTheSameReceipt(t *testing.T) {
	p := newPage(t)
	c := p.rename(func(d *predict.Definition) {
		d.Idempotency = &predict.Idempotency{Key: func(input capability.JSON) (string, error) { return "rename:" + string(input), nil }}
	})
	tool := p.tool(c, predict.ToolOptions{})
	first := p.call(tool, lamp, predict.Call{InvocationID: "ignored"})
	same(t, "the identity", first.Result.InvocationID, `rename:{"name":"lamp"}`)
	p.clock.Advance(time.Second)
	same(t, "the second receipt", p.call(tool, lamp, predict.Call{}).Receipt.JSON(), first.Receipt.JSON())
	same(t, "what ran", len(p.ran), 1)
}

func TestBrokenInputHasNoIdempotencyKey(t *testing.T) {
	p := newPage(t)
	c := p.rename(func(d *predict.Definition) {
		d.Input.Document = `{"type":"object"}`
		d.Idempotency = &predict.Idempotency{Key: func(capability.JSON) (string, error) { return "key", nil }}
	})
	tool := p.tool(c, predict.ToolOptions{})
	p.call(tool, "", predict.Call{InputIssue: capability.Issue{Message: "is a function"}})
	same(t, "a sound call after it", brief(p.call(tool, `{}`, predict.Call{}).Receipt), "committed"+allStages)
}

func TestDryRunThatAPolicyOutsideRefuses(t *testing.T) {
	p := newPage(t, func(o *registry.Options) {
		o.Policies = []policy.Policy{{Name: "outside", OnInvoke: func(_ *policy.InvokeContext, next func() error) error {
			if err := next(); err != nil {
				return capability.NotAuthorized("client")
			}
			return nil
		}}}
	})
	a := p.call(p.tool(p.rename(nil), predict.ToolOptions{DryRun: true}), lamp, predict.Call{})
	same(t, "the receipt", brief(a.Receipt), "denied capability_denied@capability -capability")
}

func TestIdempotencyKeyThatFails(t *testing.T) {
	for name, key := range map[string]func(capability.JSON) (string, error){
		"error": func(capability.JSON) (string, error) { return "", errors.New("secret") },
		"empty": func(capability.JSON) (string, error) { return "", nil },
		"panic": func(capability.JSON) (string, error) { panic("secret") },
	} {
		p := newPage(t)
		c := p.rename(func(d *predict.Definition) { d.Idempotency = &predict.Idempotency{Key: key} })
		a := p.call(p.tool(c, predict.ToolOptions{}), lamp, predict.Call{})
		same(t, name, brief(a.Receipt), "failed execution_failed@execute -execute")
		same(t, "what ran", len(p.ran), 0)
		same(t, "the log", len(p.logs), 1)
	}
}

// shelf is an injected store of outputs.
type shelf struct {
	kept     map[string]capability.JSON
	get, put error
}

func (s *shelf) Get(_ context.Context, key string) (capability.JSON, bool, error) {
	output, found := s.kept[key]
	return output, found, s.get
}

func (s *shelf) Put(_ context.Context, key string, output capability.JSON) error {
	if s.put == nil {
		s.kept[key] = output
	}
	return s.put
}

func TestDurableIdempotency(t *testing.T) {
	s := &shelf{kept: map[string]capability.JSON{}}
	durable := func(d *predict.Definition) {
		d.Idempotency = &predict.Idempotency{Store: s, Key: func(capability.JSON) (string, error) { return "key", nil }}
	}
	p := newPage(t)
	same(t, "the first", brief(p.call(p.tool(p.rename(durable), predict.ToolOptions{}), lamp, predict.Call{}).Receipt), "committed"+allStages)
	again := newPage(t) // after a restart
	a := again.call(again.tool(again.rename(durable), predict.ToolOptions{}), lamp, predict.Call{})
	same(t, "the second", brief(a.Receipt), "committed +capability +input +policy +approval +idempotency +output")
	same(t, "its output", a.Result.Output, capability.JSON(`{"version":"v2"}`))
	same(t, "what ran", len(again.ran), 0)

	s.get = errors.New("secret")
	broken := newPage(t)
	a = broken.call(broken.tool(broken.rename(durable), predict.ToolOptions{}), lamp, predict.Call{})
	same(t, "with a broken store", brief(a.Receipt), "failed execution_failed@execute +capability +input +policy +approval -execute")
	same(t, "what ran", len(broken.ran), 0)

	s.get, s.put, s.kept = nil, errors.New("full"), map[string]capability.JSON{}
	full := newPage(t)
	same(t, "with a full store", full.call(full.tool(full.rename(durable), predict.ToolOptions{}), lamp, predict.Call{}).Receipt.OK, true)
	same(t, "the log", len(full.logs), 1)
}

func TestDryRun(t *testing.T) {
	p := newPage(t)
	c := p.rename(func(d *predict.Definition) {
		foreseen(d)
		d.Confirmation = capability.Required
		d.Idempotency = &predict.Idempotency{Key: func(capability.JSON) (string, error) { return "key", nil }}
	})
	store := p.store()
	dry := p.call(p.tool(c, predict.ToolOptions{DryRun: true, Store: store}), lamp, predict.Call{})
	same(t, "the receipt", brief(dry.Receipt), "dry-run +capability +input +policy")
	same(t, "its flag", dry.Receipt.DryRun && dry.Receipt.OK, true)
	same(t, "the prediction", member(dry.Receipt.Output, "patch"), capability.JSON(`[{"op":"replace","path":"/name","value":"lamp"}]`))
	same(t, "what ran", len(p.ran), 0)
	same(t, "what is asked", len(p.Registry().Confirmations().Pending()), 0)
	same(t, "the store", store.Snapshot().State, capability.JSON(`{"name":"old"}`))
	bad := p.call(p.tool(c, predict.ToolOptions{DryRun: true}), `{}`, predict.Call{})
	same(t, "with bad input", brief(bad.Receipt), "failed input_invalid@input +capability -input")
	denied := p.call(p.tool(c, predict.ToolOptions{DryRun: true, Authorize: func(*policy.InvokeContext) (bool, error) { return false, nil }}), lamp, predict.Call{})
	same(t, "unauthorized", brief(denied.Receipt), "denied capability_denied@capability -capability")
	same(t, "its flag", denied.Receipt.DryRun, true)
	same(t, "then for real", brief(p.call(p.tool(c, predict.ToolOptions{}), lamp, predict.Call{}).Receipt), "denied approval_required@approval +capability +input +policy -approval")
}

func TestOneNameIsOneCapability(t *testing.T) {
	p := newPage(t)
	p.tool(p.rename(nil), predict.ToolOptions{})
	_, err := p.desk.WebMCPTool(p.rename(nil), predict.ToolOptions{})
	if defect, ok := registry.IsDefinitionError(err); !ok || defect.Code != registry.DuplicateCapability {
		t.Errorf("got %v", err)
	}
	other := predict.NewDesk(p.Registry(), predict.Options{Host: p.clock})
	defer other.Dispose()
	_, err = other.WebMCPTool(p.rename(nil), predict.ToolOptions{})
	if defect, ok := registry.IsDefinitionError(err); !ok || defect.Code != registry.DuplicateCapability {
		t.Errorf("another desk: got %v", err)
	}
}

// TestCallWhileItIsRegistered: whoever gets a capability that another is registering just now is not told that there is none.
func TestCallWhileItIsRegistered(t *testing.T) {
	for _, refused := range []bool{false, true} {
		var early *pending
		var tool *predict.Tool
		var c *predict.Capability
		var p *page
		p = newPage(t, func(o *registry.Options) {
			o.OnRegister = func(registry.Candidate) error {
				if tool == nil {
					tool = p.tool(c, predict.ToolOptions{})
					if early = p.start(tool, lamp, predict.Call{}); len(early.answers) != 0 {
						t.Error("the call was answered before the registry had")
					}
				}
				if refused {
					return errors.New("no")
				}
				return nil
			}
		})
		c = p.rename(nil)
		if _, err := p.desk.WebMCPTool(c, predict.ToolOptions{}); (err != nil) != refused {
			t.Errorf("registering gives %v", err)
		}
		p.clock.Settle()
		want := "committed" + allStages
		if refused {
			want = "denied capability_denied@capability -capability"
		}
		if len(early.answers) != 1 || brief(early.answers[0].Receipt) != want {
			t.Errorf("the early call has the answers %v, want %s", early.answers, want)
		}
	}
}
