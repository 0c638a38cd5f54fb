package main

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
)

// outcome is what a run left.
type outcome struct {
	code        int
	out, errors string
}

// runs executes a command line without standard input.
func runs(t *testing.T, args ...string) outcome {
	t.Helper()
	return runsWith(t, "", args...)
}

func runsWith(t *testing.T, stdin string, args ...string) outcome {
	t.Helper()
	var stdout, stderr bytes.Buffer
	code := run(t.Context(), args, strings.NewReader(stdin), &stdout, &stderr)
	return outcome{code, stdout.String(), stderr.String()}
}

// expect checks the exit code, the whole of stdout, and parts of stderr.
func (o outcome) expect(t *testing.T, code int, out string, errors ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code is %d, want %d; stderr: %s", o.code, code, o.errors)
	}
	if o.out != out {
		t.Errorf("stdout is\n%s, want\n%s", o.out, out)
	}
	for _, text := range errors {
		if !strings.Contains(o.errors, text) {
			t.Errorf("stderr is %q, want %q in it", o.errors, text)
		}
	}
	if len(errors) == 0 && o.errors != "" {
		t.Errorf("stderr is %q, want nothing", o.errors)
	}
}

// pages serves testdata, and answers everything else with 404.
func pages(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir("testdata")))
	t.Cleanup(server.Close)
	return server.URL
}

// needBrowser fails early, with the advice that the package gives.
func needBrowser(t *testing.T) {
	t.Helper()
	if _, err := browser.Find(""); err != nil {
		t.Fatalf("this test needs a browser: %v", err)
	}
}

func TestUsage(t *testing.T) {
	for _, args := range [][]string{nil, {"--help"}, {"tools", "--help"}, {"call", "--help"}, {"serve", "--help"}, {"doctor", "--help"}, {"contract", "--help"}, {"contract", "snapshot", "--help"}, {"contract", "check", "--help"}, {"contract", "inspect", "--help"}} {
		o := runs(t, args...)
		if o.code != 0 || o.errors != "" {
			t.Errorf("%q gives code %d and stderr %q", args, o.code, o.errors)
		}
		for _, part := range []string{"Usage:", "Examples:", "Exit codes:", "pagewarden serve|pagewarden tools|pagewarden call|pagewarden doctor|pagewarden contract"} {
			if !containsOne(o.out, strings.Split(part, "|")) {
				t.Errorf("the usage text for %q lacks %q", args, part)
			}
		}
	}
}

func containsOne(text string, parts []string) bool {
	for _, part := range parts {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// Faults that need no browser are found before one is started.
func TestWrongArguments(t *testing.T) {
	const page = "http://localhost/"
	tests := []struct {
		args string
		want string
	}{
		{"nonsense", `unknown command "nonsense"`},
		{"tools", "usage: pagewarden tools URL"},
		{"tools a b", "usage: pagewarden tools URL"},
		{"call " + page, "usage: pagewarden call URL NAME [JSON]"},
		{"tools --bogus " + page, "pagewarden tools --help"},
		{"tools --timeout soon " + page, "--timeout"},
		{"tools --timeout 0s " + page, "must be more than 0"},
		{"tools localhost:8080", "did you mean http://localhost:8080?"},
		{"tools ftp://localhost/", "use http or https"},
		{"doctor", "usage: pagewarden doctor URL"},
		{"doctor localhost", "did you mean http://localhost?"},
		{"call localhost name", "did you mean http://localhost?"},
		{"call " + page + " name {a:1}", "at byte 1"},
		{"call " + page + " name [1]", "an array instead of an object"},
		{"tools --browser /no/such/browser " + page, "/no/such/browser"},
		{"serve now", "usage: pagewarden serve"},
		{"serve --addr nonsense --data DATA", "--addr"},
		{"serve --dist /dev/null --data DATA", "not a folder"},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			args := strings.Fields(strings.ReplaceAll(test.args, "DATA", t.TempDir()))
			runs(t, args...).expect(t, codeNotRun, "", test.want)
		})
	}
}

func TestNoBrowser(t *testing.T) {
	t.Setenv("PATH", "")
	t.Setenv("HOME", t.TempDir())
	t.Setenv(browser.EnvPath, "")
	if _, err := browser.Find(""); err == nil {
		t.Log("a browser is installed outside $PATH; checking the environment variable only")
	} else {
		runs(t, "tools", "http://localhost/").expect(t, codeNotRun, "", "install one", "--browser PATH")
	}
	t.Setenv(browser.EnvPath, "/no/such/browser")
	runs(t, "tools", "http://localhost/").expect(t, codeNotRun, "", "/no/such/browser", browser.EnvPath)
}

func TestInterruptedRun(t *testing.T) {
	needBrowser(t)
	temp, err := os.MkdirTemp("", "cli")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(temp) })
	t.Setenv("TMPDIR", temp)
	called := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/called" {
			close(called)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		w.Write([]byte(`<script>document.modelContext?.registerTool({ name: "stuck", description: "Never answers",
			execute: () => { fetch("/called"); return new Promise(() => {}); } })</script>`))
	}))
	defer server.Close()
	ctx, interrupt := context.WithCancel(t.Context())
	defer interrupt()
	go func() {
		<-called
		interrupt()
	}()
	var stdout, stderr bytes.Buffer
	code := run(ctx, []string{"call", "--timeout", "60s", server.URL, "stuck"}, strings.NewReader(""), &stdout, &stderr)
	outcome{code, stdout.String(), stderr.String()}.expect(t, codeNotRun, "", "context canceled")
	left, err := os.ReadDir(temp)
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, error %v", left, err)
	}
}
