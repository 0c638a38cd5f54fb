package hostile

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
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
		printReport()
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

// pages serves testdata and the built runtime beside it; besides the same script over Go's own loader, and in sloppy
// mode, for attacks that must succeed.
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
	sloppy, err := sloppyScript(dist)
	if err != nil {
		return nil, err
	}
	for name, script := range map[string][]byte{"stock.js": stock, "sloppy.js": sloppy} {
		mux.HandleFunc("/"+name, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/javascript; charset=utf-8")
			_, _ = w.Write(script)
		})
	}
	return mux, nil
}

// sloppyScript is the shipped script without its strict mode.
func sloppyScript(dist fs.FS) ([]byte, error) {
	script, err := fs.ReadFile(dist, "pagewarden.js")
	if err != nil {
		return nil, fmt.Errorf("reading the script: %w", err)
	}
	sloppy, found := bytes.CutPrefix(script, []byte(`"use strict";`))
	if !found {
		return nil, errors.New("dist/pagewarden.js is not in strict mode")
	}
	return sloppy, nil
}
