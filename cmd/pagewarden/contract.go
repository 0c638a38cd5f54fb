package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/contract/review"
)

const contractLong = `Write, check and inspect a project's contract: the reviewed set of capabilities
that its page may ever expose to agents.

The contract is the file .pagewarden/contract.json beside pagewarden.json, made
from the declarations in the JavaScript and TypeScript that a production build
of the entries contains. No code of the project runs. The nearest
pagewarden.json names the entries: { "entries": ["src/main.ts"] }; --entry takes
their place.

Exit codes: 0 nothing to say against it, 1 there are findings, 2 it could not be
tried.`

const contractExamples = `  pagewarden contract snapshot
  pagewarden contract snapshot --watch
  pagewarden contract check --base origin/main --format md
  pagewarden contract inspect`

func contractCommand(s streams) *cobra.Command {
	c := &cobra.Command{
		Use:     "contract",
		Short:   "Write, check and inspect a project's contract",
		Long:    contractLong,
		Example: contractExamples,
		Args:    cobra.NoArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	c.AddCommand(snapshotCommand(s), checkCommand(s), inspectCommand(s))
	return c
}

// contractFlags are those of the three commands; not each takes all of them.
type contractFlags struct {
	entries, allow            []string
	base                      string
	format, verbosity, policy string
	watch                     bool
}

const snapshotLong = `Write the contract of the sources to .pagewarden/contract.json, and say what
changed. Review the file, commit it, and pin its hash on the page.

A dependency's declarations count only when they are approved: --allow
PACKAGE=SHA256, with the digest that the command asks for. The file keeps it.

With --watch it goes on and writes the contract anew whenever a source changes.
A change of pagewarden.json is seen when it is started again.

Exit codes: 0 written, or it was up to date, 1 a declaration cannot be read or a
dependency is not approved, and nothing was written, 2 it could not be tried.`

const snapshotExamples = `  pagewarden contract snapshot
  pagewarden contract snapshot --watch
  pagewarden contract snapshot --entry src/main.ts --entry src/admin.ts
  pagewarden contract snapshot --allow acme-widgets=2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae`

func snapshotCommand(s streams) *cobra.Command {
	f := contractFlags{policy: string(review.PolicyAll)}
	c := &cobra.Command{
		Use: "snapshot", Short: "Write the contract of the sources", Long: snapshotLong, Example: snapshotExamples,
		Args: argsBetween(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return snapshot(c.Context(), s, f) },
	}
	f.common(c)
	c.Flags().StringArrayVar(&f.allow, "allow", nil, "approve what a dependency declares: `PACKAGE=SHA256`")
	c.Flags().BoolVar(&f.watch, "watch", false, "go on, and write it anew whenever a source changes")
	return c
}

const checkLong = `Compare the sources with the committed contract, and the contract with that of
another revision.

Integrity: the file must say what the sources say, byte for byte. With --base
REF, drift: each change since then is widening (agents may do more, or with
fewer safeguards), narrowing (less, or with more), or neutral (texts, schemas,
tags, moves). --policy chooses which of these are findings; all of them are
without it. --policy none only tells.

Exit codes: 0 no findings, 1 findings, 2 it could not be tried.`

const checkExamples = `  pagewarden contract check
  pagewarden contract check --base origin/main --policy widening
  pagewarden contract check --base origin/main --format md --verbosity detail
  pagewarden contract check --base HEAD~1 --format json | jq '.base.changes[].class'`

func checkCommand(s streams) *cobra.Command {
	f := contractFlags{}
	c := &cobra.Command{
		Use: "check", Short: "Compare the sources with the contract, and the contract with another revision's", Long: checkLong,
		Example: checkExamples, Args: argsBetween(0, 0),
		RunE: func(c *cobra.Command, _ []string) error { return check(c.Context(), s, f) },
	}
	f.common(c)
	c.Flags().StringArrayVar(&f.allow, "allow", nil, "approve what a dependency declares: `PACKAGE=SHA256`")
	c.Flags().StringVar(&f.base, "base", "", "compare with the contract at this `REF` of git too")
	c.Flags().StringVar(&f.policy, "policy", string(review.PolicyAll), "which drift is a finding: "+alternatives(review.Policies()))
	return c
}

const inspectLong = `Show the inventory of the contract: each capability with its kind, its effect,
how far that reaches (low: within the page, medium: as far as the server, high:
beyond what the application can take back), its confirmation level and the
policies that must be present.

It shows the committed contract, or FILE; without one, or with --entry, what a
snapshot would write.

Exit codes: 0 shown, 1 the sources have no contract, 2 it could not be tried.`

const inspectExamples = `  pagewarden contract inspect
  pagewarden contract inspect --verbosity detail
  pagewarden contract inspect --format json | jq '.capabilities[] | select(.reach == "high")'`

func inspectCommand(s streams) *cobra.Command {
	f := contractFlags{policy: string(review.PolicyAll)}
	c := &cobra.Command{
		Use: "inspect [FILE]", Short: "Show the inventory of the contract", Long: inspectLong, Example: inspectExamples,
		Args: argsBetween(0, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return inspect(c.Context(), s, f, strings.Join(args, ""))
		},
	}
	f.common(c)
	return c
}

// common registers what the three commands share.
func (f *contractFlags) common(c *cobra.Command) {
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringArrayVar(&f.entries, "entry", nil, "a script that the page loads, instead of those in pagewarden.json; may be given again (`FILE`)")
	flags.StringVar(&f.format, "format", string(review.Human), "how to write the report: "+alternatives(review.Formats()))
	flags.StringVar(&f.verbosity, "verbosity", string(review.Normal), "how much to write: "+alternatives(review.Verbosities()))
}

func alternatives[T ~string](list []T) string {
	names := []string{}
	for _, name := range list {
		names = append(names, string(name))
	}
	return strings.Join(names, ", ")
}

// valid checks the flags that take one of a few words.
func (f contractFlags) valid() error {
	switch {
	case !slices.Contains(review.Formats(), review.Format(f.format)):
		return fmt.Errorf("--format takes %s; not %q", alternatives(review.Formats()), f.format)
	case !slices.Contains(review.Verbosities(), review.Verbosity(f.verbosity)):
		return fmt.Errorf("--verbosity takes %s; not %q", alternatives(review.Verbosities()), f.verbosity)
	case !slices.Contains(review.Policies(), review.Policy(f.policy)):
		return fmt.Errorf("--policy takes %s; not %q", alternatives(review.Policies()), f.policy)
	}
	_, err := f.allowed()
	return err
}

// allowed are the digests that the command line approves, by package.
func (f contractFlags) allowed() (map[string]string, error) {
	digests := map[string]string{}
	for _, given := range f.allow {
		name, digest, ok := strings.Cut(given, "=")
		if !ok || name == "" || !contract.IsHash(digest) {
			return nil, fmt.Errorf("--allow takes PACKAGE=SHA256, the digest as 64 lower-case hex digits; not %q", given)
		}
		digests[name] = digest
	}
	return digests, nil
}

// finish writes the report, and turns findings into the exit code.
func (f contractFlags) finish(s streams, r *review.Report) error {
	r.Policy = review.Policy(f.policy)
	for _, note := range r.Notes {
		s.note("note: %s", plain(note.String()))
	}
	if err := r.Write(s.out, review.Format(f.format), review.Verbosity(f.verbosity)); err != nil {
		return err
	}
	if r.Findings() > 0 {
		return findings{}
	}
	return nil
}
