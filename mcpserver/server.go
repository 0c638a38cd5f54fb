package mcpserver

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/host"
	"github.com/pagewarden/pagewarden/toolset"
)

// Registry is what a server needs of a registry; *registry.Registry has it.
type Registry = toolset.Registry

// Confirmations is how a call gets a person's decision where it needs one.
type Confirmations string

// The ways to confirm.
const (
	// Elicit shows the person a form through the client, where the client can; else TwoPhase. It is the default.
	Elicit Confirmations = "elicit"
	// TwoPhase ends the call with CONFIRMATION_REQUIRED. Once the host's own people have decided, the client repeats it
	// with the confirmation id in _meta.
	TwoPhase Confirmations = "two-phase"
	// Wait keeps the call until the host's own people have decided.
	Wait Confirmations = "wait"
)

// The members of _meta that a client gives with a call, and gets with its result.
const (
	// InvocationMeta is the identity of a call. A retry under the same one, in the same session, does nothing twice.
	// Without it one is generated: the ids of JSON-RPC begin anew in every session and are no identities.
	InvocationMeta = "pagewarden/invocationId"
	// ConfirmationMeta is the evidence of a person's decision.
	ConfirmationMeta = "pagewarden/confirmationId"
	// StateMeta, of a tool, is how things stand with it now: { available, unavailableReason?, note? }.
	StateMeta = "pagewarden/state"
	// SimplifiedMeta, of a tool, lists what its schemas do not say because some clients could not read it. The full
	// rules hold all the same.
	SimplifiedMeta = "pagewarden/simplified"
)

// Peer is the client of a session, as far as it is known when the session makes its first request.
type Peer struct {
	// Session is the session's name: unguessable, and not the one that the transport uses.
	Session string
	// ClaimedName is what the client says that it is.
	ClaimedName string
	// Header is that of the first HTTP request of the session, after the guard has let it through; nil over other
	// transports.
	Header http.Header
}

// Options configure a server. ConsumerID is required.
type Options struct {
	// ConsumerID is the first part of every session's consumer id: ConsumerID/session.
	ConsumerID string
	// Grants are those of every session's consumer; policies read them.
	Grants []string
	// Identify says who a session is instead of ConsumerID and Grants, for a host that knows its clients (by the token in
	// Peer.Header, say). Sessions that must not share identities and confirmations need ids of their own.
	Identify func(Peer) capability.Consumer
	// Scope admits component types by prefix; empty admits all. It limits what is discovered, not what may be called.
	Scope []string
	// Confirmations is Elicit when empty.
	Confirmations Confirmations
	// WaitTimeout bounds how long a call waits for a person when positive; it then ends with CONFIRMATION_REQUIRED.
	WaitTimeout time.Duration
	// Name, Version and Instructions introduce the server to its clients; Name is "pagewarden" when empty.
	Name, Version, Instructions string
	// Host is the registry's; nil means host.Native.
	Host host.Host
	// Log receives diagnostics for developers; nil means none.
	Log func(text string)
}

// OptionError says which option of New is missing or wrong.
type OptionError struct {
	// Option is the field's name.
	Option string
	// Problem is a sentence about it.
	Problem string
}

// Error is "creating an MCP server: " with the option and the problem.
func (e *OptionError) Error() string {
	return "creating an MCP server: " + e.Option + ": " + e.Problem
}

// ErrClosed is the error of a server that has been closed.
var ErrClosed = errors.New("this MCP server has been closed")

// Server serves a registry to MCP clients. It is safe for concurrent use.
type Server struct {
	registry Registry
	options  Options

	mu       sync.Mutex
	closed   bool
	sessions []*session
	overHTTP map[string]*session // by the transport's id
}

