package jsbridge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"
)

// browser is a page's model context: what it has been given, by token.
type browser struct {
	p      *page
	style  string
	tools  map[string]string // the tool's text by token
	refuse string            // what it says to every tool, if it refuses
	later  bool              // it answers by OpToolAdded
}

// openBrowser makes page p have a model context.
func openBrowser(p *page, style string) *browser {
	b := &browser{p: p, style: style, tools: map[string]string{}}
	p.answers[AskFindContext] = func(int32, int32, int32, string) (Answer, string) {
		return AnswerValue, fmt.Sprintf(`{"object":1,"style":%q}`, b.style)
	}
	p.answers[AskAddTool] = b.add
	p.answers[AskRemoveTool] = func(_, _, _ int32, text string) (Answer, string) {
		delete(b.tools, b.token(text))
		return AnswerValue, ""
	}
	p.answers[AskReplaceTools] = b.replace
	return b
}

func (b *browser) token(text string) string {
	b.p.t.Helper()
	var tool struct{ Token string }
	b.p.decode(text, &tool)
	return tool.Token
}

func (b *browser) add(_, adapter, _ int32, text string) (Answer, string) {
	if adapter == 0 {
		b.p.t.Error("a tool without an adapter")
	}
	switch {
	case b.later:
		return AnswerPending, ""
	case b.refuse != "":
		return AnswerFailed, b.refuse
	}
	b.tools[b.token(text)] = text
	return AnswerValue, ""
}

func (b *browser) replace(_, _, _ int32, text string) (Answer, string) {
	var list []struct {
		Adapter int32
		Tool    struct{ Token string }
	}
	b.p.decode(text, &list)
	clear(b.tools)
	for _, entry := range list {
		b.tools[entry.Tool.Token] = fmt.Sprint(entry.Adapter)
	}
	return AnswerValue, ""
}

// only is the token of the one tool that there is.
func (b *browser) only() string {
	b.p.t.Helper()
	if len(b.tools) != 1 {
		b.p.t.Fatalf("there are %d tools: %v", len(b.tools), b.tools)
	}
	for token := range b.tools {
		return token
	}
	return ""
}

func (b *browser) wantTools(count int) {
	b.p.t.Helper()
	if len(b.tools) != count {
		b.p.t.Errorf("there are %d tools, want %d: %v", len(b.tools), count, b.tools)
	}
}

const start = `{"options":{},"consumer":{"id":"agent","kind":"webmcp"}}`

// callTool calls a tool with a ticket of its own; rest are the lines after the one that says that there is no client.
func (p *page) callTool(adapter, ticket int32, token, rest string) {
	p.t.Helper()
	p.do(OpCallTool, adapter, ticket, fmt.Sprintf("%q\nfalse\n%s\n", token, rest))
}

// plain is a call without a signal, and without an input.
const plain = "\n"

func (p *page) wantToolResult(ticket int32, want string) {
	p.t.Helper()
	text, ok := p.toolResults[ticket]
	if !ok || !strings.Contains(text, want) {
		p.t.Errorf("tool call %d gave %q, want %s", ticket, text, want)
	}
}

func TestAdapterFromStartToStop(t *testing.T) {
	for _, style := range []string{"by-name", "by-signal", "whole-set"} {
		t.Run(style, func(t *testing.T) {
			p := newPage(t)
			b := openBrowser(p, style)
			p.answers[AskHandler] = says(`{"a":1}`)
			registry := p.registry("")
			handle := p.register(registry, 1, form(""))
			p.do(OpStartAdapter, 7, registry, start)
			p.wantFailure(OpStartAdapter, 7, registry, start, StatusType, "started")
			token := b.only()
			if status := p.do(OpAdapterStatus, 7, 0, ""); !strings.Contains(status, `"surface":"`+style+`","registered":[{"name":"view_app__form__save"`) {
				t.Error(status)
			}
			p.callTool(7, 1, token, "\n"+`{"n":1}`)
			p.wantToolResult(1, `"structuredContent":{"a":1}`)
			p.do(OpUnregister, handle, 0, "")
			p.turn()
			b.wantTools(0)
			p.callTool(7, 2, token, plain)
			p.wantToolResult(2, "COMPONENT_UNMOUNTED")
			p.register(registry, 2, form(""))
			p.turn()
			b.wantTools(1)
			p.do(OpRefreshAdapter, 7, 0, "")
			p.do(OpStopAdapter, 7, 0, "")
			p.turn()
			b.wantTools(0)
			p.wantTold(TellAdapterIdle, 1)
			p.callTool(7, 3, token, plain)
			p.wantToolResult(3, "CAPABILITY_NOT_FOUND")
			p.wantFailure(OpStopAdapter, 7, 0, "", StatusType, "not started")
			p.wantTables("handles 1", "surfaces 1")
			p.do(OpStartAdapter, 7, registry, start)
			b.wantTools(1)
			p.wantTables("adapters 1", "handles 1", "surfaces 1")
		})
	}
}

