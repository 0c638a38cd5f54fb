package mcpbridge

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/capability"
)

func written(t *testing.T, result *mcp.CallToolResult) string {
	t.Helper()
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func quoted(text string) string { return string(capability.Quote(text)) }

func TestResults(t *testing.T) {
	tests := []struct{ name, raw, want string }{
		{"text", `"rung ü"`, `{"content":[{"type":"text","text":"rung ü"}]}`},
		{"no text", `""`, `{"content":[{"type":"text","text":""}]}`},
		{"null", `null`, `{"content":[{"type":"text","text":"null"}]}`},
		{"number", `42`, `{"content":[{"type":"text","text":"42"}]}`},
		{"large number", `{"id":12345678901234567890}`,
			`{"content":[{"type":"text","text":"{\"id\":12345678901234567890}"}],"structuredContent":{"id":12345678901234567890}}`},
		{"array", `[1,"a"]`, `{"content":[{"type":"text","text":"[1,\"a\"]"}]}`},
		{"object in its order", `{"z":1,"a":[]}`, `{"content":[{"type":"text","text":"{\"z\":1,\"a\":[]}"}],"structuredContent":{"z":1,"a":[]}}`},
		{"shaped", `{"content":[{"type":"text","text":"hi"}],"structuredContent":{"z":1,"a":2}}`,
			`{"content":[{"type":"text","text":"hi"}],"structuredContent":{"z":1,"a":2}}`},
		{"shaped in text", `"{\"content\":[{\"type\":\"text\",\"text\":\"hi\"}]}"`, `{"content":[{"type":"text","text":"hi"}]}`},
		{"an error", `{"content":[{"type":"text","text":"{\"code\":\"CONFIRMATION_REQUIRED\"}"}],"isError":true}`,
			`{"content":[{"type":"text","text":"{\"code\":\"CONFIRMATION_REQUIRED\"}"}],"isError":true}`},
		{"an image", `{"content":[{"type":"image","data":"AAAA","mimeType":"image/png"}]}`,
			`{"content":[{"type":"image","mimeType":"image/png","data":"AAAA"}]}`},
		{"content of no known kind", `{"content":[{"type":"hologram"}]}`,
			`{"content":[{"type":"text","text":"{\"content\":[{\"type\":\"hologram\"}]}"}],"structuredContent":{"content":[{"type":"hologram"}]}}`},
		{"structured content that is no object", `{"content":[{"type":"text","text":"5"}],"structuredContent":5}`,
			`{"content":[{"type":"text","text":"5"}]}`},
	}
	for _, raw := range []string{
		`{"content":[{"type":"tool_use","id":"x","name":"y"}]}`, `{"content":[{"type":"resource"}]}`, `{"content":[{"type":"tool_result","toolUseId":"x"}]}`,
	} {
		tests = append(tests, struct{ name, raw, want string }{
			"content of another's", raw, `{"content":[{"type":"text","text":` + quoted(raw) + `}],"structuredContent":` + raw + `}`,
		})
	}
	deep := strings.Repeat("[", 2000) + strings.Repeat("]", 2000)
	for _, raw := range []string{
		`{"a":` + deep + `}`, `{"content":[{"type":"text","text":"x","_meta":{"a":` + deep + `}}]}`,
		`{"content":[{"type":"text","text":"x"}],"structuredContent":{"a":` + deep + `}}`, `{"a":"\ud800"}`, `{"a":1e999}`,
	} {
		tests = append(tests, struct{ name, raw, want string }{
			"what some clients cannot read", raw, `{"content":[{"type":"text","text":` + quoted(raw) + `}]}`,
		})
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := written(t, resultOf(browser.Result{Raw: json.RawMessage(test.raw)}))
			if got != test.want {
				t.Errorf("%s becomes\n%s, want\n%s", test.raw, got, test.want)
			}
		})
	}
}

