package jsbridge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

func pends(int32, int32, int32, string) (Answer, string) { return AnswerPending, "" }

func TestAnswersOfHandlers(t *testing.T) {
	for _, c := range []struct {
		name   string
		answer Answer
		text   string
		want   string
	}{
		{"a value", AnswerValue, `{"a":1}`, `{"a":1}`},
		{"null", AnswerValue, "null", "null"},
		{"nothing", AnswerValue, "", ""},
		{"something thrown", AnswerFailed, "", "EXECUTION_FAILED handler-error"},
		{"something transient, which only executors may say", AnswerFailed, `{"transient":true}`, "EXECUTION_FAILED handler-error"},
		{"a typed error", AnswerThrown, `{"code":"NOT_AUTHORIZED","message":"No.","retry":"no"}`, "NOT_AUTHORIZED"},
		{"a typed error with details", AnswerThrown, `{"code":"RATE_LIMITED","message":"Wait.","retry":"after-delay","details":{"reason":"rate"}}`, "RATE_LIMITED rate"},
		{"a code that nobody may throw", AnswerThrown, `{"code":"TIMEOUT","message":"x","retry":"no"}`, "EXECUTION_FAILED handler-error"},
		{"a payload that is none", AnswerThrown, `{"code":5}`, "EXECUTION_FAILED handler-error"},
		{"a payload that is no object", AnswerThrown, `[]`, "EXECUTION_FAILED handler-error"},
		{"a payload that is no JSON", AnswerThrown, `{`, "EXECUTION_FAILED handler-error"},
		{"what is not JSON", AnswerNotJSON, "rows[0] must be JSON, and is a function", "EXECUTION_FAILED output-invalid"},
		{"what is too long", AnswerTooLong, "must be at most 32768 bytes of JSON", "EXECUTION_FAILED output-too-large"},
		{"a text that claims to be JSON", AnswerValue, "{", "EXECUTION_FAILED output-invalid"},
		{"an answer of an unknown kind", Answer(9), "", "EXECUTION_FAILED handler-error"},
	} {
		for _, later := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, later %t", c.name, later), func(t *testing.T) {
				p := newPage(t)
				registry := p.registry("")
				p.register(registry, 1, form(""))
				p.answers[AskHandler] = func(int32, int32, int32, string) (Answer, string) { return c.answer, c.text }
				if later {
					p.answers[AskHandler] = pends
				}
				p.call(registry, 1)
				if later {
					p.wantNoResult(1)
					p.do(OpSettle, p.lastTicket(), int32(c.answer), c.text)
				}
				p.wantResult(1, c.want)
				p.wantTables("handles 1", "surfaces 1")
			})
		}
	}
}

func TestOutputThatCannotBeWrittenIsExplained(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	p.register(registry, 1, form(""))
	p.answers[AskHandler] = func(int32, int32, int32, string) (Answer, string) {
		return AnswerNotJSON, "rows[0] must be JSON, and is a function"
	}
	p.call(registry, 1)
	found := slices.ContainsFunc(p.told, func(line string) bool { return strings.Contains(line, "rows[0] must be JSON") })
	if !found {
		t.Errorf("developers were not told where: %q", p.told)
	}
	if strings.Contains(p.results[1], "rows") || !strings.Contains(p.results[1], `"progress":"done"`) {
		t.Error(p.results[1])
	}
}

const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

