// Command conformance writes docs/conformance.md, every normative rule under a short id with the tests that hold it, and
// docs/errors.md, the table of error codes. The rules are in rulebook/rules.txt. A test in this package fails if a rule
// has no test, a named test does not exist, or the documents are not what the rules and the vocabulary say.
//
// Usage:
//
//	go run ./tools/conformance [-root DIR]
//
// Exit codes: 0 written or unchanged, 1 a rule is wrong, 2 wrong usage.
package main

import (
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/pagewarden/pagewarden/tools/conformance/rulebook"
	"github.com/pagewarden/pagewarden/tools/internal/repo"
)

const document = "docs/conformance.md"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}

func run(args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("conformance", flag.ContinueOnError)
	flags.SetOutput(stderr)
	root := flags.String("root", "", "the checkout to work on (default: the one around the current folder)")
	if err := flags.Parse(args); errors.Is(err, flag.ErrHelp) {
		return 0
	} else if err != nil {
		return 2
	}
	if err := write(*root, stdout); err != nil {
		fmt.Fprintln(stderr, "conformance:", err)
		return 1
	}
	return 0
}

func write(root string, stdout io.Writer) error {
	root, err := repo.At(root)
	if err != nil {
		return err
	}
	pages, err := rulebook.Load()
	if err != nil {
		return err
	}
	if err := check(root, pages); err != nil {
		return err
	}
	for _, d := range []struct{ name, text string }{{document, render(pages)}, {errorDocument, renderErrors()}} {
		changed, err := repo.Write(filepath.Join(root, d.name), []byte(d.text))
		if err != nil {
			return err
		}
		if changed {
			fmt.Fprintln(stdout, "written:", d.name)
		}
	}
	return nil
}
