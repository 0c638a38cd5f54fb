package browser

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/webmcp"
)

func TestFind(t *testing.T) {
	tests := []struct {
		name, goos, explicit string
		env                  map[string]string
		installed            []string
		want                 string
	}{
		{name: "explicit wins", goos: "linux", explicit: "/opt/mine", env: map[string]string{EnvPath: "/env"},
			installed: []string{"/opt/mine", "/env", "chromium"}, want: "/opt/mine"},
		{name: "explicit is missing", goos: "linux", explicit: "/opt/mine", installed: []string{"chromium"}},
		{name: "environment", goos: "linux", env: map[string]string{EnvPath: "/env"}, installed: []string{"/env", "chromium"}, want: "/env"},
		{name: "environment is missing", goos: "linux", env: map[string]string{EnvPath: "/env"}, installed: []string{"chromium"}},
		{name: "Linux", goos: "linux", installed: []string{"google-chrome", "chromium"}, want: "chromium"},
		{name: "Linux, Chrome only", goos: "linux", installed: []string{"google-chrome-stable"}, want: "google-chrome-stable"},
		{name: "Linux, none", goos: "linux"},
		{name: "macOS", goos: "darwin", installed: []string{"/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"},
			want: "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome"},
		{name: "macOS, own applications", goos: "darwin", env: map[string]string{"HOME": "/Users/me"},
			installed: []string{"/Users/me/Applications/Chromium.app/Contents/MacOS/Chromium"},
			want:      "/Users/me/Applications/Chromium.app/Contents/MacOS/Chromium"},
		{name: "Windows", goos: "windows", env: map[string]string{"ProgramFiles": `C:\Program Files`},
			installed: []string{`C:\Program Files\Google\Chrome\Application\chrome.exe`},
			want:      `C:\Program Files\Google\Chrome\Application\chrome.exe`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			f := finder{
				goos:   test.goos,
				getenv: func(name string) string { return test.env[name] },
				lookPath: func(path string) (string, error) {
					if slices.Contains(test.installed, path) {
						return path, nil
					}
					return "", fmt.Errorf("%s is not there", path)
				},
			}
			got, err := f.find(test.explicit)
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
			if (err != nil) != (test.want == "") || err != nil && !errors.Is(err, ErrNoBrowser) {
				t.Errorf("error is %v", err)
			}
		})
	}
}

func TestFlags(t *testing.T) {
	tests := []struct {
		name    string
		options Options
		root    bool
		want    []flag
	}{
		{name: "default", want: []flag{{name: "enable-features", value: "WebMCPTesting"}}},
		{name: "off", options: Options{NoWebMCP: true}},
		{name: "root", root: true, want: []flag{{name: "no-sandbox"}, {name: "enable-features", value: "WebMCPTesting"}}},
		{name: "extra", options: Options{ExtraFlags: []string{"--lang=en", "mute-audio", "--enable-features=A,B"}},
			want: []flag{{name: "lang", value: "en"}, {name: "mute-audio"}, {name: "enable-features", value: "WebMCPTesting,A,B"}}},
		{name: "extra, off", options: Options{NoWebMCP: true, ExtraFlags: []string{"--enable-features=A"}},
			want: []flag{{name: "enable-features", value: "A"}}},
	}
	const always = 5
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := test.options.flags(test.root)
			if !slices.Equal(got[always:], test.want) {
				t.Errorf("got %v, want %v", got[always:], test.want)
			}
			for _, name := range []string{"disable-background-networking", "disable-component-update", "disable-sync", "no-first-run"} {
				if !slices.Contains(got, flag{name: name}) {
					t.Errorf("%s is missing", name)
				}
			}
		})
	}
}

