package main

import (
	"fmt"
	"strings"
	"text/tabwriter"

	"github.com/pagewarden/pagewarden/tools/internal/units"
)

// target is what one file may weigh when compressed, in bytes; 1 kB is 1,000 and 1 MB is 1,000,000 bytes.
type target struct {
	file string
	most int // the promise; 0 if there is none
	aim  int // what to reach for beyond it; 0 if there is none
}

// targets are the sizes that the project set itself, in the order of the report.
func targets() []target {
	return []target{
		{file: "pagewarden.wasm", most: 1_250_000, aim: 1_100_000},
		{file: "pagewarden.js", most: 14_000},
		{file: "pagewarden.mjs", most: 14_000},
		{file: "pagewarden-dialog.js"},
		{file: "pagewarden-webtools.js"},
		{file: "pagewarden-predict.js"},
		{file: "pagewarden-cursor.js"},
		{file: "pagewarden-inspector.js"},
	}
}

// baseline tells what the figures mean: sizes of programs that contain nothing of this project, measured once with
// Go 1.26.8.
const baseline = `
Compressed with brotli, quality 11, window 24; 1 MB is 1,000,000 bytes. For comparison, wasm programs with nothing
of this project in them (Go 1.26.8, 2026-11-30):

  empty                                            1.80 MB   0.42 MB brotli
  with syscall/js and encoding/json                3.26 MB   0.69 MB brotli
  with jsonschema/v6, sha256, rand, context, time  6.00 MB   1.20 MB brotli
  the same, golang.org/x/text stubbed              5.47 MB   1.09 MB brotli
`

// row is one measured file; sizes are in bytes.
type row struct {
	target
	raw    int
	brotli int
}

// table lays the rows out for a terminal.
func table(rows []row) string {
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 3, ' ', tabwriter.AlignRight)
	fmt.Fprintln(w, "file\traw\tbrotli\tat most\taim\tstanding\t")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%s\t%s\t\n", r.file, size(r.raw), size(r.brotli), size(r.most), size(r.aim), r.standing())
	}
	w.Flush() // writes to memory, which does not fail
	out.WriteString(baseline)
	return out.String()
}

// standing says where the file is between its promise and its aim.
func (r row) standing() string {
	switch {
	case r.most == 0:
		return "no target"
	case r.brotli > r.most:
		return fmt.Sprintf("over by %s (%+.0f %%)", size(r.brotli-r.most), percent(r.brotli, r.most))
	case r.aim == 0:
		return fmt.Sprintf("met, %s to spare", size(r.most-r.brotli))
	case r.brotli > r.aim:
		return fmt.Sprintf("met; over the aim by %s", size(r.brotli-r.aim))
	}
	return "met, the aim too"
}

// percent is how much more a is than b, in percent.
func percent(a, b int) float64 {
	return (float64(a)/float64(b) - 1) * 100
}

// size says bytes as people read them, and a dash for none.
func size(n int) string {
	if n == 0 {
		return "-"
	}
	return units.Bytes(n)
}
