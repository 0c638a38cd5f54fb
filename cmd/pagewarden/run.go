package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"
)

const overview = `pagewarden looks at web pages through the eyes of an agent.

It drives a real Chromium with WebMCP on. It takes the first Chromium or Chrome
that it finds; --browser PATH or $PAGEWARDEN_BROWSER chooses another. Any from
147 on will do, and pages with a polyfill work too: how tools are listed and
called is chosen by what is there.

Exit codes:
  0  done
  1  the page or the tool said no: no tools, no such tool, the tool failed,
     answered with an error, ran out of time, or its page went away; or doctor
     found problems
  2  it could not be tried: no browser, no WebMCP, page not reachable,
     wrong arguments; or it was interrupted, except where it runs until then
     (serve, mcp, contract snapshot --watch)

contract needs no browser: it makes and checks the file that says what a page
may expose.`

const overviewExamples = `  pagewarden serve --addr 127.0.0.1:8080
  pagewarden tools http://localhost:8080/
  pagewarden call http://localhost:8080/ view_devices__filters__setFilters '{"status":"offline"}'
  pagewarden doctor http://localhost:8080/
  pagewarden mcp http://localhost:8080/
  pagewarden contract check --base origin/main`

// streams are the standard streams of a run.
type streams struct {
	in       io.Reader
	out, err io.Writer
}

// note tells the person at the terminal something that is not the result.
func (s streams) note(format string, args ...any) {
	fmt.Fprintf(s.err, "pagewarden: "+format+"\n", args...)
}

// run executes one command line and returns its exit code. Results go to
// stdout, everything else to stderr. When ctx ends, the command winds up.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	s := streams{in: stdin, out: stdout, err: stderr}
	root := rootCommand(s)
	root.SetArgs(args)
	if err := root.ExecuteContext(ctx); err != nil {
		if !errors.Is(err, findings{}) {
			s.note("%s", plain(err.Error()))
		}
		return exitCode(err)
	}
	return codeDone
}

func rootCommand(s streams) *cobra.Command {
	root := &cobra.Command{
		Use:           "pagewarden",
		Short:         "Look at web pages through the eyes of an agent",
		Long:          overview,
		Example:       overviewExamples,
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          cobra.NoArgs,
		RunE:          func(c *cobra.Command, _ []string) error { return c.Help() },
	}
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetIn(s.in)
	root.SetOut(s.out)
	root.SetErr(s.err)
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return fmt.Errorf("%w; see %s --help", err, c.CommandPath())
	})
	root.AddCommand(serveCommand(s), toolsCommand(s), callCommand(s), doctorCommand(s), mcpCommand(s), contractCommand(s))
	return root
}

// argsBetween demands least to most arguments and says how the command is used otherwise.
func argsBetween(least, most int) cobra.PositionalArgs {
	return func(c *cobra.Command, args []string) error {
		if len(args) < least || len(args) > most {
			return fmt.Errorf("wrong number of arguments: %d; usage: %s", len(args), c.UseLine())
		}
		return nil
	}
}