func TestNearest(t *testing.T) {
	names := []string{"orders_list", "orders_find", "order_cancel", "ticket_reply", "x"}
	tests := []struct {
		name string
		want []string
	}{
		{"orders_lst", []string{"orders_list", "orders_find"}},
		{"ORDERS_LIST", []string{"orders_list"}},
		{"cancel", []string{"order_cancel"}},
		{"reply_to_ticket", []string{}},
		{"", []string{"x"}},
		{"orders_list" + strings.Repeat("x", 10<<20), []string{}},
	}
	for _, test := range tests {
		got := nearest(test.name, names)
		if len(test.want) == 0 && len(got) == 0 {
			continue
		}
		if len(got) == 0 || got[0] != test.want[0] || len(got) > maxNearest {
			t.Errorf("nearest to %q are %q, want %q", test.name, got, test.want)
		}
	}
	if got := nearest("aab", []string{"aac", "aaa", "aad", "aae", "aaa"}); !slices.Equal(got, []string{"aaa", "aac", "aad"}) {
		t.Errorf("ties give %q, want the first three names in order", got)
	}
}

func TestEditDistance(t *testing.T) {
	tests := []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"same", "same", 0},
		{"kitten", "sitting", 3}, {"flaw", "lawn", 2}, {"ab", "ba", 2},
	}
	for _, test := range tests {
		if got := editDistance(test.a, test.b); got != test.want {
			t.Errorf("distance of %q and %q is %d, want %d", test.a, test.b, got, test.want)
		}
		if got := editDistance(test.b, test.a); got != test.want {
			t.Errorf("distance of %q and %q is %d, want %d", test.b, test.a, got, test.want)
		}
	}
}

// nested is an object so many levels deep.
func nested(levels int) string {
	return strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels)
}

func TestCheckInput(t *testing.T) {
	wide := `{"[[[{\"":[` + strings.Repeat(`{"{":"\\"},["[\""],`, 300) + `1]}`
	for input, want := range map[string]string{
		"": "{}", "  ": "{}", "null": "{}", " {} ": "{}", "{\"a\": 1}\n": `{"a": 1}`,
		nested(256): nested(256), wide: wide,
	} {
		got, err := CheckInput([]byte(input))
		if err != nil || string(got) != want {
			t.Errorf("%q gives %s, error %v, want %s", input, got, err, want)
		}
	}
	faults := []struct {
		input, reason string
		offset        int64
	}{
		{`{"a":}`, "invalid character '}'", 5},
		{`  {a:1}`, "invalid character 'a'", 3},
		{`{"a":1`, "ends too early", 6},
		{`{"a":1} x`, "invalid character 'x'", 8},
		{`[1]`, "an array instead of an object", 0},
		{` "{}"`, "a string instead of an object", 1},
		{`true`, "a boolean instead of an object", 0},
		{`-1`, "a number instead of an object", 0},
		{nested(257), "nested more than 256 levels", 256 * 5},
		{" " + nested(1000), "nested more than 256 levels", 1 + 256*5},
	}
	for _, test := range faults {
		_, err := CheckInput([]byte(test.input))
		var fault *InputError
		if !errors.As(err, &fault) || fault.Offset != test.offset || !strings.Contains(fault.Reason, test.reason) {
			t.Errorf("%q gives %v, want %q at %d", test.input, err, test.reason, test.offset)
		}
	}
}

func FuzzCheckInput(f *testing.F) {
	for _, seed := range []string{"", "{}", "null", `{"a":[1]}`, "{", "\xff", "[", "{} {}"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, input []byte) {
		got, err := CheckInput(input)
		var fault *InputError
		if err != nil {
			if !errors.As(err, &fault) || fault.Offset < 0 || fault.Offset > int64(len(input)) {
				t.Errorf("error %v for %d bytes", err, len(input))
			}
			return
		}
		var object map[string]json.RawMessage
		if json.Unmarshal(got, &object) != nil {
			t.Errorf("accepted %q", got)
		}
	})
}

