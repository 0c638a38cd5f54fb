// Command suite runs the repository's checks, one step after the other, and closes with one line that counts them. A
// failed step does not stop the others, so that one run shows everything that is wrong.
//
// Usage:
//
//	go run ./tools/suite [-list] MODE|STEP...
//
// The modes are test (everything that CI runs), check (what is quick) and lint (what needs no running); -list prints
// them with their steps, each of which can be run by its name too. The build must be in dist/ already. Exit codes: 0 all
// passed, 1 something failed, 2 wrong usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("suite", flag.ContinueOnError)
	flags.SetOutput(stderr)
	list := flags.Bool("list", false, "print the modes and their steps")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if *list {
		printModes(stdout)
		return 0
	}
	steps, err := pick(flags.Args())
	if err != nil {
		fmt.Fprintln(stderr, "suite:", err)
		return 2
	}
	root, err := repo.Root(".")
	if err != nil {
		fmt.Fprintln(stderr, "suite:", err)
		return 1
	}
	if !runSteps(ctx, &suite{root: root, out: &shared{to: stdout}}, steps) {
		return 1
	}
	return 0
}

func printModes(stdout io.Writer) {
	for _, m := range modes() {
		fmt.Fprintf(stdout, "%s: %s\n", m.name, m.what)
		for _, name := range m.steps {
			fmt.Fprintf(stdout, "  %-14s %s\n", name, stepNamed(name).what)
		}
	}
}