func TestHandlerGetsItsCall(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	p.register(registry, 5, strings.Replace(form(""), `"actions"`, `"observations":{"state":{"description":"State","read":true,"output":{"document":{}}}},"actions"`, 1))
	p.answers[AskHandler] = says("1")
	p.do(OpInvoke, registry, 1, request(`{"capabilityId":"view:app.form.save","invocationId":"i1","input":{"b":1,"a":[]},"consumer":{"id":"me","kind":"other","grants":["x"],"claimedName":"Robot"}}`))
	last := p.asked[len(p.asked)-1]
	const consumer = `{"id":"me","kind":"other","grants":["x"],"claimedName":"Robot"}`
	asked := strings.Split(last, "\n")
	asked[1] = strings.TrimRight(asked[1], base62)
	want := []string{fmt.Sprintf("%d 5 1 view:app.form.save", AskHandler), "reg_", consumer, "", `{"b":1,"a":[]}`, "i1"}
	if !slices.Equal(asked, want) {
		t.Errorf("asked %q, want %q", asked, want)
	}
	p.do(OpInvoke, registry, 2, request(`{"capabilityId":"view:app.form.state","input":{"ignored":1}}`))
	if last := p.asked[len(p.asked)-1]; !strings.HasPrefix(last, fmt.Sprintf("%d 5 0 view:app.form.state\nreg_", AskHandler)) || !strings.HasSuffix(last, "}\n") {
		t.Errorf("asked %s", last)
	}
}

func TestTimeOutAbortsAndRecordsTheLateEnd(t *testing.T) {
	for _, answer := range []Answer{AnswerValue, AnswerFailed} {
		p := newPage(t)
		registry := p.registry("")
		p.register(registry, 1, form(`,"timeoutMs":100`))
		p.answers[AskHandler] = pends
		p.call(registry, 1)
		p.pass(99 * time.Millisecond)
		p.wantNoResult(1)
		p.pass(time.Millisecond)
		p.wantResult(1, "TIMEOUT")
		p.wantTold(TellAbort, 1)
		p.wantTables("handles 1", "surfaces 1", "waits 1")
		before := len(p.told)
		p.do(OpSettle, p.lastTicket(), int32(answer), "")
		p.do(OpSettle, p.lastTicket(), int32(answer), "")
		late := 0
		for _, line := range p.told[before:] {
			if strings.Contains(line, "late-settlement") {
				late++
			}
		}
		if late != 1 {
			t.Errorf("%d late settlements were recorded: %q", late, p.told[before:])
		}
		p.wantTables("handles 1", "surfaces 1")
	}
}

// TestHandlerThatSettlesWhenItIsAborted answers from inside the abort, when the call has its result and its flow
// does not know yet.
func TestHandlerThatSettlesWhenItIsAborted(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	p.register(registry, 1, form(`,"timeoutMs":100`))
	p.answers[AskHandler] = pends
	p.bridge.page = abortListener{p, func() { p.do(OpSettle, p.lastTicket(), int32(AnswerValue), `"late"`) }}
	p.call(registry, 1)
	p.now = p.now.Add(time.Second)
	p.do(OpTimers, 0, 0, "")
	p.wantResult(1, "TIMEOUT")
	late := 0
	for _, line := range p.told {
		if strings.Contains(line, "late-settlement") {
			late++
		}
	}
	if late != 1 {
		t.Errorf("%d late settlements were recorded", late)
	}
	p.wantTables("handles 1", "surfaces 1")
}

// abortListener is a page that does something when a handler's signal aborts.
type abortListener struct {
	*page
	onAbort func()
}

func (l abortListener) Tell(n News, a, b int32, text string) {
	l.page.Tell(n, a, b, text)
	if n == TellAbort {
		l.onAbort()
	}
}

func TestCancelWithdrawsAllBeforeAnyFlowGoesOn(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	p.register(registry, 1, form(""))
	p.answers[AskHandler] = pends
	for ticket := int32(1); ticket <= 3; ticket++ {
		p.call(registry, ticket)
	}
	if len(p.tickets) != 1 {
		t.Fatalf("%d handlers run", len(p.tickets))
	}
	p.do(OpCancel, registry, 0, "[1,2,3,99]")
	for ticket := int32(1); ticket <= 3; ticket++ {
		p.wantResult(ticket, "CANCELLED")
	}
	if len(p.tickets) != 1 {
		t.Errorf("a call that was withdrawn ran its handler")
	}
	for _, text := range []string{"", "[]", "{}", `["x"]`, "[99999999999999]"} {
		p.do(OpCancel, registry, 0, text)
	}
}

