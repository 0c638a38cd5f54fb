// Command setup puts onto this machine what the other commands of the repository need and it lacks: a Chromium, a C
// compiler, the Node packages of tools/node, the Chromium builds of tools/chromium. It says what it does and why; what is
// there already is left alone.
//
// Usage:
//
//	go run ./tools/setup [browser] [compiler] [node] [matrix]
//
// Without a name it sets up all four. It installs with apt-get, as root, where there is one; elsewhere it says what
// to install by hand. Exit codes: 0 all there, 1 something is missing and could not be installed, 2 wrong usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("setup", flag.ContinueOnError)
	flags.SetOutput(stderr)
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	root, err := repo.Root(".")
	if err != nil {
		fmt.Fprintln(stderr, "setup:", err)
		return 1
	}
	s := newSetup(realSystem(root), root, stdout)
	needs, err := s.needs(flags.Args())
	if err != nil {
		fmt.Fprintln(stderr, "setup:", err)
		return 2
	}
	if err := s.ensure(ctx, needs); err != nil {
		fmt.Fprintln(stderr, "setup:", err)
		return 1
	}
	return 0
}

// need is one thing that the machine must have.
type need struct {
	name   string
	why    string
	ensure func(context.Context) (have string, err error)
}

// all lists every need, in the order that they are seen to.
func (s *setup) all() []need {
	return []need{
		{"browser", "the demo is played and the end-to-end tests run in a real Chromium", s.browser},
		{"compiler", "Go's race detector links with a C compiler", s.compiler},
		{"node", "the page script's tests run in Node, and TypeScript checks its types", s.node},
		{"matrix", "the WebMCP adapter is tested in every Chromium revision that there is", s.matrix},
	}
}

// needs picks the named needs, or all if no name is given.
func (s *setup) needs(names []string) ([]need, error) {
	all := s.all()
	if len(names) == 0 {
		return all, nil
	}
	var picked []need
	for _, name := range names {
		n, ok := find(all, name)
		if !ok {
			return nil, fmt.Errorf("nothing to set up is called %q; there are %s", name, list(all))
		}
		picked = append(picked, n)
	}
	return picked, nil
}

func find(needs []need, name string) (need, bool) {
	for _, n := range needs {
		if n.name == name {
			return n, true
		}
	}
	return need{}, false
}

func list(needs []need) string {
	var names []string
	for _, n := range needs {
		names = append(names, n.name)
	}
	return strings.Join(names, ", ")
}

// ensure sees to each need and stops at the first that cannot be met.
func (s *setup) ensure(ctx context.Context, needs []need) error {
	for _, n := range needs {
		s.why = n.why
		have, err := n.ensure(ctx)
		if err != nil {
			return fmt.Errorf("%s (needed because %s): %w", n.name, n.why, err)
		}
		fmt.Fprintf(s.out, "setup        %-13s %s\n", n.name, have)
	}
	return nil
}
