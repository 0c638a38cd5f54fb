package hostile

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"testing"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/e2e/internal/site"
	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

// fixture is what the tests use.
var fixture suite.Fixture

func TestMain(m *testing.M) {
	os.Exit(suite.Main(m, &fixture, suite.Config{
		Name: "the suite of hostile scripts", Pages: pages, After: printReport,
		// The scenario brings its own model contexts, so that what it sees is the same in every Chromium.
		Browser: &browser.Options{NoWebMCP: true},
	}))
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