func TestAdapterStopsWithItsRegistry(t *testing.T) {
	p := newPage(t)
	b := openBrowser(p, "by-signal")
	p.answers[AskHandler] = pends
	one, two := p.registry(""), p.registry("")
	p.register(one, 1, form(""))
	p.register(two, 2, form(""))
	p.do(OpStartAdapter, 1, one, start)
	token := b.only()
	p.do(OpStartAdapter, 2, two, start)
	b.wantTools(2)
	p.callTool(1, 1, token, plain)
	p.do(OpDispose, one, 0, "")
	p.wantToolResult(1, "CANCELLED")
	p.turn()
	b.wantTools(1)
	p.wantTables("adapters 1", "handles 1", "surfaces 1")
	p.wantFailure(OpStartAdapter, 1, one, start, StatusType, "disposed")
	p.do(OpStartAdapter, 1, two, strings.Replace(start, "agent", "other", 1))
	b.wantTools(2)
}

func TestAdapterWithACallInFlightIsKept(t *testing.T) {
	p := newPage(t)
	b := openBrowser(p, "by-signal")
	p.answers[AskHandler] = pends
	registry := p.registry("")
	p.register(registry, 1, form(""))
	p.do(OpStartAdapter, 1, registry, start)
	token := b.only()
	p.callTool(1, 1, token, plain)
	p.do(OpStopAdapter, 1, 0, "")
	p.turn()
	b.wantTools(1)
	p.wantTold(TellAdapterIdle, 0)
	p.do(OpSettle, p.lastTicket(), int32(AnswerValue), `"done"`)
	p.wantToolResult(1, `\"done\"`)
	b.wantTools(1) // until one task later
	p.turn()
	b.wantTools(0)
	p.wantTold(TellAdapterIdle, 1)
	p.wantTables("handles 1", "surfaces 1")
}

func TestAdapterCancel(t *testing.T) {
	p := newPage(t)
	b := openBrowser(p, "by-signal")
	p.answers[AskHandler] = pends
	registry := p.registry("")
	p.register(registry, 1, form(""))
	p.do(OpStartAdapter, 1, registry, start)
	p.callTool(1, 1, b.only(), plain)
	p.do(OpCancelTool, 1, 99, "")
	p.do(OpCancelTool, 1, 1, "")
	p.do(OpCancelTool, 1, 1, "")
	p.wantToolResult(1, "CANCELLED")
	p.wantTold(TellAbort, 1)
	p.callTool(1, 2, b.only(), "true\n")
	p.wantToolResult(2, "CANCELLED")
	if len(p.tickets) != 2 { // the added tool and one handler
		t.Errorf("a call that was withdrawn before it began was carried out: %q", p.asked)
	}
	p.do(OpStopAdapter, 1, 0, "")
	p.turn()
	p.wantTables("handles 1", "surfaces 1", "waits 1")
}

func TestBrowserRefusesATool(t *testing.T) {
	p := newPage(t)
	b := openBrowser(p, "by-name")
	b.refuse = "InvalidStateError: taken"
	registry := p.registry("")
	p.register(registry, 1, form(""))
	p.do(OpStartAdapter, 1, registry, start)
	if status := p.do(OpAdapterStatus, 1, 0, ""); !strings.Contains(status, `"refused":[{"name":"view_app__form__save","capabilityId":"view:app.form.save","error":"InvalidStateError: taken"}]`) {
		t.Error(status)
	}
	b.refuse = ""
	p.do(OpInvalidate, registry, 0, "")
	p.turn()
	b.wantTools(1)
	p.wantTables("adapters 1", "handles 1", "surfaces 1")
}

func TestBrowserAnswersLater(t *testing.T) {
	for _, refusal := range []string{"", "NotAllowedError: no"} {
		p := newPage(t)
		b := openBrowser(p, "by-signal")
		b.later = true
		registry := p.registry("")
		p.register(registry, 1, form(""))
		p.do(OpStartAdapter, 1, registry, start)
		p.wantTables("adapters 1", "adds 1", "handles 1", "surfaces 1")
		p.do(OpToolAdded, p.lastTicket(), 0, refusal)
		p.do(OpToolAdded, p.lastTicket(), 0, refusal)
		status := p.do(OpAdapterStatus, 1, 0, "")
		if strings.Contains(status, `"registered":[]`) != (refusal != "") {
			t.Error(status)
		}
		p.do(OpStopAdapter, 1, 0, "")
		p.turn()
		p.wantTables("handles 1", "surfaces 1")
	}
}

