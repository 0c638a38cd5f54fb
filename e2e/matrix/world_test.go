package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto"

	"github.com/pagewarden/pagewarden/browser"
)

// world is one behaviour on one host: the host's tab, which behaviours use one after another.
type world struct {
	*browser.Page
	t       *testing.T
	host    host
	address string
	// seen is how much of the console is of earlier behaviours.
	seen int
	// expected are texts of console errors that belong to the behaviour.
	expected []string
}

// open opens the host's page.
func (h host) open(t *testing.T, b *browser.Browser) *world {
	t.Helper()
	w := &world{t: t, host: h, address: fixture.server.URL + "/" + h.folder() + "/page.html"}
	page, err := b.Open(within(t), w.address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := page.Close(); err != nil {
			t.Error(err)
		}
	})
	w.Page = page
	w.Use(h.way)
	w.ready()
	return w
}

// at is the world for another behaviour.
func (w *world) at(t *testing.T) *world {
	other := *w
	other.t, other.expected, other.seen = t, nil, len(w.Console())
	return &other
}

// ready waits for the page's lab.
func (w *world) ready() {
	w.t.Helper()
	w.until("globalThis.lab !== undefined")
}

// anew loads the page again, without what a behaviour has left on it.
func (w *world) anew() {
	w.t.Helper()
	if err := w.Navigate(within(w.t), w.address); err != nil {
		w.t.Fatal(err)
	}
	w.ready()
}

// tidy takes away what the behaviour has made, and looks at what the page has complained of.
func (w *world) tidy() {
	w.t.Helper()
	w.do("lab.reset()")
	w.have()
	console := w.Console()
	for _, m := range console[min(w.seen, len(console)):] {
		if (m.IsException() || m.Kind == "error" || m.Kind == "assert") && !w.expects(m) {
			w.t.Errorf("the page has %s in its console: %s (%s:%d)", m.Kind, m.Text, m.URL, m.Line)
		}
	}
}

func (w *world) expects(m browser.Message) bool {
	return slices.ContainsFunc(w.expected, func(text string) bool { return strings.Contains(m.Text, text) })
}

// until waits until the JavaScript expression is true in the page, in the next one if the page goes meanwhile.
func (w *world) until(expression string) {
	w.t.Helper()
	const look = `new Promise((done) => { const look = () => ((%s) ? done(true) : setTimeout(look, 5)); look(); })`
	ctx := within(w.t)
	for {
		_, err := w.Eval(ctx, fmt.Sprintf(look, expression))
		var gone *cdproto.Error
		switch {
		case err == nil:
			return
		case !errors.As(err, &gone):
			w.t.Fatalf("waiting until %s: %v; the console has %+v", expression, err, w.Console())
		}
	}
}

// do evaluates a JavaScript expression for what it does.
func (w *world) do(expression string) {
	w.t.Helper()
	see[any](w, "Promise.resolve("+expression+").then(() => null)")
}

// see evaluates a JavaScript expression and returns its value.
func see[T any](w *world, expression string) T {
	w.t.Helper()
	var value T
	raw, err := w.Eval(within(w.t), expression)
	if err != nil {
		w.t.Fatalf("%s: %v", expression, err)
	}
	if err := json.Unmarshal(raw, &value); err != nil {
		w.t.Fatalf("%s is %s: %v", expression, raw, err)
	}
	return value
}

// status is what an adapter of the page says.
type status struct {
	Supported  bool
	Surface    string
	Registered []struct{ Name, CapabilityID string }
	Refused    []struct{ Name, CapabilityID, Error string }
}

func (w *world) status() status {
	w.t.Helper()
	return see[status](w, "lab.status()")
}

// have waits until the page has exactly the tools of those names.
func (w *world) have(names ...string) []browser.Tool {
	w.t.Helper()
	slices.Sort(names)
	tools, err := w.WaitForTools(within(w.t), func(tools []browser.Tool) bool { return slices.Equal(namesOf(tools), names) })
	if err != nil {
		w.t.Fatalf("%v; the page has %q; want %q", err, namesOf(tools), names)
	}
	return tools
}

func namesOf(tools []browser.Tool) []string {
	names := []string{}
	for _, tool := range tools {
		names = append(names, tool.Name)
	}
	slices.Sort(names)
	return names
}

// answer is what an agent gets for a call.
type answer struct {
	value   string // what matters of a result
	refusal *refusal
	err     error // neither a result nor a refusal
}

// refusal is an error as an agent gets it.
type refusal struct {
	Code    string
	Message string
	Retry   string
	Details map[string]any
}

// call calls a tool as an agent does.
func (w *world) call(name, input string) answer {
	w.t.Helper()
	return w.callWith(within(w.t), name, input)
}

// calling starts a call and gives its answer when there is one.
func (w *world) calling(ctx context.Context, name, input string) <-chan answer {
	answers := make(chan answer, 1)
	go func() { answers <- w.callWith(ctx, name, input) }()
	return answers
}

func (w *world) callWith(ctx context.Context, name, input string) answer {
	result, err := w.Call(ctx, name, json.RawMessage(input))
	return answerOf(result, err)
}

// answerOf reads a result. The old polyfill's shim turns a result with isError into an exception that holds its text.
func answerOf(result browser.Result, err error) answer {
	var failed *browser.ToolError
	switch text := ""; {
	case err == nil && !result.IsError():
		return answer{value: result.Value()}
	case err == nil:
		return refused(result.Value(), nil)
	case errors.As(err, &failed):
		_, text, _ = strings.Cut(failed.Message, `{"code":`)
		return refused(`{"code":`+text, err)
	}
	return answer{err: err}
}

func refused(text string, err error) answer {
	r := &refusal{}
	if json.Unmarshal([]byte(text), r) != nil {
		return answer{err: errors.Join(err, errors.New("what the tool gave is no refusal: "+text))}
	}
	return answer{refusal: r}
}

func (a answer) String() string {
	if a.refusal != nil {
		return fmt.Sprintf("%+v", *a.refusal)
	}
	return fmt.Sprintf("%s, error %v", a.value, a.err)
}

// gives fails unless the answer is that JSON, in whatever order of members: the browser may have its own.
func (w *world) gives(a answer, value string) {
	w.t.Helper()
	if a.err != nil || a.refusal != nil || !sameJSON(w.t, a.value, value) {
		w.t.Errorf("the call gave %s; want %s", a, value)
	}
}

// refuses fails unless the answer is an error of that code, and returns it.
func (w *world) refuses(a answer, code string) refusal {
	w.t.Helper()
	if a.refusal == nil || a.refusal.Code != code || a.refusal.Message == "" || a.refusal.Retry == "" {
		w.t.Fatalf("the call gave %s; want %s with a message and advice", a, code)
	}
	return *a.refusal
}

// wait is the answer to a call that was begun.
func (w *world) wait(answers <-chan answer) answer {
	w.t.Helper()
	select {
	case a := <-answers:
		return a
	case <-within(w.t).Done():
		w.t.Fatal("the call has no answer")
		return answer{}
	}
}
