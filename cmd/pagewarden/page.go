package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/pagewarden/pagewarden/browser"
)

// grace is how long a page may take to register tools after it has loaded, when
// --wait does not allow more: a WebAssembly module needs about a second.
const grace = 3 * time.Second

// pageFlags are the flags of the commands that look at a page.
type pageFlags struct {
	browser string
	timeout time.Duration
	wait    bool
	json    bool
	// withoutFlag leaves WebMCP off.
	withoutFlag bool
	// headed shows the window.
	headed bool
}

func (f *pageFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.browser, "browser", "", "the Chromium or Chrome to start (default: the first one found)")
	flags.DurationVar(&f.timeout, "timeout", 15*time.Second, "how long the page may take to load, and then each further step")
	flags.BoolVar(&f.withoutFlag, "without-flag", false, "start the browser without WebMCP, as other people have it (a page may bring a polyfill)")
	flags.BoolVar(&f.wait, "wait", false, fmt.Sprintf("wait for tools as long as --timeout allows, instead of %s", grace))
}

// waitLimit is how long to wait for tools.
func (f *pageFlags) waitLimit() time.Duration {
	if f.wait {
		return f.timeout
	}
	return min(grace, f.timeout)
}

// visit opens the page in a browser of its own, has do look at it, and leaves
// nothing behind.
func (f *pageFlags) visit(ctx context.Context, s streams, address string, do func(*browser.Page) error) (err error) {
	if err := f.check(address); err != nil {
		return err
	}
	b, err := browser.Launch(ctx, browser.Options{Path: f.browser, NoWebMCP: f.withoutFlag, Headed: f.headed})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	loading, cancel := context.WithTimeout(ctx, f.timeout)
	defer cancel()
	page, err := b.Open(loading, address)
	if err != nil {
		return err
	}
	defer reportDialogs(s, page)
	return do(page)
}

func (f *pageFlags) check(address string) error {
	if f.timeout <= 0 {
		return fmt.Errorf("--timeout is %s; it must be more than 0", f.timeout)
	}
	return checkAddress(address)
}

// checkAddress refuses what a browser would take for something else: it reads
// localhost:8080 as a URL of the scheme localhost.
func checkAddress(address string) error {
	known := []string{"http", "https", "file", "data", "about", "chrome-extension"}
	u, err := url.Parse(address)
	if err == nil && slices.Contains(known, u.Scheme) {
		return nil
	}
	if strings.Contains(address, "://") {
		return fmt.Errorf("%q is not an address that a browser opens; use http or https", address)
	}
	return fmt.Errorf("%q is not a whole address; did you mean http://%s?", address, address)
}

// reportDialogs tells of questions that the page asked and nobody answered.
func reportDialogs(s streams, page *browser.Page) {
	for _, d := range page.Dialogs() {
		s.note("the page opened %s(%q); it was dismissed, never accepted", plain(d.Kind), plain(d.Text))
	}
}

// noTools explains a page without tools.
func noTools(page *browser.Page, address string, waited time.Duration) error {
	const most = 3
	text := fmt.Sprintf("%s has no tools after %s", address, waited)
	if status := page.Status(); status >= 400 {
		text += fmt.Sprintf("; its server answered with HTTP %d, so check the address", status)
	}
	shown := 0
	for _, m := range page.Console() {
		if m.IsException() && shown < most {
			text += "; the page failed: " + m.Text
			shown++
		}
	}
	if shown == 0 {
		text += "; it may register them later (--wait), or after something is done on it"
	}
	return refusal(text)
}
