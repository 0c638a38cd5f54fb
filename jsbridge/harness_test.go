package jsbridge

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pagewarden/pagewarden/capability"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answer is how a page's function behaves when it is asked.
type answer func(a, b, ticket int32, text string) (Answer, string)

func says(text string) answer {
	return func(int32, int32, int32, string) (Answer, string) { return AnswerValue, text }
}

func fails() answer {
	return func(int32, int32, int32, string) (Answer, string) { return AnswerFailed, "" }
}

// page is a page written in Go. It answers as its table says, and fails where that says nothing.
type page struct {
	t       *testing.T
	bridge  *Bridge
	answers map[Question]answer
	now     time.Time
	random  *rand.Rand

	armed             time.Duration // -1 when no timer is
	tasks, microtasks int
	asked             []string // the questions, with their numbers and texts, memos written out
	memos             map[string]string
	tickets           []int32          // of the questions that may be answered later, in order
	told              []string         // the news but results, as "news a b text"
	results           map[int32]string // of calls, by ticket
	toolResults       map[int32]string
}

func newPage(t *testing.T) *page {
	t.Helper()
	p := &page{
		t: t, answers: map[Question]answer{}, now: time.UnixMilli(1_800_000_000_000), armed: -1, random: rand.New(rand.NewPCG(1, 2)),
		results: map[int32]string{}, toolResults: map[int32]string{}, memos: map[string]string{},
	}
	p.bridge = New(p, p)
	t.Cleanup(p.bridge.loop.Close)
	return p
}

// writtenOut is the text of a question with its memos as the script reads them.
func (p *page) writtenOut(q Question, text string) string {
	var names []string
	switch q {
	case AskHandler, AskPrecondition, AskPrepare, AskPerson:
		names = []string{"capability", "registration", "consumer"}
	case AskExecutor:
		names = []string{"", "capability", "registration", "consumer"}
	case AskDiscovery, AskAuthorize, AskInvoke:
		names = []string{"subject", "consumer"}
	case AskPolicy:
		names = []string{"", "subject", "consumer"}
	}
	if text == "" && len(names) > 0 {
		text = strings.Repeat("\n", len(names))
	}
	lines := strings.SplitN(text, "\n", len(names)+1)
	for i, name := range names {
		switch {
		case name == "":
		case lines[i] == "":
			lines[i] = p.memos[name]
		default:
			p.memos[name] = lines[i]
		}
	}
	return strings.Join(lines, "\n")
}

func (p *page) Ask(q Question, a, b, ticket int32, text string) (Answer, string) {
	text = p.writtenOut(q, text)
	p.asked = append(p.asked, fmt.Sprintf("%d %d %d %s", q, a, b, text))
	if ticket != 0 {
		p.tickets = append(p.tickets, ticket)
	}
	if answer := p.answers[q]; answer != nil {
		return answer(a, b, ticket, text)
	}
	return AnswerFailed, ""
}

func (p *page) Tell(n News, a, b int32, text string) {
	switch n {
	case TellResult:
		if _, ok := p.results[b]; ok {
			p.t.Errorf("call %d has two results", b)
		}
		p.results[b] = resultObject(text)
	case TellToolResult:
		p.toolResults[b] = text
	default:
		p.told = append(p.told, fmt.Sprintf("%d %d %d %s", n, a, b, text))
	}
}

func (p *page) Now() time.Time { return p.now }

func (p *page) Random(b []byte) {
	for i := range b {
		b[i] = byte(p.random.Uint32())
	}
}

func (p *page) ArmTimer(d time.Duration) { p.armed = d }
func (p *page) PostTask()                { p.tasks++ }
func (p *page) PostMicrotask()           { p.microtasks++ }

// resultObject is the result of a call as the page sees it, but for the capability id.
func resultObject(text string) string {
	l := lines{where: "result", rest: text}
	var o capability.ObjectWriter
	id, version, changed, end := l.next(), l.next(), l.next(), capability.JSON(l.rest)
	failed := strings.HasPrefix(string(end), "!")
	o.Text("status", map[bool]string{true: "error", false: "ok"}[failed])
	o.OptionalText("invocationId", string(id))
	if failed {
		o.Raw("error", end[1:])
	} else {
		o.Raw("output", end)
	}
	o.Text("surfaceVersion", string(version))
	o.Raw("surfaceChanged", changed)
	return string(o.JSON())
}

// request is { capabilityId, …, input } or with inputIssue, consumer, timeoutMs and aborted, as the script writes it.
func request(object string) string {
	members := map[string]string{}
	for _, member := range capability.JSON(object).Members() {
		members[member.Name] = string(member.Value)
	}
	if issue, ok := members["inputIssue"]; ok {
		members["input"] = "!" + issue
	}
	var text []string
	for _, name := range strings.Fields("capabilityId invocationId instanceId registrationId surfaceVersion confirmationId input consumer timeoutMs aborted") {
		text = append(text, members[name])
	}
	return strings.Join(text, "\n")
}

