// Command build makes dist/, the folder that a page, a worker or an npm user takes: the wasm and its brotli copy, the
// classic script, the module, the type declarations and a package.json. Work that is up to date is skipped.
//
// Usage:
//
//	go run ./tools/build [-faults] [-lines] [-quick] [-root DIR]
//
// With -faults it also makes dist/faults/, whose wasm has the exports that the crash suite provokes. With -lines, Go's
// stack traces name files and lines, which costs a fifth more. Exit codes: 0 done, 1 a step failed, 2 wrong usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/pagewarden/pagewarden/tools/internal/compress"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr, compress.Brotli))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer, compress compressor) int {
	flags := flag.NewFlagSet("build", flag.ContinueOnError)
	flags.SetOutput(stderr)
	root := flags.String("root", "", "the checkout to build (default: the one around the current folder)")
	faults := flags.Bool("faults", false, "also build dist/faults/, with one export a fault")
	lines := flags.Bool("lines", false, "keep the tables that give Go's stack traces their files and lines")
	quick := flags.Bool("quick", false, "leave out the brotli copy, which takes a minute, unless it is cached")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if flags.NArg() > 0 {
		fmt.Fprintf(stderr, "build: unexpected %q; it takes flags only\n", flags.Arg(0))
		return 2
	}
	variants := []variant{shipped()}
	if *faults {
		variants = append(variants, faulty())
	}
	for i := range variants {
		variants[i].quick, variants[i].lines = *quick, *lines
	}
	if err := buildAll(ctx, *root, variants, stdout, compress); err != nil {
		fmt.Fprintln(stderr, "build:", err)
		return 1
	}
	return 0
}

// buildAll makes each wanted variant in turn. A root that is given need not be a checkout of this module, so that the
// tests can build a small stand-in.
func buildAll(ctx context.Context, root string, variants []variant, stdout io.Writer, compress compressor) error {
	root, err := repo.At(root)
	if err != nil {
		return err
	}
	for _, v := range variants {
		if err := newBuilder(root, v, stdout, compress).build(ctx); err != nil {
			return fmt.Errorf("building %s: %w", v.dir, err)
		}
	}
	return nil
}
