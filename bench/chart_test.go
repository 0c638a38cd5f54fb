package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func drawnText(t *testing.T, now, last report) string {
	t.Helper()
	var out bytes.Buffer
	if err := newChart(now, last).write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestBarsStandBesideTheMostAndTheLastRun(t *testing.T) {
	last := sample()
	last.Engines[0], last.Engines[1] = last.Engines[1], last.Engines[0] // found by its engine, not by its place
	last.Engines[1].Rows = []row{{"invoke", Timing{Rounds: []round{{100, 6.5}}}}}
	c := newChart(sample(), last)
	inNode, inChromium := c.Groups[0].Bars[4], c.Groups[1].Bars[4]
	if want := (bar{Name: "action invoke, no-op handler", Value: "0.130", Most: "0.130", Width: 100 / drawn, Last: "0.065", LastWidth: 50 / drawn}); inNode != want {
		t.Errorf("in Node %+v; want %+v", inNode, want)
	}
	if want := (bar{Name: "action invoke, no-op handler", Value: "0.440", Most: "0.220", Width: 100, Over: true, Last: "0.440", LastWidth: 100}); inChromium != want {
		t.Errorf("in Chromium %+v; want %+v", inChromium, want)
	}
	if missing := c.Groups[0].Bars[3]; missing.Missing != "not built yet" || missing.Width != 0 {
		t.Errorf("a row that is not there is %+v", missing)
	}
	if memory := c.Groups[1].Bars[len(targets())]; memory.Value != "17.0" || memory.Most != "16.0" || !memory.Over || memory.Last != "17.0" {
		t.Errorf("the memory is %+v", memory)
	}
	if start := c.Groups[2].Bars[0]; start.Value != "2.50" || start.Most != "3.50" || start.Over || start.Last != "2.50" {
		t.Errorf("the start is %+v", start)
	}
}

func TestChartWithoutALastRun(t *testing.T) {
	if text := drawnText(t, sample(), report{}); strings.Contains(text, "last 0") || !strings.Contains(text, "<b>0.130</b> of 0.130") {
		t.Errorf("the chart is\n%s", text)
	}
}

func TestCurvesAreLogarithmic(t *testing.T) {
	e := engine{Name: "Node", Growth: []curve{
		{"reconcile", []point{{10, timing(10)}, {100, timing(100)}, {1000, timing(1000)}}},
		{"tools", []point{{10, timing(10)}, {100, Timing{Missing: "not built"}}, {1000, timing(1000)}}},
		{"snapshot", []point{{10, Timing{Missing: "not built"}}}},
	}}
	c := newCurves(e)
	if want := "70.0,344.0 270.0,180.0 470.0,16.0"; len(c.Lines) != 2 || c.Lines[0].Points != want || c.Lines[1].Points != "70.0,344.0 470.0,16.0" {
		t.Errorf("the lines are %+v; want the first at %s", c.Lines, want)
	}
	if c.Lines[0].At != 16 || c.Lines[1].At != 16+nameHeight {
		t.Errorf("the names stand at %v and %v: over each other", c.Lines[0].At, c.Lines[1].At)
	}
	if len(c.Sizes) != 3 || c.Sizes[1] != (tick{"100", 270}) || len(c.Levels) != 3 || c.Levels[2] != (tick{"1000 µs", 16}) {
		t.Errorf("the axes are %v and %v", c.Sizes, c.Levels)
	}
}

func timing(µs float64) Timing { return Timing{Rounds: []round{{100, µs}}} }

func TestWhatLaterRunsAreComparedWith(t *testing.T) {
	path := filepath.Join(t.TempDir(), "last.json")
	if err := writeJSON(path, sample().medians()); err != nil {
		t.Fatal(err)
	}
	last, err := readRun(path)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := newChart(sample(), last), newChart(sample(), sample()); len(got.Groups) != len(want.Groups) {
		t.Errorf("%d groups; want %d", len(got.Groups), len(want.Groups))
	} else {
		for i := range got.Groups {
			for k, b := range got.Groups[i].Bars {
				if b != want.Groups[i].Bars[k] {
					t.Errorf("compared with its medians a bar is %+v; with all %+v", b, want.Groups[i].Bars[k])
				}
			}
		}
	}
}

func TestReadRun(t *testing.T) {
	dir := t.TempDir()
	if r, err := readRun(filepath.Join(dir, "nothing")); err != nil || len(r.Engines) > 0 {
		t.Errorf("without a last run: %+v, %v", r, err)
	}
	broken := filepath.Join(dir, "broken")
	if err := os.WriteFile(broken, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := readRun(broken); err == nil || !strings.Contains(err.Error(), "reading the last run") {
		t.Errorf("a broken one: %v", err)
	}
}

func TestDrawSaysWhereTheChartIs(t *testing.T) {
	root := t.TempDir()
	var out bytes.Buffer
	if err := draw(root, sample(), &out); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(root, ".cache", "bench", "index.html")
	if content, err := os.ReadFile(path); err != nil || !strings.Contains(out.String(), path) || !bytes.Contains(content, []byte("<polyline")) {
		t.Errorf("%q, %v:\n%s", &out, err, content)
	}
}
