package mcpserver_test

import (
	"context"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/pagewarden/pagewarden/mcpserver"
)

// TestServeEndsThoughAClientDoesNotRead: the streams of one client hold up neither the end nor the other sessions.
func TestServeEndsThoughAClientDoesNotRead(t *testing.T) {
	h := newHouse(t, largeLimits)
	s := h.server(nil)
	listener, err := mcpserver.HTTP{}.Listen()
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(ctx, listener, mcpserver.HTTP{}) }()
	host := listener.Addr().String()
	_, _, header := post(t, "http://"+host+"/mcp", initialize)
	call := `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"` + prefix + `echo","arguments":{"word":"` + strings.Repeat("x", 6<<20) + `"}}}`
	stuck := sendOnly(t, host, header.Get("Mcp-Session-Id"), call)
	defer stuck.Close()
	waitFor(t, "the call to be carried out", func() bool { return h.runs() > 0 })
	cancel()
	<-ended // with or without an error: connections were cut
	if s.Sessions() != 0 {
		t.Errorf("%d sessions are left", s.Sessions())
	}
}

// sendOnly posts a message and reads nothing of the answer but its first byte, so that more is being written.
func sendOnly(t *testing.T, host, session, message string) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", host)
	if err != nil {
		t.Fatal(err)
	}
	if err := connection.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	_, err = fmt.Fprintf(connection, "POST /mcp HTTP/1.1\r\nHost: %s\r\nContent-Type: application/json\r\n"+
		"Accept: application/json, text/event-stream\r\nMcp-Session-Id: %s\r\nContent-Length: %d\r\n\r\n%s", host, session, len(message), message)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := connection.Read(make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	return connection
}
