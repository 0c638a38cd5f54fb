package main

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	tests := []struct {
		args string
		says string // empty if it is accepted
	}{
		{args: ""},
		{args: "-engine node -json out.json -sizes 1,20"},
		{args: "-write -rounds 3 -ms 5 -starts 2"},
		{"-sizes 10,many", `not "many"`},
		{"-sizes 0", `not "0"`},
		{"-engine firefox", "node or chromium"},
		{"-engine node -write", "both engines"},
		{"-rounds 0", "at least 1"},
		{"extra", `unexpected "extra"`},
		{"-nonsense", "nonsense"},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			var stderr bytes.Buffer
			s, err := parse(strings.Fields(test.args), &stderr)
			if (err != nil) != (test.says != "") || !strings.Contains(stderr.String(), test.says) {
				t.Errorf("parse = %+v, %v, says %q; want %q", s, err, &stderr, test.says)
			}
		})
	}
}

func TestUsageIsNoFailure(t *testing.T) {
	var stderr bytes.Buffer
	if code := run(t.Context(), []string{"-h"}, io.Discard, &stderr); code != 0 || !strings.Contains(stderr.String(), "-sizes") {
		t.Errorf("exit %d for help, says %q; want 0 and the flags", code, &stderr)
	}
	if code := run(t.Context(), []string{"extra"}, io.Discard, &stderr); code != 2 {
		t.Errorf("exit %d for wrong usage; want 2", code)
	}
}

func TestMedian(t *testing.T) {
	tests := []struct {
		values []float64
		want   float64
	}{{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 3, 2}, 3}}
	for _, test := range tests {
		if got := median(test.values); got != test.want {
			t.Errorf("median(%v) = %v; want %v", test.values, got, test.want)
		}
	}
}

// A round that a busy machine slowed down counts in the u of that moment.
func TestUnitsAreThoseOfTheirRound(t *testing.T) {
	slow := Timing{Rounds: []round{{100, 50}, {1000, 500}, {200, 100}}}
	if got := slow.units(); got != 0.5 {
		t.Errorf("units = %v; want 0.5", got)
	}
	if got := slow.microseconds(); got != 100 {
		t.Errorf("microseconds = %v; want 100", got)
	}
	paired := start{Runtime: []float64{100, 1000, 210}, Empty: []float64{50, 500, 100}}
	if got := paired.ratio(); got != 2 {
		t.Errorf("ratio = %v; want 2", got)
	}
}

// sample has a row that is met in Node and over in Chromium, one that is not there, and growth.
func sample() report {
	rows := []row{
		{"invoke", Timing{Rounds: []round{{200, 24}, {200, 26}, {200, 28}}}},
		{"tools-300", Timing{Missing: "not built yet"}},
	}
	growth := []curve{
		{"reconcile", []point{{10, Timing{Rounds: []round{{100, 10}}}}, {100, Timing{Rounds: []round{{100, 25}}}}}},
		{"tools", []point{{10, Timing{Missing: "not built yet"}}, {100, Timing{Missing: "not built yet"}}}},
	}
	slower := []row{{"invoke", Timing{Rounds: []round{{100, 44}}}}}
	return report{
		Engines: []engine{
			{Name: "Node v20.0.0", Memory: 9_000_000, Rows: rows, Growth: growth},
			{Name: "Chrome/156.0", Memory: 17_000_000, Rows: slower},
		},
		Start: &start{Runtime: []float64{90, 100, 110}, Empty: []float64{30, 40, 50}},
	}
}