// do carries out an operation that must go well.
func (p *page) do(op Op, a, n int32, text string) string {
	p.t.Helper()
	status, back := p.bridge.Do(op, a, n, text)
	if status != StatusOK {
		p.t.Fatalf("operation %d with %s: status %d, %s", op, text, status, back)
	}
	return back
}

// turn is the end of the present task: microtasks, then what was posted as a task.
func (p *page) turn() {
	p.t.Helper()
	for p.microtasks > 0 || p.tasks > 0 {
		for ; p.microtasks > 0; p.microtasks-- {
			p.do(OpSoon, 0, 0, "")
		}
		if p.tasks > 0 {
			p.tasks--
			p.do(OpTasks, 0, 0, "")
		}
	}
}

// pass lets time pass and the timer fire.
func (p *page) pass(d time.Duration) {
	p.t.Helper()
	p.now = p.now.Add(d)
	p.do(OpTimers, 0, 0, "")
	p.turn()
}

// open is the number of an open authority that production may use.
func (p *page) open() string {
	p.t.Helper()
	number, _, _ := strings.Cut(p.do(OpAuthority, 0, 1, ""), " ")
	return number
}

// registry makes a registry with an open authority and more options.
func (p *page) registry(options string) int32 {
	p.t.Helper()
	var made struct{ Registry int32 }
	text := `{"authority":` + p.open() + `,"options":{"environment":"test","audit":true` + options + `}}`
	p.decode(p.do(OpCreateRegistry, 0, 0, text), &made)
	return made.Registry
}

// form is the definition of a component "app.form" whose action "save" has more members.
func form(more string) string {
	return `{"type":"app.form","description":"A form","actions":{"save":` +
		`{"description":"Saves","effect":"local-state","input":{"document":{}},"execute":true` + more + `}}}`
}

// register registers a definition under a number of the script's, and gives that.
func (p *page) register(registry, number int32, text string) int32 {
	p.t.Helper()
	parts := strings.Fields(p.do(OpRegister, registry, number, text))
	if len(parts) != 2 || !strings.HasPrefix(parts[1], "reg_") {
		p.t.Fatalf("registering gave %q", parts)
	}
	return number
}

func (p *page) decode(text string, to any) {
	p.t.Helper()
	if err := json.Unmarshal([]byte(text), to); err != nil {
		p.t.Fatalf("decoding %s: %v", text, err)
	}
}

// result is how a call ended.
type result struct {
	Status, InvocationID string
	Output               json.RawMessage
	Error                struct {
		Code, Retry string
		Details     struct{ Reason, Progress string }
	}
}

// call starts a call of save, which can be withdrawn, with a ticket of its own.
func (p *page) call(registry, ticket int32) {
	p.t.Helper()
	p.do(OpInvoke, registry, ticket, request(`{"capabilityId":"view:app.form.save","input":{"n":1},"aborted":false}`))
}

// wantResult holds that a call has ended, with an output, or with a code and perhaps a reason.
func (p *page) wantResult(ticket int32, want string) {
	p.t.Helper()
	text, ok := p.results[ticket]
	if !ok {
		p.t.Fatalf("call %d has no result, want %s", ticket, want)
	}
	var r result
	p.decode(text, &r)
	got := string(r.Output)
	if r.Status != "ok" {
		got = strings.TrimSpace(r.Error.Code + " " + r.Error.Details.Reason)
	}
	if got != want {
		p.t.Errorf("call %d ended %s, want %s", ticket, text, want)
	}
}

func (p *page) wantNoResult(ticket int32) {
	p.t.Helper()
	if text, ok := p.results[ticket]; ok {
		p.t.Fatalf("call %d has ended already: %s", ticket, text)
	}
}

// wantTold holds that a piece of news was told so often.
func (p *page) wantTold(n News, count int) {
	p.t.Helper()
	got := 0
	for _, line := range p.told {
		if strings.HasPrefix(line, fmt.Sprintf("%d ", n)) {
			got++
		}
	}
	if got != count {
		p.t.Errorf("news %d was told %d times, want %d: %q", n, got, count, p.told)
	}
}

// lastTicket is of the last question that may be answered later.
func (p *page) lastTicket() int32 { return p.tickets[len(p.tickets)-1] }

// wantTables holds that the tables have these sizes, as "name size" with those of size 0 left out.
func (p *page) wantTables(want ...string) {
	p.t.Helper()
	var sizes map[string]int
	p.decode(p.do(OpTables, 0, 0, ""), &sizes)
	delete(sizes, "goroutines")
	got := []string{}
	for name, size := range sizes {
		if size != 0 {
			got = append(got, fmt.Sprintf("%s %d", name, size))
		}
	}
	slices.Sort(got)
	if !slices.Equal(got, append([]string{}, want...)) {
		p.t.Errorf("tables are %q, want %q", got, want)
	}
}

// wantFailure holds that an operation fails with a status and a text that contains want.
func (p *page) wantFailure(op Op, a, n int32, text string, status Status, want string) {
	p.t.Helper()
	got, back := p.bridge.Do(op, a, n, text)
	if got != status || !strings.Contains(back, want) {
		p.t.Errorf("operation %d with %.100s: status %d, %s; want status %d, %s", op, text, got, back, status, want)
	}
}
