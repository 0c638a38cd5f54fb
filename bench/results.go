package main

import "slices"

// report is everything that a run has measured.
type report struct {
	Engines []engine `json:"engines"`
	Start   *start   `json:"start,omitempty"`
}

// engine is what was measured in one of them.
type engine struct {
	Name   string  `json:"engine"`
	Memory int64   `json:"memory"` // of the wasm with 100 components, in bytes
	Rows   []row   `json:"rows"`
	Growth []curve `json:"growth,omitempty"`
}

// row is one operation of the targets.
type row struct {
	ID     string `json:"id"`
	Timing        // of one run
}

// curve is one operation while the surface grows.
type curve struct {
	ID     string  `json:"id"`
	Points []point `json:"points"`
}

type point struct {
	Size   int `json:"size"` // components
	Timing     // of one run
}

// Timing is an operation's rounds, or why there are none.
type Timing struct {
	Rounds  []round `json:"rounds,omitempty"`
	Missing string  `json:"missing,omitempty"`
}

// round is the mean time of one run in a round, and the unit around it, both in microseconds.
type round struct {
	U            float64 `json:"u"`
	Microseconds float64 `json:"microseconds"`
}

// start is how long pages took from navigation to the end of the start, in milliseconds, in the order of the loads. The
// two were loaded in turn.
type start struct {
	Runtime []float64 `json:"runtime"`
	Empty   []float64 `json:"empty"` // an empty Go program, with Go's own loader
}

// microseconds is the median of the rounds.
func (t Timing) microseconds() float64 {
	return median(t.each(func(r round) float64 { return r.Microseconds }))
}

// units is the median of the rounds in u, each in the u that was measured around it.
func (t Timing) units() float64 {
	return median(t.each(func(r round) float64 { return r.Microseconds / r.U }))
}

func (t Timing) each(of func(round) float64) []float64 {
	var values []float64
	for _, r := range t.Rounds {
		values = append(values, of(r))
	}
	return values
}

// unit is the median of u, in microseconds.
func (e engine) unit() float64 {
	var all []float64
	for _, r := range e.Rows {
		all = append(all, r.each(func(r round) float64 { return r.U })...)
	}
	return median(all)
}

// ratio is how many times the empty program's start ours takes: the median of the pairs that were loaded one after the
// other, which a machine that is busy for a while disturbs less than the ratio of medians.
func (s start) ratio() float64 {
	var ratios []float64
	for i := range min(len(s.Runtime), len(s.Empty)) {
		ratios = append(ratios, s.Runtime[i]/s.Empty[i])
	}
	return median(ratios)
}

// medians is the report with one round, and one start, in place of all. It is what later runs are compared with.
func (r report) medians() report {
	var short report
	for _, e := range r.Engines {
		rows := make([]row, len(e.Rows))
		for i, r := range e.Rows {
			rows[i] = row{r.ID, r.median()}
		}
		short.Engines = append(short.Engines, engine{Name: e.Name, Memory: e.Memory, Rows: rows})
	}
	if r.Start != nil {
		short.Start = &start{Runtime: []float64{r.Start.ratio()}, Empty: []float64{1}}
	}
	return short
}

// median is the rounds as one, in whose u it takes as many as the median.
func (t Timing) median() Timing {
	if t.Missing != "" {
		return t
	}
	return Timing{Rounds: []round{{U: t.microseconds() / t.units(), Microseconds: t.microseconds()}}}
}

// median is the middle of the values, the upper one of two; 0 without any.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	return slices.Sorted(slices.Values(values))[len(values)/2]
}
