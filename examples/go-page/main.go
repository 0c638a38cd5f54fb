//go:build !js

package main

import (
	"context"
	_ "embed"
	"errors"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"github.com/pagewarden/pagewarden/contract"
)

//go:embed index.html
var index []byte

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// run serves the page until ctx ends and gives the exit code: 0, 1 when it cannot, or 2 for wrong arguments. With
// -contract FILE it writes the contract there instead, and with -out FOLDER what a server would need.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	flags := flag.NewFlagSet("go-page", flag.ContinueOnError)
	flags.SetOutput(stderr)
	file := flags.String("contract", "", "write the contract to this `file` and stop")
	out := flags.String("out", "", "build the page into this `folder` and stop")
	address := flags.String("address", "127.0.0.1:8000", "where to serve the page")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	var err error
	switch {
	case *file != "":
		err = writeContract(*file)
	case *out != "":
		err = build(ctx, *out)
	default:
		err = serve(ctx, *address, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "go-page:", err)
		return 1
	}
	return 0
}

// writeContract compiles the declarations.
func writeContract(file string) error {
	compiled, err := contract.Compile(boardContract())
	if err != nil {
		return fmt.Errorf("writing the contract: %w", err)
	}
	return os.WriteFile(file, compiled.File(), 0o644)
}

// serve builds the page and serves it until ctx ends.
func serve(ctx context.Context, address string, stdout io.Writer) error {
	dir, err := os.MkdirTemp("", "go-page-")
	if err != nil {
		return fmt.Errorf("building the page: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := build(ctx, dir); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("serving the page: %w", err)
	}
	fmt.Fprintf(stdout, "http://%s/\n", listener.Addr())
	server := &http.Server{Handler: http.FileServer(http.Dir(dir)), ReadHeaderTimeout: 10 * time.Second}
	stopped := context.AfterFunc(ctx, func() { server.Close() })
	defer stopped()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving the page: %w", err)
	}
	return nil
}

// build puts the page's three files into dir: the wasm, Go's loader for it, and the HTML.
func build(ctx context.Context, dir string) error {
	goroot, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("building the page: asking the go command: %w", err)
	}
	loader, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(goroot)), "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return fmt.Errorf("building the page: looking for Go's loader: %w", err)
	}
	for name, content := range map[string][]byte{"index.html": index, "wasm_exec.js": loader} {
		if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
			return fmt.Errorf("building the page: %w", err)
		}
	}
	compile := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", filepath.Join(dir, "page.wasm"), "github.com/pagewarden/pagewarden/examples/go-page")
	compile.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	if output, err := compile.CombinedOutput(); err != nil {
		return fmt.Errorf("building the page: %w\n%s", err, output)
	}
	return nil
}