// New makes a server. The error is a *OptionError.
func New(r Registry, options Options) (*Server, error) {
	switch {
	case r == nil:
		return nil, &OptionError{"registry", "a registry is required"}
	case options.ConsumerID == "" && options.Identify == nil:
		return nil, &OptionError{"ConsumerID", "say who calls, or give Identify"}
	case len(options.ConsumerID) > maxConsumerID:
		return nil, &OptionError{"ConsumerID", fmt.Sprintf("has more than %d bytes", maxConsumerID)}
	case options.WaitTimeout < 0:
		return nil, &OptionError{"WaitTimeout", "must not be negative"}
	}
	switch options.Confirmations {
	case "":
		options.Confirmations = Elicit
	case Elicit, TwoPhase, Wait:
	default:
		return nil, &OptionError{"Confirmations", fmt.Sprintf("%q is not elicit, two-phase or wait", options.Confirmations)}
	}
	if slices.Contains(options.Scope, "") {
		return nil, &OptionError{"Scope", "a prefix must not be empty; leave Scope out to admit everything"}
	}
	options.Scope, options.Grants = slices.Clone(options.Scope), slices.Clone(options.Grants)
	if options.Name == "" {
		options.Name = "pagewarden"
	}
	if options.Host == nil {
		options.Host = host.Native()
	}
	if options.Log == nil {
		options.Log = func(string) {}
	}
	return &Server{registry: r, options: options, overHTTP: map[string]*session{}}, nil
}

// maxConsumerID leaves room for a session's name.
const maxConsumerID = capability.MaxIDLength - 1 - sessionNameLength

// Run serves one client over a transport until it leaves or ctx ends; then what it still runs is cancelled. The error is
// ctx's, ErrClosed, or the transport's.
func (s *Server) Run(ctx context.Context, transport mcp.Transport) error {
	client := s.newSession(nil, 0)
	connection, err := client.server.Connect(ctx, transport, nil)
	if err != nil {
		return fmt.Errorf("serving an MCP client: %w", err)
	}
	if err := s.admit(client, connection); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, client.close)
	defer stop()
	err = connection.Wait()
	client.close()
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case s.isClosed():
		return ErrClosed
	case err != nil:
		return fmt.Errorf("serving an MCP client: %w", err)
	}
	return nil
}

// admit takes note of a session that has its connection. The error is ErrClosed, or errFull.
func (s *Server) admit(client *session, connection *mcp.ServerSession) error {
	if !client.connect(connection) {
		return nil // it is known already
	}
	s.mu.Lock()
	var err error
	switch {
	case s.closed:
		err = ErrClosed
	case client.most > 0 && len(s.sessions) >= client.most:
		err = errFull
	default:
		s.sessions = append(s.sessions, client)
		if id := connection.ID(); id != "" {
			s.overHTTP[id] = client
		}
	}
	s.mu.Unlock()
	go func() {
		if err == nil {
			_ = connection.Wait() // why it ended is for who serves it
		}
		client.close() // which waits for the request that is told that it was refused
	}()
	return err
}

// errFull is what a client is told that comes when there are as many sessions as there may be.
var errFull = errors.New("this MCP server has as many sessions as it can take: try again later")

func (s *Server) forget(gone *session) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sessions = slices.DeleteFunc(s.sessions, func(other *session) bool { return other == gone })
	maps.DeleteFunc(s.overHTTP, func(_ string, other *session) bool { return other == gone })
}

// belongs reports whether a request may be of the HTTP session that it names: whoever began that had the same credentials.
// An id alone is none. A session that is not known is the SDK's to refuse.
func (s *Server) belongs(r *http.Request, id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	client := s.overHTTP[id]
	return client == nil || slices.Equal(client.header.Values("Authorization"), r.Header.Values("Authorization"))
}

func (s *Server) isClosed() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.closed
}

// Sessions is how many clients are connected.
func (s *Server) Sessions() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.sessions)
}

// Close ends every session: calls in flight are cancelled, nobody waits for a person any more, and connections are
// closed. It can be called again.
func (s *Server) Close() {
	s.mu.Lock()
	s.closed = true
	sessions := slices.Clone(s.sessions)
	s.mu.Unlock()
	var closing sync.WaitGroup
	for _, client := range sessions {
		closing.Go(client.close) // all at once: a client that does not read keeps its own session only
	}
	closing.Wait()
}

// sessionNameLength is that of rand.Text.
const sessionNameLength = 26

func newSessionName() string { return rand.Text() }
