// Command bench measures the built runtime in Node and in Chromium beside the project's targets: the operations of
// rows.js, how they grow with a surface, the start-up in a page, and the memory of the wasm. It reports and never
// judges: being over a target is no failure.
//
// Usage:
//
//	go run ./bench [-engine NAME] [-json FILE] [-write] [-rounds N] [-ms N] [-sizes N,N...] [-starts N]
//
// The build must be in dist/ already. The report is also drawn, beside the last one that was committed. With -json
// everything measured is also written to a file; with -write the report takes the place of the one in
// docs/performance.md and becomes the last. Exit codes: 0 reported, 1 something could not be measured, 2 wrong
// usage.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// settings is what a run is asked to do.
type settings struct {
	engine string // "node" or "chromium"; empty for both
	plan   plan
	starts int // how often each of the two pages is loaded
	json   string
	write  bool
}

// plan is what the measuring script is told.
type plan struct {
	Rounds       int   `json:"rounds"`
	Milliseconds int   `json:"milliseconds"` // what a round should take
	Sizes        []int `json:"sizes"`        // components of a surface, for growth
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	s, err := parse(args, stderr)
	if errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if err := bench(ctx, s, stdout); err != nil {
		fmt.Fprintln(stderr, "bench:", err)
		return 1
	}
	return 0
}

func parse(args []string, stderr io.Writer) (settings, error) {
	var s settings
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.StringVar(&s.engine, "engine", "", "measure in `NAME` only: node or chromium")
	flags.StringVar(&s.json, "json", "", "write what was measured to `FILE`")
	flags.BoolVar(&s.write, "write", false, "put the report into docs/performance.md, for later ones to be compared with")
	flags.IntVar(&s.plan.Rounds, "rounds", 5, "rounds of each operation")
	flags.IntVar(&s.plan.Milliseconds, "ms", 100, "what a round should take, in milliseconds")
	flags.IntVar(&s.starts, "starts", 31, "how often each page is loaded for the start-up")
	sizes := flags.String("sizes", "10,100,1000,10000", "components of a surface, for growth")
	if err := flags.Parse(args); err != nil {
		return s, err
	}
	for text := range strings.SplitSeq(*sizes, ",") {
		size, err := strconv.Atoi(text)
		if err != nil || size < 1 {
			return s, misused(stderr, "-sizes takes numbers, such as 10,100; not %q", text)
		}
		s.plan.Sizes = append(s.plan.Sizes, size)
	}
	switch {
	case flags.NArg() > 0:
		return s, misused(stderr, "unexpected %q; it takes flags only", flags.Arg(0))
	case s.engine != "" && s.engine != "node" && s.engine != "chromium":
		return s, misused(stderr, "-engine takes node or chromium; not %q", s.engine)
	case s.write && s.engine != "":
		return s, misused(stderr, "-write needs both engines; leave -engine out")
	case min(s.plan.Rounds, s.plan.Milliseconds, s.starts) < 1:
		return s, misused(stderr, "-rounds, -ms and -starts must be at least 1")
	}
	return s, nil
}

func misused(stderr io.Writer, format string, args ...any) error {
	err := fmt.Errorf(format, args...)
	fmt.Fprintln(stderr, "bench:", err)
	return err
}

func bench(ctx context.Context, s settings, stdout io.Writer) error {
	root, err := checkout(ctx)
	if err != nil {
		return err
	}
	var r report
	if s.engine != "chromium" {
		fmt.Fprintln(stdout, "measuring in Node…")
		if err := r.node(ctx, root, s); err != nil {
			return fmt.Errorf("measuring in Node: %w", err)
		}
	}
	if s.engine != "node" {
		fmt.Fprintln(stdout, "measuring in Chromium…")
		if err := r.chromium(ctx, root, s); err != nil {
			return fmt.Errorf("measuring in Chromium: %w", err)
		}
	}
	text := r.text()
	fmt.Fprint(stdout, "\n", text)
	if s.json != "" {
		if err := writeJSON(s.json, r); err != nil {
			return err
		}
	}
	if err := draw(root, r, stdout); err != nil {
		return err
	}
	if !s.write {
		return nil
	}
	if err := writeJSON(filepath.Join(root, lastRun), r.medians()); err != nil {
		return err
	}
	return writeInto(filepath.Join(root, "docs", "performance.md"), text)
}

// checkout is the folder of the module around the current folder.
func checkout(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("looking for the checkout: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}

func writeJSON(path string, r report) error {
	content, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("writing %s: %w", path, err)
	}
	return os.WriteFile(path, append(content, '\n'), 0o644)
}
