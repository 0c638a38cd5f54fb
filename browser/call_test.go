package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// value calls a tool without input and returns what it gives.
func value(t *testing.T, p *Page, name string) string {
	t.Helper()
	result, err := p.Call(within(t, 20*time.Second), name, nil)
	if err != nil {
		t.Fatalf("calling %s: %v", name, err)
	}
	return result.Value()
}

func TestCallValues(t *testing.T) {
	p := withTool(t, "plain.html", "instant")
	tests := map[string]string{
		"text":  `"plain text"`,
		"null":  `null`,
		"zero":  `0`,
		"false": `false`,
		// Chromium's own word for undefined.
		"nothing": `"undefined"`,
		"mcp":     `{"n":1}`,
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			if got := value(t, p, name); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

func TestCallInput(t *testing.T) {
	p := withTool(t, "plain.html", "echo")
	for _, input := range []string{`{"zulu":"ASCII"}`, `{"zulu":"Zürich"}`, `{"zulu":"漢字"}`, `{"zulu":"ü \u2028 \"quoted\"","alpha":1.5}`, ` {"nested":{"list":[1,null,true]}} `, `{"größe":{"名前":1}}`} {
		result, err := p.Call(within(t, 10*time.Second), "echo", json.RawMessage(input))
		if err != nil {
			t.Fatal(err)
		}
		if !sameJSON(t, string(result.Raw), input) {
			t.Errorf("echo of %s is %s", input, result.Raw)
		}
	}
	_, err := p.Call(within(t, 10*time.Second), "echo", json.RawMessage(`[1]`))
	var fault *InputError
	if !errors.As(err, &fault) {
		t.Errorf("an array gave %v, want an *InputError", err)
	}
}

func sameJSON(t *testing.T, a, b string) bool {
	t.Helper()
	var x, y any
	if err := json.Unmarshal([]byte(a), &x); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(b), &y); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprint(x) == fmt.Sprint(y)
}

func TestCallFailures(t *testing.T) {
	p := withTool(t, "plain.html", "instant")
	tests := map[string]string{
		"throws":      "TypeError: no such order",
		"rejects":     "RangeError: out of range",
		"throws_text": `"just text"`,
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			_, err := p.Call(within(t, 10*time.Second), name, nil)
			var failed *ToolError
			if !errors.As(err, &failed) || failed.Message != want || failed.Tool != name {
				t.Errorf("got %#v, want the message %q", err, want)
			}
		})
	}
}

func TestCallErrorResult(t *testing.T) {
	p := withTool(t, "plain.html", "mcp_error")
	result, err := p.Call(within(t, 10*time.Second), "mcp_error", nil)
	if err != nil {
		t.Fatal(err)
	}
	if !result.IsError() || result.Value() != "not allowed" {
		t.Errorf("got %s, want an error result", result.Raw)
	}
}

func TestCallUnknownTool(t *testing.T) {
	p := withTool(t, "plain.html", "instant")
	_, err := p.Call(within(t, 10*time.Second), "ecko", nil)
	var unknown *UnknownToolError
	if !errors.As(err, &unknown) || !slices.Contains(unknown.Nearest, "echo") {
		t.Errorf("got %v, want a suggestion of echo", err)
	}
}

func TestCallOfRemovedTool(t *testing.T) {
	p := withTool(t, "plain.html", "removable")
	tool := toolNamed(t, waitFor(t, p, "removable"), "removable")
	if _, err := p.Eval(within(t, 10*time.Second), `offers.abort()`); err != nil {
		t.Fatal(err)
	}
	_, err := p.CallTool(within(t, 10*time.Second), tool, nil)
	var unknown *UnknownToolError
	if !errors.As(err, &unknown) || slices.Contains(unknown.Nearest, "removable") {
		t.Errorf("got %v, want an unknown tool", err)
	}
}

