package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/browser/mcpbridge"
	"github.com/pagewarden/pagewarden/contract"
	"github.com/pagewarden/pagewarden/mcpserver"
)

const mcpLong = `Be an MCP server for the tools of a page, so that any MCP client can use them.

It speaks MCP on its standard streams, keeps the page open in a browser of its
own, and follows it: tools come and go with the page's, through reloads and
navigations. A page that is lost (its server is down, its tab or the browser
crashed or was closed) is opened again by itself; meanwhile, calls say why there
is nothing to call. Errors are JSON: code, message, retry and details, where
details.progress says whether a call may have had its effect.

With --http it serves streamable HTTP instead, at /mcp, for several clients that
share the page, and prints the address. It answers on this machine's own names
only, refuses pages of other origins, and asks for the token of --token-file or
$PAGEWARDEN_MCP_TOKEN, which it must have to listen beyond this machine.

--headed shows the window, which a page needs that asks a person to confirm.
JavaScript dialogs are dismissed, never accepted.

What is not the protocol goes to standard error. It ends, and the browser with
it, at the end of its input or when it is interrupted.

Exit codes: 0 its input ended or it was interrupted, 2 it could not start.`

const mcpExamples = `  pagewarden mcp http://localhost:8080/
  pagewarden mcp --headed http://localhost:8080/
  PAGEWARDEN_MCP_TOKEN=secret pagewarden mcp --http 127.0.0.1:8090 http://localhost:8080/`

// mcpFlags are the flags of mcp.
type mcpFlags struct {
	pageFlags
	callTimeout time.Duration
	http        httpFlags
}

func mcpCommand(s streams) *cobra.Command {
	var f mcpFlags
	c := &cobra.Command{
		Use:     "mcp URL",
		Short:   "Be an MCP server for the tools of a page",
		Long:    mcpLong,
		Example: mcpExamples,
		Args:    argsBetween(1, 1),
		RunE: func(c *cobra.Command, args []string) error {
			return bridgePage(c.Context(), s, f, args[0])
		},
	}
	f.register(c)
	flags := c.Flags()
	flags.BoolVar(&f.headed, "headed", false, "show the browser's window")
	flags.DurationVar(&f.callTimeout, "call-timeout", 10*time.Minute, "how long a call may take, a person's decision included")
	f.http.register(c)
	return c
}

// bridgePage serves until the input ends or ctx does, and leaves nothing behind.
func bridgePage(ctx context.Context, s streams, f mcpFlags, address string) (err error) {
	if err := f.check(address); err != nil {
		return err
	}
	if f.callTimeout <= 0 {
		return fmt.Errorf("--call-timeout is %s; it must be more than 0", f.callTimeout)
	}
	serve, err := f.transport(s)
	if err != nil {
		return err
	}
	signal.Ignore(syscall.SIGPIPE) // a client that has gone makes writing an error, no death: there is a browser to end
	ctx, end := context.WithCancel(ctx)
	defer end()
	chromium := mcpbridge.NewChromium(ctx, browser.Options{Path: f.browser, NoWebMCP: f.withoutFlag, Headed: f.headed}, address)
	defer func() { err = errors.Join(err, chromium.Close()) }()
	bridge := mcpbridge.New(mcpbridge.Options{
		Open: chromium.Open, Address: address, Version: contract.Version,
		OpenTimeout: f.timeout, Grace: f.waitLimit(), CallTimeout: f.callTimeout,
		Log: slog.New(slog.NewTextHandler(s.err, nil)),
	})
	bridging := make(chan error, 1)
	go func() {
		defer end()
		bridging <- bridge.Run(ctx)
	}()
	served := serve(ctx, bridge.Server())
	end()
	var unusable *mcpbridge.UnusableError
	if ended := <-bridging; errors.As(ended, &unusable) {
		return ended
	}
	return served
}

// transport is how clients are served: over HTTP if that is asked for, else over
// the standard streams.
func (f *mcpFlags) transport(s streams) (func(context.Context, *mcp.Server) error, error) {
	if f.http.addr != "" {
		return f.http.listen(s)
	}
	if err := f.http.checkUnused(); err != nil {
		return nil, err
	}
	return func(ctx context.Context, server *mcp.Server) error { return serveStreams(ctx, s, server) }, nil
}

// serveStreams serves one client on the standard streams, until the input ends.
func serveStreams(ctx context.Context, s streams, server *mcp.Server) error {
	err := server.Run(ctx, lines(s))
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return fmt.Errorf("serving the client: %w", err)
}

// lines are the standard streams as MCP uses them.
func lines(s streams) *mcpserver.Lines {
	if s.out == os.Stdout {
		return mcpserver.Stdio()
	}
	return &mcpserver.Lines{In: s.in, Out: s.out}
}
