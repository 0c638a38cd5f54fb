package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/pagewarden/pagewarden/browser"
)

func TestCall(t *testing.T) {
	needBrowser(t)
	page := pages(t) + "/tools.html"
	inner := strings.Replace(page, "tools.html", "inner.html", 1)
	tests := []struct {
		name   string
		args   []string
		stdin  string
		code   int
		out    string
		errors []string
	}{
		{name: "value", args: []string{page, "total"}, out: "42\n"},
		{name: "input", args: []string{page, "orders_find", `{"zulu":"ü","alpha":1}`}, out: `{"found":{"alpha":1,"zulu":"ü"}}` + "\n"},
		{name: "input from stdin", args: []string{page, "orders_find", "-"}, stdin: "{\"alpha\": 2}\n", out: `{"found":{"alpha":2}}` + "\n"},
		{name: "text of MCP", args: []string{page, "report"}, out: "line 1\nline 2\n"},
		{name: "raw", args: []string{"--json", page, "report"},
			out: `{"content":[{"text":"line 1","type":"text"},{"text":"line 2","type":"text"}]}` + "\n"},
		{name: "frame", args: []string{page, "inner"}, out: "\"inside\"\n"},
		{name: "chosen frame", args: []string{page, "total", "--frame", inner}, out: "7\n"},
		{name: "unknown frame", args: []string{page, "total", "--frame", "http://x/"}, code: codeNotRun,
			errors: []string{"no tools in frame http://x/", page + ", " + inner}},
		{name: "error result", args: []string{page, "orders_cancel"}, code: codeRefused, errors: []string{"not allowed\n", `tool "orders_cancel" answered with an error`}},
		{name: "throws", args: []string{page, "broken"}, code: codeRefused, errors: []string{"out of paper"}},
		{name: "time-out", args: []string{"--timeout", "2s", page, "stuck"}, code: codeRefused, errors: []string{"did not answer within 2s", "--headed"}},
		{name: "unknown tool", args: []string{page, "order_find"}, code: codeRefused, errors: []string{`did you mean "orders_find"`}},
		{name: "confirm", args: []string{page, "asks"}, out: "false\n", errors: []string{`confirm("Really?"); it was dismissed, never accepted`}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := runsWith(t, test.stdin, append([]string{"call"}, test.args...)...)
			if test.code == codeDone && strings.HasPrefix(test.out, "{") {
				got.out, test.out = canonical(t, got.out), canonical(t, test.out)
			}
			got.expect(t, test.code, test.out, test.errors...)
		})
	}
}

// TestCallHeaded: without a display there is no window, and a browser that shows none would not say so.
func TestCallHeaded(t *testing.T) {
	needBrowser(t)
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	runs(t, "call", "--headed", pages(t)+"/tools.html", "total").expect(t, codeNotRun, "", "display")
}

// canonical sorts the keys of JSON: the browser may have its own order.
func canonical(t *testing.T, text string) string {
	t.Helper()
	var value any
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%q is no JSON: %v", text, err)
	}
	sorted, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return string(sorted)
}

func TestReadInput(t *testing.T) {
	tests := []struct {
		name, stdin, want string
		args              []string
	}{
		{name: "none", want: "{}"},
		{name: "argument", args: []string{` {"a":1} `}, want: `{"a":1}`},
		{name: "stdin", args: []string{"-"}, stdin: "{\"a\":1}\n", want: `{"a":1}`},
		{name: "empty stdin", args: []string{"-"}, want: "{}"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got, err := readInput(streams{in: strings.NewReader(test.stdin)}, test.args)
			if err != nil || string(got) != test.want {
				t.Errorf("got %s, error %v, want %s", got, err, test.want)
			}
		})
	}
	broken := streams{in: iotest.ErrReader(errors.New("cut off"))}
	if _, err := readInput(broken, []string{"-"}); err == nil || !strings.Contains(err.Error(), "cut off") {
		t.Errorf("a broken stdin gives %v", err)
	}
}

func TestPrintResult(t *testing.T) {
	tests := []struct {
		name, raw, out, errors string
		json                   bool
	}{
		{name: "text 5 of MCP", raw: `{"content":[{"type":"text","text":"5"}]}`, out: "5\n"},
		{name: "string", raw: `"a\nb"`, out: `"a\nb"` + "\n"},
		{name: "empty string", raw: `""`, out: `""` + "\n"},
		{name: "zero", raw: `0`, out: "0\n"},
		{name: "structured", raw: `{"content":[],"structuredContent":{"a":1}}`, out: `{"a":1}` + "\n"},
		{name: "structured, raw", json: true, raw: `{"content":[],"structuredContent":{"a":1}}`, out: `{"content":[],"structuredContent":{"a":1}}` + "\n"},
		{name: "error", raw: `{"content":[{"type":"text","text":"no"}],"isError":true}`, errors: "no\n"},
		{name: "error, raw", json: true, raw: `{"content":[{"type":"text","text":"no"}],"isError":true}`, errors: `{"content":[{"type":"text","text":"no"}],"isError":true}` + "\n"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var out, errs bytes.Buffer
			err := printResult(streams{out: &out, err: &errs}, browser.Tool{Name: "tool"}, browser.Result{Raw: json.RawMessage(test.raw)}, test.json)
			if out.String() != test.out || errs.String() != test.errors {
				t.Errorf("stdout %q, stderr %q, want %q and %q", out.String(), errs.String(), test.out, test.errors)
			}
			if refused := exitCode(err) == codeRefused; refused != (test.errors != "") {
				t.Errorf("error is %v", err)
			}
		})
	}
	closed := streams{out: failingWriter{}}
	if err := printResult(closed, browser.Tool{}, browser.Result{Raw: json.RawMessage("1")}, false); exitCode(err) != codeNotRun {
		t.Errorf("a closed stdout gives %v", err)
	}
}

// failingWriter is a stdout that nobody reads.
type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestExitCode(t *testing.T) {
	refused := []error{
		refusal("no"), &browser.UnknownToolError{}, &browser.ToolError{}, &browser.TimeoutError{After: time.Second},
		&browser.CanceledError{}, &browser.GoneError{}, fmt.Errorf("calling: %w", &browser.GoneError{}),
	}
	notRun := []error{
		errors.New("any"), browser.ErrNoBrowser, &browser.BadPathError{}, &browser.StartError{Cause: errors.New("x")},
		&browser.UnreachableError{Cause: errors.New("x")}, &browser.NoWebMCPError{}, &browser.InputError{}, &browser.AmbiguousToolError{},
	}
	for code, errs := range map[int][]error{codeDone: {nil}, codeRefused: refused, codeNotRun: notRun} {
		for _, err := range errs {
			if got := exitCode(err); got != code {
				t.Errorf("%T gives %d, want %d", err, got, code)
			}
		}
	}
}