func TestCallTimesOut(t *testing.T) {
	p := withTool(t, "plain.html", "never")
	_, err := p.Call(within(t, 200*time.Millisecond), "never", nil)
	var late *TimeoutError
	if !errors.As(err, &late) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v, want a *TimeoutError", err)
	}
	waitInFlight(t, p, 0)
	if got := value(t, p, "text"); got != `"plain text"` {
		t.Errorf("the page answers %s after a time-out", got)
	}
}

func TestCallIsCancelledByCaller(t *testing.T) {
	p := withTool(t, "plain.html", "never")
	reason := errors.New("changed my mind")
	ctx, cancel := context.WithCancelCause(context.Background())
	ended := make(chan error, 1)
	go func() {
		_, err := p.Call(ctx, "never", nil)
		ended <- err
	}()
	waitInFlight(t, p, 1)
	cancel(reason)
	if err := <-ended; !errors.Is(err, reason) {
		t.Errorf("got %v, want the caller's reason", err)
	}
}

// The answer of an instant tool can overtake the reply to the command that
// started it; a driver that registers its waiter after the reply then waits for
// ever.
func TestInstantToolNeverHangs(t *testing.T) {
	p := withTool(t, "plain.html", "instant")
	ctx := within(t, 60*time.Second)
	for i := 1; i <= 300; i++ {
		result, err := p.Call(ctx, "instant", nil)
		if err != nil {
			t.Fatalf("call %d: %v", i, err)
		}
		if want := fmt.Sprint(i); result.Value() != want {
			t.Fatalf("call %d gives %s", i, result.Value())
		}
	}
}

func TestParallelCalls(t *testing.T) {
	p := withTool(t, "plain.html", "echo")
	ctx := within(t, 60*time.Second)
	var calls sync.WaitGroup
	for i := range 20 {
		calls.Go(func() {
			input := fmt.Sprintf(`{"alpha":%d}`, i)
			result, err := p.Call(ctx, "echo", json.RawMessage(input))
			if err != nil || string(result.Raw) != input {
				t.Errorf("call %d gives %s, error %v", i, result.Raw, err)
			}
		})
	}
	calls.Wait()
}

func TestCallThatNavigates(t *testing.T) {
	p := withTool(t, "plain.html", "leaves")
	_, err := p.Call(within(t, 20*time.Second), "leaves", nil)
	var lost *GoneError
	if !errors.As(err, &lost) || !strings.Contains(err.Error(), "empty.html") {
		t.Errorf("got %v, want a *GoneError that names the new page", err)
	}
	if _, err := p.WaitForTools(within(t, 20*time.Second), func(tools []Tool) bool { return len(tools) == 0 }); err != nil {
		t.Error(err)
	}
}

func TestCloseEndsCalls(t *testing.T) {
	p := withTool(t, "plain.html", "never")
	ended := make(chan error, 1)
	go func() {
		_, err := p.Call(within(t, 20*time.Second), "never", nil)
		ended <- err
	}()
	waitInFlight(t, p, 1)
	if err := p.Close(); err != nil {
		t.Fatal(err)
	}
	var lost *GoneError
	if err := <-ended; !errors.As(err, &lost) {
		t.Errorf("got %v, want a *GoneError", err)
	}
	if _, err := p.Tools(within(t, 10*time.Second)); !errors.As(err, &lost) {
		t.Errorf("listing after Close gave %v, want a *GoneError", err)
	}
}

func TestDialogsAreDismissed(t *testing.T) {
	p := withTool(t, "plain.html", "asks")
	if got := value(t, p, "asks"); got != "false" {
		t.Errorf("confirm gave %s, want false: a dialog is never accepted", got)
	}
	if got := value(t, p, "alerts"); got != `"seen"` {
		t.Errorf("after alert the tool gave %s", got)
	}
	want := []Dialog{
		{Kind: "confirm", Text: "Delete everything?", URL: address("plain.html")},
		{Kind: "alert", Text: "Look!", URL: address("plain.html")},
	}
	if got := p.Dialogs(); !slices.Equal(got, want) {
		t.Errorf("dialogs are %+v, want %+v", got, want)
	}
}
