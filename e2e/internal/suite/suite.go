// Package suite is what the suites in real browsers share: one browser and one server of pages for all tests of a
// package, a tab for each test that fails it for what the page complains of, and waits for conditions.
package suite

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"testing"

	"go.uber.org/goleak"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
)

// Fixture is what all tests of a package use. Main fills it.
type Fixture struct {
	// Root is the checkout.
	Root string
	// Browser is the shared browser, nil in a suite without one.
	Browser *browser.Browser
	// URL is the address of the pages, without a slash at the end.
	URL string

	server *httptest.Server
}

// Config says what a suite needs.
type Config struct {
	// Name introduces what it says when it cannot run.
	Name string
	// Browser is how the shared browser is started; nil means that tests start their own.
	Browser *browser.Options
	// Pages makes what is served, of the checkout at root.
	Pages func(root string) (http.Handler, error)
	// After runs after the tests; nil means nothing.
	After func() error
}

// Main runs the tests of a package and returns the exit code. Without a browser, or what Pages needs, they fail: a suite
// that skips proves nothing. So do those that leave goroutines behind.
func Main(m *testing.M, f *Fixture, c Config) int {
	code := 1
	err := f.start(context.Background(), c)
	if err == nil {
		code = m.Run()
		if c.After != nil {
			err = c.After()
		}
	}
	if err = errors.Join(err, f.close()); err == nil {
		err = goleak.Find()
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "%s: %v\n", c.Name, err)
		return 1
	}
	return code
}

func (f *Fixture) start(ctx context.Context, c Config) error {
	var err error
	if f.Root, err = site.Root(); err != nil {
		return err
	}
	pages, err := c.Pages(f.Root)
	if err != nil {
		return err
	}
	if c.Browser != nil {
		if f.Browser, err = browser.Launch(ctx, *c.Browser); err != nil {
			return err
		}
		fmt.Fprintln(os.Stderr, "browser:", f.Browser.Version())
	}
	f.server = httptest.NewServer(pages)
	f.URL = f.server.URL
	return nil
}

func (f *Fixture) close() error {
	if f.server != nil {
		f.server.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	if f.Browser != nil {
		return f.Browser.Close()
	}
	return nil
}
