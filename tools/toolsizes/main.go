// Command toolsizes prints how much of a model's context the tools of an application take, in direct and in meta mode,
// for applications of three sizes. A test in this package fails when docs/toolset.md says something else.
//
// Usage:
//
//	go run ./tools/toolsizes [-write] [-root DIR]
//
// With -write the table takes the place of the one in docs/toolset.md. Exit codes: 0 printed, 1 the document could not
// be written, 2 wrong usage.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

const document = "docs/toolset.md"

// The lines around the table in the document.
const (
	blockStart = "<!-- toolsizes: written by go run ./tools/toolsizes -write -->\n"
	blockEnd   = "<!-- /toolsizes -->\n"
)

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("toolsizes", flag.ContinueOnError)
	flags.SetOutput(stderr)
	write := flags.Bool("write", false, "put the table into "+document)
	root := flags.String("root", "", "the checkout to work on (default: the one around the current folder)")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if err := report(*root, *write, stdout); err != nil {
		fmt.Fprintln(stderr, "toolsizes:", err)
		return 1
	}
	return 0
}

func report(root string, write bool, stdout io.Writer) error {
	text, err := table()
	if err != nil {
		return err
	}
	if _, err := io.WriteString(stdout, text); err != nil || !write {
		return err
	}
	if root, err = repo.At(root); err != nil {
		return err
	}
	path := filepath.Join(root, document)
	content, err := os.ReadFile(path)
	if err != nil {
		return fmt.Errorf("reading the document: %w", err)
	}
	replaced, err := withBlock(string(content), text)
	if err != nil {
		return fmt.Errorf("writing %s: %w", document, err)
	}
	_, err = repo.Write(path, []byte(replaced))
	return err
}

// withBlock is a document with the table in place of the one that it has.
func withBlock(document, table string) (string, error) {
	before, rest, found := strings.Cut(document, blockStart)
	_, after, ended := strings.Cut(rest, blockEnd)
	if !found || !ended {
		return "", fmt.Errorf("it lacks the lines %q and %q", strings.TrimSpace(blockStart), strings.TrimSpace(blockEnd))
	}
	return before + blockStart + "\n" + table + "\n" + blockEnd + after, nil
}
