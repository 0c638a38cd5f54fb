package main

import (
	_ "embed" // for chart.html
	"fmt"
	"html/template"
	"io"
	"math"
	"strings"
)

//go:embed chart.html
var chartText string

// chart is a report for a reader with a browser: how each value stands to the most that it should be, and to the run
// that was committed last.
type chart struct {
	Groups []group
	Curves []curves
	Text   string // the report for a terminal
}

// group is the bars of one engine, or of what is no engine's.
type group struct {
	Name string
	Bars []bar
}

// bar is one value. Its widths are in percent of the widest that is drawn.
type bar struct {
	Name, Value, Most string
	Width             float64
	Over              bool
	Last              string  // the value of the last run; empty without one
	LastWidth         float64 // of the last run
	Missing           string  // why there is no value
}

// drawn is how many times the most a value should be still fits; longer bars are cut off there.
const drawn = 1.5

// MostAt is where the most that a value should be is drawn, in percent.
func (chart) MostAt() float64 { return 100 / drawn }

func share(value, most float64) float64 { return 100 / drawn * min(value/most, drawn) }

// newChart compares a run with the last one, which may be empty.
func newChart(now, last report) chart {
	c := chart{Text: now.text()}
	for _, e := range now.Engines {
		c.Groups = append(c.Groups, group{fmt.Sprintf("%s, in u of %.0f µs", e.Name, e.unit()), e.bars(last.of(e))})
		if len(e.Growth) > 0 {
			c.Curves = append(c.Curves, newCurves(e))
		}
	}
	if now.Start != nil {
		ratio := bar{Name: "start of a page, as a multiple of an empty Go program's"}
		ratio.set(now.Start.ratio(), startMost)
		if last.Start != nil {
			ratio.compare(last.Start.ratio(), startMost)
		}
		c.Groups = append(c.Groups, group{"Start", []bar{ratio}})
	}
	return c
}

// of is what was measured in the same engine, whatever its version.
func (r report) of(e engine) engine {
	for _, other := range r.Engines {
		if other.isChromium() == e.isChromium() {
			return other
		}
	}
	return engine{}
}

func (e engine) bars(before engine) []bar {
	var bars []bar
	for _, t := range targets() {
		b, most := bar{Name: t.name}, e.limits(t).most
		if timing := e.row(t.id); timing.Missing != "" {
			b.Missing = timing.Missing
		} else {
			b.set(timing.units(), most)
		}
		if timing := before.row(t.id); timing.Missing == "" {
			b.compare(timing.units(), most)
		}
		bars = append(bars, b)
	}
	memory := bar{Name: "memory of the wasm with 100 components, MB"}
	memory.set(float64(e.Memory)/1e6, memoryMost/1e6)
	if before.Memory > 0 {
		memory.compare(float64(before.Memory)/1e6, memoryMost/1e6)
	}
	return append(bars, memory)
}

func (b *bar) set(value, most float64) {
	b.Value, b.Most, b.Width, b.Over = number(value), number(most), share(value, most), value > most
}

func (b *bar) compare(value, most float64) { b.Last, b.LastWidth = number(value), share(value, most) }

// The picture of the curves: its size and where its axes are, in pixels.
const (
	picWidth, picHeight   = 720, 380
	picLeft, picRight     = 70, 250 // the names of the curves stand at the right
	picTop, picBottom     = 16, 36
	plotWidth, plotHeight = picWidth - picLeft - picRight, picHeight - picTop - picBottom
)

// curves is how one engine's operations grow, on logarithmic axes.
type curves struct {
	Name   string
	Lines  []polyline
	Sizes  []tick // along the bottom
	Levels []tick // along the left
}

type polyline struct {
	Name   string
	Points string // as SVG has them
	X, Y   float64
	At     float64 // where its name stands
}

type tick struct {
	Text string
	At   float64
}

// scale places a value on a logarithmic axis.
type scale struct{ low, high float64 }

func (s *scale) include(value float64) {
	if value <= 0 {
		return
	}
	if s.low == 0 {
		s.low, s.high = value, value
	}
	s.low, s.high = min(s.low, value), max(s.high, value)
}

// place is how far along the axis a value is, from 0 to 1.
func (s scale) place(value float64) float64 {
	if s.high == s.low {
		return 0.5
	}
	return math.Log(value/s.low) / math.Log(s.high/s.low)
}

func newCurves(e engine) curves {
	var sizes, times scale
	each(e.Growth, func(p point) {
		sizes.include(float64(p.Size))
		times.include(p.microseconds())
	})
	x := func(size int) float64 { return picLeft + sizes.place(float64(size))*plotWidth }
	y := func(µs float64) float64 { return picTop + (1-times.place(µs))*plotHeight }
	c := curves{Name: e.Name}
	for _, p := range e.Growth[0].Points {
		c.Sizes = append(c.Sizes, tick{fmt.Sprint(p.Size), x(p.Size)})
	}
	for level := math.Pow(10, math.Ceil(math.Log10(times.low))); level <= times.high; level *= 10 {
		c.Levels = append(c.Levels, tick{number(level) + " µs", y(level)})
	}
	for _, grown := range e.Growth {
		l := polyline{Name: curveNames()[grown.ID]}
		each([]curve{grown}, func(p point) {
			l.X, l.Y = x(p.Size), y(p.microseconds())
			l.Points += fmt.Sprintf("%.1f,%.1f ", l.X, l.Y)
		})
		if l.Points = strings.TrimSpace(l.Points); l.Points != "" {
			c.Lines = append(c.Lines, l)
		}
	}
	spread(c.Lines)
	return c
}

// each visits the points that were measured.
func each(all []curve, visit func(point)) {
	for _, c := range all {
		for _, p := range c.Points {
			if p.Missing == "" {
				visit(p)
			}
		}
	}
}

// write draws the chart.
func (c chart) write(w io.Writer) error {
	page, err := template.New("chart").Parse(chartText)
	if err != nil {
		return fmt.Errorf("reading the form of the chart: %w", err)
	}
	return page.Execute(w, c)
}
