package webtool_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/registry"
	"github.com/pagewarden/pagewarden/webtool"
)

func TestToolResult(t *testing.T) {
	for name, test := range map[string]struct{ value, want capability.JSON }{
		"nothing":     {"", `{"content":[]}`},
		"text":        {`"The cart is \"empty\"."`, `{"content":[{"type":"text","text":"The cart is \"empty\"."}]}`},
		"empty text":  {`""`, `{"content":[{"type":"text","text":""}]}`},
		"null":        {`null`, `{"content":[{"type":"text","text":"null"}]}`},
		"number":      {`1.5`, `{"content":[{"type":"text","text":"1.5"}]}`},
		"list":        {`[1,"a"]`, `{"content":[{"type":"text","text":"[1,\"a\"]"}]}`},
		"object":      {`{"n":1}`, `{"content":[{"type":"text","text":"{\"n\":1}"}],"structuredContent":{"n":1}}`},
		"more":        {`{"content":[],"total":0}`, `{"content":[{"type":"text","text":"{\"content\":[],\"total\":0}"}],"structuredContent":{"content":[],"total":0}}`},
		"no list":     {`{"content":"a"}`, `{"content":[{"type":"text","text":"{\"content\":\"a\"}"}],"structuredContent":{"content":"a"}}`},
		"MCP":         {`{"content":[{"type":"text","text":"a"}]}`, `{"content":[{"type":"text","text":"a"}]}`},
		"MCP, empty":  {`{"content":[]}`, `{"content":[]}`},
		"MCP, failed": {`{"isError":true,"content":[{"type":"text","text":"no"}]}`, `{"isError":true,"content":[{"type":"text","text":"no"}]}`},
		"MCP, all": {
			`{"_meta":{},"structuredContent":{"a":1},"content":[{"type":"image","data":"","mimeType":"a/b"},{"type":"audio","data":"","mimeType":"a/b"},{"type":"resource","resource":{"uri":"a:b"}},{"type":"resource_link","uri":"a:b","name":"n","annotations":{}}]}`,
			`{"_meta":{},"structuredContent":{"a":1},"content":[{"type":"image","data":"","mimeType":"a/b"},{"type":"audio","data":"","mimeType":"a/b"},{"type":"resource","resource":{"uri":"a:b"}},{"type":"resource_link","uri":"a:b","name":"n","annotations":{}}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := webtool.ToolResult(test.value)
			if err != nil || got != test.want {
				t.Errorf("got %s, %v\nwant %s", got, err, test.want)
			}
		})
	}
}

func TestMalformedMCPResult(t *testing.T) {
	for value, wants := range map[capability.JSON]string{
		`{"content":[1]}`: "content[0]",
		`{"content":[{"type":"text","text":""},{}]}`: "content[1]",
		`{"content":[{"type":"text"}]}`:              "text of type text",
		`{"content":[{"type":"text","text":1}]}`:     "text of type text",
		`{"content":[{"type":"image","data":""}]}`:   "mimeType of type image",
		`{"content":[{"type":"resource_link"}]}`:     "uri of type resource_link",
		`{"content":[{"type":"video"}]}`:             `"video"`,
		`{"content":[],"structuredContent":[]}`:      "structuredContent",
		`{"content":[],"isError":"yes"}`:             "isError",
		`{"content":[],"_meta":null}`:                "_meta",
	} {
		if _, err := webtool.ToolResult(value); err == nil || !strings.Contains(err.Error(), wants) {
			t.Errorf("%s gives %v, want one that names %s", value, err, wants)
		}
	}
}

// told is what a model reads of an error.
type told struct {
	Code, Message, Retry string
	Details              map[string]any
}

// read is the one text of an error result.
func read(t testing.TB, result capability.JSON) told {
	t.Helper()
	var r struct {
		Content []struct{ Type, Text string }
		IsError bool
	}
	if err := json.Unmarshal([]byte(result), &r); err != nil || !r.IsError || len(r.Content) != 1 || r.Content[0].Type != "text" {
		t.Fatalf("%s is no error: %v", result, err)
	}
	var e told
	if err := json.Unmarshal([]byte(r.Content[0].Text), &e); err != nil {
		t.Fatal(err)
	}
	return e
}

func TestToolErrorIsReadable(t *testing.T) {
	const want = `{"content":[{"type":"text","text":"{\"code\":\"sold_out\",\"message\":\"There is none left.\"}"}],"isError":true}`
	if got := webtool.ToolError("sold_out", "There is none left."); got != want {
		t.Errorf("got %s", got)
	}
}

// TestErrorsBecomeCodes goes through the table of webtools.md, in the pipeline.
func TestErrorsBecomeCodes(t *testing.T) {
	for name, test := range map[string]struct {
		err  error
		code string
		says string
	}{
		"its own":         {&webtool.Error{Code: "sold_out", Message: "There is none left."}, "sold_out", "There is none left."},
		"wrapped":         {fmt.Errorf("clearing: %w", &webtool.Error{Code: "sold_out", Message: "There is none left."}), "sold_out", "There is none left."},
		"no message":      {&webtool.Error{Code: "sold_out"}, "sold_out", "The tool failed."},
		"no code":         {&webtool.Error{Message: "Odd."}, "failed", "Odd."},
		"too long a code": {&webtool.Error{Code: strings.Repeat("x", 65), Message: "Odd."}, "failed", "Odd."},
		"a long message":  {&webtool.Error{Code: "long", Message: strings.Repeat("é", 301)}, "long", strings.Repeat("é", 300)},
		"input":           {&webtool.Error{Code: webtool.CodeInvalidInput, Message: "No such size."}, "invalid_input", "No such size."},
		"no control":      {&webtool.Error{Code: webtool.CodeUnavailable, Message: "There is no button."}, "unavailable", "There is no button."},
		"unknown":         {errors.New("secret"), "failed", "The tool failed."},
		"a typed one":     {capability.NotAuthorized("client"), "NOT_AUTHORIZED", "This is not allowed."},
		"not available":   {capability.NotAvailable("closed"), "CAPABILITY_NOT_AVAILABLE", "not available now"},
	} {
		t.Run(name, func(t *testing.T) {
			r := newRegistry(t)
			mount(t, r, mustDefine(t, clearCart(func(d *webtool.Definition) {
				d.Execute = func(context.Context, capability.JSON, *registry.Call) (capability.JSON, error) { return "", test.err }
			})))
			result := r.Invoke(t.Context(), registry.Request{CapabilityID: "domain:clear_cart"}, registry.InvokeOptions{})
			got := read(t, webtool.FromResult(result))
			if got.Code != test.code || !strings.Contains(got.Message, test.says) {
				t.Errorf("got %+v of %s", got, result.JSON())
			}
			if own := strings.ToUpper(got.Code) != got.Code; own == (got.Retry != "") {
				t.Errorf("advice %q with the code %s", got.Retry, got.Code)
			}
		})
	}
}

func TestPipelinesRefusals(t *testing.T) {
	long := make([]capability.Issue, 40)
	for i := range long {
		long[i] = capability.Issue{Path: fmt.Sprintf("items[%d].size", i), Message: "must be an integer"}
	}
	for name, test := range map[string]struct {
		err  *capability.Error
		want told
	}{
		"input":       {capability.InvalidInput([]capability.Issue{{Path: "n", Message: "must be an integer"}, {Message: "is odd"}}), told{Code: "invalid_input", Message: "The input is not valid: n: must be an integer; is odd"}},
		"no issues":   {capability.InvalidInput(nil), told{Code: "invalid_input", Message: "The input is not valid. Correct what details.issues names and call again."}},
		"denied":      {capability.ConfirmationInvalid("denied"), told{Code: "denied", Message: "The person did not confirm this on the page. Do not try again unless they ask for it."}},
		"expired":     {capability.ConfirmationInvalid("expired"), told{Code: "expired", Message: "Nobody confirmed this on the page in time. Ask the person before you call again."}},
		"used up":     {capability.ConfirmationInvalid("consumed"), told{Code: "CONFIRMATION_INVALID", Retry: "no", Details: map[string]any{"reason": "consumed"}}},
		"not JSON":    {capability.ExecutionFailed(capability.ReasonOutputInvalid), told{Code: "failed", Message: "The tool failed. Something may have happened: look at the page before you call it again."}},
		"too large":   {capability.ExecutionFailed(capability.ReasonOutputTooLarge), told{Code: "EXECUTION_FAILED", Retry: "no", Details: map[string]any{"reason": "output-too-large", "progress": "done"}}},
		"policy":      {capability.ExecutionFailed(capability.ReasonPolicy), told{Code: "EXECUTION_FAILED", Retry: "no", Details: map[string]any{"reason": "policy"}}},
		"not found":   {capability.NotFound(), told{Code: "CAPABILITY_NOT_FOUND", Retry: "after-refresh"}},
		"too much":    {capability.RateLimited("queue-full", 1e9), told{Code: "RATE_LIMITED", Retry: "after-delay", Details: map[string]any{"reason": "queue-full", "retryAfterMs": 1000.0}}},
		"many issues": {capability.InvalidInput(long), told{Code: "invalid_input"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := read(t, webtool.FromResult(registry.Result{Error: test.err}))
			if test.want.Message == "" {
				test.want.Message = got.Message
			}
			if fmt.Sprint(got) != fmt.Sprint(test.want) {
				t.Errorf("got  %+v\nwant %+v", got, test.want)
			}
			if n := capability.Length(got.Message); n == 0 || n > 300 {
				t.Errorf("the message has %d characters: %s", n, got.Message)
			}
		})
	}
}

func TestResultsOfTheRegistry(t *testing.T) {
	if got := webtool.FromResult(registry.Result{Output: `"done"`}); got != `{"content":[{"type":"text","text":"done"}]}` {
		t.Errorf("got %s", got)
	}
	if got := webtool.FromResult(registry.Result{Output: `{"content":[1]}`}); got != webtool.Failed() {
		t.Errorf("a malformed result gives %s", got)
	}
	if got := read(t, webtool.Failed()); got.Code != "failed" {
		t.Errorf("got %+v", got)
	}
}

// FuzzToolResult: whatever JSON a tool gives, what comes of it is an object with a list of content, or an error.
func FuzzToolResult(f *testing.F) {
	for _, seed := range []string{`"a"`, `{"content":[{"type":"text","text":"a"}]}`, `{"content":[{"type":"image"}]}`, `[{}]`, `null`} {
		f.Add(seed)
	}
	limits := capability.ValueLimits{MaxBytes: 1 << 16, MaxDepth: 64}
	f.Fuzz(func(t *testing.T, text string) {
		value := capability.JSON(text)
		if limits.Check(value) != nil {
			return
		}
		result, err := webtool.ToolResult(value)
		var r struct{ Content []json.RawMessage }
		if bad := json.Unmarshal([]byte(result), &r); bad != nil || r.Content == nil && err == nil {
			t.Errorf("%s gives %s: %v", text, result, bad)
		}
	})
}