func TestHandlersThatNeverEndAreBounded(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	p.register(registry, 1, form(`,"concurrency":{"mode":"parallel","max":5000},"timeoutMs":100`))
	p.answers[AskHandler] = pends
	const calls = maxAbandoned + 50
	for ticket := int32(1); ticket <= calls; ticket++ {
		p.call(registry, ticket)
	}
	p.pass(time.Second)
	p.wantTables("handles 1", "surfaces 1", fmt.Sprintf("waits %d", maxAbandoned))
	p.wantTold(TellHandlerDone, 50)
	p.do(OpSettle, p.tickets[0], int32(AnswerValue), "1") // one that was given up
	p.do(OpDispose, registry, 0, "")
	p.wantTold(TellHandlerDone, calls)
	p.wantTables()
	if len(p.bridge.waits.abandoned) != 0 {
		t.Errorf("%d tickets are kept", len(p.bridge.waits.abandoned))
	}
}

func TestDisposalGivesUpItsOwnHandlersOnly(t *testing.T) {
	p := newPage(t)
	p.answers[AskHandler] = pends
	one, two := p.registry(""), p.registry("")
	p.register(one, 1, form(`,"timeoutMs":100`))
	p.register(two, 2, form(`,"timeoutMs":100`))
	p.call(one, 1)
	p.call(two, 2)
	p.pass(time.Second)
	p.do(OpDispose, one, 0, "")
	p.wantTables("handles 1", "surfaces 1", "waits 1")
	p.do(OpSettle, p.lastTicket(), int32(AnswerValue), "1")
	p.wantTables("handles 1", "surfaces 1")
}

func TestUnregisteredInFlight(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	handle := p.register(registry, 1, form(""))
	p.answers[AskHandler] = pends
	p.call(registry, 1)
	p.do(OpUnregister, handle, 0, "")
	p.wantTold(TellAbort, 1)
	p.wantNoResult(1)
	p.turn()
	p.wantResult(1, "COMPONENT_UNMOUNTED")
}

func TestHooksOfACapability(t *testing.T) {
	for _, c := range []struct {
		name    string
		more    string
		answers map[Question]answer
		want    string
	}{
		{"when is true", `,"when":true`, map[Question]answer{AskWhen: says("true")}, "1"},
		{"when is false", `,"when":true`, map[Question]answer{AskWhen: says("false")}, "CAPABILITY_NOT_AVAILABLE Currently unavailable"},
		{"when fails", `,"when":true`, map[Question]answer{AskWhen: fails()}, "CAPABILITY_NOT_AVAILABLE when-error"},
		{"a reason", `,"when":true,"unavailableReason":true`, map[Question]answer{AskWhen: says("false"), AskReason: says(`"Closed"`)}, "CAPABILITY_NOT_AVAILABLE Closed"},
		{"a reason that is no text", `,"when":true,"unavailableReason":true`, map[Question]answer{AskWhen: says("false"), AskReason: says("5")}, "CAPABILITY_NOT_AVAILABLE Currently unavailable"},
		{"a reason that fails", `,"when":true,"unavailableReason":true`, map[Question]answer{AskWhen: says("false"), AskReason: fails()}, "CAPABILITY_NOT_AVAILABLE Currently unavailable"},
		{"a fixed reason", `,"when":true,"unavailableReason":"Shut"`, map[Question]answer{AskWhen: says("false")}, "CAPABILITY_NOT_AVAILABLE Shut"},
		{"a precondition that holds", `,"precondition":true`, map[Question]answer{AskPrecondition: says("")}, "1"},
		{"a precondition that does not", `,"precondition":true`, map[Question]answer{AskPrecondition: says(`{"message":"No.","details":{"reason":"mine"}}`)}, "PRECONDITION_FAILED mine"},
		{"a precondition that says nonsense", `,"precondition":true`, map[Question]answer{AskPrecondition: says(`5`)}, "PRECONDITION_FAILED"},
		{"a precondition that fails", `,"precondition":true`, map[Question]answer{AskPrecondition: fails()}, "PRECONDITION_FAILED"},
		{"a parse that gives a value", `,"precondition":true`, map[Question]answer{AskPrecondition: says("")}, "1"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPage(t)
			p.answers = c.answers
			p.answers[AskHandler] = says("1")
			registry := p.registry("")
			p.register(registry, 1, form(c.more))
			p.call(registry, 1)
			p.wantResult(1, c.want)
		})
	}
}

