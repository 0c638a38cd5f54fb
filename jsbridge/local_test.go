package jsbridge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// tool is the definition of a web tool as the script writes it; config is what its binding has besides execute.
func tool(config string) string {
	return `{"type":"web-tool","description":"A tool","procedures":[{"kind":"procedure-binding","boundKeys":[],"lockedKeys":[],` +
		`"ref":{"id":"domain:clear_cart","path":"clear_cart","description":"Clears","effect":"destructive"},` +
		`"config":{"execute":true,"input":{"document":{"type":"object"}}` + config + `}}]}`
}

const callTool = `{"capabilityId":"domain:clear_cart","input":{"n":1},"invocationId":"one"}`

// toolPage has a tool with prepare and ask, which the page answers later.
func toolPage(t *testing.T) (p *page, registry int32) {
	t.Helper()
	p = newPage(t)
	registry = p.registry("")
	p.register(registry, 1, tool(`,"prepare":true,"ask":true`))
	p.answers[AskPrepare] = says(`{"unfilled":["a"]}`)
	p.answers[AskPerson] = pends
	p.answers[AskHandler] = says(`"done"`)
	return p, registry
}

// questions are those that the page was asked, with their last two lines, the input and the invocation id.
func (p *page) questions(q Question) []string {
	var found []string
	for _, line := range p.asked {
		if number, rest, _ := strings.Cut(line, " "); number == fmt.Sprint(int(q)) {
			lines := strings.Split(rest, "\n")
			found = append(found, strings.Join(lines[len(lines)-2:], " "))
		}
	}
	return found
}

// askedFor is the confirmation that a call was told to get.
func (p *page) askedFor(ticket int32) string {
	p.t.Helper()
	p.wantResult(ticket, "CONFIRMATION_REQUIRED")
	var r struct {
		Error struct {
			Details struct{ ConfirmationID string }
		}
	}
	p.decode(p.results[ticket], &r)
	return r.Error.Details.ConfirmationID
}

// withEvidence is the call of the tool once more.
func withEvidence(confirmationID string) string {
	return request(strings.Replace(callTool, `"input"`, `"confirmationId":"`+confirmationID+`","input"`, 1))
}

func TestToolIsCarriedOutByThePage(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	p.register(registry, 1, tool(""))
	p.answers[AskHandler] = says(`"done"`)
	p.do(OpInvoke, registry, 1, request(callTool))
	p.wantResult(1, `"done"`)
	if got := p.questions(AskHandler); len(got) != 1 || got[0] != `{"input":{"n":1}} one` {
		t.Errorf("asked %q", got)
	}
}

func TestToolIsPreparedAskedForAndCarriedOut(t *testing.T) {
	p, registry := toolPage(t)
	p.do(OpInvoke, registry, 1, request(callTool))
	if got := p.questions(AskPrepare); len(got) != 1 || got[0] != `{"n":1} one` {
		t.Errorf("asked to prepare %q", got)
	}
	asked := p.questions(AskPerson)
	if len(asked) != 1 || !strings.Contains(asked[0], `"input":{"n":1}`) || !strings.Contains(asked[0], `"decidedBy":"control"`) {
		t.Fatalf("asked the person %q", asked)
	}
	id := p.askedFor(1)
	if back := p.do(OpResolve, registry, 1, id); back != "false" {
		t.Errorf("confirmations.resolve gives %s", back)
	}
	p.do(OpSettle, p.lastTicket(), int32(AnswerValue), "true")
	p.do(OpInvoke, registry, 2, withEvidence(id))
	p.wantResult(2, `"done"`)
	if got := p.questions(AskHandler); len(got) != 1 || got[0] != `{"input":{"n":1},"prepared":{"unfilled":["a"]}} one` {
		t.Errorf("asked %q", got)
	}
	p.wantTables("handles 1", "surfaces 1")
}

// TestOnlyTrueApproves: whatever else the page answers, at once or later, denies.
func TestOnlyTrueApproves(t *testing.T) {
	for name, c := range map[string]struct {
		answer Answer
		text   string
	}{
		"false": {AnswerValue, "false"}, "nothing": {AnswerValue, ""}, "an object": {AnswerValue, `{"approved":true}`},
		"thrown": {AnswerFailed, ""}, "not JSON": {AnswerNotJSON, "true"},
	} {
		for _, later := range []bool{false, true} {
			p, registry := toolPage(t)
			if !later {
				p.answers[AskPerson] = func(int32, int32, int32, string) (Answer, string) { return c.answer, c.text }
			}
			p.do(OpInvoke, registry, 1, request(callTool))
			id := p.askedFor(1)
			if later {
				p.do(OpSettle, p.lastTicket(), int32(c.answer), c.text)
			}
			p.do(OpInvoke, registry, 2, withEvidence(id))
			if p.wantResult(2, "CONFIRMATION_INVALID denied"); t.Failed() {
				t.Fatalf("%s, later %t", name, later)
			}
			p.wantTables("handles 1", "surfaces 1")
		}
	}
}

// TestPersonIsNotAskedAnyMore: the page is told when the question is over, and its late answer harms nobody.
func TestPersonIsNotAskedAnyMore(t *testing.T) {
	for name, end := range map[string]func(p *page, registry int32){
		"time":    func(p *page, _ int32) { p.pass(2 * time.Minute) },
		"a test":  func(p *page, registry int32) { p.do(OpForceExpire, registry, 0, p.askedFor(1)) },
		"removal": func(p *page, _ int32) { p.do(OpUnregister, 1, 0, "") },
	} {
		t.Run(name, func(t *testing.T) {
			p, registry := toolPage(t)
			p.do(OpInvoke, registry, 1, request(callTool))
			ticket := p.lastTicket()
			end(p, registry)
			for _, news := range []string{fmt.Sprintf("%d %d 0 the question is over", TellAbort, ticket), fmt.Sprintf("%d %d 0 ", TellHandlerDone, ticket)} {
				if !slices.Contains(p.told, news) {
					t.Errorf("told %q, and not %q", p.told, news)
				}
			}
			p.do(OpSettle, ticket, int32(AnswerValue), "true")
			if strings.Contains(strings.Join(p.told, "\n"), "confirmation-approved") {
				t.Error("the late answer approved it")
			}
		})
	}
}

func TestPreparationThatCannotBeKept(t *testing.T) {
	p, registry := toolPage(t)
	p.answers[AskPrepare] = func(int32, int32, int32, string) (Answer, string) { return AnswerNotJSON, "must be JSON" }
	p.do(OpInvoke, registry, 1, request(callTool))
	p.wantResult(1, "EXECUTION_FAILED handler-error")
	if len(p.questions(AskPerson)) != 0 {
		t.Error("the person was asked")
	}
}

func TestBindingThatIsNoToolHasNoneOfIt(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	for _, config := range []string{`"prepare":true`, `"ask":true`, `"input":{"document":{}}`, `"execute":false,"ask":true`} {
		text := strings.Replace(tool(""), `"execute":true,"input":{"document":{"type":"object"}}`, config, 1)
		if status, back := p.bridge.Do(OpRegister, registry, 1, text); status != StatusDefinition || !strings.Contains(back, "unknown field") {
			t.Errorf("%s: status %d, %s", config, status, back)
		}
	}
}
