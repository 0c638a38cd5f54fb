// Command mcp-server offers what a program can do to any MCP client: a notebook, whose clearing a person confirms.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"

	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/mcpserver"
	"github.com/pagewarden/pagewarden/registry"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	os.Exit(run(ctx, os.Args[1:], os.Stderr))
}

// run serves until the client leaves or ctx ends, and gives the exit code: 0, 1 when it cannot serve, or 2 for wrong
// arguments.
func run(ctx context.Context, args []string, stderr io.Writer) int {
	flags := flag.NewFlagSet("mcp-server", flag.ContinueOnError)
	flags.SetOutput(stderr)
	address := flags.String("http", "", "serve HTTP on this `host:port` instead of the standard streams")
	if err := flags.Parse(args); err != nil {
		return 2
	}
	if err := serve(ctx, *address, stderr); err != nil && ctx.Err() == nil {
		fmt.Fprintln(stderr, "mcp-server:", err)
		return 1
	}
	return 0
}

func serve(ctx context.Context, address string, stderr io.Writer) error {
	open := contract.NewOpenAuthority(contract.OpenOptions{AllowInProduction: true}) // this program is its own author
	r, err := registry.New(registry.Options{Authority: open})
	if err != nil {
		return err
	}
	defer r.Dispose()
	r.SetExecutor(new(book).procedures())
	if _, err := r.Register(notebook()); err != nil {
		return err
	}
	server, err := mcpserver.New(r, mcpserver.Options{ConsumerID: "notebook", Name: "notebook", Version: "1.0.0"})
	if err != nil {
		return err
	}
	defer server.Close()
	if address == "" {
		return server.Run(ctx, mcpserver.Stdio())
	}
	return serveHTTP(ctx, server, address, stderr)
}

// serveHTTP serves at /mcp, to who has the token of $NOTEBOOK_TOKEN, if that is set.
func serveHTTP(ctx context.Context, server *mcpserver.Server, address string, stderr io.Writer) error {
	options := mcpserver.HTTP{Address: address, Access: mcpserver.Access{Token: os.Getenv("NOTEBOOK_TOKEN")}}
	listener, err := options.Listen()
	if err != nil {
		return err
	}
	fmt.Fprintf(stderr, "http://%s/mcp\n", listener.Addr())
	return server.Serve(ctx, listener, options)
}
