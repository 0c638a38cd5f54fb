package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The defaults of HTTP.
const (
	// DefaultMaxSessions is how many clients a handler serves at a time.
	DefaultMaxSessions = 1000
	// DefaultIdleTimeout is how long a session may go without a request. Clients make a new one by themselves.
	DefaultIdleTimeout = time.Hour
)

// HTTP says how clients are served over streamable HTTP. The zero HTTP is for programs on this machine.
type HTTP struct {
	// Access says who is let in.
	Access Access
	// MaxMessage is how many bytes a request may have; 0 means DefaultMaxMessage. A larger one is answered with 413.
	MaxMessage int64
	// MaxSessions is how many clients there may be at a time; 0 means DefaultMaxSessions. One more is answered with 503.
	MaxSessions int
	// IdleTimeout ends sessions without requests; 0 means DefaultIdleTimeout.
	IdleTimeout time.Duration
	// Address is where Listen listens, host:port; "" means a free port of the loopback address. Where other
	// machines can reach it, it asks for an Access.Token.
	Address string
}

// Handler serves the server's clients at the one path at which it is mounted. The errors are of Access.Guard.
func (s *Server) Handler(o HTTP) (http.Handler, error) {
	if o.MaxMessage == 0 {
		o.MaxMessage = DefaultMaxMessage
	}
	if o.MaxSessions == 0 {
		o.MaxSessions = DefaultMaxSessions
	}
	if o.IdleTimeout == 0 {
		o.IdleTimeout = DefaultIdleTimeout
	}
	h := &handler{server: s, most: o.MaxSessions, anybody: mcp.NewServer(&mcp.Implementation{Name: s.options.Name}, nil)}
	h.sdk = mcp.NewStreamableHTTPHandler(h.serverFor, &mcp.StreamableHTTPOptions{
		SessionTimeout: o.IdleTimeout, MaxRequestBodyBytes: o.MaxMessage,
		DisableLocalhostProtection: true, // Access is stricter
	})
	return o.Access.At(o.Address).Guard(h)
}

// handler is the SDK's handler, with a session of ours for each of its own.
type handler struct {
	server  *Server
	most    int
	anybody *mcp.Server // stands for the server of a session that there is already
	sdk     http.Handler
}

const sessionHeader = "Mcp-Session-Id"

type sessionKey struct{}

// ServeHTTP gives a request without a session one to begin, which is made when the SDK asks for it.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	id := r.Header.Get(sessionHeader)
	if id != "" && !h.server.belongs(r, id) {
		http.Error(w, "session not found", http.StatusNotFound) // so the client begins one of its own
		return
	}
	if id == "" {
		if h.server.Sessions() >= h.most {
			w.Header().Set("Retry-After", "60")
			http.Error(w, errFull.Error(), http.StatusServiceUnavailable)
			return
		}
		begin := sync.OnceValue(func() *session { return h.server.newSession(r.Header, h.most) })
		r = r.WithContext(context.WithValue(r.Context(), sessionKey{}, begin))
	}
	h.sdk.ServeHTTP(w, r)
}

func (h *handler) serverFor(r *http.Request) *mcp.Server {
	if begin, ok := r.Context().Value(sessionKey{}).(func() *session); ok {
		return begin().server
	}
	return h.anybody
}

// Listen opens the address.
func (o HTTP) Listen() (net.Listener, error) {
	if o.Address == "" {
		o.Address = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(o.Address)
	if err != nil {
		return nil, fmt.Errorf("listening for MCP clients: %w", err)
	}
	if !IsLoopback(host) && o.Access.Token == "" {
		return nil, fmt.Errorf("listening for MCP clients: other machines can reach %s, so it needs a token", o.Address)
	}
	listener, err := net.Listen("tcp", o.Address)
	if err != nil {
		return nil, fmt.Errorf("listening for MCP clients: %w", err)
	}
	return listener, nil
}

// Serve serves clients at /mcp until ctx ends, and then closes the server. It closes the listener. The error is nil when
// ctx has ended.
func (s *Server) Serve(ctx context.Context, listener net.Listener, o HTTP) error {
	defer s.Close()
	guarded, err := s.Handler(o)
	if err != nil {
		return errors.Join(err, listener.Close())
	}
	mux := http.NewServeMux()
	mux.Handle("/mcp", guarded)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: readHeaderTimeout}
	failed := make(chan error, 1)
	go func() { failed <- server.Serve(listener) }()
	select {
	case err := <-failed:
		return fmt.Errorf("serving MCP clients: %w", err)
	case <-ctx.Done():
	}
	var ending sync.WaitGroup
	ending.Go(s.Close)  // which ends the streams that a shutdown waits for, and waits itself for clients that do not read
	defer ending.Wait() // which they need not do any more then
	stopping, cancel := context.WithTimeout(context.WithoutCancel(ctx), stopTimeout)
	defer cancel()
	if err := server.Shutdown(stopping); err != nil {
		return fmt.Errorf("stopping to serve MCP clients: %w", errors.Join(err, server.Close()))
	}
	return nil
}

const (
	readHeaderTimeout = 10 * time.Second
	stopTimeout       = 5 * time.Second
)
