package jsbridge

import (
	"strings"
	"testing"
	"time"
)

// guarded registers a form under one policy with the given hooks.
func guarded(p *page, hooks string) int32 {
	registry := p.registry("")
	p.answers[AskHandler] = says(`"saved"`)
	p.register(registry, 1, strings.Replace(form(""), `"actions"`, `"policies":[{"name":"p","policy":9,`+hooks+`}],"actions"`, 1))
	return registry
}

func TestDiscoveryAnswers(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer answer
		want   string
	}{
		{"nothing", says(""), `"saved"`},
		{"expose", says(`{"decision":"expose"}`), `"saved"`},
		{"hide", says(`{"decision":"hide","reason":"x"}`), "CAPABILITY_NOT_FOUND"},
		{"disable", says(`{"decision":"disable","reason":"Later"}`), "CAPABILITY_NOT_AVAILABLE Later"},
		{"an empty decision", says(`{}`), "CAPABILITY_NOT_FOUND"},
		{"an unknown decision", says(`{"decision":"show"}`), "CAPABILITY_NOT_FOUND"},
		{"a decision of the wrong kind", says(`{"decision":true}`), "CAPABILITY_NOT_FOUND"},
		{"a reason of the wrong kind", says(`{"decision":"disable","reason":5}`), "CAPABILITY_NOT_FOUND"},
		{"null", says("null"), "CAPABILITY_NOT_FOUND"},
		{"a text", says(`"expose"`), "CAPABILITY_NOT_FOUND"},
		{"a failure", fails(), "CAPABILITY_NOT_FOUND"},
		{"what is no JSON", func(int32, int32, int32, string) (Answer, string) { return AnswerNotJSON, "a promise" }, "CAPABILITY_NOT_FOUND"},
		{"a promise to answer", pends, "CAPABILITY_NOT_FOUND"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPage(t)
			p.answers[AskDiscovery] = c.answer
			registry := guarded(p, `"discovery":true`)
			p.call(registry, 1)
			p.wantResult(1, c.want)
			hidden := !strings.Contains(p.do(OpSnapshot, registry, 0, "{}"), "app.form")
			if hidden != (c.want == "CAPABILITY_NOT_FOUND") {
				t.Errorf("hidden in the snapshot: %t", hidden)
			}
		})
	}
}

// hookStep is one thing that a hook does: it returns an answer, settles, or calls next.
type hookStep struct {
	op     Op
	answer Answer
}

func TestHooksAroundACall(t *testing.T) {
	settle := func(a Answer) hookStep { return hookStep{OpSettle, a} }
	next := hookStep{op: OpNext}
	for _, c := range []struct {
		name          string
		first         Answer // that the hook returns with
		later         []hookStep
		wantAuthorize string
		wantInvoke    string
		nexts         int // promises of next that settle
	}{
		{"next and an end", AnswerNext, nil, `"saved"`, `"saved"`, 1},
		{"no next", AnswerValue, nil, "NOT_AUTHORIZED", "EXECUTION_FAILED policy", 0},
		{"next twice", AnswerNextTwice, nil, "EXECUTION_FAILED policy", "EXECUTION_FAILED policy", 2},
		{"next, then a failure", AnswerNext | AnswerFailed, nil, "EXECUTION_FAILED handler-error", "EXECUTION_FAILED handler-error", 1},
		{"a failure", AnswerFailed, nil, "EXECUTION_FAILED handler-error", "EXECUTION_FAILED handler-error", 0},
		{"next at once, an end later", AnswerNext | AnswerPending, []hookStep{settle(AnswerValue)}, `"saved"`, `"saved"`, 1},
		{"next at once, a failure later", AnswerNext | AnswerPending, []hookStep{settle(AnswerFailed)}, "EXECUTION_FAILED handler-error", "EXECUTION_FAILED handler-error", 1},
		{"next later", AnswerPending, []hookStep{next, settle(AnswerValue)}, `"saved"`, `"saved"`, 1},
		{"next twice later", AnswerPending, []hookStep{next, next, settle(AnswerValue)}, "EXECUTION_FAILED policy", "EXECUTION_FAILED policy", 2},
		{"next at once and later", AnswerNext | AnswerPending, []hookStep{next, settle(AnswerValue)}, "EXECUTION_FAILED policy", "EXECUTION_FAILED policy", 2},
		{"an end without next, later", AnswerPending, []hookStep{settle(AnswerValue)}, "NOT_AUTHORIZED", "EXECUTION_FAILED policy", 0},
		{"two ends", AnswerPending, []hookStep{next, settle(AnswerValue), settle(AnswerFailed)}, `"saved"`, `"saved"`, 1},
		{"next after the end", AnswerPending, []hookStep{next, settle(AnswerValue), next}, `"saved"`, `"saved"`, 1},
	} {
		for hook, q := range map[string]Question{"authorize": AskAuthorize, "invoke": AskInvoke} {
			t.Run(c.name+" in "+hook, func(t *testing.T) {
				p := newPage(t)
				p.answers[q] = func(int32, int32, int32, string) (Answer, string) { return c.first, "" }
				registry := guarded(p, `"`+hook+`":true`)
				p.call(registry, 1)
				for _, step := range c.later {
					p.do(step.op, p.tickets[0], int32(step.answer), "")
				}
				want := c.wantInvoke
				if hook == "authorize" {
					want = c.wantAuthorize
				}
				p.wantResult(1, want)
				p.wantTold(TellNext, c.nexts)
				p.wantTold(TellHandlerDone, 1)
				p.wantTables("handles 1", "surfaces 1")
			})
		}
	}
}