func TestBrowserAnswersAfterStop(t *testing.T) {
	for _, style := range []string{"by-name", "by-signal"} {
		p := newPage(t)
		b := openBrowser(p, style)
		b.later = true
		registry := p.registry("")
		p.register(registry, 1, form(""))
		p.do(OpStartAdapter, 1, registry, start)
		p.do(OpStopAdapter, 1, 0, "")
		p.wantTold(TellAdapterIdle, 0)
		p.do(OpToolAdded, p.lastTicket(), 0, "")
		p.turn()
		p.wantTold(TellAdapterIdle, 1)
		p.wantTables("handles 1", "surfaces 1")
	}
}

func TestAdapterWithoutABrowser(t *testing.T) {
	for _, found := range []answer{says(""), fails(), says("5"), says(`{"object":1}`)} {
		p := newPage(t)
		p.answers[AskFindContext] = found
		registry := p.registry("")
		p.register(registry, 1, form(""))
		status, _ := p.bridge.Do(OpStartAdapter, 1, registry, start)
		if status != StatusOK && status != StatusType {
			t.Fatalf("status %d: %q", status, p.told)
		}
		p.do(OpDispose, registry, 0, "")
		p.turn()
		p.wantTables()
	}
}

func TestAdapterChecksWhatItIsGiven(t *testing.T) {
	p := newPage(t)
	openBrowser(p, "by-name")
	registry := p.registry("")
	for text, want := range map[string]string{
		`{"colour":null}`:                                 "colour",
		`{"exposedTo":5}`:                                 "exposedTo",
		`{"confirm":"x"}`:                                 "confirm",
		`{"snapshotContext":5}`:                           "snapshotContext",
		`{"snapshotContext":{"scope":[5]}}`:               "scope",
		`{"snapshotContext":{"budget":{"maxBytes":"1"}}}`: "maxBytes",
		`5`: "must be an object",
	} {
		p.wantFailure(OpCheckAdapter, 0, 0, text, StatusType, want)
		p.wantFailure(OpStartAdapter, 1, registry, `{"consumer":{"id":"a","kind":"webmcp"},"options":`+text+`}`, StatusType, want)
	}
	p.do(OpCheckAdapter, 0, 0, `{"confirm":true,"confirmWithoutClient":true,"exposeCapability":true,"exposedTo":["https://a.example"],"snapshotContext":{"scope":["app"],"budget":{"maxComponents":1}}}`)
	p.wantFailure(OpStartAdapter, 1, registry, `{"options":{},"consumer":{"id":"","kind":"webmcp"}}`, StatusType, "consumer")
	p.wantFailure(OpStartAdapter, 1, registry, `{"options":{},"snapshotContext":[]}`, StatusType, "snapshotContext")
	p.wantFailure(OpStartAdapter, 1, 99, start, StatusType, "disposed")
	p.wantFailure(OpCallTool, 1, 1, "5\nfalse\n\n\n", StatusType, "token")
	p.turn()
	p.wantTables("surfaces 1")
}

func TestExposure(t *testing.T) {
	for _, c := range []struct {
		answer answer
		want   string // the description, "" when the tool is skipped
	}{
		{says(""), "Saves"},
		{says("null"), ""},
		{says(`"Stores"`), "Stores"},
		{says(`{"description":"Keeps"}`), "Keeps"},
		{says(`{"description":5}`), ""},
		{says(`{}`), "Saves"},
		{says(`{"skip":true}`), ""},
		{says(`{"description":"Keeps","annotations":{"readOnlyHint":true}}`), ""},
		{says("5"), ""},
		{says("true"), ""},
		{fails(), ""},
	} {
		p := newPage(t)
		b := openBrowser(p, "by-signal")
		p.answers[AskExpose] = c.answer
		registry := p.registry("")
		p.register(registry, 1, form(""))
		p.do(OpStartAdapter, 1, registry, `{"options":{"exposeCapability":true,"exposedTo":["https://a.example"]},"consumer":{"id":"agent","kind":"webmcp"}}`)
		if c.want == "" {
			b.wantTools(0)
			continue
		}
		text := b.tools[b.only()]
		for _, want := range []string{`"description":"` + c.want + `"`, `"exposedTo":["https://a.example"]`} {
			if !strings.Contains(text, want) {
				t.Errorf("%s is not in %s", want, text)
			}
		}
	}
}