func TestReportSaysHowEachRowStands(t *testing.T) {
	text := sample().text()
	squeezed := strings.Join(strings.Fields(text), " ")
	for _, want := range []string{
		"Node v20.0.0: u = 200 µs; medians of 3 rounds",
		"action invoke, no-op handler 26.0 0.130 0.260 0.130 met",
		"direct tools of 300 components, fresh - - 10.5 5.20 not built yet",
		"digestJson of a 32 kB value - - 11.7 4.00 not measured",
		"action invoke, no-op handler 44.0 0.440 0.450 0.220 over, ×2.00",
		"operation 10 100",
		"one comes and goes, WebMCP follows 10.0 25.0 (×2.5)",
		"direct tools, fresh toolset not built yet not built yet",
		"of 3 loads in turn: 100 ms, an empty Go program's 40 ms: ×2.50 of at most ×3.5 (aim ×3), met, the aim too",
		"Node v20.0.0: 9.0 MB of at most 16 MB, met",
		"Chrome/156.0: 17.0 MB of at most 16 MB, over, ×1.06",
	} {
		if !strings.Contains(squeezed, want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}

func TestStartVerdicts(t *testing.T) {
	for ratio, want := range map[float64]string{2.9: "met, the aim too", 3.2: "met; over the aim", 3.6: "over, ×1.03"} {
		var out strings.Builder
		(start{Runtime: []float64{100 * ratio}, Empty: []float64{100}}).write(&out)
		if !strings.Contains(out.String(), want) {
			t.Errorf("×%v: %q; want %q", ratio, &out, want)
		}
	}
}

func TestWithBlock(t *testing.T) {
	document := "# Title\n" + blockStart + "old\n" + blockEnd + "after\n"
	got, err := withBlock(document, "new\n")
	if want := "# Title\n" + blockStart + "\n```text\nnew\n```\n\n" + blockEnd + "after\n"; err != nil || got != want {
		t.Errorf("withBlock = %q, %v; want %q", got, err, want)
	}
	if again, err := withBlock(got, "new\n"); err != nil || again != got {
		t.Errorf("the second time it is %q, %v", again, err)
	}
	for _, broken := range []string{"", blockStart, blockEnd + blockStart} {
		if _, err := withBlock(broken, "new"); err == nil {
			t.Errorf("%q was accepted", broken)
		}
	}
}

func TestTheDocumentHasRoomForTheReport(t *testing.T) {
	content, err := os.ReadFile(filepath.Join("..", "docs", "performance.md"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := withBlock(string(content), "report"); err != nil {
		t.Error(err)
	}
}

func TestServer(t *testing.T) {
	site, err := serve(t.Context(), "..")
	if err != nil {
		t.Fatal(err)
	}
	defer site.Close()
	for path, kind := range map[string]string{
		"/bench/rows.html": "text/html", "/bench/runtime.html": "text/html", "/bench/rows.js": "text/javascript",
		"/dist/pagewarden.js": "text/javascript", "/dist/pagewarden.wasm": "application/wasm",
		"/empty.wasm": "application/wasm", "/wasm_exec.js": "text/javascript",
	} {
		response, err := http.Get(site.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		response.Body.Close()
		header := response.Header
		if response.StatusCode != http.StatusOK || !strings.HasPrefix(header.Get("Content-Type"), kind) {
			t.Errorf("%s: status %d, type %q; want %q", path, response.StatusCode, header.Get("Content-Type"), kind)
		}
		if header.Get("Cross-Origin-Opener-Policy") != "same-origin" || header.Get("Cross-Origin-Embedder-Policy") != "require-corp" ||
			header.Get("Cache-Control") != "no-store" {
			t.Errorf("%s: headers %v", path, header)
		}
	}
}

func TestAnEmptyCheckoutNamesTheRemedy(t *testing.T) {
	for _, measure := range []func(*report) error{
		func(r *report) error { return r.node(t.Context(), t.TempDir(), settings{}) },
		func(r *report) error { return r.chromium(t.Context(), t.TempDir(), settings{}) },
	} {
		if err := measure(&report{}); err == nil || !strings.Contains(err.Error(), "make build") {
			t.Errorf("without a build: %v; want advice", err)
		}
	}
}

// A short run of everything: each row of the targets and each curve is measured in both engines, or said to be missing.
func TestEverythingIsMeasured(t *testing.T) {
	out := filepath.Join(t.TempDir(), "out.json")
	var stdout, stderr bytes.Buffer
	args := []string{"-rounds", "1", "-ms", "1", "-sizes", "1,3", "-starts", "1", "-json", out}
	if code := run(t.Context(), args, &stdout, &stderr); code != 0 {
		t.Fatalf("exit code %d: %s", code, &stderr)
	}
	content, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	var r report
	if err := json.Unmarshal(content, &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Engines) != 2 || r.Start == nil || !sound(r.Start.ratio()) {
		t.Fatalf("%d engines, start %+v", len(r.Engines), r.Start)
	}
	for _, e := range r.Engines {
		checkEngine(t, e)
	}
	if strings.Contains(stdout.String(), "not measured") {
		t.Errorf("a row of the targets is not in rows.js:\n%s", &stdout)
	}
}

func checkEngine(t *testing.T, e engine) {
	t.Helper()
	if len(e.Rows) != len(targets()) || len(e.Growth) != len(curveNames()) || e.Memory < 1<<20 {
		t.Errorf("%s: %d rows, %d curves, %d bytes of memory", e.Name, len(e.Rows), len(e.Growth), e.Memory)
	}
	for _, r := range e.Rows {
		if r.Missing == "" && !sound(r.units()) {
			t.Errorf("%s: %s took %v u", e.Name, r.ID, r.units())
		}
	}
	for _, c := range e.Growth {
		if curveNames()[c.ID] == "" || len(c.Points) != 2 {
			t.Errorf("%s: curve %q has %d points", e.Name, c.ID, len(c.Points))
		}
		for _, p := range c.Points {
			if p.Missing == "" && !sound(p.units()) {
				t.Errorf("%s: %s with %d took %v u", e.Name, c.ID, p.Size, p.units())
			}
		}
	}
}

func sound(value float64) bool { return value > 0 && !math.IsInf(value, 0) && !math.IsNaN(value) }
