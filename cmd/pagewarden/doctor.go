package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/pagewarden/pagewarden/browser"
)

const doctorLong = `Say what a page and the browser offer to an agent, and what is wrong.

It looks at the browser (its version, whether WebMCP is on), the page (secure
context, permissions policy, where modelContext is, what it can do, whether it
is the browser's own or a polyfill), the ways in which its tools can be called,
its tools, those that the browser refused and why, its iframes, and exceptions
that the page did not catch. Each problem comes with what to do about it.

The browser is started with WebMCP on, as for the other commands. --without-flag
starts it as other people have it.

Exit codes: 0 an agent can use the page's tools, 1 there are problems, 2 it
could not be tried.`

const doctorExamples = `  pagewarden doctor http://localhost:8080/
  pagewarden doctor --without-flag http://localhost:8080/
  pagewarden doctor --json http://localhost:8080/ | jq '.problems[].kind'`

func doctorCommand(s streams) *cobra.Command {
	var f pageFlags
	c := &cobra.Command{
		Use:     "doctor URL",
		Short:   "Say what a page and the browser offer to an agent, and what is wrong",
		Long:    doctorLong,
		Example: doctorExamples,
		Args:    argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return diagnose(c.Context(), s, f, args[0])
		},
	}
	f.register(c)
	c.Flags().BoolVar(&f.json, "json", false, "print a JSON object")
	return c
}

func diagnose(ctx context.Context, s streams, f pageFlags, address string) (err error) {
	if err := f.check(address); err != nil {
		return err
	}
	b, err := browser.Launch(ctx, browser.Options{Path: f.browser, NoWebMCP: f.withoutFlag})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	looking, cancel := context.WithTimeout(ctx, f.timeout+f.waitLimit())
	defer cancel()
	report, err := b.Diagnose(looking, address, f.waitLimit(), quiet)
	if err != nil {
		return err
	}
	if err := printReport(s.out, report, f.json); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	switch n := len(report.Problems); n {
	case 0:
		return nil
	case 1:
		return refusal("there is a problem: " + report.Problems[0].Text)
	default:
		return refusal(fmt.Sprintf("there are %d problems", n))
	}
}

// printReport prints a JSON object, or lines for a person.
func printReport(w io.Writer, r browser.Report, asJSON bool) error {
	if asJSON {
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(r)
	}
	lines := &strings.Builder{}
	line := func(title, format string, args ...any) {
		fmt.Fprintf(lines, "%-9s %s\n", title, plain(fmt.Sprintf(format, args...)))
	}
	line("browser", "%s, %s", r.Browser, choice(r.Flag, "WebMCP on", "WebMCP off"))
	line("page", "%s, %s, tools %s by permissions policy", r.Page.URL, choice(r.Page.Secure, "secure", "not secure"), policy(r.Page))
	line("object", "%s", object(r.Page))
	line("calls", "%s", ways(r.Ways))
	line("tools", "%s", counted(r))
	for _, frame := range r.Frames {
		line("iframe", "%s, %s, tools %s by permissions policy", frame.URL, choice(frame.Secure, "secure", "not secure"), policy(frame))
	}
	for _, failed := range r.Failures {
		line("failed", "%s", failed)
	}
	for _, p := range r.Problems {
		line("PROBLEM", "%s: %s", p.Kind, p.Text)
		line("", "%s", choice(p.URL == r.Page.URL, "", "in "+p.URL+": ")+p.Remedy)
	}
	if len(r.Problems) == 0 {
		line("problems", "none")
	}
	_, err := io.WriteString(w, lines.String())
	return err
}

func choice(first bool, one, other string) string {
	if first {
		return one
	}
	return other
}

func policy(o browser.Offer) string {
	return choice(o.Policy == "unknown", "not restricted", o.Policy)
}

func object(o browser.Offer) string {
	if !o.Present() {
		return "no modelContext"
	}
	where := choice(o.Document, "document.modelContext", "navigator.modelContext")
	return fmt.Sprintf("%s, %s: %s", where, choice(o.Native, "the browser's own", "a polyfill's"), strings.Join(o.Methods, ", "))
}

func ways(list []browser.Way) string {
	if len(list) == 0 {
		return "in no way"
	}
	names := []string{}
	for _, way := range list {
		names = append(names, string(way))
	}
	return "by " + strings.Join(names, ", ")
}

// counted counts the tools by where they are.
func counted(r browser.Report) string {
	own := 0
	for _, t := range r.Tools {
		if t.Frame.Main {
			own++
		}
	}
	text := fmt.Sprintf("%d", len(r.Tools))
	if in := len(r.Tools) - own; in > 0 {
		text += fmt.Sprintf(", %d of them in iframes", in)
	}
	return text
}
