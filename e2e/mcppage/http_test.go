package mcppage

import (
	"bufio"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/e2e/internal/suite"
)

const token = "a-token-of-this-test"

// bearer sends a token.
type bearer struct {
	http.RoundTripper
	token string
}

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return b.RoundTripper.RoundTrip(r)
}

// overHTTP connects a client that sends the token.
func overHTTP(t *testing.T, address string) *client {
	t.Helper()
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	return connect(t, &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: &http.Client{Transport: bearer{transport, token}}})
}

func TestHTTP(t *testing.T) {
	h := served(t, "")
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte(token+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	p := start(t, "--http", "127.0.0.1:0", "--token-file", file, h.page())
	line, err := bufio.NewReader(p.stdout).ReadString('\n')
	if err != nil {
		t.Fatalf("it prints no address: %v; it said %s", err, p.err)
	}
	address := strings.TrimSpace(line)
	t.Run("guard", func(t *testing.T) { guards(t, address) })
	one, other := overHTTP(t, address), overHTTP(t, address)
	one.gives("total", `{}`, "42")
	other.gives("adds", `{"zulu":"shared"}`, "added")
	one.until("the other's tool is there", has("shared"))
	one.gives("shared", `{}`, "shared")
	waiting := one.calling(suite.Within(t), "waits", `{}`)
	h.hears(t, "waiting")
	other.gives("reloads_later", `{}`, "soon")
	if got := one.refusal(one.awaits(waiting), "COMPONENT_UNMOUNTED"); got.Details.Progress != "may-have-happened" {
		t.Errorf("the error is %+v", got)
	}
	one.Close()
	other.until("the page is there again", lacks("shared"))
	other.gives("total", `{}`, "42")
	waiting = other.calling(suite.Within(t), "waits", `{}`)
	h.hears(t, "waiting")
	p.signal(syscall.SIGTERM)
	p.hasEnded()
	if got := other.awaits(waiting); got.err == nil && !got.IsError {
		t.Errorf("the call gave %s", got.text())
	}
}

// guards tries what must not get in.
func guards(t *testing.T, address string) {
	const list = `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`
	tests := []struct {
		name   string
		header map[string]string
		host   string
		status int
	}{
		{"no token", nil, "", http.StatusUnauthorized},
		{"another token", map[string]string{"Authorization": "Bearer guess"}, "", http.StatusUnauthorized},
		{"another site's page", map[string]string{"Origin": "https://evil.example", "Authorization": "Bearer " + token}, "", http.StatusForbidden},
		{"another name", map[string]string{"Authorization": "Bearer " + token}, "evil.example", http.StatusForbidden},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			request, err := http.NewRequestWithContext(suite.Within(t), http.MethodPost, address, strings.NewReader(list))
			if err != nil {
				t.Fatal(err)
			}
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Accept", "application/json, text/event-stream")
			for name, value := range test.header {
				request.Header.Set(name, value)
			}
			request.Host = test.host
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
			if response.StatusCode != test.status {
				t.Errorf("the status is %d, want %d", response.StatusCode, test.status)
			}
		})
	}
}
