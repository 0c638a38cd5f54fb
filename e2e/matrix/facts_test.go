package matrix

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/webmcp"
	"github.com/chromedp/chromedp"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

var update = flag.Bool("update", false, "write what was measured into docs/webmcp.md")

// fact is one row of a table of docs/webmcp.md, for one revision.
type fact struct{ label, value string }

// revisions are the columns of those tables: every host that is a revision of its own.
func revisions() []host {
	var list []host
	for _, h := range hosts() {
		if h.name != "2 as a set" && !strings.Contains(h.name, "client") {
			list = append(list, h)
		}
	}
	return list
}

// TestFacts measures what each revision does and compares it with docs/webmcp.md. A machine's browser that is newer than
// the newest column must do what that says.
func TestFacts(t *testing.T) {
	measured := map[string]map[string][]fact{} // by table and revision
	for _, group := range groups() {
		measured[group] = map[string][]fact{}
	}
	for _, h := range revisions() {
		t.Run(h.folder(), func(t *testing.T) {
			for group, facts := range h.measure(t) {
				measured[group][h.name] = facts
			}
		})
	}
	if t.Failed() {
		return
	}
	path := filepath.Join(fixture.Root, "docs", "webmcp.md")
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, group := range groups() {
		page = compareTable(t, page, group, tableOf(measured[group]))
	}
	if *update {
		if err := os.WriteFile(path, page, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

// groups are the tables.
func groups() []string { return []string{"object", "registering", "calling", "outside"} }

// tableOf is a table in Markdown: a row for each fact, a column for each revision.
func tableOf(measured map[string][]fact) string {
	var b strings.Builder
	columns := revisions()
	b.WriteString("| |")
	for _, h := range columns {
		fmt.Fprintf(&b, " %s |", strings.Replace(h.name, "system", fmt.Sprint(systemMajor), 1))
	}
	b.WriteString("\n|---|" + strings.Repeat("---|", len(columns)) + "\n")
	for row, first := range measured[columns[0].name] {
		fmt.Fprintf(&b, "| %s |", first.label)
		for _, h := range columns {
			fmt.Fprintf(&b, " %s |", measured[h.name][row].value)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// compareTable compares a table of the page with what was measured, line by line, and returns the page with the table
// that was measured.
func compareTable(t *testing.T, page []byte, group, table string) []byte {
	t.Helper()
	start, end := []byte("<!-- measured: "+group+" -->\n"), []byte("<!-- /measured -->\n")
	before, rest, found := bytes.Cut(page, start)
	written, after, closed := bytes.Cut(rest, end)
	if !found || !closed {
		t.Errorf("docs/webmcp.md has no table %q between its marks", group)
		return page
	}
	if got, want := strings.Split(table, "\n"), strings.Split(string(written), "\n"); !*update && table != string(written) {
		for i := range max(len(got), len(want)) {
			if line(got, i) != line(want, i) {
				t.Errorf("docs/webmcp.md, table %q:\n  says     %s\n  measured %s", group, line(want, i), line(got, i))
			}
		}
		t.Log("if a build has changed, look at what the adapter makes of it, then: go test ./e2e/matrix -run TestFacts -update")
	}
	return bytes.Join([][]byte{before, start, []byte(table), end, after}, nil)
}

func line(lines []string, at int) string {
	if at < len(lines) {
		return lines[at]
	}
	return "nothing"
}

// measure opens the host's page of facts and measures each group.
func (h host) measure(t *testing.T) map[string][]fact {
	b := h.launch(t)
	measured := map[string][]fact{}
	p := h.openFacts(t, b, fixture.URL)
	for _, group := range groups()[:3] {
		measured[group] = p.group(group)
	}
	measured["object"] = append(measured["object"],
		fact{"without the flag", h.withoutFlag(t)},
		fact{"on a page that is not secure", h.insecure(t, b)},
		fact{"`Permissions-Policy: tools=()`", h.forbidden(t, b)},
	)
	measured["registering"] = append(measured["registering"], fact{"aborting the signal when its frame has gone", h.orphaned(t, b)})
	measured["calling"] = append(measured["calling"], fact{"a cyclic result", h.cyclic(t, b)})
	measured["outside"] = h.outside(t, b)
	return measured
}

// sheet is a tab with the page of facts.
type sheet struct {
	*browser.Page
	t *testing.T
}

func (h host) openFacts(t *testing.T, b *browser.Browser, origin string) *sheet {
	t.Helper()
	page, err := b.Open(suite.Within(t), origin+"/"+h.folder()+"/facts.html")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { page.Close() }) // one that has crashed cannot be closed
	return &sheet{page, t}
}

// eval evaluates an expression in the page, once its module has run.
func (s *sheet) eval(expression string) json.RawMessage {
	s.t.Helper()
	const ready = `new Promise((done) => { const look = () => (globalThis.facts ? done() : setTimeout(look, 5)); look(); }).then(() => (%s))`
	raw, err := s.Eval(suite.Within(s.t), fmt.Sprintf(ready, expression))
	if err != nil {
		s.t.Fatalf("%s: %v", expression, err)
	}
	return raw
}

func (s *sheet) text(expression string) string {
	s.t.Helper()
	var text string
	if raw := s.eval(expression); json.Unmarshal(raw, &text) != nil {
		s.t.Fatalf("%s is %s", expression, raw)
	}
	return text
}

// group measures one group, in the page's order.
func (s *sheet) group(name string) []fact {
	s.t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(s.eval("facts." + name + "().then(Object.entries)")))
	var pairs [][2]string
	if err := decoder.Decode(&pairs); err != nil {
		s.t.Fatal(err)
	}
	var facts []fact
	for _, pair := range pairs {
		facts = append(facts, fact{pair[0], pair[1]})
	}
	return facts
}

const hasNothing = `[document, navigator].every((holder) => holder.modelContext === undefined) && navigator.modelContextTesting === undefined ? "nothing" : "is there"`

func (h host) withoutFlag(t *testing.T) string {
	if !h.flag {
		return "is there"
	}
	h.flag = false
	page, err := h.launch(t).Open(suite.Within(t), fixture.URL+"/empty.html")
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	return (&sheet{page, t}).plain(hasNothing)
}

// plain evaluates an expression in a page that has no facts of its own.
func (s *sheet) plain(expression string) string {
	s.t.Helper()
	raw, err := s.Eval(suite.Within(s.t), expression)
	var text string
	if err != nil || json.Unmarshal(raw, &text) != nil {
		s.t.Fatalf("%s is %s, %v", expression, raw, err)
	}
	return text
}

func (h host) insecure(t *testing.T, b *browser.Browser) string {
	page, err := b.Open(suite.Within(t), "data:text/html,<title>Not secure</title>")
	if err != nil {
		t.Fatal(err)
	}
	defer page.Close()
	if !h.flag {
		return "–"
	}
	return (&sheet{page, t}).plain(hasNothing)
}

// forbidden registers a tool on a page whose policy forbids tools.
func (h host) forbidden(t *testing.T, b *browser.Browser) string {
	s := h.openFacts(t, b, fixture.URL+"/forbidden")
	said := s.text("facts.register()")
	return strings.Replace(said, "taken", "ignored", 1)
}

// cyclic calls a tool with a cyclic result, in a tab that can be lost.
func (h host) cyclic(t *testing.T, b *browser.Browser) string {
	s := h.openFacts(t, b, fixture.URL)
	s.eval(`facts.offer("cycle", "cyclic")`)
	return cycleIn(s.orCrash(`facts.call("cycle")`))
}

// orphaned aborts the signal of a tool whose frame has gone, in a tab that can be lost.
func (h host) orphaned(t *testing.T, b *browser.Browser) string {
	s := h.openFacts(t, b, fixture.URL)
	s.eval(`1`)
	return s.orCrash(`facts.orphan()`)
}

// orCrash is the text that an expression of the page gives, unless the page crashes.
func (s *sheet) orCrash(expression string) string {
	s.t.Helper()
	crashed := make(chan string, 1)
	if err := chromedp.Listen(s.Protocol(), func(ev any) {
		if _, ok := ev.(*inspector.EventTargetCrashed); ok {
			crashed <- "crashes the page"
		}
	}); err != nil {
		s.t.Fatal(err)
	}
	answered := make(chan string, 1)
	ctx, cancel := context.WithCancel(suite.Within(s.t))
	defer cancel()
	go func() {
		raw, err := s.Eval(ctx, expression)
		var text string
		if err == nil && json.Unmarshal(raw, &text) == nil {
			answered <- text
		}
	}()
	select {
	case what := <-crashed:
		return what
	case what := <-answered:
		return what
	case <-ctx.Done():
		s.t.Fatalf("%s gives neither an answer nor a crash", expression)
		return ""
	}
}

// cycleIn shortens what the old polyfill's shim makes of it.
func cycleIn(text string) string {
	if strings.Contains(text, "[object Object]") {
		return "`[object Object]`"
	}
	return text
}

// outside measures the DevTools protocol's domain.
func (h host) outside(t *testing.T, b *browser.Browser) []fact {
	s := h.openFacts(t, b, fixture.URL)
	s.eval(`facts.offer("waits", "waits")`)
	labels := []string{"the domain `WebMCP`", "`cancelInvocation` of a call", "the tool's signal then", "events in the page",
		"member names beyond ASCII in an input", "a result with `é`"}
	ways, err := s.Ways(suite.Within(t))
	if err != nil {
		t.Fatal(err)
	}
	values := []string{"no", "–", "–", "–", "–", "–"}
	if len(ways) > 0 && ways[0] == browser.ByDevTools {
		values = append([]string{"yes"}, s.cancelled()...)
		values = append(values, s.invoked(`{"ö":1}`), s.invoked(`{"a":"é"}`))
	}
	var facts []fact
	for at, label := range labels {
		facts = append(facts, fact{label, values[at]})
	}
	return facts
}

// frame is the page's own.
func (s *sheet) frame() cdp.FrameID {
	return cdp.FrameID(chromedp.FromContext(s.Protocol()).Target.TargetID)
}

// invocation names the tool by frame and name, which every build understands.
type invocation struct {
	FrameID  cdp.FrameID     `json:"frameId"`
	ToolName string          `json:"toolName"`
	Input    json.RawMessage `json:"input"`
}

// responses gives the answers to calls as they come.
func (s *sheet) responses() <-chan *webmcp.EventToolResponded {
	s.t.Helper()
	answers := make(chan *webmcp.EventToolResponded, 10)
	err := chromedp.Listen(s.Protocol(), func(ev any) {
		if ev, ok := ev.(*webmcp.EventToolResponded); ok {
			answers <- ev
		}
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return answers
}

func (s *sheet) invoke(tool, input string) (string, error) {
	command := cdp.Command[invocation, webmcp.InvokeToolResult]{Method: webmcp.CommandInvokeTool}
	reply, err := chromedp.Call(s.Protocol(), command, invocation{s.frame(), tool, json.RawMessage(input)})
	return reply.InvocationID, err
}

// cancelled cancels a call and says what its caller, its tool and its page saw.
func (s *sheet) cancelled() []string {
	s.t.Helper()
	answers := s.responses()
	id, err := s.invoke("waits", "{}")
	if err != nil {
		s.t.Fatal(err)
	}
	s.eval(`new Promise((done) => { const look = () => (seen.started ? done() : setTimeout(look, 5)); look(); })`)
	if _, err := chromedp.Call(s.Protocol(), webmcp.CancelInvocation, webmcp.CancelInvocationParams{InvocationID: id}); err != nil {
		s.t.Fatal(err)
	}
	var status string
	select {
	case answer := <-answers:
		status = string(answer.Status)
	case <-suite.Within(s.t).Done():
		s.t.Fatal("a cancelled call has no answer")
	}
	return []string{
		status,
		s.text(within1s(`seen.aborted`) + `.then(() => (seen.aborted ? "aborts, " + seen.aborted : "none"))`),
		s.text(within1s(`seen.events.length > 1`) + `.then(() => seen.events.join(" ") || "none")`),
	}
}

// within1s is a promise of a condition of the page, kept after a second in any case: some builds never meet it.
func within1s(condition string) string {
	return `new Promise((done) => {
		const end = performance.now() + 1000;
		const look = () => ((` + condition + `) || performance.now() > end ? done() : setTimeout(look, 5));
		look();
	})`
}

// invoked calls a tool that gives its input back, and says in which form that arrives.
func (s *sheet) invoked(input string) string {
	s.t.Helper()
	answers := s.responses()
	s.eval(`facts.offer("echo" + document.querySelectorAll("i").length, "echo")`)
	name := s.text(`(() => { const name = "echo" + document.querySelectorAll("i").length; document.body.append(document.createElement("i")); return name; })()`)
	if _, err := s.invoke(name, input); err != nil {
		return "refused"
	}
	select {
	case answer := <-answers:
		if answer.Status == webmcp.InvocationStatusCompleted {
			return map[bool]string{true: "arrives as text", false: "arrives as an object"}[bytes.HasPrefix(answer.Output, []byte(`"`))]
		}
		return string(answer.Status)
	case <-suite.Within(s.t).Done():
		s.t.Fatal(errors.New("the call has no answer"))
		return ""
	}
}
