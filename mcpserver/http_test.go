package mcpserver_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/capability"
	"github.com/pagewarden/pagewarden/mcpserver"
	"github.com/pagewarden/pagewarden/registry"
)

// served is a server over HTTP, as the address of its endpoint.
func served(t testing.TB, s *mcpserver.Server, o mcpserver.HTTP) string {
	t.Helper()
	h, err := s.Handler(o)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(h)
	t.Cleanup(func() {
		s.Close()
		server.Close()
	})
	return server.URL
}

// bearer adds a token to requests.
type bearer struct {
	token string
	base  http.RoundTripper
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	if b.token != "" {
		r.Header.Set("Authorization", "Bearer "+b.token)
	}
	return b.base.RoundTrip(r)
}

// overHTTP is a transport of the SDK's client.
func overHTTP(t testing.TB, address, token string) *mcp.StreamableClientTransport {
	base := &http.Transport{MaxIdleConnsPerHost: 100}
	t.Cleanup(base.CloseIdleConnections)
	return &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: bearer{token, base}}, MaxRetries: -1}
}

// post sends one message as a client without a library would.
func post(t testing.TB, address, body string, headers ...string) (code int, text string, header http.Header) {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Accept", "application/json, text/event-stream")
	for i := 0; i < len(headers); i += 2 {
		if headers[i] == "Host" {
			r.Host = headers[i+1]
		}
		r.Header.Set(headers[i], headers[i+1])
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(content), response.Header
}

const initialize = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`

func TestOverHTTP(t *testing.T) {
	h := newHouse(t)
	s := h.server(nil)
	address := served(t, s, mcpserver.HTTP{Access: mcpserver.Access{Token: "s3cret"}})
	asked := make(chan *mcp.ElicitParams, 1)
	c := dial(t, overHTTP(t, address, "s3cret"), dialling{version: inResults, elicit: replying(asked, yes(), nil)})
	if got := c.InitializeResult().ProtocolVersion; got != withSession {
		t.Errorf("the client speaks %s", got)
	}
	if len(c.tools()) == 0 {
		t.Error("there are no tools")
	}
	if r := c.call("wipe", `{"word":"x"}`); r.IsError || len(asked) != 1 {
		t.Errorf("got %s", text(r))
	}
	c.call("steps", "", "progressToken", "p")
	for _, want := range []float64{1, 2} {
		if got := <-c.reports; got.Progress != want {
			t.Errorf("reported %v, want %v", got.Progress, want)
		}
	}
	h.mount(h.door("Opens"))
	c.changed()
	c.want(c.call("fall", ""), capability.CodePreconditionFailed)
	if s.Sessions() != 1 {
		t.Errorf("%d sessions", s.Sessions())
	}
	c.Close()
	waitFor(t, "the session to end", func() bool { return s.Sessions() == 0 })
}

// TestSessionsOverHTTP: each is its own consumer, and none is named as the transport names it.
func TestSessionsOverHTTP(t *testing.T) {
	h := newHouse(t)
	var mu sync.Mutex
	var peers []mcpserver.Peer
	s := h.server(func(o *mcpserver.Options) {
		o.Identify = func(p mcpserver.Peer) capability.Consumer {
			mu.Lock()
			defer mu.Unlock()
			peers = append(peers, p)
			return capability.Consumer{ID: p.Session, Kind: capability.BridgeConsumer}
		}
	})
	address := served(t, s, mcpserver.HTTP{})
	one, two := dial(t, overHTTP(t, address, "t1"), dialling{}), dial(t, overHTTP(t, address, "t2"), dialling{})
	one.call("echo", "", mcpserver.InvocationMeta, "same")
	first := h.lastCall().Consumer
	two.call("echo", `{"word":"x"}`, mcpserver.InvocationMeta, "same")
	if second := h.lastCall().Consumer; first.Key() == second.Key() || h.runs() != 2 {
		t.Errorf("called as %s and %s", first.Key(), second.Key())
	}
	if peers[0].Header.Get("Authorization") != "Bearer t1" || peers[0].Session == one.ID() || one.ID() == "" {
		t.Errorf("the first peer is %+v of %s", peers[0], one.ID())
	}
}

func TestWhoIsRefusedOverHTTP(t *testing.T) {
	s := newHouse(t).server(nil)
	address := served(t, s, mcpserver.HTTP{MaxMessage: 1000, Access: mcpserver.Access{Token: "s3cret", Origins: []string{"https://app.example"}}})
	const right = "Bearer s3cret"
	for _, tt := range []struct {
		name, body string
		headers    []string
		code       int
	}{
		{"foreign host", initialize, []string{"Host", "rebound.example", "Authorization", right}, 403},
		{"foreign origin", initialize, []string{"Origin", "https://evil.example", "Authorization", right}, 403},
		{"no token", initialize, nil, 401},
		{"too long", `{"x":"` + strings.Repeat("x", 1000) + `"}`, []string{"Authorization", right}, 413},
		{"no JSON", `hello`, []string{"Authorization", right}, 400},
		{"an unknown session", initialize, []string{"Authorization", right, "Mcp-Session-Id", "made-up"}, 404},
		{"an unknown version", initialize, []string{"Authorization", right, "Mcp-Protocol-Version", "1999-01-01"}, 400},
		{"an allowed page", initialize, []string{"Authorization", right, "Origin", "https://app.example"}, 200},
	} {
		code, text, header := post(t, address, tt.body, tt.headers...)
		if code != tt.code {
			t.Errorf("%s: got %d %s, want %d", tt.name, code, text, tt.code)
		}
		if tt.code == 200 && (header.Get("Access-Control-Allow-Origin") != "https://app.example" || header.Get("Mcp-Session-Id") == "") {
			t.Errorf("%s: the headers are %v", tt.name, header)
		}
	}
	if s.Sessions() != 1 {
		t.Errorf("%d sessions were begun", s.Sessions())
	}
}

// TestALongMessageFailsAlone: the session goes on.
func TestALongMessageFailsAlone(t *testing.T) {
	address := served(t, newHouse(t, largeLimits).server(nil), mcpserver.HTTP{MaxMessage: 1 << 20})
	c := dial(t, overHTTP(t, address, ""), dialling{})
	arguments := `{"word":"` + strings.Repeat("x", 1000<<10) + `"}`
	if r := c.call("echo", arguments); r.IsError || text(r) != arguments {
		t.Errorf("1 MB comes back as %d bytes", len(text(r)))
	}
	long := `{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"x","arguments":{"word":"` + strings.Repeat("x", 1<<20) + `"}}}`
	if code, text, _ := post(t, address, long, "Mcp-Session-Id", c.ID()); code != http.StatusRequestEntityTooLarge {
		t.Errorf("a longer one gives %d %.100s", code, text)
	}
	if r := c.call("echo", `{"word":"on"}`); r.IsError {
		t.Errorf("the next one gives %s", text(r))
	}
}

// TestASessionIsOfWhoBeganIt: its id is no credential.
func TestASessionIsOfWhoBeganIt(t *testing.T) {
	h := newHouse(t)
	address := served(t, h.server(nil), mcpserver.HTTP{})
	c := dial(t, overHTTP(t, address, "ann"), dialling{})
	const list = `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`
	for _, headers := range [][]string{nil, {"Authorization", "Bearer bob"}} {
		if code, text, _ := post(t, address, list, append(headers, "Mcp-Session-Id", c.ID())...); code != http.StatusNotFound {
			t.Errorf("with %q: %d %.100s", headers, code, text)
		}
	}
	if code, text, _ := post(t, address, list, "Authorization", "Bearer ann", "Mcp-Session-Id", c.ID()); code != http.StatusOK {
		t.Errorf("as it began: %d %.100s", code, text)
	}
}

func TestTooManySessions(t *testing.T) {
	s := newHouse(t).server(nil)
	address := served(t, s, mcpserver.HTTP{MaxSessions: 2})
	for range 2 {
		if code, text, _ := post(t, address, initialize); code != 200 {
			t.Fatalf("got %d %s", code, text)
		}
	}
	code, text, header := post(t, address, initialize)
	if code != 503 || header.Get("Retry-After") == "" || !strings.Contains(text, "try again") {
		t.Errorf("a third gets %d %s", code, text)
	}
	if s.Sessions() != 2 {
		t.Errorf("%d sessions", s.Sessions())
	}
}

// TestManyAtOnceDoNotSlipThrough: the number of sessions is kept whatever the timing.
func TestManyAtOnceDoNotSlipThrough(t *testing.T) {
	s := newHouse(t).server(nil)
	address := served(t, s, mcpserver.HTTP{MaxSessions: 3})
	var group sync.WaitGroup
	for range 20 {
		group.Go(func() { post(t, address, initialize) })
	}
	group.Wait()
	if got := s.Sessions(); got > 3 {
		t.Errorf("%d sessions", got)
	}
}

func TestAnIdleSessionEnds(t *testing.T) {
	s := newHouse(t).server(nil)
	address := served(t, s, mcpserver.HTTP{IdleTimeout: 20 * time.Millisecond})
	_, _, header := post(t, address, initialize)
	waitFor(t, "the session to end", func() bool { return s.Sessions() == 0 })
	if code, _, _ := post(t, address, initialize, "Mcp-Session-Id", header.Get("Mcp-Session-Id")); code != 404 {
		t.Errorf("it answers %d, and the client would not know to begin anew", code)
	}
}

func TestAClosedServerTakesNobody(t *testing.T) {
	s := newHouse(t).server(nil)
	address := served(t, s, mcpserver.HTTP{})
	s.Close()
	if _, text, _ := post(t, address, initialize); !strings.Contains(text, "has been closed") {
		t.Errorf("it answers %s", text)
	}
}

// TestServe: at /mcp, on the loopback address unless there is a token, until the context ends.
func TestServe(t *testing.T) {
	h := newHouse(t)
	s := h.server(nil)
	listener, err := mcpserver.HTTP{}.Listen()
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(listener.Addr().String(), "127.0.0.1:") {
		t.Errorf("it listens on %s", listener.Addr())
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener, mcpserver.HTTP{}) }()
	c := dial(t, overHTTP(t, "http://"+listener.Addr().String()+"/mcp", ""), dialling{})
	failed := make(chan error, 1)
	go func() {
		_, err := c.try(context.Background(), "slow", "")
		failed <- err
	}()
	<-h.started
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("it ended with %v", err)
	}
	<-failed
	if err := <-h.ended; err == nil {
		t.Error("the handler was not told")
	}
	for address, want := range map[string]string{"0.0.0.0:0": "needs a token", "nonsense": "address", "127.0.0.1:999999": "port"} {
		if _, err := (mcpserver.HTTP{Address: address}).Listen(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("listening on %s gives %v", address, err)
		}
	}
	open, err := mcpserver.HTTP{Address: "0.0.0.0:0", Access: mcpserver.Access{Token: "x"}}.Listen()
	if err != nil {
		t.Fatal(err)
	}
	if err := h.server(nil).Serve(t.Context(), open, mcpserver.HTTP{Access: mcpserver.Access{Origins: []string{"x"}}}); err == nil {
		t.Error("an origin that is none is served")
	}
}

// TestAThousandCalls: nothing is lost, and nothing runs twice for one invocation id.
func TestAThousandCalls(t *testing.T) {
	const sessions, callsEach, each = 20, 25, 2 // every call is made twice at the same time
	h := newHouse(t, func(o *registry.Options) {
		limits := capability.DefaultLimits()
		limits.DedupeCacheSize = sessions * callsEach // a retry that comes late is still known
		o.Limits = &limits
	})
	var mu sync.Mutex
	starts := map[string]int{}
	running, most := 0, 0
	const limit = 8
	depth := sessions * callsEach
	h.mount(&registry.Component{Type: "house.counter", Description: "A counter", Actions: []registry.Action{{
		Name: "count", Description: "Counts", Effect: capability.LocalState, Input: document(word),
		Concurrency: registry.Concurrency{Mode: registry.Parallel, Max: limit, QueueDepth: &depth}, Common: registry.Common{Timeout: time.Minute},
		Execute: func(_ context.Context, input capability.JSON, call *registry.Call) (capability.JSON, error) {
			mu.Lock()
			starts[call.Consumer.ID+" "+call.InvocationID]++
			running++
			most = max(most, running)
			mu.Unlock()
			defer func() {
				mu.Lock()
				running--
				mu.Unlock()
			}()
			return input, nil
		},
	}}})
	address := served(t, h.server(nil), mcpserver.HTTP{})
	var group sync.WaitGroup
	for range sessions {
		c := dial(t, overHTTP(t, address, ""), dialling{})
		for call := range callsEach {
			for range each {
				group.Go(func() {
					arguments := fmt.Sprintf(`{"word":"%d"}`, call)
					r, err := c.try(context.Background(), "view_house__counter__count", arguments, mcpserver.InvocationMeta, fmt.Sprint("call-", call))
					if err != nil || r.IsError || text(r) != arguments {
						t.Errorf("call %d: %v %v", call, r, err)
					}
				})
			}
		}
	}
	group.Wait()
	if len(starts) != sessions*callsEach {
		t.Errorf("%d of %d calls were carried out", len(starts), sessions*callsEach)
	}
	for id, n := range starts {
		if n != 1 {
			t.Errorf("%s was started %d times", id, n)
		}
	}
	if most > limit {
		t.Errorf("%d ran at a time, and the limit is %d", most, limit)
	}
}