func TestHookThatOutlivesItsCall(t *testing.T) {
	p := newPage(t)
	p.answers[AskInvoke] = pends
	registry := guarded(p, `"invoke":true`)
	p.call(registry, 1)
	p.do(OpCancel, registry, 0, "[1]")
	p.wantResult(1, "CANCELLED")
	p.wantTold(TellHandlerDone, 1)
	p.do(OpNext, p.lastTicket(), 0, "")
	p.do(OpSettle, p.lastTicket(), int32(AnswerValue), "")
	if strings.Contains(strings.Join(p.asked, "\n"), `"saved"`) {
		t.Error("the handler ran")
	}
	p.wantTables("handles 1", "surfaces 1")
}

func TestInnerRefusalIsToldToTheOuterHook(t *testing.T) {
	p := newPage(t)
	p.answers[AskInvoke] = func(policy, _, _ int32, _ string) (Answer, string) {
		if policy == 1 {
			return AnswerNext | AnswerPending, ""
		}
		return AnswerThrown, `{"code":"NOT_AUTHORIZED","message":"Not yours.","retry":"no"}`
	}
	registry := p.registry(`,"policies":[{"name":"outer","policy":1,"invoke":true}]`)
	p.register(registry, 1, strings.Replace(form(""), `"actions"`, `"policies":[{"name":"inner","policy":2,"invoke":true}],"actions"`, 1))
	p.call(registry, 1)
	told := strings.Join(p.told, "\n")
	if !strings.Contains(told, `1 {"code":"NOT_AUTHORIZED","message":"Not yours.","retry":"no"}`) {
		t.Errorf("told %s", told)
	}
	p.wantNoResult(1)
	p.do(OpSettle, p.tickets[0], int32(AnswerThrown), `{"code":"NOT_AUTHORIZED","message":"Not yours.","retry":"no"}`)
	p.wantResult(1, "NOT_AUTHORIZED")
}

func TestHookContexts(t *testing.T) {
	p := newPage(t)
	p.answers[AskDiscovery] = says("")
	p.answers[AskAuthorize] = func(int32, int32, int32, string) (Answer, string) { return AnswerNext, "" }
	p.answers[AskInvoke] = p.answers[AskAuthorize]
	registry := guarded(p, `"discovery":true,"authorize":true,"invoke":true`)
	p.do(OpInvoke, registry, 1, request(`{"capabilityId":"view:app.form.save","input":{"secret":1},"invocationId":"i1","consumer":{"id":"me","kind":"test","grants":["a"]}}`))
	p.wantResult(1, `"saved"`)
	for _, line := range p.asked {
		asked, text, _ := strings.Cut(line, "\n")
		switch {
		case strings.HasPrefix(asked, "7 9") || strings.HasPrefix(asked, "8 9"): // discovery, authorize
			if strings.Contains(text, "secret") || strings.Contains(text, "i1") {
				t.Errorf("a hook without input sees it: %s", line)
			}
		case strings.HasPrefix(asked, "9 9"):
			if !strings.HasSuffix(text, "\n{\"secret\":1}\ni1") {
				t.Errorf("invoke sees %s", line)
			}
		default:
			continue
		}
		for _, want := range []string{`"capabilityId":"view:app.form.save"`, "\n" + `{"id":"me","kind":"test","grants":["a"]}` + "\n", `"environment":"test"`, `{"definition":1,`} {
			if !strings.Contains(line, want) {
				t.Errorf("%s is not in %s", want, line)
			}
		}
	}
}

func TestWaitingForAHookIsCutByTheCallersTimeOut(t *testing.T) {
	p := newPage(t)
	p.answers[AskInvoke] = pends
	registry := guarded(p, `"invoke":true`)
	p.call(registry, 1)
	p.pass(time.Hour)
	p.wantNoResult(1) // a policy's time is not the handler's
	p.do(OpDispose, registry, 0, "")
	p.wantResult(1, "CANCELLED")
	p.wantTables()
}
