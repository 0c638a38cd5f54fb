package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/pagewarden/pagewarden/mcpserver"
)

const (
	// mcpPath is where an HTTP server has MCP.
	mcpPath = "/mcp"
	// envToken is the environment variable with the bearer token.
	envToken = "PAGEWARDEN_MCP_TOKEN"
)

// httpFlags are the flags of MCP over HTTP.
type httpFlags struct {
	addr           string
	tokenFile      string
	hosts, origins []string
}

func (f *httpFlags) register(c *cobra.Command) {
	flags := c.Flags()
	flags.StringVar(&f.addr, "http", "", "serve HTTP on this host:port instead of the standard streams; port 0 picks a free one")
	flags.StringVar(&f.tokenFile, "token-file", "", "the file with the bearer token that HTTP clients must send (default: $"+envToken+")")
	flags.StringSliceVar(&f.hosts, "host", nil, "a name, beside this machine's own, under which HTTP is answered")
	flags.StringSliceVar(&f.origins, "origin", nil, "an origin whose pages may call over HTTP, such as https://app.example")
}

// checkUnused refuses flags that mean nothing without --http.
func (f *httpFlags) checkUnused() error {
	if f.tokenFile != "" || len(f.hosts) > 0 || len(f.origins) > 0 {
		return errors.New("--token-file, --host and --origin are for --http, which is missing")
	}
	return nil
}

// listen opens the port and prints the address; what it returns serves.
func (f *httpFlags) listen(s streams) (func(context.Context, *mcp.Server) error, error) {
	access, err := f.access()
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("tcp", f.addr)
	if err != nil {
		return nil, fmt.Errorf("listening on %s: %w; choose another with --http", f.addr, err)
	}
	if _, err := fmt.Fprintln(s.out, strings.TrimSuffix(addressOf(listener.Addr()), "/")+mcpPath); err != nil {
		return nil, errors.Join(fmt.Errorf("writing the address: %w", err), listener.Close())
	}
	return func(ctx context.Context, server *mcp.Server) error {
		return serveHTTP(ctx, listener, access, server)
	}, nil
}

// access says who is let in.
func (f *httpFlags) access() (mcpserver.Access, error) {
	token, err := bearerToken(f.tokenFile)
	access := mcpserver.Access{Hosts: f.hosts, Origins: f.origins, Token: token}
	if err != nil {
		return access, err
	}
	host, _, err := net.SplitHostPort(f.addr)
	if err != nil {
		return access, fmt.Errorf("--http is %q; it must be host:port, such as 127.0.0.1:8090", f.addr)
	}
	if !mcpserver.IsLoopback(host) && access.Token == "" {
		return access, fmt.Errorf("--http %s can be reached from other machines, so it needs a token: give --token-file, or listen on 127.0.0.1", f.addr)
	}
	access = access.At(f.addr)
	_, err = access.Guard(http.NotFoundHandler())
	return access, err
}

// bearerToken is what HTTP clients must send: what the file holds, if one is
// given, else what the environment says, "" for nothing.
func bearerToken(file string) (string, error) {
	if file == "" {
		return os.Getenv(envToken), nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("reading the token: %w", err)
	}
	token := strings.TrimSpace(string(text))
	if token == "" {
		return "", fmt.Errorf("reading the token: %s is empty", file)
	}
	return token, nil
}

// serveHTTP serves until ctx ends, and then ends the sessions.
func serveHTTP(ctx context.Context, listener net.Listener, access mcpserver.Access, server *mcp.Server) error {
	handler, err := access.Guard(mcpHandler(server))
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	web := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	failed := make(chan error, 1)
	go func() { failed <- web.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving: %w", err)
	case <-ctx.Done():
	}
	// Clients hold connections open to hear of changes; none is waited for. The
	// sessions come second: to end one waits for what its client does not read.
	if err := web.Close(); err != nil {
		return fmt.Errorf("stopping the server: %w", err)
	}
	for session := range server.Sessions() {
		_ = session.Close() // Its client may have gone.
	}
	<-failed
	return nil
}

// mcpHandler has MCP at its path. The guard has looked at the host.
func mcpHandler(server *mcp.Server) http.Handler {
	handler := mcp.NewStreamableHTTPHandler(
		func(*http.Request) *mcp.Server { return server },
		&mcp.StreamableHTTPOptions{
			SessionTimeout: mcpserver.DefaultIdleTimeout, DisableLocalhostProtection: true,
			MaxRequestBodyBytes: mcpserver.DefaultMaxMessage, PropagateRequestCancellation: true,
		},
	)
	routes := http.NewServeMux()
	routes.HandleFunc(mcpPath, func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Mcp-Session-Id") == "" && count(server.Sessions()) >= mcpserver.DefaultMaxSessions {
			w.Header().Set("Retry-After", "60")
			http.Error(w, "This server has as many clients as it may have.", http.StatusServiceUnavailable)
			return
		}
		handler.ServeHTTP(w, r)
	})
	return routes
}

func count(sessions iter.Seq[*mcp.ServerSession]) (n int) {
	for range sessions {
		n++
	}
	return n
}
