// Command mutate shows that the tests bite: it breaks the code in one line, runs a test that is said to hold the
// broken rule, and wants it to fail. The faults are in testdata/mutants. The tree is never touched: each fault is
// compiled in through an overlay.
//
// Usage:
//
//	go run ./tools/mutate [-root DIR] [-only TEXT] [-jobs N]
//
// -only runs the faults whose name or rule holds TEXT. Exit codes: 0 every fault was noticed, 1 one survived or could
// not be tried, 2 wrong usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"

	"github.com/pagewarden/pagewarden/tools/conformance/rulebook"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("mutate", flag.ContinueOnError)
	flags.SetOutput(stderr)
	root := flags.String("root", "", "the checkout to work on (default: the one around the current folder)")
	only := flags.String("only", "", "run only the faults whose name or rule holds this text")
	jobs := flags.Int("jobs", runtime.NumCPU(), "how many faults to try at once")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if err := mutate(ctx, *root, *only, *jobs, stdout); err != nil {
		fmt.Fprintln(stderr, "mutate:", err)
		return 1
	}
	return 0
}

func mutate(ctx context.Context, root, only string, jobs int, stdout io.Writer) error {
	root, err := repo.At(root)
	if err != nil {
		return err
	}
	mutants, err := load(root, only)
	if err != nil {
		return err
	}
	pages, err := rulebook.Load()
	if err != nil {
		return err
	}
	if err := checkAll(root, mutants, pages); err != nil {
		return err
	}
	return tryAll(ctx, root, mutants, jobs, stdout)
}
