package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
)

// ward serves pages with every ailment. ALIEN in a page stands for the same
// server under another origin.
func ward(t *testing.T) string {
	t.Helper()
	const register = `<script>
		const mc = document.modelContext ?? navigator.modelContext;
		const offer = async (name, more) => { try { await mc.registerTool({ name, description: "Of the ward", execute: () => 1, ...more }) } catch {} };
	</script>`
	pages := map[string]string{
		"/well":    register + `<script>offer("fine")</script>`,
		"/none":    register,
		"/fails":   register + `<script>throw new Error("the module did not load")</script>`,
		"/policy":  register + `<script>offer("fine")</script>`,
		"/refused": register + `<script>offer("fine"); offer("fine"); offer("a b"); offer("mute", { description: "" })</script>`,
		"/half":    register + `<script>offer("fine").then(() => { throw new Error("the second tool is broken"); })</script>`,
		"/retried": register + `<script>
			const first = new AbortController();
			mc.registerTool({ name: "late", description: "d", execute() {} }, { signal: first.signal });
			offer("late").then(() => { first.abort(); return offer("late"); });
		</script>`,
		"/frames": register + `<script>offer("fine")</script><iframe src="/well"></iframe><iframe src="ALIEN/well?denied"></iframe><iframe allow="tools" src="ALIEN/well?allowed"></iframe>`,
		"/mute": register + `<script>
			Object.defineProperty(document, "modelContext", { value: undefined });
			Object.defineProperty(navigator, "modelContext", { value: { registerTool() {} } });
		</script>`,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		page, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		if r.URL.Path == "/policy" {
			w.Header().Set("Permissions-Policy", "tools=()")
		}
		w.Header().Set("Content-Type", "text/html")
		alien := "http://" + strings.Replace(r.Host, "127.0.0.1", "localhost", 1)
		fmt.Fprint(w, strings.ReplaceAll(`<!doctype html><link rel="icon" href="data:,">`+page, "ALIEN", alien))
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestDoctor(t *testing.T) {
	needBrowser(t)
	server := ward(t)
	tests := []struct {
		name    string
		args    []string
		kinds   []string // of the problems
		remedy  []string // in what is printed
		tools   int
		noCalls bool
	}{
		{name: "well", args: []string{server + "/well"}, tools: 1},
		{name: "no flag", args: []string{"--without-flag", server + "/well"}, kinds: []string{"no-flag"}, remedy: []string{"--enable-features=WebMCPTesting"}, noCalls: true},
		{name: "insecure", args: []string{"data:text/html,hello"}, kinds: []string{"insecure"}, remedy: []string{"https"}, noCalls: true},
		{name: "policy", args: []string{server + "/policy"}, kinds: []string{"policy", "refused"}, remedy: []string{"tools=(self)", "NotAllowedError"}},
		{name: "no tools", args: []string{server + "/none"}, kinds: []string{"no-tools"}, remedy: []string{"wait longer"}},
		{name: "no tools, and why", args: []string{server + "/fails"}, kinds: []string{"no-tools"}, remedy: []string{"the module did not load"}},
		{name: "a tool, and a failure", args: []string{server + "/half"}, tools: 1, remedy: []string{"failed    ", "the second tool is broken"}},
		{name: "no page", args: []string{server + "/nowhere"}, kinds: []string{"no-tools"}, remedy: []string{"HTTP 404"}},
		{name: "refused", args: []string{server + "/refused"}, kinds: []string{"refused", "refused", "refused"}, tools: 1,
			remedy: []string{`the tool "a b": InvalidStateError`, `the tool "fine": InvalidStateError`, `the tool "mute": InvalidStateError`}},
		{name: "refused once, then taken", args: []string{server + "/retried"}, tools: 1},
		{name: "frames", args: []string{server + "/frames"}, kinds: []string{"policy"}, remedy: []string{`allow="tools"`, "/well?denied"}, tools: 3},
		{name: "not to be called", args: []string{server + "/mute"}, kinds: []string{"uncallable"}, remedy: []string{"testing shim"}, noCalls: true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			code := codeDone
			if len(test.kinds) > 0 {
				code = codeRefused
			}
			o := runs(t, append([]string{"doctor", "--timeout", "10s", "--json"}, test.args...)...)
			var report browser.Report
			if err := json.Unmarshal([]byte(o.out), &report); err != nil {
				t.Fatal(err)
			}
			kinds := []string{}
			for _, p := range report.Problems {
				kinds = append(kinds, p.Kind)
			}
			if !slices.Equal(kinds, test.kinds) || len(report.Tools) != test.tools || (len(report.Ways) == 0) != test.noCalls {
				t.Errorf("the report is %+v", report)
			}
			if o.code != code {
				t.Errorf("the exit code is %d, want %d; stderr: %s", o.code, code, o.errors)
			}
			var printed bytes.Buffer
			if err := printReport(&printed, report, false); err != nil {
				t.Fatal(err)
			}
			for _, text := range append(test.remedy, choice(len(kinds) > 0, "PROBLEM   ", "problems  none")) {
				if !strings.Contains(printed.String(), text) {
					t.Errorf("it does not print %q:\n%s", text, &printed)
				}
			}
		})
	}
}

func TestDoctorForAPerson(t *testing.T) {
	needBrowser(t)
	o := runs(t, "doctor", ward(t)+"/well")
	if o.code != codeDone || o.errors != "" || !strings.Contains(o.out, "tools     1\nproblems  none\n") {
		t.Errorf("exit code %d, stderr %q, it prints\n%s", o.code, o.errors, o.out)
	}
}

func TestDoctorThatCannotLook(t *testing.T) {
	needBrowser(t)
	runs(t, "doctor", "http://no-such-host.invalid/").expect(t, codeNotRun, "", "NAME_NOT_RESOLVED")
	runs(t, "doctor", "--browser", "/no/such/browser", "http://localhost/").expect(t, codeNotRun, "", "/no/such/browser")
}

func TestPrintReport(t *testing.T) {
	r := browser.Report{
		Browser: "Chrome/1", Flag: true,
		Page:   browser.Offer{URL: "http://h/", Secure: true, Navigator: true, Policy: "unknown", Methods: []string{"registerTool", "provideContext"}},
		Frames: []browser.Offer{{URL: "http://h/\x1b[31minner", Policy: "forbidden"}},
		Ways:   []browser.Way{browser.ByTesting},
		Tools:  []browser.Tool{{Name: "a", Frame: browser.Frame{Main: true}}, {Name: "b"}},
		Problems: []browser.Problem{
			{Kind: "policy", URL: "http://h/inner", Text: "tools are forbidden", Remedy: "allow them"},
		},
	}
	const want = `browser   Chrome/1, WebMCP on
page      http://h/, secure, tools not restricted by permissions policy
object    navigator.modelContext, a polyfill's: registerTool, provideContext
calls     by modelContextTesting
tools     2, 1 of them in iframes
iframe    http://h/[31minner, not secure, tools forbidden by permissions policy
PROBLEM   policy: tools are forbidden
          in http://h/inner: allow them
`
	var b bytes.Buffer
	if err := printReport(&b, r, false); err != nil || b.String() != want {
		t.Errorf("it prints\n%s%v, want\n%s", b.String(), err, want)
	}
	if err := printReport(failingWriter{}, r, false); err == nil {
		t.Error("a closed stdout gives no error")
	}
}
