package hostile

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"go.uber.org/goleak"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
)

// shared is what the tests use: one browser, one server of pages.
type shared struct {
	root    string
	browser *browser.Browser
	server  *httptest.Server
}

var fixture shared

// TestMain starts the browser once. Without a browser or a build the tests fail: a suite that skips proves nothing.
func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) int {
	err := fixture.start(context.Background())
	code := 1
	if err == nil {
		code = m.Run()
	}
	if closing := fixture.close(); err == nil {
		err = closing
	}
	if err == nil {
		err = goleak.Find()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "the suite of hostile scripts:", err)
		return 1
	}
	return code
}

func (f *shared) start(ctx context.Context) error {
	var err error
	if f.root, err = site.Root(); err != nil {
		return err
	}
	pages, err := pages(f.root)
	if err != nil {
		return err
	}
	// The scenario brings its own model contexts, so that what it sees is the same in every Chromium.
	if f.browser, err = browser.Launch(ctx, browser.Options{NoWebMCP: true}); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "browser:", f.browser.Version())
	f.server = httptest.NewServer(pages)
	return nil
}

func (f *shared) close() error {
	if f.server != nil {
		f.server.Close()
	}
	http.DefaultClient.CloseIdleConnections()
	if f.browser != nil {
		return f.browser.Close()
	}
	return nil
}

// pages serves testdata, the built runtime beside it, and the same script over Go's own loader.
func pages(root string) (http.Handler, error) {
	dist, err := site.Dist(root)
	if err != nil {
		return nil, err
	}
	stock, err := stockScript(root)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/", http.FileServer(http.Dir(filepath.Join(root, "e2e", "hostile", "testdata"))))
	for _, name := range []string{"pagewarden.js", "pagewarden.wasm"} {
		mux.Handle("/"+name, http.FileServerFS(dist))
	}
	mux.HandleFunc("/plain.wasm", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		http.ServeFileFS(w, r, dist, "pagewarden.wasm")
	})
	mux.HandleFunc("/stock.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
		_, _ = w.Write(stock)
	})
	return mux, nil
}
