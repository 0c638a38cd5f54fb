package main

import (
	"bytes"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
)

func TestTools(t *testing.T) {
	needBrowser(t)
	server := pages(t)
	golden, err := os.ReadFile("testdata/tools.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(string(golden), "SERVER", server)
	runs(t, "tools", server+"/tools.html").expect(t, codeDone, want)
}

func TestToolsAsJSON(t *testing.T) {
	needBrowser(t)
	server := pages(t)
	o := runs(t, "tools", "--json", "--wait", server+"/tools.html")
	if o.code != codeDone || o.errors != "" {
		t.Fatalf("exit code %d, stderr %s", o.code, o.errors)
	}
	var tools []browser.Tool
	if err := json.Unmarshal([]byte(o.out), &tools); err != nil {
		t.Fatal(err)
	}
	if len(tools) != 9 || tools[3].Title != "Find" || tools[8].Frame.URL != server+"/inner.html" {
		t.Errorf("tools are %+v", tools)
	}
	for _, text := range []string{"<order> & more", "A long text. A long text."} {
		if !strings.Contains(o.out, text) {
			t.Errorf("the JSON lacks %q", text)
		}
	}
	if zulu, alpha := strings.Index(o.out, `"zulu"`), strings.Index(o.out, `"alpha"`); zulu < 0 || zulu > alpha {
		t.Error("the author's order of properties is lost")
	}
}

func TestNoTools(t *testing.T) {
	needBrowser(t)
	server := pages(t)
	tests := []struct {
		name, file, out string
		flags           []string
		errors          []string
	}{
		{name: "JSON", file: "/fails.html", out: "[]\n", flags: []string{"--json"}, errors: []string{"has no tools", "module did not load"}},
		{name: "table", file: "/missing.html", errors: []string{"has no tools", "HTTP 404", "--wait"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			args := append([]string{"tools", "--timeout", "5s", server + test.file}, test.flags...)
			runs(t, args...).expect(t, codeRefused, test.out, test.errors...)
		})
	}
}

func TestPageThatCannotBeTried(t *testing.T) {
	needBrowser(t)
	tests := map[string][]string{
		"http://no-such-host.invalid/": {"http://no-such-host.invalid/", "NAME_NOT_RESOLVED"},
		"data:text/html,hello":         {"no WebMCP", "http://localhost"},
	}
	for address, want := range tests {
		t.Run(address, func(t *testing.T) {
			runs(t, "tools", "--json", address).expect(t, codeNotRun, "", want...)
		})
	}
}

func TestPrintTools(t *testing.T) {
	main := browser.Frame{URL: "http://h/", Main: true}
	tests := []struct {
		name        string
		tools       []browser.Tool
		table, json string
	}{
		{name: "none", tools: []browser.Tool{}, json: "[]\n"},
		{
			name:  "one",
			tools: []browser.Tool{{Name: "a", Description: "b & c", Frame: main, InputSchema: json.RawMessage(`{"z":1,"a":2}`)}},
			table: "NAME  HINTS  DESCRIPTION\na     -      b & c\n",
			json: `[
  {
    "name": "a",
    "description": "b & c",
    "inputSchema": {
      "z": 1,
      "a": 2
    },
    "annotations": {
      "readOnlyHint": false,
      "consequentialHint": false,
      "untrustedContentHint": false
    },
    "frame": {
      "url": "http://h/",
      "main": true
    }
  }
]
`,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for asJSON, want := range map[bool]string{false: test.table, true: test.json} {
				var b bytes.Buffer
				if err := printTools(&b, test.tools, asJSON); err != nil {
					t.Fatal(err)
				}
				if b.String() != want {
					t.Errorf("JSON %v gives\n%s, want\n%s", asJSON, b.String(), want)
				}
			}
		})
	}
}

func TestPlain(t *testing.T) {
	tests := map[string]string{
		"plain text":                 "plain text",
		" two\r\n\tlines  here ":     "two lines here",
		"red \x1b[31mtext\x07":       "red [31mtext",
		"turned \u202eround\u200b":   "turned round",
		"line\u2028separator ü 漢 ok": "line separator ü 漢 ok",
		"bad \xff byte":              "bad \ufffd byte",
	}
	for text, want := range tests {
		if got := plain(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add("a\x1b]0;title\x07b")
	f.Fuzz(func(t *testing.T, text string) {
		for _, r := range plain(text) {
			if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
				t.Errorf("%q keeps the control character %U", text, r)
			}
		}
	})
}
