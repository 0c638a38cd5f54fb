package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// world is one behaviour on one host: the host's tab, which behaviours use one after another.
type world struct {
	*suite.Tab
	host    host
	address string
}

// open opens the host's page.
func (h host) open(t *testing.T, b *browser.Browser) *world {
	t.Helper()
	address := fixture.URL + "/" + h.folder() + "/page.html"
	w := &world{suite.Open(t, b, address), h, address}
	w.Use(h.way)
	w.ready()
	return w
}

// at is the world for another behaviour, which is not blamed for what earlier ones have left.
func (w *world) at(t *testing.T) *world {
	w.Forget()
	return &world{w.Of(t), w.host, w.address}
}

// ready waits for the page's lab.
func (w *world) ready() {
	w.T.Helper()
	w.Arrives("globalThis.lab !== undefined")
}

// anew loads the page again, without what a behaviour has left on it.
func (w *world) anew() {
	w.T.Helper()
	if err := w.Navigate(suite.Within(w.T), w.address); err != nil {
		w.T.Fatal(err)
	}
	w.ready()
}

// tidy takes away what the behaviour has made, and looks at what the page has complained of.
func (w *world) tidy() {
	w.T.Helper()
	w.do("lab.reset()")
	w.Have()
	w.Listen()
}

// do evaluates a JavaScript expression for what it does.
func (w *world) do(expression string) {
	w.T.Helper()
	see[any](w, "Promise.resolve("+expression+").then(() => null)")
}

// see evaluates a JavaScript expression and returns its value.
func see[T any](w *world, expression string) T {
	w.T.Helper()
	return suite.See[T](w.Tab, expression)
}

// status is what an adapter of the page says.
type status struct {
	Supported  bool
	Surface    string
	Registered []struct{ Name, CapabilityID string }
	Refused    []struct{ Name, CapabilityID, Error string }
}

func (w *world) status() status {
	w.T.Helper()
	return see[status](w, "lab.status()")
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
	w.T.Helper()
	return w.callWith(suite.Within(w.T), name, input)
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
	w.T.Helper()
	if a.err != nil || a.refusal != nil || !sameJSON(w.T, a.value, value) {
		w.T.Errorf("the call gave %s; want %s", a, value)
	}
}

// refuses fails unless the answer is an error of that code, and returns it.
func (w *world) refuses(a answer, code string) refusal {
	w.T.Helper()
	if a.refusal == nil || a.refusal.Code != code || a.refusal.Message == "" || a.refusal.Retry == "" {
		w.T.Fatalf("the call gave %s; want %s with a message and advice", a, code)
	}
	return *a.refusal
}

// wait is the answer to a call that was begun.
func (w *world) wait(answers <-chan answer) answer {
	w.T.Helper()
	select {
	case a := <-answers:
		return a
	case <-suite.Within(w.T).Done():
		w.T.Fatal("the call has no answer")
		return answer{}
	}
}