func TestParseOfThePage(t *testing.T) {
	for answerText, want := range map[string]string{
		`{"value":{"n":2}}`: `{"n":2}`,
		`{"issues":[{"path":"n","message":"must be even"}]}`: "INVALID_INPUT",
		`{"issues":[]}`:  "INVALID_INPUT",
		`{"issues":[5]}`: "INVALID_INPUT",
		`5`:              "INVALID_INPUT",
	} {
		p := newPage(t)
		p.answers[AskParse] = says(answerText)
		p.answers[AskHandler] = func(_, _, _ int32, text string) (Answer, string) {
			return AnswerValue, strings.Split(text, "\n")[4]
		}
		registry := p.registry("")
		p.register(registry, 1, strings.Replace(form(""), `{"document":{}}`, `{"document":{},"parse":44}`, 1))
		p.call(registry, 1)
		p.wantResult(1, want)
		p.answers[AskParse] = fails()
		p.call(registry, 2)
		p.wantResult(2, "INVALID_INPUT")
	}
}

func TestProcedures(t *testing.T) {
	const binding = `{"type":"app.order","description":"An order","procedures":[{"kind":"procedure-binding",` +
		`"ref":{"id":"domain:orders.cancel","path":"orders.cancel","description":"Cancels","effect":"server-mutation",` +
		`"inputSchema":{"type":"object","properties":{"order":{"type":"string"},"why":{"type":"string"}},"required":["order"]}},` +
		`"config":{"bind":true,"describe":true},"boundKeys":["order"],"lockedKeys":["order"]}]}`
	const call = `{"capabilityId":"domain:orders.cancel","input":{"why":"late"}}`
	p := newPage(t)
	registry := p.registry("")
	p.register(registry, 1, binding)
	for _, c := range []struct {
		bind, execute answer
		want          string
	}{
		{says(`{"order":"o1"}`), says(`"done"`), `"done"`},
		{fails(), says(`"done"`), "PRECONDITION_FAILED binding-failed"},
		{says(""), says(`"done"`), "PRECONDITION_FAILED binding-failed"},
		{says(`{"order":5}`), says(`"done"`), "PRECONDITION_FAILED binding-failed"},
		{says(`{"order":"o1"}`), fails(), "EXECUTION_FAILED transport"},
		{says(`{"order":"o1"}`), func(int32, int32, int32, string) (Answer, string) { return AnswerNotJSON, "x" }, "EXECUTION_FAILED output-invalid"},
	} {
		p.answers = map[Question]answer{AskBind: c.bind, AskExecutor: c.execute, AskDescribe: fails()}
		p.do(OpSetExecutor, registry, 1, "")
		clear(p.results)
		p.do(OpInvoke, registry, 1, request(call))
		p.wantResult(1, c.want)
	}
	p.answers[AskExecutor] = func(int32, int32, int32, string) (Answer, string) {
		return AnswerFailed, `{"transient":true,"retryAfterMs":1500}`
	}
	p.do(OpInvoke, registry, 2, request(call))
	if !strings.Contains(p.results[2], `"transient":true,"retryAfterMs":1500`) {
		t.Error(p.results[2])
	}
	if last := p.asked[len(p.asked)-1]; !strings.Contains(last, " orders.cancel\ndomain:orders.cancel\n") || !strings.Contains(last, `"why":"late","order":"o1"`) {
		t.Errorf("asked %s", last)
	}
	p.do(OpSetExecutor, registry, 0, "")
	p.do(OpInvoke, registry, 3, request(call))
	p.wantResult(3, "EXECUTION_FAILED transport")
}
