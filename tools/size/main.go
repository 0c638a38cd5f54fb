// Command size prints how large the build is, beside the sizes that the project set itself, and says of each whether
// it is met. It reports and never judges: being over a target is no failure.
//
// Usage:
//
//	go run ./tools/size [-packages] [-root DIR]
//
// With -packages it prints instead what the wasm consists of, and how much code each package has in it. Exit codes: 0
// reported, 1 there is no build to measure, 2 wrong usage.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"

	"github.com/pagewarden/pagewarden/tools/internal/compress"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("size", flag.ContinueOnError)
	flags.SetOutput(stderr)
	packages := flags.Bool("packages", false, "print how much code each package has in the wasm")
	root := flags.String("root", "", "the checkout to measure (default: the one around the current folder)")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if err := report(ctx, *root, *packages, stdout); err != nil {
		fmt.Fprintln(stderr, "size:", err)
		return 1
	}
	return 0
}

func report(ctx context.Context, root string, packages bool, stdout io.Writer) error {
	root, err := repo.At(root)
	if err != nil {
		return err
	}
	if packages {
		return reportParts(ctx, root, stdout)
	}
	rows, err := measure(filepath.Join(root, repo.DistDir))
	if err != nil {
		return err
	}
	_, err = io.WriteString(stdout, table(rows))
	return err
}

// measure reads every file of the targets. A script is compressed here, since no compressed copy of it is shipped.
func measure(dist string) ([]row, error) {
	var rows []row
	for _, t := range targets() {
		raw, err := os.ReadFile(filepath.Join(dist, t.file))
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("measuring %s: it is not built; run `make build` first", t.file)
		}
		if err != nil {
			return nil, fmt.Errorf("measuring %s: %w", t.file, err)
		}
		small, err := compressed(filepath.Join(dist, t.file+".br"), raw)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row{target: t, raw: len(raw), brotli: small})
	}
	return rows, nil
}

// compressed returns the length of the compressed copy at path, or of one made now.
func compressed(path string, raw []byte) (int, error) {
	if info, err := os.Stat(path); err == nil {
		return int(info.Size()), nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return 0, fmt.Errorf("measuring %s: %w", path, err)
	}
	small, err := compress.Brotli(raw)
	return len(small), err
}
