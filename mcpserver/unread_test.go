package mcpserver_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pagewarden/pagewarden/mcpserver"
)

// TestRunEndsThoughTheClientDoesNotRead: neither at the end of ctx nor at the end of the input is what it does not read
// waited for.
func TestRunEndsThoughTheClientDoesNotRead(t *testing.T) {
	for name, byContext := range map[string]bool{"the end of ctx": true, "the end of the input": false} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newHouse(t).server(nil)
				in, feed := io.Pipe()
				unread, out := io.Pipe()
				defer unread.Close() // which ends the write that nobody waits for
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				ended := make(chan error, 1)
				go func() { ended <- s.Run(ctx, &mcpserver.Lines{In: in, Out: out}) }()
				if _, err := io.WriteString(feed, initialize+"\n"); err != nil {
					t.Fatal(err)
				}
				if _, err := unread.Read(make([]byte, 1)); err != nil { // it is writing now
					t.Fatal(err)
				}
				if byContext {
					cancel()
				} else {
					feed.Close()
				}
				if err := <-ended; byContext != errors.Is(err, context.Canceled) {
					t.Errorf("it ended with %v", err)
				}
				if s.Sessions() != 0 {
					t.Errorf("%d sessions are left", s.Sessions())
				}
			})
		})
	}
}

// TestNothingIsWrittenAfterHalfALine: what is written in vain is the last thing.
func TestNothingIsWrittenAfterHalfALine(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		unread, out := io.Pipe()
		ctx, cancel := context.WithCancel(t.Context())
		in, feed := io.Pipe()
		c, err := (&mcpserver.Lines{In: in, Out: out}).Connect(ctx)
		if err != nil {
			t.Fatal(err)
		}
		cancel()
		message := &jsonrpc.Request{Method: "notifications/x"}
		if err := c.Write(t.Context(), message); err == nil {
			t.Error("it was written to nobody")
		}
		go func() { _, _ = io.Copy(io.Discard, unread) }()
		if err := c.Write(t.Context(), message); err == nil {
			t.Error("more was written")
		}
		closeAll(t, c, unread, feed)
	})
}

func closeAll(t *testing.T, c mcp.Connection, others ...io.Closer) {
	t.Helper()
	for _, closer := range append(others, c) {
		if err := closer.Close(); err != nil {
			t.Error(err)
		}
	}
}
