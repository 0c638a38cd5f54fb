package main

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/browser"
	"github.com/pagewarden/pagewarden/mcpserver"
)

func TestMCPArguments(t *testing.T) {
	empty := filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(empty, []byte(" \n"), 0o600); err != nil {
		t.Fatal(err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	t.Setenv(envToken, "")
	const page = "http://localhost:8080/"
	tests := []struct{ args, want string }{
		{"mcp", "usage: pagewarden mcp URL"},
		{"mcp localhost:8080", "did you mean http://localhost:8080?"},
		{"mcp --timeout 0s " + page, "must be more than 0"},
		{"mcp --call-timeout 0s " + page, "--call-timeout"},
		{"mcp --token-file x " + page, "--http, which is missing"},
		{"mcp --origin https://app.example " + page, "--http, which is missing"},
		{"mcp --http 8090 " + page, "it must be host:port"},
		{"mcp --http :0 " + page, "needs a token"},
		{"mcp --http 0.0.0.0:0 " + page, "needs a token"},
		{"mcp --http 127.0.0.1:0 --token-file /no/such/file " + page, "reading the token"},
		{"mcp --http 127.0.0.1:0 --token-file " + empty + " " + page, "is empty"},
		{"mcp --http 127.0.0.1:0 --origin app.example " + page, "app.example"},
		{"mcp --http " + listener.Addr().String() + " " + page, "choose another with --http"},
	}
	for _, test := range tests {
		t.Run(test.args, func(t *testing.T) {
			runs(t, strings.Fields(test.args)...).expect(t, codeNotRun, "", test.want)
		})
	}
}

func TestMCPAccess(t *testing.T) {
	file := filepath.Join(t.TempDir(), "token")
	if err := os.WriteFile(file, []byte("of-the-file\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(envToken, "of-the-environment")
	for want, f := range map[string]httpFlags{
		"of-the-environment": {addr: "0.0.0.0:0"},
		"of-the-file":        {addr: "[::1]:0", tokenFile: file},
	} {
		if access, err := f.access(); err != nil || access.Token != want {
			t.Errorf("the token is %q, error %v; want %q", access.Token, err, want)
		}
	}
}

// One client more than there may be is sent away; those that are there are not.
func TestMCPSessionsAreLimited(t *testing.T) {
	server := mcp.NewServer(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	for range mcpserver.DefaultMaxSessions - 1 {
		_, there := mcp.NewInMemoryTransports()
		session, err := server.Connect(t.Context(), there, nil)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { session.Close() })
	}
	handler := mcpHandler(server)
	for i, want := range []int{http.StatusOK, http.StatusServiceUnavailable} {
		const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
		request := httptest.NewRequestWithContext(t.Context(), http.MethodPost, mcpPath, strings.NewReader(hello))
		request.Header.Set("Content-Type", "application/json")
		request.Header.Set("Accept", "application/json, text/event-stream")
		answer := httptest.NewRecorder()
		handler.ServeHTTP(answer, request)
		if answer.Code != want {
			t.Errorf("client %d more gets %d: %s; want %d", i, answer.Code, answer.Body, want)
		}
	}
}

// Without a browser there is nothing to wait for.
func TestMCPWithoutBrowser(t *testing.T) {
	t.Setenv(browser.EnvPath, "/no/such/browser")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	open, input := net.Pipe() // which says nothing and does not end
	defer input.Close()
	var out, errors strings.Builder
	code := run(ctx, []string{"mcp", "http://localhost/"}, open, &out, &errors)
	outcome{code, out.String(), errors.String()}.expect(t, codeNotRun, "", "/no/such/browser", browser.EnvPath)
}
