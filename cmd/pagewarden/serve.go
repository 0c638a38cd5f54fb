package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/pagewarden/pagewarden/demo"
)

// stopTimeout is how long requests in flight may take when the server stops.
const stopTimeout = 5 * time.Second

const serveLong = `Serve the demo: a page about devices with tools for agents, over a real database.

It prints the page's address on standard output and runs until it is
interrupted. Without --data, changes are lost at the end.

What the server does with devices it also offers to MCP clients, at /mcp, from
the registry that the page's requests go through too. It answers there on this
machine's own names only and refuses pages of other origins; where other
machines can reach it, /mcp needs the token of --token-file or
$PAGEWARDEN_MCP_TOKEN and is missing without one. With --mcp-stdio it speaks MCP
on its standard streams instead, and serves no page.

Exit codes: 0 interrupted, or the end of the input of --mcp-stdio; 2 it could
not start.`

const serveExamples = `  pagewarden serve
  pagewarden serve --addr 127.0.0.1:8080 --data ./data --dist ./dist
  pagewarden serve --mcp-stdio --data ./data`

type serveFlags struct {
	addr, data, dist string
	rehearsal        bool
	names            []string
	mcp              serveMCPFlags
}

func serveCommand(s streams) *cobra.Command {
	var f serveFlags
	c := &cobra.Command{
		Use:     "serve",
		Short:   "Serve the demo",
		Long:    serveLong,
		Example: serveExamples,
		Args:    argsBetween(0, 0),
		RunE: func(c *cobra.Command, _ []string) error {
			return serve(c.Context(), s, f)
		},
	}
	flags := c.Flags()
	flags.SortFlags = false
	flags.StringVar(&f.addr, "addr", "127.0.0.1:0", "the host:port to listen on; port 0 picks a free one")
	flags.StringVar(&f.data, "data", "", "the folder of the database, made if needed (default: a temporary one)")
	flags.StringVar(&f.dist, "dist", "dist", "the folder of the built runtime")
	flags.BoolVar(&f.rehearsal, "rehearsal", false, "let POST /api/rehearsal make renames slow, fail and conflict, to try the page with that")
	flags.StringSliceVar(&f.names, "host", nil, "a name, beside this machine's own and that of --addr, under which it answers")
	f.mcp.register(c)
	return c
}

func serve(ctx context.Context, s streams, f serveFlags) (err error) {
	data, release, err := dataFolder(f.data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, release()) }()
	store, err := demo.Open(ctx, data)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	log := slog.New(slog.NewTextHandler(s.err, nil))
	domain, err := demo.NewDomain(store, log)
	if err != nil {
		return err
	}
	defer domain.Dispose()
	clients, err := f.mcp.server(domain)
	if err != nil {
		return err
	}
	defer clients.Close()
	if f.mcp.stdio {
		return endedWith(ctx, clients.Run(ctx, lines(s)))
	}
	dist, err := f.runtime(s)
	if err != nil {
		return err
	}
	handler, err := f.mcp.mount(s, f.addr, f.hosts(), clients, demo.NewServer(demo.Config{
		Store: store, Domain: domain, Dist: dist, Hosts: f.hosts(), Log: log, Rehearsal: f.rehearsal,
	}))
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", f.addr)
	if err != nil {
		return fmt.Errorf("listening on %s: %w; choose another with --addr", f.addr, err)
	}
	if _, err := fmt.Fprintln(s.out, addressOf(listener.Addr())); err != nil {
		return errors.Join(fmt.Errorf("writing the address: %w", err), listener.Close())
	}
	// Streams to MCP clients would be waited for.
	defer context.AfterFunc(ctx, clients.Close)()
	return serveUntil(ctx, listener, handler)
}

// serveUntil answers requests until ctx ends, and then those in flight.
func serveUntil(ctx context.Context, listener net.Listener, handler http.Handler) error {
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := server.Shutdown(stopping); err != nil {
		return fmt.Errorf("stopping the server: %w", errors.Join(err, server.Close()))
	}
	return nil
}

// dataFolder makes the folder of the database; release removes a temporary one.
func dataFolder(dir string) (data string, release func() error, err error) {
	if dir != "" {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return "", nil, fmt.Errorf("making the folder of the database: %w", err)
		}
		return dir, func() error { return nil }, nil
	}
	temp, err := os.MkdirTemp("", "pagewarden-demo-")
	if err != nil {
		return "", nil, fmt.Errorf("making a folder for the database: %w", err)
	}
	return temp, func() error { return os.RemoveAll(temp) }, nil
}

// runtime returns the folder of the built runtime, nil when there is none: the
// page works without, and its tools are missing.
func (f serveFlags) runtime(s streams) (fs.FS, error) {
	info, err := os.Stat(f.dist)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.note("there is no folder %s, so the page has no tools; build it with `make build`, or name another with --dist", f.dist)
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("looking for the runtime: %w", err)
	case !info.IsDir():
		return nil, fmt.Errorf("looking for the runtime: %s is not a folder", f.dist)
	}
	return os.DirFS(f.dist), nil
}

// hosts are the names that the operator gave to this machine.
func (f serveFlags) hosts() []string {
	host, _, err := net.SplitHostPort(f.addr)
	if err != nil || host == "" {
		return f.names
	}
	return append([]string{host}, f.names...)
}

// addressOf is where a browser on this machine finds the listener.
func addressOf(addr net.Addr) string {
	tcp, ok := addr.(*net.TCPAddr)
	if ok && tcp.IP.IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d/", tcp.Port)
	}
	return "http://" + addr.String() + "/"
}