// A page may not ask the client for anything, or speak for the server.
func TestResultWithRequests(t *testing.T) {
	got := written(t, resultOf(browser.Result{Raw: json.RawMessage(`{"content":[{"type":"text","text":"hi"}],"resultType":"input_required",
		"inputRequests":{"a":{"method":"elicitation/create","params":{"message":"Your password?","requestedSchema":{"type":"object"}}}},
		"requestState":"x","_meta":{"progressToken":1}}`)}))
	if got != `{"content":[{"type":"text","text":"hi"}]}` {
		t.Errorf("it becomes %s", got)
	}
}

func FuzzResult(f *testing.F) {
	f.Add(`{"content":[{"type":"resource","resource":{"uri":"a:b"}}],"isError":true}`)
	f.Add(`{"content":[],"structuredContent":{}}`)
	f.Add(`"{\"content\":[null]}"`)
	f.Fuzz(func(t *testing.T, raw string) {
		if !json.Valid([]byte(raw)) {
			return
		}
		result := resultOf(browser.Result{Raw: json.RawMessage(raw)})
		var again map[string]json.RawMessage
		if err := json.Unmarshal([]byte(written(t, result)), &again); err != nil || string(again["content"]) == "null" {
			t.Fatalf("%s becomes %s", raw, written(t, result))
		}
		for name := range again {
			if name != "content" && name != "structuredContent" && name != "isError" {
				t.Fatalf("%s passes %s on", raw, name)
			}
		}
	})
}

func TestFaults(t *testing.T) {
	own := `{"code":"INVALID_INPUT","message":"m","retry":"with-changes","details":{"issues":[]}}`
	tests := []struct {
		name string
		err  error
		want []string
	}{
		{"input", &browser.InputError{Reason: "an array instead of an object"}, []string{"INVALID_INPUT", "an array instead", `"retry":"with-changes"`}},
		{"unknown", &browser.UnknownToolError{Name: "a", Nearest: []string{"b"}, Known: 1}, []string{"CAPABILITY_NOT_FOUND", `did you mean \"b\"`, "after-refresh"}},
		{"late", &browser.TimeoutError{Tool: "a", After: 1234567 * time.Microsecond}, []string{"TIMEOUT", `"timeoutMs":1235`, "may-have-happened", `"retry":"no"`}},
		{"cancelled by the page", &browser.CanceledError{Tool: "a"}, []string{"CANCELLED", "may-have-happened", `"retry":"no"`}},
		{"gone", &browser.GoneError{What: "w", Reason: "it has navigated"}, []string{"COMPONENT_UNMOUNTED", "(it has navigated)", `"phase":"mid-flight"`, "may-have-happened"}},
		{"no WebMCP", &browser.NoWebMCPError{Flag: true, Version: "Chrome/1", Offer: browser.Offer{Secure: true}}, []string{"CAPABILITY_NOT_AVAILABLE", "page-without-webmcp", "Chrome/1"}},
		{"thrown", &browser.ToolError{Tool: "a", Message: "TypeError: no such order"}, []string{"EXECUTION_FAILED", "handler-error", "no such order", "may-have-happened"}},
		{"thrown with a payload", &browser.ToolError{Tool: "a", Message: "UnknownError: " + own}, []string{own}},
		{"thrown with half a payload", &browser.ToolError{Tool: "a", Message: own[:30]}, []string{"EXECUTION_FAILED", "handler-error"}},
		{"another", errors.New("broken pipe"), []string{"EXECUTION_FAILED", "transport", "broken pipe", "may-have-happened"}},
		{"a long one", errors.New(strings.Repeat("ü", 5000)), []string{"EXECUTION_FAILED"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			result := callFault(test.err)
			text := result.Content[0].(*mcp.TextContent).Text
			if !result.IsError || result.StructuredContent != nil || len(text) > 3*maxSaid {
				t.Errorf("the result is %s", written(t, result))
			}
			for _, want := range test.want {
				if !strings.Contains(text, want) {
					t.Errorf("the error is %s, want %s in it", text, want)
				}
			}
			var payload struct{ Code, Message, Retry string }
			if err := json.Unmarshal([]byte(text), &payload); err != nil || payload.Code == "" || payload.Message == "" || payload.Retry == "" {
				t.Errorf("the error is no payload: %s", text)
			}
		})
	}
}
