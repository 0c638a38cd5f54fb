package main

import (
	"fmt"
	"strings"
	"text/tabwriter"
)

// text is the report for a terminal.
func (r report) text() string {
	var out strings.Builder
	for _, e := range r.Engines {
		e.writeRows(&out)
	}
	for _, e := range r.Engines {
		e.writeGrowth(&out)
	}
	if r.Start != nil {
		r.Start.write(&out)
	}
	for _, e := range r.Engines {
		fmt.Fprintf(&out, "wasm memory with 100 components, %s: %.1f MB of at most %.0f MB, %s\n",
			e.Name, float64(e.Memory)/1e6, float64(memoryMost)/1e6, standing(float64(e.Memory), memoryMost))
	}
	return out.String()
}

func table(out *strings.Builder, write func(w *tabwriter.Writer)) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	write(w)
	w.Flush() // writes to memory, which does not fail
	out.WriteByte('\n')
}

// name fills the first column to the left, while the others are filled to the right.
func name(text string) string { return fmt.Sprintf("%-39s", text) }

func (e engine) writeRows(out *strings.Builder) {
	fmt.Fprintf(out, "%s: u = %.0f µs; medians of %d rounds, u measured around each\n\n", e.Name, e.unit(), e.rounds())
	table(out, func(w *tabwriter.Writer) {
		fmt.Fprintln(w, name("operation")+"\tµs\tours, u\ttheirs, u\tat most, u\tverdict\t")
		for _, t := range targets() {
			limits := e.limits(t)
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t\n", name(t.name), e.cells(t.id), number(limits.theirs), number(limits.most), e.verdict(t.id, limits.most))
		}
	})
}

// limits are the bounds of a target for this engine.
func (e engine) limits(t target) bounds {
	if e.isChromium() {
		return t.chromium
	}
	return t.node
}

func (e engine) isChromium() bool { return strings.HasPrefix(e.Name, "Chrom") }

func (e engine) rounds() int {
	most := 0
	for _, r := range e.Rows {
		most = max(most, len(r.Rounds))
	}
	return most
}

func (e engine) row(id string) Timing {
	for _, r := range e.Rows {
		if r.ID == id {
			return r.Timing
		}
	}
	return Timing{Missing: "not measured"}
}

func (e engine) cells(id string) string {
	t := e.row(id)
	if t.Missing != "" {
		return "-\t-"
	}
	return number(t.microseconds()) + "\t" + number(t.units())
}

func (e engine) verdict(id string, most float64) string {
	t := e.row(id)
	if t.Missing != "" {
		return t.Missing
	}
	return standing(t.units(), most)
}

// standing says how a value stands to the most that it should be.
func standing(value, most float64) string {
	if value <= most {
		return "met"
	}
	return "over, ×" + number(value/most)
}

// number says a value with three digits.
func number(value float64) string {
	switch {
	case value >= 100:
		return fmt.Sprintf("%.0f", value)
	case value >= 10:
		return fmt.Sprintf("%.1f", value)
	case value >= 1:
		return fmt.Sprintf("%.2f", value)
	}
	return fmt.Sprintf("%.3f", value)
}

// writeGrowth prints what one run takes at each size, and how many times the one before that is.
func (e engine) writeGrowth(out *strings.Builder) {
	if len(e.Growth) == 0 {
		return
	}
	fmt.Fprintf(out, "%s: µs of one run with so many components, and the factor from one size to the next\n\n", e.Name)
	table(out, func(w *tabwriter.Writer) {
		fmt.Fprint(w, name("operation")+"\t")
		for _, p := range e.Growth[0].Points {
			fmt.Fprintf(w, "%d\t", p.Size)
		}
		fmt.Fprintln(w)
		for _, c := range e.Growth {
			fmt.Fprintf(w, "%s\t%s\n", name(curveNames()[c.ID]), c.cells())
		}
	})
}

func (c curve) cells() string {
	var cells strings.Builder
	before := 0.0
	for _, p := range c.Points {
		switch now := p.microseconds(); {
		case p.Missing != "":
			cells.WriteString(p.Missing)
		case before > 0:
			fmt.Fprintf(&cells, "%s (×%.1f)", number(now), p.units()/before)
		default:
			cells.WriteString(number(now))
		}
		before = p.units()
		cells.WriteByte('\t')
	}
	return cells.String()
}

func (s start) write(out *strings.Builder) {
	verdict := standing(s.ratio(), startMost)
	switch {
	case s.ratio() <= startAim:
		verdict += ", the aim too"
	case s.ratio() <= startMost:
		verdict += "; over the aim"
	}
	fmt.Fprintf(out, "start-up in Chromium, page load to ready, medians of %d loads in turn: %.0f ms, an empty Go program's %.0f ms: ×%.2f of at most ×%.1f (aim ×%.0f), %s\n",
		len(s.Runtime), median(s.Runtime), median(s.Empty), s.ratio(), startMost, startAim, verdict)
}
