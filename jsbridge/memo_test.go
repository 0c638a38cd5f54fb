package jsbridge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// saverOf is what a handler is told of the instance and the consumer that it serves.
func saverOf(line string) string {
	lines := strings.Split(line, "\n")
	return lines[0] + " " + strings.TrimRight(lines[1], base62) + lines[2]
}

// TestQuestionsAboutTheSameAreShort compares what is asked with what was said before, in each kind of question.
func TestQuestionsAboutTheSameAreShort(t *testing.T) {
	p := newPage(t)
	short := &shortPage{page: p}
	p.bridge.page = short
	registry := p.registry(`,"policies":[{"policy":9,"name":"p","discovery":true}]`)
	p.answers[AskDiscovery] = says("")
	p.answers[AskHandler] = says("1")
	p.register(registry, 1, form(""))
	p.register(registry, 2, strings.Replace(form(""), "app.form", "app.other", 1))
	const me = `{"id":"me","kind":"test"}`
	calls := []struct{ id, consumer string }{
		{"view:app.form.save", me}, {"view:app.form.save", me}, {"view:app.other.save", me}, {"view:app.form.save", `{"id":"you","kind":"test"}`},
		{"view:app.form.save", `{"id":"you","kind":"test","grants":["a"]}`}, {"view:app.form.save", me},
	}
	for i, call := range calls {
		p.asked, short.texts = nil, nil
		p.do(OpInvoke, registry, int32(i+1), request(fmt.Sprintf(`{"capabilityId":%q,"input":{},"consumer":%s}`, call.id, call.consumer)))
		p.wantResult(int32(i+1), "1")
		if told := p.asked[len(p.asked)-1]; saverOf(told) != fmt.Sprintf("%d %s 0 %s reg_%s", AskHandler, map[bool]string{true: "1", false: "2"}[strings.Contains(call.id, "form")], call.id, call.consumer) {
			t.Errorf("call %d is served as %q", i, told)
		}
		for _, line := range p.asked[:len(p.asked)-1] {
			if !strings.Contains(line, call.id) || !strings.Contains(line, call.consumer) {
				t.Errorf("a policy is asked about call %d as %q", i, line)
			}
		}
	}
	p.asked, short.texts = nil, nil
	p.do(OpInvoke, registry, 99, request(`{"capabilityId":"view:app.form.save","invocationId":"again","input":{},"consumer":`+me+`}`))
	if want := []string{"\n\n\n", "\n\n\n", "\n\n\n\n{}\nagain"}; !slices.Equal(short.texts, want) {
		t.Errorf("about the same, the page was asked %q, want %q", short.texts, want)
	}
}

// shortPage notes the questions as they are asked.
type shortPage struct {
	*page
	texts []string
}

func (p *shortPage) Ask(q Question, a, b, ticket int32, text string) (Answer, string) {
	p.texts = append(p.texts, text)
	return p.page.Ask(q, a, b, ticket, text)
}

// TestNestedQuestionsKeepInStep asks about another component from inside every piece of the page's code that runs
// while a call is under way.
func TestNestedQuestionsKeepInStep(t *testing.T) {
	p := newPage(t)
	registry := p.registry("")
	p.register(registry, 1, form(`,"concurrency":{"mode":"parallel","max":9},"precondition":true`))
	p.register(registry, 2, strings.Replace(form(""), "app.form", "app.other", 1))
	ticket := int32(100)
	nest := func() {
		ticket++
		p.do(OpInvoke, registry, ticket, request(`{"capabilityId":"view:app.other.save","input":{},"consumer":{"id":"other","kind":"test"}}`))
		p.wantResult(ticket, "2")
	}
	p.answers[AskPrecondition] = func(int32, int32, int32, string) (Answer, string) { nest(); return AnswerValue, "" }
	p.answers[AskHandler] = func(definition, _, _ int32, text string) (Answer, string) {
		id, _, _ := strings.Cut(text, "\n")
		if want := map[int32]string{1: "view:app.form.save", 2: "view:app.other.save"}[definition]; id != want {
			t.Errorf("definition %d is called as %s", definition, id)
		}
		if definition == 2 {
			return AnswerValue, "2"
		}
		nest()
		return AnswerValue, "1"
	}
	listener := abortListener{page: p, onAbort: nest}
	p.bridge.page = listener
	for i := range int32(3) {
		p.do(OpInvoke, registry, i, request(`{"capabilityId":"view:app.form.save","input":{}}`))
		p.wantResult(i, "1")
	}
}
