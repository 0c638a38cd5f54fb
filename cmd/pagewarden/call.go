package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pagewarden/pagewarden/browser"
)

const callLong = `Call a tool of a page as an agent does, and print what it gives back.

JSON is the tool's input, one object; - reads it from standard input, and
without it the input is {}. A result in the shape of MCP is printed as its
structured content or its text, anything else as JSON; --json prints every
result as the page gave it. A result that says isError goes to standard error.

A tool that does not answer within --timeout is told to stop. JavaScript dialogs
are dismissed, never accepted. Where the page asks a person to confirm, be that
person: --headed shows the window, and --timeout gives you the time.

Exit codes: 0 the tool answered, 1 the page or the tool said no (no such tool,
an error, a time-out, the page went away), 2 it could not be tried.`

const callExamples = `  pagewarden call http://localhost:8080/ view_devices__table__readRows
  pagewarden call http://localhost:8080/ view_devices__filters__setFilters '{"status":"offline"}'
  echo '{"status":"offline"}' | pagewarden call http://localhost:8080/ view_devices__filters__setFilters -
  pagewarden call --headed --timeout 5m http://localhost:8080/shop.html clear_cart`

// callFlags are the flags of call.
type callFlags struct {
	pageFlags
	frame string
}

func callCommand(s streams) *cobra.Command {
	var f callFlags
	c := &cobra.Command{
		Use:     "call URL NAME [JSON]",
		Short:   "Call a tool of a page as an agent does",
		Long:    callLong,
		Example: callExamples,
		Args:    argsBetween(2, 3),
		RunE: func(c *cobra.Command, args []string) error {
			input, err := readInput(s, args[2:])
			if err != nil {
				return err
			}
			return callTool(c.Context(), s, f, args[0], args[1], input)
		},
	}
	f.register(c)
	c.Flags().StringVar(&f.frame, "frame", "", "the address of the frame whose tool is meant (default: the page, else the only one)")
	c.Flags().BoolVar(&f.headed, "headed", false, "show the browser's window, for a page that asks a person to confirm")
	c.Flags().BoolVar(&f.json, "json", false, "print the result as the page gave it")
	return c
}

// readInput returns the input that the arguments or standard input give.
func readInput(s streams, args []string) (json.RawMessage, error) {
	if len(args) == 0 {
		return browser.CheckInput(nil)
	}
	text := []byte(args[0])
	if args[0] == "-" {
		var err error
		if text, err = io.ReadAll(s.in); err != nil {
			return nil, fmt.Errorf("reading the input from standard input: %w", err)
		}
	}
	return browser.CheckInput(text)
}

func callTool(ctx context.Context, s streams, f callFlags, address, name string, input json.RawMessage) error {
	return f.visit(ctx, s, address, func(page *browser.Page) error {
		tool, err := f.findTool(ctx, page, address, name)
		if err != nil {
			return err
		}
		calling, cancel := context.WithTimeout(ctx, f.timeout)
		defer cancel()
		result, err := page.CallTool(calling, tool, input)
		if err != nil {
			return f.nobodyThere(err)
		}
		return printResult(s, tool, result, f.json)
	})
}

// nobodyThere adds to a call that took too long what may be the reason: a page
// that asks a person to confirm asks nobody in a browser without a window.
func (f *callFlags) nobodyThere(err error) error {
	var late *browser.TimeoutError
	if f.headed || !errors.As(err, &late) {
		return err
	}
	return fmt.Errorf("%w; if the page waits for a person to confirm, be there with --headed --timeout 5m", err)
}

// findTool waits for the tool to appear and picks it.
func (f *callFlags) findTool(ctx context.Context, page *browser.Page, address, name string) (browser.Tool, error) {
	tools, err := f.awaitTool(ctx, page, name)
	if err != nil {
		return browser.Tool{}, err
	}
	if len(tools) == 0 {
		return browser.Tool{}, noTools(page, address, f.waitLimit())
	}
	meant, err := f.inFrame(tools)
	if err != nil {
		return browser.Tool{}, err
	}
	tool, err := browser.Pick(meant, name)
	var several *browser.AmbiguousToolError
	if errors.As(err, &several) {
		err = fmt.Errorf("%w with --frame URL", err)
	}
	return tool, err
}

// awaitTool returns the page's tools once the one that is meant is among them,
// or when the time for that is over. The page's own tool is enough; one of an
// iframe is taken only when the list has come to rest, since the page's own may
// still be on its way.
func (f *callFlags) awaitTool(ctx context.Context, page *browser.Page, name string) ([]browser.Tool, error) {
	waiting, cancel := context.WithTimeout(ctx, f.waitLimit())
	defer cancel()
	var found []browser.Tool
	tools, err := page.WaitForTools(waiting, func(tools []browser.Tool) bool {
		found = slices.DeleteFunc(slices.Clone(tools), func(t browser.Tool) bool {
			return t.Name != name || f.frame != "" && t.Frame.URL != f.frame
		})
		return len(found) > 0
	})
	if err == nil && f.frame == "" && !found[0].Frame.Main {
		return page.SettledTools(waiting, quiet)
	}
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return tools, nil
	}
	return tools, err
}

// inFrame keeps the tools of the frame that was asked for, if one was.
func (f *callFlags) inFrame(tools []browser.Tool) ([]browser.Tool, error) {
	if f.frame == "" {
		return tools, nil
	}
	var meant []browser.Tool
	frames := []string{}
	for _, t := range tools {
		if t.Frame.URL == f.frame {
			meant = append(meant, t)
		}
		if !slices.Contains(frames, t.Frame.URL) {
			frames = append(frames, t.Frame.URL)
		}
	}
	if len(meant) == 0 {
		return nil, fmt.Errorf("no tools in frame %s; there are some in %s", f.frame, strings.Join(frames, ", "))
	}
	return meant, nil
}

// printResult prints a result to stdout, or one that says isError to stderr.
func printResult(s streams, tool browser.Tool, result browser.Result, raw bool) error {
	text := result.Value()
	if raw {
		text = string(result.Raw)
	}
	if result.IsError() {
		fmt.Fprintln(s.err, text)
		return refusal(fmt.Sprintf("tool %q answered with an error", tool.Name))
	}
	if _, err := fmt.Fprintln(s.out, text); err != nil {
		return fmt.Errorf("writing the result: %w", err)
	}
	return nil
}