func TestResult(t *testing.T) {
	tests := []struct {
		name, raw, value string
		isError          bool
	}{
		{name: "string", raw: `"x"`, value: `"x"`},
		{name: "number", raw: `5`, value: `5`},
		{name: "null", raw: `null`, value: `null`},
		{name: "object", raw: `{"b":1,"a":2}`, value: `{"b":1,"a":2}`},
		{name: "array", raw: `[1]`, value: `[1]`},
		{name: "structured", raw: `{"content":[{"type":"text","text":"x"}],"structuredContent":{"z":1,"a":2}}`, value: `{"z":1,"a":2}`},
		{name: "text", raw: `{"content":[{"type":"text","text":"x"},{"type":"text","text":"y"}]}`, value: "x\ny"},
		{name: "error", raw: `{"content":[{"type":"text","text":"no"}],"isError":true}`, value: "no", isError: true},
		{name: "image", raw: `{"content":[{"type":"image","data":"AA=="}]}`, value: `{"content":[{"type":"image","data":"AA=="}]}`},
		{name: "other content", raw: `{"content":["x"]}`, value: `{"content":["x"]}`},
		{name: "untyped content", raw: `{"content":[{"text":"x"}]}`, value: `{"content":[{"text":"x"}]}`},
		{name: "empty content", raw: `{"content":[]}`, value: `{"content":[]}`},
		{name: "as text", raw: `"{\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"isError\":true}"`, value: "x", isError: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := Result{Raw: json.RawMessage(test.raw)}
			if r.Value() != test.value || r.IsError() != test.isError {
				t.Errorf("got %q, error %v, want %q, error %v", r.Value(), r.IsError(), test.value, test.isError)
			}
		})
	}
}

func TestAnswerOf(t *testing.T) {
	tests := []struct {
		name   string
		event  webmcp.EventToolResponded
		output string
		err    string
	}{
		{"value", webmcp.EventToolResponded{Status: "Completed", Output: []byte("5")}, "5", ""},
		{"no output", webmcp.EventToolResponded{Status: "Completed"}, "null", ""},
		{"cancelled", webmcp.EventToolResponded{Status: "Canceled"}, "", "was cancelled by the page"},
		{"exception", webmcp.EventToolResponded{Status: "Error",
			Exception: &runtime.RemoteObject{Type: "object", Description: "Error: boom\nmore\n    at a.js:1"}}, "", "failed: Error: boom\nmore"},
		{"value thrown", webmcp.EventToolResponded{Status: "Error", Exception: &runtime.RemoteObject{Type: "number", Value: []byte("7")}}, "", "failed: 7"},
		{"undefined thrown", webmcp.EventToolResponded{Status: "Error", Exception: &runtime.RemoteObject{Type: "undefined"}}, "", "failed: undefined"},
		{"text", webmcp.EventToolResponded{Status: "Error", ErrorText: "denied"}, "", "failed: denied"},
		{"status of a newer browser", webmcp.EventToolResponded{Status: "Postponed"}, "", "no reason given"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			output, err := answerOf("tool", &test.event)
			if string(output) != test.output {
				t.Errorf("output is %s, want %s", output, test.output)
			}
			if (err == nil) != (test.err == "") || err != nil && !strings.Contains(err.Error(), test.err) {
				t.Errorf("error is %v, want %q", err, test.err)
			}
		})
	}
}

func TestUnparsed(t *testing.T) {
	for output, want := range map[string]string{
		`"{\"city\":\"Zürich\"}"`: `{"city":"Zürich"}`,
		`"[\"é\"]"`:               `["é"]`,
		`"Zürich"`:                `"Zürich"`,
		`"{\"a\":1}"`:             `"{\"a\":1}"`,
		`"{\"a\":\"漢ü\"}"`:        `"{\"a\":\"漢ü\"}"`,
		`{"a":"ü"}`:               `{"a":"ü"}`,
		`5`:                       `5`,
	} {
		if got := unparsed(json.RawMessage(output)); string(got) != want {
			t.Errorf("%s gives %s, want %s", output, got, want)
		}
	}
}

func TestSchemaOf(t *testing.T) {
	for raw, want := range map[string]string{
		`{"z":1,"a":2}`:       `{"z":1,"a":2}`,
		`"{\"z\":1,\"a\":2}"`: `{"z":1,"a":2}`,
		`"not JSON"`:          `"not JSON"`,
		``:                    ``,
	} {
		if got := schemaOf([]byte(raw)); string(got) != want {
			t.Errorf("%s gives %s, want %s", raw, got, want)
		}
	}
}