func TestConfirmByTheAdapter(t *testing.T) {
	for _, c := range []struct {
		name   string
		first  Answer
		text   string
		later  string // what a pending one comes to
		failed bool
		want   string
	}{
		{"an exact true", AnswerValue, "true", "", false, `\"saved\"`},
		{"false", AnswerValue, "false", "", false, `\"reason\":\"denied\"`},
		{"a text", AnswerValue, `"true"`, "", false, `\"reason\":\"denied\"`},
		{"nothing", AnswerValue, "", "", false, `\"reason\":\"denied\"`},
		{"true, later", AnswerPending, "", "true", false, `\"saved\"`},
		{"false, later", AnswerPending, "", "false", false, `\"reason\":\"denied\"`},
		{"a failure, then the clock", AnswerFailed, "", "", true, `\"reason\":\"expired\"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newPage(t)
			b := openBrowser(p, "by-signal")
			p.answers[AskHandler] = says(`"saved"`)
			p.answers[AskConfirm] = func(_, client, _ int32, _ string) (Answer, string) {
				if client != 1 {
					t.Errorf("client %d", client)
				}
				return c.first, c.text
			}
			registry := p.registry("")
			p.register(registry, 1, form(`,"confirmation":"required"`))
			p.do(OpStartAdapter, 1, registry, `{"options":{"confirm":true},"consumer":{"id":"agent","kind":"webmcp"}}`)
			p.do(OpCallTool, 1, 1, fmt.Sprintf("%q\ntrue\n\n{}\n", b.only()))
			if c.later != "" {
				p.do(OpSettle, p.lastTicket(), int32(AnswerValue), c.later)
			}
			if c.failed {
				if _, ok := p.toolResults[1]; ok {
					t.Fatal("a prompt that failed decided")
				}
				p.pass(3 * time.Minute)
			}
			p.wantToolResult(1, c.want)
			p.do(OpDispose, registry, 0, "")
			p.turn()
			p.wantTables()
		})
	}
}

func TestPromptIsForgottenWithItsCall(t *testing.T) {
	p := newPage(t)
	b := openBrowser(p, "by-signal")
	p.answers[AskConfirm] = pends
	registry := p.registry("")
	p.register(registry, 1, form(`,"confirmation":"required"`))
	p.do(OpStartAdapter, 1, registry, `{"options":{"confirm":true,"confirmWithoutClient":true},"consumer":{"id":"agent","kind":"webmcp"}}`)
	for call, client := range []string{"false", "true"} {
		ticket := int32(call + 1)
		p.do(OpCallTool, 1, ticket, fmt.Sprintf("%q\n%s\n\n{}\n", b.only(), client))
		p.wantTables("adapters 1", "handles 1", "surfaces 1", "waits 1")
		prompt := p.lastTicket()
		p.do(OpCancelTool, 1, ticket, "")
		p.wantToolResult(ticket, "CANCELLED")
		p.wantTables("adapters 1", "handles 1", "surfaces 1")
		p.do(OpSettle, prompt, int32(AnswerValue), "true") // too late
	}
}

func TestInputIssueOfACall(t *testing.T) {
	p := newPage(t)
	b := openBrowser(p, "by-signal")
	registry := p.registry("")
	p.register(registry, 1, form(""))
	p.do(OpStartAdapter, 1, registry, start)
	p.callTool(1, 1, b.only(), "\n"+`!{"path":"a.b","message":"must be JSON"}`)
	p.wantToolResult(1, `{\"path\":\"a.b\",\"message\":\"must be JSON\"}`)
	p.callTool(1, 2, b.only(), "\n"+`{"a":"\ud800"}`)
	p.wantToolResult(2, `{\"path\":\"a\",\"message\":\"must not contain a lone surrogate\"}`)
	p.wantFailure(OpCallTool, 1, 3, fmt.Sprintf("%q\nfalse\n\n!5\n", b.only()), StatusType, "input")
	p.wantFailure(OpCallTool, 1, 4, fmt.Sprintf("%q\nfalse\n", b.only()), StatusType, "lines")
}

func TestStoppingDuringStart(t *testing.T) {
	p := newPage(t)
	b := openBrowser(p, "by-signal")
	add := b.add
	p.answers[AskAddTool] = func(a, n, ticket int32, text string) (Answer, string) {
		p.do(OpStopAdapter, n, 0, "")
		return add(a, n, ticket, text)
	}
	registry := p.registry("")
	p.register(registry, 1, form(""))
	p.do(OpStartAdapter, 1, registry, start)
	p.turn()
	b.wantTools(0)
	idle := slices.IndexFunc(p.told, func(line string) bool { return strings.HasPrefix(line, fmt.Sprintf("%d 1 ", TellAdapterIdle)) })
	if idle < 0 {
		t.Errorf("told %q", p.told)
	}
	p.wantTables("handles 1", "surfaces 1")
}
