package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode"

	"github.com/spf13/cobra"

	"github.com/pagewarden/pagewarden/browser"
)

// quiet is how long a list must stay the same to count as complete.
const quiet = 300 * time.Millisecond

const toolsLong = `List the tools that a page offers to an agent.

The table has the name, the page's hints (read-only, consequential,
untrusted-content) and the beginning of the description. --json prints an array
with all that an agent gets: name, title, description, inputSchema, annotations
and frame. The order is always the same: the page itself, then its frames, by
name.

Exit codes: 0 there are tools, 1 there are none, 2 it could not be tried.`

const toolsExamples = `  pagewarden tools http://localhost:8080/
  pagewarden tools --json http://localhost:8080/ | jq '.[].name'
  pagewarden tools --wait --timeout 60s http://localhost:8080/`

func toolsCommand(s streams) *cobra.Command {
	var f pageFlags
	c := &cobra.Command{
		Use:     "tools URL",
		Short:   "List the tools that a page offers to an agent",
		Long:    toolsLong,
		Example: toolsExamples,
		Args:    argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return listTools(c.Context(), s, f, args[0])
		},
	}
	f.register(c)
	c.Flags().BoolVar(&f.json, "json", false, "print a JSON array")
	return c
}

func listTools(ctx context.Context, s streams, f pageFlags, address string) error {
	return f.visit(ctx, s, address, func(page *browser.Page) error {
		settling, cancel := context.WithTimeout(ctx, f.waitLimit())
		defer cancel()
		tools, err := page.SettledTools(settling, quiet)
		if err != nil {
			return err
		}
		if err := printTools(s.out, tools, f.json); err != nil {
			return fmt.Errorf("writing the list: %w", err)
		}
		if len(tools) == 0 {
			return noTools(page, address, f.waitLimit())
		}
		return nil
	})
}

// printTools prints a JSON array, or a table, which is nothing without tools.
func printTools(w io.Writer, tools []browser.Tool, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(tools)
	}
	if len(tools) == 0 {
		return nil
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tHINTS\tDESCRIPTION")
	for _, t := range tools {
		fmt.Fprintf(table, "%s\t%s\t%s\n", plain(t.Name), hints(t), description(t))
	}
	return table.Flush()
}

func hints(t browser.Tool) string {
	if set := t.Annotations.Hints(); len(set) > 0 {
		return strings.Join(set, ",")
	}
	return "-"
}

// description is the beginning of a tool's text, and its frame if it is not the
// page itself.
func description(t browser.Tool) string {
	const most = 100
	text := []rune(plain(t.Description))
	if len(text) > most {
		text = append(text[:most-3], []rune("...")...)
	}
	if t.Frame.Main {
		return string(text)
	}
	return fmt.Sprintf("%s [frame %s]", string(text), plain(t.Frame.URL))
}

// plain makes a page's text fit for one line of a terminal: white space becomes
// single spaces, and control and invisible characters go, since they can move
// the cursor, hide text or turn it around.
func plain(text string) string {
	kept := strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r):
			return ' '
		case unicode.In(r, unicode.C, unicode.Zl, unicode.Zp):
			return -1
		default:
			return r
		}
	}, text)
	return strings.Join(strings.Fields(kept), " ")
}