func TestPick(t *testing.T) {
	main, a, b := Frame{URL: "m", Main: true}, Frame{URL: "a", ID: "1"}, Frame{URL: "b", ID: "2"}
	tools := []Tool{
		{Name: "x", Frame: b}, {Name: "x", Frame: main}, {Name: "y", Frame: b}, {Name: "y", Frame: a}, {Name: "z", Frame: a},
	}
	sortTools(tools)
	order := []string{}
	for _, tool := range tools {
		order = append(order, tool.Frame.URL+tool.Name)
	}
	if !slices.Equal(order, []string{"mx", "ay", "az", "bx", "by"}) {
		t.Errorf("order is %q", order)
	}
	if got, err := Pick(tools, "x"); err != nil || !got.Frame.Main {
		t.Errorf("x is %+v, error %v, want the main frame's", got, err)
	}
	if got, err := Pick(tools, "z"); err != nil || got.Frame != a {
		t.Errorf("z is %+v, error %v", got, err)
	}
	var ambiguous *AmbiguousToolError
	if _, err := Pick(tools, "y"); !errors.As(err, &ambiguous) || !slices.Equal(ambiguous.Frames, []string{"a", "b"}) {
		t.Errorf("y gives %v", err)
	}
	var unknown *UnknownToolError
	if _, err := Pick(tools, "q"); !errors.As(err, &unknown) || unknown.Known != 5 {
		t.Errorf("q gives %v", err)
	}
}

func TestErrorTexts(t *testing.T) {
	cause := errors.New("refused")
	tests := []struct {
		err  error
		want []string
	}{
		{ErrNoBrowser, []string{"install", "--browser", EnvPath}},
		{&BadPathError{Path: "/b", Source: "$X", Cause: cause}, []string{"/b", "$X", "refused"}},
		{&StartError{Path: "/b", Cause: cause}, []string{"/b", "refused"}},
		{&UnreachableError{URL: "http://h/", Cause: cause}, []string{"http://h/", "refused", "running"}},
		{&NoWebMCPError{Offer: Offer{URL: "u"}, Flag: true}, []string{"https", "localhost"}},
		{&NoWebMCPError{Offer: Offer{URL: "u", Secure: true}}, []string{"--enable-features=WebMCPTesting"}},
		{&NoWebMCPError{Offer: Offer{URL: "u", Secure: true}, Flag: true, Version: "Chrome/1"}, []string{"Chrome/1", "147"}},
		{&NoWebMCPError{Offer: Offer{URL: "u", Secure: true, Navigator: true}, Flag: true, Version: "Chrome/1"}, []string{"Chrome/1", "DevTools", "executeTool"}},
		{&NoWebMCPError{Offer: Offer{URL: "u", Secure: true, Document: true}, Wanted: ByTesting, Version: "Chrome/1"}, []string{"Chrome/1", "modelContextTesting"}},
		{&UnknownToolError{Name: "x"}, []string{`"x"`, "no tools"}},
		{&UnknownToolError{Name: "x", Known: 4}, []string{"4 tools"}},
		{&UnknownToolError{Name: "x", Known: 4, Nearest: []string{"y", "z"}}, []string{`did you mean "y" or "z"?`}},
		{&AmbiguousToolError{Name: "x", Frames: []string{"a", "b"}}, []string{"2 frames", "a, b"}},
		{&InputError{Offset: 3, Reason: "bad"}, []string{"bad at byte 3", "JSON object"}},
		{&ToolError{Tool: "x", Message: "m"}, []string{`"x" failed: m`}},
		{&TimeoutError{Tool: "x", After: 1500 * time.Millisecond}, []string{"1.5s", "may have acted"}},
		{&TimeoutError{Tool: "x", After: 2003456 * time.Microsecond}, []string{"within 2s"}},
		{&TimeoutError{Tool: "x", After: 203456 * time.Microsecond}, []string{"within 203ms"}},
		{&CanceledError{Tool: "x"}, []string{"may have acted"}},
		{gone("x", "it moved"), []string{`"x"`, "may have acted", "it moved"}},
	}
	for _, test := range tests {
		for _, want := range test.want {
			if !strings.Contains(test.err.Error(), want) {
				t.Errorf("%T says %q, want %q in it", test.err, test.err, want)
			}
		}
	}
	if !errors.Is(&StartError{Cause: cause}, cause) || !errors.Is(&UnreachableError{Cause: cause}, cause) {
		t.Error("causes are not unwrapped")
	}
}
