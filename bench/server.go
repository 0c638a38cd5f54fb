package main

import (
	"context"
	"embed"
	"fmt"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

//go:embed rows.js
var script embed.FS

//go:embed pages
var pages embed.FS

// serve starts a server of the pages, the build, and an empty Go program with Go's own loader. The caller closes it.
//
// Nothing is kept by the browser, so that each load compiles anew, and pages are isolated from other origins: only
// there does a browser give its precise clock.
func serve(ctx context.Context, root string) (*httptest.Server, error) {
	program, loader, err := emptyProgram(ctx, root)
	if err != nil {
		return nil, err
	}
	inside, err := fs.Sub(pages, "pages")
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/bench/", http.StripPrefix("/bench/", http.FileServerFS(inside)))
	mux.Handle("/bench/rows.js", http.StripPrefix("/bench/", http.FileServerFS(script)))
	mux.Handle("/dist/", http.StripPrefix("/dist/", http.FileServer(http.Dir(filepath.Join(root, "dist")))))
	mux.HandleFunc("/empty.wasm", content("application/wasm", program))
	mux.HandleFunc("/wasm_exec.js", content("text/javascript", loader))
	mux.HandleFunc("/favicon.ico", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	return httptest.NewServer(isolated(mux)), nil
}

func isolated(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cross-Origin-Opener-Policy", "same-origin")
		w.Header().Set("Cross-Origin-Embedder-Policy", "require-corp")
		w.Header().Set("Cache-Control", "no-store")
		next.ServeHTTP(w, r)
	})
}

func content(kind string, body []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(body) // a browser that went away is not our loss
	}
}

// emptyProgram builds bench/empty as the runtime is built, and reads the loader that comes with Go.
func emptyProgram(ctx context.Context, root string) (program, loader []byte, err error) {
	dir, err := os.MkdirTemp("", "pagewarden-bench-")
	if err != nil {
		return nil, nil, err
	}
	defer os.RemoveAll(dir)
	target := filepath.Join(dir, "empty.wasm")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags=-s -w", "-o", target, "./bench/empty")
	cmd.Dir = root
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, nil, fmt.Errorf("building the empty program: %w\n%s", err, out)
	}
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, nil, fmt.Errorf("looking for Go's loader: %w", err)
	}
	if program, err = os.ReadFile(target); err != nil {
		return nil, nil, err
	}
	loader, err = os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js"))
	return program, loader, err
}
