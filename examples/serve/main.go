// Command serve serves an example page beside the built runtime, bundling it first if it uses packages of npm.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stdout, os.Stderr))
}

// pages are the examples, each with the script that is bundled; "" for a page that is served as it is.
func pages() map[string]string {
	return map[string]string{"plain-page": "", "react-page": "app.jsx", "vue-page": "app.js"}
}

// run serves a page until ctx ends and gives the exit code: 0, 1 when it cannot, or 2 for wrong arguments. With -out FOLDER
// it puts there what a server would need.
func run(ctx context.Context, args []string, stdout, stderr io.Writer) int {
	names := strings.Join(slices.Sorted(maps.Keys(pages())), ", ")
	flags := flag.NewFlagSet("serve", flag.ContinueOnError)
	flags.SetOutput(stderr)
	flags.Usage = func() {
		fmt.Fprintf(stderr, "usage, in the folder of the repository: go run ./examples/serve [flags] PAGE\nPAGE is one of %s\n", names)
		flags.PrintDefaults()
	}
	out := flags.String("out", "", "put the page into this `folder` and stop")
	address := flags.String("address", "127.0.0.1:8000", "where to serve the page")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if _, known := pages()[flags.Arg(0)]; !known || flags.NArg() != 1 {
		flags.Usage()
		return 2
	}
	var err error
	if *out != "" {
		err = assemble(".", flags.Arg(0), *out)
	} else {
		err = serve(ctx, flags.Arg(0), *address, stdout)
	}
	if err != nil {
		fmt.Fprintln(stderr, "serve:", err)
		return 1
	}
	return 0
}

// serve assembles the page and serves it until ctx ends.
func serve(ctx context.Context, name, address string, stdout io.Writer) error {
	dir, err := os.MkdirTemp("", "pagewarden-example-")
	if err != nil {
		return fmt.Errorf("making a folder for the page: %w", err)
	}
	defer os.RemoveAll(dir)
	if err := assemble(".", name, dir); err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("serving the page: %w", err)
	}
	fmt.Fprintf(stdout, "http://%s/\n", listener.Addr())
	server := &http.Server{Handler: http.FileServer(http.Dir(dir)), ReadHeaderTimeout: 10 * time.Second}
	stop := context.AfterFunc(ctx, func() { server.Close() })
	defer stop()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serving the page: %w", err)
	}
	return nil
}

// assemble puts the page, its contract and the runtime of the checkout at root into a folder.
func assemble(root, name, out string) error {
	page, dist := filepath.Join(root, "examples", name), filepath.Join(root, "dist")
	for _, file := range []string{"pagewarden.js", "pagewarden.mjs", "pagewarden.wasm", "pagewarden-dialog.js"} {
		err := copyFile(filepath.Join(dist, file), filepath.Join(out, file))
		if errors.Is(err, os.ErrNotExist) {
			return fmt.Errorf("%w; run this in the folder of the repository, after make build", err)
		}
		if err != nil {
			return err
		}
	}
	if err := os.CopyFS(out, os.DirFS(page)); err != nil {
		return fmt.Errorf("copying examples/%s: %w", name, err)
	}
	if entry := pages()[name]; entry != "" {
		return bundle(root, filepath.Join(page, entry), filepath.Join(out, "app.js"))
	}
	return nil
}

func copyFile(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
		return err
	}
	return os.WriteFile(to, content, 0o644)
}
